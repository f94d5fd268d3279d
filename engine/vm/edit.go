package vm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// With is a copy of the object with one key set.
func (o *Object) With(key, value Value) *Object {
	o.settle()
	at := o.find(key)
	if at >= 0 {
		vals := slices.Clone(o.vals)
		vals[at] = value
		return NewRecord(slices.Clone(o.keys), vals)
	}
	at, _ = slices.BinarySearchFunc(o.keys, key, Compare)
	keys, vals := make([]Value, 0, len(o.keys)+1), make([]Value, 0, len(o.keys)+1)
	keys = append(append(append(keys, o.keys[:at]...), key), o.keys[at:]...)
	vals = append(append(append(vals, o.vals[:at]...), value), o.vals[at:]...)
	return NewRecord(keys, vals)
}

// Without is a copy of the object that lacks a key.
func (o *Object) Without(key Value) *Object {
	o.settle()
	at := o.find(key)
	if at < 0 {
		return NewRecord(slices.Clone(o.keys), slices.Clone(o.vals))
	}
	return NewRecord(slices.Delete(slices.Clone(o.keys), at, at+1), slices.Delete(slices.Clone(o.vals), at, at+1))
}

// With is a copy of the array with another element at a place that it has.
func (a *Array) With(i int, value Value) *Array {
	out := slices.Clone(a.elems)
	out[i] = value
	return &Array{elems: out}
}

// Without is a copy of the array that lacks the element at a place.
func (a *Array) Without(i int) *Array {
	return &Array{elems: slices.Delete(slices.Clone(a.elems), i, i+1)}
}

// Append is a copy of the array with one more element.
func (a *Array) Append(value Value) *Array {
	return &Array{elems: append(a.elems[:len(a.elems):len(a.elems)], value)}
}

// TypeName is what OPA calls the type of a value.
func TypeName(v Value) string {
	switch v.(type) {
	case Null:
		return "null"
	case Bool:
		return "boolean"
	case Int, Number:
		return "number"
	case String:
		return "string"
	case *Array:
		return "array"
	case *Object:
		return "object"
	case *Set:
		return "set"
	}
	return "undefined"
}

// FromGo takes over a Go value as encoding/json would write it.
func FromGo(v any) (Value, error) {
	switch v := v.(type) {
	case nil:
		return Null{}, nil
	case bool:
		return Bool(v), nil
	case string:
		return String(v), nil
	case int:
		return Int(v), nil
	case json.Number:
		return number(string(v)), nil
	case map[string]any:
		out := NewObject(len(v))
		for key, inner := range v {
			value, err := FromGo(inner)
			if err != nil {
				return nil, err
			}
			out.PutNew(String(key), value)
		}
		return out, nil
	case []any:
		elems := make([]Value, len(v))
		for i, inner := range v {
			value, err := FromGo(inner)
			if err != nil {
				return nil, err
			}
			elems[i] = value
		}
		return &Array{elems: elems}, nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("value of type %T: %w", v, err)
	}
	return FromJSON(text)
}

// FromJSON reads JSON.
func FromJSON(text []byte) (Value, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var out any
	if err := decoder.Decode(&out); err != nil {
		return nil, fmt.Errorf("read value: %w", err)
	}
	return FromGo(out)
}

// NewNumber is a number by its text.
func NewNumber(text string) Value { return number(text) }

// NewFloat is a number without an exponent.
func NewFloat(f float64) Value { return number(strconv.FormatFloat(f, 'f', -1, 64)) }

// MustParse is FromJSON for texts that are known to be JSON.
func MustParse(text string) Value {
	v, err := FromJSON([]byte(text))
	if err != nil {
		panic(err)
	}
	return v
}

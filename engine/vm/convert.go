package vm

import (
	"fmt"
	"math"
	"strconv"

	"github.com/open-policy-agent/opa/v1/ast"
)

// FromAST takes over a value of OPA's. Variables, references, comprehensions and calls have no place in it.
func FromAST(v ast.Value) (Value, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case ast.Null:
		return Null{}, nil
	case ast.Boolean:
		return Bool(v), nil
	case ast.Number:
		return number(string(v)), nil
	case ast.String:
		return String(v), nil
	case *ast.Array:
		elems := make([]Value, v.Len())
		for i := range elems {
			elem, err := FromAST(v.Elem(i).Value)
			if err != nil {
				return nil, err
			}
			elems[i] = elem
		}
		return &Array{elems: elems}, nil
	case ast.Set:
		out := NewSet(v.Len())
		err := v.Iter(func(t *ast.Term) error {
			elem, err := FromAST(t.Value)
			if err == nil {
				out.push(elem)
			}
			return err
		})
		return out, err
	case ast.Object:
		out := NewObject(v.Len())
		err := v.Iter(func(k, t *ast.Term) error {
			key, err := FromAST(k.Value)
			if err != nil {
				return err
			}
			value, err := FromAST(t.Value)
			if err == nil {
				out.PutNew(key, value)
			}
			return err
		})
		return out, err
	}
	return nil, fmt.Errorf("%s is no value", ast.ValueName(v))
}

// ToAST gives the value to OPA.
func ToAST(v Value) ast.Value {
	if v == nil {
		return nil
	}
	return toAST(v)
}

func toAST(v Value) ast.Value {
	switch v := v.(type) {
	case Null:
		return ast.NullValue
	case Bool:
		return ast.Boolean(v)
	case Int:
		return ast.Number(strconv.FormatInt(int64(v), 10))
	case Number:
		return ast.Number(v)
	case String:
		return ast.String(v)
	case *Array:
		return ast.NewArray(terms(v.elems)...)
	case *Set:
		v.settle()
		return ast.NewSet(terms(v.keys)...)
	case *Object:
		v.settle()
		items := make([][2]*ast.Term, len(v.keys))
		for i := range v.keys {
			items[i] = [2]*ast.Term{term(v.keys[i]), term(v.vals[i])}
		}
		return ast.NewObject(items...)
	}
	panic(fmt.Sprintf("no value: %T", v))
}

// term uses OPA's ready terms where it has one.
func term(v Value) *ast.Term {
	switch v := v.(type) {
	case Null:
		return ast.InternedNullTerm
	case Bool:
		return ast.InternedTerm(bool(v))
	case Int:
		if math.MinInt32 <= v && v <= math.MaxInt32 {
			return ast.InternedTerm(int(v))
		}
	case String:
		return ast.InternedTerm(string(v))
	}
	return ast.NewTerm(toAST(v))
}

func terms(values []Value) []*ast.Term {
	out := make([]*ast.Term, len(values))
	for i, v := range values {
		out[i] = term(v)
	}
	return out
}

// number gives a number its one form.
func number(text string) Value {
	if i, err := strconv.ParseInt(text, 10, 64); err == nil && strconv.FormatInt(i, 10) == text {
		return Int(i)
	}
	return Number(text)
}

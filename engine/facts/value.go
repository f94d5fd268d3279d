package facts

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Value converts the input document to the form that the policy engine evaluates. It follows the json tags, without
// the detour through JSON text: the document is built once per decision and this is on its path. A nil list or map
// whose field is required becomes an empty one.
func Value(in *Input) (ast.Value, error) { return ValueWithPeers(in, nil) }

// ValueWithPeers is Value with the peers given as a term, for plan items that already come from an evaluation.
// Peers of in are then left out.
func ValueWithPeers(in *Input, peers *ast.Term) (ast.Value, error) {
	plan := planOf(reflect.TypeFor[Input]())
	value := reflect.ValueOf(in).Elem()
	pairs := make([][2]*ast.Term, 0, len(plan.fields))
	for i := range plan.fields {
		f := &plan.fields[i]
		if peers != nil && f.name == "peers" {
			pairs = append(pairs, [2]*ast.Term{f.key, peers})
			continue
		}
		pair, ok, err := f.pair(value)
		if err != nil {
			return nil, err
		}
		if ok {
			pairs = append(pairs, pair)
		}
	}
	return ast.NewObject(pairs...), nil
}

// encoder turns a Go value into a term.
type encoder func(v reflect.Value) (*ast.Term, error)

// structPlan is what is known of a struct type: its fields with their interned keys and encoders.
type structPlan struct{ fields []fieldPlan }

type fieldPlan struct {
	index  int
	name   string
	key    *ast.Term
	omit   bool
	encode encoder
}

func (f *fieldPlan) pair(parent reflect.Value) (pair [2]*ast.Term, ok bool, err error) {
	v := parent.Field(f.index)
	if f.omit && isEmpty(v) {
		return pair, false, nil
	}
	term, err := f.encode(v)
	if err != nil {
		return pair, false, fmt.Errorf("%s: %w", f.name, err)
	}
	return [2]*ast.Term{f.key, term}, true, nil
}

var plans sync.Map // reflect.Type to *structPlan

func planOf(t reflect.Type) *structPlan {
	if known, ok := plans.Load(t); ok {
		return known.(*structPlan)
	}
	plan := &structPlan{}
	for i := range t.NumField() {
		name, options, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		plan.fields = append(plan.fields, fieldPlan{
			index: i, name: name, key: ast.InternedTerm(name), omit: options == "omitempty", encode: encoderOf(t.Field(i).Type),
		})
	}
	known, _ := plans.LoadOrStore(t, plan)
	return known.(*structPlan)
}

// encoderOf covers the kinds that schemaOf describes.
func encoderOf(t reflect.Type) encoder {
	switch t.Kind() {
	case reflect.Pointer:
		inner := encoderOf(t.Elem())
		return func(v reflect.Value) (*ast.Term, error) {
			if v.IsNil() {
				return ast.NullTerm(), nil
			}
			return inner(v.Elem())
		}
	case reflect.Struct:
		return encodeStruct(planOf(t))
	case reflect.Slice:
		return encodeSlice(encoderOf(t.Elem()))
	case reflect.Map:
		return encodeMap(encoderOf(t.Elem()))
	case reflect.String:
		return func(v reflect.Value) (*ast.Term, error) { return ast.StringTerm(v.String()), nil }
	case reflect.Bool:
		return func(v reflect.Value) (*ast.Term, error) { return ast.InternedTerm(v.Bool()), nil }
	case reflect.Int, reflect.Int64:
		return func(v reflect.Value) (*ast.Term, error) {
			if n := v.Int(); n >= 0 && n <= 100 {
				return ast.InternedTerm(int(n)), nil
			}
			return ast.NumberTerm(json.Number(strconv.FormatInt(v.Int(), 10))), nil
		}
	case reflect.Float64:
		return func(v reflect.Value) (*ast.Term, error) {
			return ast.NumberTerm(json.Number(strconv.FormatFloat(v.Float(), 'f', -1, 64))), nil
		}
	default: // any
		return func(v reflect.Value) (*ast.Term, error) {
			value, err := ast.InterfaceToValue(v.Interface())
			return ast.NewTerm(value), err
		}
	}
}

func encodeStruct(plan *structPlan) encoder {
	return func(v reflect.Value) (*ast.Term, error) {
		pairs := make([][2]*ast.Term, 0, len(plan.fields))
		for i := range plan.fields {
			pair, ok, err := plan.fields[i].pair(v)
			if err != nil {
				return nil, err
			}
			if ok {
				pairs = append(pairs, pair)
			}
		}
		return ast.ObjectTerm(pairs...), nil
	}
}

func encodeSlice(inner encoder) encoder {
	return func(v reflect.Value) (*ast.Term, error) {
		terms := make([]*ast.Term, v.Len())
		for i := range terms {
			var err error
			if terms[i], err = inner(v.Index(i)); err != nil {
				return nil, fmt.Errorf("%d: %w", i, err)
			}
		}
		return ast.ArrayTerm(terms...), nil
	}
}

func encodeMap(inner encoder) encoder {
	return func(v reflect.Value) (*ast.Term, error) {
		pairs := make([][2]*ast.Term, 0, v.Len())
		for entries := v.MapRange(); entries.Next(); {
			term, err := inner(entries.Value())
			if err != nil {
				return nil, fmt.Errorf("%s: %w", entries.Key(), err)
			}
			pairs = append(pairs, [2]*ast.Term{ast.StringTerm(entries.Key().String()), term})
		}
		return ast.ObjectTerm(pairs...), nil
	}
}

// isEmpty is what encoding/json calls empty.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	default:
		return v.IsZero()
	}
}

package facts

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/loopx-dev/loopx-policy/engine/vm"
)

// Value converts the input document to the form that the policy engine evaluates. It follows the json tags, without
// the detour through JSON text: the document is built once per decision and this is on its path. A nil list or map
// whose field is required becomes an empty one.
func Value(in *Input) (*vm.Object, error) { return ValueWithPeers(in, nil) }

// ValueWithPeers is Value with the peers given as a value, for plan items that already come from an evaluation.
// Peers of in are then left out.
func ValueWithPeers(in *Input, peers vm.Value) (*vm.Object, error) {
	plan := planOf(reflect.TypeFor[Input]())
	value := reflect.ValueOf(in).Elem()
	out, err := plan.record(value)
	if err == nil && peers != nil {
		out = out.With(vm.String("peers"), peers)
	}
	return out, err
}

// encoder turns a Go value into a value of the evaluation.
type encoder func(v reflect.Value) (vm.Value, error)

// structPlan is what is known of a struct type: its fields in the order of their keys, with their encoders.
type structPlan struct {
	fields []fieldPlan
	keys   []vm.Value // of all of them
}

type fieldPlan struct {
	index  int
	name   string
	key    vm.Value
	omit   bool
	encode encoder
}

// record is a struct as an object.
func (p *structPlan) record(parent reflect.Value) (*vm.Object, error) {
	vals := make([]vm.Value, 0, len(p.fields))
	keys := p.keys
	for i := range p.fields {
		f := &p.fields[i]
		v := parent.Field(f.index)
		if f.omit && isEmpty(v) {
			if len(keys) == len(p.keys) { // the keys before this one, and from here on those that are there
				keys = append(make([]vm.Value, 0, len(p.keys)), p.keys[:len(vals)]...)
			}
			continue
		}
		value, err := f.encode(v)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		if len(keys) < len(p.keys) {
			keys = append(keys, f.key)
		}
		vals = append(vals, value)
	}
	return vm.NewRecord(keys, vals), nil
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
			index: i, name: name, key: vm.String(name), omit: options == "omitempty", encode: encoderOf(t.Field(i).Type),
		})
	}
	slices.SortFunc(plan.fields, func(a, b fieldPlan) int { return strings.Compare(a.name, b.name) })
	for _, f := range plan.fields {
		plan.keys = append(plan.keys, f.key)
	}
	known, _ := plans.LoadOrStore(t, plan)
	return known.(*structPlan)
}

// encoderOf covers the kinds that schemaOf describes.
func encoderOf(t reflect.Type) encoder {
	switch t.Kind() {
	case reflect.Pointer:
		inner := encoderOf(t.Elem())
		return func(v reflect.Value) (vm.Value, error) {
			if v.IsNil() {
				return vm.Null{}, nil
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
		return func(v reflect.Value) (vm.Value, error) { return vm.String(v.String()), nil }
	case reflect.Bool:
		return func(v reflect.Value) (vm.Value, error) { return vm.Bool(v.Bool()), nil }
	case reflect.Int, reflect.Int64:
		return func(v reflect.Value) (vm.Value, error) { return vm.Int(v.Int()), nil }
	case reflect.Float64:
		return func(v reflect.Value) (vm.Value, error) { return vm.NewFloat(v.Float()), nil }
	default: // any
		return func(v reflect.Value) (vm.Value, error) { return vm.FromGo(v.Interface()) }
	}
}

func encodeStruct(plan *structPlan) encoder {
	return func(v reflect.Value) (vm.Value, error) { return plan.record(v) }
}

func encodeSlice(inner encoder) encoder {
	return func(v reflect.Value) (vm.Value, error) {
		values := make([]vm.Value, v.Len())
		for i := range values {
			var err error
			if values[i], err = inner(v.Index(i)); err != nil {
				return nil, fmt.Errorf("%d: %w", i, err)
			}
		}
		return vm.NewArray(values...), nil
	}
}

func encodeMap(inner encoder) encoder {
	return func(v reflect.Value) (vm.Value, error) {
		out := vm.NewObject(v.Len())
		for entries := v.MapRange(); entries.Next(); {
			value, err := inner(entries.Value())
			if err != nil {
				return nil, fmt.Errorf("%s: %w", entries.Key(), err)
			}
			out.PutNew(vm.String(entries.Key().String()), value)
		}
		return out, nil
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

package facts

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/loopx-dev/loopx-policy/engine/vm"
)

// Value converts the input document to the form that the policy engine evaluates. It follows the json tags, without
// the detour through JSON text: the document is built once per decision and this is on its path. A nil list or map
// whose field is required becomes an empty one.
func Value(in *Input) (*vm.Object, error) { return ValueWithPeers(in, nil) }

// ValueWithPeers is Value with the peers given as a value, for plan items that already come from an evaluation.
// Peers of in are then left out.
func ValueWithPeers(in *Input, peers vm.Value) (*vm.Object, error) {
	out, err := planOf(reflect.TypeFor[Input]()).record(unsafe.Pointer(in))
	if err == nil && peers != nil {
		out = out.With(vm.String("peers"), peers)
	}
	return out, err
}

// encoder turns the Go value of its type that is at a place into a value of the evaluation. Types are looked at once, when
// the encoder is made; after that reading a field is reading its memory, which takes a third of what reflection takes.
type encoder func(at unsafe.Pointer) (vm.Value, error)

// structPlan is what is known of a struct type: its fields in the order of their keys, with their encoders.
type structPlan struct {
	fields []fieldPlan
	lists  sync.Map // of keys, by the fields that are there
	known  atomic.Int32
}

type fieldPlan struct {
	index  int
	offset uintptr
	name   string
	key    vm.Value
	omit   bool                         // when empty
	empty  func(at unsafe.Pointer) bool // what encoding/json leaves out; nil for a field that is always there
	encode encoder
}

// record is a struct as an object.
func (p *structPlan) record(parent unsafe.Pointer) (*vm.Object, error) {
	vals := make([]vm.Value, 0, len(p.fields))
	var there fieldSet
	for i := range p.fields {
		f := &p.fields[i]
		at := unsafe.Add(parent, f.offset)
		if f.empty != nil && f.empty(at) {
			continue
		}
		value, err := f.encode(at)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		there.add(i)
		vals = append(vals, value)
	}
	return vm.NewRecord(p.keys(there), vals), nil
}

// keys are those of the fields that are there: the same list each time, by which an evaluation knows where to look.
func (p *structPlan) keys(there fieldSet) []vm.Value {
	if known, ok := p.lists.Load(there); ok {
		return known.([]vm.Value)
	}
	var keys []vm.Value
	for i := range p.fields {
		if there.has(i) {
			keys = append(keys, p.fields[i].key)
		}
	}
	if p.known.Add(1) > maxLists { // documents choose their fields, and may not fill the memory with it
		return keys
	}
	known, _ := p.lists.LoadOrStore(there, keys)
	return known.([]vm.Value)
}

// maxLists is for how many combinations of fields a struct type keeps the list of keys.
const maxLists = 512

// fieldSet is a set of the fields of a struct type, by their place in its plan.
type fieldSet [2]uint64

func (s *fieldSet) add(i int)      { s[i/64] |= 1 << (i % 64) }
func (s *fieldSet) has(i int) bool { return s[i/64]&(1<<(i%64)) != 0 }

var plans sync.Map // reflect.Type to *structPlan

func planOf(t reflect.Type) *structPlan {
	if known, ok := plans.Load(t); ok {
		return known.(*structPlan)
	}
	plan := &structPlan{}
	for i := range t.NumField() {
		name, options, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		field := fieldPlan{index: i, offset: t.Field(i).Offset, name: name, key: vm.String(name), encode: encoderOf(t.Field(i).Type)}
		if field.omit = options == "omitempty"; field.omit {
			field.empty = emptyOf(t.Field(i).Type)
		}
		plan.fields = append(plan.fields, field)
	}
	slices.SortFunc(plan.fields, func(a, b fieldPlan) int { return strings.Compare(a.name, b.name) })
	known, _ := plans.LoadOrStore(t, plan)
	return known.(*structPlan)
}

// encoderOf covers the kinds that schemaOf describes.
func encoderOf(t reflect.Type) encoder {
	switch t.Kind() {
	case reflect.Pointer:
		inner := encoderOf(t.Elem())
		return func(at unsafe.Pointer) (vm.Value, error) {
			if to := *(*unsafe.Pointer)(at); to != nil {
				return inner(to)
			}
			return vm.Null{}, nil
		}
	case reflect.Struct:
		plan := planOf(t)
		return func(at unsafe.Pointer) (vm.Value, error) { return plan.record(at) }
	case reflect.Slice:
		return encodeSlice(t.Elem().Size(), encoderOf(t.Elem()))
	case reflect.Map:
		return encodeMap(t, encoderOf(t.Elem()))
	case reflect.String:
		return func(at unsafe.Pointer) (vm.Value, error) { return vm.String(*(*string)(at)), nil }
	case reflect.Bool:
		return func(at unsafe.Pointer) (vm.Value, error) { return vm.Bool(*(*bool)(at)), nil }
	case reflect.Int:
		return func(at unsafe.Pointer) (vm.Value, error) { return vm.Int(*(*int)(at)), nil }
	case reflect.Int64:
		return func(at unsafe.Pointer) (vm.Value, error) { return vm.Int(*(*int64)(at)), nil }
	case reflect.Float64:
		return func(at unsafe.Pointer) (vm.Value, error) { return vm.NewFloat(*(*float64)(at)), nil }
	default: // any
		return func(at unsafe.Pointer) (vm.Value, error) { return vm.FromGo(reflect.NewAt(t, at).Elem().Interface()) }
	}
}

// slice is how every slice lies in memory.
type slice struct {
	first    unsafe.Pointer
	len, cap int
}

func encodeSlice(size uintptr, inner encoder) encoder {
	return func(at unsafe.Pointer) (vm.Value, error) {
		list := (*slice)(at)
		values := make([]vm.Value, list.len)
		for i := range values {
			var err error
			if values[i], err = inner(unsafe.Add(list.first, uintptr(i)*size)); err != nil {
				return nil, fmt.Errorf("%d: %w", i, err)
			}
		}
		return vm.NewArray(values...), nil
	}
}

func encodeMap(t reflect.Type, inner encoder) encoder {
	return func(at unsafe.Pointer) (vm.Value, error) {
		v := reflect.NewAt(t, at).Elem()
		out := vm.NewObject(v.Len())
		for entries := v.MapRange(); entries.Next(); {
			item := reflect.New(t.Elem())
			item.Elem().Set(entries.Value())
			value, err := inner(item.UnsafePointer())
			if err != nil {
				return nil, fmt.Errorf("%s: %w", entries.Key(), err)
			}
			out.PutNew(vm.String(entries.Key().String()), value)
		}
		return out, nil
	}
}

// emptyOf tells what encoding/json calls empty.
func emptyOf(t reflect.Type) func(at unsafe.Pointer) bool {
	switch t.Kind() {
	case reflect.Slice:
		return func(at unsafe.Pointer) bool { return (*slice)(at).len == 0 }
	case reflect.Map:
		return func(at unsafe.Pointer) bool { return reflect.NewAt(t, at).Elem().Len() == 0 }
	case reflect.String:
		return func(at unsafe.Pointer) bool { return *(*string)(at) == "" }
	case reflect.Bool:
		return func(at unsafe.Pointer) bool { return !*(*bool)(at) }
	case reflect.Int:
		return func(at unsafe.Pointer) bool { return *(*int)(at) == 0 }
	case reflect.Int64:
		return func(at unsafe.Pointer) bool { return *(*int64)(at) == 0 }
	case reflect.Pointer:
		return func(at unsafe.Pointer) bool { return *(*unsafe.Pointer)(at) == nil }
	case reflect.Struct:
		return nil
	default:
		return func(at unsafe.Pointer) bool { return reflect.NewAt(t, at).Elem().IsZero() }
	}
}

package decide

import (
	"fmt"

	"github.com/loopx-dev/loopx-policy/engine/vm"
)

// operation is one change of a document, as rules write it: {"op": ..., "path": [...], "value": ...}.
type operation struct {
	op    string
	path  []vm.Value
	value vm.Value
}

// Operations that rules may ask for. They know nothing of what a document means.
const (
	opSet    = "set"    // put a value at a path; missing objects on the way are made
	opRemove = "remove" // take a key or an element out; nothing happens when it is not there
	opAppend = "append" // put a value behind the last element of an array; a missing array is made
)

// decodeOperations reads a list of operations.
func decodeOperations(list vm.Value) ([]operation, error) {
	array, ok := list.(*vm.Array)
	if !ok {
		return nil, fmt.Errorf("operations are %s instead of an array", vm.TypeName(list))
	}
	out := make([]operation, array.Len())
	for i := range out {
		object, ok := array.Elem(i).(*vm.Object)
		if !ok {
			return nil, fmt.Errorf("an operation is %s instead of an object", vm.TypeName(array.Elem(i)))
		}
		name, _ := object.Get(vm.String("op")).(vm.String)
		o := operation{op: string(name), value: object.Get(vm.String("value"))}
		if steps, ok := object.Get(vm.String("path")).(*vm.Array); ok {
			for j := range steps.Len() {
				o.path = append(o.path, steps.Elem(j))
			}
		}
		switch {
		case o.op != opSet && o.op != opRemove && o.op != opAppend:
			return nil, fmt.Errorf("unknown operation %q", o.op)
		case len(o.path) == 0:
			return nil, fmt.Errorf("operation %s has no path", o.op)
		case o.value == nil && o.op != opRemove:
			return nil, fmt.Errorf("operation %s has no value", o.op)
		}
		out[i] = o
	}
	return out, nil
}

// patched gives a copy of a document with the operations done in order. Parts that do not change are shared.
func patched(doc vm.Value, operations []operation) (vm.Value, error) {
	for _, o := range operations {
		var err error
		if doc, err = o.apply(doc, o.path); err != nil {
			return nil, err
		}
	}
	return doc, nil
}

func (o operation) apply(at vm.Value, path []vm.Value) (vm.Value, error) {
	if len(path) == 0 {
		if o.op == opSet {
			return o.value, nil
		}
		if at == nil {
			return vm.NewArray(o.value), nil
		}
		array, ok := at.(*vm.Array)
		if !ok {
			return nil, fmt.Errorf("append to %s", vm.TypeName(at))
		}
		return array.Append(o.value), nil
	}
	if at == nil {
		if o.op == opRemove {
			return nil, nil
		}
		at = vm.NewObject(0)
	}
	last := len(path) == 1 && o.op == opRemove
	switch v := at.(type) {
	case *vm.Object:
		if last {
			return v.Without(path[0]), nil
		}
		child, err := o.apply(v.Get(path[0]), path[1:])
		if err != nil || child == nil {
			return at, err
		}
		return v.With(path[0], child), nil
	case *vm.Array:
		return o.inArray(v, path, last)
	}
	return nil, fmt.Errorf("%s leads into %s", vm.AppendJSON(nil, path[0]), vm.TypeName(at))
}

func (o operation) inArray(array *vm.Array, path []vm.Value, last bool) (vm.Value, error) {
	number, ok := path[0].(vm.Int)
	i := int(number)
	if !ok || i < 0 || i >= array.Len() {
		if o.op == opRemove {
			return array, nil
		}
		return nil, fmt.Errorf("%s is no element of an array of %d", vm.AppendJSON(nil, path[0]), array.Len())
	}
	if last {
		return array.Without(i), nil
	}
	child, err := o.apply(array.Elem(i), path[1:])
	if err != nil {
		return nil, err
	}
	return array.With(i, child), nil
}

package decide

import (
	"fmt"

	"github.com/open-policy-agent/opa/v1/ast"
)

// operation is one change of a document, as rules write it: {"op": ..., "path": [...], "value": ...}.
type operation struct {
	op    string
	path  []*ast.Term
	value *ast.Term
}

// Operations that rules may ask for. They know nothing of what a document means.
const (
	opSet    = "set"    // put a value at a path; missing objects on the way are made
	opRemove = "remove" // take a key or an element out; nothing happens when it is not there
	opAppend = "append" // put a value behind the last element of an array; a missing array is made
)

// decodeOperations reads a list of operations.
func decodeOperations(list *ast.Term) ([]operation, error) {
	array, ok := list.Value.(*ast.Array)
	if !ok {
		return nil, fmt.Errorf("operations are %s instead of an array", ast.ValueName(list.Value))
	}
	out := make([]operation, 0, array.Len())
	err := array.Iter(func(t *ast.Term) error {
		object, ok := t.Value.(ast.Object)
		if !ok {
			return fmt.Errorf("an operation is %s instead of an object", ast.ValueName(t.Value))
		}
		o := operation{value: object.Get(ast.InternedTerm("value"))}
		if op := object.Get(ast.InternedTerm("op")); op != nil {
			name, _ := op.Value.(ast.String)
			o.op = string(name)
		}
		if path := object.Get(ast.InternedTerm("path")); path != nil {
			if steps, ok := path.Value.(*ast.Array); ok {
				steps.Foreach(func(step *ast.Term) { o.path = append(o.path, step) })
			}
		}
		switch {
		case o.op != opSet && o.op != opRemove && o.op != opAppend:
			return fmt.Errorf("unknown operation %q", o.op)
		case len(o.path) == 0:
			return fmt.Errorf("operation %s has no path", o.op)
		case o.value == nil && o.op != opRemove:
			return fmt.Errorf("operation %s has no value", o.op)
		}
		out = append(out, o)
		return nil
	})
	return out, err
}

// patched gives a copy of a document with the operations done in order. Parts that do not change are shared.
func patched(doc ast.Value, operations []operation) (ast.Value, error) {
	term := ast.NewTerm(doc)
	for _, o := range operations {
		var err error
		if term, err = o.apply(term, o.path); err != nil {
			return nil, err
		}
	}
	return term.Value, nil
}

func (o operation) apply(at *ast.Term, path []*ast.Term) (*ast.Term, error) {
	if len(path) == 0 {
		if o.op == opSet {
			return o.value, nil
		}
		if at == nil {
			return ast.ArrayTerm(o.value), nil
		}
		array, ok := at.Value.(*ast.Array)
		if !ok {
			return nil, fmt.Errorf("append to %s", ast.ValueName(at.Value))
		}
		return ast.NewTerm(array.Append(o.value)), nil
	}
	if at == nil {
		if o.op == opRemove {
			return nil, nil
		}
		at = ast.ObjectTerm()
	}
	last := len(path) == 1 && o.op == opRemove
	switch v := at.Value.(type) {
	case ast.Object:
		if last {
			return ast.NewTerm(without(v, path[0])), nil
		}
		child, err := o.apply(v.Get(path[0]), path[1:])
		if err != nil || child == nil {
			return at, err
		}
		return ast.NewTerm(with(v, path[0], child)), nil
	case *ast.Array:
		return o.inArray(at, v, path, last)
	}
	return nil, fmt.Errorf("%v leads into %s", path[0], ast.ValueName(at.Value))
}

func (o operation) inArray(at *ast.Term, array *ast.Array, path []*ast.Term, last bool) (*ast.Term, error) {
	number, _ := path[0].Value.(ast.Number)
	i, ok := number.Int()
	if !ok || i < 0 || i >= array.Len() {
		if o.op == opRemove {
			return at, nil
		}
		return nil, fmt.Errorf("%v is no element of an array of %d", path[0], array.Len())
	}
	items := make([]*ast.Term, 0, array.Len())
	for j := range array.Len() {
		item := array.Elem(j)
		if j == i {
			if last {
				continue
			}
			child, err := o.apply(item, path[1:])
			if err != nil {
				return nil, err
			}
			item = child
		}
		items = append(items, item)
	}
	return ast.ArrayTerm(items...), nil
}

func without(object ast.Object, key *ast.Term) ast.Object {
	out := make([][2]*ast.Term, 0, object.Len())
	object.Foreach(func(k, v *ast.Term) {
		if !k.Equal(key) {
			out = append(out, [2]*ast.Term{k, v})
		}
	})
	return ast.NewObject(out...)
}

package vm

import (
	"cmp"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Value is a JSON value or a set. Values do not change once a program or a caller can see them, apart from the order in
// which an object or a set keeps its members: a value that several goroutines read must be Settled before.
// A nil Value is undefined.
type Value interface {
	// order is the place of the value's type in OPA's order of types.
	order() int
}

type (
	// Null is the JSON null.
	Null struct{}
	// Bool is a JSON boolean.
	Bool bool
	// Int is a number that is written as the decimal form of an int64.
	Int int64
	// Number is the text of any other number, e.g. 1.50 or 1e3.
	Number string
	// String is a JSON string.
	String string
	// Array is a JSON array.
	Array struct {
		elems []Value
		from  *arena // whose room it uses, nil when it stands for itself
	}
	// Object maps keys of any type to values.
	Object struct{ table }
	// Set holds values once each.
	Set struct{ table }
)

func (Null) order() int    { return 0 }
func (Bool) order() int    { return 1 }
func (Int) order() int     { return 2 }
func (Number) order() int  { return 2 }
func (String) order() int  { return 3 }
func (*Array) order() int  { return 4 }
func (*Object) order() int { return 5 }
func (*Set) order() int    { return 6 }

// NewArray makes an array of the values, which it keeps.
func NewArray(elems ...Value) *Array { return &Array{elems: elems} }

// Len is the number of elements.
func (a *Array) Len() int { return len(a.elems) }

// Elem is the element at a place that the array has.
func (a *Array) Elem(i int) Value { return a.elems[i] }

// NewObject makes an empty object with room for n members.
func NewObject(n int) *Object {
	if n <= 8 {
		o := &struct {
			Object
			room [16]Value
		}{}
		o.keys, o.vals = o.room[:0:8], o.room[8:8:16]
		return &o.Object
	}
	room := make([]Value, 2*n)
	return &Object{table{keys: room[:0:n], vals: room[n : n : 2*n]}}
}

// NewRecord makes an object of keys, which must be distinct and in order, and their values. It keeps both; the keys may be
// those of other records too.
func NewRecord(keys, vals []Value) *Object {
	return &Object{table{keys: keys[:len(keys):len(keys)], vals: vals[:len(vals):len(vals)], settled: true, lasting: true}}
}

// Get is the value of a key, nil when there is none.
func (o *Object) Get(key Value) Value {
	if i := o.find(key); i >= 0 {
		return o.vals[i]
	}
	return nil
}

// Put sets the value of a key. It must not be called once the object has been handed over.
func (o *Object) Put(key, value Value) {
	if i := o.find(key); i >= 0 {
		o.vals[i] = value
		return
	}
	o.PutNew(key, value)
}

// PutNew is Put for a key that the object does not hold yet.
func (o *Object) PutNew(key, value Value) {
	o.push(key)
	if len(o.vals) == cap(o.vals) {
		o.vals = o.from.more(o.vals)
	}
	o.vals = append(o.vals, value)
}

// Member is the key and the value at a place in the order of keys.
func (o *Object) Member(i int) (key, value Value) {
	o.settle()
	return o.keys[i], o.vals[i]
}

// The empty collections that variables begin with. The first value that is put in goes into a new one.
var (
	emptyArray  = &Array{}
	emptyObject = &Object{table{settled: true, fixed: true}}
	emptySet    = &Set{table{settled: true, fixed: true}}
)

// NewSet makes an empty set with room for n members.
func NewSet(n int) *Set {
	if n == 0 {
		return &Set{}
	}
	if n <= firstRoom {
		s := &struct {
			Set
			room [firstRoom]Value
		}{}
		s.keys = s.room[:0:firstRoom]
		return &s.Set
	}
	return &Set{table{keys: make([]Value, 0, n)}}
}

// firstRoom is for how many members a collection that begins to fill has room.
const firstRoom = 4

// Add puts a value into the set. It must not be called once the set has been handed over.
func (s *Set) Add(value Value) {
	if s.find(value) < 0 {
		s.push(value)
	}
}

// Has says whether the value is a member.
func (s *Set) Has(value Value) bool { return s.find(value) >= 0 }

// Member is the value at a place in the order of values.
func (s *Set) Member(i int) Value {
	s.settle()
	return s.keys[i]
}

// Equal says whether two values are equal as OPA sees it: 1 and 1.0 are, null and undefined are not.
func Equal(a, b Value) bool {
	switch a := a.(type) {
	case String:
		b, ok := b.(String)
		return ok && a == b
	case Bool:
		b, ok := b.(Bool)
		return ok && a == b
	case Int:
		if b, ok := b.(Int); ok {
			return a == b
		}
	case Null:
		_, ok := b.(Null)
		return ok
	case *Array:
		b, ok := b.(*Array)
		return ok && (a == b || slices.EqualFunc(a.elems, b.elems, Equal))
	case *Set:
		b, ok := b.(*Set)
		if !ok || a == b || len(a.keys) != len(b.keys) {
			return ok && a == b
		}
		return !slices.ContainsFunc(a.keys, func(v Value) bool { return !b.Has(v) })
	case *Object:
		b, ok := b.(*Object)
		if !ok || a == b || len(a.keys) != len(b.keys) {
			return ok && a == b
		}
		for i, key := range a.keys {
			if other := b.Get(key); other == nil || !Equal(a.vals[i], other) {
				return false
			}
		}
		return true
	case nil:
		return b == nil
	}
	return b != nil && Compare(a, b) == 0
}

// Compare orders two values as OPA does: by type, then by value.
func Compare(a, b Value) int {
	if c := cmp.Compare(a.order(), b.order()); c != 0 {
		return c
	}
	switch a := a.(type) {
	case Bool:
		switch b := b.(Bool); {
		case a == b:
			return 0
		case bool(b):
			return -1
		}
		return 1
	case Int:
		if b, ok := b.(Int); ok {
			return cmp.Compare(a, b)
		}
		return numeral(a).Compare(numeral(b))
	case Number:
		return numeral(a).Compare(numeral(b))
	case String:
		return strings.Compare(string(a), string(b.(String)))
	case *Array:
		return slices.CompareFunc(a.elems, b.(*Array).elems, Compare)
	case *Set:
		b := b.(*Set)
		a.settle()
		b.settle()
		return slices.CompareFunc(a.keys, b.keys, Compare)
	case *Object:
		b := b.(*Object)
		a.settle()
		b.settle()
		for i := range min(len(a.keys), len(b.keys)) {
			if c := Compare(a.keys[i], b.keys[i]); c != 0 {
				return c
			}
			if c := Compare(a.vals[i], b.vals[i]); c != 0 {
				return c
			}
		}
		return cmp.Compare(len(a.keys), len(b.keys))
	}
	return 0
}

// Settle puts the members of a value and of all values in it in order, so that reading it changes nothing from then on.
func Settle(v Value) {
	switch v := v.(type) {
	case *Array:
		for _, elem := range v.elems {
			Settle(elem)
		}
	case *Set:
		if v.fixed {
			return
		}
		for _, elem := range v.keys {
			Settle(elem)
		}
		v.settle()
		v.fixed = true
	case *Object:
		if v.fixed {
			return
		}
		for i := range v.keys {
			Settle(v.keys[i])
			Settle(v.vals[i])
		}
		v.settle()
		v.fixed, v.lasting = true, v.from == nil
	}
}

// numeral is a number as OPA has it.
func numeral(v Value) ast.Number { return toAST(v).(ast.Number) }

// get is what an array has at an index, an object under a key, and a set for a member: the key itself, which may be written
// differently from the member, e.g. 1.0 for 1.
func get(v, key Value) Value {
	switch v := v.(type) {
	case *Object:
		return v.Get(key)
	case *Array:
		if i, ok := index(key); ok && i >= 0 && i < int64(len(v.elems)) {
			return v.elems[i]
		}
	case *Set:
		if v.Has(key) {
			return key
		}
	}
	return nil
}

// index is a number that is whole, however it is written.
func index(v Value) (int64, bool) {
	switch v := v.(type) {
	case Int:
		return int64(v), true
	case Number:
		return ast.Number(v).Int64()
	}
	return 0, false
}

func length(v Value) (int, bool) {
	switch v := v.(type) {
	case *Array:
		return len(v.elems), true
	case *Set:
		return len(v.keys), true
	case *Object:
		return len(v.keys), true
	case String:
		return len([]rune(string(v))), true
	}
	return 0, false
}

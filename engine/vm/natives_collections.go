package vm

import (
	"slices"
)

func arrayConcat(m *machine, args []Value) (Value, bool) {
	a, ok1 := args[0].(*Array)
	b, ok2 := args[1].(*Array)
	switch {
	case !ok1 || !ok2:
		return nil, false
	case len(a.elems) == 0:
		return b, true
	case len(b.elems) == 0:
		return a, true
	}
	return m.arena.array(append(append(m.arena.room(len(a.elems)+len(b.elems)), a.elems...), b.elems...)), true
}

func arrayFlatten(m *machine, args []Value) (Value, bool) {
	a, ok := args[0].(*Array)
	if !ok {
		return nil, false
	}
	out := m.arena.room(len(a.elems))
	for _, v := range a.elems {
		if inner, ok := v.(*Array); ok {
			out = append(out, inner.elems...)
		} else {
			out = append(out, v)
		}
	}
	return m.arena.array(out), true
}

func arrayReverse(m *machine, args []Value) (Value, bool) {
	a, ok := args[0].(*Array)
	if !ok {
		return nil, false
	}
	out := append(m.arena.room(len(a.elems)), a.elems...)
	slices.Reverse(out)
	return m.arena.array(out), true
}

func arraySlice(m *machine, args []Value) (Value, bool) {
	a, ok1 := args[0].(*Array)
	start, ok2 := args[1].(Int)
	stop, ok3 := args[2].(Int)
	if !ok1 || !ok2 || !ok3 {
		return nil, false
	}
	stop = min(max(stop, 0), Int(len(a.elems)))
	start = min(max(start, 0), stop)
	return m.arena.array(a.elems[start:stop:stop]), true
}

func objectGet(_ *machine, args []Value) (Value, bool) {
	o, ok := args[0].(*Object)
	if !ok {
		return nil, false
	}
	path, ok := args[1].(*Array)
	if !ok {
		if v := o.Get(args[1]); v != nil {
			return v, true
		}
		return args[2], true
	}
	var v Value = o
	for _, key := range path.elems {
		if v = get(v, key); v == nil {
			return args[2], true
		}
	}
	return v, true
}

func objectKeys(m *machine, args []Value) (Value, bool) {
	o, ok := args[0].(*Object)
	if !ok {
		return nil, false
	}
	out := m.arena.set(len(o.keys))
	out.keys, out.settled = append(out.keys, o.keys...), o.settled
	return out, true
}

// keysOf says whether a value is among the elements of an array or set, or the keys of an object.
func keysOf(v Value) (func(Value) bool, bool) {
	switch v := v.(type) {
	case *Set:
		return v.Has, true
	case *Object:
		return func(key Value) bool { return v.find(key) >= 0 }, true
	case *Array:
		if len(v.elems) <= small {
			return func(key Value) bool {
				return slices.ContainsFunc(v.elems, func(elem Value) bool { return Equal(elem, key) })
			}, true
		}
		set := NewSet(len(v.elems))
		for _, elem := range v.elems {
			set.Add(elem)
		}
		return set.Has, true
	}
	return nil, false
}

func objectPick(m *machine, args []Value, keep bool) (Value, bool) {
	o, ok := args[0].(*Object)
	if !ok {
		return nil, false
	}
	has, ok := keysOf(args[1])
	if !ok {
		return nil, false
	}
	out := m.arena.object(len(o.keys))
	for i, key := range o.keys {
		if has(key) == keep {
			if _, ok := key.(String); keep && !ok {
				return nil, false
			}
			out.PutNew(key, o.vals[i])
		}
	}
	return out, true
}

// objectFilter goes through whichever has fewer keys. It leaves objects to OPA of which it would keep a key that is no text:
// OPA spells a number as the object or as the filter does, e.g. 1.0 for 1.
func objectFilter(m *machine, args []Value) (Value, bool) {
	o, ok := args[0].(*Object)
	if !ok {
		return nil, false
	}
	wanted, ok := elements(args[1])
	if !ok || len(wanted) > 2*len(o.keys) || len(o.keys) > 64 {
		return objectPick(m, args, true)
	}
	out := m.arena.object(min(len(wanted), len(o.keys)))
	var taken uint64 // places in o, since an array may name a key twice
	next := 0        // both are often in order
	for _, key := range wanted {
		if i := o.guess(key, int32(next)); i >= 0 && taken&(1<<i) == 0 {
			if _, ok := o.keys[i].(String); !ok {
				return nil, false
			}
			taken |= 1 << i
			next = i + 1
			out.PutNew(o.keys[i], o.vals[i])
		}
	}
	return out, true
}

func objectRemove(m *machine, args []Value) (Value, bool) { return objectPick(m, args, false) }

func objectUnion(m *machine, args []Value) (Value, bool) {
	a, ok1 := args[0].(*Object)
	b, ok2 := args[1].(*Object)
	if !ok1 || !ok2 {
		return nil, false
	}
	if Equal(a, b) { // 1 and 1.0 are: the numbers stay as a writes them
		return a, true
	}
	return m.overwrite(a, b, false), true
}

func objectUnionN(m *machine, args []Value) (Value, bool) {
	list, ok := args[0].(*Array)
	if !ok {
		return nil, false
	}
	room := 0
	for _, v := range list.elems {
		o, ok := v.(*Object)
		if !ok {
			return nil, false
		}
		room += len(o.keys)
	}
	out := m.arena.object(room)
	for _, v := range list.elems {
		m.overlay(out, v.(*Object), true)
	}
	return out, true
}

// overwrite joins two objects. b has the last word, but objects that both hold under one key are joined likewise. Equal
// keys that are written differently, such as 1 and 1.0, stay as a writes them, or become what b writes.
func (m *machine) overwrite(a, b *Object, respell bool) *Object {
	switch {
	case len(a.keys) == 0:
		return b
	case len(b.keys) == 0:
		return a
	}
	out := m.arena.object(len(a.keys) + len(b.keys))
	m.overlay(out, a, respell)
	m.overlay(out, b, respell)
	return out
}

// overlay puts the members of b into a new object.
func (m *machine) overlay(out, b *Object, respell bool) {
	if len(out.keys) == 0 {
		out.keys, out.vals, out.settled = append(out.keys, b.keys...), append(out.vals, b.vals...), b.settled
		return
	}
	for i, key := range b.keys {
		v := b.vals[i]
		at := out.find(key)
		if at < 0 {
			out.PutNew(key, v)
			continue
		}
		x, ok1 := out.vals[at].(*Object)
		y, ok2 := v.(*Object)
		if ok1 && ok2 {
			v = m.overwrite(x, y, respell)
		}
		out.vals[at] = v
		if respell {
			out.keys[at] = key
		}
	}
}

package vm

// arena is the room in which an evaluation makes its collections. The next evaluation of the same machine uses it again, so
// that what leaves an evaluation, its answer and what a fixed rule gives, is copied out of it first (detach).
type arena struct {
	values  slab[Value]
	places  slab[int32]
	arrays  slab[Array]
	objects slab[Object]
	sets    slab[Set]
}

// slab hands out pieces of larger pieces.
type slab[T any] struct {
	pieces [][]T
	used   int // pieces that are in use, the current one included
	free   []T // the rest of the current piece
}

const (
	// pieceLength is how many things there are in a piece.
	pieceLength = 1 << 10
	// keptPieces is how many pieces of a kind a machine keeps for its next evaluation.
	keptPieces = 64
)

// take gives room for n things. All are zero.
func (s *slab[T]) take(n int) []T {
	if n > len(s.free) {
		if n > pieceLength {
			return make([]T, n)
		}
		s.next()
	}
	out := s.free[:n:n]
	s.free = s.free[n:]
	return out
}

func (s *slab[T]) next() {
	if s.used == len(s.pieces) {
		s.pieces = append(s.pieces, make([]T, pieceLength))
	}
	s.free = s.pieces[s.used]
	s.used++
}

// reset takes everything back that was handed out.
func (s *slab[T]) reset() {
	for i := range s.used {
		piece := s.pieces[i]
		if i == s.used-1 {
			piece = piece[:len(piece)-len(s.free)]
		}
		clear(piece)
	}
	if len(s.pieces) > keptPieces {
		clear(s.pieces[keptPieces:])
		s.pieces = s.pieces[:keptPieces]
	}
	s.used, s.free = 0, nil
}

func (a *arena) reset() {
	a.values.reset()
	a.places.reset()
	a.arrays.reset()
	a.objects.reset()
	a.sets.reset()
}

// room is an empty list with room for n values.
func (a *arena) room(n int) []Value {
	if a == nil {
		return make([]Value, 0, n)
	}
	return a.values.take(n)[:0]
}

// more is the list with room for at least one more value.
func (a *arena) more(list []Value) []Value {
	return append(a.room(max(firstRoom, 2*len(list))), list...)
}

// index is room for the index of a table.
func (a *arena) index(n int) []int32 {
	if a == nil {
		return make([]int32, n)
	}
	return a.places.take(n)
}

func (a *arena) object(n int) *Object {
	o := &a.objects.take(1)[0]
	o.from = a
	if n > 0 {
		both := a.values.take(2 * n)
		o.keys, o.vals = both[:0:n], both[n:n]
	}
	return o
}

// record makes an object of keys that are in order, which it shares, and their values.
func (a *arena) record(keys, vals []Value) *Object {
	o := a.object(0)
	o.keys, o.vals, o.settled, o.lasting = keys[:len(keys):len(keys)], vals, true, true
	return o
}

func (a *arena) set(n int) *Set {
	s := &a.sets.take(1)[0]
	s.from = a
	if n > 0 {
		s.keys = a.room(n)
	}
	return s
}

// array makes an array of a list, which may be a part of one that belongs to another collection.
func (a *arena) array(elems []Value) *Array {
	out := &a.arrays.take(1)[0]
	out.elems, out.from = elems, a
	return out
}

// detach is a value that uses nothing of an arena. Its collections lie together.
func detach(v Value) Value {
	var n counts
	n.add(v)
	if n == (counts{}) {
		return v
	}
	c := copier{make([]Value, n.values), make([]Array, n.arrays), make([]Object, n.objects), make([]Set, n.sets)}
	return c.copy(v)
}

// counts is how much of an arena a value uses.
type counts struct{ values, arrays, objects, sets int }

func (n *counts) add(v Value) {
	switch v := v.(type) {
	case *Array:
		if v.from != nil {
			n.arrays++
			n.all(v.elems)
		}
	case *Set:
		if v.from != nil {
			n.sets++
			n.all(v.keys)
		}
	case *Object:
		if v.from != nil {
			n.objects++
			n.all(v.keys)
			n.all(v.vals)
		}
	}
}

func (n *counts) all(list []Value) {
	n.values += len(list)
	for _, v := range list {
		n.add(v)
	}
}

// copier has the room for one copy.
type copier struct {
	values  []Value
	arrays  []Array
	objects []Object
	sets    []Set
}

func (c *copier) copy(v Value) Value {
	switch v := v.(type) {
	case *Array:
		if v.from != nil {
			out := &c.arrays[0]
			c.arrays = c.arrays[1:]
			out.elems = c.all(v.elems)
			return out
		}
	case *Set:
		if v.from != nil {
			out := &c.sets[0]
			c.sets = c.sets[1:]
			out.keys, out.settled = c.all(v.keys), v.settled
			return out
		}
	case *Object:
		if v.from != nil {
			out := &c.objects[0]
			c.objects = c.objects[1:]
			out.keys, out.vals, out.settled = c.all(v.keys), c.all(v.vals), v.settled
			return out
		}
	}
	return v
}

func (c *copier) all(list []Value) []Value {
	out := c.values[:len(list):len(list)]
	c.values = c.values[len(list):]
	for i, v := range list {
		out[i] = c.copy(v)
	}
	return out
}

package vm

import (
	"hash/maphash"
	"math"
	"slices"
	"sort"
	"strings"
)

// table holds distinct keys, and a value for each key when it belongs to an object. Small tables are searched from end to
// end. Larger ones have an index, or are in order and searched by halves.
type table struct {
	keys []Value
	vals []Value
	from *arena // whose room it uses, nil when it stands for itself

	index   []int32 // open addressing: the place of a key plus one, 0 where there is none
	settled bool    // the keys are in order
	tried   uint8   // searches of a table that is neither in order nor has an index
	lasting bool    // the keys never change, nor does another table ever use their room
	fixed   bool    // and so is all that is in them and in the values: nothing changes any more
}

// small is up to where looking at each key is the fastest way to find one.
const small = 12

// Len is the number of members.
func (t *table) Len() int { return len(t.keys) }

func (t *table) find(key Value) int {
	if len(t.keys) > small {
		return t.search(key)
	}
	return t.scan(key)
}

// patience is how many searches from end to end come before an index, which costs about as much to make.
const patience = 4

// scan looks at each key.
func (t *table) scan(key Value) int {
	if s, ok := key.(String); ok {
		for i, k := range t.keys {
			if k, ok := k.(String); ok && k == s {
				return i
			}
		}
		return -1
	}
	for i, k := range t.keys {
		if Equal(k, key) {
			return i
		}
	}
	return -1
}

func (t *table) search(key Value) int {
	if t.index == nil {
		if t.settled {
			return t.halve(key)
		}
		if t.tried < patience {
			t.tried++
			return t.scan(key)
		}
		t.reindex()
	}
	index := t.index
	mask := uint64(len(index) - 1)
	for at := hash(key) & mask; ; at = (at + 1) & mask {
		i := index[at]
		if i == 0 {
			return -1
		}
		if Equal(t.keys[i-1], key) {
			return int(i - 1)
		}
	}
}

// halve searches a table that is in order.
func (t *table) halve(key Value) int {
	low, high := 0, len(t.keys)
	s, isText := key.(String)
	for low < high {
		at := int(uint(low+high) / 2)
		var c int
		if k, ok := t.keys[at].(String); ok && isText {
			c = strings.Compare(string(k), string(s))
		} else {
			c = Compare(t.keys[at], key)
		}
		switch {
		case c == 0:
			return at
		case c < 0:
			low = at + 1
		default:
			high = at
		}
	}
	return -1
}

// guess is find for a key that was at a place in another table.
func (t *table) guess(key Value, place int32) int {
	if i := int(place); i < len(t.keys) {
		if s, ok := key.(String); ok {
			if k, ok := t.keys[i].(String); ok && k == s {
				return i
			}
		}
	}
	return t.find(key)
}

// push adds a key that the table does not hold.
func (t *table) push(key Value) {
	t.settled, t.lasting = false, false
	if len(t.keys) == cap(t.keys) {
		t.keys = t.from.more(t.keys)
	}
	t.keys = append(t.keys, key)
	switch {
	case t.index == nil:
	case len(t.keys)*2 > len(t.index):
		t.reindex()
	default:
		t.enter(len(t.keys) - 1)
	}
}

func (t *table) reindex() {
	size := 32 // a power of two
	for size < 3*len(t.keys) {
		size *= 2
	}
	if t.index != nil && len(t.index) == size {
		clear(t.index)
	} else {
		t.index = t.from.index(size)
	}
	for i := range t.keys {
		t.enter(i)
	}
}

func (t *table) enter(i int) {
	index := t.index
	mask := uint64(len(index) - 1)
	at := hash(t.keys[i]) & mask
	for index[at] != 0 {
		at = (at + 1) & mask
	}
	index[at] = int32(i + 1)
}

// settle puts the keys in order.
func (t *table) settle() {
	if t.settled {
		return
	}
	t.settled = true
	if slices.IsSortedFunc(t.keys, Compare) {
		return
	}
	sort.Sort((*byKey)(t))
	if t.index != nil {
		t.reindex()
	}
}

// byKey sorts the keys of a table together with their values.
type byKey table

func (t *byKey) Len() int           { return len(t.keys) }
func (t *byKey) Less(i, j int) bool { return Compare(t.keys[i], t.keys[j]) < 0 }
func (t *byKey) Swap(i, j int) {
	t.keys[i], t.keys[j] = t.keys[j], t.keys[i]
	if t.vals != nil {
		t.vals[i], t.vals[j] = t.vals[j], t.vals[i]
	}
}

var seed = maphash.MakeSeed()

// hash is the same for equal values. Of collections inside of a collection only the kind and the size count: what is stored
// in one table rarely differs deeper down only.
func hash(v Value) uint64 {
	switch v := v.(type) {
	case *Array:
		h := uint64(7)
		for _, elem := range v.elems {
			h = scramble(h ^ shallow(elem))
		}
		return h
	case *Set: // the order of members must not count
		h := uint64(11)
		for _, elem := range v.keys {
			h += scramble(shallow(elem))
		}
		return h
	case *Object:
		h := uint64(13)
		for i, key := range v.keys {
			h += scramble(shallow(key) ^ scramble(shallow(v.vals[i])))
		}
		return h
	}
	return shallow(v)
}

func shallow(v Value) uint64 {
	switch v := v.(type) {
	case String:
		return maphash.String(seed, string(v))
	case Int:
		return scramble(math.Float64bits(float64(v)))
	case Bool:
		if v {
			return 3
		}
		return 5
	case Number: // as an Int, since 1 and 1.0 are one key
		f, _ := numeral(v).Float64()
		if f == 0 {
			f = 0 // not the negative zero
		}
		return scramble(math.Float64bits(f))
	case *Array:
		return scramble(7 + uint64(len(v.elems))<<8)
	case *Set:
		return scramble(11 + uint64(len(v.keys))<<8)
	case *Object:
		return scramble(13 + uint64(len(v.keys))<<8)
	}
	return 17
}

func scramble(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	return x ^ x>>29
}

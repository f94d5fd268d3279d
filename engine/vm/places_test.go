package vm

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestPlacesAreThoseOfTheKeys asks objects of a thousand lists of keys, more than a machine has room for, and of room that other
// objects had before, for keys that they have and lack.
func TestPlacesAreThoseOfTheKeys(t *testing.T) {
	constants := make([]Value, 40)
	for i := range constants {
		constants[i] = String(fmt.Sprintf("key %02d", i))
	}
	lists := make([][]Value, knownPlaces)
	for i := range lists {
		for j, key := range constants {
			if i>>(j%10)&1 == 0 {
				lists[i] = append(lists[i], key)
			}
		}
	}
	m := freshMachine()
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SampledFrom(lists).Draw(t, "keys")
		vals := make([]Value, len(keys))
		for i := range vals {
			vals[i] = Int(i)
		}
		var o *Object
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			o = NewRecord(keys, vals)
		case 1:
			o = m.arena.record(keys, vals)
		case 2: // in room that is used again
			m.arena.reset()
			o = m.arena.object(len(keys))
			for i, key := range keys {
				o.PutNew(key, vals[i])
			}
		case 3:
			o = NewObject(len(keys))
			for i, key := range keys {
				o.PutNew(key, vals[i])
			}
			Settle(o)
		}
		for range 20 {
			i := rapid.IntRange(0, len(constants)-1).Draw(t, "key")
			key := constants[i]
			want := o.Get(key)
			require.Equal(t, want, m.at(o, key, ^int16(i)), "a constant")
			require.Equal(t, want, m.at(o, String(string(key.(String))), 3), "a variable")
		}
		o.Put(String("key 999"), Null{})
		require.Equal(t, Value(Null{}), m.at(o, String("key 999"), ^int16(len(constants))))
	})
}

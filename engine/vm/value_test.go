package vm

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestOrderIsOPAs draws pairs, of which the second is often the first with one part of it changed.
func TestOrderIsOPAs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := anything.Draw(t, "a")
		b := clone(a)
		switch rapid.IntRange(0, 3).Draw(t, "related") {
		case 0:
			b = anything.Draw(t, "b")
		case 1:
			b = respelled(b)
		case 2:
			if array, ok := b.(*Array); ok && array.Len() > 0 {
				b = array.With(array.Len()-1, few.Draw(t, "last"))
			}
		}
		want := sign(ast.Compare(ToAST(clone(a)), ToAST(clone(b))))
		equal := Equal(a, b)
		require.Equal(t, want == 0, equal, "%s = %s", show(a), show(b))
		require.Equal(t, equal, Equal(b, a))
		require.Equal(t, want, sign(Compare(a, b)), "%s, %s", show(a), show(b))
		require.Equal(t, -want, sign(Compare(b, a)))
		if equal {
			require.Equal(t, hash(a), hash(b), "%s, %s", show(a), show(b))
		}
	})
}

func sign(c int) int { return min(max(c, -1), 1) }

// respelled writes numbers in a value in another way.
func respelled(v Value) Value {
	switch v := v.(type) {
	case Int:
		if -1000 < v && v < 1000 {
			return Number(show(v) + ".0")
		}
	case Number:
		if strings.ContainsAny(string(v), "eE") {
			return v
		}
		if strings.Contains(string(v), ".") {
			return Number(v + "0")
		}
	case *Array:
		for i, elem := range v.elems {
			v.elems[i] = respelled(elem)
		}
	case *Object:
		for i := range v.keys {
			v.keys[i], v.vals[i] = respelled(v.keys[i]), respelled(v.vals[i])
		}
	case *Set:
		for i := range v.keys {
			v.keys[i] = respelled(v.keys[i])
		}
	}
	return v
}

// TestTablesKeepTheirMembers fills an object step by step, reading and ordering it in between, and holds it against a list.
func TestTablesKeepTheirMembers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, s := NewObject(rapid.IntRange(0, 20).Draw(t, "room")), NewSet(rapid.IntRange(0, 20).Draw(t, "room"))
		var model [][2]Value
		at := func(key Value) int {
			return slices.IndexFunc(model, func(m [2]Value) bool { return ast.Compare(ToAST(m[0]), ToAST(key)) == 0 })
		}
		pool := many(keys, keys, values(1))
		for range rapid.IntRange(0, 45).Draw(t, "steps") {
			key := pool.Draw(t, "key")
			i := at(key)
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0:
				o.settle()
				s.settle()
				require.True(t, slices.IsSortedFunc(o.keys, Compare))
				require.True(t, slices.IsSortedFunc(s.keys, Compare))
			case 1:
				place := o.guess(key, rapid.Int32Range(0, 50).Draw(t, "place"))
				require.Equal(t, i < 0, place < 0)
				if i >= 0 {
					require.Equal(t, show(model[i][1]), show(o.vals[place]))
				}
			default:
				value := few.Draw(t, "value")
				if i >= 0 {
					model[i][1] = value
				} else {
					model = append(model, [2]Value{key, value})
				}
				o.Put(key, value)
				s.Add(key)
			}
			require.Equal(t, len(model), o.Len())
			require.Equal(t, len(model), s.Len())
			for _, m := range model {
				require.Equal(t, show(m[1]), show(o.Get(m[0])), "at %s", show(m[0]))
				require.True(t, s.Has(m[0]))
			}
		}
		other := pool.Draw(t, "other")
		require.Equal(t, at(other) >= 0, s.Has(other))
		require.Equal(t, at(other) >= 0, o.Get(other) != nil)
		Settle(o)
		Settle(s)
		require.Equal(t, at(other) >= 0, s.Has(other))
		for i, key := range o.keys {
			require.Equal(t, i, o.find(key))
		}
	})
}

func TestValuesTravel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := anything.Draw(t, "value")
		text := show(v)
		back, err := FromAST(ToAST(v))
		require.NoError(t, err)
		require.Equal(t, text, show(back), "through OPA")

		Settle(v)
		packed := AppendValue([]byte("before"), v)
		read, rest, err := ReadValue(string(packed[len("before"):]) + "after")
		require.NoError(t, err)
		require.Equal(t, "after", rest)
		require.Equal(t, text, show(read), "through bytes")
		require.True(t, Equal(v, read))
		require.Equal(t, packed, AppendValue([]byte("before"), read))
	})
}

func TestJSONTravels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := plainJSON(3).Draw(t, "value")
		text := AppendJSON(nil, v)
		require.Equal(t, encoded(t, ToGo(v)), string(text))
		again, err := FromJSON(text)
		require.NoError(t, err)
		if !bytes.Contains(text, []byte(`\ufffd`)) { // in the place of what is no UTF-8
			require.Equal(t, string(text), string(AppendJSON(nil, again)))
		}
		same, err := FromGo(ToGo(again))
		require.NoError(t, err)
		require.True(t, Equal(again, same))
	})
}

// encoded is what encoding/json writes.
func encoded(t require.TestingT, v any) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	require.NoError(t, encoder.Encode(v))
	return strings.TrimSuffix(out.String(), "\n")
}

func TestTextIsWrittenAsJSON(t *testing.T) {
	for _, s := range oddTexts {
		assert.Equal(t, encoded(t, s), string(AppendText(nil, s)))
	}
	for c := range 256 {
		for _, s := range []string{string([]byte{byte(c)}), string([]byte{'a', byte(c), 'b'}), string(rune(c)), "\xe2\x80" + string([]byte{byte(c)})} {
			assert.Equal(t, encoded(t, s), string(AppendText(nil, s)))
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := anyText.Draw(t, "text").(String)
		require.Equal(t, encoded(t, string(s)), string(AppendText(nil, string(s))))
	})
}

// TestEditsLeaveTheOriginal changes what each edit gives and looks at what it was made of, and the other way round.
func TestEditsLeaveTheOriginal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := objectOf.Draw(t, "object").(*Object)
		key, value := keys.Draw(t, "key"), few.Draw(t, "value")
		a := arrays(few, 1, 6).Draw(t, "array").(*Array)
		place := rapid.IntRange(0, a.Len()-1).Draw(t, "place")
		objectText, arrayText := show(o), show(a)

		with, without := o.With(key, value), o.Without(key)
		require.Equal(t, show(value), show(with.Get(key)))
		require.Nil(t, without.Get(key))
		for i := range o.keys {
			if !Equal(o.keys[i], key) {
				require.Equal(t, show(o.vals[i]), show(with.Get(o.keys[i])))
				require.Equal(t, show(o.vals[i]), show(without.Get(o.keys[i])))
			}
		}
		more, other := a.Append(value), a.Append(String("other"))
		require.Equal(t, show(value), show(more.Elem(a.Len())))
		require.Equal(t, String("other"), other.Elem(a.Len()))
		changed, shorter := a.With(place, String("changed")), a.Without(place)
		require.Equal(t, String("changed"), changed.Elem(place))
		require.Equal(t, a.Len()-1, shorter.Len())

		for _, made := range []*Object{with, without} {
			made.Put(String("new one"), Null{})
			made.Put(key, String("overwritten"))
			made.settle()
		}
		for _, made := range []*Array{changed, shorter} {
			for i := range made.elems {
				made.elems[i] = String("overwritten")
			}
		}
		_ = append(more.elems, String("beyond"))
		require.Equal(t, objectText, show(o))
		require.Equal(t, arrayText, show(a))
		require.Equal(t, show(value), show(more.Elem(a.Len())))
	})
}

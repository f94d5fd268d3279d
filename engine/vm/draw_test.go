package vm

import (
	"math"
	"slices"

	"pgregory.net/rapid"
)

// Texts of numbers that are easily mistaken for another one.
var oddNumbers = []string{
	"1.0", "1e0", "1e2", "100.0", "1E2", "0.0", "-0", "-0.0", "0.5", "0.50", "1.5e3", "2.0", "9223372036854775808", "-9223372036854775809",
	"9007199254740993.0", "123456789012345678901234567890", "1e400", "1e-400", "-1e400",
}

var oddTexts = []string{
	"", "a", "b", "ab", "aab", "key", " a\t\n", "A", "ß", "é", "e\u0301", "日本語", "\u212a", "\ufffd", "\xff", "a\xffb", "\xe2\x80", "\u2028", "\u2029",
	"<&>", "\"\\", "\x00\x1f\x7f", "\b\f\r", "%s", "%d", "%v%%", "1", "1.0", "true", "data", "_",
}

// drawer is a way to draw a value.
type drawer = *rapid.Generator[Value]

func just(vs ...Value) drawer { return rapid.SampledFrom(vs) }

func texts(ss ...string) drawer {
	return rapid.Map(rapid.SampledFrom(ss), func(s string) Value { return String(s) })
}

// mostly draws from the first in nine of ten cases.
func mostly(first, other drawer) drawer {
	return rapid.Custom(func(t *rapid.T) Value {
		if rapid.IntRange(0, 9).Draw(t, "odd") == 0 {
			return other.Draw(t, "value")
		}
		return first.Draw(t, "value")
	})
}

// settled sometimes puts a collection in order, or gives it its index, as it is before or after it was read.
func settled(t *rapid.T, v Value) Value {
	switch rapid.IntRange(0, 3).Draw(t, "read before") {
	case 0:
		Settle(v)
	case 1:
		_ = get(v, String("nothing"))
	}
	return v
}

func arrays(elem drawer, least, most int) drawer {
	return rapid.Map(rapid.SliceOfN(elem, least, most), func(vs []Value) Value { return NewArray(vs...) })
}

func sets(elem drawer, least, most int) drawer {
	return rapid.Custom(func(t *rapid.T) Value {
		out := NewSet(rapid.IntRange(0, 5).Draw(t, "room"))
		for _, v := range rapid.SliceOfN(elem, least, most).Draw(t, "members") {
			out.Add(v)
		}
		return settled(t, out)
	})
}

func objects(key, value drawer, least, most int) drawer {
	return rapid.Custom(func(t *rapid.T) Value {
		out := NewObject(rapid.IntRange(0, 10).Draw(t, "room"))
		for _, k := range rapid.SliceOfN(key, least, most).Draw(t, "keys") {
			out.Put(k, value.Draw(t, "value"))
		}
		return settled(t, out)
	})
}

func many(ds ...drawer) drawer { return rapid.OneOf(ds...) }

var (
	small64 = rapid.Map(rapid.Int64Range(-3, 40), func(i int64) Value { return Int(i) })
	ints    = many(small64, small64, just(Int(math.MaxInt64), Int(math.MinInt64), Int(math.MaxInt32), Int(math.MinInt32), Int(1<<53+1)),
		rapid.Map(rapid.Int64(), func(i int64) Value { return Int(i) }))
	numbers = many(small64, ints, rapid.Map(rapid.SampledFrom(oddNumbers), NewNumber))
	words   = texts("a", "b", "ab", "aab", "key", "x1", "Upper", "left right", "a,b,,c", ",", " b ")
	anyText = many(words, rapid.Map(rapid.SampledFrom(oddTexts), func(s string) Value { return String(s) }),
		rapid.Map(rapid.String(), func(s string) Value { return String(s) }),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) Value { return String(b) }))
	scalars = many(just(Null{}, Bool(true), Bool(false)), numbers, anyText)
	// few are values of which two draws are often equal, by the same text or not.
	few = many(just(Null{}, Bool(true), Bool(false), Int(0), Int(1), Int(2), Int(100)), texts("", "a", "b", "1"),
		rapid.Map(rapid.SampledFrom(oddNumbers), NewNumber))
	letters = rapid.Map(rapid.ByteRange('a', 'w'), func(b byte) Value { return String(b) })
	keys    = mostly(letters, few)
)

// values are of every type and at most so deep.
func values(depth int) drawer {
	if depth == 0 {
		return many(few, scalars)
	}
	inner := rapid.Deferred(func() drawer { return values(depth - 1) })
	return many(few, scalars, arrays(inner, 0, 4), sets(inner, 0, 4), objects(mostly(keys, inner), inner, 0, 4),
		sets(mostly(keys, inner), 11, 30), objects(mostly(keys, inner), inner, 11, 30))
}

var anything = values(2)

// nested are objects that hold objects under few keys.
func nested(depth int) drawer {
	if depth == 0 {
		return few
	}
	inner := rapid.Deferred(func() drawer { return nested(depth - 1) })
	key := mostly(texts("a", "b", "c"), few)
	return many(objects(key, many(inner, few), 0, 4), objects(mostly(letters, few), many(inner, few), 12, 24))
}

// clone is the same value with nothing shared.
func clone(v Value) Value {
	switch v := v.(type) {
	case *Array:
		out := make([]Value, len(v.elems))
		for i, elem := range v.elems {
			out[i] = clone(elem)
		}
		return &Array{elems: out}
	case *Set:
		out := &Set{table{settled: v.settled}}
		for _, key := range v.keys {
			out.keys = append(out.keys, clone(key))
		}
		return out
	case *Object:
		out := &Object{table{settled: v.settled}}
		for i, key := range v.keys {
			out.keys, out.vals = append(out.keys, clone(key)), append(out.vals, clone(v.vals[i]))
		}
		return out
	}
	return v
}

func show(v Value) string {
	if v == nil {
		return "undefined"
	}
	return ToAST(v).String()
}

func names() []string {
	out := make([]string, 0, len(natives))
	for name := range natives {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

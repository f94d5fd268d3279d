package vm

import (
	"math"
	"math/bits"
	"slices"
	"strings"
)

// native is a builtin on values of this package. It declines, with false, what it does not do: OPA's own builtin then gives
// the answer or the error. Nil with true is undefined.
type native func(m *machine, args []Value) (Value, bool)

// natives are the builtins that rules call most.
var natives = map[string]native{
	"and":                       intersect,
	"bits.lsh":                  shiftLeft,
	"crypto.sha256":             digest,
	"indexof":                   indexOf,
	"json.marshal_with_options": marshal,
	"regex.find_n":              regexFind,
	"regex.match":               regexMatch,
	"rem":                       remainder,
	"sprintf":                   format,
	"strings.replace_n":         replaceN,
	"trim":                      onText(strings.Trim),
	"upper":                     upper,
	"array.concat":              arrayConcat,
	"array.flatten":             arrayFlatten,
	"array.reverse":             arrayReverse,
	"array.slice":               arraySlice,
	"ceil":                      whole,
	"concat":                    concat,
	"contains":                  onTexts(strings.Contains),
	"count":                     count,
	"div":                       divide,
	"endswith":                  onTexts(strings.HasSuffix),
	"equal":                     func(_ *machine, args []Value) (Value, bool) { return Bool(Equal(args[0], args[1])), true },
	"floor":                     whole,
	"format_int":                formatInt,
	"gt":                        func(_ *machine, args []Value) (Value, bool) { return Bool(Compare(args[0], args[1]) > 0), true },
	"gte":                       func(_ *machine, args []Value) (Value, bool) { return Bool(Compare(args[0], args[1]) >= 0), true },
	"internal.member_2":         contained,
	"internal.member_3":         containedAt,
	"is_array":                  is[*Array],
	"is_boolean":                is[Bool],
	"is_null":                   is[Null],
	"is_number":                 isNumber,
	"is_object":                 is[*Object],
	"is_set":                    is[*Set],
	"is_string":                 is[String],
	"lower":                     lower,
	"lt":                        func(_ *machine, args []Value) (Value, bool) { return Bool(Compare(args[0], args[1]) < 0), true },
	"lte":                       func(_ *machine, args []Value) (Value, bool) { return Bool(Compare(args[0], args[1]) <= 0), true },
	"max":                       largest,
	"min":                       smallest,
	"minus":                     minus,
	"mul":                       multiply,
	"neq":                       func(_ *machine, args []Value) (Value, bool) { return Bool(!Equal(args[0], args[1])), true },
	"object.filter":             objectFilter,
	"object.get":                objectGet,
	"object.keys":               objectKeys,
	"object.remove":             objectRemove,
	"object.union":              objectUnion,
	"object.union_n":            objectUnionN,
	"or":                        unite,
	"plus":                      plus,
	"replace":                   replace,
	"round":                     whole,
	"sort":                      sorted,
	"split":                     split,
	"startswith":                onTexts(strings.HasPrefix),
	"substring":                 substring,
	"sum":                       sum,
	"time.format":               timeFormat,
	"trim_prefix":               onText(strings.TrimPrefix),
	"trim_space":                trimSpace,
	"trim_suffix":               onText(strings.TrimSuffix),
	"union":                     unionOf,
}

func is[T Value](_ *machine, args []Value) (Value, bool) {
	_, ok := args[0].(T)
	return Bool(ok), true
}

func isNumber(_ *machine, args []Value) (Value, bool) {
	return Bool(args[0].order() == Int(0).order()), true
}

func count(_ *machine, args []Value) (Value, bool) {
	n, ok := length(args[0])
	return Int(n), ok
}

// elements are the members of an array, or of a set in order.
func elements(v Value) ([]Value, bool) {
	switch v := v.(type) {
	case *Array:
		return v.elems, true
	case *Set:
		v.settle()
		return v.keys, true
	}
	return nil, false
}

func contained(_ *machine, args []Value) (Value, bool) {
	switch in := args[1].(type) {
	case *Set:
		return Bool(in.Has(args[0])), true
	case *Array:
		for _, v := range in.elems {
			if Equal(args[0], v) {
				return Bool(true), true
			}
		}
	case *Object:
		for _, v := range in.vals {
			if Equal(args[0], v) {
				return Bool(true), true
			}
		}
	}
	return Bool(false), true
}

func containedAt(_ *machine, args []Value) (Value, bool) {
	found := get(args[2], args[0])
	return Bool(found != nil && Equal(found, args[1])), true
}

func intersect(m *machine, args []Value) (Value, bool) {
	a, ok1 := args[0].(*Set)
	b, ok2 := args[1].(*Set)
	if !ok1 || !ok2 {
		return nil, false
	}
	if len(b.keys) < len(a.keys) {
		a, b = b, a
	}
	if len(a.keys) == 0 {
		return emptySet, true
	}
	out := m.arena.set(len(a.keys))
	for _, v := range a.keys {
		if b.Has(v) {
			out.push(v)
		}
	}
	out.settled = a.settled
	return out, true
}

func unite(m *machine, args []Value) (Value, bool) {
	a, ok1 := args[0].(*Set)
	b, ok2 := args[1].(*Set)
	if !ok1 || !ok2 {
		return nil, false
	}
	switch {
	case len(a.keys) == 0:
		return b, true
	case len(b.keys) == 0:
		return a, true
	}
	out := m.arena.set(len(a.keys) + len(b.keys))
	out.keys = append(out.keys, a.keys...)
	for _, v := range b.keys {
		out.Add(v)
	}
	return out, true
}

func unionOf(m *machine, args []Value) (Value, bool) {
	sets, ok := args[0].(*Set)
	if !ok {
		return nil, false
	}
	out := m.arena.set(0)
	for _, v := range sets.keys {
		set, ok := v.(*Set)
		if !ok {
			return nil, false
		}
		for _, v := range set.keys {
			out.Add(v)
		}
	}
	return out, true
}

func plus(_ *machine, args []Value) (Value, bool) {
	a, ok1 := args[0].(Int)
	b, ok2 := args[1].(Int)
	sum := a + b
	return sum, ok1 && ok2 && (sum > a) == (b > 0)
}

func minus(m *machine, args []Value) (Value, bool) {
	if a, ok := args[0].(*Set); ok {
		b, ok := args[1].(*Set)
		if !ok {
			return nil, false
		}
		if len(a.keys) == 0 || len(b.keys) == 0 {
			return a, true
		}
		out := m.arena.set(len(a.keys))
		for _, v := range a.keys {
			if !b.Has(v) {
				out.push(v)
			}
		}
		out.settled = a.settled
		return out, true
	}
	a, ok1 := args[0].(Int)
	b, ok2 := args[1].(Int)
	diff := a - b
	return diff, ok1 && ok2 && (diff < a) == (b > 0)
}

func multiply(_ *machine, args []Value) (Value, bool) {
	a, ok1 := args[0].(Int)
	b, ok2 := args[1].(Int)
	if !ok1 || !ok2 {
		return nil, false
	}
	high, low := bits.Mul64(uint64(max(a, -a)), uint64(max(b, -b)))
	return a * b, high == 0 && low < 1<<63 && a != math.MinInt64 && b != math.MinInt64
}

func remainder(_ *machine, args []Value) (Value, bool) {
	a, ok1 := args[0].(Int)
	b, ok2 := args[1].(Int)
	if !ok1 || !ok2 || b == 0 {
		return nil, false
	}
	return a % b, true
}

// divide leaves what is no whole number to OPA.
func divide(_ *machine, args []Value) (Value, bool) {
	a, ok1 := args[0].(Int)
	b, ok2 := args[1].(Int)
	if !ok1 || !ok2 || a == 0 || b == 0 || b == -1 || a%b != 0 { // OPA divides 0 to -0 by a negative number
		return nil, false
	}
	return a / b, true
}

// whole is what rounding makes of a number that is whole already.
func whole(_ *machine, args []Value) (Value, bool) {
	_, ok := args[0].(Int)
	return args[0], ok
}

func shiftLeft(_ *machine, args []Value) (Value, bool) {
	a, ok1 := args[0].(Int)
	n, ok2 := args[1].(Int)
	if !ok1 || !ok2 || a < 0 || n < 0 || n > 31 || a > math.MaxInt32 {
		return nil, false
	}
	return a << n, true
}

func sum(_ *machine, args []Value) (Value, bool) {
	elems, ok := elements(args[0])
	if !ok {
		return nil, false
	}
	var out Value = Int(0)
	for _, v := range elems {
		if out, ok = plus(nil, []Value{out, v}); !ok {
			return nil, false
		}
	}
	return out, true
}

func largest(_ *machine, args []Value) (Value, bool) {
	elems, ok := elements(args[0])
	var out Value
	for _, v := range elems {
		if out == nil || Compare(out, v) <= 0 {
			out = v
		}
	}
	return out, ok
}

func smallest(_ *machine, args []Value) (Value, bool) {
	elems, ok := elements(args[0])
	var out Value
	for _, v := range elems {
		if out == nil || Compare(out, v) >= 0 {
			out = v
		}
	}
	return out, ok
}

func sorted(m *machine, args []Value) (Value, bool) {
	elems, ok := elements(args[0])
	if !ok {
		return nil, false
	}
	if _, ok := args[0].(*Set); ok {
		return m.arena.array(elems), true
	}
	elems = append(m.arena.room(len(elems)), elems...)
	slices.SortFunc(elems, Compare) // as OPA does: 1 and 1.0 come out in the same order
	return m.arena.array(elems), true
}

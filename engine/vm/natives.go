package vm

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
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
	"concat":                    concat,
	"contains":                  onTexts(strings.Contains),
	"count":                     count,
	"endswith":                  onTexts(strings.HasSuffix),
	"equal":                     func(_ *machine, args []Value) (Value, bool) { return Bool(Equal(args[0], args[1])), true },
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

func intersect(_ *machine, args []Value) (Value, bool) {
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
	out := NewSet(len(a.keys))
	for _, v := range a.keys {
		if b.Has(v) {
			out.push(v)
		}
	}
	out.settled = a.settled
	return out, true
}

func unite(_ *machine, args []Value) (Value, bool) {
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
	out := NewSet(len(a.keys) + len(b.keys))
	out.keys = append(out.keys, a.keys...)
	for _, v := range b.keys {
		out.Add(v)
	}
	return out, true
}

func unionOf(_ *machine, args []Value) (Value, bool) {
	sets, ok := args[0].(*Set)
	if !ok {
		return nil, false
	}
	out := NewSet(0)
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

func minus(_ *machine, args []Value) (Value, bool) {
	if a, ok := args[0].(*Set); ok {
		b, ok := args[1].(*Set)
		if !ok {
			return nil, false
		}
		if len(a.keys) == 0 || len(b.keys) == 0 {
			return a, true
		}
		out := NewSet(len(a.keys))
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

func sorted(_ *machine, args []Value) (Value, bool) {
	elems, ok := elements(args[0])
	if !ok {
		return nil, false
	}
	if _, ok := args[0].(*Set); ok {
		return &Array{elems}, true
	}
	elems = slices.Clone(elems)
	slices.SortFunc(elems, Compare) // as OPA does: 1 and 1.0 come out in the same order
	return &Array{elems}, true
}

func arrayConcat(_ *machine, args []Value) (Value, bool) {
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
	return &Array{slices.Concat(a.elems, b.elems)}, true
}

func arrayFlatten(_ *machine, args []Value) (Value, bool) {
	a, ok := args[0].(*Array)
	if !ok {
		return nil, false
	}
	out := make([]Value, 0, len(a.elems))
	for _, v := range a.elems {
		if inner, ok := v.(*Array); ok {
			out = append(out, inner.elems...)
		} else {
			out = append(out, v)
		}
	}
	return &Array{out}, true
}

func arrayReverse(_ *machine, args []Value) (Value, bool) {
	a, ok := args[0].(*Array)
	if !ok {
		return nil, false
	}
	out := slices.Clone(a.elems)
	slices.Reverse(out)
	return &Array{out}, true
}

func arraySlice(_ *machine, args []Value) (Value, bool) {
	a, ok1 := args[0].(*Array)
	start, ok2 := args[1].(Int)
	stop, ok3 := args[2].(Int)
	if !ok1 || !ok2 || !ok3 {
		return nil, false
	}
	stop = min(max(stop, 0), Int(len(a.elems)))
	start = min(max(start, 0), stop)
	return &Array{a.elems[start:stop:stop]}, true
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

func objectKeys(_ *machine, args []Value) (Value, bool) {
	o, ok := args[0].(*Object)
	if !ok {
		return nil, false
	}
	out := NewSet(len(o.keys))
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

func objectPick(args []Value, keep bool) (Value, bool) {
	o, ok := args[0].(*Object)
	if !ok {
		return nil, false
	}
	has, ok := keysOf(args[1])
	if !ok {
		return nil, false
	}
	out := NewObject(len(o.keys))
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
func objectFilter(_ *machine, args []Value) (Value, bool) {
	o, ok := args[0].(*Object)
	if !ok {
		return nil, false
	}
	wanted, ok := elements(args[1])
	if !ok || len(wanted) > 2*len(o.keys) || len(o.keys) > 64 {
		return objectPick(args, true)
	}
	out := NewObject(min(len(wanted), len(o.keys)))
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

func objectRemove(_ *machine, args []Value) (Value, bool) { return objectPick(args, false) }

func objectUnion(_ *machine, args []Value) (Value, bool) {
	a, ok1 := args[0].(*Object)
	b, ok2 := args[1].(*Object)
	if !ok1 || !ok2 {
		return nil, false
	}
	if Equal(a, b) { // 1 and 1.0 are: the numbers stay as a writes them
		return a, true
	}
	return overwrite(a, b, false), true
}

func objectUnionN(_ *machine, args []Value) (Value, bool) {
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
	out := NewObject(room)
	for _, v := range list.elems {
		overlay(out, v.(*Object), true)
	}
	return out, true
}

// overwrite joins two objects. b has the last word, but objects that both hold under one key are joined likewise. Equal
// keys that are written differently, such as 1 and 1.0, stay as a writes them, or become what b writes.
func overwrite(a, b *Object, respell bool) *Object {
	switch {
	case len(a.keys) == 0:
		return b
	case len(b.keys) == 0:
		return a
	}
	out := NewObject(len(a.keys) + len(b.keys))
	overlay(out, a, respell)
	overlay(out, b, respell)
	return out
}

// overlay puts the members of b into a new object.
func overlay(out, b *Object, respell bool) {
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
			v = overwrite(x, y, respell)
		}
		out.vals[at] = v
		if respell {
			out.keys[at] = key
		}
	}
}

func onTexts(f func(a, b string) bool) native {
	return func(_ *machine, args []Value) (Value, bool) {
		a, ok1 := args[0].(String)
		b, ok2 := args[1].(String)
		if !ok1 || !ok2 {
			return nil, false
		}
		return Bool(f(string(a), string(b))), true
	}
}

func onText(f func(a, b string) string) native {
	return func(_ *machine, args []Value) (Value, bool) {
		a, ok1 := args[0].(String)
		b, ok2 := args[1].(String)
		if !ok1 || !ok2 {
			return nil, false
		}
		return String(f(string(a), string(b))), true
	}
}

func concat(_ *machine, args []Value) (Value, bool) {
	sep, ok := args[0].(String)
	if !ok {
		return nil, false
	}
	elems, ok := elements(args[1])
	if !ok {
		return nil, false
	}
	texts := make([]string, len(elems))
	for i, v := range elems {
		s, ok := v.(String)
		if !ok {
			return nil, false
		}
		texts[i] = string(s)
	}
	return String(strings.Join(texts, string(sep))), true
}

func formatInt(_ *machine, args []Value) (Value, bool) {
	n, ok := args[0].(Int)
	if !ok || args[1] != Int(10) {
		return nil, false
	}
	return String(strconv.FormatInt(int64(n), 10)), true
}

func lower(_ *machine, args []Value) (Value, bool) {
	s, ok := args[0].(String)
	return String(strings.ToLower(string(s))), ok
}

func upper(_ *machine, args []Value) (Value, bool) {
	s, ok := args[0].(String)
	return String(strings.ToUpper(string(s))), ok
}

func trimSpace(_ *machine, args []Value) (Value, bool) {
	s, ok := args[0].(String)
	return String(strings.TrimSpace(string(s))), ok
}

func replace(_ *machine, args []Value) (Value, bool) {
	s, ok1 := args[0].(String)
	old, ok2 := args[1].(String)
	with, ok3 := args[2].(String)
	return String(strings.ReplaceAll(string(s), string(old), string(with))), ok1 && ok2 && ok3 && old != ""
}

func split(_ *machine, args []Value) (Value, bool) {
	s, ok1 := args[0].(String)
	sep, ok2 := args[1].(String)
	if !ok1 || !ok2 || sep == "" {
		return nil, false
	}
	parts := strings.Split(string(s), string(sep))
	elems := make([]Value, len(parts))
	for i, part := range parts {
		elems[i] = String(part)
	}
	return &Array{elems}, true
}

// substring leaves texts with more than ASCII to OPA.
func substring(_ *machine, args []Value) (Value, bool) {
	s, ok1 := args[0].(String)
	start, ok2 := args[1].(Int)
	n, ok3 := args[2].(Int)
	if !ok1 || !ok2 || !ok3 || start < 0 {
		return nil, false
	}
	if !ascii(string(s)) {
		return nil, false
	}
	start = min(start, Int(len(s)))
	if n < 0 || n > Int(len(s))-start {
		return s[start:], true
	}
	return s[start : start+n], true
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func indexOf(_ *machine, args []Value) (Value, bool) {
	s, ok1 := args[0].(String)
	part, ok2 := args[1].(String)
	if !ok1 || !ok2 || part == "" || !ascii(string(s)) || !ascii(string(part)) {
		return nil, false
	}
	return Int(strings.Index(string(s), string(part))), true
}

// format leaves numbers that are no int64 and collections to OPA, which has its own way to write them.
func format(_ *machine, args []Value) (Value, bool) {
	s, ok1 := args[0].(String)
	list, ok2 := args[1].(*Array)
	if !ok1 || !ok2 {
		return nil, false
	}
	out := make([]any, len(list.elems))
	for i, v := range list.elems {
		switch v := v.(type) {
		case Int:
			out[i] = int64(v)
		case String:
			out[i] = string(v)
		case Bool:
			out[i] = strconv.FormatBool(bool(v))
		default:
			return nil, false
		}
	}
	return String(fmt.Sprintf(string(s), out...)), true
}

// timeFormat writes an instant in UTC with a layout of its own. Zones and layouts with a name are OPA's.
func timeFormat(_ *machine, args []Value) (Value, bool) {
	given, ok := args[0].(*Array)
	if !ok || len(given.elems) != 3 {
		return nil, false
	}
	ns, ok := given.elems[0].(Int)
	layout, isText := given.elems[2].(String)
	if !ok || !isText || given.elems[1] != String("UTC") || !strings.Contains(string(layout), "2006") {
		return nil, false
	}
	return String(time.Unix(0, int64(ns)).UTC().Format(string(layout))), true
}

func digest(_ *machine, args []Value) (Value, bool) {
	s, ok := args[0].(String)
	if !ok {
		return nil, false
	}
	sum := sha256.Sum256([]byte(s))
	return String(hex.EncodeToString(sum[:])), true
}

// replaceN keeps what it prepares for the patterns that a program holds.
func replaceN(m *machine, args []Value) (Value, bool) {
	patterns, ok1 := args[0].(*Object)
	s, ok2 := args[1].(String)
	if !ok1 || !ok2 {
		return nil, false
	}
	if len(patterns.keys) == 0 {
		return s, true
	}
	if r, ok := m.p.replacers.Load(patterns); ok {
		return String(r.(*strings.Replacer).Replace(string(s))), true
	}
	patterns.settle()
	pairs := make([]string, 0, 2*len(patterns.keys))
	for i, key := range patterns.keys {
		old, ok1 := key.(String)
		with, ok2 := patterns.vals[i].(String)
		if !ok1 || !ok2 {
			return nil, false
		}
		pairs = append(pairs, string(old), string(with))
	}
	r := strings.NewReplacer(pairs...)
	if patterns.fixed && m.p.prepared.Add(1) <= maxPatterns {
		m.p.replacers.Store(patterns, r)
	}
	return String(r.Replace(string(s))), true
}

func regexMatch(m *machine, args []Value) (Value, bool) {
	re, s, ok := m.regexp(args)
	if !ok {
		return nil, false
	}
	return Bool(re.MatchString(s)), true
}

func regexFind(m *machine, args []Value) (Value, bool) {
	re, s, ok := m.regexp(args)
	n, isInt := args[2].(Int)
	if !ok || !isInt {
		return nil, false
	}
	if re.beyondASCII && ascii(s) {
		return emptyArray, true
	}
	found := re.FindAllString(s, int(n))
	elems := make([]Value, len(found))
	for i, text := range found {
		elems[i] = String(text)
	}
	return &Array{elems}, true
}

// maxPatterns is how many regular expressions and how many replacers a program keeps. Rules have few; more come only from
// the input.
const maxPatterns = 256

// pattern is a compiled regular expression.
type pattern struct {
	*regexp.Regexp
	beyondASCII bool // matches single characters outside of ASCII and nothing else
}

// compile reads a regular expression.
func compile(text string) (*pattern, error) {
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	out := &pattern{Regexp: re}
	if tree, err := syntax.Parse(text, syntax.Perl); err == nil && tree.Op == syntax.OpCharClass && len(tree.Rune) > 0 {
		out.beyondASCII = tree.Rune[0] >= utf8.RuneSelf // the ranges of a class are in order
	}
	return out, nil
}

func (m *machine) regexp(args []Value) (*pattern, string, bool) {
	text, ok1 := args[0].(String)
	s, ok2 := args[1].(String)
	if !ok1 || !ok2 {
		return nil, "", false
	}
	if re, ok := m.p.patterns.Load(text); ok {
		return re.(*pattern), string(s), true
	}
	re, err := compile(string(text))
	if err != nil {
		return nil, "", false
	}
	if m.p.kept.Add(1) <= maxPatterns {
		m.p.patterns.Store(text, re)
	}
	return re, string(s), true
}

// marshal writes JSON with a line for each member and no indentation, as json.MarshalIndent does. It leaves every other
// form to OPA.
func marshal(_ *machine, args []Value) (Value, bool) {
	options, ok := args[1].(*Object)
	if !ok || len(options.keys) != 2 || options.Get(String("pretty")) != Bool(true) || options.Get(String("indent")) != String("") {
		return nil, false
	}
	out, ok := appendLines(nil, args[0])
	return String(out), ok
}

func appendLines(out []byte, v Value) ([]byte, bool) {
	ok := true
	switch v := v.(type) {
	case Null:
		return append(out, "null"...), true
	case Bool:
		return strconv.AppendBool(out, bool(v)), true
	case Int:
		return strconv.AppendInt(out, int64(v), 10), true
	case String:
		if plain(string(v)) {
			return append(append(append(out, '"'), v...), '"'), true
		}
		text, err := json.Marshal(string(v))
		return append(out, text...), err == nil
	case *Object:
		v.settle()
		if len(v.keys) == 0 {
			return append(out, "{}"...), true
		}
		for i, key := range v.keys {
			if _, text := key.(String); !text {
				return nil, false
			}
			out = append(out, separator("{\n", ",\n", i)...)
			if out, ok = appendLines(out, key); !ok {
				return nil, false
			}
			out = append(out, ": "...)
			if out, ok = appendLines(out, v.vals[i]); !ok {
				return nil, false
			}
		}
		return append(out, "\n}"...), true
	default:
		elems, ok := elements(v)
		if !ok {
			return nil, false
		}
		if len(elems) == 0 {
			return append(out, "[]"...), true
		}
		for i, elem := range elems {
			out = append(out, separator("[\n", ",\n", i)...)
			if out, ok = appendLines(out, elem); !ok {
				return nil, false
			}
		}
		return append(out, "\n]"...), true
	}
}

// plain says that JSON writes a text as it is.
func plain(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c < 0x20, c >= utf8.RuneSelf, c == '"', c == '\\', c == '<', c == '>', c == '&':
			return false
		}
	}
	return true
}

func separator(first, later string, i int) string {
	if i == 0 {
		return first
	}
	return later
}

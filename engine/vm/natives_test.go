package vm

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var (
	flat       = arrays(few, 0, 20)
	flatSet    = sets(few, 0, 20)
	list       = many(arrays(anything, 0, 6), flat, sets(anything, 0, 6), flatSet)
	setOf      = many(sets(values(1), 0, 5), flatSet, sets(keys, 11, 30))
	objectOf   = many(objects(keys, values(1), 0, 6), objects(keys, few, 11, 30), nested(2))
	plainTexts = mostly(words, anyText)
	patterns   = texts("a", "a+", "[a-c]*", "^x", "b$", "", "(a)(b)", "[^\\x00-\\x7F]", "\\x{e9}", "é", "(?i)k", "[\u212a\u00df]", "(?i)[\u017f]", "[\ufffd]", ".")
	places     = mostly(rapid.Map(rapid.Int64Range(-2, 9), func(i int64) Value { return Int(i) }), numbers)
	picked     = many(arrays(keys, 0, 5), sets(keys, 0, 5), arrays(keys, 11, 40), sets(keys, 11, 30), objects(keys, few, 0, 5), objects(keys, few, 11, 30))
	pair       = []drawer{values(1), values(1)}
)

// accepted says for each native what to draw so that it mostly accepts: a list for each argument.
var accepted = map[string][]drawer{
	"and":                       {setOf, setOf},
	"bits.lsh":                  {rapid.Map(rapid.Int64Range(0, 1<<32), func(i int64) Value { return Int(i) }), many(small64, rapid.Map(rapid.Int64Range(0, 33), func(i int64) Value { return Int(i) }))},
	"crypto.sha256":             {anyText},
	"indexof":                   {plainTexts, mostly(texts("a", "b", "ab", ",", "zz"), anyText)},
	"json.marshal_with_options": {many(arrays(plainJSON(2), 0, 4), plainJSON(3)), mostly(just(MustParse(`{"pretty": true, "indent": ""}`)), just(MustParse(`{"pretty": true, "indent": "", "prefix": "x"}`), MustParse(`{"pretty": false, "indent": ""}`), MustParse(`{}`), MustParse(`{"pretty": true, "indent": "\t"}`)))},
	"regex.find_n":              {patterns, plainTexts, places},
	"regex.match":               {patterns, plainTexts},
	"rem":                       {ints, ints},
	"sprintf": {mostly(texts("", "x", "%s", "%d", "%v %v", "%s-%d", "%5d|%-5s|%q", "%%", "%s %s %s", "%x", "%t", "%[2]s %[1]v", "%!", "%", "%05.2f", "%T", "%U", "%c", "%+v", "%#v"), anyText),
		mostly(arrays(many(small64, ints, words, just(Bool(true), Bool(false)), anyText), 0, 4), arrays(anything, 0, 4))},
	"strings.replace_n": {mostly(objects(texts("a", "b", "ab", "", "é", "aa"), anyText, 0, 5), objects(keys, few, 0, 3)), anyText},
	"trim":              {anyText, mostly(texts("a", "ab", " ", "é", ""), anyText)},
	"upper":             {anyText},
	"array.concat":      {arrays(anything, 0, 4), arrays(anything, 0, 4)},
	"array.flatten":     {arrays(many(arrays(few, 0, 3), arrays(arrays(few, 0, 2), 0, 2), few), 0, 5)},
	"array.reverse":     {arrays(anything, 0, 5)},
	"array.slice":       {arrays(few, 0, 6), places, places},
	"ceil":              {mostly(ints, numbers)},
	"concat":            {anyText, many(arrays(anyText, 0, 5), sets(anyText, 0, 5))},
	"contains":          {anyText, plainTexts},
	"count":             {many(list, objectOf, anyText)},
	"div":               {mostly(rapid.Map(rapid.Int64Range(-50, 50), func(i int64) Value { return Int(60 * i) }), ints), mostly(just(Int(1), Int(2), Int(3), Int(-4), Int(5), Int(60)), ints)},
	"endswith":          {anyText, plainTexts},
	"equal":             pair,
	"floor":             {mostly(ints, numbers)},
	"format_int":        {ints, mostly(just(Int(10)), just(Int(2), Int(8), Int(16), Int(7), Number("10.0")))},
	"gt":                pair,
	"gte":               pair,
	"internal.member_2": {few, many(flat, flatSet, objects(keys, few, 0, 20), few)},
	"internal.member_3": {few, few, many(flat, flatSet, objects(few, few, 0, 20), few)},
	"is_array":          {anything},
	"is_boolean":        {anything},
	"is_null":           {anything},
	"is_number":         {anything},
	"is_object":         {anything},
	"is_set":            {anything},
	"is_string":         {anything},
	"lower":             {anyText},
	"lt":                pair,
	"lte":               pair,
	"max":               {list},
	"min":               {list},
	"minus":             nil, // drawn below: two numbers or two sets
	"mul":               {small64, small64},
	"neq":               pair,
	"object.filter":     {objectOf, picked},
	"object.get":        {objectOf, many(keys, few, arrays(mostly(keys, small64), 0, 3)), few},
	"object.keys":       {objectOf},
	"object.remove":     {objectOf, picked},
	"object.union":      {many(nested(3), objectOf), many(nested(3), objectOf)},
	"object.union_n":    {arrays(nested(3), 0, 5)},
	"or":                {setOf, setOf},
	"plus":              {ints, ints},
	"replace":           {anyText, mostly(words, anyText), anyText},
	"round":             {mostly(ints, numbers)},
	"sort":              {list},
	"split":             {anyText, mostly(many(words, just(String(""))), anyText)},
	"startswith":        {anyText, plainTexts},
	"substring":         {mostly(words, anyText), mostly(rapid.Map(rapid.Int64Range(0, 9), func(i int64) Value { return Int(i) }), numbers), places},
	"sum":               {many(arrays(small64, 0, 20), sets(small64, 0, 20), arrays(ints, 0, 3))},
	"time.format": {rapid.Custom(func(t *rapid.T) Value {
		zone := mostly(just(String("UTC")), just(String(""), String("Local"), String("Europe/Berlin"), Null{}))
		layout := mostly(texts("2006-01-02T15:04:05", "2006-01-02T15:04:05.000000-07:00", "2006", "é2006 Monday MST"), many(texts("RFC3339", "", "Jan"), anyText))
		return NewArray(ints.Draw(t, "instant"), zone.Draw(t, "zone"), layout.Draw(t, "layout"))
	})},
	"trim_prefix": {anyText, plainTexts},
	"trim_space":  {anyText},
	"trim_suffix": {anyText, plainTexts},
	"union":       {sets(setOf, 0, 4)},
}

// plainJSON are values that JSON can hold.
func plainJSON(depth int) drawer {
	if depth == 0 {
		return mostly(many(anyText, ints, just(Null{}, Bool(true), Bool(false))), scalars)
	}
	inner := plainJSON(depth - 1)
	return many(arrays(inner, 0, 3), objects(mostly(anyText, letters), inner, 0, 3), objects(letters, inner, 12, 20), sets(inner, 0, 2))
}

// arguments draws for a native what it mostly accepts, and one time in eight any values at all.
func arguments(t *rapid.T, name string) (args []Value, typed bool) {
	kinds := accepted[name]
	if name == "minus" {
		kinds = rapid.SampledFrom([][]drawer{{ints, ints}, {setOf, setOf}}).Draw(t, "kinds")
	}
	typed = rapid.IntRange(0, 7).Draw(t, "typed") != 0
	args = make([]Value, len(kinds))
	for i, kind := range kinds {
		if !typed && rapid.Bool().Draw(t, "any") {
			kind = anything
		}
		args[i] = kind.Draw(t, fmt.Sprintf("argument %d", i))
	}
	return args, typed
}

// hold asks a native and OPA's builtin and says whether the native accepted.
func hold(t require.TestingT, m *machine, name string, general builtin, args []Value) bool {
	before := make([]string, len(args))
	given := make([]Value, len(args))
	for i, arg := range args {
		given[i] = clone(arg)
		before[i] = show(arg)
	}
	got, ok := natives[name](m, slices.Clone(args))
	for i, arg := range args {
		require.Equal(t, before[i], show(arg), "%s changes its argument %d", name, i)
	}
	if !ok {
		return false
	}
	want, err := general(m, given)
	require.NoError(t, err, "%s(%s) = %s", name, strings.Join(before, ", "), show(got))
	require.Equal(t, show(want), show(got), "%s(%s)", name, strings.Join(before, ", "))
	return true
}

func freshMachine() *machine { return (&Program{}).machine(context.Background()) }

// TestNativesGiveWhatOPAGives draws arguments for every native. What a native declines is OPA's by construction.
func TestNativesGiveWhatOPAGives(t *testing.T) {
	for _, name := range names() {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, accepted, name, "say what it accepts")
			general, err := foreign(name)
			require.NoError(t, err)
			m := freshMachine()
			typed, taken := 0, 0
			rapid.Check(t, func(t *rapid.T) {
				args, fit := arguments(t, name)
				ok := hold(t, m, name, general, args)
				if fit {
					typed++
					if ok {
						taken++
					}
				}
			})
			assert.Greater(t, 2*taken, typed, "%d of %d accepted", taken, typed)
		})
	}
}

// corners are calls that draws rarely come by, as arguments in the policy language.
var corners = map[string][]string{
	"and":               {`[{1, 2}, {1.0, 2.0, 3}]`, `[{1.0, 2.0, 3}, {1, 2}]`, `[set(), {1}]`},
	"array.flatten":     {`[[[[1]], {[2]}, 3, [], null]]`, `[[]]`},
	"array.slice":       {`[[1, 2, 3], 2, 1]`, `[[1, 2, 3], -9223372036854775808, 9223372036854775807]`, `[[1], 0.0, 1]`},
	"bits.lsh":          {`[2147483647, 31]`, `[2147483648, 31]`, `[1, 64]`, `[-1, 2]`, `[1, -1]`, `[0, 0]`},
	"concat":            {`[",", set()]`, `["", ["a"]]`, `[",", {"b", "a"}]`, `[",", ["a", 1]]`},
	"count":             {`["日本"]`, `[{}]`, `[null]`, `["\ufffd"]`},
	"div":               {`[144000, 100]`, `[7, 2]`, `[1, 0]`, `[-9223372036854775808, -1]`, `[9007199254740993, 3]`},
	"format_int":        {`[-9223372036854775808, 10]`, `[1.5, 10]`, `[-0, 10]`, `[1e2, 10]`},
	"indexof":           {`["aé", "é"]`, `["", ""]`, `["abc", "c"]`, `["a", "abc"]`},
	"internal.member_3": {`[0, 1, [1.0]]`, `[0.0, 1, [1]]`, `[1, 1.0, {1}]`, `["a", null, {"a": null}]`, `[1, "x", "x"]`},
	"minus":             {`[9223372036854775807, -1]`, `[-9223372036854775808, 1]`, `[0, -9223372036854775808]`, `[-1, -9223372036854775808]`, `[{1, 2}, {1.0}]`, `[1, 1]`},
	"mul":               {`[2147483648, 2147483648]`, `[-2147483648, -2147483648]`, `[4294967296, 4294967296]`, `[-1, 0]`},
	"object.filter":     {`[{1: 2}, [1.0]]`, `[{1: 2, "a": 3}, {1.0: 0}]`, `[{"a": 1, "b": 2}, ["a", "a", "a"]]`, `[{"a": 1}, "a"]`},
	"object.get":        {`[{"a": [5]}, ["a", 0], 1]`, `[{"a": [5]}, ["a", 0.0], 1]`, `[{"a": {5}}, ["a", 5.0], 1]`, `[{}, [], 1]`, `[{"a": null}, "a", 1]`, `[{[]: 1}, [[]], 2]`, `[{"a": "b"}, ["a", "b"], 2]`},
	"object.union":      {`[{"a": 1}, {"a": 1.0}]`, `[{"a": {"b": 1}}, {"a": {}}]`, `[{1: {"x": 1}}, {1.0: {"y": 1}}]`, `[{"a": {}}, {"a": []}]`, `[{}, {}]`},
	"object.union_n":    {`[[]]`, `[[{"a": 1}]]`, `[[{"a": {"b": 2}}, {"a": 4}, {"a": {"c": 3}}]]`, `[[{1: 1}, {1.0: 1.0}]]`, `[[{}, {}]]`, `[[{"a": 1}, []]]`, `[[{"a": {"b": {"c": 1}}}, {}, {"a": {"b": {"d": 2}}}]]`},
	"or":                {`[{1}, {1.0}]`, `[set(), {1.0}]`, `[{1, 2}, [1]]`},
	"plus":              {`[9223372036854775807, 1]`, `[-9223372036854775808, -1]`, `[9223372036854775807, 0]`, `[-0, 0]`, `[1, 1.0]`},
	"regex.find_n":      {`["a*", "baab", -1]`, `["a", "aaa", 0]`, `["a", "aaa", 2]`, `["[^\\x00-\\x7f]", "abc", -1]`, `["(", "a", 1]`, `["[é]", "aé", -1]`},
	"rem":               {`[-7, 3]`, `[7, -3]`, `[1, 0]`, `[-9223372036854775808, -1]`, `[7.5, 2]`},
	"replace":           {`["abc", "", "-"]`, `["aaa", "aa", "b"]`},
	"sort":              {`[{3, 1, "a", null}]`, `[[2, 1.0, 1, "1", null, [], {}, set(), true, false]]`, `[set()]`},
	"split":             {`["", ","]`, `["a", ""]`, `[",a,", ","]`},
	"sprintf":           {`["%d", [1.0]]`, `["%d", [1e2]]`, `["%s", [1]]`, `["%d", ["a"]]`, `["%s %s", ["a"]]`, `["%s", ["a", "b"]]`, `["%v", [[1, {"a": set()}]]]`, `["%s", [null]]`, `["%5.1f", [1]]`, `["%x", ["é"]]`},
	"strings.replace_n": {`[{"a": "b", "ab": "c", "": "-"}, "abab"]`, `[{}, "a"]`, `[{"a": 1}, "a"]`, `[{1: "a"}, "1"]`},
	"substring":         {`["abc", 3, -1]`, `["abc", 4, 1]`, `["abc", 0, 9223372036854775807]`, `["abc", -1, 1]`, `["日本", 1, 1]`, `["", 0, 0]`},
	"sum":               {`[[]]`, `[[9223372036854775807, 1]]`, `[{1, 2}]`, `[[1, 1.0]]`, `[[1, "a"]]`, `[{"a": 1}]`},
	"max":               {`[[1, 1.0]]`, `[[1.0, 1]]`, `[[]]`, `[set()]`, `[{"a": 1}]`},
	"min":               {`[[1, 1.0]]`, `[[1.0, 1]]`, `[[]]`},
	"time.format":       {`[[0, "UTC", "2006"]]`, `[[0, "UTC", "RFC3339"]]`, `[[0.5, "UTC", "2006"]]`, `[[-9223372036854775808, "UTC", "2006-01-02T15:04:05.000000-07:00"]]`, `[1]`, `[[]]`},
	"trim_space":        {`["\u00a0\u2003 a\u0085"]`},
	"union":             {`[set()]`, `[{set()}]`, `[{{1}, {1.0, 2}}]`, `[{1}]`},
}

// TestCorners allows a native to decline: OPA's builtin gives the answer or the error then.
func TestCorners(t *testing.T) {
	for name, calls := range corners {
		general, err := foreign(name)
		require.NoError(t, err)
		for _, call := range calls {
			args := ast.MustParseTerm(call).Value
			list, err := FromAST(args)
			require.NoError(t, err)
			want, wantErr := general(freshMachine(), list.(*Array).elems)
			got, ok := natives[name](freshMachine(), list.(*Array).elems)
			if ok {
				assert.NoError(t, wantErr, "%s(%s)", name, call)
				assert.Equal(t, show(want), show(got), "%s(%s)", name, call)
			}
		}
	}
}

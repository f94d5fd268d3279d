package vm

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/bundle"
	builder "github.com/open-policy-agent/opa/v1/compile"
	"github.com/open-policy-agent/opa/v1/ir"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// example has a statement of nearly every kind.
const example = `package example

import data.settings

default total := 0

total := sum([x | some x in input.list; x > settings.least])

names contains name if some name, _ in input.by_name

members := {x | some x in input.list} | {1, 2.5, "s", null}

by_key[key] := value if some key, value in input.by_name

twice(x) := x * 2 if x != "none"

twice("none") := null

first := [x | some x in input.list; x in {3, 4}][0]

mocked := x if x := total with input.list as [100]

wide := object.union(settings.wide, input.by_name)

found := [w | some name in sort(names); w := settings.wide[name]]

replaced := strings.replace_n(settings.texts, concat(",", sort(names)))

matched contains name if {
	some name in names
	regex.match("^[a-m]", name)
}

fixed := {key: count(key) | some key, _ in settings.wide}

answer := {
	"total": total, "names": names, "members": members, "by_key": by_key, "twice": [twice(x) | some x in input.list], "none": twice("none"),
	"first": first, "mocked": mocked, "wide": wide, "found": found, "replaced": replaced, "matched": matched, "fixed": fixed,
	"every": [i | some i, x in input.list; every y in input.list { y >= x }],
}
`

var exampleData = `{"settings": {"least": 1, "texts": {"a": "A", "b": "BB"}, "wide": {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "g": 7,
	"h": 8, "i": 9, "j": 10, "k": 11, "l": 12, "m": 13, "n": 14, "o": 15}}}`

const exampleInput = `{"list": [1, 2, 3, 3.0, 4], "by_name": {"a": {"x": 1}, "m": 2, "z": [], "b": null}}`

func assembled(t testing.TB) *Program {
	t.Helper()
	module, err := ast.ParseModuleWithOpts("example.rego", example, ast.ParserOptions{RegoVersion: ast.RegoV1})
	require.NoError(t, err)
	source := &bundle.Bundle{Data: map[string]any{}}
	source.Manifest.Init()
	source.Modules = []bundle.ModuleFile{{URL: "example.rego", Path: "example.rego", Raw: []byte(example), Parsed: module}}
	build := builder.New().WithTarget(builder.TargetPlan).WithEntrypoints("example/answer").WithBundle(source).WithOutput(io.Discard).
		WithRegoVersion(ast.RegoV1)
	require.NoError(t, build.Build(context.Background()))
	var plan ir.Policy
	require.NoError(t, json.Unmarshal(build.Bundle().PlanModules[0].Raw, &plan))
	p, err := Assemble(&plan, MustParse(exampleData))
	require.NoError(t, err)
	return p
}

// TestManyShareAProgram has eight goroutines evaluate a program that none has run before, on one input.
func TestManyShareAProgram(t *testing.T) {
	first := assembled(t)
	text, err := first.MarshalBinary()
	require.NoError(t, err)
	input := MustParse(exampleInput)
	Settle(input)
	value, err := first.Eval(context.Background(), "example/answer", input)
	require.NoError(t, err)
	require.NotNil(t, value)
	want := string(AppendJSON(nil, value))

	for range 5 {
		shared, err := Read(string(text), MustParse(exampleData))
		require.NoError(t, err)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 20 {
					got, err := shared.Eval(context.Background(), "example/answer", input)
					if assert.NoError(t, err) {
						assert.Equal(t, want, string(AppendJSON(nil, got)))
					}
				}
			})
		}
		wg.Wait()
	}
}

func TestReadRefusesWhatTakesMoreThanItsBytes(t *testing.T) {
	deep := strings.Repeat(string([]byte{tagArray, 1}), 1<<20)
	_, _, err := ReadValue(deep)
	require.ErrorContains(t, err, errDeep.Error())

	wide := strings.Repeat(string([]byte{tagArray, 0x80, 0x80, 0x02}), 1<<14)
	_, _, err = ReadValue(wide)
	require.ErrorContains(t, err, errShort.Error())
}

func FuzzReadValue(f *testing.F) {
	for _, text := range []string{`null`, `[1, 2.5, "x", true, false, {"a": [], "b": -9223372036854775808}]`, exampleInput, exampleData} {
		v := MustParse(text)
		Settle(v)
		f.Add(AppendValue(nil, v))
	}
	f.Add([]byte{tagSet, 2, tagInt, 2, tagNumber, 3, '2', '.', '5'})
	f.Add([]byte{tagArray, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Add([]byte(strings.Repeat(string([]byte{tagArray, 1}), 100)))
	f.Fuzz(func(t *testing.T, text []byte) {
		v, rest, err := ReadValue(string(text))
		if err != nil {
			return
		}
		require.True(t, strings.HasSuffix(string(text), rest))
		again, rest, err := ReadValue(string(AppendValue(nil, v)))
		require.NoError(t, err)
		require.Empty(t, rest)
		require.Equal(t, AppendValue(nil, v), AppendValue(nil, again))
	})
}

func FuzzRead(f *testing.F) {
	text, err := assembled(f).MarshalBinary()
	require.NoError(f, err)
	f.Add(text)
	f.Add(text[:len(text)/2])
	f.Add(make([]byte, 8))
	f.Add([]byte{})
	data := MustParse(exampleData)
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := Read(string(text), data)
		if err != nil {
			return
		}
		p.Entrypoints()
		written, err := p.MarshalBinary()
		require.NoError(t, err)
		_, err = Read(string(written), data)
		require.NoError(t, err)
	})
}

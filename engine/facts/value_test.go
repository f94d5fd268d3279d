package facts_test

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/vm"
)

func TestSchemaFileIsCurrent(t *testing.T) {
	want, err := facts.Schema()
	require.NoError(t, err)
	got, err := os.ReadFile("../../schemas/facts/input.json")
	require.NoError(t, err)
	assert.True(t, bytes.Equal(want, got), "schemas/facts/input.json is out of date: run go generate ./engine/facts")
}

// viaJSON is the slow conversion that Value replaces.
func viaJSON(t require.TestingT, in *facts.Input) vm.Value {
	text, err := json.Marshal(in)
	require.NoError(t, err)
	value, err := vm.FromJSON(text)
	require.NoError(t, err)
	return value
}

// draw fills a value of any type of the input document at random; about half of what may be absent is.
func draw(t *rapid.T, v reflect.Value) {
	absent := func() bool { return rapid.IntRange(0, 2).Draw(t, "absent") == 0 }
	switch v.Kind() {
	case reflect.Pointer:
		if !absent() {
			v.Set(reflect.New(v.Type().Elem()))
			draw(t, v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			draw(t, v.Field(i))
		}
	case reflect.Slice:
		if n := rapid.IntRange(0, 2).Draw(t, "length"); n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				if item := v.Index(i); item.Kind() == reflect.Pointer {
					item.Set(reflect.New(item.Type().Elem()))
					draw(t, item.Elem())
				} else {
					draw(t, item)
				}
			}
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		if !absent() {
			item := reflect.New(v.Type().Elem()).Elem()
			draw(t, item)
			v.SetMapIndex(reflect.ValueOf(rapid.String().Draw(t, "key")), item)
		}
	case reflect.String:
		if !absent() {
			v.SetString(rapid.String().Draw(t, "text"))
		}
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	case reflect.Int, reflect.Int64:
		v.SetInt(rapid.Int64().Draw(t, "int"))
	case reflect.Float64:
		v.SetFloat(float64(rapid.IntRange(-300, 300).Draw(t, "hundredths")) / 100)
	case reflect.Interface:
		v.Set(reflect.ValueOf([]any{"text", true, nil, 1.5, map[string]any{"a": "b"}}))
	}
}

func TestValueEqualsJSONForm(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		in := &facts.Input{}
		draw(rt, reflect.ValueOf(in).Elem())
		in.Fill()

		got, err := facts.Value(in)
		require.NoError(rt, err)
		want := viaJSON(rt, in)
		require.Equal(rt, string(vm.AppendJSON(nil, want)), string(vm.AppendJSON(nil, got)))
		require.False(rt, strings.Contains(string(mustJSON(rt, in)), ":null"), "no null after Fill")
	})
}

func mustJSON(t require.TestingT, in *facts.Input) []byte {
	for i := range in.Peers { // peers are free-form
		in.Peers[i] = map[string]any{}
	}
	text, err := json.Marshal(in)
	require.NoError(t, err)
	return text
}

func TestValueReadsNilListsAsEmpty(t *testing.T) {
	bare, err := facts.Value(&facts.Input{})
	require.NoError(t, err)
	filled := &facts.Input{}
	filled.Fill()
	assert.True(t, vm.Equal(viaJSON(t, filled), bare))
}

func TestValueWithPeers(t *testing.T) {
	got, err := facts.ValueWithPeers(&facts.Input{}, vm.MustParse(`[{"goal_id": "g1"}]`))
	require.NoError(t, err)
	want := &facts.Input{Peers: []map[string]any{{"goal_id": "g1"}}}
	want.Fill()
	assert.True(t, vm.Equal(viaJSON(t, want), got))
}

func TestErrorNamesThePlaceFirst(t *testing.T) {
	for want, err := range map[string]*facts.Error{
		"registry.json:3: goals must be a list": {File: "registry.json", Line: 3, Message: "goals must be a list"},
		"registry.json: cannot be read: permission denied": facts.ReadError("registry.json",
			&os.PathError{Op: "open", Path: "elsewhere/registry.json", Err: os.ErrPermission}),
		"goal id is bad": {Message: "goal id is bad"},
	} {
		assert.Equal(t, want, err.Error())
	}
}

func sample(todos int) *facts.Input {
	in := &facts.Input{Now: "2026-11-30T12:00:00Z", NowNS: 1796040000000000000}
	yes := true
	for i := range todos {
		in.Todos = append(in.Todos, &facts.Todo{
			ID: "todo_" + strings.Repeat("a", i%12), ExplicitID: true, Role: "agent", Status: "open", Index: i, Line: 10 + i,
			Section: "Agent Todo", Text: "[P1] Write the parser of the second form", Title: "Write the parser of the second form",
			Priority: "P1", Rank: 1, TaskClass: "x", ActionKind: "implement", ClaimedBy: "codex-alpha",
			RequiredWriteScopes: []string{"src/**"}, RequiredCapabilities: []string{"shell"}, Gating: &yes,
		})
	}
	return in
}

func BenchmarkValue100Todos(b *testing.B) {
	in := sample(100)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := facts.Value(in); err != nil {
			b.Fatal(err)
		}
	}
}

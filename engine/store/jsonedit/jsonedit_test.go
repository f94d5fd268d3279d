package jsonedit

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/loopx-dev/loopx-policy/engine/facts/jsontree"
)

const file = `{
  "schema_version": "0.1",
  "n": 1.50,
  "goals": [
    {
      "id": "a",
      "quota": {"compute": 0.5},
      "text": "ü<&> \u2028",
      "empty": {},
      "list": []
    },
    {
      "id": "b"
    }
  ]
}
`

func goal(id string) Step {
	return func(root *jsontree.Node) *jsontree.Node {
		for _, item := range root.Get("goals").Items {
			if item.Str("id") == id {
				return item
			}
		}
		return nil
	}
}

func TestSetChangesOneValue(t *testing.T) {
	for name, c := range map[string]struct {
		goal     string
		path     string
		value    string
		from, to string
	}{
		"a number":        {"a", "quota.compute", "0.25", `{"compute": 0.5}`, `{"compute": 0.25}`},
		"into one line":   {"a", "quota.window_hours", "12", `{"compute": 0.5}`, `{"compute": 0.5, "window_hours": 12}`},
		"into nothing":    {"a", "empty.k", `"v"`, `"empty": {}`, "\"empty\": {\n        \"k\": \"v\"\n      }"},
		"a new key":       {"b", "status", `"x<ü"`, `"id": "b"`, "\"id\": \"b\",\n      \"status\": \"x<ü\""},
		"new objects":     {"b", "a.b.c", `true`, `"id": "b"`, "\"id\": \"b\",\n      \"a\": {\n        \"b\": {\n          \"c\": true\n        }\n      }"},
		"an object":       {"b", "id", `{"z":1,"a":[1,{}]}`, `"id": "b"`, "\"id\": {\n        \"z\": 1,\n        \"a\": [\n          1,\n          {}\n        ]\n      }"},
		"null for a list": {"a", "list", "null", `"list": []`, `"list": null`},
	} {
		after, err := Set([]byte(file), goal(c.goal), strings.Split(c.path, "."), json.RawMessage(c.value))
		require.NoError(t, err, name)
		assert.Equal(t, strings.Replace(file, c.from, c.to, 1), string(after), name)
	}
}

func TestUnsetTakesOneValueOut(t *testing.T) {
	for name, c := range map[string]struct{ path, from, to string }{
		"the first": {"id", "\n      \"id\": \"a\",", ""},
		"one":       {"empty", ",\n      \"empty\": {}", ""},
		"the last":  {"list", ",\n      \"list\": []", ""},
		"the only":  {"quota.compute", `{"compute": 0.5}`, "{}"},
		"missing":   {"nothing", "", ""},
		"far away":  {"x.y.z", "", ""},
	} {
		after, err := Unset([]byte(file), goal("a"), strings.Split(c.path, "."))
		require.NoError(t, err, name)
		assert.Equal(t, strings.Replace(file, c.from, c.to, 1), string(after), name)
	}
}

func TestItems(t *testing.T) {
	goals := func(text []byte) *jsontree.Node {
		root, err := jsontree.Parse(text)
		require.NoError(t, err)
		return root.Get("goals")
	}
	without := RemoveItem([]byte(file), goals([]byte(file)), 1)
	assert.Equal(t, strings.Replace(file, ",\n    {\n      \"id\": \"b\"\n    }", "", 1), string(without))
	back, err := AppendItem(without, goals(without), json.RawMessage(`{"id":"b"}`))
	require.NoError(t, err)
	assert.Equal(t, file, string(back))
}

func TestErrors(t *testing.T) {
	twice := []byte(`{"a": 1, "a": 2, "b": {"c": 1, "c": 2}}`)
	for _, path := range [][]string{{"a"}, {"b", "c"}} {
		_, err := Set(twice, nil, path, json.RawMessage("1"))
		assert.ErrorIs(t, err, ErrDuplicate)
		_, err = Unset(twice, nil, path)
		assert.ErrorIs(t, err, ErrDuplicate)
	}
	for _, c := range []struct {
		data, value string
		at          Step
		path        []string
	}{
		{`{`, `1`, nil, []string{"a"}}, {`{}`, `{`, nil, []string{"a"}}, {`{"a":1}`, `{`, nil, []string{"a"}},
		{`{}`, `1`, nil, nil}, {`{"a":1}`, `1`, nil, []string{"a", "b"}},
		{`{}`, `1`, func(*jsontree.Node) *jsontree.Node { return nil }, []string{"a"}},
	} {
		_, err := Set([]byte(c.data), c.at, c.path, json.RawMessage(c.value))
		assert.Error(t, err, c)
	}
	_, err := Unset([]byte(`{}`), nil, nil)
	assert.Error(t, err)
	_, err = Unset([]byte(`[`), nil, []string{"a"})
	assert.Error(t, err)
	_, err = Sort(json.RawMessage("{"), nil)
	assert.Error(t, err)
	_, err = Line(json.RawMessage("{"))
	assert.Error(t, err)
}

// value draws a JSON value without repeated keys.
func value(t *rapid.T, depth int) any {
	kinds := 5
	if depth > 0 {
		kinds = 7
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return nil
	case 1:
		return rapid.Bool().Draw(t, "bool")
	case 2:
		return rapid.IntRange(-5, 5).Draw(t, "number")
	case 3:
		return rapid.SampledFrom([]string{"", "a", "<&>", "ü\u2028\"\\", "\u0001\n", "{\"x\": 1, }"}).Draw(t, "text")
	case 4:
		return json.Number("1.50")
	case 5:
		list := make([]any, rapid.IntRange(0, 3).Draw(t, "length"))
		for i := range list {
			list[i] = value(t, depth-1)
		}
		return list
	default:
		out := map[string]any{}
		for range rapid.IntRange(0, 3).Draw(t, "size") {
			out[rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "key")] = value(t, depth-1)
		}
		return out
	}
}

// TestAnEditLooksLikeAFileWrittenAnew draws files and edits: the edited text is what writing the changed value anew gives.
func TestAnEditLooksLikeAFileWrittenAnew(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		root := map[string]any{"k": value(t, 3), "z": value(t, 2)}
		text := must(json.Marshal(root))
		before, err := Pretty(text)
		require.NoError(t, err)
		path := rapid.SliceOfN(rapid.SampledFrom([]string{"k", "a", "b", "c"}), 1, 3).Draw(t, "path")
		fresh := must(json.Marshal(value(t, 2)))
		if rapid.Bool().Draw(t, "unset") {
			after, err := Unset(before, nil, path)
			if err != nil {
				return
			}
			same(t, after)
			n, err := jsontree.Parse(after)
			require.NoError(t, err)
			for _, key := range path {
				n = n.Get(key)
			}
			assert.Nil(t, n)
			return
		}
		after, err := Set(before, nil, path, fresh)
		if err != nil {
			return // a scalar is in the way
		}
		same(t, after)
		n, err := jsontree.Parse(after)
		require.NoError(t, err)
		for _, key := range path {
			n = n.Get(key)
		}
		require.NotNil(t, n)
		assert.JSONEq(t, string(fresh), string(after[n.Start:n.End]))
	})
}

// same says that a text is as if it were written anew.
func same(t *rapid.T, text []byte) {
	again, err := Pretty(text)
	require.NoError(t, err)
	if string(again) != string(text) {
		t.Fatalf("layout differs:\n%s\n%s", text, again)
	}
}

func must(text []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return text
}

// TestBytesOfPython compares with what json.dumps of Python gives, with which other LoopX tools write (ensure_ascii=False, and
// indent=2 or sort_keys=True).
func TestBytesOfPython(t *testing.T) {
	text := `{"z": [1, 2.50, {}, [], {"a": null}], "a": "ü<&> \u2028 \u0007 \\ \" \u007f", "b": true}`
	line, err := Line(json.RawMessage(text))
	require.NoError(t, err)
	assert.Equal(t, "{\"z\": [1, 2.5, {}, [], {\"a\": null}], \"a\": \"\u00fc<&> \u2028 \\u0007 \\\\ \\\" \u007f\", \"b\": true}", strings.Replace(string(line), "2.50", "2.5", 1))
	pretty, err := Pretty(json.RawMessage(text))
	require.NoError(t, err)
	assert.Equal(t, "{\n  \"z\": [\n    1,\n    2.5,\n    {},\n    [],\n    {\n      \"a\": null\n    }\n  ],\n  \"a\": \"\u00fc<&> \u2028 \\u0007 \\\\ \\\" \u007f\",\n  \"b\": true\n}\n", strings.Replace(string(pretty), "2.50", "2.5", 1))
	sorted, err := Sort(json.RawMessage(text), nil)
	require.NoError(t, err)
	assert.Equal(t, "{\"a\": \"\u00fc<&> \u2028 \\u0007 \\\\ \\\" \u007f\", \"b\": true, \"z\": [1, 2.5, {}, [], {\"a\": null}]}", strings.Replace(string(sorted), "2.50", "2.5", 1))
	first, err := Sort(json.RawMessage(text), []string{"b", "z"})
	require.NoError(t, err)
	assert.True(t, slices.IsSorted([]int{strings.Index(string(first), `"b"`), strings.Index(string(first), `"z"`), strings.LastIndex(string(first), `"a": "`)}))
}

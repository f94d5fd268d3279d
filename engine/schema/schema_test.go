package schema

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/loopx-dev/loopx-policy/schemas"
)

func set(files map[string]string) *Set {
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys["s/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	return NewSet(fsys, "s")
}

func problems(t *testing.T, schema, doc string) []Problem {
	t.Helper()
	s, err := set(map[string]string{"a.json": schema}).Schema("a.json")
	require.NoError(t, err)
	require.NoError(t, s.Check())
	found, err := s.Validate(ast.MustParseTerm(doc).Value)
	require.NoError(t, err)
	return found
}

// TestKeywords gives for each keyword a document that fits and one that does not, with the place of the fault.
func TestKeywords(t *testing.T) {
	for schema, c := range map[string]struct{ fits, breaks, problem string }{
		`{"type": "string"}`:                        {`"a"`, `1`, "expected string, but got integer"},
		`{"type": ["null", "integer"]}`:             {`1.0`, `1.5`, "expected null or integer, but got number"},
		`{"type": "number"}`:                        {`7`, `true`, "but got boolean"},
		`{"type": "array"}`:                         {`[]`, `{}`, "but got object"},
		`{"type": "object"}`:                        {`{}`, `null`, "but got null"},
		`{"type": "boolean"}`:                       {`false`, `[]`, "but got array"},
		`{"enum": ["a", 1, null]}`:                  {`1.0`, `"b"`, `"b" is not one of "a", 1, null`},
		`{"const": {"x": [1]}}`:                     {`{"x": [1]}`, `{"x": [2]}`, "is not one of"},
		`{"properties": {"x": {"type": "string"}}}`: {`{"y": 1}`, `{"x": 1}`, "/x: expected string"},
		`{"required": ["x"]}`:                       {`{"x": null}`, `{"y": 1}`, `missing properties: "x"`},
		`{"properties": {"x": true}, "additionalProperties": false}`:                             {`{"x": 1}`, `{"a/b~c": 1}`, "/a~1b~0c: not allowed"},
		`{"additionalProperties": {"type": "integer"}}`:                                          {`{"x": 1}`, `{"x": "a"}`, "/x: expected integer"},
		`{"patternProperties": {"^x_": {"const": 1}}, "additionalProperties": false}`:            {`{"x_a": 1}`, `{"x_a": 2}`, "/x_a: 2 is not one of 1"},
		`{"propertyNames": {"pattern": "^[a-z]+$"}}`:                                             {`{"abc": 1}`, `{"A": 1}`, "/A: does not match"},
		`{"minProperties": 1, "maxProperties": 2}`:                                               {`{"a": 1}`, `{}`, "0 properties, at least 1 needed"},
		`{"items": {"type": "string"}}`:                                                          {`["a"]`, `["a", 1]`, "/1: expected string"},
		`{"contains": {"const": 1}}`:                                                             {`[2, 1]`, `[2]`, "lacks a needed item"},
		`{"minItems": 1, "maxItems": 2}`:                                                         {`[1]`, `[1, 2, 3]`, "3 items, at most 2 allowed"},
		`{"uniqueItems": true}`:                                                                  {`[1, "1"]`, `[1, 1.0]`, "/1: is there twice"},
		`{"minLength": 2, "maxLength": 3}`:                                                       {`"äöü"`, `"a"`, "1 characters, at least 2 needed"},
		`{"pattern": "^a"}`:                                                                      {`"ab"`, `"b"`, "does not match ^a"},
		`{"format": "date-time"}`:                                                                {`"2026-08-20T12:00:00+00:00"`, `"2026-08-20"`, "is not an RFC 3339 date-time"},
		`{"minimum": 1, "maximum": 2}`:                                                           {`1`, `0.5`, "0.5 is too small, limit 1"},
		`{"exclusiveMinimum": 1, "exclusiveMaximum": 2}`:                                         {`1.5`, `2`, "2 is too large, limit 2"},
		`{"allOf": [{"type": "object"}, {"required": ["x"]}]}`:                                   {`{"x": 1}`, `{}`, "missing properties"},
		`{"anyOf": [{"const": 1}, {"const": 2}]}`:                                                {`2`, `3`, "fits none of the alternatives"},
		`{"oneOf": [{"minimum": 1}, {"minimum": 5}]}`:                                            {`2`, `6`, "fits 2 alternatives instead of one"},
		`{"not": {"required": ["x"]}}`:                                                           {`{}`, `{"x": 1}`, "not allowed"},
		`{"if": {"required": ["x"]}, "then": {"required": ["y"]}, "else": {"maxProperties": 0}}`: {`{"x": 1, "y": 1}`, `{"z": 1}`, "at most 0"},
		`{"if": {"required": ["x"]}, "then": {"required": ["y"]}}`:                               {`{}`, `{"x": 1}`, `"y"`},
		`{"dependentRequired": {"x": ["y"]}}`:                                                    {`{"y": 1}`, `{"x": 1}`, `property "x" needs "y"`},
		`{"$ref": "#/$defs/n", "$defs": {"n": {"type": "null"}}}`:                                {`null`, `1`, "expected null"},
		`{"properties": {"next": {"$ref": "#"}}, "required": ["v"]}`:                             {`{"v": 1, "next": {"v": 2}}`, `{"v": 1, "next": {}}`, `/next: missing properties: "v"`},
	} {
		t.Run(schema, func(t *testing.T) {
			assert.Empty(t, problems(t, schema, c.fits))
			found := problems(t, schema, c.breaks)
			require.NotEmpty(t, found)
			assert.Contains(t, found[0].String(), c.problem)
		})
	}
}

func TestABadSchemaIsAnError(t *testing.T) {
	for schema, message := range map[string]string{
		`{"unevaluatedProperties": false}`: "keyword unevaluatedProperties is not supported",
		`{"typ": "string"}`:                "keyword typ is not supported",
		`{"type": "text"}`:                 "bad value for type",
		`{"type": 1}`:                      "bad value for type",
		`{"required": [1]}`:                "bad value for required",
		`{"enum": "a"}`:                    "bad value for enum",
		`{"minLength": -1}`:                "bad value for minLength",
		`{"minLength": 1.5}`:               "bad value for minLength",
		`{"pattern": "("}`:                 "bad value for pattern",
		`{"format": "email"}`:              "format email is not supported",
		`{"then": {}}`:                     "then and else need if",
		`{"$ref": "#/$defs/x"}`:            "nothing at /$defs/x",
		`{"$ref": "b.json"}`:               "no schema b.json",
		`{"$ref": "../b.json"}`:            "outside of the set",
		`{"$ref": "file:///etc/passwd"}`:   "outside of the set",
		`{"$ref": "https://x.example/y"}`:  "outside of the set",
		`{"properties": {"x": 1}}`:         "a schema is an object or a boolean",
		`{"dependentRequired": {"x": 1}}`:  "bad value for dependentRequired",
	} {
		t.Run(schema, func(t *testing.T) {
			s, err := set(map[string]string{"a.json": schema}).Schema("a.json")
			require.NoError(t, err)
			require.ErrorContains(t, s.Check(), message)
		})
	}
	_, err := set(nil).Schema("a.json")
	require.ErrorContains(t, err, "no schema a.json")
	_, err = set(map[string]string{"a.json": "["}).Schema("a.json")
	require.ErrorContains(t, err, "schema a.json")
}

func TestAFaultyBranchIsAnErrorWhenItIsReached(t *testing.T) {
	s, err := set(map[string]string{"a.json": `{"properties": {"x": {"nonsense": 1}}}`}).Schema("a.json")
	require.NoError(t, err)
	found, err := s.Validate(ast.MustParseTerm(`{"y": 1}`).Value)
	require.NoError(t, err)
	assert.Empty(t, found)
	_, err = s.Validate(ast.MustParseTerm(`{"x": 1}`).Value)
	require.ErrorContains(t, err, "keyword nonsense")
}

func TestReferencesBetweenFiles(t *testing.T) {
	s, err := set(map[string]string{
		"a.json": `{"properties": {"x": {"$ref": "b.json#/$defs/~1odd~0name"}, "y": {"$ref": "b.json"}}}`,
		"b.json": `{"type": "integer", "$defs": {"/odd~name": {"type": "string"}}}`,
	}).Schema("a.json")
	require.NoError(t, err)
	require.NoError(t, s.Check())
	found, err := s.Validate(ast.MustParseTerm(`{"x": 1, "y": "a"}`).Value)
	require.NoError(t, err)
	assert.Equal(t, []Problem{{"/x", "expected string, but got integer"}, {"/y", "expected integer, but got string"}}, found)
}

func TestProblemsAreBounded(t *testing.T) {
	found := problems(t, `{"items": {"type": "string"}}`, "["+strings.TrimSuffix(strings.Repeat("1,", 50), ",")+"]")
	assert.Len(t, found, maxProblems)
	long := problems(t, `{"const": 1}`, `"`+strings.Repeat("x", 500)+`"`)
	assert.Less(t, len(long[0].Message), 200)
}

func TestDepthIsBounded(t *testing.T) {
	deep := ast.NewTerm(ast.NewObject())
	for range 2 * maxDepth {
		deep = ast.ObjectTerm(ast.Item(ast.StringTerm("n"), deep))
	}
	s, err := set(map[string]string{"a.json": `{"properties": {"n": {"$ref": "#"}}}`, "b.json": `{"allOf": [{"$ref": "#"}]}`}).Schema("a.json")
	require.NoError(t, err)
	found, err := s.Validate(deep.Value)
	require.NoError(t, err)
	require.Len(t, found, 1)
	assert.Contains(t, found[0].Message, "nested deeper")
	loop, err := s.set.Schema("b.json")
	require.NoError(t, err)
	found, err = loop.Validate(ast.NullValue)
	require.NoError(t, err)
	assert.NotEmpty(t, found)
}

func TestHugeNumbers(t *testing.T) {
	for _, text := range []string{"1e999999999", "1e-999999999", "-1E+400000"} {
		s, err := set(map[string]string{"a.json": `{"type": "integer"}`}).Schema("a.json")
		require.NoError(t, err)
		found, err := s.Validate(ast.Number(text))
		require.NoError(t, err)
		assert.NotEmpty(t, found, text)
	}
}

func TestASetIsSafeToShare(t *testing.T) {
	s := set(map[string]string{"a.json": `{"properties": {"x": {"type": "string"}, "n": {"$ref": "#"}}}`})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			schema, err := s.Schema("a.json")
			assert.NoError(t, err)
			found, err := schema.Validate(ast.MustParseTerm(`{"n": {"x": 1}}`).Value)
			assert.NoError(t, err)
			assert.Len(t, found, 1)
		})
	}
	wg.Wait()
}

// TestEmbeddedSchemas finds what a document has not reached yet.
func TestEmbeddedSchemas(t *testing.T) {
	for _, dir := range []string{"decision", "facts"} {
		s := NewSet(schemas.FS, dir)
		entries, err := schemas.FS.ReadDir(dir)
		require.NoError(t, err)
		for _, e := range entries {
			schema, err := s.Schema(e.Name())
			require.NoError(t, err)
			require.NoError(t, schema.Check(), e.Name())
		}
	}
}

// library validates with a full implementation of the standard.
func library(t require.TestingT, schema string) *jsonschema.Schema {
	compiler := jsonschema.NewCompiler()
	compiler.Draft = jsonschema.Draft2020
	compiler.AssertFormat = true
	compiler.LoadURL = func(url string) (io.ReadCloser, error) {
		if url != "loopx:///a.json" {
			return nil, fmt.Errorf("%s is not here", url)
		}
		return io.NopCloser(strings.NewReader(schema)), nil
	}
	out, err := compiler.Compile("loopx:///a.json")
	require.NoError(t, err, schema)
	return out
}

// drawSchema and drawValue use few names and values, so that documents meet schemas often.
func drawSchema(t *rapid.T, depth int) any {
	if rapid.IntRange(0, 9).Draw(t, "bool schema") == 0 {
		return rapid.Bool().Draw(t, "schema")
	}
	keywords := []string{"type", "enum", "required", "minLength", "maxItems", "minimum", "exclusiveMaximum", "pattern", "uniqueItems", "minProperties", "const", "dependentRequired"}
	if depth > 0 {
		keywords = append(keywords, "properties", "properties", "items", "additionalProperties", "allOf", "anyOf", "oneOf", "not", "if", "patternProperties", "propertyNames", "contains")
	}
	out := map[string]any{}
	for range rapid.IntRange(0, 3).Draw(t, "keywords") {
		k := rapid.SampledFrom(keywords).Draw(t, "keyword")
		sub := func() any { return drawSchema(t, depth-1) }
		switch k {
		case "type":
			out[k] = rapid.SampledFrom([]any{"string", "integer", "number", "object", "array", "null", "boolean", []any{"string", "null"}, []any{"integer", "object"}}).Draw(t, k)
		case "enum":
			out[k] = []any{drawValue(t, 1), drawValue(t, 0)}
		case "const":
			out[k] = drawValue(t, 1)
		case "required":
			out[k] = []any{rapid.SampledFrom([]string{"a", "b"}).Draw(t, k)}
		case "dependentRequired":
			out[k] = map[string]any{"a": []any{"b"}}
		case "minLength", "maxItems", "minProperties":
			out[k] = rapid.IntRange(0, 2).Draw(t, k)
		case "minimum", "exclusiveMaximum":
			out[k] = rapid.SampledFrom([]any{0, 1, 1.5}).Draw(t, k)
		case "pattern":
			out[k] = rapid.SampledFrom([]string{"^a", "b$", "."}).Draw(t, k)
		case "uniqueItems":
			out[k] = rapid.Bool().Draw(t, k)
		case "properties":
			out[k] = map[string]any{"a": sub(), "b": sub()}
		case "patternProperties":
			out[k] = map[string]any{"^a": sub()}
		case "allOf", "anyOf", "oneOf":
			out[k] = []any{sub(), sub()}
		case "if":
			out["if"], out["then"], out["else"] = sub(), sub(), sub()
		case "propertyNames":
			out[k] = map[string]any{"enum": []any{"a", "b"}}
		default:
			out[k] = sub()
		}
	}
	return out
}

func drawValue(t *rapid.T, depth int) any {
	kinds := 6
	if depth > 0 {
		kinds = 9
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return nil
	case 1:
		return rapid.Bool().Draw(t, "bool")
	case 2, 3:
		return rapid.SampledFrom([]any{0, 1, 2, 1.5, -1}).Draw(t, "number")
	case 4, 5:
		return rapid.SampledFrom([]string{"", "a", "ab", "ä"}).Draw(t, "string")
	case 6:
		out := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			out = append(out, drawValue(t, depth-1))
		}
		return out
	default:
		out := map[string]any{}
		for range rapid.IntRange(0, 3).Draw(t, "members") {
			out[rapid.SampledFrom([]string{"a", "b", "ac"}).Draw(t, "name")] = drawValue(t, depth-1)
		}
		return out
	}
}

// TestAgreesWithAFullImplementation draws schemas and documents and compares the verdicts.
func TestAgreesWithAFullImplementation(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text, err := json.Marshal(drawSchema(rt, 3))
		require.NoError(rt, err)
		if text[0] != '{' {
			rt.Skip("a file holds an object")
		}
		full := library(rt, string(text))
		ours, err := set(map[string]string{"a.json": string(text)}).Schema("a.json")
		require.NoError(rt, err)
		require.NoError(rt, ours.Check())
		for range 8 {
			value := drawValue(rt, 3)
			plain, err := json.Marshal(value)
			require.NoError(rt, err)
			var decoded any
			require.NoError(rt, json.Unmarshal(plain, &decoded))
			found, err := ours.Validate(ast.MustInterfaceToValue(decoded))
			require.NoError(rt, err)
			want := full.Validate(decoded) == nil
			assert.Equal(rt, want, len(found) == 0, "schema %s, document %s, found %v", text, plain, found)
		}
	})
}

func FuzzSchema(f *testing.F) {
	f.Add(`{"type": "object", "properties": {"a": {"$ref": "#"}}}`, `{"a": {"a": 1}}`)
	f.Add(`{"allOf": [{"$ref": "#"}]}`, `null`)
	f.Add(`{"minimum": 1e400}`, `1e999999`)
	f.Fuzz(func(t *testing.T, schema, doc string) {
		s, err := set(map[string]string{"a.json": schema}).Schema("a.json")
		if err != nil {
			return
		}
		var value any
		if json.Unmarshal([]byte(doc), &value) != nil {
			return
		}
		_ = s.Check()
		_, _ = s.Validate(ast.MustInterfaceToValue(value)) // must return, whatever it is given
	})
}

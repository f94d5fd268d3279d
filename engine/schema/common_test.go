package schema

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"path"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/schemas"
)

// shared are the keywords, of those that the schemas use, that mean the same in draft-07 and in 2020-12. A $ref must stand
// alone, because draft-07 ignores what is beside it; $defs is only a place that references point to.
var shared = []string{
	"$defs", "$ref", "$schema", "additionalProperties", "const", "description", "else", "enum", "format", "if", "items", "maxItems",
	"maxLength", "maxProperties", "maximum", "minItems", "minLength", "minProperties", "minimum", "pattern", "patternProperties",
	"properties", "propertyNames", "required", "then", "title", "type",
}

// TestCommonSchemasSayTheSameInBothDrafts: they are valid 2020-12, and what they say does not depend on the draft.
func TestCommonSchemasSayTheSameInBothDrafts(t *testing.T) {
	compiler := jsonschema.NewCompiler()
	compiler.Draft = jsonschema.Draft2020
	compiler.LoadURL = func(url string) (io.ReadCloser, error) { return schemas.FS.Open(path.Join("decision", path.Base(url))) }
	for _, name := range common {
		_, err := compiler.Compile(base + name)
		require.NoError(t, err)
		text, err := schemas.FS.ReadFile("decision/" + name)
		require.NoError(t, err)
		require.True(t, bytes.Contains(text, draft2020), "%s is written in 2020-12", name)
		var tree map[string]any
		require.NoError(t, json.Unmarshal(text, &tree))
		keywords(t, name, tree)
	}
}

// keywords walks the schemas inside a schema.
func keywords(t *testing.T, at string, value any) {
	node, ok := value.(map[string]any)
	if !ok {
		_, isBool := value.(bool)
		require.True(t, isBool, "%s: a list of schemas", at)
		return
	}
	for keyword, value := range node {
		assert.Contains(t, shared, keyword, at)
		switch keyword {
		case "$ref":
			assert.Len(t, slices.Collect(maps.Keys(node)), 1, "%s: beside $ref", at)
		case "properties", "patternProperties", "$defs":
			for name, inner := range value.(map[string]any) {
				keywords(t, at+"/"+name, inner)
			}
		case "items", "additionalProperties", "propertyNames", "if", "then", "else":
			keywords(t, at+"/"+keyword, value)
		}
	}
}

package schema

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/vm"
)

func set(files map[string]string) *Set {
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys["s/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	return NewSet(fsys, "s")
}

func TestValidateNamesThePlace(t *testing.T) {
	schemas := set(map[string]string{
		"a.json": `{"type": "object", "additionalProperties": false, "properties": {"x": {"$ref": "b.json"}, "at": {"format": "date-time"}}}`,
		"b.json": `{"type": "array", "items": {"enum": ["yes", "no"]}}`,
	})
	schemas.Prepare("a.json")
	s, err := schemas.Schema("a.json")
	require.NoError(t, err)
	for document, pointer := range map[string]string{
		`{"x": ["yes"], "at": "2026-08-20T12:00:00+00:00"}`: "",
		`{"x": ["yes", "maybe"]}`:                           "/x/1",
		`{"x": 1}`:                                          "/x",
		`{"at": "today"}`:                                   "/at",
	} {
		problems, err := s.Validate(vm.MustParse(document))
		require.NoError(t, err)
		if pointer == "" {
			assert.Empty(t, problems)
			continue
		}
		require.NotEmpty(t, problems, document)
		assert.Equal(t, pointer, problems[0].Pointer, document)
	}
	problems, err := s.Validate(vm.MustParse(`{"y": 1}`))
	require.NoError(t, err)
	require.Len(t, problems, 1)
	assert.Contains(t, problems[0].String(), "'y'")
}

func TestValidateBoundsWhatItRepeats(t *testing.T) {
	s, err := set(map[string]string{"a.json": `{"items": {"type": "string"}}`}).Schema("a.json")
	require.NoError(t, err)
	problems, err := s.Validate(vm.MustParse(`[1, 2, 3, 4, 5, 6, 7]`))
	require.NoError(t, err)
	assert.Len(t, problems, maxProblems)
}

func TestNothingOutsideIsLoaded(t *testing.T) {
	for name, ref := range map[string]string{
		"the network":      "http://127.0.0.1:1/x.json",
		"a file":           "file:///etc/hostname",
		"another folder":   "../facts/input.json",
		"a missing schema": "missing.json",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := set(map[string]string{"a.json": `{"$ref": "` + ref + `"}`}).Schema("a.json")
			require.ErrorContains(t, err, "schema a.json")
		})
	}
	_, err := set(nil).Schema("none.json")
	require.Error(t, err)
}

func TestABrokenSchemaIsRefused(t *testing.T) {
	_, err := set(map[string]string{"a.json": `{"type": "strnig"}`}).Schema("a.json")
	require.ErrorContains(t, err, "schema a.json")
}

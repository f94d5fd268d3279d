package goalstate_test

import (
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts/goalstate"
)

var update = flag.Bool("update", false, "rewrite testdata/sample.golden.json")

// testdata/sample.md was written by the public Python implementation.
func TestSampleProject(t *testing.T) {
	doc, err := goalstate.Read("testdata", "sample.md")
	require.NoError(t, err)
	got, err := json.MarshalIndent(doc, "", "  ")
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile("testdata/sample.golden.json", append(got, '\n'), 0o600))
	}
	want, err := os.ReadFile("testdata/sample.golden.json")
	require.NoError(t, err)
	assert.JSONEq(t, string(want), string(got))
}

// The ids that the sample's todos were stamped with are the ids that their text and position give.
func TestSampleIDsAreReproduced(t *testing.T) {
	doc := parse("## Agent Todo\n- [ ] x\n- [ ] [P0] Implement the widget parser\n")
	stamped, err := goalstate.Read("testdata", "sample.md")
	require.NoError(t, err)
	ids := map[string]string{}
	for _, todo := range stamped.Todos {
		ids[todo.Text] = todo.ID
	}
	assert.Equal(t, ids[doc.Todos[1].Text], doc.Todos[1].ID)
}

// stateOf is the state file of a shared case.
func stateOf(t *testing.T, id string) string {
	t.Helper()
	data, err := os.ReadFile("../../../fixtures/cases/bugs/" + id + ".json")
	require.NoError(t, err)
	var one struct {
		Files map[string]json.RawMessage `json:"files"`
	}
	require.NoError(t, json.Unmarshal(data, &one))
	var text string
	require.NoError(t, json.Unmarshal(one.Files["ACTIVE_GOAL_STATE.md"], &text))
	return text
}

func TestBug19WindowsFileWithUnicode(t *testing.T) {
	doc := parse(stateOf(t, "bug-19-crlf-bom-unicode-state"))
	require.Len(t, doc.Todos, 2)
	first := doc.Todos[0]
	assert.Equal(t, "todo_aaaaaaaaaaaa", first.ID)
	assert.Equal(t, "修复 “解析器” — naïve café 👩‍💻 ｟全角｠.", first.Title)
	assert.Equal(t, "a1", first.ClaimedBy)
	assert.Equal(t, "active", doc.State.Front["status"])
	assert.Equal(t, []string{"Do the next bounded step."}, doc.State.NextActions)
}

func TestBug21MetadataLookalikeInText(t *testing.T) {
	todo := only(t, parse(stateOf(t, "bug-21-metadata-lookalike-in-text")))
	assert.Equal(t, []string{"todo_aaaaaaaaaaaa", "open"}, []string{todo.ID, todo.Status})
	assert.Contains(t, todo.Text, "status=done --> as literal text.")
}

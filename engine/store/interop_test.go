package store

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/goalstate"
	"github.com/loopx-dev/loopx-policy/engine/facts/jsontree"
	"github.com/loopx-dev/loopx-policy/engine/facts/registry"
	"github.com/loopx-dev/loopx-policy/engine/store/statefile"
)

// TestCasesReadTheSameAfterAWrite edits one todo and one registry value of every case, and takes the edits back: everything
// else reads as before, and so does the edited part in the end.
func TestCasesReadTheSameAfterAWrite(t *testing.T) {
	cases, err := filepath.Glob("../../fixtures/cases/*/*.json")
	require.NoError(t, err)
	require.Greater(t, len(cases), 100)
	states, registries := 0, 0
	for _, path := range cases {
		var c struct {
			Files map[string]json.RawMessage `json:"files"`
		}
		require.NoError(t, json.Unmarshal([]byte(text(t, path)), &c))
		for name, raw := range c.Files {
			var state string
			switch {
			case strings.HasSuffix(name, ".md") && json.Unmarshal(raw, &state) == nil:
				states += stateSurvives(t, path, state)
			case strings.HasSuffix(name, "registry.json") && raw[0] == '{':
				registries += registrySurvives(t, path, raw)
			}
		}
	}
	assert.Greater(t, states, 100)
	assert.Greater(t, registries, 100)
}

func stateSurvives(t *testing.T, path, state string) int {
	doc := goalstate.Parse("", []byte(state))
	if len(doc.Todos) == 0 {
		return 0
	}
	todo := doc.Todos[0]
	edited, err := statefile.Apply([]byte(state), []statefile.Edit{{Op: "edit", TodoID: todo.ID, Set: map[string]string{"zz_new": "a,b c"}}}, "")
	require.NoError(t, err, path)
	now := goalstate.Parse("", edited)
	require.Len(t, now.Todos, len(doc.Todos), path)
	for i, was := range doc.Todos {
		is := *now.Todos[i]
		is.Line = was.Line
		if was == todo {
			is.ExplicitID = was.ExplicitID
		}
		assert.True(t, reflect.DeepEqual(*was, is), "%s: %+v %+v", path, was, is)
	}
	if !todo.ExplicitID {
		return 1
	}
	back, err := statefile.Apply(edited, []statefile.Edit{{Op: "edit", TodoID: todo.ID, Unset: []string{"zz_new"}}}, "")
	require.NoError(t, err, path)
	gone, fresh := diff(state, string(back))
	for i := range gone { // the rewritten comment may have had other white space between its tokens
		assert.Equal(t, strings.Fields(gone[i]), strings.Fields(fresh[i]), path)
	}
	return 1
}

func registrySurvives(t *testing.T, path string, raw []byte) int {
	before, err := registry.Parse("registry.json", raw)
	if err != nil || len(before.Goals) == 0 {
		return 0
	}
	id := before.Goals[0].ID
	after, err := editRow(raw, id, []SetValue{{Path: []string{"zz", "new"}, Value: json.RawMessage(`{"a":[1]}`)}}, nil, "2026-12-01T12:00:00+00:00")
	require.NoError(t, err, path)
	now, err := registry.Parse("registry.json", after)
	require.NoError(t, err, path)
	require.Len(t, now.Goals, len(before.Goals), path)
	for i := range before.Goals {
		was, is := before.Goals[i].Goal, now.Goals[i].Goal
		was.Lines, is.Lines = nil, nil
		assert.Equal(t, was, is, path)
	}
	back, err := editRow(after, id, nil, [][]string{{"zz"}}, "2026-12-01T12:00:00+00:00")
	require.NoError(t, err, path)
	again, err := jsontree.Parse(back)
	require.NoError(t, err)
	first, err := jsontree.Parse(raw)
	require.NoError(t, err)
	if first.Get("updated_at") == nil {
		assert.Equal(t, string(raw), string(back), path)
	}
	assert.Equal(t, first.Get("goals").Any(), again.Get("goals").Any(), path)
	return 1
}

// TestTheSampleProjectReadsTheSameAfterWrites writes with every command and reads what the other tool had written.
func TestTheSampleProjectReadsTheSameAfterWrites(t *testing.T) {
	_, targets := sample(t)
	before, err := ledger(targets)
	require.NoError(t, err)
	state, err := goalstate.Read("/", targets.StateFile)
	require.NoError(t, err)
	for i, s := range scenarios {
		if !s.blank && !strings.Contains(s.effects, repairEffect) {
			s.effects = strings.ReplaceAll(s.effects, "todo_follow", fmt.Sprintf("todo_follow%d", i))
			_, err := s.run(New(), targets)
			require.NoError(t, err, s.name)
		}
	}
	after, err := ledger(targets)
	require.NoError(t, err)
	assert.Empty(t, after.Findings)
	assert.Equal(t, before.Runs, theirs(after.Runs))
	now, err := goalstate.Read("/", targets.StateFile)
	require.NoError(t, err)
	assert.Empty(t, now.Findings)
	ids := map[string]*facts.Todo{}
	for _, todo := range now.Todos {
		ids[todo.ID] = todo
	}
	for _, was := range state.Todos {
		is := *ids[was.ID]
		is.Line, is.Note = was.Line, was.Note
		assert.Equal(t, *was, is)
	}
	file, err := registry.Load(targets.SourceRegistry)
	require.NoError(t, err)
	assert.Empty(t, file.Findings)
	info, err := os.Stat(filepath.Join(targets.RuntimeRoot, "goals/demo-goal/runs/index.jsonl"))
	require.NoError(t, err)
	assert.Equal(t, newFile, info.Mode().Perm())
}

// theirs are the runs that this test did not write.
func theirs(runs []facts.Run) []facts.Run {
	for i := range runs {
		if !strings.HasPrefix(runs[i].GeneratedAt, "2026-12-01") {
			return runs[i:]
		}
	}
	return nil
}

package benchdata_test

import (
	"bufio"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts/goalstate"
	"github.com/loopx-dev/loopx-policy/internal/benchdata"
)

var now = time.Date(2026, 8, 20, 12, 0, 0, 0, time.UTC)

func project(t *testing.T, o benchdata.Options) *benchdata.Layout {
	t.Helper()
	o.Now = now
	layout, err := benchdata.Project(t.TempDir(), o)
	require.NoError(t, err)
	return layout
}

func index(t *testing.T, layout *benchdata.Layout, goal string) []map[string]any {
	t.Helper()
	file, err := os.Open(filepath.Join(layout.RuntimeRoot, "goals", goal, "runs", "index.jsonl"))
	require.NoError(t, err)
	defer file.Close()
	rows := []map[string]any{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var row map[string]any
		require.NoError(t, json.Unmarshal(lines.Bytes(), &row))
		rows = append(rows, row)
	}
	require.NoError(t, lines.Err())
	return rows
}

func TestRegistry(t *testing.T) {
	layout := project(t, benchdata.Options{Goals: 3, Agents: 2})
	data, err := os.ReadFile(layout.Registry)
	require.NoError(t, err)
	var registry struct {
		Root  string `json:"common_runtime_root"`
		Goals []struct {
			ID        string `json:"id"`
			Repo      string `json:"repo"`
			StateFile string `json:"state_file"`
			Team      struct {
				Agents []string `json:"registered_agents"`
			} `json:"coordination"`
		} `json:"goals"`
	}
	require.NoError(t, json.Unmarshal(data, &registry))
	assert.Equal(t, layout.RuntimeRoot, registry.Root)
	require.Len(t, registry.Goals, 3)
	for i, goal := range registry.Goals {
		assert.Equal(t, layout.Goals[i], goal.ID)
		assert.Equal(t, layout.Agents, goal.Team.Agents)
		assert.FileExists(t, filepath.Join(goal.Repo, goal.StateFile))
	}
}

func TestStateFile(t *testing.T) {
	layout := project(t, benchdata.Options{Todos: 100, Agents: 2, Seed: 7})
	doc, err := goalstate.Read(layout.Dir, ".codex/goals/"+layout.Goals[0]+"/ACTIVE_GOAL_STATE.md")
	require.NoError(t, err)
	require.Len(t, doc.Todos, 100)
	assert.Empty(t, doc.Findings)
	assert.Empty(t, doc.State.Malformed)
	assert.Len(t, doc.State.NextActions, 1)
	status, role := map[string]int{}, map[string]int{}
	for _, todo := range doc.Todos {
		assert.True(t, todo.ExplicitID)
		assert.Empty(t, todo.BadTimes)
		assert.Empty(t, todo.StatusWritten)
		assert.False(t, todo.MarkerMismatch)
		status[todo.Status]++
		role[todo.Role]++
	}
	assert.Equal(t, map[string]int{"user": 10, "agent": 90}, role)
	assert.Greater(t, status["open"], 60)
	assert.Positive(t, status["done"])
	assert.Positive(t, status["deferred"])
}

func TestIndex(t *testing.T) {
	layout := project(t, benchdata.Options{IndexRows: 500, Agents: 2})
	rows := index(t, layout, layout.Goals[0])
	require.Len(t, rows, 500)
	kinds := map[string]int{}
	for i, row := range rows {
		at, err := time.Parse(time.RFC3339, row["generated_at"].(string))
		require.NoError(t, err)
		assert.True(t, now.Add(-5*time.Minute*time.Duration(500-i)).Equal(at), "row %d", i)
		kinds[row["classification"].(string)]++
	}
	assert.Len(t, kinds, 4)
	assert.Contains(t, rows[len(rows)-1], "autonomous_replan_ack")
	assert.Contains(t, rows[len(rows)-2], "quota_event")
}

func TestNewestStatusRunHasItsArtifacts(t *testing.T) {
	for _, count := range []int{1, 2, 8, 9, 100} {
		layout := project(t, benchdata.Options{IndexRows: count})
		rows := index(t, layout, layout.Goals[0])
		newest := rows[len(rows)-1]
		assert.Equal(t, "goal", newest["progress_scope"], "%d rows", count)
		assert.FileExists(t, newest["json_path"].(string))
		assert.FileExists(t, newest["markdown_path"].(string))
	}
}

func TestSameOptionsGiveTheSameBytes(t *testing.T) {
	o := benchdata.Options{Goals: 2, Todos: 30, IndexRows: 20, Agents: 3, Seed: 5}
	first, second := project(t, o), project(t, o)
	assert.Equal(t, content(t, first.Dir), content(t, second.Dir))
	o.Seed = 6
	assert.NotEqual(t, content(t, first.Dir), content(t, project(t, o).Dir))
}

// content maps each file of a directory to its bytes, the directory's own path left out.
func content(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, dir)] = strings.ReplaceAll(string(data), dir, "")
		return err
	}))
	return files
}

func TestUnwritableDirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := benchdata.Project(file, benchdata.Options{Now: now})
	require.ErrorContains(t, err, "write synthetic project")
}

func BenchmarkIndexRows(b *testing.B) {
	dir := b.TempDir()
	for b.Loop() {
		_, err := benchdata.Project(dir, benchdata.Options{IndexRows: 10_000, Now: now})
		require.NoError(b, err)
	}
}

package history_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/history"
)

func index(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "index.jsonl"), []byte(text), 0o644))
	return dir
}

func TestInspectReportsEveryFault(t *testing.T) {
	const good = `{"generated_at": "2026-08-20T11:00:00+00:00", "goal_id": "g"}`
	dir := index(t, strings.Join([]string{
		good,
		"",
		"not json",
		`[1]`,
		good,
		`{"generated_at": "then", "goal_id": "g"}`,
		`{"generated_at": "2026-08-20T11:00:01+00:00", "goal_id": "other"}`,
		`{"generated_at": "2026-08-20T11:00:02+00:00", "json_path": "there.json", "markdown_path": "/gone.md"}`,
		`{"generated_at": "2026-08-20T11:00:03+00:00"`,
	}, "\n"))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "there.json"), nil, 0o644))
	found, err := history.Inspect(t.Context(), dir, "g", dir)
	require.NoError(t, err)
	assert.True(t, found.Exists)
	assert.Len(t, found.Digest, 16)
	assert.EqualValues(t, 9, found.Lines)
	assert.EqualValues(t, 5, found.Rows)
	assert.Equal(t, []facts.IndexFault{
		{Line: 3, Unreadable: true},
		{Line: 4, Unreadable: true},
		{Line: 5, First: 1},
		{Line: 6, NoTime: true},
		{Line: 7, OtherGoal: "other"},
		{Line: 8, Missing: []string{"markdown_path"}},
		{Line: 9, Unreadable: true, Torn: true},
	}, found.Faults)
}

func TestInspectOfATornRowThatIsWhole(t *testing.T) {
	found, err := history.Inspect(t.Context(), index(t, `{"generated_at": "2026-08-20T11:00:00+00:00"}`), "g", "")
	require.NoError(t, err)
	assert.Equal(t, []facts.IndexFault{{Line: 1, Torn: true}}, found.Faults)
}

func TestInspectIsBounded(t *testing.T) {
	found, err := history.Inspect(t.Context(), index(t, strings.Repeat("x\n", 1500)), "g", "")
	require.NoError(t, err)
	assert.Len(t, found.Faults, 1000)
	assert.True(t, found.Truncated)
	assert.EqualValues(t, 1500, found.Lines)
}

func TestInspectOfNoIndex(t *testing.T) {
	found, err := history.Inspect(t.Context(), t.TempDir(), "g", "")
	require.NoError(t, err)
	assert.False(t, found.Exists)
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "index.jsonl"), 0o755))
	_, err = history.Inspect(t.Context(), dir, "g", "")
	require.Error(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = history.Inspect(ctx, index(t, "x\n"), "g", "")
	require.ErrorIs(t, err, context.Canceled)
}

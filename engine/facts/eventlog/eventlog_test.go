package eventlog

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts"
)

const log = `{"event_kind": "quota_should_run", "goal_id": "g1", "run_id": "t1", "agent_id": "Agent A", "event_id": "e1", "recorded_at": "2026-08-20T12:00:00.000001Z", "details": {"todo_id": "todo_a", "ok": true, "n": 1}}
{"event_kind":"refresh_state","run_id":"t1","agent_id":"agent-a","todo_id":"todo_a"}
{"event_kind":"refresh_state","run_id":"t2","note":"t1"}
{"event_kind":"quota_spend","goal_id":"other","run_id":"t1"}
not json "t1"
["t1"]
{"event_kind":"quota_spend","goal_id":"g1","run_id":"t1","details":[]}
`

func TestRead(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, Name), []byte(log+`{"run_id":"t1","event_ki`), 0o600))
	got, err := Read(dir, "g1", "t1")
	require.NoError(t, err)
	require.Len(t, got, 3)
	require.Equal(t, "quota_spend", got[0].EventKind)
	require.Equal(t, map[string]any{}, got[0].Details)
	require.Equal(t, facts.TraceEvent{EventKind: "refresh_state", AgentID: "agent-a", TodoID: "todo_a", Details: map[string]any{}}, got[1])
	require.Equal(t, "agent-a", got[2].AgentID)
	require.Equal(t, "e1", got[2].EventID)
	require.Equal(t, "todo_a", got[2].Details["todo_id"])
	require.Equal(t, true, got[2].Details["ok"])
}

func TestReadWithoutLog(t *testing.T) {
	got, err := Read(t.TempDir(), "g1", "t1")
	require.NoError(t, err)
	require.Empty(t, got)
	require.NotNil(t, got)
}

func TestReadOfADirectoryFails(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, Name), 0o700))
	_, err := Read(dir, "g1", "t1")
	require.Error(t, err)
}

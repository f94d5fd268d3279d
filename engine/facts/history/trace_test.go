package history

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const traced = `{"generated_at":"2026-08-20T11:00:00+00:00","classification":"parser_advanced","agent_id":"agent-a","todo_id":"todo_a","turn_instance_id":"t1","delivery_outcome":"outcome_progress","json_path":"/r/1.json","markdown_path":"/r/1.md","delivery_workspace":{"task_repository":"git:h/r"}}
{"generated_at":"2026-08-20T11:00:00+00:00","classification":"quota_slot_spent","agent_id":"agent-a","turn_instance_id":"t1","settlement_identity":{"effect_id":"e1"},"quota_event":{"slots":2}}
{"generated_at":"2026-08-20T11:10:00+00:00","classification":"note","recommended_action":"t1"}
{"generated_at":"2026-08-20T11:20:00+00:00","classification":"quota_slot_voided","quota_event":{"slots":2,"voided_run_generated_at":"2026-08-20T11:00:00+00:00"}}
{"generated_at":"2026-08-20T11:30:00+00:00","goal_id":"other","classification":"note","turn_instance_id":"t1"}
{"generated_at":"2026-08-20T11:40:00+00:00","classification":"quota_monitor_poll","turn_instance_id":"t1","target_key":"ci","result_hash":"h","material_change":true}
broken "t1"
{"generated_at":"2026-08-20T10:00:00+00:00","classification":"quota_slot_spent","turn_instance_id":"t2","json_path":"spend.json"}
`

func traceOptions(dir string) Options {
	o := Options{Now: time.Date(2026, 8, 20, 12, 0, 0, 0, time.UTC), GoalID: "g1", WindowHours: 24, ProjectRoot: dir}
	o.Settings.Ledger.Spend, o.Settings.Ledger.Void = []string{"quota_slot_spent"}, []string{"quota_slot_voided"}
	return o
}

func traceDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, indexName), []byte(traced), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "spend.json"), []byte(`{"quota_event":{"slots":3}}`), 0o600))
	return dir
}

func TestTraceOfATurn(t *testing.T) {
	dir := traceDir(t)
	rows, err := Trace(dir, traceOptions(dir), "t1", "")
	require.NoError(t, err)
	require.Len(t, rows, 4)
	require.Equal(t, "quota_monitor_poll", rows[0].Classification)
	require.True(t, rows[0].MaterialChange)
	require.Equal(t, "ci", rows[0].TargetKey)
	require.Equal(t, "h", rows[0].ResultHash)
	require.Equal(t, "2026-08-20T11:00:00+00:00", rows[1].Voids, "a void of a spend of the turn belongs to it")
	require.Equal(t, "quota_slot_spent", rows[2].Classification, "of equal times the later line is the newer row")
	require.EqualValues(t, 2, *rows[2].Slots)
	require.Equal(t, "e1", rows[2].EffectID)
	require.Equal(t, "parser_advanced", rows[3].Classification)
	require.Equal(t, "/r/1.json", rows[3].JSONPath)
	require.Equal(t, "git:h/r", rows[3].Workspace.TaskRepository)
	require.Nil(t, rows[3].Slots)
	require.NotZero(t, rows[3].AtNS)
}

func TestTraceOfAnInstant(t *testing.T) {
	dir := traceDir(t)
	rows, err := Trace(dir, traceOptions(dir), "", "2026-08-20T11:00:00+00:00")
	require.NoError(t, err)
	require.Len(t, rows, 3)
	require.Equal(t, "quota_slot_voided", rows[0].Classification)
}

func TestTraceReadsTheSlotsOfAnArtifact(t *testing.T) {
	dir := traceDir(t)
	rows, err := Trace(dir, traceOptions(dir), "t2", "")
	require.NoError(t, err)
	require.Len(t, rows, 1)
	require.EqualValues(t, 3, *rows[0].Slots)
	require.NoError(t, os.Remove(filepath.Join(dir, "spend.json")))
	rows, err = Trace(dir, traceOptions(dir), "t2", "")
	require.NoError(t, err)
	require.Nil(t, rows[0].Slots, "the ledger reports the lost event")
}

func TestTraceOfNothing(t *testing.T) {
	rows, err := Trace(t.TempDir(), traceOptions(""), "t1", "")
	require.NoError(t, err)
	require.Empty(t, rows)
}

// A void names one spend, so below a void spends are told apart; above it they fold like any other rows.
func TestSpendsBelowAVoidAreToldApart(t *testing.T) {
	dir := t.TempDir()
	spend := fields{"quota_event": fields{"slots": 1}}
	text := line(t, 6*time.Hour, "quota_slot_spent", spend) + "\n" + line(t, 5*time.Hour, "quota_slot_spent", spend) + "\n" +
		line(t, 4*time.Hour, "quota_slot_voided", fields{"quota_event": fields{"slots": 1, "voided_run_generated_at": ago(5 * time.Hour)}}) + "\n" +
		line(t, 3*time.Hour, "quota_slot_spent", spend) + "\n" + line(t, 2*time.Hour, "quota_slot_spent", spend) + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, indexName), []byte(text), 0o600))
	got, err := Read(dir, options(t))
	require.NoError(t, err)
	counts := []int{}
	for _, run := range got.Runs {
		counts = append(counts, run.Count)
	}
	require.Equal(t, []int{2, 1, 1, 1}, counts)
}

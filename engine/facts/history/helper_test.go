package history

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var testNow = time.Date(2026, 8, 20, 12, 0, 0, 0, time.UTC)

const testSettings = `{
  "decision_kinds": {"reward": "human_reward", "gate": "operator_gate", "resume": "operator_gate_resume_contract", "classification": "classification"},
  "ledger": {"spend": ["quota_slot_spent"], "void": ["quota_slot_voided"]},
  "status_neutral": ["quota_slot_spent", "quota_slot_voided", "quota_monitor_poll", "quota_scheduler_ack"],
  "agent_lane_scope": "agent_lane",
  "neutral": ["quota_slot_spent", "quota_slot_voided", "quota_scheduler_ack"],
  "poll": ["quota_monitor_poll"],
  "refresh": "state_refreshed",
  "outcomes": ["surface_only", "outcome_gap", "outcome_progress"], "follow_through": ["surface_only", "outcome_gap"],
  "decision_classifications": ["operator_gate_approved", "operator_gate_deferred", "operator_gate_rejected"],
  "decision_prefixes": ["human_reward", "reward_overlay"],
  "horizon_hours": 192, "margin_hours": 24, "lookback_days": 30, "material_rows": 24,
  "clock_skew_minutes": 5, "freshness_days": 7
}`

func options(t testing.TB) Options {
	t.Helper()
	o := Options{Now: testNow, GoalID: "g1", WindowHours: 24}
	require.NoError(t, json.Unmarshal([]byte(testSettings), &o.Settings))
	return o
}

// ago is a time before testNow as upstream writes it.
func ago(d time.Duration) string { return testNow.Add(-d).Format("2006-01-02T15:04:05-07:00") }

type fields = map[string]any

// line is one row of the index some time ago; extra replaces fields, a nil value removes one.
func line(t testing.TB, d time.Duration, class string, extra ...fields) string {
	t.Helper()
	at := ago(d)
	row := fields{
		"generated_at": at, "goal_id": "g1", "classification": class,
		"json_path": "runs/" + at + class + ".json", "markdown_path": "runs/" + at + class + ".md",
	}
	for _, e := range extra {
		for k, v := range e {
			row[k] = v
			if v == nil {
				delete(row, k)
			}
		}
	}
	text, err := json.Marshal(row)
	require.NoError(t, err)
	return string(text)
}

func spend(slots any) fields {
	return fields{"quota_event": fields{"slots": slots}}
}

// index writes lines with line ends and gives the runs directory.
func index(t testing.TB, lines ...string) string {
	t.Helper()
	return raw(t, strings.Join(lines, "\n")+"\n")
}

func raw(t testing.TB, text string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, indexName), []byte(text), 0o600))
	return dir
}

func read(t require.TestingT, dir string, o Options) *Result {
	result, err := Read(dir, o)
	require.NoError(t, err)
	return result
}

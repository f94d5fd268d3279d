package store

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts"
)

const goal = "demo-goal"

var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

// sample is a copy of the sample project, which another LoopX tool wrote.
func sample(t testing.TB) (dir string, targets facts.Targets) {
	t.Helper()
	dir = t.TempDir()
	source := "../../fixtures/sample-project"
	names := strings.NewReplacer("@RUNTIME_ROOT@", filepath.Join(dir, "runtime"), "@PROJECT_ROOT@", filepath.Join(dir, "project"))
	require.NoError(t, filepath.WalkDir(source, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(dir, strings.TrimPrefix(path, source))
		if entry.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(to, []byte(names.Replace(string(text))), 0o644)
	}))
	return dir, facts.Targets{
		GoalID: goal, AgentID: "codex-alpha", Registered: true, RuntimeRoot: filepath.Join(dir, "runtime"),
		StateFile:      filepath.Join(dir, "project/.codex/goals/demo-goal/ACTIVE_GOAL_STATE.md"),
		SourceRegistry: filepath.Join(dir, "project/.loopx/registry.json"),
		GlobalRegistry: filepath.Join(dir, "runtime/registry.global.json"),
		Dir:            dir,
	}
}

// effects decodes effects as a bundle writes them.
func effects(t testing.TB, text string) []Effect {
	t.Helper()
	out, err := Decode([]byte(text))
	require.NoError(t, err)
	return out
}

func text(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

// diff gives the lines that only one of two texts has.
func diff(before, after string) (gone, fresh []string) {
	count := map[string]int{}
	for line := range strings.Lines(before) {
		count[line]++
	}
	for line := range strings.Lines(after) {
		if count[line] > 0 {
			count[line]--
			continue
		}
		fresh = append(fresh, line)
	}
	for line := range strings.Lines(before) {
		if count[line] > 0 {
			count[line]--
			gone = append(gone, line)
		}
	}
	return gone, fresh
}

const spendEffects = `[
	{"kind": "append_run", "goal_id": "demo-goal", "suffix": "quota-slot-spent", "generated_at": "2026-12-01T12:00:00+00:00",
	 "record": {"classification": "quota_slot_spent", "quota_event": {"slots": 2, "event_type": "quota_slot_spent"}, "a": "ü<&>"},
	 "row": {"classification": "quota_slot_spent", "agent_id": "codex-alpha", "recommended_action": "weiter — mit ü"},
	 "markdown": ["# Spend", "", "- ok: yes"]},
	{"kind": "append_event", "goal_id": "demo-goal", "event": {"event_kind": "quota_spend", "agent_id": "codex-alpha", "details": {"slots": 2}}}
]`

func TestASpendIsARunARowAndAnEvent(t *testing.T) {
	dir, targets := sample(t)
	runs := filepath.Join(dir, "runtime/goals/demo-goal/runs")
	index := text(t, filepath.Join(runs, "index.jsonl"))
	events := text(t, filepath.Join(runs, "../rollout-event-log.jsonl"))

	receipt, err := Apply(context.Background(), New(), targets, Options{Now: noon, Operation: "spend-slot"}, effects(t, spendEffects))
	require.NoError(t, err)
	stem := filepath.Join(runs, "2026-12-01T12-00-00-00-00-quota-slot-spent")
	assert.Equal(t, stem+".json", receipt["json_path"])
	assert.Equal(t, stem+".md", receipt["markdown_path"])
	assert.Equal(t, "2026-12-01T12:00:00+00:00", receipt["generated_at"])
	assert.Equal(t, "# Spend\n\n- ok: yes\n", text(t, stem+".md"))
	assert.Equal(t, `{
  "generated_at": "2026-12-01T12:00:00+00:00",
  "goal_id": "demo-goal",
  "classification": "quota_slot_spent",
  "quota_event": {
    "event_type": "quota_slot_spent",
    "slots": 2
  },
  "a": "ü<&>"
}
`, text(t, stem+".json"))
	row := `{"generated_at": "2026-12-01T12:00:00+00:00", "goal_id": "demo-goal", "classification": "quota_slot_spent", ` +
		`"recommended_action": "weiter — mit ü", "json_path": "` + stem + `.json", "markdown_path": "` + stem + `.md", "agent_id": "codex-alpha"}` + "\n"
	assert.Equal(t, index+row, text(t, filepath.Join(runs, "index.jsonl")))
	line, found := strings.CutPrefix(text(t, filepath.Join(runs, "../rollout-event-log.jsonl")), events)
	require.True(t, found)
	assert.True(t, strings.HasPrefix(line, `{"agent_id": "codex-alpha", "boundary": {"absolute_paths_recorded": false, `), line)
	var event map[string]any
	require.NoError(t, json.Unmarshal([]byte(line), &event))
	assert.Equal(t, "2026-12-01T12:00:00.000000Z", event["recorded_at"])
	assert.NoFileExists(t, filepath.Join(runs, "../.loopx-intent.json"))

	receipt, err = Apply(context.Background(), New(), targets, Options{Now: noon}, effects(t, spendEffects))
	require.NoError(t, err)
	assert.Equal(t, stem+"-2.json", receipt["json_path"], "a name is used once")
}

package store

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/jsontree"
)

const goal = "demo-goal"

var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

// sampleFiles are the files of the sample project, which another LoopX tool wrote.
var sampleFiles = sync.OnceValues(func() (map[string]string, error) {
	const source = "../../fixtures/sample-project/"
	out := map[string]string{}
	err := filepath.WalkDir(source, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		for _, part := range []string{"/expected/", "/codex-beta/", "project/src/", "project/docs/", "19-01-55", "19-03-27", "19-04-27", "19-04-42"} {
			if strings.Contains(path, part) { // nobody here reads it, and it is copied a thousand times
				return nil
			}
		}
		text, err := os.ReadFile(path)
		if name := strings.TrimPrefix(path, source); strings.Count(name, "/") > 1 || name == "runtime/registry.global.json" {
			out[name] = string(text)
		}
		return err
	})
	return out, err
})

// sample is a copy of the sample project.
func sample(t testing.TB) (dir string, targets facts.Targets) {
	t.Helper()
	dir = t.TempDir()
	files, err := sampleFiles()
	require.NoError(t, err)
	names := strings.NewReplacer("@RUNTIME_ROOT@", filepath.Join(dir, "runtime"), "@PROJECT_ROOT@", filepath.Join(dir, "project"))
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(names.Replace(text)), 0o644))
	}
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

// commit applies effects at noon.
func commit(t testing.TB, targets facts.Targets, list string) (Receipt, error) {
	t.Helper()
	return Apply(context.Background(), New(), targets, Options{Now: noon, Operation: "test"}, effects(t, list))
}

func TestAStateEditChangesItsBlockAndTheDate(t *testing.T) {
	_, targets := sample(t)
	before := text(t, targets.StateFile)
	require.NoError(t, os.Chmod(targets.StateFile, 0o640))
	list := func(digest string) string {
		return `[{"kind": "edit_state", "goal_id": "demo-goal", "digest": "` + digest + `", "updated_at": "2026-12-01T12:00:00+00:00", "edits": [
			{"op": "edit", "todo_id": "todo_8d8660c7a262", "set": {"claimed_by": "codex-beta", "updated_at": "2026-12-01T12:00:00+00:00"}}]}]`
	}
	receipt, err := commit(t, targets, list(digest([]byte(before))))
	require.NoError(t, err)
	after := text(t, targets.StateFile)
	assert.Equal(t, digest([]byte(after)), receipt["state_file_digest"])
	gone, fresh := diff(before, after)
	assert.Len(t, gone, 2)
	assert.Equal(t, []string{
		"updated_at: 2026-12-01T12:00:00+00:00\n",
		"  <!-- loopx:todo todo_id=todo_8d8660c7a262 status=open task_class=advancement_task action_kind=implement required_write_scopes=src%2F%2A%2A " +
			"required_capabilities=shell%2Cbenchmark_runner claimed_by=codex-beta updated_at=2026-12-01T12:00:00%2B00:00 -->\n",
	}, fresh)
	info, err := os.Stat(targets.StateFile)
	require.NoError(t, err)
	assert.Equal(t, fs.FileMode(0o640), info.Mode().Perm())

	_, err = commit(t, targets, list(digest([]byte(before))))
	assert.ErrorIs(t, err, ErrChanged)
	assert.Equal(t, after, text(t, targets.StateFile))
}

func TestALinkToAStateFileStaysALink(t *testing.T) {
	dir, targets := sample(t)
	real := filepath.Join(dir, "elsewhere.md")
	require.NoError(t, os.Rename(targets.StateFile, real))
	require.NoError(t, os.Symlink(real, targets.StateFile))
	_, err := commit(t, targets, `[{"kind": "edit_state", "goal_id": "demo-goal", "digest": "`+digest([]byte(text(t, real)))+`",
		"edits": [{"op": "add", "role": "agent", "text": "new"}]}]`)
	require.NoError(t, err)
	info, err := os.Lstat(targets.StateFile)
	require.NoError(t, err)
	assert.NotZero(t, info.Mode()&fs.ModeSymlink)
	assert.Contains(t, text(t, real), "- [ ] new\n")
}

func TestARegistryEditChangesItsValuesAndTheProjectionFollows(t *testing.T) {
	_, targets := sample(t)
	source, global := text(t, targets.SourceRegistry), text(t, targets.GlobalRegistry)
	list := `[{"kind": "edit_registry", "goal_id": "demo-goal", "digest": "` + digest([]byte(source)) + `",
		"set": [{"path": ["quota", "compute"], "value": 0.25}, {"path": ["activation"], "value": {"schema_version": "loopx_goal_activation_v1", "state": "stopped"}}],
		"unset": [["next_probe"]]},
		{"kind": "sync_global", "goal_id": "demo-goal"}]`
	receipt, err := commit(t, targets, list)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"ok": true, "written": true}, receipt["global_sync"])
	gone, fresh := diff(source, text(t, targets.SourceRegistry))
	assert.Equal(t, []string{"  \"updated_at\": \"2026-12-01T12:00:00+00:00\",\n", "        \"compute\": 0.25,\n"}, fresh[:2])
	assert.Equal(t, []string{"      },\n", "      \"activation\": {\n", "        \"schema_version\": \"loopx_goal_activation_v1\",\n", "        \"state\": \"stopped\"\n"},
		fresh[2:])
	assert.Len(t, gone, 3)

	gone, fresh = diff(global, text(t, targets.GlobalRegistry))
	assert.Len(t, gone, 4, gone) // updated_at, compute, next_probe, synced_at
	assert.Len(t, fresh, 7, fresh)
	assert.NotContains(t, text(t, targets.GlobalRegistry), "authority_sources\"")

	_, err = commit(t, targets, list)
	assert.ErrorIs(t, err, ErrChanged)
	assert.NoFileExists(t, filepath.Join(targets.RuntimeRoot, "goals/demo-goal/.loopx-intent.json"))
}

func TestTheDigestOfARowIgnoresOtherGoals(t *testing.T) {
	_, targets := sample(t)
	source := text(t, targets.SourceRegistry)
	root, err := jsontree.Parse([]byte(source))
	require.NoError(t, err)
	row, _ := rowOf(root, goal)
	digest := digest([]byte(source[row.Start:row.End]))
	require.NoError(t, os.WriteFile(targets.SourceRegistry, []byte(strings.Replace(source, `"0.1"`, `"0.2"`, 1)), 0o600))
	_, err = commit(t, targets, `[{"kind": "edit_registry", "goal_id": "demo-goal", "digest": "`+digest+`", "set": [{"path": ["status"], "value": "x"}]}]`)
	require.NoError(t, err)
	info, err := os.Stat(targets.SourceRegistry)
	require.NoError(t, err)
	assert.Equal(t, fs.FileMode(0o644), info.Mode().Perm())
}

func TestASyncOfAnUnchangedGoalChangesTheTimesAlone(t *testing.T) {
	_, targets := sample(t)
	global := text(t, targets.GlobalRegistry)
	_, err := commit(t, targets, `[{"kind": "sync_global", "goal_id": "demo-goal"}]`)
	require.NoError(t, err)
	gone, fresh := diff(global, text(t, targets.GlobalRegistry))
	assert.Equal(t, []string{
		"  \"updated_at\": \"2026-12-01T12:00:00+00:00\",\n", "      \"synced_at\": \"2026-12-01T12:00:00+00:00\",\n",
	}, fresh, "the same bytes as the other tool, besides the times")
	assert.Len(t, gone, 2)
}

func TestASyncThatFailsIsInTheReceipt(t *testing.T) {
	list := `[{"kind": "sync_global", "goal_id": "demo-goal"}]`
	for name, c := range map[string]struct{ text, want string }{
		"collision": {`{"goals": [{"id": "x"}, {"id": "demo-goal", "repo": "/elsewhere", "state_file": "S.md"}]}`,
			"global route collision for goal_id demo-goal: repo, state_file would change"},
		"broken":  {`{"goals": [`, "global registry: line 1: is not valid JSON: unexpected end of file, the file is cut off"},
		"no list": {`{"goals": {}}`, "global registry: goals is no list"},
	} {
		_, targets := sample(t)
		require.NoError(t, os.WriteFile(targets.GlobalRegistry, []byte(c.text), 0o644))
		receipt, err := commit(t, targets, list)
		require.NoError(t, err)
		assert.Equal(t, map[string]any{"ok": false, "written": false, "error": c.want}, receipt["global_sync"], name)
		assert.Equal(t, c.text, text(t, targets.GlobalRegistry), name)
	}
	_, targets := sample(t)
	require.NoError(t, os.Chmod(targets.GlobalRegistry, 0o444))
	receipt, err := commit(t, targets, list)
	require.NoError(t, err)
	want := map[string]any{"ok": false, "written": false, "error": "registry.global.json: permission denied"}
	assert.Equal(t, want, receipt["global_sync"])
	require.NoError(t, os.Chmod(targets.GlobalRegistry, 0o644))
	require.NoError(t, os.MkdirAll(filepath.Join(temporaryOf(targets.GlobalRegistry), "x"), 0o755))
	receipt, err = commit(t, targets, list)
	require.NoError(t, err)
	want["error"] = ".registry.global.json.loopx.tmp: directory not empty"
	assert.Equal(t, want, receipt["global_sync"], "what failed while writing is not written")

	_, targets = sample(t)
	require.NoError(t, os.Remove(targets.GlobalRegistry))
	_, err = commit(t, targets, list)
	require.NoError(t, err)
	assert.Contains(t, text(t, targets.GlobalRegistry), "\"registry_role\": \"global-local\",\n  \"goals\": [\n    {\n      \"id\": \"demo-goal\",")
}

func TestOverridesOfAnotherSourceSurviveASync(t *testing.T) {
	for clear, want := range map[string]bool{"": true, `"clear_attention_override": true, `: false} {
		_, targets := sample(t)
		require.NoError(t, os.WriteFile(targets.SourceRegistry, []byte(strings.Replace(text(t, targets.SourceRegistry), `"domain"`, clear+`"domain"`, 1)), 0o644))
		require.NoError(t, os.WriteFile(targets.GlobalRegistry, []byte(`{"goals": [{"id": "demo-goal", "waiting_on": "controller", "x": 1}, {"id": "y"}]}`), 0o644))
		_, err := commit(t, targets, `[{"kind": "sync_global", "goal_id": "demo-goal"}]`)
		require.NoError(t, err)
		after := text(t, targets.GlobalRegistry)
		assert.Equal(t, want, strings.Contains(after, `"waiting_on": "controller"`), after)
		assert.True(t, strings.HasPrefix(after, `{"goals": [ {"id": "y"}, {"id": "demo-goal", `), after)
		assert.NotContains(t, after, "clear_attention_override")
	}
}

func TestEventsHaveTheIdOfTheOtherTool(t *testing.T) {
	dir, _ := sample(t)
	for line := range strings.Lines(text(t, filepath.Join(dir, "runtime/goals/demo-goal/rollout-event-log.jsonl"))) {
		var event map[string]any
		decoder := json.NewDecoder(strings.NewReader(line))
		decoder.UseNumber()
		require.NoError(t, decoder.Decode(&event))
		id := event["event_id"]
		ours, err := sortedLine(event)
		require.NoError(t, err)
		assert.Equal(t, line, string(ours)+"\n")
		delete(event, "event_id")
		ours, err = sortedLine(event)
		require.NoError(t, err)
		assert.Equal(t, id, digest(escaped(ours)))
	}
}

func TestAUniqueEventIsWrittenOnce(t *testing.T) {
	dir, targets := sample(t)
	log := filepath.Join(dir, "runtime/goals/demo-goal/rollout-event-log.jsonl")
	list := func(agent, run string) string {
		return `[{"kind": "append_event", "goal_id": "demo-goal", "required": true, "unique": true,
			"event": {"event_kind": "quota_should_run", "agent_id": "` + agent + `", "run_id": "` + run + `"}}]`
	}
	for _, c := range []struct {
		agent, run string
		replayed   bool
	}{
		{"codex-beta", "t1", false}, {"codex-beta", "t1", true}, {"codex-alpha", "t1", false}, {"codex-beta", "t11", false}, {"codex-beta", "tü", false},
		{"codex-beta", "tü", true}, {"codex-beta", "turn-beta-0003", true},
	} {
		before := text(t, log)
		receipt, err := commit(t, targets, list(c.agent, c.run))
		require.NoError(t, err)
		event := receipt["rollout_event"].(map[string]any)
		assert.Equal(t, c.replayed, event["replayed"], c)
		assert.Equal(t, !c.replayed, event["appended"], c)
		assert.Equal(t, c.replayed, before == text(t, log), c)
	}
}

func TestPrivateEventsAreRefused(t *testing.T) {
	for _, event := range []string{
		`{"event_kind": "k", "summary": "see /home/me/x"}`, `{"event_kind": "k", "details": {"log_path": "x"}}`,
		`{"event_kind": "k", "details": {"a": {"b": 1}}}`, `{"event_kind": "k", "details": {"a": "` + strings.Repeat("x", 241) + `"}}`,
		`{"event_kind": "k", "details": 1}`, `{"summary": "no kind"}`, `[]`, `{"event_kind": "k", "labels": ["~/x"]}`,
		`{"event_kind": "k", "summary": "SECRET"}`,
	} {
		_, targets := sample(t)
		log := filepath.Join(targets.RuntimeRoot, "goals/demo-goal/rollout-event-log.jsonl")
		before := text(t, log)
		s := New().WithPrivacy(func(v any) error {
			if v.(map[string]any)["summary"] == "SECRET" {
				return errors.New("private")
			}
			return nil
		})
		for _, required := range []string{"false", "true"} {
			receipt, err := Apply(context.Background(), s, targets, Options{Now: noon},
				effects(t, `[{"kind": "append_event", "goal_id": "demo-goal", "required": `+required+`, "event": `+event+`}]`))
			if required == "true" {
				assert.Error(t, err, event)
			} else {
				require.NoError(t, err, event)
				assert.NotEmpty(t, receipt["rollout_event_log_error"], event)
			}
			assert.Equal(t, before, text(t, log))
		}
	}
}

func TestPollsAreCounted(t *testing.T) {
	_, targets := sample(t)
	path := filepath.Join(filepath.Dir(targets.StateFile), ".loopx-host-poll-receipts/demo-goal.json")
	list := `[{"kind": "put_host_poll", "goal_id": "demo-goal", "receipt": {"agent_id": "codex-alpha", "last_poll_at": "2026-12-01T12:00:00.000000+00:00",
		"expected_continuation": true, "last_decision_action": "normal_run"}}]`
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(text(t, path), "{", `{"attempt": {"z": 1.50, "a": 2},`, 1)), 0o644))
	receipt, err := commit(t, targets, list)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"recorded": true, "poll_count": int64(2)}, receipt["host_poll_receipt"])
	assert.Equal(t, `{
  "agent_id": "codex-alpha",
  "attempt": {
    "a": 2,
    "z": 1.50
  },
  "expected_continuation": true,
  "goal_id": "demo-goal",
  "last_decision_action": "normal_run",
  "last_poll_at": "2026-12-01T12:00:00.000000+00:00",
  "poll_count": 2,
  "schema_version": "loopx_host_poll_receipt_v0"
}
`, text(t, path))
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, privateFile, info.Mode().Perm())
	for _, bad := range []string{"garbage", "", "\xff", `{"schema_version": "v9"}`, strings.Replace(text(t, path), "demo-goal", "other", 1), strings.Replace(text(t, path), ": 2,\n  \"schema", ": \"2\",\n  \"schema", 1)} {
		require.NoError(t, os.WriteFile(path, []byte(bad), 0o644))
		receipt, err := commit(t, targets, list)
		require.NoError(t, err)
		assert.Equal(t, false, receipt["host_poll_receipt"].(map[string]any)["recorded"], bad)
		assert.Equal(t, bad, text(t, path))
	}
	require.NoError(t, os.Remove(path))
	receipt, err = commit(t, targets, list)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"recorded": true, "poll_count": int64(1)}, receipt["host_poll_receipt"])
}

func TestANewGoalIsARowAndAFile(t *testing.T) {
	dir := t.TempDir()
	targets := facts.Targets{
		GoalID: "new", RuntimeRoot: filepath.Join(dir, "rt"), SourceRegistry: filepath.Join(dir, "p/.loopx/registry.json"),
		GlobalRegistry: filepath.Join(dir, "rt/registry.global.json"), Dir: dir,
	}
	list := `[{"kind": "add_goal", "row": {"state_file": "s/S.md", "repo": "p", "id": "new", "status": "active"}, "state_file": "s/S.md", "state_file_text": "# ü\n"},
		{"kind": "sync_global", "goal_id": "new"}]`
	receipt, err := commit(t, targets, list)
	require.NoError(t, err)
	assert.Equal(t, true, receipt["global_sync"].(map[string]any)["ok"], receipt)
	assert.Equal(t, "# ü\n", text(t, filepath.Join(dir, "p/s/S.md")))
	assert.Equal(t, `{
  "schema_version": "0.1",
  "updated_at": "2026-12-01T12:00:00+00:00",
  "common_runtime_root": "`+targets.RuntimeRoot+`",
  "goals": [
    {
      "id": "new",
      "status": "active",
      "repo": "p",
      "state_file": "s/S.md"
    }
  ]
}
`, text(t, targets.SourceRegistry))

	before := text(t, targets.SourceRegistry)
	_, err = commit(t, targets, list)
	assert.ErrorIs(t, err, ErrChanged, "its state file exists")
	_, err = commit(t, targets, strings.ReplaceAll(list, "S.md", "T.md"))
	assert.ErrorIs(t, err, ErrChanged, "its row exists")
	for _, bad := range []string{"../S.md", "/S.md", ""} {
		_, err = commit(t, targets, strings.Replace(list, `"state_file": "s/S.md", "state_file_text"`, `"state_file": "`+bad+`", "state_file_text"`, 1))
		assert.ErrorContains(t, err, "inside the project", bad)
	}
	targets.GoalID = "second"
	_, err = commit(t, targets, strings.NewReplacer("S.md", "U.md", `"new"`, `"second"`).Replace(list))
	require.NoError(t, err)
	_, fresh := diff(before, text(t, targets.SourceRegistry))
	assert.Contains(t, fresh, "      \"id\": \"second\",\n")
	assert.NoFileExists(t, filepath.Join(dir, "p/s/T.md"))
}

func TestAReleaseRowGoesToItsOwnLedger(t *testing.T) {
	dir := t.TempDir()
	receipt, err := commit(t, facts.Targets{RuntimeRoot: dir}, `[{"kind": "append_release_row", "generated_at": "2026-12-01T12:00:00+00:00",
		"record": {"ready": true}, "row": {"classification": "canary_promotion_readiness_smoke_group"}, "markdown": ["# R"]}]`)
	require.NoError(t, err)
	runs := filepath.Join(dir, "release/promotion-readiness/runs")
	assert.Equal(t, filepath.Join(runs, "2026-12-01T12-00-00-00-00.json"), receipt["json_path"])
	assert.Equal(t, 1, strings.Count(text(t, filepath.Join(runs, "index.jsonl")), "\n"))
}

func TestEffectsOfAnotherGoalAreRefused(t *testing.T) {
	dir, targets := sample(t)
	before := tree(t, dir)
	for _, list := range []string{
		`[{"kind": "append_run", "goal_id": "other", "generated_at": "2026-12-01T12:00:00+00:00", "record": {}, "row": {}}]`,
		`[{"kind": "edit_state", "goal_id": "other"}]`, `[{"kind": "edit_registry", "goal_id": "other"}]`,
		`[{"kind": "sync_global", "goal_id": "other"}]`, `[{"kind": "append_event", "goal_id": "other", "event": {}}]`,
		`[{"kind": "put_host_poll", "goal_id": "other", "receipt": {}}]`, `[{"kind": "add_goal", "row": {"id": "other"}}]`,
		`[{"kind": "append_run", "goal_id": "demo-goal", "generated_at": "", "record": {}, "row": {}}]`,
		`[{"kind": "append_run", "goal_id": "demo-goal", "generated_at": "2026", "suffix": "../x", "record": {}, "row": {}}]`,
		`[{"kind": "append_run", "goal_id": "demo-goal", "generated_at": "2026", "record": {"goal_id": "other"}, "row": {}}]`,
		`[{"kind": "append_run", "goal_id": "demo-goal", "generated_at": "2026", "record": [], "row": {}}]`,
	} {
		_, err := commit(t, targets, list)
		assert.Error(t, err, list)
	}
	assert.Equal(t, before, tree(t, dir))
	for _, bad := range []facts.Targets{{GoalID: "../x", RuntimeRoot: dir, Registered: true}, {GoalID: "x", RuntimeRoot: dir}} {
		_, err := commit(t, bad, `[{"kind": "append_event", "goal_id": "x", "event": {"event_kind": "k"}}]`)
		assert.Error(t, err)
	}
	assert.Equal(t, before, tree(t, dir))
	targets.SourceRegistry, targets.SourceProblem = "", "nobody knows"
	_, err := commit(t, targets, `[{"kind": "edit_registry", "goal_id": "demo-goal"}]`)
	assert.ErrorContains(t, err, "nobody knows")
	targets.StateFile = ""
	_, err = commit(t, targets, `[{"kind": "edit_state", "goal_id": "demo-goal"}]`)
	assert.ErrorContains(t, err, "declares none")
}

// tree gives all files below a directory, those of locks left out.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(path, ".lock") {
			return err
		}
		data, err := os.ReadFile(path)
		out[strings.TrimPrefix(path, dir+"/")] = strings.ReplaceAll(string(data), dir, "@DIR@")
		return err
	}))
	return out
}

func TestATornLineIsSetAside(t *testing.T) {
	_, targets := sample(t)
	index := filepath.Join(targets.RuntimeRoot, "goals/demo-goal/runs/index.jsonl")
	before := text(t, index)
	require.NoError(t, os.WriteFile(index, []byte(before+`{"generated_at": "2026`), 0o644))
	_, err := commit(t, targets, spendEffects)
	require.NoError(t, err)
	after, found := strings.CutPrefix(text(t, index), before)
	require.True(t, found)
	assert.Equal(t, 1, strings.Count(after, "\n"))
	assert.True(t, json.Valid([]byte(after)))
	assert.Equal(t, "{\"generated_at\": \"2026\n", text(t, index+".torn"))
}

// TestALineThatOnlyLacksItsEndIsARow ends the last line of a file, as a person's editor may leave it: readers count it.
func TestALineThatOnlyLacksItsEndIsARow(t *testing.T) {
	_, targets := sample(t)
	index := filepath.Join(targets.RuntimeRoot, "goals/demo-goal/runs/index.jsonl")
	before := text(t, index)
	require.NoError(t, os.WriteFile(index, []byte(strings.TrimSuffix(before, "\n")), 0o644))
	_, err := commit(t, targets, spendEffects)
	require.NoError(t, err)
	after, found := strings.CutPrefix(text(t, index), before)
	require.True(t, found)
	assert.Equal(t, 1, strings.Count(after, "\n"))
	assert.NoFileExists(t, index+".torn")
}

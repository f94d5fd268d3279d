package scheduler_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/scheduler"
)

var (
	codex = scheduler.Surface{Surface: "codex_app", StateKey: "scheduler_hint.codex_app.stateful_backoff"}
	trae  = scheduler.Surface{Surface: "trae_app", StateKey: "scheduler_hint.app_automation.stateful_backoff"}
)

// stored is a valid file with a few keys changed; null removes a key.
func stored(changes string) []byte {
	file := map[string]any{
		"schema_version": "loopx_scheduler_state_v0", "goal_id": "demo", "agent_id": "codex-beta", "surface": "codex_app",
		"state_key": codex.StateKey, "reset_token": "fb98", "identity_signature": "de3e", "progression_index": 1,
		"progression_minutes": []int{3, 6, 10}, "last_applied_rrule": " RRULE:FREQ=MINUTELY;INTERVAL=3 ",
		"updated_at": "1970-01-01T00:00:01+00:00", "source": "quota_scheduler_ack", "extra": true,
	}
	var more map[string]any
	if err := json.Unmarshal([]byte("{"+changes+"}"), &more); err != nil {
		panic(err)
	}
	for key, value := range more {
		if file[key] = value; value == nil {
			delete(file, key)
		}
	}
	text, err := json.Marshal(file)
	if err != nil {
		panic(err)
	}
	return text
}

func failure(target, observed string, more string) string {
	return fmt.Sprintf(`{"schema_version": "scheduler_host_update_failure_v0", "target_rrule": %q, "observed_host_rrule": %q,
		"failure_kind": "timeout", "failure_count": 2, "failed_at": "1970-01-01T00:00:02Z"%s}`, target, observed, more)
}

func TestPathsMatchTheKnownHashes(t *testing.T) {
	assert.Equal(t, "rt/goals/demo-goal/scheduler-state/codex-beta/codex_app/d9ad89d416adc9b2.json",
		scheduler.Path("rt", "demo-goal", "codex-beta", codex))
	assert.Equal(t, "8a41f410c67e7c0e.json", filepath.Base(scheduler.Path("rt", "g", "a", trae)))
}

func TestSegment(t *testing.T) {
	for given, want := range map[string]string{
		"a/b c": "a-b-c", "..": "default", "": "default", "-_.a._-": "a", "ünï": "n", "a//b": "a-b", "a -b": "a--b",
	} {
		assert.Equal(t, want, scheduler.Segment(given), given)
	}
}

func TestRead(t *testing.T) {
	root := t.TempDir()
	path := scheduler.Path(root, "demo", "codex-beta", codex)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, stored(""), 0o600))
	both := []scheduler.Surface{trae, codex}

	got := scheduler.Read(root, "demo", "codex-beta", both)
	require.Len(t, got, 1)
	assert.Len(t, got[0].Digest, 16)
	got[0].Digest = ""
	assert.Equal(t, []facts.SchedulerState{{
		Surface: "codex_app", StateKey: codex.StateKey, ResetToken: "fb98", IdentitySignature: "de3e", ProgressionIndex: 1,
		ProgressionMinutes: []int64{3, 6, 10}, LastAppliedRRULE: "FREQ=MINUTELY;INTERVAL=3",
		UpdatedAt: "1970-01-01T00:00:01+00:00", UpdatedNS: 1e9, Source: "quota_scheduler_ack", Failures: []facts.HostFailure{}, Extra: map[string]any{"extra": true},
	}}, got)
	assert.Empty(t, scheduler.Read(root, "demo", "codex-alpha", both))
	assert.Empty(t, scheduler.Read(root, "demo", "", both))
	assert.Empty(t, scheduler.Read(root, "other", "codex-beta", both))
}

func TestInvalidFilesReadAsAbsent(t *testing.T) {
	cases := map[string]string{
		"schema":                  `"schema_version": "v1"`,
		"goal":                    `"goal_id": "demo2"`,
		"agent":                   `"agent_id": "codex"`,
		"surface":                 `"surface": "trae_app"`,
		"state key":               `"state_key": null`,
		"no token":                `"reset_token": " "`,
		"no identity":             `"identity_signature": null`,
		"negative index":          `"progression_index": -1`,
		"index is a word":         `"progression_index": "0"`,
		"index is a fraction":     `"progression_index": 0.5`,
		"no progression":          `"progression_minutes": []`,
		"zero minutes":            `"progression_minutes": [3, 0]`,
		"progression is a number": `"progression_minutes": 3`,
		"nothing applied":         `"last_applied_rrule": ""`,
		"failures are no list":    `"host_update_failures": {}`,
		"failure without count":   `"host_update_failures": [` + failure("a", "b", `, "failure_count": 0`) + `]`,
		"failure without target":  `"host_update_failures": [` + failure("", "b", "") + `]`,
		"failure of another form": `"host_update_failure": {"schema_version": "v1"}`,
	}
	for name, change := range cases {
		t.Run(name, func(t *testing.T) {
			_, ok := scheduler.Parse(stored(change), "demo", "codex-beta", codex)
			assert.False(t, ok)
		})
	}
	for _, text := range []string{"", "[]", "{", "null"} {
		_, ok := scheduler.Parse([]byte(text), "demo", "codex-beta", codex)
		assert.False(t, ok, text)
	}
}

func TestFailures(t *testing.T) {
	targets := func(changes string) (out []string) {
		state, ok := scheduler.Parse(stored(changes), "demo", "codex-beta", codex)
		require.True(t, ok)
		for _, f := range state.Failures {
			out = append(out, f.TargetRRULE+"@"+f.ObservedHostRRULE+"#"+f.IdentitySignature)
		}
		return out
	}
	list := func(items ...string) string { return `"host_update_failures": [` + strings.Join(items, ",") + `]` }

	assert.Equal(t, []string{"b@h#", "c@h#", "d@h#", "e@#"}, targets(list(
		failure("a", "h", ""), failure("b", "h", ""), failure("c", "h", ""), failure("d", "h", ""), failure("RRULE:e", "", ""))),
		"the newest four")
	assert.Equal(t, []string{"b@h#", "a@h#new"}, targets(
		list(failure("a", "h", `, "identity_signature": "old"`), failure("b", "h", ""))+
			`, "host_update_failure": `+failure("a", "h", `, "identity_signature": "new"`)),
		"the legacy scalar wins its pair")
	assert.Equal(t, []string{"a@h#"}, targets(`"last_applied_rrule": null, "host_update_failure": `+failure("a", "h", "")),
		"a failure stands in for an applied rule")
	assert.Empty(t, targets(`"host_update_failure": null, "updated_at": "whenever"`))
}

func FuzzParse(f *testing.F) {
	f.Add(stored(""))
	f.Add(stored(`"host_update_failure": ` + failure("a", "b", "")))
	f.Fuzz(func(t *testing.T, data []byte) {
		state, ok := scheduler.Parse(data, "demo", "codex-beta", codex)
		if ok {
			require.NotEmpty(t, state.ResetToken)
			require.NotEmpty(t, state.ProgressionMinutes)
			require.LessOrEqual(t, len(state.Failures), 4)
			require.GreaterOrEqual(t, state.ProgressionIndex, int64(0))
		}
	})
}

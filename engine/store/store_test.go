package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/scheduler"
)

var codex = scheduler.Surface{Surface: "codex_app", StateKey: "scheduler_hint.codex_app.stateful_backoff"}

const statePath = "goals/demo-goal/scheduler-state/codex-beta/codex_app/d9ad89d416adc9b2.json"

// put is an effect that stores a state of demo-goal and codex-beta.
func put(t *testing.T, digest, changes string) []Effect {
	t.Helper()
	state := map[string]any{
		"agent_id": "codex-beta", "goal_id": "demo-goal", "identity_signature": "de3ed6c19eb5",
		"last_applied_rrule": "FREQ=MINUTELY;INTERVAL=3", "progression_index": 0, "progression_minutes": []int{3, 6, 10},
		"reset_token": "fb98c6d3be708ee7", "schema_version": "loopx_scheduler_state_v0", "source": "quota_scheduler_ack",
		"state_key": codex.StateKey, "surface": "codex_app", "updated_at": "2026-11-30T19:00:47+00:00",
	}
	require.NoError(t, json.Unmarshal([]byte(changes), &state))
	text, err := json.Marshal([]map[string]any{{
		"kind": "put_scheduler_state", "surface": "codex_app", "state_key": codex.StateKey, "digest": digest, "state": state,
	}})
	require.NoError(t, err)
	effects, err := Decode(text)
	require.NoError(t, err)
	return effects
}

// apply commits effects of demo-goal below a runtime root.
func apply(root string, effects []Effect) error {
	_, err := Apply(context.Background(), New(), facts.Targets{GoalID: "demo-goal", Registered: true, RuntimeRoot: root}, Options{}, effects)
	return err
}

func read(t *testing.T, root string) facts.SchedulerState {
	t.Helper()
	states := scheduler.Read(root, "demo-goal", "codex-beta", []scheduler.Surface{codex})
	require.Len(t, states, 1)
	return states[0]
}

func TestSchedulerStateHasTheBytesOfTheSpecification(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, apply(root, put(t, "", `{}`)))

	text, err := os.ReadFile(filepath.Join(root, statePath))
	require.NoError(t, err)
	golden, err := os.ReadFile("testdata/scheduler-state.json")
	require.NoError(t, err)
	assert.Equal(t, string(golden), string(text))
	info, err := os.Stat(filepath.Join(root, statePath))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode())
	for dir := filepath.Dir(statePath); dir != "."; dir = filepath.Dir(dir) {
		info, err := os.Stat(filepath.Join(root, dir))
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o700), info.Mode().Perm(), dir)
	}
	entries, err := os.ReadDir(filepath.Dir(filepath.Join(root, statePath)))
	require.NoError(t, err)
	assert.Len(t, entries, 1, "no lock and no temporary file stays")
}

// TestTheFileOfAnotherWriterRoundTrips reads a file that the Python tools wrote and writes the same state: what the two
// write is the same, byte for byte, so that each reads the other.
func TestTheFileOfAnotherWriterRoundTrips(t *testing.T) {
	theirs, err := os.ReadFile(scheduler.Path("../../fixtures/sample-project/runtime", "demo-goal", "codex-alpha", codex))
	require.NoError(t, err)
	state, ok := scheduler.Parse(theirs, "demo-goal", "codex-alpha", codex)
	require.True(t, ok)
	assert.NotEmpty(t, state.LastAppliedRRULE)
	assert.Empty(t, state.Extra)

	root := t.TempDir()
	effect := &PutSchedulerState{Surface: codex.Surface, StateKey: codex.StateKey, State: theirs}
	require.NoError(t, apply(root, []Effect{effect}))
	ours, err := os.ReadFile(scheduler.Path(root, "demo-goal", "codex-alpha", codex))
	require.NoError(t, err)
	assert.Equal(t, string(theirs), string(ours))
}

func TestAnEffectReplacesWhatItWasDecidedOnAndNothingNewer(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, apply(root, put(t, "", `{}`)))
	first := read(t, root)

	assert.ErrorIs(t, apply(root, put(t, "", `{"progression_index": 1}`)), ErrChanged)
	require.NoError(t, apply(root, put(t, first.Digest, `{"progression_index": 1, "note": {"b": 1.50, "a": "<&>"}}`)))
	assert.ErrorIs(t, apply(root, put(t, first.Digest, `{"progression_index": 2}`)), ErrChanged)
	state := read(t, root)
	assert.Equal(t, int64(1), state.ProgressionIndex)
	assert.Equal(t, map[string]any{"note": map[string]any{"b": json.Number("1.5"), "a": "<&>"}}, state.Extra)
}

func TestAFileThatReadsAsAbsentIsReplaced(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, statePath)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(`{"schema_version": "v9"`), 0o644))
	require.NoError(t, apply(root, put(t, "", `{}`)))
	read(t, root)
}

func TestWhatAReaderWouldNotAcceptIsNotWritten(t *testing.T) {
	for _, change := range []string{
		`{"schema_version": "v1"}`, `{"surface": "trae_app"}`, `{"progression_minutes": []}`, `{"last_applied_rrule": ""}`, `{"goal_id": 1}`,
	} {
		root := t.TempDir()
		assert.Error(t, apply(root, put(t, "", change)), change)
		entries, err := os.ReadDir(root)
		require.NoError(t, err)
		assert.Empty(t, entries, change)
	}
}

func TestIdsNeverLeaveTheirDirectory(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, apply(root, put(t, "", `{"goal_id": "../../x", "agent_id": "a/../../b"}`)))
	entries, err := os.ReadDir(filepath.Join(root, "goals"))
	require.NoError(t, err)
	require.Len(t, entries, 1)
	assert.Equal(t, "x", entries[0].Name())
}

func TestUnknownEffectsAreRefused(t *testing.T) {
	for _, text := range []string{`{}`, `[1]`, `[{"kind": "delete_everything"}]`, `[{}]`, `[{"kind": "put_scheduler_state", "surface": 1}]`} {
		_, err := Decode([]byte(text))
		assert.Error(t, err, text)
	}
	effects, err := Decode([]byte(`[]`))
	require.NoError(t, err)
	assert.Empty(t, effects)
}

// TestNoWriterIsLost lets many writers add one to the same record, each deciding again when it lost the race.
func TestNoWriterIsLost(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, apply(root, put(t, "", `{}`)))
	const writers, rounds = 4, 5
	var wg sync.WaitGroup
	failed := make(chan error, writers*rounds)
	for range writers {
		wg.Go(func() {
			for done := 0; done < rounds; {
				states := scheduler.Read(root, "demo-goal", "codex-beta", []scheduler.Surface{codex})
				if len(states) != 1 {
					failed <- errors.New("a reader saw no valid state")
					return
				}
				next := fmt.Sprintf(`{"progression_index": %d}`, states[0].ProgressionIndex+1)
				err := apply(root, put(t, states[0].Digest, next))
				switch {
				case err == nil:
					done++
				case !errors.Is(err, ErrChanged):
					failed <- err
					return
				}
			}
		})
	}
	wg.Wait()
	close(failed)
	for err := range failed {
		require.NoError(t, err)
	}
	assert.Equal(t, int64(writers*rounds), read(t, root).ProgressionIndex)
}

func lockText(t *testing.T, pid int) []byte {
	t.Helper()
	text, err := json.Marshal(lockHolder{PID: pid, Token: "theirs"})
	require.NoError(t, err)
	return text
}

func TestALockOfALivingProcessIsRespected(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file"+lockSuffix)
	require.NoError(t, os.WriteFile(path, lockText(t, os.Getpid()), 0o600))

	_, err := disk{system{}}.effectLock(context.Background(), path, time.Millisecond)
	var timedOut *facts.Error
	require.ErrorAs(t, err, &timedOut)
	assert.Equal(t, "lock_acquire_timeout", timedOut.Code)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = disk{system{}}.effectLock(cancelled, path, time.Hour)
	assert.ErrorIs(t, err, context.Canceled)
	left, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(lockText(t, os.Getpid())), string(left))
}

func TestTheLockOfADeadProcessIsRemoved(t *testing.T) {
	child := exec.Command("true")
	require.NoError(t, child.Run())
	path := filepath.Join(t.TempDir(), "file"+lockSuffix)
	require.NoError(t, os.WriteFile(path, lockText(t, child.Process.Pid), 0o600))

	unlock, err := disk{system{}}.effectLock(context.Background(), path, time.Hour)
	require.NoError(t, err)
	holder, ok := readLock(path)
	require.True(t, ok)
	assert.Equal(t, os.Getpid(), holder.PID)
	unlock()
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	assert.Empty(t, entries)
}

func TestAnUnreadableLockIsStaleAfterAWhile(t *testing.T) {
	for _, text := range []string{"", "{", `{"pid": "1"}`, `{"pid": 0}`} {
		path := filepath.Join(t.TempDir(), "file"+lockSuffix)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := disk{system{}}.effectLock(context.Background(), path, time.Millisecond)
		assert.Error(t, err, text)
		old := time.Now().Add(-lockUnread - time.Second)
		require.NoError(t, os.Chtimes(path, old, old))
		unlock, err := disk{system{}}.effectLock(context.Background(), path, time.Hour)
		require.NoError(t, err, text)
		unlock()
	}
}

func TestAFreshLockGoesBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file"+lockSuffix)
	require.NoError(t, os.WriteFile(path, lockText(t, os.Getpid()), 0o600))
	require.NoError(t, disk{system{}}.removeStale(path, lockHolder{PID: 1, Token: "gone"}))
	left, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.True(t, strings.Contains(string(left), "theirs"))
	require.NoError(t, disk{system{}}.removeStale(path+"x", lockHolder{}), "somebody else removed it")
}

func TestAReleaseLeavesTheLockOfAnother(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file"+lockSuffix)
	unlock, err := disk{system{}}.effectLock(context.Background(), path, time.Hour)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, lockText(t, 1), 0o600))
	unlock()
	assert.FileExists(t, path)
}

package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts"
)

// TestEveryCallThatFails lets every call of every commit fail in every way. What the caller is told is what the files say, and
// the next writer leaves the old state or the new one.
func TestEveryCallThatFails(t *testing.T) {
	t.Parallel()
	rows := make([]string, len(scenarios))
	var wg sync.WaitGroup
	slots := make(chan struct{}, 2)
	for i, s := range scenarios {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			rows[i] = failures(t, s)
		})
	}
	wg.Wait()
	golden(t, "faults", "| command | refused, nothing written | written | written, the rest by the next writer | written, shown as not recorded | refused, may be written |\n"+
		"| --- | --- | --- | --- | --- | --- |\n"+strings.Join(rows, ""))
}

// failures gives the row of a command: how often which outcome was seen.
func failures(t *testing.T, s scenario) string {
	_, targets := s.setUp(t)
	record := &seam{at: -1}
	_, err := s.run(on(record), targets)
	require.NoError(t, err)
	after := afterwards(t, s)
	outcomes := map[string]int{}
	for at, step := range record.steps {
		for _, errno := range []syscall.Errno{syscall.ENOSPC, syscall.EACCES, syscall.EIO} {
			half := strings.HasSuffix(step, "write") || strings.HasSuffix(step, "append")
			outcomes[failed(t, s, at, false, errno, after)]++
			if half && errno != syscall.EACCES {
				outcomes[failed(t, s, at, true, errno, after)]++
			}
		}
	}
	var row strings.Builder
	fmt.Fprintf(&row, "| %s |", s.name)
	for _, outcome := range outcomesInOrder {
		fmt.Fprintf(&row, " %d |", outcomes[outcome])
		delete(outcomes, outcome)
	}
	assert.Empty(t, outcomes)
	return row.String() + "\n"
}

var outcomesInOrder = []string{"refused", "written", "pending", "shown", "unknown"}

// failed lets one call fail and says what the caller was told, after it made sure that this is true.
func failed(t *testing.T, s scenario, at int, half bool, errno syscall.Errno, after map[string]string) string {
	t.Helper()
	dir, targets := s.setUp(t)
	defer os.RemoveAll(dir)
	before := settled(tree(t, dir))
	broken := &seam{at: at, half: half, act: func(step string) error { return &fs.PathError{Op: step, Path: filepath.Join(dir, "x"), Err: errno} }}
	receipt, err := s.run(on(broken), targets)
	what := fmt.Sprintf("%s: %s, %v, half %v: %v %v", s.name, broken.steps[at], errno, half, err, receipt)
	now := settled(tree(t, dir))
	require.NoError(t, recovered(New(), s, targets), what)
	later := settled(tree(t, dir))

	if err != nil {
		assert.ErrorIs(t, err, errno, what)
		var refused *facts.Error
		require.ErrorAs(t, err, &refused, what)
		assert.NotContains(t, refused.Message+refused.File, dir)
		var unknown *unknownError
		if errors.As(err, &unknown) {
			if !same(later, before) {
				assert.Equal(t, after, later, what)
			}
			assert.Equal(t, codeUnknown, refused.Code)
			return "unknown"
		}
		assert.Equal(t, before, later, what)
		assert.Equal(t, shown(before), shown(now), what)
		return "refused"
	}
	recorded := func(key, field string) bool {
		one, ok := receipt[key].(map[string]any)
		return ok && one[field] == false
	}
	switch {
	case receipt["recovery_pending"] == true:
		assert.Equal(t, after, later, what)
		return "pending"
	case recorded("host_poll_receipt", "recorded"):
		if !same(later, after) { // not known to be durable
			assert.Equal(t, before, later, what)
		}
		return "shown"
	case recorded("global_sync", "ok"):
		delete(later, "runtime/registry.global.json")
		rest := map[string]string{}
		for name, text := range after {
			if name != "runtime/registry.global.json" {
				rest[name] = text
			}
		}
		assert.Equal(t, rest, later, what)
		return "shown"
	case receipt["rollout_event_log_error"] != nil:
		assert.NotEqual(t, before, later, what)
		return "shown"
	default:
		assert.Equal(t, after, later, what)
		return "written"
	}
}

// TestAFileInTheWay puts something else where a file or a directory should be.
func TestAFileInTheWay(t *testing.T) {
	dir, targets := sample(t)
	targets.GoalID = "other"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "runtime/goals/other"), []byte("x"), 0o644))
	_, err := commit(t, targets, strings.ReplaceAll(spendEffects, goal, "other"))
	assert.ErrorIs(t, err, syscall.ENOTDIR)

	dir, targets = sample(t)
	index := filepath.Join(dir, "runtime/goals/demo-goal/runs/index.jsonl")
	require.NoError(t, os.Remove(index))
	require.NoError(t, os.Mkdir(index, 0o755))
	before := tree(t, dir)
	_, err = commit(t, targets, spendEffects)
	assert.Error(t, err)
	assert.Equal(t, before, tree(t, dir))
}

func TestAClockThatGoesBackwards(t *testing.T) {
	_, targets := sample(t)
	for i, at := range []time.Time{noon, noon.Add(-time.Hour), noon} {
		list := strings.ReplaceAll(spendEffects, "2026-12-01T12:00:00+00:00", local(at))
		tx, err := New().Begin(ctx, targets, Options{Now: at, Locks: LockIndex})
		require.NoError(t, err)
		if newest := tx.Newest(); i == 1 {
			assert.True(t, noon.Equal(newest), newest)
		}
		_, err = tx.Commit(ctx, at, effects(t, list))
		require.NoError(t, err)
		tx.End()
	}
	result, err := ledger(targets)
	require.NoError(t, err)
	assert.Empty(t, result.Findings)
	spent := int64(0)
	for _, row := range result.Ledger.Rows {
		if row.AtNS >= noon.Add(-time.Hour).UnixNano() {
			spent += row.Slots
		}
	}
	assert.Equal(t, int64(6), spent, "every spend counts once, at its own time")
}

// watched tells when somebody begins to wait: only then a store asks its context for the end.
type watched struct {
	context.Context
	once  sync.Once
	begun chan struct{}
}

func (w *watched) Done() <-chan struct{} {
	w.once.Do(func() { close(w.begun) })
	return w.Context.Done()
}

func TestTheHolderOfALock(t *testing.T) {
	_, targets := sample(t)
	lock := filepath.Join(targets.RuntimeRoot, "goals/demo-goal/runs/index.jsonl.lock")
	require.NoError(t, os.WriteFile(lock, []byte(`{"pid":999999999,"schema_version":"file_lock_holder_v0"}`), 0o600), "a process that is gone")
	tx, err := New().Begin(ctx, targets, Options{Now: noon, Operation: "spend-slot", Locks: LockIndex})
	require.NoError(t, err)
	assert.False(t, tx.Waited())
	id := lockID(strings.TrimSuffix(lock, ".lock"))
	assert.Regexp(t, fmt.Sprintf(`^{"acquired_at":"[^"]+Z","agent_id":"codex-alpha","lock_id":"%s","operation":"spend-slot","pid":%d,"policy":"mutation",`+
		`"schema_version":"file_lock_holder_v0"}\n$`, id, os.Getpid()), text(t, lock))
	info, err := os.Stat(lock)
	require.NoError(t, err)
	assert.Equal(t, privateFile, info.Mode().Perm())

	before := time.Now()
	impatient := New()
	impatient.patience = 50 * time.Millisecond
	_, err = impatient.Begin(ctx, targets, Options{Now: noon, Operation: "void-slot", Locks: LockIndex})
	var refused *facts.Error
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, "lock_acquire_timeout", refused.Code)
	assert.Less(t, time.Since(before), 2*time.Second)
	assert.Regexp(t, `^{"agent_id":"codex-alpha","holder":{"acquired_at":.*"operation":"spend-slot".*},"lock_id":"[0-9a-f]{16}","operation":"void-slot","pid":\d+,`+
		`"policy":"mutation","recorded_at":"[^"]+Z","schema_version":"file_lock_incident_v0","waited_seconds":0\.\d+}\n$`, text(t, lock+".incidents.jsonl"))

	done := make(chan Tx)
	waiting := &watched{Context: ctx, begun: make(chan struct{})}
	go func() {
		second, err := New().Begin(waiting, targets, Options{Now: noon, Locks: LockIndex})
		assert.NoError(t, err)
		done <- second
	}()
	<-waiting.begun
	tx.End()
	tx.End()
	second := <-done
	assert.True(t, second.Waited())
	second.End()
	assert.Contains(t, text(t, lock), `"released_at":"`)
}

// TestALockOfAnotherTool waits for a lock that another open file holds by flock, as other LoopX tools take it, and is found by
// one in the same way.
func TestALockOfAnotherTool(t *testing.T) {
	_, targets := sample(t)
	path := filepath.Join(targets.RuntimeRoot, "goals/demo-goal/runs/index.jsonl.lock")
	foreign, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	require.NoError(t, err)
	defer foreign.Close()
	const take = syscall.LOCK_EX | syscall.LOCK_NB
	require.NoError(t, syscall.Flock(int(foreign.Fd()), take))
	impatient := New()
	impatient.patience = 50 * time.Millisecond
	_, err = impatient.Begin(ctx, targets, Options{Now: noon, Locks: LockIndex})
	require.ErrorContains(t, err, "lock")
	require.NoError(t, syscall.Flock(int(foreign.Fd()), syscall.LOCK_UN))

	tx, err := New().Begin(ctx, targets, Options{Now: noon, Locks: LockIndex})
	require.NoError(t, err)
	require.ErrorIs(t, syscall.Flock(int(foreign.Fd()), take), syscall.EWOULDBLOCK)
	assert.Contains(t, text(t, path), `"schema_version":"file_lock_holder_v0"`)
	tx.End()
	require.NoError(t, syscall.Flock(int(foreign.Fd()), take))
}

// TestSomebodyKeepsTheEventLog holds a lock that the command can do without, or not.
func TestSomebodyKeepsTheEventLog(t *testing.T) {
	_, targets := sample(t)
	l := locker{disk: disk{system{}}, operation: "other", patience: time.Second, released: &releases{}}
	lock, _, err := l.take(ctx, "event log lock", filepath.Join(targets.RuntimeRoot, "goals/demo-goal", eventsName))
	require.NoError(t, err)
	defer lock.release()
	impatient := New()
	impatient.patience = 30 * time.Millisecond
	before := tree(t, targets.RuntimeRoot)
	receipt, err := scenarios[0].run(impatient, targets)
	require.NoError(t, err)
	assert.Contains(t, receipt["rollout_event_log_error"], "another process holds the lock")
	assert.NotEmpty(t, receipt["json_path"])
	after := tree(t, targets.RuntimeRoot)
	assert.NotEqual(t, before["goals/demo-goal/runs/index.jsonl"], after["goals/demo-goal/runs/index.jsonl"])
	_, err = scenarios[6].run(impatient, targets)
	assert.ErrorContains(t, err, "another process holds the lock", "a receipt is required")
}

package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts"
)

// seam is a file system whose calls are counted. At one of them, or at the half of one that writes, something happens.
type seam struct {
	system
	steps []string
	at    int                     // which call, from 0
	half  bool                    // after half of the bytes of a write
	act   func(step string) error // what happens; its error is that of the call
	dead  bool                    // from there on every call fails, as if the process had ended
}

// errDead is the error of every call of a process that is taken to have ended.
var errDead = errors.New("the process ended")

func (s *seam) reach(step string) error {
	s.steps = append(s.steps, step)
	if s.dead && len(s.steps)-1 >= s.at {
		return errDead
	}
	if len(s.steps)-1 == s.at && s.act != nil && !s.half {
		return s.act(step)
	}
	return nil
}

func (s *seam) Mkdir(step, path string, mode fs.FileMode) error {
	if err := s.reach(step); err != nil {
		return err
	}
	return s.system.Mkdir(step, path, mode)
}

func (s *seam) Open(step, path string, flag int, mode fs.FileMode) (*os.File, error) {
	if err := s.reach(step); err != nil {
		return nil, err
	}
	return s.system.Open(step, path, flag, mode)
}

func (s *seam) Write(step string, file *os.File, data []byte) error {
	if s.half && len(s.steps) == s.at && s.act != nil {
		s.steps = append(s.steps, step)
		if err := s.system.Write(step, file, data[:len(data)/2]); err != nil {
			return err
		}
		if err := s.act("half of " + step); err != nil {
			return err
		}
		return s.system.Write(step, file, data[len(data)/2:])
	}
	if err := s.reach(step); err != nil {
		return err
	}
	return s.system.Write(step, file, data)
}

func (s *seam) Sync(step string, file *os.File) error {
	if err := s.reach(step); err != nil {
		return err
	}
	return s.system.Sync(step, file)
}

func (s *seam) Rename(step, from, to string) error {
	if err := s.reach(step); err != nil {
		return err
	}
	return s.system.Rename(step, from, to)
}

func (s *seam) Remove(step, path string) error {
	if err := s.reach(step); err != nil {
		return err
	}
	return s.system.Remove(step, path)
}

func (s *seam) Truncate(step, path string, size int64) error {
	if err := s.reach(step); err != nil {
		return err
	}
	return s.system.Truncate(step, path, size)
}

// on is the store of files behind a seam.
func on(s calls) *Files { return &Files{disk: disk{s}, patience: time.Second, released: &releases{}} }

// scenario is a command with the effects that it has.
type scenario struct {
	name    string
	effects string // with @STATE@ and @REGISTRY@ for the digests of what is there
	blank   bool   // in an empty directory instead of the sample project
}

const (
	runEffect = `{"kind": "append_run", "goal_id": "demo-goal", "suffix": "quota-slot-spent", "generated_at": "2026-12-01T12:00:00+00:00",
		"record": {"classification": "quota_slot_spent", "quota_event": {"slots": 1}}, "row": {"classification": "quota_slot_spent"}, "markdown": ["# Run"]}`
	eventEffect = `{"kind": "append_event", "goal_id": "demo-goal", "event": {"event_kind": "quota_spend", "agent_id": "codex-alpha", "run_id": "t9"}}`
	stateEffect = `{"kind": "edit_state", "goal_id": "demo-goal", "digest": "@STATE@", "updated_at": "2026-12-01T12:00:00+00:00",
		"edits": [{"op": "add", "role": "agent", "text": "follow up", "metadata": {"todo_id": "todo_follow"}},
		{"op": "edit", "todo_id": "todo_8d8660c7a262", "set": {"note": "seen"}}]}`
	registryEffect = `{"kind": "edit_registry", "goal_id": "demo-goal", "digest": "@REGISTRY@", "set": [{"path": ["quota", "compute"], "value": 0.25}]}`
	syncEffect     = `{"kind": "sync_global", "goal_id": "demo-goal"}`
	goalEffect     = `{"kind": "add_goal", "row": {"id": "demo-goal", "repo": "project", "state_file": "S.md"}, "state_file": "S.md", "state_file_text": "# Goal\n"}`
	pollEffect     = `{"kind": "put_host_poll", "goal_id": "demo-goal", "receipt": {"agent_id": "codex-alpha"}}`
	repairEffect   = `{"kind": "rewrite_index", "goal_id": "demo-goal", "digest": "@INDEX@", "at": "2026-12-01T12:00:00+00:00", "drop": [1]}`
	releaseEffect  = `{"kind": "append_release_row", "generated_at": "2026-12-01T12:00:00+00:00", "record": {"ready": true}, "row": {"ready": true}, "markdown": ["# R"]}`
	ackEffect      = `{"kind": "put_scheduler_state", "surface": "codex_app", "state_key": "scheduler_hint.codex_app.stateful_backoff", "digest": "@ACK@",
		"state": {"agent_id": "codex-alpha", "goal_id": "demo-goal", "identity_signature": "i", "last_applied_rrule": "FREQ=MINUTELY;INTERVAL=3",
		"progression_index": 0, "progression_minutes": [3], "reset_token": "t", "schema_version": "loopx_scheduler_state_v0", "source": "quota_scheduler_ack",
		"state_key": "scheduler_hint.codex_app.stateful_backoff", "surface": "codex_app", "updated_at": "2026-12-01T12:00:00+00:00"}}`
)

var scenarios = []scenario{
	{"spend-slot, void-slot", "[" + runEffect + "," + eventEffect + "]", false},
	{"monitor-poll", "[" + runEffect + "," + stateEffect + "," + eventEffect + "]", false},
	{"refresh-state", "[" + runEffect + "," + stateEffect + "," + syncEffect + "," + eventEffect + "]", false},
	{"todo", "[" + stateEffect + "," + eventEffect + "]", false},
	{"quota set, configure-goal, goal-lifecycle, register-agent", "[" + registryEffect + "," + syncEffect + "]", false},
	{"init", "[" + goalEffect + "," + syncEffect + "]", true},
	{"should-run with a turn id", "[" + strings.Replace(eventEffect, `"goal_id"`, `"required": true, "unique": true, "goal_id"`, 1) + "]", false},
	{"should-run --record-host-poll", "[" + pollEffect + "]", false},
	{"scheduler-ack, scheduler-fail-current", "[" + ackEffect + "]", false},
	{"doctor", "[" + releaseEffect + "]", false},
	{"history repair", "[" + repairEffect + "]", false},
}

// setUp makes the project of a scenario.
func (s scenario) setUp(t testing.TB) (dir string, targets facts.Targets) {
	t.Helper()
	if !s.blank {
		return sample(t)
	}
	dir = t.TempDir()
	return dir, blankTargets(dir)
}

func blankTargets(dir string) facts.Targets {
	return facts.Targets{
		GoalID: goal, RuntimeRoot: filepath.Join(dir, "runtime"), SourceRegistry: filepath.Join(dir, "project/.loopx/registry.json"),
		GlobalRegistry: filepath.Join(dir, "runtime/registry.global.json"), Dir: dir,
	}
}

// decided are the effects as decided on what is in the files now.
func (s scenario) decided(targets facts.Targets) ([]Effect, error) {
	of := func(path string) string {
		data, err := os.ReadFile(path)
		if err != nil {
			return ""
		}
		return digest(data)
	}
	ack := filepath.Join(targets.RuntimeRoot, "goals/demo-goal/scheduler-state/codex-alpha/codex_app/d9ad89d416adc9b2.json")
	text := strings.NewReplacer("@STATE@", of(targets.StateFile), "@REGISTRY@", of(targets.SourceRegistry), "@ACK@", of(ack), "@INDEX@", of(filepath.Join(targets.RuntimeRoot, "goals/demo-goal/runs/index.jsonl"))).Replace(s.effects)
	return Decode([]byte(text))
}

func (s scenario) run(files *Files, targets facts.Targets) (Receipt, error) {
	list, err := s.decided(targets)
	if err != nil {
		return nil, err
	}
	return Apply(ctx, files, targets, Options{Now: noon, Operation: "crash"}, list)
}

// recovered begins as the next writer does, with every lock, and ends.
func recovered(files *Files, s scenario, targets facts.Targets) error {
	locks := LockRegistry | LockState | LockIndex | LockRelease
	tx, err := files.Begin(ctx, targets, Options{Now: noon, Operation: "next", Locks: locks})
	if err != nil {
		return err
	}
	tx.End()
	return nil
}

// points are the calls of a scenario that can end it: those that change data, locks left out.
func (s scenario) points(t testing.TB) []point {
	t.Helper()
	_, targets := s.setUp(t)
	record := &seam{at: -1}
	_, err := s.run(on(record), targets)
	require.NoError(t, err)
	var out []point
	for i, step := range record.steps {
		if strings.Contains(step, "lock: ") {
			continue
		}
		out = append(out, point{i, false, step})
		if strings.HasSuffix(step, "write") || strings.HasSuffix(step, "append") {
			out = append(out, point{i, true, "half of " + step})
		}
	}
	return out
}

// point is a place between the first and the last byte of a commit: before a call, or in the middle of it.
type point struct {
	at   int
	half bool
	name string
}

// TestMain is also the process that ends itself: the environment says where.
func TestMain(m *testing.M) {
	if text := os.Getenv("LOOPX_STORE_TEST_CHILD"); text != "" {
		if err := child(strings.Split(text, "\n")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		os.Exit(0)
	}
	if memory, err := os.MkdirTemp("/dev/shm", "loopx-store"); err == nil { // a killed process loses nothing there either
		os.Setenv("TMPDIR", memory)
		_ = os.Chmod(memory, 0o755) // a user without rights may look
		code := m.Run()
		os.RemoveAll(memory)
		os.Exit(code)
	}
	os.Exit(m.Run())
}

func killSelf(string) error {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

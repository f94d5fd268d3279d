package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/isotime"
	"github.com/loopx-dev/loopx-policy/engine/facts/jsontree"
	"github.com/loopx-dev/loopx-policy/engine/facts/registry"
)

// Error codes of a write that is refused by the store.
const (
	codeUnregistered = "goal_not_registered"
	codeSource       = "goal_source_registry_unusable"
	codeIntent       = "store_intent_unreadable"
	codeUnknown      = "write_outcome_unknown"
	codeMisfit       = "effect_does_not_fit"
)

// Names of files below the runtime root (state-files.md 1.5).
const (
	indexName  = "index.jsonl"
	eventsName = "rollout-event-log.jsonl"
	intentName = ".loopx-intent.json"
)

// Files is the store of LoopX's own files.
type Files struct {
	disk     disk
	patience time.Duration
	private  func(value any) error
	released *releases
}

// New gives the store of the files.
func New() *Files { return &Files{disk: disk{system{}}, patience: lockPatience, released: &releases{}} }

// WithPrivacy has every event checked for private text before it is written.
func (s *Files) WithPrivacy(refuse func(value any) error) *Files {
	s.private = refuse
	return s
}

// Begin locks the goal and finishes what a crash left.
func (s *Files) Begin(ctx context.Context, targets facts.Targets, options Options) (Tx, error) {
	t := &tx{store: s, disk: s.disk, targets: targets, options: options}
	if options.Locks&LockIndex != 0 {
		if !registry.ValidGoalID(targets.GoalID) {
			return nil, &facts.Error{Code: facts.CodeArguments, Message: "a goal id is one path segment"}
		}
		if !targets.Registered && options.Locks&LockRegistry == 0 {
			return nil, &facts.Error{Code: codeUnregistered, Message: "no registry lists this goal, so nothing is written for it"}
		}
	}
	for {
		more, err := t.begin(ctx)
		if err == nil && more == 0 {
			return t, nil
		}
		t.End()
		if err != nil {
			return nil, refusal(err)
		}
		t.options.Locks |= more
	}
}

// tx is one goal, locked.
type tx struct {
	store   *Files
	disk    disk
	targets facts.Targets
	options Options
	held    []*held
	waited  bool

	eventsLocked bool
}

// begin takes the locks in their order and recovers. It gives the locks that recovery needs besides.
func (t *tx) begin(ctx context.Context) (more Locks, err error) {
	for _, lock := range []struct {
		bit  Locks
		step string
		path string
		dir  bool // made when it is missing
	}{
		{LockRegistry, "registry lock", t.targets.SourceRegistry, !t.targets.Registered},
		{LockState, "state lock", t.targets.StateFile, false},
		{LockIndex, "index lock", filepath.Join(t.runs(), indexName), true},
		{LockRelease, "release lock", filepath.Join(t.release(), "runs", indexName), true},
	} {
		if t.options.Locks&lock.bit == 0 {
			continue
		}
		if lock.path == "" {
			if lock.bit == LockRegistry {
				return 0, &facts.Error{Code: codeSource, Message: t.sourceProblem()}
			}
			continue // the effect will say that there is no such file
		}
		if lock.dir {
			if err := t.disk.mkdirs(lock.step, filepath.Dir(lock.path), newDir); err != nil {
				return 0, refusal(err)
			}
		}
		if err := t.take(ctx, lock.step, lock.path, t.store.patience); err != nil {
			return 0, err
		}
	}
	if t.options.Locks&LockIndex != 0 {
		if more, err = t.recover(ctx, t.goalDir()); more != 0 || err != nil {
			return more, err
		}
		if err := t.disk.mend("index", filepath.Join(t.runs(), indexName)); err != nil {
			return 0, err
		}
	}
	if t.options.Locks&LockRelease != 0 {
		if _, err := t.recover(ctx, t.release()); err != nil {
			return 0, err
		}
		return 0, t.disk.mend("release index", filepath.Join(t.release(), "runs", indexName))
	}
	return 0, nil
}

func (t *tx) take(ctx context.Context, step, path string, patience time.Duration) error {
	l := locker{disk: t.disk, operation: t.options.Operation, agent: t.targets.AgentID, patience: patience, released: t.store.released}
	h, waited, err := l.take(ctx, step, path)
	t.waited = t.waited || waited
	if err != nil {
		return err
	}
	t.held = append(t.held, h)
	return nil
}

func (t *tx) sourceProblem() string {
	if t.targets.SourceProblem != "" {
		return t.targets.SourceProblem
	}
	return "the registry that owns this goal is not known"
}

func (t *tx) goalDir() string { return filepath.Join(t.targets.RuntimeRoot, "goals", t.targets.GoalID) }

func (t *tx) runs() string { return filepath.Join(t.goalDir(), "runs") }

func (t *tx) events() string { return filepath.Join(t.goalDir(), eventsName) }

func (t *tx) release() string {
	return filepath.Join(t.targets.RuntimeRoot, "release", "promotion-readiness")
}

// Waited says that another writer had a lock first.
func (t *tx) Waited() bool { return t.waited }

// Newest is the time of the last row of the run index.
func (t *tx) Newest() time.Time {
	line, err := lastLine(filepath.Join(t.runs(), indexName))
	if err != nil || t.options.Locks&LockIndex == 0 {
		return time.Time{}
	}
	row, err := jsontree.Parse(line)
	if err != nil {
		return time.Time{} // damaged: a reader reports it
	}
	at, _ := isotime.ParseNS(row.Str("generated_at"))
	if at == 0 {
		return time.Time{}
	}
	return time.Unix(0, at)
}

// End gives the locks back, the last one first.
func (t *tx) End() {
	for i := len(t.held) - 1; i >= 0; i-- {
		t.held[i].release()
	}
	t.held, t.eventsLocked = nil, false
}

// Commit applies all effects or none.
func (t *tx) Commit(ctx context.Context, now time.Time, effects []Effect) (Receipt, error) {
	t.options.Now = now
	if missing := LocksOf(effects) &^ t.options.Locks; missing != 0 {
		return nil, fmt.Errorf("the effects need locks %b that are not held", missing)
	}
	b := &batch{tx: t, receipt: Receipt{}}
	for _, effect := range effects {
		if err := b.prepare(ctx, effect); err != nil {
			return nil, misfit(refusal(err))
		}
	}
	// Scheduler state has a lock and a digest of its own, and comes first: it can still be refused.
	for _, state := range b.scheduler {
		if err := t.putSchedulerState(ctx, state); err != nil {
			return nil, err
		}
	}
	if err := b.commit(ctx); err != nil {
		return nil, err
	}
	return b.receipt, nil
}

// misfit is the error of an effect that does not fit what is there, such as the edit of a todo that does not exist.
func misfit(err error) error {
	var refused *facts.Error
	if errors.Is(err, ErrChanged) || errors.As(err, &refused) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &facts.Error{Code: codeMisfit, Message: err.Error() + "; nothing was written", Err: err}
}

// prepare reads what an effect changes and works out the new bytes. It writes nothing.
func (b *batch) prepare(ctx context.Context, effect Effect) error {
	switch e := effect.(type) {
	case *AppendRun:
		return b.appendRun(e)
	case *EditState:
		return b.editState(e)
	case *EditRegistry:
		return b.editRegistry(e)
	case *AddGoal:
		return b.addGoal(e)
	case *SyncGlobal:
		return b.own(e.GoalID, func() error { b.sync = true; return nil })
	case *AppendEvent:
		return b.appendEvent(ctx, e)
	case *PutHostPoll:
		return b.own(e.GoalID, func() error { b.polls = append(b.polls, e); return nil })
	case *AppendReleaseRow:
		return b.appendReleaseRow(e)
	case *RewriteIndex:
		return b.rewriteIndex(e)
	case *PutSchedulerState:
		b.scheduler = append(b.scheduler, e)
		return nil
	default:
		return fmt.Errorf("the store of the files knows no %T", effect)
	}
}

// own makes sure that an effect is about the goal that is locked.
func (b *batch) own(goal string, then func() error) error {
	if goal != b.tx.targets.GoalID {
		return errors.New("an effect of another goal than the one that is locked")
	}
	return then()
}

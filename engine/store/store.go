package store

import (
	"context"
	"errors"
	"maps"
	"time"

	"github.com/loopx-dev/loopx-policy/engine/facts"
)

// ErrChanged says that a record is no longer the one that the effect was decided on. Deciding again is safe: nothing was
// written.
var ErrChanged = errors.New("the record changed since it was read")

// Store commits the effects of one goal at a time.
type Store interface {
	// Begin locks what a command may change and finishes what a crash left. It fails with the code lock_acquire_timeout
	// when another writer keeps a lock too long. The caller reads, decides, commits at most once and ends.
	Begin(ctx context.Context, targets facts.Targets, options Options) (Tx, error)
}

// Tx is a goal that no other writer changes until End.
type Tx interface {
	// Waited says that another writer had a lock first, so that what was read before may be old.
	Waited() bool
	// Newest is the time of the record that was added last, zero when there is none. A record that is dated before it would
	// sort below what it came after.
	Newest() time.Time
	// Commit applies all effects or none, as of the instant of the decision. ErrChanged says that a record is not the one that
	// was decided on.
	Commit(ctx context.Context, now time.Time, effects []Effect) (Receipt, error)
	End()
}

// Options are what Begin needs to know besides the files.
type Options struct {
	Now       time.Time
	Operation string // the command, for the records of lock holders
	Locks     Locks  // of the effects that are expected
}

// Receipt holds what the writing itself found out, by the name of the answer's field.
type Receipt map[string]any

// add puts a field in; objects of one name become one.
func (r Receipt) add(key string, value any) {
	have, one := r[key].(map[string]any)
	more, two := value.(map[string]any)
	if one && two {
		maps.Copy(have, more)
		return
	}
	r[key] = value
}

// Apply begins, commits and ends.
func Apply(ctx context.Context, s Store, targets facts.Targets, options Options, effects []Effect) (Receipt, error) {
	options.Locks |= LocksOf(effects)
	tx, err := s.Begin(ctx, targets, options)
	if err != nil {
		return nil, err
	}
	defer tx.End()
	return tx.Commit(ctx, options.Now, effects)
}

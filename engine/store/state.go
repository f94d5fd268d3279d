package store

import (
	"fmt"

	"github.com/loopx-dev/loopx-policy/engine/facts/goalstate"
	"github.com/loopx-dev/loopx-policy/engine/store/statefile"
)

func (b *batch) editState(e *EditState) error {
	return b.own(e.GoalID, func() error {
		path := b.tx.targets.StateFile
		if path == "" {
			return fmt.Errorf("state file: the goal declares none")
		}
		data, o, err := b.load(path, goalstate.MaxBytes)
		if err != nil {
			return fmt.Errorf("state file: %w", err)
		}
		if o.Before == "" || o.Before != e.Digest {
			return fmt.Errorf("state file: %w", ErrChanged)
		}
		next, err := statefile.Apply(data, e.Edits, e.UpdatedAt)
		if err != nil {
			return fmt.Errorf("state file: %w", err)
		}
		if len(next) > goalstate.MaxBytes {
			return fmt.Errorf("state file: would be larger than %d bytes", goalstate.MaxBytes)
		}
		b.receipt.add("state_file_digest", digest(next))
		if digest(next) == digest(data) {
			return nil
		}
		b.keep("state", o, next, redo{Edits: e.Edits, UpdatedAt: e.UpdatedAt})
		return nil
	})
}

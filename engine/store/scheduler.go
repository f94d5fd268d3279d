package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/loopx-dev/loopx-policy/engine/facts/safefile"
	"github.com/loopx-dev/loopx-policy/engine/facts/scheduler"
)

const maxStateBytes = 1 << 20

// PutSchedulerState replaces the scheduler state of a goal, agent and surface (state-files.md 5.1).
type PutSchedulerState struct {
	Surface  string `json:"surface"`
	StateKey string `json:"state_key"`
	// Digest is that of the valid file the effect was decided on, empty when there was none.
	Digest string          `json:"digest"`
	State  json.RawMessage `json:"state"`
}

func (e *PutSchedulerState) apply(ctx context.Context, root string) error {
	var scope struct {
		Goal  string `json:"goal_id"`
		Agent string `json:"agent_id"`
	}
	if err := json.Unmarshal(e.State, &scope); err != nil {
		return fmt.Errorf("scheduler state: %w", err)
	}
	text, err := canonical(e.State)
	if err != nil {
		return fmt.Errorf("scheduler state: %w", err)
	}
	surface := scheduler.Surface{Surface: e.Surface, StateKey: e.StateKey}
	if _, ok := scheduler.Parse(text, scope.Goal, scope.Agent, surface); !ok {
		return errors.New("scheduler state: a reader would not accept it")
	}
	path := scheduler.Path(root, scope.Goal, scope.Agent, surface)
	if err := makeDirs(filepath.Dir(path)); err != nil {
		return err
	}
	unlock, err := effectLock(ctx, path+lockSuffix, lockPatience)
	if err != nil {
		return err
	}
	defer unlock()
	data, err := safefile.Read(path, maxStateBytes)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("scheduler state: %w", err)
	}
	present := "" // also for a file that a reader does not accept
	if state, ok := scheduler.Parse(data, scope.Goal, scope.Agent, surface); ok {
		present = state.Digest
	}
	if present != e.Digest {
		return fmt.Errorf("scheduler state: %w", ErrChanged)
	}
	return replace(path, text)
}

// canonical writes JSON with sorted keys, two spaces of indentation and a final newline. Numbers keep their text.
func canonical(text []byte) ([]byte, error) {
	value, err := decode(text)
	if err != nil {
		return nil, err
	}
	return encode(value)
}

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
	"github.com/loopx-dev/loopx-policy/engine/store/jsonedit"
)

const maxStateBytes = 1 << 20

func (t *tx) putSchedulerState(ctx context.Context, e *PutSchedulerState) error {
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
	path := scheduler.Path(t.targets.RuntimeRoot, scope.Goal, scope.Agent, surface)
	if err := t.disk.mkdirs("scheduler state", filepath.Dir(path), privateDir); err != nil {
		return refusal(err)
	}
	unlock, err := t.disk.effectLock(ctx, path+lockSuffix, t.store.patience)
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
	if err := t.disk.replace("scheduler state", resolved(path), text, privateFile); err != nil {
		return refusal(err)
	}
	return nil
}

// canonical writes JSON with sorted keys, two spaces of indentation and a final newline. Numbers keep their text.
func canonical(text []byte) ([]byte, error) {
	text, err := jsonedit.Sort(text, nil)
	if err != nil {
		return nil, err
	}
	return jsonedit.Pretty(text)
}

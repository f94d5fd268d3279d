package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// ErrChanged says that a record is no longer the one that the effect was decided on. Deciding again is safe: nothing was
// written.
var ErrChanged = errors.New("the record changed since it was read")

// Effect is one change of a record. The concrete types are in this package.
type Effect interface {
	apply(ctx context.Context, root string) error
}

// Applier applies effects in order and stops at the first that fails.
type Applier interface {
	Apply(ctx context.Context, effects []Effect) error
}

// Store applies effects below a runtime root.
type Store struct{ root string }

// New gives the store of a runtime root.
func New(root string) *Store { return &Store{root: root} }

// Apply applies effects in order and stops at the first that fails.
func (s *Store) Apply(ctx context.Context, effects []Effect) error {
	for _, effect := range effects {
		if err := effect.apply(ctx, s.root); err != nil {
			return err
		}
	}
	return nil
}

// kinds makes an empty effect of each kind that a bundle may ask for.
var kinds = map[string]func() Effect{
	"put_scheduler_state": func() Effect { return &PutSchedulerState{} },
}

// Decode reads effects as a bundle writes them: a list of objects, each with its kind. An unknown kind is an error.
func Decode(text []byte) ([]Effect, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("effects: %w", err)
	}
	out := make([]Effect, len(list))
	for i, item := range list {
		var head struct {
			Kind string `json:"kind"`
		}
		if err := json.Unmarshal(item, &head); err != nil {
			return nil, fmt.Errorf("effect %d: %w", i, err)
		}
		create, known := kinds[head.Kind]
		if !known {
			return nil, fmt.Errorf("effect %d: unknown kind %q", i, head.Kind)
		}
		out[i] = create()
		if err := json.Unmarshal(item, out[i]); err != nil {
			return nil, fmt.Errorf("effect %d: %w", i, err)
		}
	}
	return out, nil
}

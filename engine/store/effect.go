package store

import (
	"encoding/json"
	"fmt"

	"github.com/loopx-dev/loopx-policy/engine/store/statefile"
)

// Effect is one change of a record, as a bundle asks for it. It names a goal and never a path.
type Effect interface{ locks() Locks }

// Locks are the locks that an effect needs, in the order in which they are taken.
type Locks uint8

// The locks of a goal. That of the run index is also the goal's own: every writer of the goal holds it.
const (
	LockRegistry Locks = 1 << iota
	LockState
	LockIndex
	LockRelease // of the release ledger, which belongs to no goal
)

// LocksOf are the locks that a list of effects needs.
func LocksOf(effects []Effect) (all Locks) {
	for _, effect := range effects {
		all |= effect.locks()
	}
	return all
}

// AppendRun adds a run: its record, the record's rendering and a row of the index (state-files.md 4).
type AppendRun struct {
	GoalID      string          `json:"goal_id"`
	Suffix      string          `json:"suffix"`
	GeneratedAt string          `json:"generated_at"`
	Record      json.RawMessage `json:"record"`
	Row         json.RawMessage `json:"row"`
	Markdown    []string        `json:"markdown"`
}

func (*AppendRun) locks() Locks { return LockIndex }

// EditState changes blocks of the state file that has the digest.
type EditState struct {
	GoalID    string           `json:"goal_id"`
	Digest    string           `json:"digest"`
	UpdatedAt string           `json:"updated_at"`
	Edits     []statefile.Edit `json:"edits"`
}

func (*EditState) locks() Locks { return LockState | LockIndex }

// EditRegistry changes values of the goal's row in its source registry. The digest is that of the row, or of the file.
type EditRegistry struct {
	GoalID string     `json:"goal_id"`
	Digest string     `json:"digest"`
	Set    []SetValue `json:"set"`
	Unset  [][]string `json:"unset"`
}

// SetValue is a value at a path of keys.
type SetValue struct {
	Path  []string        `json:"path"`
	Value json.RawMessage `json:"value"`
}

func (*EditRegistry) locks() Locks { return LockRegistry | LockIndex }

// AddGoal adds a row to the source registry and makes the goal's state file. Neither may be there.
type AddGoal struct {
	Row           json.RawMessage `json:"row"`
	StateFile     string          `json:"state_file"`
	StateFileText string          `json:"state_file_text"`
}

func (*AddGoal) locks() Locks { return LockRegistry | LockIndex }

// SyncGlobal brings the goal's row of the shared registry up to its source. A failure is in the receipt.
type SyncGlobal struct {
	GoalID string `json:"goal_id"`
}

func (*SyncGlobal) locks() Locks { return LockIndex } // the shared registry has a lock of its own

// AppendEvent adds a line to the goal's event log. Unless it is required, a failure is in the receipt.
type AppendEvent struct {
	GoalID   string          `json:"goal_id"`
	Event    json.RawMessage `json:"event"`
	Required bool            `json:"required"`
	Unique   bool            `json:"unique"`
}

func (*AppendEvent) locks() Locks { return LockIndex }

// PutHostPoll counts a poll in the goal's host poll receipt (state-files.md 5.3). A failure is in the receipt.
type PutHostPoll struct {
	GoalID  string          `json:"goal_id"`
	Receipt json.RawMessage `json:"receipt"`
}

func (*PutHostPoll) locks() Locks { return LockIndex }

// AppendReleaseRow adds a run to the shared ledger of promotion readiness.
type AppendReleaseRow struct {
	GeneratedAt string          `json:"generated_at"`
	Suffix      string          `json:"suffix"`
	Record      json.RawMessage `json:"record"`
	Row         json.RawMessage `json:"row"`
	Markdown    []string        `json:"markdown"`
}

func (*AppendReleaseRow) locks() Locks { return LockRelease }

// PutSchedulerState replaces the scheduler state of a goal, agent and surface (state-files.md 5.1).
type PutSchedulerState struct {
	Surface  string `json:"surface"`
	StateKey string `json:"state_key"`
	// Digest is that of the valid file the effect was decided on, empty when there was none.
	Digest string          `json:"digest"`
	State  json.RawMessage `json:"state"`
}

func (*PutSchedulerState) locks() Locks { return 0 } // it has a lock of its own

// kinds makes an empty effect of each kind that a bundle may ask for.
var kinds = map[string]func() Effect{
	"append_run":          func() Effect { return &AppendRun{} },
	"edit_state":          func() Effect { return &EditState{} },
	"edit_registry":       func() Effect { return &EditRegistry{} },
	"add_goal":            func() Effect { return &AddGoal{} },
	"sync_global":         func() Effect { return &SyncGlobal{} },
	"append_event":        func() Effect { return &AppendEvent{} },
	"put_host_poll":       func() Effect { return &PutHostPoll{} },
	"append_release_row":  func() Effect { return &AppendReleaseRow{} },
	"rewrite_index":       func() Effect { return &RewriteIndex{} },
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

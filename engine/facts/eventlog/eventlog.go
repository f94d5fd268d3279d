package eventlog

import (
	"encoding/json"
	"path/filepath"
	"slices"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/jsontree"
	"github.com/loopx-dev/loopx-policy/engine/facts/mention"
	"github.com/loopx-dev/loopx-policy/engine/facts/registry"
)

// Name of the file in a goal's directory below the runtime root.
const Name = "rollout-event-log.jsonl"

// maxEvents is how many events of one turn are given, the newest ones.
const maxEvents = 256

// Read gives the events of a goal whose run is the turn, newest first. A line that is no JSON object is passed over: the log
// is appended to by many tools, and a torn line is no event.
func Read(goalDir, goal, turn string) ([]facts.TraceEvent, error) {
	needle, err := json.Marshal(turn)
	if err != nil {
		return nil, err
	}
	out := []facts.TraceEvent{}
	err = mention.Lines(filepath.Join(goalDir, Name), [][]byte{needle}, func(line []byte) {
		n, err := jsontree.Parse(line)
		if err != nil || n.Kind != jsontree.Object || n.Str("run_id") != turn {
			return
		}
		if owner := n.Str("goal_id"); owner != "" && owner != goal {
			return
		}
		details := map[string]any{}
		if given := n.Get("details"); given != nil && given.Kind == jsontree.Object {
			details = given.Any().(map[string]any)
		}
		out = append(out, facts.TraceEvent{
			EventKind: n.Str("event_kind"), EventID: n.Str("event_id"), RecordedAt: n.Str("recorded_at"),
			AgentID: registry.AgentToken(n.Str("agent_id")), TodoID: n.Str("todo_id"), Details: details,
		})
	})
	slices.Reverse(out)
	return out[:min(len(out), maxEvents)], err
}

// Package inbox reads the fact file that an inbox connector leaves for a goal (decision.md fact.inbox): whether a
// direct operator message waits for a reply, and how many messages are pending. The messages themselves stay with
// the connector. A missing or malformed file, or one of another goal, says nothing.
package inbox

import (
	"path/filepath"
	"strconv"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/jsontree"
	"github.com/loopx-dev/loopx-policy/engine/facts/safefile"
)

const (
	// Schema is the schema_version of a fact file.
	Schema   = "loopx_inbox_fact_v0"
	maxBytes = 64 << 10
)

// Path is the fact file of a goal below the runtime root.
func Path(root, goal string) string { return filepath.Join(root, "goals", goal, "inbox-fact.json") }

// Read gives what the fact file of a goal says.
func Read(root, goal string) facts.Inbox {
	data, err := safefile.Read(Path(root, goal), maxBytes)
	if err != nil {
		return facts.Inbox{}
	}
	return Parse(data, goal)
}

// Parse reads a fact file: {schema_version, goal_id, reply_due, pending_count}.
func Parse(data []byte, goal string) facts.Inbox {
	n, err := jsontree.Parse(data)
	if err != nil || n.Str("schema_version") != Schema || n.Str("goal_id") != goal {
		return facts.Inbox{}
	}
	var out facts.Inbox
	if due := n.Get("reply_due"); due != nil {
		out.ReplyDue = due.Bool
	}
	if pending := n.Get("pending_count"); pending != nil && pending.Kind == jsontree.Number {
		if count, err := strconv.ParseInt(pending.Text, 10, 64); err == nil && count > 0 {
			out.PendingCount = count
		}
	}
	return out
}

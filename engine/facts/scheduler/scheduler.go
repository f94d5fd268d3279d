package scheduler

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/isotime"
	"github.com/loopx-dev/loopx-policy/engine/facts/jsontree"
	"github.com/loopx-dev/loopx-policy/engine/facts/safefile"
)

const (
	stateSchema   = "loopx_scheduler_state_v0"
	failureSchema = "scheduler_host_update_failure_v0"
	maxFailures   = 4
	maxBytes      = 1 << 20
)

// Surface is a host application whose timer the engine advises, with the place of its stored state. The list comes
// from data.loopx.settings.scheduler.surfaces.
type Surface struct {
	Surface  string `json:"surface"`
	StateKey string `json:"state_key"`
}

// Path is where the state of a goal, agent and surface lives under the runtime root.
func Path(root, goal, agent string, s Surface) string {
	sum := sha256.Sum256([]byte(s.StateKey))
	return filepath.Join(root, "goals", Segment(goal), "scheduler-state", Segment(agent), Segment(s.Surface),
		hex.EncodeToString(sum[:])[:16]+".json")
}

// Segment makes one path segment of an id: runs of other characters become a dash, dashes, dots and underscores are
// trimmed at both ends, nothing becomes "default".
func Segment(id string) string {
	var out strings.Builder
	dash := false
	for _, c := range strings.TrimSpace(id) {
		plain := c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '_' || c == '.' || c == '-'
		if plain {
			out.WriteRune(c)
		} else if !dash {
			out.WriteByte('-')
		}
		dash = !plain
	}
	if segment := strings.Trim(out.String(), "-._"); segment != "" {
		return segment
	}
	return "default"
}

// Read gives the valid state of each surface, in the order of surfaces. Without an agent there is none.
func Read(root, goal, agent string, surfaces []Surface) []facts.SchedulerState {
	out := []facts.SchedulerState{}
	if goal == "" || agent == "" {
		return out
	}
	for _, s := range surfaces {
		data, err := safefile.Read(Path(root, goal, agent, s), maxBytes)
		if err != nil {
			continue
		}
		if state, ok := Parse(data, goal, agent, s); ok {
			out = append(out, state)
		}
	}
	return out
}

// Parse reads one state file; ok is false when it is not a valid file of exactly this scope.
func Parse(data []byte, goal, agent string, s Surface) (state facts.SchedulerState, ok bool) {
	n, err := jsontree.Parse(data)
	if err != nil || n.Kind != jsontree.Object {
		return state, false
	}
	for key, want := range map[string]string{
		"schema_version": stateSchema, "goal_id": goal, "agent_id": agent, "surface": s.Surface, "state_key": s.StateKey,
	} {
		if text(n, key) != want {
			return state, false
		}
	}
	state = facts.SchedulerState{
		Surface:           s.Surface,
		StateKey:          s.StateKey,
		ResetToken:        text(n, "reset_token"),
		IdentitySignature: text(n, "identity_signature"),
		LastAppliedRRULE:  RRULE(text(n, "last_applied_rrule")),
		UpdatedAt:         text(n, "updated_at"),
		Source:            text(n, "source"),
	}
	state.UpdatedNS, _ = isotime.ParseNS(state.UpdatedAt)
	if state.ProgressionIndex, ok = integer(n.Get("progression_index"), 0); !ok {
		return state, false
	}
	if state.ProgressionMinutes, ok = minutes(n.Get("progression_minutes")); !ok {
		return state, false
	}
	if state.Failures, ok = failures(n); !ok {
		return state, false
	}
	state.Extra = extra(n)
	sum := sha256.Sum256(data)
	state.Digest = hex.EncodeToString(sum[:])[:16]
	complete := state.ResetToken != "" && state.IdentitySignature != "" &&
		(state.LastAppliedRRULE != "" || len(state.Failures) > 0)
	return state, complete
}

// known are the keys of a state file that facts.SchedulerState holds in fields of their own.
var known = []string{
	"schema_version", "goal_id", "agent_id", "surface", "state_key", "reset_token", "identity_signature", "progression_index",
	"progression_minutes", "last_applied_rrule", "updated_at", "source", "host_update_failures", "host_update_failure",
}

// extra gives the other keys, nil when there are none.
func extra(n *jsontree.Node) map[string]any {
	var out map[string]any
	for i := range n.Members {
		if key := n.Members[i].Key; !slices.Contains(known, key) {
			if out == nil {
				out = map[string]any{}
			}
			out[key] = n.Get(key).Any()
		}
	}
	return out
}

// RRULE brings a recurrence rule into its stored form: white space collapsed, a leading `RRULE:` removed.
func RRULE(rule string) string {
	rule = strings.Join(strings.Fields(rule), " ")
	return strings.TrimSpace(strings.TrimPrefix(rule, "RRULE:"))
}

// failures gives the recorded host failures, newest last; the legacy scalar is the newest of all and replaces its pair.
func failures(n *jsontree.Node) ([]facts.HostFailure, bool) {
	list := n.Get("host_update_failures")
	if list == nil {
		list = &jsontree.Node{Kind: jsontree.Array}
	}
	nodes := list.Items
	if scalar := n.Get("host_update_failure"); scalar != nil && scalar.Kind != jsontree.Null {
		nodes = append(nodes[:len(nodes):len(nodes)], scalar)
	}
	out := []facts.HostFailure{}
	for _, node := range nodes {
		failure, ok := hostFailure(node)
		if !ok {
			return nil, false
		}
		for i := range out {
			if out[i].TargetRRULE == failure.TargetRRULE && out[i].ObservedHostRRULE == failure.ObservedHostRRULE {
				out = append(out[:i], out[i+1:]...)
				break
			}
		}
		out = append(out, failure)
	}
	return out[max(0, len(out)-maxFailures):], list.Kind == jsontree.Array
}

func hostFailure(n *jsontree.Node) (facts.HostFailure, bool) {
	f := facts.HostFailure{
		TargetRRULE:       RRULE(text(n, "target_rrule")),
		ObservedHostRRULE: RRULE(text(n, "observed_host_rrule")),
		FailureKind:       text(n, "failure_kind"),
		FailedAt:          text(n, "failed_at"),
		IdentitySignature: text(n, "identity_signature"),
	}
	count, ok := integer(n.Get("failure_count"), 1)
	f.FailureCount = count
	f.FailedNS, _ = isotime.ParseNS(f.FailedAt)
	return f, ok && text(n, "schema_version") == failureSchema && f.TargetRRULE != "" && f.FailureKind != "" && f.FailedAt != ""
}

func minutes(n *jsontree.Node) ([]int64, bool) {
	if n == nil || n.Kind != jsontree.Array || len(n.Items) == 0 {
		return nil, false
	}
	out := make([]int64, len(n.Items))
	for i, item := range n.Items {
		value, ok := integer(item, 1)
		if !ok {
			return nil, false
		}
		out[i] = value
	}
	return out, true
}

func integer(n *jsontree.Node, least int64) (int64, bool) {
	if n == nil || n.Kind != jsontree.Number {
		return 0, false
	}
	value, err := strconv.ParseInt(n.Text, 10, 64)
	return value, err == nil && value >= least
}

func text(n *jsontree.Node, key string) string {
	if value := n.Get(key); value != nil && value.Kind == jsontree.String {
		return strings.TrimSpace(value.Text)
	}
	return ""
}

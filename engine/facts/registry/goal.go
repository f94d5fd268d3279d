package registry

import (
	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/jsontree"
)

// activationSchema is the only schema_version of an activation block.
const activationSchema = "loopx_goal_activation_v1"

// gateKey names the operator gate of a goal.
var gateKey = facts.KeyOf[facts.Goal]("OperatorGate")

// read fills the goal from its row (state-files.md 2.1).
func (r *row) read() {
	r.duplicateKeys()
	g, n := &r.goal.Goal, r.node
	g.Domain = r.required(n, "domain", "domain")
	g.Repo = r.required(n, "repo", "repo")
	g.StateFile = r.required(n, "state_file", "state_file")
	if g.StateFileDeclared = g.StateFile != ""; g.StateFileDeclared {
		r.goal.StateFileLine = n.Get("state_file").Line
	}
	g.DisplayName = r.text(n, "display_name", "display_name")
	g.Status = r.text(n, "status", "status")
	g.Role = r.text(n, "role", "role")
	r.adapter()
	r.activation()
	r.quota()
	r.selfRepair()
	r.attention()
	r.coordination()
	r.boundary()
	r.profile()
	r.projection()
	if guard := r.object(n, "workspace_guard_policy", "workspace_guard_policy"); guard != nil {
		g.IndependentWorktree = flag(guard, "peer_independent_worktree_required")
	}
	for _, key := range []string{"state_event_log", "state_events_file", "event_log"} {
		if r.goal.EventLog == "" {
			r.goal.EventLog = r.text(n, key, key)
		}
	}
}

// duplicateKeys reports every key of the row, at any depth, that its object already had.
func (r *row) duplicateKeys() {
	r.node.Walk(func(m *jsontree.Member) {
		if m.Duplicate {
			r.finding("registry_key_duplicate", "", m.Line, "key %q appears twice", m.Key)
		}
	})
}

// required is text that a registry row must have.
func (r *row) required(parent *jsontree.Node, key, path string) string {
	n := child(parent, key)
	text := r.text(parent, key, path)
	if n == nil || n.Kind == jsontree.String && text == "" {
		line := r.node.Line
		if n != nil {
			line = n.Line
		}
		r.finding("registry_field_missing", "", line, "goal %q has no %s", r.goal.ID, path)
	}
	return text
}

func (r *row) adapter() {
	adapter := r.object(r.node, "adapter", "adapter")
	r.goal.AdapterKind = r.required(adapter, "kind", "adapter.kind")
	r.goal.AdapterStatus = r.word(adapter, "status", "adapter.status")
}

// activation reads the block; a state that the rules do not know is theirs to report.
func (r *row) activation() {
	n := r.node.Get("activation")
	if n == nil {
		return
	}
	if n.Kind != jsontree.Object {
		r.invalid(n, "activation", "an object")
		return
	}
	schema := n.Get("schema_version")
	if textOf(schema) != activationSchema {
		if schema == nil {
			r.finding("registry_value_invalid", "", n.Line, "activation has no schema_version, want %q", activationSchema)
		} else {
			r.invalid(schema, "activation.schema_version", activationSchema)
		}
		return
	}
	state := n.Get("state")
	if state == nil || state.Kind != jsontree.String || state.Text == "" {
		r.finding("registry_value_invalid", "", n.Line, "activation has no readable state")
		return
	}
	r.goal.Activation = state.Text
	r.line("activation", state)
}

func (r *row) selfRepair() {
	plane := r.object(r.node, "control_plane", "control_plane")
	repair := r.object(plane, "self_repair", "control_plane.self_repair")
	r.goal.SelfRepair = facts.Repair{
		Enabled:                      flag(repair, "enabled"),
		AllowHealthBlockerRepair:     flag(repair, "allow_health_blocker_repair"),
		AllowWaitingProjectionRepair: flag(repair, "allow_waiting_projection_repair"),
	}
}

// attention reads the fields that override what the run history says.
func (r *row) attention() {
	g, n := &r.goal.Goal, r.node
	if waiting := n.Get("waiting_on"); waiting != nil {
		if waiting.Kind == jsontree.String && waiting.Text != "" {
			g.WaitingOn = waiting.Text
			r.line("waiting_on", waiting)
		} else {
			r.invalid(waiting, "waiting_on", "a known owner, or no key at all")
		}
	}
	g.AttentionStatus = r.text(n, "attention_status", "attention_status")
	g.OperatorQuestion = r.text(n, "operator_question", "operator_question")
	g.RecommendedAction = r.text(n, "recommended_action", "recommended_action")
	g.NextHandoffCondition = r.text(n, "next_handoff_condition", "next_handoff_condition")
	g.OperatorGate = r.text(n, gateKey, gateKey)
	g.AgentCommand = r.text(n, "agent_command", "agent_command")
	g.LifecyclePhase = r.text(n, "lifecycle_phase", "lifecycle_phase")
	g.ProgressScope = r.text(n, "progress_scope", "progress_scope")
	g.MissingGates = optional(r.list(n, "missing_gates", "missing_gates"))
	g.LifecycleFlags = optional(r.list(n, "lifecycle_flags", "lifecycle_flags"))
}

func optional(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	return list
}

// projection reads what only rows of the global registry carry, and the count of authority sources.
func (r *row) projection() {
	g, n := &r.goal.Goal, r.node
	g.SourceRegistry = r.text(n, "source_registry", "source_registry")
	g.SyncedAt = r.text(n, "synced_at", "synced_at")
	if sources := child(n, "authority_sources"); sources != nil {
		g.AuthoritySourceCount = len(sources.Items)
	} else if count, ok := wholeNumber(n.Get("authority_source_count")); ok && count >= 0 {
		g.AuthoritySourceCount = int(count)
	}
}

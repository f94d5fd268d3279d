# What the projection misses: decisions without a gate, gates without a decision, actions without a todo.
package loopx.repair

import data.loopx.attention
import data.loopx.capability_gate
import data.loopx.lib.next_action
import data.loopx.request
import data.loopx.settings
import data.loopx.todos

# --- required decisions

asking := {id | some id in todos.selectable; todos.by_id[id].required_decision_scopes}

# METADATA
# title: Required decisions that nothing answers
# description: One entry for each open todo in scope and decision, by todo and scope.
drifting := sort({{"todo_id": id, "decision_scope": text(scope)} |
	some id in asking
	some scope in todos.by_id[id].required_decision_scopes
	not answered(id, scope)
})

text(scope) := concat(":", [scope.kind, scope.granularity, scope.key])

# An open gate, or an approval on record.
answered(_, scope) if {
	some given in asked_scopes
	covers(given, scope)
}

answered(_, scope) if {
	some given in approved_scopes
	covers(given, scope)
}

answered(id, scope) if settings.repair.approval in recorded(id, scope)

# A refusal rests the todo, so it must be blocked.
answered(id, scope) if {
	todos.by_id[id].status == "blocked"
	refused(id, scope)
}

refused(_, scope) if {
	some given in refused_scopes
	covers(given, scope)
}

refused(id, scope) if count(recorded(id, scope) & {word | some word in settings.repair.refusals}) > 0

asked_scopes contains todos.by_id[id].decision_scope if some id in todos.gates

approved_scopes contains t.decision_scope if {
	some t in todos.by_id
	t.decision_outcome == settings.repair.approval
}

refused_scopes contains t.decision_scope if {
	some t in todos.by_id
	t.decision_outcome in settings.repair.refusals
}

# The todo's own record of outcomes: "<outcome>|<scope>|<source todo>".
recorded(id, scope) := {parts[0] |
	some record in todos.by_id[id].decision_scope_outcomes
	parts := split(record, "|")
	parts[1] == text(scope)
}

covers(given, required) if {
	given.kind == required.kind
	given.key in {required.key, "*"}
	settings.scope.granularity[given.granularity] >= settings.scope.granularity[required.granularity]
}

# --- gates that ask for an execution

overreaching := sort({id |
	some id in todos.gates
	gate := todos.by_id[id]
	not gate.decision_scope
	not gate.global_gate
	some token in split(replace(gate.action_kind, "-", "_"), "_")
	token in settings.repair.execution_tokens
	can_run_itself(gate.unblocks_todo_id)
})

can_run_itself(id) if {
	todo := todos.by_id[id]
	todo.claimed_by == request.agent_id
	count(todo.required_capabilities) > 0
	every capability in todo.required_capabilities {
		capability in request.capabilities
		not owner_held(capability)
	}
}

owner_held(capability) if capability_gate.class_of[capability] == "ask_owner"

# --- actions without a todo

# METADATA
# title: The Next Action has no todo
# description: |
#   {schema_version, requires_todo_expansion, target_roles, entries}: entries among the first Next Action lines that can be
#   executed while no agent todo is open, or wait for the user while no user todo is. Undefined without such entries.
# custom:
#   id: repair.projection_gap
#   sets: [state_projection_gap]
#   settings: [next_actions, user_wait]
gap := {
	"schema_version": "state_projection_gap_v0",
	"requires_todo_expansion": true,
	"target_roles": sort({entry.target_role | some entry in gap_entries}),
	"entries": sort(gap_entries),
} if {
	count(gap_entries) > 0
}

first_actions := array.slice(attention.next_actions, 0, settings.repair.next_actions)

gap_entries contains {"target_role": "agent", "text": entry} if {
	count(todos.agent_open) == 0
	some entry in first_actions
	next_action.executable(entry)
}

gap_entries contains {"target_role": "user", "text": entry} if {
	count(todos.user_open) == 0
	some entry in first_actions
	regex.match(user_wait, entry)
}

user_wait := sprintf("(?i)%s", [settings.repair.user_wait])

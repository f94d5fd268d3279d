# METADATA
# title: Agent scope
# description: |
#   The goal as one agent sees it: whether a gate of somebody else holds it back, which work an open gate leaves
#   free, and which todo is its next. Reads request, attention, quota, todos, history and the capability gate, and
#   for the selection the lane; knows nothing of the route or of hosts.
package loopx.agent_scope

import data.loopx.attention
import data.loopx.lib.rank
import data.loopx.quota
import data.loopx.request
import data.loopx.settings.scope as settings
import data.loopx.todos

# no gate of its own and no question that the goal itself asks; the registry or the run still names a person
gated_by_others if {
	quota.object.state == "operator_gate"
	asked_elsewhere
}

asked_elsewhere if {
	request.scoped
	count(todos.gates_mine) == 0
	not attention.item.operator_question
	count(object.get(attention.item, "missing_gates", [])) == 0
}

has_work if count(todos.adv | todos.mon) > 0

# what lies under the gate: no slot is left, or the turn is free
lifted := "throttled" if quota.spent >= quota.allowed

lifted := "eligible" if not quota.spent >= quota.allowed

# METADATA
# title: A gate of another agent does not stop this one
# description: When every open gate is another agent's and this agent has an executable or monitor todo.
# custom: {id: scope.override.gate, sets: [state, waiting_on, agent_scoped_user_gate_override]}
# labels: {rule: scope.override.gate}
override_row contains {"rank": 10, "value": {"kind": "gate", "state": lifted, "waiting_on": "codex"}, "rule": "scope.override.gate"} if {
	gated_by_others
	count(todos.gates_other) > 0
	has_work
}

# the state never heard of the gate, and the answer says so
override_row contains {
	"rank": 15,
	"value": {"kind": "gate", "state": quota.object.state, "waiting_on": attention.waiting_on},
	"rule": "scope.override.gate",
} if {
	asked_elsewhere
	not quota.object.state in {"paused", "blocked_health", "operator_gate"}
	count(todos.gates_other) > 0
	has_work
}

# METADATA
# title: A user action of another agent does not stop this one
# description: When no gate is open, only user actions of other agents, and this agent has work.
# custom: {id: scope.override.action, sets: [state, waiting_on, agent_scoped_user_action_override]}
# labels: {rule: scope.override.action}
override_row contains {"rank": 20, "value": {"kind": "action", "state": lifted, "waiting_on": "codex"}, "rule": "scope.override.action"} if {
	only_actions_of_others
	has_work
}

# METADATA
# title: Without work the agent waits in its own scope
# description: When no gate is open, only user actions of other agents, and this agent has no work.
# custom: {id: scope.override.action, sets: [state, waiting_on, status, agent_scoped_user_action_override]}
# labels: {rule: scope.override.action}
override_row contains {
	"rank": 30,
	"value": {"kind": "action", "state": "waiting", "waiting_on": "agent_scope", "status": "agent_scope_wait"},
	"rule": "scope.override.action",
} if {
	only_actions_of_others
	not has_work
}

only_actions_of_others if {
	gated_by_others
	count(todos.gates_other) == 0
	count(todos.actions_other) > 0
	count(todos.actions_mine) == 0
}

overriding := rank.winner(override_row)

# METADATA
# title: The override as shown
# description: "{} without one, else {gate: object} or {action: object}."
default override := {}

override := {overriding.value.kind: object.union(
	{
		"schema_version": sprintf("agent_scoped_user_%s_override_v0", [overriding.value.kind]),
		"kind": sprintf("agent_scoped_user_%s_override", [overriding.value.kind]),
		"agent_id": request.agent_id,
		"from_state": "operator_gate",
		"to_state": state,
		"reason": settings.override[overriding.value.kind],
	},
	others_count,
)}

others_count := {"other_agent_scoped_open_count": count(todos.gates_other)} if overriding.value.kind == "gate"

others_count := {"other_agent_bound_user_action_open_count": count(todos.actions_other)} if {
	overriding.value.kind == "action"
}

# METADATA
# title: An override took the operator gate away, and with it the gate's safe bypass
default overridden := false

overridden if overriding

# METADATA
# title: State after the override
# description: The override lifts only the gate; a spent share below it still throttles.
# custom: {id: state.override, sets: [state]}
state := overriding.value.state

state := quota.object.state if not overridden

# METADATA
# title: Who the goal waits on after the override
waiting_on := overriding.value.waiting_on

waiting_on := attention.waiting_on if not overridden

# METADATA
# title: Status after the override
status := overriding.value.status

status := attention.status if not overriding.value.status

# METADATA
# title: Winning rows by output field
fired := object.union(
	{field: overriding | some field in ["state", "waiting_on"]; overridden},
	{"agent_lane_next_action": row | row := selected_by},
)

# METADATA
# title: Rows that would have won without the winner
runners["agent_lane_next_action"] := rank.runner_up(selected_by_row)

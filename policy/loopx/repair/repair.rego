# METADATA
# title: Self-repair of the control plane
# description: |
#   Whether a stalled goal may spend one bounded turn on repairing its own projection, and which. A later built hint
#   stands above an earlier one: boundary, gap, then the rest. Reads opt-ins, health, attention, todos, history of
#   decisions in todos, and the write boundary; booleans of the route and hosts may not enter.
package loopx.repair

import data.loopx.agent_scope
import data.loopx.attention
import data.loopx.boundary
import data.loopx.goal
import data.loopx.health
import data.loopx.lib.rank
import data.loopx.request
import data.loopx.settings
import data.loopx.todos

enabled if goal.self_repair.enabled

# Repairs of the projection are a turn of an eligible, healthy goal that opted in.
ready if {
	enabled
	agent_scope.state == "eligible"
	health.ok
}

# METADATA
# title: The write boundary does not cover the first todo
# description: The boundary rules found a missing write scope.
# custom:
#   id: repair.boundary
#   sets: [stall_self_repair]
# labels:
#   rule: repair.boundary
hint_row contains {"rank": 10, "value": boundary.repair, "rule": "repair.boundary"}

# METADATA
# title: The Next Action has no todo
# description: |
#   The goal opted in and is eligible, a projection gap asks for todos, and neither the user nor an agent has any.
# custom:
#   id: repair.gap
#   sets: [stall_self_repair]
#   settings: [hints]
# labels:
#   rule: repair.gap
hint_row contains {"rank": 20, "value": value, "rule": "repair.gap"} if {
	ready
	gap.requires_todo_expansion
	count(todos.user_open) == 0
	count(todos.agent_open) == 0
	value := {"state_projection_gap": gap}
}

# METADATA
# title: A required decision has neither gate nor record
# description: |
#   The goal opted in and is eligible, and an open agent todo of the caller or of nobody needs a decision that no open
#   gate asks for and no approval or refusal answers; a refusal answers only while the todo is blocked.
# custom:
#   id: repair.decision_scope
#   sets: [stall_self_repair, todo_decision_scope_consistency]
#   settings: [hints, scope.granularity]
# labels:
#   rule: repair.decision_scope
hint_row contains {"rank": 30, "value": value, "rule": "repair.decision_scope"} if {
	ready
	count(drifting) > 0
	value := {"consistency": {
		"schema_version": "todo_decision_scope_consistency_v0",
		"consistent": false,
		"drifting": drifting,
	}}
}

# METADATA
# title: A user gate asks for what the agent can do itself
# description: |
#   The goal opted in and is eligible for a registered agent, and an open gate without a decision scope names an
#   execution and unblocks a todo of that agent whose capabilities are all present and none of an owner.
# custom:
#   id: repair.runtime_gate
#   sets: [stall_self_repair, notify_user_on_gate]
#   settings: [hints, execution_tokens]
# labels:
#   rule: repair.runtime_gate
hint_row contains {"rank": 40, "value": value, "rule": "repair.runtime_gate"} if {
	ready
	request.scoped
	count(overreaching) > 0
	value := {"consistency": {
		"schema_version": "runtime_user_gate_consistency_v0",
		"consistent": false,
		"gate_todo_ids": overreaching,
	}}
}

# METADATA
# title: Health findings may be repaired
# description: The goal is unhealthy, its registry row allows this repair, and at least one finding can be worked on.
# custom:
#   id: repair.health
#   sets: [stall_self_repair]
#   settings: [hints, health_items]
# labels:
#   rule: repair.health
hint_row contains {"rank": 50, "value": value, "rule": "repair.health"} if {
	enabled
	goal.self_repair.allow_health_blocker_repair
	not health.ok
	value := {"blocking_health_items": array.slice(health.items, 0, settings.repair.health_items)}
}

# METADATA
# title: A wait without an owner may be repaired
# description: |
#   The goal waits for nobody, its registry row allows this repair, no user todo is open, and there is an action or an
#   agent todo to go on with.
# custom:
#   id: repair.waiting
#   sets: [stall_self_repair]
#   settings: [hints, no_owner]
# labels:
#   rule: repair.waiting
hint_row contains {"rank": 60, "value": {}, "rule": "repair.waiting"} if {
	enabled
	goal.self_repair.allow_waiting_projection_repair
	agent_scope.state == "waiting"
	attention.waiting_on in settings.repair.no_owner
	count(todos.user_open) == 0
	something_to_go_on_with
}

something_to_go_on_with if attention.item.recommended_action

something_to_go_on_with if count(todos.agent_open) > 0

# METADATA
# title: The repair of this turn
# description: |
#   {source, trigger, recommended_mode, effective_action, allowed, notify, reason, repair_focus, spend_policy} and what
#   the row adds. Undefined when nothing is to repair.
# custom:
#   id: repair.hint
#   sets: [stall_self_repair]
#   settings: [hints, notify, spend_policy]
hint := object.union_n([
	{
		"allowed": true,
		"notify": settings.repair.notify,
		"spend_policy": settings.repair.spend_policy,
		"control_plane": {"self_repair": goal.self_repair},
	},
	object.get(settings.repair.hints, winner.rule, {}),
	winner.value,
]) if {
	winner := rank.winner(hint_row)
}

fired := {"stall_self_repair": object.union(winner, {"value": hint.trigger}) | winner := rank.winner(hint_row)}

runners := {"stall_self_repair": row | row := rank.runner_up(hint_row)}

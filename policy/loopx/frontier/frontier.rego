# METADATA
# title: Frontier
# description: |
#   What is left to do, and whether the lane must think again before it goes on: triggers in the run history and in
#   the frontier, the obligation they make, whose it is, what acknowledges it, and when nothing is left for good.
#   Reads history, todos, the agent scope and the raw lane. State and health do not enter; the route adds them.
package loopx.frontier

import data.loopx.goal
import data.loopx.lib.hash
import data.loopx.lib.rank
import data.loopx.request
import data.loopx.settings.frontier as settings
import data.loopx.todos

# the triggers that make the obligation: those of the history, else the one the frontier derives
triggers := [row.value | some row in sort(trigger_row)] if count(derived_triggers) == 0

triggers := derived_triggers if count(derived_triggers) > 0

# METADATA
# title: Identity of an obligation
# description: Stable while the same triggers stand; another acknowledgement makes another obligation.
# custom: {id: replan.obligation_id}
obligation_id(list) := concat("-", ["replan", hash.short(
	{
		"schema_version": "autonomous_replan_obligation_v0",
		"agent_id": object.get(list[0], "agent_id", null),
		"frontier_identity": object.get(list[0], "frontier_identity", null),
		"rearmed_after_obligation_id": rearmed_after,
		"trigger_identity": [identity |
			some trigger in list
			identity := [[name, object.get(trigger, name, null)] | some name in identity_fields]
		],
	},
	16,
)])

identity_fields := ["kind", "frontier_identity", "monitor_target_id", "progress_fingerprint", "agent_id"]

default rearmed_after := null

rearmed_after := last_ack_row.ack.semantic_obligation_id

rearmed_after := last_ack_row.replan_obligation_id if not last_ack_row.ack.semantic_obligation_id

# METADATA
# title: The lane must replan
# description: |
#   Undefined without a trigger, and when a successor todo of this agent is the receipt. It carries what to do about
#   it; whether it is this agent's is said by scope.
# custom: {id: replan.obligation, sets: [autonomous_replan_obligation]}
# labels: {rule: replan.obligation}
obligation := object.union_n([
	{
		"schema_version": "autonomous_replan_obligation_v0",
		"required": true,
		"obligation_id": obligation_id(triggers),
		"stall_threshold": triggers[0].stall_threshold,
		"trigger_count": triggers[0].trigger_count,
		"triggers": triggers,
		"guidance_actions": settings.guidance,
		"todo_actions": object.get(settings.todo_actions, triggers[0].kind, settings.todo_actions.default),
		"stop_condition": settings.stop_condition,
		"recommended_action": settings.recommended_action,
	},
	object.filter(triggers[0], ["agent_id", "frontier_identity"]),
	detector,
	{"replan_ack_feedback": note | note := feedback},
]) if {
	count(triggers) > 0
	not receipt
}

detector := {"dead_monitor_detector": object.union(
	object.filter(triggers[0], ["monitor_target_id", "trigger_count", "stall_threshold"]),
	{"schema_version": "dead_monitor_detector_v0", "required_resolution": settings.required_resolution},
)} if {
	triggers[0].kind == "dead_monitor_repeat"
}

detector := {} if triggers[0].kind != "dead_monitor_repeat"

# METADATA
# title: A successor todo is a receipt
# description: An open own advancement todo with this obligation's id, an action kind and a target.
# custom: {id: replan.ack.successor}
receipt := id if {
	some id in (todos.adv & todos.own)
	todo := todos.by_id[id]
	todo.replan_obligation_id == obligation_id(triggers)
	todo.action_kind
	targeted(todo)
}

targeted(todo) if todo.target_key

targeted(todo) if count(todo.explore_result_node_refs) > 0

default required := false

# METADATA
# title: A replan is owed
required if obligation

# METADATA
# title: No obligation, no scope
# description: When nothing is owed.
# custom: {id: replan.scope.not_required, sets: [autonomous_replan_scope]}
# labels: {rule: replan.scope.not_required}
scope_row contains {"rank": 10, "value": {"applies": false, "reason": "not_required"}, "rule": "replan.scope.not_required"} if {
	not required
}

# METADATA
# title: A call without an agent takes every obligation
# description: When the call names no agent.
# custom: {id: replan.scope.unscoped, sets: [autonomous_replan_scope]}
# labels: {rule: replan.scope.unscoped}
scope_row contains {"rank": 20, "value": {"applies": true, "reason": "unscoped_quota_call"}, "rule": "replan.scope.unscoped"} if {
	not request.scoped
}

# METADATA
# title: An obligation with owners is theirs
# description: When a trigger names an agent.
# custom: {id: replan.scope.owner, sets: [autonomous_replan_scope]}
# labels: {rule: replan.scope.owner}
scope_row contains {
	"rank": 30,
	"value": {"applies": request.agent_id in owners, "reason": "explicit_agent_owner", "owner_agents": sort(owners)},
	"rule": "replan.scope.owner",
} if {
	count(owners) > 0
}

# METADATA
# title: An obligation of nobody goes to one peer
# description: When no trigger names an agent; the obligation's hash picks one of the sorted roster.
# custom: {id: replan.scope.peer, sets: [autonomous_replan_scope]}
# labels: {rule: replan.scope.peer}
scope_row contains {
	"rank": 40,
	"value": {"applies": request.agent_id == assigned, "reason": "deterministic_peer_assignment", "assigned_agent": assigned},
	"rule": "replan.scope.peer",
} if {
	assigned
}

owners contains trigger.agent_id if some trigger in triggers

assigned := peer(triggers) if {
	request.scoped
	required
}

# first eight bytes of the hash modulo the number of agents, in halves so that every product is exact
peer(list) := goal.agents[((high * (4294967296 % n)) + low) % n] if {
	n := count(goal.agents)
	n > 0
	digest := crypto.sha256(obligation_id(list))
	high := hash.number(substring(digest, 0, 8)) % n
	low := hash.number(substring(digest, 8, 8))
}

# METADATA
# title: Whose obligation it is
scope := object.union_n([
	{"schema_version": "autonomous_replan_scope_v0", "required": required},
	{"agent_id": request.agent_id | request.scoped},
	rank.winner(scope_row).value,
])

# METADATA
# title: The obligation is this call's
applies := scope.applies

# METADATA
# title: Winning rows by output field
fired := object.union_n([
	{"autonomous_replan_scope": rank.winner(scope_row), "goal_frontier_projection": frontier_rule},
	{"autonomous_replan_obligation": row | row := deciding},
	{"goal_frontier_projection.terminal_state": {"rank": 10, "value": true, "rule": "terminal.no_followup"} | terminal},
])

deciding := rank.winner(trigger_row) if count(derived_triggers) == 0

deciding := frontier_rule if count(derived_triggers) > 0

# METADATA
# title: Rows that would have won without the winner
runners := object.union(
	{"goal_frontier_projection": row | row := rank.runner_up(frontier_row)},
	{"autonomous_replan_obligation": row | row := rank.runner_up(trigger_row)},
)

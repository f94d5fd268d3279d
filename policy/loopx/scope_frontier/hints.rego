package loopx.scope_frontier

import data.loopx.attention
import data.loopx.history
import data.loopx.lib.rank
import data.loopx.request
import data.loopx.settings.scope as settings
import data.loopx.todos
import data.loopx.work_lane_contract

# --- agent_lane_frontier_hint

# METADATA
# title: Claim the selected todo first
# description: When the next action is unclaimed.
# custom: {id: frontier.hint.claim, sets: [agent_lane_frontier_hint]}
# labels: {rule: frontier.hint.claim}
hint_row contains hinted(10, "claim", "claim_unowned_in_scope", "unclaimed_advancement_selected", id) if {
	id := next_action.todo_id
	next_action.claim_required_before_work
}

# METADATA
# title: Say whether anything follows the hand-off
# custom: {id: frontier.hint.cleared_handoff, sets: [agent_lane_frontier_hint]}
# labels: {rule: frontier.hint.cleared_handoff}
hint_row contains hinted(20, "cleared_handoff", "record_no_followup", "cleared_handoff_without_successor", ids[0]) if {
	winning.rule == "frontier.cleared_handoff"
}

# METADATA
# title: Free the todo from the monitor
# custom: {id: frontier.hint.monitor_gate, sets: [agent_lane_frontier_hint]}
# labels: {rule: frontier.hint.monitor_gate}
hint_row contains hinted(30, "monitor_gate", "add_next_advancement", "resume_blocked_by_open_monitor", ids[0]) if {
	winning.rule == "frontier.monitor_gate"
}

# METADATA
# title: Settle the ready successor
# custom: {id: frontier.hint.successor, sets: [agent_lane_frontier_hint]}
# labels: {rule: frontier.hint.successor}
hint_row contains hinted(40, "successor", "add_next_advancement", "successor_replan_required", ids[0]) if {
	winning.rule in {"frontier.deferred", "frontier.priority"}
}

# METADATA
# title: The successor resumes by itself
# custom: {id: frontier.hint.blocked_successor, sets: [agent_lane_frontier_hint]}
# labels: {rule: frontier.hint.blocked_successor}
hint_row contains hinted(50, "blocked_successor", "quiet_noop_blocker", "blocked_successor_resume_pending", ids[0]) if {
	winning.rule == "frontier.blocked_successor"
}

# METADATA
# title: A peer has to move first
# custom: {id: frontier.hint.other_agent, sets: [agent_lane_frontier_hint]}
# labels: {rule: frontier.hint.other_agent}
hint_row contains hinted(60, "other_agent", "quiet_noop_blocker", "blocked_by_other_agent_frontier", ids[0]) if {
	winning.rule in {"frontier.handoff", "frontier.other"}
}

# METADATA
# title: Nothing in the goal is for this agent
# custom: {id: frontier.hint.no_advancement, sets: [agent_lane_frontier_hint]}
# labels: {rule: frontier.hint.no_advancement}
hint_row contains hinted(70, "no_advancement", "add_next_advancement", "no_current_agent_advancement_todo", null) if {
	winning.rule == "frontier.excluded"
}

# METADATA
# title: The lane has run out of todos
# custom: {id: frontier.hint.exhausted, sets: [agent_lane_frontier_hint]}
# labels: {rule: frontier.hint.exhausted}
hint_row contains hinted(80, "exhausted", "add_next_advancement", "agent_scope_exhausted", null) if {
	winning.rule == "frontier.exhausted"
}

# METADATA
# title: Only monitors of this agent are left
# description: When no frontier is built, the agent repairs no monitor and holds nothing but monitors.
# custom: {id: frontier.hint.only_monitors, sets: [agent_lane_frontier_hint]}
# labels: {rule: frontier.hint.only_monitors}
hint_row contains hinted(
	90,
	"only_monitors",
	"quiet_noop_blocker",
	"only_current_agent_monitor_work_remains",
	null,
) if {
	request.scoped
	not action
	not repairs_monitor
	count(todos.adv) == 0
	count(todos.mon & todos.own) > 0
}

hinted(at, rule, decision, reason, id) := {
	"rank": at,
	"rule": concat(".", ["frontier.hint", rule]),
	"value": {"decision": decision, "reason_code": reason, "todo": id},
}

# METADATA
# title: What would give the lane its next todo
# description: Advisory; undefined when nothing is to be said.
hint := object.union_n([
	{
		"schema_version": "agent_lane_frontier_hint_v0",
		"agent_id": request.agent_id,
		"agent_model": "peer_v1",
		"decision": hint_won.decision,
		"reason_code": hint_won.reason_code,
		"source": hint_source,
		"quiet_noop_allowed": hint_quiet,
		"uses_structured_frontier": true,
	},
	{"target_todo_id": hint_won.todo | hint_won.todo != null},
])

hint_won := rank.winner(hint_row).value

hint_source := "agent_scope_frontier" if action

hint_source := "agent_lane_next_action" if next_action

hint_source := "agent_todo_summary" if {
	not action
	not next_action
}

hint_quiet := not_replans if action

hint_quiet := false if next_action

hint_quiet := monitor_quiet if {
	not action
	not next_action
}

default monitor_quiet := true

monitor_quiet := false if work_lane_contract.raw.lane == "advancement_task"

# --- goal_route_hint

# METADATA
# title: Claim, then run
# custom: {id: route_hint.claim, sets: [goal_route_hint.route_decision]}
# labels: {rule: route_hint.claim}
route_row contains {"rank": 10, "value": "claim_then_run_current_agent", "rule": "route_hint.claim"} if {
	next_action.claim_required_before_work
}

# METADATA
# title: Run the own lane
# custom: {id: route_hint.run, sets: [goal_route_hint.route_decision]}
# labels: {rule: route_hint.run}
route_row contains {"rank": 20, "value": "run_current_agent_lane", "rule": "route_hint.run"} if next_action

# METADATA
# title: Follow the frontier
# custom: {id: route_hint.frontier, sets: [goal_route_hint.route_decision]}
# labels: {rule: route_hint.frontier}
route_row contains {"rank": 30, "value": action, "rule": "route_hint.frontier"} if action

# METADATA
# title: Leave the work to those who hold it
# description: When other agents hold advancement or a hand-off excludes this agent.
# custom: {id: route_hint.wait, sets: [goal_route_hint.route_decision]}
# labels: {rule: route_hint.wait}
route_row contains {"rank": 40, "value": "wait_or_reassign_other_agent_lane", "rule": "route_hint.wait"} if {
	count(held_by_others) + count(blocking_handoffs) > 0
}

# METADATA
# title: Claim what nobody has
# custom: {id: route_hint.unclaimed, sets: [goal_route_hint.route_decision]}
# labels: {rule: route_hint.unclaimed}
route_row contains {"rank": 50, "value": "claim_unowned_in_scope", "rule": "route_hint.unclaimed"} if {
	count(todos.adv & todos.unclaimed) > 0
}

# METADATA
# title: The goal's own Next Action
# custom: {id: route_hint.durable, sets: [goal_route_hint.route_decision]}
# labels: {rule: route_hint.durable}
route_row contains {"rank": 60, "value": "durable_goal_route", "rule": "route_hint.durable"}

default blocking_handoffs := set()

blocking_handoffs := handoffs.blocking

# METADATA
# title: How the lanes of the goal fit together
# description: Agent-scoped and advisory; the goal's Next Action stays as it is.
# custom: {sets: [goal_route_hint], settings: [scope.route_hint, scope.visible]}
route_hint := object.union_n([
	{
		"schema_version": "goal_route_hint_v0",
		"kind": "agent_lane_synthesis",
		"agent_id": request.agent_id,
		"agent_model": "peer_v1",
		"route_decision": route_decision,
		"reason": route_reason,
		"preserves_goal_next_action": true,
		"goal_next_action_mutation": "none",
		"counts": object.union(counts, {
			"other_agent_claimed_advancement_count": count(held_by_others),
			"blocking_handoff_gate_count": count(blocking_handoffs),
		}),
		"selected_action_differs_from_durable": differs,
		"has_durable_next_action": has_durable,
		"has_latest_run_recommended_action": has_recommended,
	},
	{"current_agent_next_action": object.filter(value, settings.route_hint_fields) | value := next_action},
	peers("other_agent_next_actions", held_by_others),
	peers("unclaimed_next_actions", (todos.adv & todos.unclaimed) - {next_action.todo_id | next_action}),
	peers("blocking_handoff_gates", blocking_handoffs),
	{"frontier_hint": value | value := hint},
]) if {
	request.scoped
}

route_decision := rank.winner(route_row).value

route_reason := settings.route_hint[route_decision]

route_reason := texts.reason if route_decision == action

default has_durable := false

has_durable if attention.item.next_action

default has_recommended := false

has_recommended if history.latest_run_recommended_action

default differs := false

differs if {
	has_durable
	next_action
	not next_action.todo_id in todos.next_action_executable
}

peers(name, some_ids) := {name: [object.union({"todo_id": id}, object.filter(todos.by_id[id], settings.route_hint_todo)) |
	some id in array.slice(todos.projection(some_ids), 0, settings.visible)
]} if {
	count(some_ids) > 0
}

peers(_, some_ids) := {} if count(some_ids) == 0

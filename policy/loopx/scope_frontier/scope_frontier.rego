# METADATA
# title: Frontier of an agent's scope
# description: |
#   What an agent-scoped turn does when its scope has nothing to run, or when a deferred successor outranks what it
#   has. Reads the route, the quiet test, todos and the agent scope. It decides for eligible, healthy, normal turns
#   only, so it opens nothing that a gate, the quota or a repair closed. Route continuation rows (frontier.route) are
#   an extra outside the product documents and are not read.
package loopx.scope_frontier

import data.loopx.agent_scope
import data.loopx.heartbeat
import data.loopx.lib.rank
import data.loopx.quiet
import data.loopx.request
import data.loopx.route
import data.loopx.settings.scope as settings
import data.loopx.todos
import data.loopx.work_lane_contract

open_turn if {
	request.scoped
	route.normal
	not route.reply
}

# nothing is selected and the agent repairs no monitor of its own
without_candidate if {
	open_turn
	not agent_scope.next_action
	not repairs_monitor
	count(todos.adv) + todos.hidden_count == 0
}

repairs_monitor if work_lane_contract.raw.obligation in settings.monitor_repairs

# a quiet wait stands unless something may wake
beyond_quiet if {
	without_candidate
	not quiet.holds_apart_from_deferred
}

# METADATA
# title: Deferred todos that may wake this agent
# description: Own or unclaimed, ready, not excluded. Without open advancement, or ahead of it, they need a lifecycle step.
# custom: {id: resume.successor}
ready := todos.deferred_ready_mine

excluding_me contains id if {
	some id in todos.advancement
	request.agent_id in todos.by_id[id].excluded_agents
}

held_by_others := todos.advancement & todos.others

# METADATA
# title: Hand-offs that exclude this agent, by state
# description: One closed with no follow-up has a state of its own and wakes nobody.
# custom: {id: resume.exits}
handoffs[state] contains id if {
	some id, state in todos.handoff_gates
	request.agent_id in todos.by_id[id].excluded_agents
}

row(at, rule, action, list, ids) := {
	"rank": at,
	"rule": rule,
	"value": {"action": action, "list": list, "ids": ids},
}

# METADATA
# title: A ready deferred successor outranks the selected todo
# description: When a todo is selected and the first ready own or unclaimed deferred one has a strictly higher priority.
# custom: {id: frontier.priority, sets: [agent_scope_frontier, effective_action, selected_todo]}
# labels: {rule: frontier.priority}
frontier_row contains row(10, "frontier.priority", "successor_replan_required", "deferred_resume_candidates", ready) if {
	open_turn
	todos.by_id[ready[0]].rank < todos.by_id[agent_scope.next_action.todo_id].rank
}

# METADATA
# title: Advancement waits for a monitor that never ends
# description: When an own or unclaimed advancement todo resumes on an open monitor.
# custom: {id: frontier.monitor_gate, sets: [agent_scope_frontier, effective_action]}
# labels: {rule: frontier.monitor_gate}
frontier_row contains row(20, "frontier.monitor_gate", "successor_replan_required", "monitor_blocked_resume_candidates", ids) if {
	without_candidate
	count(todos.resume_blocked_by_monitor) > 0
	ids := todos.projection(todos.resume_blocked_by_monitor)
}

# METADATA
# title: A deferred todo may resume
# description: When a ready deferred todo is own or unclaimed and does not exclude this agent.
# custom: {id: frontier.deferred, sets: [agent_scope_frontier, effective_action, selected_todo]}
# labels: {rule: frontier.deferred}
frontier_row contains row(30, "frontier.deferred", "successor_replan_required", "deferred_resume_candidates", ready) if {
	without_candidate
	count(ready) > 0
}

# METADATA
# title: The successor waits for its exact condition
# description: When an own or unclaimed successor is blocked by a supported condition that is no monitor.
# custom: {id: frontier.blocked_successor, sets: [agent_scope_frontier, effective_action]}
# labels: {rule: frontier.blocked_successor}
frontier_row contains row(40, "frontier.blocked_successor", "agent_scope_wait", "blocked_successor_wait_candidates", ids) if {
	beyond_quiet
	ids := todos.blocked_successors
	count(ids) > 0
}

# METADATA
# title: Work was handed to a peer and is not done
# description: When a blocking hand-off gate excludes this agent.
# custom: {id: frontier.handoff, sets: [agent_scope_frontier, effective_action]}
# labels: {rule: frontier.handoff}
frontier_row contains row(60, "frontier.handoff", "agent_scope_wait", "blocking_handoff_gates", ids) if {
	beyond_quiet
	ids := todos.projection(handoffs.blocking)
}

# METADATA
# title: The hand-off is done and says nothing of what follows
# description: When a gate that excludes this agent was cleared without successor; a no-follow-up wakes nobody.
# custom: {id: frontier.cleared_handoff, sets: [agent_scope_frontier, effective_action]}
# labels: {rule: frontier.cleared_handoff}
frontier_row contains row(
	70,
	"frontier.cleared_handoff",
	"successor_replan_required",
	"cleared_without_successor_handoff_gates",
	ids,
) if {
	beyond_quiet
	ids := todos.projection(handoffs.cleared_without_successor)
}

# METADATA
# title: A peer holds work that excludes this agent
# description: When an advancement todo of another agent excludes this one.
# custom: {id: frontier.other, sets: [agent_scope_frontier, effective_action]}
# labels: {rule: frontier.other}
frontier_row contains row(80, "frontier.other", "agent_scope_wait", "other_agent_claimed_items", ids) if {
	beyond_quiet
	count(held_by_others & excluding_me) > 0
	ids := todos.projection(held_by_others & excluding_me)
}

# METADATA
# title: Peers hold all the work
# description: When other agents hold advancement todos.
# custom: {id: frontier.other, sets: [agent_scope_frontier, effective_action]}
# labels: {rule: frontier.other}
frontier_row contains row(81, "frontier.other", "reassignment_required", "other_agent_claimed_items", ids) if {
	beyond_quiet
	count(held_by_others) > 0
	ids := todos.projection(held_by_others)
}

# METADATA
# title: An advancement lane without a candidate
# description: When the lane must advance and nothing is selectable; a lane that owes the next todo itself goes on.
# custom: {id: frontier.exhausted, sets: [agent_scope_frontier, effective_action]}
# labels: {rule: frontier.exhausted}
frontier_row contains row(90, "frontier.exhausted", "agent_scope_exhausted", "", []) if {
	beyond_quiet
	work_lane_contract.raw.lane == "advancement_task"
	work_lane_contract.raw.must_attempt_work
	work_lane_contract.raw.obligation != "materialize_advancement_todo_or_blocker"
}

# METADATA
# title: Every open advancement todo excludes this agent
# description: When advancement is open and all of it excludes this agent.
# custom: {id: frontier.excluded, sets: [agent_scope_frontier, effective_action]}
# labels: {rule: frontier.excluded}
frontier_row contains row(100, "frontier.excluded", "agent_scope_wait", "excluding_items", ids) if {
	beyond_quiet
	count(excluding_me) > 0
	excluding_me == todos.advancement
	ids := todos.projection(excluding_me)
}

# METADATA
# title: The shared Next Action alone is no work of one agent
# description: |
#   When agent todos are open and none is for this agent, so that a steering audit over the Next Action would be left. A
#   step that the heartbeat names, and a lane that must be attempted, go on.
# custom: {id: frontier.exhausted, sets: [agent_scope_frontier, effective_action]}
# labels: {rule: frontier.exhausted}
frontier_row contains row(110, "frontier.exhausted", "agent_scope_exhausted", "", []) if {
	beyond_quiet
	not work_lane_contract.raw.must_attempt_work
	heartbeat.base_winner.rule == "hb.default"
	count(todos.agent_open) > 0
}

# METADATA
# title: The row that decides
# description: Undefined when the scope has its own work or nothing matches.
winning := rank.winner(frontier_row)

# METADATA
# title: What the turn does about its scope
# description: Undefined without a frontier.
action := winning.value.action

replans if action == "successor_replan_required"

ids := winning.value.ids

owners := sort({todos.by_id[id].claimed_by | some id in ids})

owner_text := concat(", ", owners) if count(owners) > 0

owner_text := settings.nobody if count(owners) == 0

default shown_id := ""

shown_id := ids[0]

texts := {name: text |
	some name, template in settings.frontier[winning.rule]
	text := strings.replace_n({"{todo}": shown_id, "{owner}": owner_text}, template)
}

counts := {
	"current_agent_claimed_advancement_count": count(todos.adv & todos.own),
	"unclaimed_advancement_count": count(todos.adv & todos.unclaimed),
}

# METADATA
# title: Frontier of the agent's scope as shown
# custom: {sets: [agent_scope_frontier], settings: [scope.frontier, scope.visible]}
frontier := object.union_n([
	texts,
	{
		"schema_version": "agent_scope_frontier_v0",
		"agent_id": request.agent_id,
		"action": action,
		"effective_action": action,
		"blocks_delivery": true,
		"quiet_noop_allowed": not_replans,
		"candidate_counts": object.union(counts, listed_count),
	},
	{"requires_replan": true | replans},
	listed,
	claimants,
	preempted,
	{"frontier_hint": value | value := hint},
])

default not_replans := true

not_replans := false if replans

listed := {winning.value.list: [todos.item(id) | some id in array.slice(ids, 0, settings.visible)]} if count(ids) > 0

listed := {} if count(ids) == 0

listed_count := {concat("", [winning.value.list, "_count"]): count(ids)} if count(ids) > 0

listed_count := {} if count(ids) == 0

claimants := {} if winning.rule in {"frontier.priority", "frontier.monitor_gate", "frontier.deferred"}

claimants := {"other_claimants": owners, "blocking_handoff_claimants": owners} if winning.rule == "frontier.handoff"

claimants := {"other_claimants": owners} if {
	not winning.rule in {"frontier.priority", "frontier.monitor_gate", "frontier.deferred", "frontier.handoff"}
}

preempted := {
	"priority_preemption": true,
	"preempted_open_candidate": todos.item(agent_scope.next_action.todo_id),
} if {
	winning.rule == "frontier.priority"
}

preempted := {} if winning.rule != "frontier.priority"

# METADATA
# title: The next action after the frontier
# description: A frontier clears it; undefined then, and when none was selected.
next_action := agent_scope.next_action if not action

# METADATA
# title: The todo this turn is about
# description: |
#   In a successor replan the first ready deferred todo, which does not become executable in place; in another
#   frontier none; else what the agent scope selected. Undefined when there is none.
# custom: {id: resume.lifecycle_only, sets: [selected_todo]}
selected_todo := agent_scope.selected_todo if not action

selected_todo := object.union(todos.item(ready[0]), {
	"schema_version": "quota_selected_todo_v0",
	"source": "deferred_resume_candidates",
	"agent_id": request.agent_id,
}) if {
	replans
}

# METADATA
# title: Winning rows by output field
fired := object.union_n([
	{"agent_scope_frontier": value | value := winning},
	{"agent_lane_frontier_hint": value | value := rank.winner(hint_row)},
	{"goal_route_hint": value | value := rank.winner(route_row)},
])

# METADATA
# title: Rows that would have won without the winner
runners := {"agent_scope_frontier": value | value := rank.runner_up(frontier_row)}

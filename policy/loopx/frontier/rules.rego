package loopx.frontier

import data.loopx.lib.rank
import data.loopx.request
import data.loopx.settings.frontier as settings
import data.loopx.todos
import data.loopx.work_lane_contract

# a monitor that only watches is no work of the lane
monitors contains id if {
	some id in todos.mon
	not todos.by_id[id].watch_only
}

future_monitors := (monitors - todos.due) - todos.schedule_gap

monitor_lane if work_lane_contract.raw.lane == "continuous_monitor"

scoped_monitor_lane if {
	request.scoped
	monitor_lane
}

blocking_handoffs contains id if {
	some id, state in todos.handoff_gates
	state == "blocking"
	request.agent_id in todos.by_id[id].excluded_agents
}

own_blockers := (todos.actionable & todos.own) & object.get(todos.by_class, "blocker", set())

ready := todos.deferred_ready_mine

# METADATA
# title: What the frontier itself asks for
# description: The first row of the table says whether an obligation derives from the frontier and which.
frontier_rule := rank.winner(frontier_row)

derived_triggers := [object.union(
	trigger(frontier_rule.value, frontier_measure[0], frontier_measure[1], {}),
	{"agent_id": request.agent_id | request.scoped},
)] if {
	frontier_rule.value != ""
}

derived_triggers := [] if frontier_rule.value == ""

# what was counted, and the threshold it reached
default frontier_measure := [1, 1]

frontier_measure := [count(unsettled), 1] if frontier_rule.value == "todo_succession_gap"

frontier_measure := [count(open_gaps), 1] if frontier_rule.value == "vision_acceptance_gap"

frontier_measure := [selectable_advancement, settings.long_chain.advancement] if frontier_rule.value == "long_todo_chain"

frontier_measure := [unchanged_monitor.consecutive_no_change, settings.no_change] if {
	frontier_rule.value == "monitor_no_change_streak"
}

# METADATA
# title: An obligation of the history stands
# description: When the run history has triggers and their scope is this call.
# custom: {id: replan.frontier.existing_obligation, sets: [autonomous_replan_obligation]}
# labels: {rule: replan.frontier.existing_obligation}
frontier_row contains {"rank": 10, "value": "", "rule": "replan.frontier.existing_obligation"} if {
	count(trigger_row) > 0
	history_applies
}

# METADATA
# title: An open hand-off holds this agent
# description: When a blocking hand-off gate excludes this agent.
# custom: {id: replan.frontier.blocking_handoff_gate, sets: [autonomous_replan_obligation]}
# labels: {rule: replan.frontier.blocking_handoff_gate}
frontier_row contains {"rank": 20, "value": "", "rule": "replan.frontier.blocking_handoff_gate"} if {
	count(blocking_handoffs) > 0
}

# METADATA
# title: A deferred successor may wake
# description: When a ready deferred todo is own or unclaimed.
# custom: {id: replan.frontier.ready_deferred_successor, sets: [autonomous_replan_obligation]}
# labels: {rule: replan.frontier.ready_deferred_successor}
frontier_row contains {"rank": 30, "value": "", "rule": "replan.frontier.ready_deferred_successor"} if {
	count(ready) > 0
}

# METADATA
# title: The user has to decide first
# description: When a user gate is open in this scope.
# custom: {id: replan.frontier.open_user_todo, sets: [autonomous_replan_obligation]}
# labels: {rule: replan.frontier.open_user_todo}
frontier_row contains {"rank": 40, "value": "", "rule": "replan.frontier.open_user_todo"} if {
	count(todos.gates_mine) > 0
}

# METADATA
# title: Work ended without saying what comes next
# description: When completed advancement has neither successor nor no-follow-up, none is open and no replan answered.
# custom: {id: replan.frontier.todo_succession_gap, sets: [autonomous_replan_obligation], settings: [frontier.lifecycle_metadata]}
# labels: {rule: replan.frontier.todo_succession_gap}
frontier_row contains {"rank": 50, "value": "todo_succession_gap", "rule": "replan.frontier.todo_succession_gap"} if {
	not advancement_anywhere
	count(unsettled) > 0
	not recently_acknowledged
}

# METADATA
# title: The vision's acceptance is open and nothing works on it
# description: When an acceptance gap is newer than the last replan and this agent has no advancement todo.
# custom: {id: replan.frontier.vision_acceptance_gap, sets: [autonomous_replan_obligation]}
# labels: {rule: replan.frontier.vision_acceptance_gap}
frontier_row contains {"rank": 60, "value": "vision_acceptance_gap", "rule": "replan.frontier.vision_acceptance_gap"} if {
	count(open_gaps) > 0
	not gaps_acknowledged
	selectable_advancement == 0
}

# METADATA
# title: The chain of todos is too long
# description: When too many todos are selectable and no recent replan answered.
# custom: {id: replan.frontier.long_todo_chain, sets: [autonomous_replan_obligation], settings: [frontier.long_chain]}
# labels: {rule: replan.frontier.long_todo_chain}
frontier_row contains {"rank": 70, "value": "long_todo_chain", "rule": "replan.frontier.long_todo_chain"} if {
	long_chain
	not recently_acknowledged
}

# METADATA
# title: A blocker of this agent is written
# description: When an own blocker todo is open.
# custom: {id: replan.frontier.current_agent_blocker, sets: [autonomous_replan_obligation]}
# labels: {rule: replan.frontier.current_agent_blocker}
frontier_row contains {"rank": 80, "value": "", "rule": "replan.frontier.current_agent_blocker"} if {
	count(own_blockers) > 0
}

# METADATA
# title: A lane of monitors counts no change
# description: When a monitor has counted enough unchanged polls and the history's obligation is another peer's.
# custom: {id: replan.frontier.monitor_no_change_streak, sets: [autonomous_replan_obligation], settings: [frontier.no_change]}
# labels: {rule: replan.frontier.monitor_no_change_streak}
frontier_row contains {
	"rank": 90,
	"value": "monitor_no_change_streak",
	"rule": "replan.frontier.monitor_no_change_streak",
} if {
	monitor_lane
	no_change_armed
}

# METADATA
# title: Only the user can act
# description: When a user todo is open, no advancement is and no agent lane of monitors still owes its replan.
# custom: {id: replan.frontier.user_action_owns_empty_frontier, sets: [autonomous_replan_obligation]}
# labels: {rule: replan.frontier.user_action_owns_empty_frontier}
frontier_row contains {"rank": 100, "value": "", "rule": "replan.frontier.user_action_owns_empty_frontier"} if {
	todos.user_open_count > 0
	not advancement_anywhere
	not unacknowledged_monitor_lane
}

# METADATA
# title: The lane does more than watch
# description: When the lane is no monitor lane.
# custom: {id: replan.frontier.not_monitor_only, sets: [autonomous_replan_obligation]}
# labels: {rule: replan.frontier.not_monitor_only}
frontier_row contains {"rank": 110, "value": "", "rule": "replan.frontier.not_monitor_only"} if not monitor_lane

# METADATA
# title: No monitor is open
# description: When this agent has no open monitor that counts.
# custom: {id: replan.frontier.no_open_monitor, sets: [autonomous_replan_obligation]}
# labels: {rule: replan.frontier.no_open_monitor}
frontier_row contains {"rank": 111, "value": "", "rule": "replan.frontier.no_open_monitor"} if count(monitors) == 0

# METADATA
# title: Somebody still has advancement
# description: When any agent of the goal holds an open advancement todo.
# custom: {id: replan.frontier.advancement_remains, sets: [autonomous_replan_obligation]}
# labels: {rule: replan.frontier.advancement_remains}
frontier_row contains {"rank": 112, "value": "", "rule": "replan.frontier.advancement_remains"} if advancement_anywhere

# METADATA
# title: A due monitor goes first
# description: When a monitor is due and none lacks its schedule.
# custom: {id: replan.frontier.due_monitor_execution, sets: [autonomous_replan_obligation]}
# labels: {rule: replan.frontier.due_monitor_execution}
frontier_row contains {"rank": 120, "value": "", "rule": "replan.frontier.due_monitor_execution"} if {
	count(todos.due) > 0
	count(todos.schedule_gap) == 0
	not vision_closed
}

# METADATA
# title: A scheduled monitor may wait once that was thought through
# description: When a recent own acknowledgement says that the watch goes on, or the call names no agent.
# custom: {id: replan.frontier.future_monitor_wait, sets: [autonomous_replan_obligation], settings: [frontier.watch_delta, frontier.ack_window]}
# labels: {rule: replan.frontier.future_monitor_wait}
frontier_row contains {"rank": 130, "value": "", "rule": "replan.frontier.future_monitor_wait"} if {
	count(future_monitors) > 0
	watch_acknowledged
}

# METADATA
# title: Without an agent there is no agent lane to replan
# description: When the call names no agent.
# custom: {id: replan.frontier.future_monitor_wait, sets: [autonomous_replan_obligation]}
# labels: {rule: replan.frontier.future_monitor_wait}
frontier_row contains {"rank": 131, "value": "", "rule": "replan.frontier.future_monitor_wait"} if not request.scoped

# METADATA
# title: Only monitors are left
# description: When no row above holds.
# custom: {id: replan.frontier.monitor_frontier_exhausted, sets: [autonomous_replan_obligation]}
# labels: {rule: replan.frontier.monitor_frontier_exhausted}
frontier_row contains {
	"rank": 140,
	"value": "frontier_exhausted_monitor_lane",
	"rule": "replan.frontier.monitor_frontier_exhausted",
}

history_applies if not request.scoped

history_applies if request.agent_id in {row.value.agent_id | some row in trigger_row}

history_applies if {
	count({row.value.agent_id | some row in trigger_row}) == 0
	request.agent_id == peer([row.value | some row in sort(trigger_row)])
}

unacknowledged_monitor_lane if {
	scoped_monitor_lane
	not watch_acknowledged
}

selectable_advancement := count(todos.adv) + todos.hidden_count

advancement_anywhere if count(todos.advancement) > 0

advancement_anywhere if todos.hidden_count > 0

long_chain if selectable_advancement >= settings.long_chain.advancement

long_chain if {
	selectable_advancement >= 1
	count(todos.selectable & todos.actionable) >= settings.long_chain.open
}

# completed advancement that names no successor and is named by none
unsettled contains id if {
	some id in ((todos.agent_done & todos.adv_class) - todos.succeeded)
	todo := todos.by_id[id]
	not todo.no_followup
	not todo.superseded_by
	count(object.filter(todo, settings.lifecycle_metadata)) > 0
}

# METADATA
# title: Work lane contract
# description: |
#   Which lane the turn belongs to (advancement or a monitor), what it must do there, and why. Reads todos, monitor debt,
#   history's progress scope, the poll signal, the capability gate's and the user gate's fallback, and the inbox flag.
#   Whether the turn runs is decided later.
# schemas:
#   - input: schema.facts.input
package loopx.work_lane_contract

import data.loopx.attention
import data.loopx.debt
import data.loopx.external
import data.loopx.goal
import data.loopx.history
import data.loopx.lib.next_action
import data.loopx.settings
import data.loopx.todos

# --- what the table asks

default adv_count := 0

adv_count := count(todos.adv) + todos.hidden_count if not goal.monitor_only

first_adv := todos.first_adv if not goal.monitor_only

due := todos.due_first

# METADATA
# title: Only monitors are open
# custom: {id: lane.monitor_only}
default monitor_only := false

monitor_only if {
	adv_count == 0
	count(todos.mon) > 0
	todos.agent_open_count > 0
}

default dependency := false

dependency if history.dependency_scope

default follow_through := false

follow_through if {
	history.outcome_followthrough
	not goal.monitor_only
}

# METADATA
# title: A poll signal asks for a look
# description: A monitor_only agent drops it when nothing is due.
# custom: {id: lane.poll_signal}
default poll_signal := false

poll_signal if {
	external.live
	not goal.monitor_only
}

poll_signal if {
	external.live
	due
}

# METADATA
# title: The Next Action asks for executable work
# description: Never for an agent that only watches.
# custom: {id: lane.next_action_adv}
default next_action_requires_advancement := false

next_action_requires_advancement if {
	not goal.monitor_only
	next_action.executable(concat("\n", attention.texts))
}

# METADATA
# title: A due monitor behind a private boundary
# description: It waits for a read that nobody authorized, so it never goes before advancement.
# custom: {id: lane.due.private, settings: [private]}
default private := false

private if todos.by_id[due].result_hash == settings.lane.private.result_hash

private if contains(todos.by_id[due].action_kind, settings.lane.private.action_kinds[_])

private if contains(upper(todos.by_id[due].priority), settings.lane.private.priorities[_])

# METADATA
# title: The due monitor has the higher priority
# description: Strictly; at equal priority advancement goes first.
# custom: {id: lane.due.preempts}
default preempts := false

preempts if {
	due
	not private
	not first_adv
}

preempts if {
	not private
	todos.by_id[due].rank < todos.by_id[first_adv].rank
}

# METADATA
# title: The due monitor takes the turn
# description: Not beside advancement when this agent just polled without a change or monitor debt applies.
# custom: {id: lane.due.effective}
default effective := false

effective if {
	preempts
	adv_count == 0
}

effective if {
	preempts
	not history.lane_recent_poll_unchanged
	not debt_applies
}

# METADATA
# title: Monitor debt puts advancement first
# custom: {id: lane.due.debt}
default debt_applies := false

debt_applies if {
	debt.active
	todos.by_id[first_adv].rank <= todos.by_id[due].rank
}

# --- the parts of a contract

contract(lane, next_lane, obligation, must, codes) := object.union(
	{
		"schema_version": "work_lane_contract_v1",
		"lane": lane,
		"next_lane": next_lane,
		"obligation": obligation,
		"must_attempt_work": must,
		"reason_codes": codes,
	},
	settings.lane.obligations[obligation],
)

# A due monitor is carried by id; at most one item is shown.
attempt(kind, id) := object.union(
	{
		"monitor_kind": kind,
		"monitor_due_count": count(todos.due),
		"monitor_due_items": [todos.item(id)],
		"selected_todo_id": id,
	},
	{"selected_next_due_at": at | at := todos.by_id[id].next_due_at},
)

default due_part := {}

due_part := attempt("todo_monitor_due", due)

pointing(kind, id) := {"monitor_kind": kind, "selected_todo_id": id}

# Codes in the stated order; a pair is [holds, code].
codes(pairs) := [pair[1] | some pair in pairs; pair[0]]

package loopx.work_lane_contract

import data.loopx.agent_scope
import data.loopx.capability_gate
import data.loopx.external
import data.loopx.goal
import data.loopx.history
import data.loopx.lib.rank
import data.loopx.quota
import data.loopx.todos

# --- fallbacks that replace the lane

# METADATA
# title: The item that an open gate leaves free is a due monitor
# description: A scoped user gate fallback selects it.
# custom: {id: lane.gate_fallback, sets: [work_lane_contract]}
# labels: {rule: lane.gate_fallback}
lane_row contains {"rank": 10, "value": value, "rule": "lane.gate_fallback"} if {
	id := agent_scope.gate_fallback.selected_executable.todo_id
	id in todos.due
	value := object.union(
		contract("continuous_monitor", after_monitor, "attempt_due_monitor", true, ["monitor_due", "scoped_user_gate_fallback"]),
		attempt("todo_monitor_due", id),
	)
}

after_monitor := "advancement_task" if adv_count > 0

after_monitor := "continuous_monitor" if adv_count == 0

# METADATA
# title: A monitor takes the turn that no todo can use
# description: |
#   The capability gate skips and a monitor is open; due, else without schedule, else quiet. A due monitor that goes
#   before advancement anyway needs no fallback.
# custom: {id: lane.cap_fallback, sets: [work_lane_contract]}
# labels: {rule: lane.cap_fallback}
lane_row contains {"rank": 20, "value": value, "rule": "lane.cap_fallback"} if {
	fallback := capability_gate.monitor_fallback
	not goes_first
	must := fallback.mode != "monitor_quiet_wait"
	value := object.union(
		contract("continuous_monitor", "continuous_monitor", fallback.obligation, must, array.concat(fallback_codes[fallback.mode], [fallback.reason_code])),
		fallback_part[fallback.mode],
	)
}

goes_first if {
	capability_gate.action == "run"
	effective
}

fallback_codes := {
	"due_monitor_attempt": ["monitor_due"],
	"monitor_schedule_metadata_repair": ["monitor_schedule_metadata_gap"],
	"monitor_quiet_wait": ["monitor_todo_only"],
}

fallback_part["due_monitor_attempt"] := attempt("todo_monitor_due", due)

fallback_part["monitor_schedule_metadata_repair"] := pointing("todo_monitor_schedule_gap", first_gap)

fallback_part["monitor_quiet_wait"] := {"monitor_kind": "todo_monitor"}

first_gap := todos.projection(todos.schedule_gap)[0]

# --- the goal's own progress

# METADATA
# title: A due monitor goes before advancement
# description: Advancement is open and the due monitor has a strictly higher priority, without debt or a fresh poll.
# custom: {id: lane.due.preempt, sets: [work_lane_contract]}
# labels: {rule: lane.due.preempt}
lane_row contains {"rank": 110, "value": value, "rule": "lane.due.preempt"} if {
	not dependency
	adv_count > 0
	effective
	value := object.union(
		contract("continuous_monitor", "advancement_task", "attempt_due_monitor", true, ["monitor_due", "due_monitor_priority_preempts_advancement"]),
		attempt("todo_monitor_due", due),
	)
}

# METADATA
# title: Advance one bounded segment
# description: An executable advancement todo is there; follow-through asks for the primary outcome.
# custom: {id: lane.advance, sets: [work_lane_contract]}
# labels: {rule: lane.advance}
lane_row contains {"rank": 120, "value": value, "rule": "lane.advance"} if {
	not dependency
	first_adv
	value := contract("advancement_task", "advancement_task", advance_obligation, true, codes([
		[true, "open_agent_todo"],
		[has_due, "due_monitor_context"],
		[just_polled, "monitor_attempt_already_recorded"],
		[owes_advancement, "monitor_debt_backoff"],
		[reads_like_poll, "external_monitor_context"],
		[follow_through, "outcome_followthrough_required"],
	]))
}

advance_obligation := "advance_primary_outcome_or_write_blocker" if follow_through

advance_obligation := "advance_one_bounded_segment" if not follow_through

default has_due := false

has_due if due

default just_polled := false

just_polled if {
	due
	history.lane_recent_poll_unchanged
}

default owes_advancement := false

owes_advancement if debt_applies

default reads_like_poll := false

reads_like_poll if external.signal

# METADATA
# title: Work that the projection hides is advancement
# description: Open todos are not shown, so no first one can be named; a truncated list never makes a goal quiet.
# custom: {id: lane.advance.hidden, sets: [work_lane_contract]}
# labels: {rule: lane.advance.hidden}
lane_row contains {"rank": 130, "value": value, "rule": "lane.advance.hidden"} if {
	not dependency
	adv_count > 0
	value := contract("advancement_task", "advancement_task", "advance_one_bounded_segment", true, ["open_agent_todo", "hidden_open_todo"])
}

# METADATA
# title: Look at the external work
# description: A poll signal asks for it and no advancement is open.
# custom: {id: lane.external, sets: [work_lane_contract]}
# labels: {rule: lane.external}
lane_row contains {"rank": 140, "value": value, "rule": "lane.external"} if {
	not dependency
	poll_signal
	value := object.union_n([
		contract("continuous_monitor", "continuous_monitor", "observe_external_evidence_or_blocker", true, ["external_evidence_poll_signal"]),
		due_part,
		{"monitor_kind": "external_evidence"},
	])
}

# METADATA
# title: A todo waits for a monitor that never ends
# description: Advancement in scope has an open monitor as its resume condition and none is due.
# custom: {id: lane.resume_gate, sets: [work_lane_contract]}
# labels: {rule: lane.resume_gate}
lane_row contains {"rank": 150, "value": value, "rule": "lane.resume_gate"} if {
	not dependency
	not due
	not goal.monitor_only
	id := todos.projection(todos.resume_blocked_by_monitor)[0]
	value := object.union(
		contract("advancement_task", "advancement_task", "repair_resume_gate_or_close_standing_monitor", true, codes([[monitor_only, "monitor_todo_only"], [true, "resume_blocked_by_open_monitor"]])),
		{"selected_todo_id": id},
	)
}

# METADATA
# title: Attempt the due monitor
# description: Only monitors are open and one is due.
# custom: {id: lane.due, sets: [work_lane_contract]}
# labels: {rule: lane.due}
lane_row contains {"rank": 160, "value": value, "rule": "lane.due"} if {
	not dependency
	monitor_only
	value := object.union(
		contract("continuous_monitor", "continuous_monitor", "attempt_due_monitor", true, ["monitor_todo_only", "monitor_due"]),
		attempt("todo_monitor_due", due),
	)
}

# METADATA
# title: Write the todo that the Next Action asks for
# description: Only monitors are open but the Next Action names executable work; monitors may not make the goal quiet.
# custom: {id: lane.materialize, sets: [work_lane_contract]}
# labels: {rule: lane.materialize}
lane_row contains {"rank": 170, "value": value, "rule": "lane.materialize"} if {
	not dependency
	monitor_only
	next_action_requires_advancement
	value := contract("advancement_task", "advancement_task", "materialize_advancement_todo_or_blocker", true, ["monitor_todo_only", "next_action_requires_advancement"])
}

# METADATA
# title: Give a monitor its schedule
# description: Only monitors are open and one can never become due.
# custom: {id: lane.schedule_gap, sets: [work_lane_contract]}
# labels: {rule: lane.schedule_gap}
lane_row contains {"rank": 180, "value": value, "rule": "lane.schedule_gap"} if {
	not dependency
	monitor_only
	value := object.union(
		contract("advancement_task", "continuous_monitor", "repair_monitor_schedule_metadata", true, ["monitor_todo_only", "monitor_schedule_metadata_gap"]),
		pointing("todo_monitor_schedule_gap", first_gap),
	)
}

# METADATA
# title: Watch quietly
# description: Only monitors are open and none needs anything now.
# custom: {id: lane.monitor.quiet, sets: [work_lane_contract]}
# labels: {rule: lane.monitor.quiet}
lane_row contains {"rank": 190, "value": value, "rule": "lane.monitor.quiet"} if {
	not dependency
	monitor_only
	value := object.union(
		contract("continuous_monitor", "continuous_monitor", "quiet_until_material_monitor_transition", false, ["monitor_todo_only"]),
		{"monitor_kind": "todo_monitor"},
	)
}

# METADATA
# title: Launched work was just looked at
# description: A poll signal rests and nothing is open, so the turn is a quiet wait and no delivery.
# custom: {id: lane.external.quiet, sets: [work_lane_contract]}
# labels: {rule: lane.external.quiet}
lane_row contains {"rank": 195, "value": value, "rule": "lane.external.quiet"} if {
	not dependency
	external.signal
	todos.agent_open_count == 0
	value := object.union(
		contract("continuous_monitor", "continuous_monitor", "quiet_until_material_monitor_transition", false, ["external_evidence_poll_recent"]),
		{"monitor_kind": "external_evidence"},
	)
}

# --- a goal that only observes a dependency

# METADATA
# title: Attempt the due monitor of a dependency
# description: The goal observes a dependency and the due monitor takes the turn.
# custom: {id: lane.dep.due, sets: [work_lane_contract]}
# labels: {rule: lane.dep.due}
lane_row contains {"rank": 210, "value": value, "rule": "lane.dep.due"} if {
	dependency
	effective
	value := object.union(
		contract("continuous_monitor", after_monitor, "attempt_due_monitor", true, codes([
			[true, "dependency_observation"],
			[monitor_only, "monitor_todo_only"],
			[true, "monitor_due"],
			[adv_count > 0, "due_monitor_priority_preempts_advancement"],
		])),
		attempt("todo_monitor_due", due),
	)
}

# METADATA
# title: Advance unless the dependency moves
# description: The goal observes a dependency and advancement is open.
# custom: {id: lane.dep.advance, sets: [work_lane_contract]}
# labels: {rule: lane.dep.advance}
lane_row contains {"rank": 220, "value": value, "rule": "lane.dep.advance"} if {
	dependency
	adv_count > 0
	value := dependent("advancement_task", "advance_unless_material_monitor_transition", true, ["open_agent_todo"])
}

# METADATA
# title: Attempt the private due monitor of a dependency
# description: The goal observes a dependency, nothing else is open, and the due monitor may not go before advancement.
# custom: {id: lane.dep.monitor_due, sets: [work_lane_contract]}
# labels: {rule: lane.dep.monitor_due}
lane_row contains {"rank": 230, "value": value, "rule": "lane.dep.monitor_due"} if {
	dependency
	due
	value := object.union(
		attempt("dependency_observation", due),
		dependent("continuous_monitor", "attempt_due_monitor", true, ["monitor_todo_only", "monitor_due"]),
	)
}

# METADATA
# title: Write the todo that the Next Action asks for, beside a dependency
# description: The goal observes a dependency, only monitors are open, and the Next Action names executable work.
# custom: {id: lane.dep.materialize, sets: [work_lane_contract]}
# labels: {rule: lane.dep.materialize}
lane_row contains {"rank": 240, "value": value, "rule": "lane.dep.materialize"} if {
	dependency
	monitor_only
	next_action_requires_advancement
	value := dependent("advancement_task", "materialize_advancement_todo_or_blocker", true, ["monitor_todo_only", "next_action_requires_advancement"])
}

# METADATA
# title: Watch the dependency quietly
# description: The goal observes a dependency and nothing above asks for work.
# custom: {id: lane.dep.quiet, sets: [work_lane_contract]}
# labels: {rule: lane.dep.quiet}
lane_row contains {"rank": 250, "value": value, "rule": "lane.dep.quiet"} if {
	dependency
	value := dependent("continuous_monitor", "quiet_until_material_monitor_transition", false, codes([
		[count(todos.mon) > 0, "monitor_todo_only"],
		[count(todos.mon) == 0, "no_open_agent_todo"],
	]))
}

dependent(next_lane, obligation, must, reasons) := object.union(
	contract("continuous_monitor", next_lane, obligation, must, array.concat(["dependency_observation"], reasons)),
	{"monitor_kind": "dependency_observation"},
)

# METADATA
# title: No lane
# description: Nothing is open that belongs to a lane.
# custom: {id: lane.none, sets: [work_lane_contract]}
# labels: {rule: lane.none}
lane_row contains {"rank": 900, "value": {}, "rule": "lane.none"}

# METADATA
# title: The operator asked a direct question
# description: A reply is due in a goal that is not paused. Above every row, debt and fallback.
# custom: {id: lane.reply_due, sets: [work_lane_contract]}
# labels: {rule: lane.reply_due}
lane_row contains {"rank": 1, "value": value, "rule": "lane.reply_due"} if {
	input.inbox.reply_due
	not quota.paused
	value := contract("lark_event_inbox", "lark_event_inbox", "drain_lark_inbox_reply_due", true, ["lark_inbox_reply_due"])
}

winner := rank.winner(lane_row)

# METADATA
# title: The lane as built
# description: |
#   Table 3.3 after the capability and the user gate fallback; undefined when no row gives a contract. The published
#   lane may be rewritten later. A reply lane names the lane below it as the next one.
# custom: {id: lane.raw, sets: [work_lane_contract]}
raw := object.union(winner.value, next_below) if winner.value != {}

default next_below := {}

next_below := {"next_lane": lane} if {
	winner.rule == "lane.reply_due"
	lane := rank.runner_up(lane_row).value.lane
}

fired := {"work_lane_contract": object.union(winner, {"value": object.get(winner.value, "obligation", "none")})}

runners := {"work_lane_contract": object.union(row, {"value": object.get(row.value, "obligation", "none")}) |
	row := rank.runner_up(lane_row)
}

# METADATA
# title: Recording a monitor poll
# description: |
#   Whether what a monitor showed may be recorded, and what is written: the poll, the schedule of the watched todo and,
#   after a material change, its follow-ups. Reads the guard, the todos, what index and event log say of the turn
#   (input.trace) and what was seen (input.write.poll). A poll never spends and changes no registry.
# schemas:
#   - input: schema.facts.input
package loopx.writeback.monitor_poll

import data.loopx.history
import data.loopx.interaction_contract
import data.loopx.lib.rank
import data.loopx.request
import data.loopx.route
import data.loopx.scope_frontier
import data.loopx.settings.poll as settings
import data.loopx.todos
import data.loopx.verdict
import data.loopx.writeback.guard

ask := input.write.poll

source := object.get(ask, "source", settings.default_source)

before := guard.before

default material := false

material := ask.material_change

kind := "material" if material

kind := "unchanged" if not material

# --- the watched todo

# METADATA
# title: What the caller says was watched
named := object.filter(ask, ["todo_id", "target_key"])

# Open monitors in the caller's scope; a monitor that waits for something else may still be looked at.
watched := (todos.agent_open & todos.mon_class) & todos.selectable

candidates := {id | some id in watched; fits(id)}

fits(id) if {
	object.get(ask, "todo_id", id) == id
	object.get(ask, "target_key", "") in {"", object.get(todos.by_id[id], "target_key", "")}
}

# METADATA
# title: The watched todo
# description: Undefined when the caller names none, or none or several open monitors have that name.
target := id if {
	count(named) > 0
	count(candidates) == 1
	some id in candidates
}

monitor := todos.by_id[target]

# --- what the guard allows

default lane := {}

lane := guard.turn.lane

# METADATA
# title: Quiet watch
# description: The guard skips quietly.
# custom: {id: poll.guard.quiet}
# labels: {rule: poll.guard.quiet}
guard_row contains {"rank": 10, "rule": "poll.guard.quiet"} if before.effective_action == "monitor_quiet_skip"

# METADATA
# title: Observation of external evidence
# description: The obligation or the lane asks for it and no person has to act first; should_run is not asked.
# custom: {id: poll.guard.external}
# labels: {rule: poll.guard.external}
guard_row contains {"rank": 20, "rule": "poll.guard.external"} if {
	guard.kind == "normal"
	route.observing
	guard.turn.obligation.must_attempt_work
	not interaction_contract.required
}

guard_row contains {"rank": 20, "rule": "poll.guard.external"} if {
	lane.monitor_kind == "external_evidence"
	lane.must_attempt_work
}

# METADATA
# title: Due monitor
# description: The lane asks for exactly this monitor, or this due one stands beside the lane's work.
# custom: {id: poll.guard.due}
# labels: {rule: poll.guard.due}
guard_row contains {"rank": 30, "rule": "poll.guard.due"} if {
	attempts_due
	lane.selected_todo_id == target
}

guard_row contains {"rank": 30, "rule": "poll.guard.due"} if {
	lane.must_attempt_work
	"due_monitor_context" in lane.reason_codes
	target in todos.due
}

attempts_due if {
	lane.must_attempt_work
	lane.obligation == "attempt_due_monitor"
}

# METADATA
# title: Exact wait for a blocked successor
# custom: {id: poll.guard.blocked}
# labels: {rule: poll.guard.blocked}
guard_row contains {"rank": 40, "rule": "poll.guard.blocked"} if {
	guard.kind == "normal"
	verdict.scope_action
	scope_frontier.winning.rule == "frontier.blocked_successor"
}

allowed_by := rank.winner(guard_row).rule

mode := settings.modes[allowed_by][kind]

# --- the turn

polls_of_turn := [row |
	some row in input.trace.rows
	row.classification in history.polls
	row.agent_id == request.agent_id
	row.turn_instance_id == request.turn_id
]

recorded := polls_of_turn[0]

said := object.union(
	{
		"result_hash": object.get(ask, "result_hash", ""),
		"material_change": material,
	},
	{key: value | some key, value in named},
)

seen := object.union({"material_change": false}, recorded)

conflict_fields := sort([key |
	some key, value in said
	object.get(seen, key, "") != value
])

receipts := [event |
	some event in input.trace.events
	event.event_kind == "quota_should_run"
	event.agent_id == request.agent_id
]

receipt_todo := [id |
	some event in receipts
	some id in [object.get(event.details, "todo_id", ""), object.get(event, "todo_id", "")]
	is_string(id)
	id != ""
][0]

# --- the schedule of the todo

next_due_at := ask.next_due_at

next_due_at := request.at(request.now_ns + (cadence_seconds * 1000000000)) if not ask.next_due_at

cadence_seconds := ask.cadence_seconds

cadence_seconds := monitor.cadence_seconds if not ask.cadence_seconds

# METADATA
# title: Polls in a row that saw nothing new
# custom: {id: poll.no_change, sets: [consecutive_no_change]}
consecutive_no_change := 0 if material

consecutive_no_change := 0 if {
	not material
	other_result
}

consecutive_no_change := object.get(monitor, "consecutive_no_change", 0) + 1 if {
	not material
	not other_result
}

other_result if monitor.result_hash != ask.result_hash

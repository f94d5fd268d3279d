package loopx.frontier

import data.loopx.history
import data.loopx.lib.hash
import data.loopx.request
import data.loopx.settings.frontier as settings
import data.loopx.todos

# --- how far back the lane counts

# METADATA
# title: Rows that count towards a streak
# description: |
#   Up to the newest progress or material change. After an acknowledged replan only from the first row on that is more
#   than an accounting row or an unchanged poll, so that an acknowledged wait stays quiet.
# custom: {id: replan.ack.effect}
recent := rows_before(min({window_end} | progress_at))

# Rows of the lane that are newer than a place, by place.
rows_before(end) := {i: row |
	some i, row in array.slice(history.rows, 0, end)
	not i in history.foreign
}

progress_at := history.delivered | ({i | some i; history.rows[i].material_change} - history.foreign)

window_end := count(history.rows) if not last_settling

window_end := 0 if {
	last_settling
	count(real_since) == 0
}

window_end := max(real_since) + 1

# rows since the acknowledgement that are more than accounting or an unchanged poll
real_since contains i if {
	some i, row in rows_before(last_settling)
	not row.classification in history.neutral_classification
	not history.is_unchanged_poll(row)
}

# METADATA
# title: Rows that neither count nor end a streak
# description: Accounting rows, and acknowledgements that were not accepted.
# custom: {id: replan.ack.shape}
counted := [row |
	some i, row in recent
	not row.classification in history.neutral_classification
	not i in refused
]

refused := acks - ack_at

# --- the watched thing

default watched(_) := {}

watched(row) := {"todo_id": row.todo_id}

watched(row) := {"target_key": row.target_key} if not row.todo_id

watched(row) := {"frontier_identity": row.monitor_target.frontier_identity} if {
	not row.todo_id
	not row.target_key
}

watched(row) := {"target_id": row.monitor_target.target_id} if {
	not row.todo_id
	not row.target_key
	not row.monitor_target.frontier_identity
}

# METADATA
# title: What a poll watches
# description: The todo, else the target key, else the frontier, else the stored target; of one goal and one agent.
# custom: {id: replan.target_identity}
target(row) := object.union({"goal_id": request.goal_id, "agent_id": object.get(row, "agent_id", "")}, watched(row))

target_id(row) := row.monitor_target.target_id if watched(row).target_id

target_id(row) := hash.short(target(row), 16) if not watched(row).target_id

# --- polls

# a turn that saw nothing new, whatever its classification claims, does not end a streak of polls
polled := [row | some row in counted; not stalled_turn(row)]

stalled_turn(row) if {
	not row.classification in history.polls
	is_stalled(row)
}

poll_end := min({count(polled)} | {i | some i, row in polled; not same_poll(row)})

same_poll(row) if {
	history.is_unchanged_poll(row)
	target(row) == target(polled[0])
}

poll_streak := sum([row.count | some row in array.slice(polled, 0, poll_end)])

blocked_streak := sum([row.count | some i, row in array.slice(polled, 0, poll_end); i < blocked_end])

blocked_end := min({poll_end} | {i |
	some i, row in polled
	not row.monitor_target.monitor_mode == settings.blocked_successor_mode
})

# --- turns

# a poll without a turn id is no turn record
turns := [row | some row in counted; is_turn(row)]

is_turn(row) if not row.classification in history.polls

is_turn(row) if row.turn_instance_id

observations := [row | some row in turns; row.classification in history.polls]

stalled := array.slice(turns, 0, min({count(turns)} | {i | some i, row in turns; not is_stalled(row)}))

is_stalled(row) if row.progress_observation.result in settings.stall_results

is_stalled(row) if row.classification in stall_classes

is_stalled(row) if {
	history.is_unchanged_poll(row)
	target(row) == target(observations[0])
}

stall_classes := {class |
	some class in ({row.classification | some row in turns} - history.polls)
	contains(class, settings.stall_tokens[_])
}

# the same turn id twice is one turn
stall_streak := count({row.turn_instance_id | some row in stalled}) + sum([row.count |
	some row in stalled
	not row.turn_instance_id
])

pair := array.concat([stalled[0]], [row | some row in array.slice(stalled, 1, count(stalled)); another_turn(row)])

another_turn(row) if row.turn_instance_id != object.get(stalled[0], "turn_instance_id", "")

another_turn(row) if not row.turn_instance_id

stall_kind_row contains [10, "dead_monitor_repeat"] if {
	every row in array.slice(pair, 0, settings.stall) {
		row.classification in history.polls
	}
}

stall_kind_row contains [20, "typed_progress_repeat"] if {
	prints := {object.get(row, ["progress_observation", "fingerprint"], "") | some row in array.slice(pair, 0, settings.stall)}
	count(prints) == 1
	not "" in prints
}

stall_kind_row contains [30, "no_progress_streak"]

# METADATA
# title: Newest turns without an accountable outcome
# description: How many turn records of the lane came since the last accountable one.
idle_turns := sum([row.count |
	some row in rows_before(min({count(history.rows)} | progress_at))
	not row.classification in history.neutral_classification
	is_turn(row)
])

# --- triggers

# METADATA
# title: Two turns that saw nothing new
# description: When the newest turn records of the lane are stalled.
# custom: {id: replan.stall, sets: [autonomous_replan_obligation], settings: [frontier.stall, frontier.stall_tokens, frontier.stall_results]}
# labels: {rule: replan.stall}
trigger_row contains {"rank": 10, "value": value, "rule": "replan.stall"} if {
	stall_streak >= settings.stall
	value := trigger(min(stall_kind_row)[1], stall_streak, settings.stall, seen(stalled[0]))
}

# METADATA
# title: A successor that stays blocked
# description: When the newest polls found the same blocked successor and no monitor is due later.
# custom: {id: replan.blocked_successor, sets: [autonomous_replan_obligation], settings: [frontier.blocked_successor, frontier.blocked_successor_mode]}
# labels: {rule: replan.blocked_successor}
trigger_row contains {"rank": 20, "value": value, "rule": "replan.blocked_successor"} if {
	blocked_streak >= settings.blocked_successor
	count(future_monitors) == 0
	value := trigger("blocked_successor_no_progress_repeat", blocked_streak, settings.blocked_successor, seen(polled[0]))
}

# METADATA
# title: A monitor that never moves
# description: When the newest polls of one target, in any mode, saw nothing new.
# custom: {id: replan.dead_monitor, sets: [autonomous_replan_obligation], settings: [frontier.dead_monitor]}
# labels: {rule: replan.dead_monitor}
trigger_row contains {"rank": 30, "value": value, "rule": "replan.dead_monitor"} if {
	poll_streak >= settings.dead_monitor
	value := trigger("dead_monitor_repeat", poll_streak, settings.dead_monitor, seen(polled[0]))
}

# METADATA
# title: Time to look up
# description: When enough rows that are neither neutral nor polls came since the last acknowledgement.
# custom: {id: replan.periodic, sets: [autonomous_replan_obligation], settings: [frontier.periodic]}
# labels: {rule: replan.periodic}
trigger_row contains {"rank": 40, "value": value, "rule": "replan.periodic"} if {
	durable_since_ack >= settings.periodic
	value := trigger("periodic_review_due", durable_since_ack, settings.periodic, object.filter(history.rows[min(durable)], ["agent_id"]))
}

# METADATA
# title: A monitor that counts no change
# description: When an open monitor has counted enough unchanged polls and this agent has no advancement todo.
# custom: {id: replan.no_change, sets: [autonomous_replan_obligation], settings: [frontier.no_change]}
# labels: {rule: replan.no_change}
trigger_row contains {"rank": 50, "value": value, "rule": "replan.no_change"} if {
	no_change_armed
	value := trigger("monitor_no_change_streak", unchanged_monitor.consecutive_no_change, settings.no_change, object.union(
		{"monitor_target_id": unchanged_monitor.id},
		{"agent_id": agent | agent := unchanged_monitor.claimed_by},
	))
}

no_change_armed if {
	unchanged_monitor
	count(todos.adv) == 0
	not last_ack
}

# after an acknowledgement only polls that came since it count
no_change_armed if {
	unchanged_monitor
	count(todos.adv) == 0
	poll_streak >= settings.no_change
}

unchanged_monitor := todos.by_id[todos.projection(unchanged_monitors)[0]]

unchanged_monitors contains id if {
	some id in monitors
	todos.by_id[id].consecutive_no_change >= settings.no_change
}

trigger(kind, streak, threshold, details) := object.union(
	{"kind": kind, "trigger_count": streak, "stall_threshold": threshold},
	details,
)

seen(row) := object.union_n([
	object.filter(row, ["agent_id"]),
	object.filter(object.get(row, "monitor_target", {}), ["frontier_identity"]),
	{"latest_generated_at": row.generated_at},
	{"monitor_target_id": target_id(row) | row.classification in history.polls},
	{"progress_fingerprint": value | value := row.progress_observation.fingerprint},
])

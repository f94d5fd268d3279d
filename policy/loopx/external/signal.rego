# METADATA
# title: External evidence
# description: |
#   Whether work outside this process must be looked at before anything else: the signal in texts and monitors, and
#   the obligation that follows. Reads action texts, todos, history, state, health and the lane; whether the turn then
#   runs is decided elsewhere.
package loopx.external

import data.loopx.attention
import data.loopx.history
import data.loopx.lib.rank
import data.loopx.request
import data.loopx.settings
import data.loopx.todos

# --- the poll signal

any_of(patterns) := sprintf("(?is)%s", [concat("|", patterns)])

observe := any_of(settings.external.observe)

launched := any_of(settings.external.launched)

plain(texts) := {replace(text, "_", " ") | some text in texts}

action_texts := plain(attention.texts)

first_open := array.slice(todos.selectable_order, 0, settings.external.todos)

todo_texts := plain({todos.by_id[id].text | some id in first_open})

state_texts := plain(((({history.status, history.lifecycle_phase} - {null}) | {text |
	some text in history.lifecycle_flags
}) | {text |
	some id in first_open
	todo := todos.by_id[id]
	some key in ["note", "evidence", "reason"]
	text := todo[key]
}))

matching(pattern, texts) := sort({text | some text in texts; regex.match(pattern, text)})

# METADATA
# title: A launched worker is waited for
# description: There is an action and the state says that work was launched.
# custom: {id: ext.signal.launched_wait, settings: [launched]}
# labels: {rule: ext.signal.launched_wait}
signal_row contains {"rank": 10, "value": {"channel": "state", "text": text}, "rule": "ext.signal.launched_wait"} if {
	count(action_texts) > 0
	text := matching(launched, state_texts)[0]
}

# METADATA
# title: A dependency is looked at for the first time
# description: A monitor of a pull request was never checked.
# custom: {id: ext.signal.external_dependency_wait, settings: [dependency_targets]}
# labels: {rule: ext.signal.external_dependency_wait}
signal_row contains {"rank": 20, "value": {"channel": "todo", "text": todos.by_id[id].text}, "rule": "ext.signal.external_dependency_wait"} if {
	id := first_dependency
}

first_dependency := todos.projection({id |
	some id in todos.mon
	startswith(todos.by_id[id].target_key, settings.external.dependency_targets[_])
	not todos.by_id[id].result_hash
	not todos.by_id[id].last_checked_at
})[0]

# METADATA
# title: A text asks to observe
# description: The action, an open todo or the state reads like a poll of external work.
# custom: {id: ext.signal.direct_observe, settings: [observe]}
# labels: {rule: ext.signal.direct_observe}
signal_row contains {"rank": 30 + i, "value": {"channel": channel, "text": text}, "rule": "ext.signal.direct_observe"} if {
	some i, [channel, texts] in [["action", action_texts], ["todo", todo_texts], ["state", state_texts]]
	text := matching(observe, texts)[0]
}

# METADATA
# title: Nothing can be looked at
# description: The action says that the handle is absent, and neither action nor state says launched or observe.
# custom: {id: ext.signal, settings: [handle_absent]}
handle_absent if {
	count(matching(any_of(settings.external.handle_absent), action_texts)) > 0
	count(matching(any_of([observe, launched]), action_texts | state_texts)) == 0
}

# METADATA
# title: A lane of waiting monitors raises no signal
# description: |
#   The caller is scoped and has only monitors, none due and none without schedule, and they wait for their time or
#   have nothing to look at. The first look at a dependency is an exception.
# custom: {id: ext.signal}
window_closed if {
	request.scoped
	not first_dependency
	count(todos.selectable) > 0
	todos.selectable == todos.mon
	count(todos.due | todos.schedule_gap) == 0
	waits_or_blind
}

waits_or_blind if count(todos.selectable - future) == 0

waits_or_blind if count({id | some id in todos.selectable; todos.by_id[id].target_key}) == 0

# Monitors in scope whose time lies ahead.
future := {id |
	some id in (todos.mon - todos.due_time)
	some key in ["next_due_at", "cadence"]
	todos.by_id[id][key]
} - todos.expired

# METADATA
# title: The poll signal
# description: "{schema_version, kind, channel, text, monitor_handle?}. Undefined without one."
# custom: {id: ext.signal}
signal := object.union_n([
	row.value,
	{"schema_version": "external_poll_signal_v0", "kind": trim_prefix(row.rule, "ext.signal.")},
	{"monitor_handle": handle_shown | handle_shown := monitor_handle},
]) if {
	row := rank.winner(signal_row)
	not handle_absent
	not window_closed
}

# METADATA
# title: The monitor behind the signal
# description: The due one, else the first in scope that reads like a poll or has a target.
# custom: {id: ext.handle}
handle := todos.due_first

handle := todos.projection({id | some id in todos.mon; points_somewhere(id)})[0] if not todos.due_first

points_somewhere(id) if todos.by_id[id].target_key

points_somewhere(id) if regex.match(observe, replace(todos.by_id[id].text, "_", " "))

monitor_handle := object.union(
	{"schema_version": "projected_monitor_handle_v0", "todo_id": handle},
	object.filter(todos.by_id[handle], ["target_key", "next_due_at"]),
)

package loopx.external

import data.loopx.agent_scope
import data.loopx.health
import data.loopx.history
import data.loopx.lib.rank
import data.loopx.request
import data.loopx.settings
import data.loopx.todos
import data.loopx.work_lane_contract

# --- the obligation

# METADATA
# title: A monitor that lacks a capability observes nothing
# description: The lane rests because its due monitor cannot run here.
# custom: {id: ext.cap_blocked, sets: [external_evidence_observation]}
# labels: {rule: ext.cap_blocked}
row contains {"rank": 10, "value": "none", "rule": "ext.cap_blocked"} if {
	work_lane_contract.raw.must_attempt_work == false
	"due_monitor_unavailable_by_capability" in work_lane_contract.raw.reason_codes
}

# METADATA
# title: The evidence was just looked at
# description: The newest real row of this lane is an unchanged poll; a material one or real work clears this.
# custom: {id: ext.recent, sets: [external_evidence_observation_recent]}
# labels: {rule: ext.recent}
row contains {"rank": 20, "value": "withdrawn", "rule": "ext.recent"} if {
	history.lane_recent_poll_unchanged
	some kind in [declared, polled]
	kind
}

# METADATA
# title: The registry waits for external evidence
# description: The goal waits for it and its lane is a continuous monitor.
# custom: {id: ext.explicit, sets: [external_evidence_observation], settings: [kinds, obligation]}
# labels: {rule: ext.explicit}
row contains {"rank": 30, "value": "observe", "rule": "ext.explicit"} if declared

# METADATA
# title: The monitor's time has not come
# description: The signal carries a monitor whose due time lies ahead.
# custom: {id: ext.early, sets: [external_evidence_observation]}
# labels: {rule: ext.early}
row contains {"rank": 40, "value": "withdrawn", "rule": "ext.early"} if {
	polled
	before_due
}

# METADATA
# title: Launched work is polled
# description: |
#   A poll signal in an eligible or waiting, healthy goal whose lane is no advancement; a scoped caller needs an open
#   todo of its own.
# custom: {id: ext.poll, sets: [external_evidence_observation], settings: [kinds, obligation]}
# labels: {rule: ext.poll}
row contains {"rank": 50, "value": "observe", "rule": "ext.poll"} if polled

# METADATA
# title: Nothing is observed
# custom: {id: ext.none, sets: [external_evidence_observation]}
# labels: {rule: ext.none}
row contains {"rank": 90, "value": "none", "rule": "ext.none"}

default declared := false

declared if {
	agent_scope.state == "waiting"
	agent_scope.waiting_on == "external_evidence"
	work_lane_contract.raw.lane == "continuous_monitor"
}

default polled := false

polled if {
	signal
	agent_scope.state in {"eligible", "waiting"}
	health.ok
	not work_lane_contract.raw.lane == "advancement_task"
	in_reach
}

in_reach if not request.scoped

in_reach if todos.agent_open_count > 0

before_due if handle in future

# METADATA
# title: A signal that asks for a look now
# description: Neither just looked at nor before its time. The lane reads this.
# custom: {id: ext.live}
default live := false

live if {
	signal
	not history.lane_recent_poll_unchanged
	not before_due
}

winner := rank.winner(row)

# METADATA
# title: The observation that is owed
# description: Undefined when none is or it was withdrawn.
# custom: {id: ext.obligation, sets: [external_evidence_observation], settings: [obligation, kinds]}
obligation := object.union_n([
	settings.external.obligation,
	settings.external.kinds[winner.rule],
	{"observation_target": target},
	{"poll_signal": signal | winner.rule == "ext.poll"},
	{"monitor_handle": monitor_handle | monitor_handle},
]) if {
	winner.value == "observe"
}

default target := ""

target := substring(signal.text, 0, settings.external.target_limit)

target := substring(todos.by_id[handle].text, 0, settings.external.target_limit) if not signal

# METADATA
# title: The observation that was just made
# description: Undefined unless it withdrew an obligation.
# custom: {id: ext.recent, sets: [external_evidence_observation_recent]}
recent := object.union_n([
	settings.external.recent,
	{"withdrawn_rule": "ext.recent", "observation_target": target},
	{"monitor_handle": monitor_handle | monitor_handle},
]) if {
	winner.rule == "ext.recent"
}

fired := {"external_evidence_observation": winner}

runners := {"external_evidence_observation": next | next := rank.runner_up(row)}

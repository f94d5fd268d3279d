# METADATA
# title: Quota state order
# description: |
#   Which of the seven states a goal is in, and the quota object. Reads the share (compute and ledger), health,
#   attention, history and todos. Hard gates come before compute, so no share and no unused
#   quota opens a gate (state.hard_gates). Lanes, capabilities and hosts may not enter.
package loopx.quota

import data.loopx.attention
import data.loopx.goal
import data.loopx.health
import data.loopx.history
import data.loopx.lib.rank
import data.loopx.settings
import data.loopx.share

# METADATA
# title: The owner stopped the goal
# description: Activation is stopped; nothing below is looked at and nothing runs until an explicit resume.
# custom:
#   id: state.stopped
#   sets: [state, pause_cause, blocked_action_scope]
#   settings: [extras]
# labels:
#   rule: state.stopped
state_row contains {"rank": 10, "value": "paused", "rule": "state.stopped"} if goal.stopped

# METADATA
# title: A goal with no share is paused
# description: Compute reads as 0 after rounding. An unreadable value is no number and is a health finding instead.
# custom:
#   id: state.compute_zero
#   sets: [state, pause_cause]
# labels:
#   rule: state.compute_zero
state_row contains {"rank": 20, "value": "paused", "rule": "state.compute_zero"} if share.hundredths == 0

# METADATA
# title: Health blocks the goal
# description: Severity high, or a diagnostic that is global or of this goal.
# custom:
#   id: state.health
#   sets: [state]
# labels:
#   rule: state.health
state_row contains {"rank": 30, "value": "blocked_health", "rule": "state.health"} if unhealthy

# METADATA
# title: A person must decide first
# description: The goal waits for the user or the controller; safe steering outside the gate may continue.
# custom:
#   id: state.gate
#   sets: [state, blocked_action_scope, safe_bypass_allowed]
#   settings: [gate_owners, extras]
# labels:
#   rule: state.gate
state_row contains {"rank": 40, "value": "operator_gate", "rule": "state.gate"} if {
	attention.waiting_on in settings.quota.gate_owners
}

# METADATA
# title: Evidence must arrive first
# description: The goal waits for external evidence; unused quota does not matter.
# custom:
#   id: state.evidence
#   sets: [state]
# labels:
#   rule: state.evidence
state_row contains {"rank": 50, "value": "waiting", "rule": "state.evidence"} if {
	attention.waiting_on == "external_evidence"
}

# METADATA
# title: The delivery focus rests
# description: An agent may work, but a focus marker says that the current delivery waits.
# custom:
#   id: state.focus
#   sets: [state, blocked_action_scope, focus_wait]
#   settings: [focus_markers, extras]
# labels:
#   rule: state.focus
state_row contains {"rank": 60, "value": "focus_wait", "rule": "state.focus"} if {
	attention.waiting_on == "codex"
	focus_marked
}

# METADATA
# title: The share of this window is spent
# description: An agent may work, but the spent slots reach the allowed ones.
# custom:
#   id: state.throttled
#   sets: [state]
# labels:
#   rule: state.throttled
state_row contains {"rank": 70, "value": "throttled", "rule": "state.throttled"} if {
	attention.waiting_on == "codex"
	spent >= allowed
}

# METADATA
# title: Free to take the next turn
# custom:
#   id: state.eligible
#   sets: [state]
# labels:
#   rule: state.eligible
state_row contains {"rank": 80, "value": "eligible", "rule": "state.eligible"} if attention.waiting_on == "codex"

# METADATA
# title: Nobody is named, so nothing runs
# custom:
#   id: state.idle
#   sets: [state]
# labels:
#   rule: state.idle
state_row contains {"rank": 90, "value": "waiting", "rule": "state.idle"}

unhealthy if attention.severity == "high"

unhealthy if not health.ok

focus_marked if {
	is_string(history.lifecycle_phase)
	lower(history.lifecycle_phase) in settings.quota.focus_markers
}

focus_marked if lower(history.lifecycle_flags[_]) in settings.quota.focus_markers

focus_marked if lower(attention.status) in settings.quota.focus_markers

# METADATA
# title: The state before the outcome floor
# custom:
#   id: state.hard_gates
base := rank.winner(state_row)

# METADATA
# title: State of the goal
# description: The floor may turn eligible or focus_wait into focus_wait.
# custom:
#   id: state.floor
#   sets: [state]
winner := floor_winner if floor_block

winner := base if not floor_block

state := winner.value

# METADATA
# title: The goal is paused
default paused := false

paused if state == "paused"

fired := {"state": winner}

runners := {"state": row | row := rank.runner_up(state_row)}

package loopx.scheduler_hint

import data.loopx.lib.rank
import data.loopx.request
import data.loopx.settings.scheduler

hour_ns := 3600000000000

state_key := scheduler.state_keys[app]

# METADATA
# title: The stored scheduler state of this goal, agent and app
# description: Undefined when there is none or the file was not valid for this scope.
state := found if {
	some found in input.scheduler_states
	found.surface == app
	found.state_key == state_key
}

# METADATA
# title: The interval the host really runs, as far as it was seen
# description: |
#   The match that an acknowledgement reports, the caller's own reading, or that of the one matching active heartbeat.
#   Empty when not observed.
# custom:
#   id: sched.observe
default observed_rrule := ""

observed_rrule := normalised(input.write.applied_rrule) if input.write.host_match_observed

observed_rrule := normalised(input.request.current_rrule) if {
	not input.write.host_match_observed
	input.request.current_rrule != ""
}

observed_rrule := normalised(input.host.automations[0].rrule) if {
	app == "codex_app"
	not input.write.host_match_observed
	not input.request.current_rrule
	count(input.host.automations) == 1
}

# single spaces, without a leading RRULE:, trimmed
normalised(text) := trim_space(trim_prefix(trim_space(regex.replace(text, `\s+`, " ")), "RRULE:"))

interval(text) := to_number(trim_prefix(text, scheduler.initial_rrule_prefix)) if {
	regex.match(`^FREQ=MINUTELY;INTERVAL=[1-9][0-9]{0,6}$`, text)
}

default last_applied := ""

last_applied := normalised(state.last_applied_rrule)

default applied_index := 0

applied_index := min([state.progression_index, count(app_progression) - 1])

same_identity if {
	state.reset_token == reset_token
	state.identity_signature == identity_signature
}

advances if branch.advance

advances if identity["interaction_contract.mode"] in scheduler.advance_modes

monitor_wait if branch.cadence_class == "monitor_wait"

# minutes that the applied interval is above a target; a small lead is accepted in a monitor wait
within_tolerance(applied, target) if {
	monitor_wait
	lead := interval(applied) - interval(target)
	lead >= 0
	lead <= scheduler.ack_tolerance_minutes
}

applied_acknowledged if last_applied == rrule(app_progression[applied_index])

applied_acknowledged if within_tolerance(last_applied, rrule(app_progression[applied_index]))

interval_elapsed if request.now_ns >= state.updated_ns + (interval(last_applied) * minute_ns)

# METADATA
# title: Nothing was applied yet
# custom:
#   id: sched.backoff.initial
# labels:
#   rule: sched.backoff.initial
index_row contains {"rank": 10, "value": {"index": 0, "status": "missing"}, "rule": "sched.backoff.initial"} if not state

# METADATA
# title: Another identity starts over
# custom:
#   id: sched.backoff.identity_reset
# labels:
#   rule: sched.backoff.identity_reset
index_row contains {
	"rank": 20,
	"value": {"index": 0, "status": "reset_required"},
	"rule": "sched.backoff.identity_reset",
} if {
	not same_identity
}

# METADATA
# title: The current target was never applied
# custom:
#   id: sched.backoff.retry_failure
# labels:
#   rule: sched.backoff.retry_failure
index_row contains {
	"rank": 30,
	"value": {"index": applied_index, "status": "same_identity"},
	"rule": "sched.backoff.retry_failure",
} if {
	not applied_acknowledged
}

# METADATA
# title: Active work keeps its cadence
# custom:
#   id: sched.backoff.hold_active
# labels:
#   rule: sched.backoff.hold_active
index_row contains {
	"rank": 40,
	"value": {"index": 0, "status": "same_identity"},
	"rule": "sched.backoff.hold_active",
} if {
	not advances
}

# METADATA
# title: The applied interval has run once
# custom:
#   id: sched.backoff.advance
# labels:
#   rule: sched.backoff.advance
index_row contains {
	"rank": 50,
	"value": {"index": min([applied_index + 1, count(app_progression) - 1]), "status": "same_identity"},
	"rule": "sched.backoff.advance",
} if {
	interval_elapsed
}

# METADATA
# title: The applied interval is still running
# custom:
#   id: sched.backoff.hold
# labels:
#   rule: sched.backoff.hold
index_row contains {
	"rank": 60,
	"value": {"index": applied_index, "status": "same_identity"},
	"rule": "sched.backoff.hold",
}

index := rank.winner(index_row)

current_rrule := rrule(app_progression[index.value.index])

# METADATA
# title: The interval that counts as applied
# description: What the host shows wins over the last acknowledgement; an intended cadence is never taken as applied.
# custom:
#   id: sched.backoff.effective_host
effective_host := observed_rrule if observed_rrule != ""

effective_host := last_applied if observed_rrule == ""

already_applied if effective_host == current_rrule

already_applied if {
	observed_rrule == ""
	same_identity
	within_tolerance(last_applied, current_rrule)
}

# METADATA
# title: Recorded failures that still count
# description: Recorded within the retention and against the host that is observed now.
# custom:
#   id: sched.fail.host_change
failures := [failure |
	some failure in state.failures
	request.now_ns - failure.failed_ns <= scheduler.failure_retention_hours * hour_ns
	host_unchanged(failure)
]

host_unchanged(_) if observed_rrule == ""

host_unchanged(failure) if normalised(failure.observed_host_rrule) == observed_rrule

# METADATA
# title: The retained failure of exactly this target and host
suppressing := failure if {
	some failure in failures
	normalised(failure.target_rrule) == current_rrule
	normalised(failure.observed_host_rrule) == effective_host
}

target_has_failure if {
	some failure in failures
	normalised(failure.target_rrule) == current_rrule
}

needs_binding if index.value.status != "same_identity"

needs_binding if last_applied != current_rrule

needs_binding if target_has_failure

# METADATA
# title: The host already runs the target, which is not recorded yet
# custom:
#   id: sched.host.host_match
# labels:
#   rule: sched.host.host_match
transition_row contains {
	"rank": 10,
	"value": {"apply": false, "ack": true, "status": index.value.status},
	"rule": "sched.host.host_match",
} if {
	observed_rrule != ""
	already_applied
	needs_binding
}

# METADATA
# title: Applied and recorded
# custom:
#   id: sched.host.settled
# labels:
#   rule: sched.host.settled
transition_row contains {
	"rank": 20,
	"value": {"apply": false, "ack": false, "status": index.value.status},
	"rule": "sched.host.settled",
} if {
	already_applied
	index.value.status == "same_identity"
}

# METADATA
# title: This host already failed to take this target
# custom:
#   id: sched.host.suppressed
# labels:
#   rule: sched.host.suppressed
transition_row contains {
	"rank": 30,
	"value": {"apply": false, "ack": false, "status": "host_update_failure_suppressed"},
	"rule": "sched.host.suppressed",
} if {
	suppressing
}

# METADATA
# title: The host has to be updated
# custom:
#   id: sched.host.apply
# labels:
#   rule: sched.host.apply
transition_row contains {
	"rank": 40,
	"value": {"apply": true, "ack": true, "status": index.value.status},
	"rule": "sched.host.apply",
}

transition := rank.winner(transition_row)

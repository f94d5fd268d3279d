# The table of outcomes: what an acknowledgement and a failure are answered.
package loopx.writeback.scheduler

import data.loopx.goal
import data.loopx.request
import data.loopx.scheduler_hint as hint
import data.loopx.settings.scheduler_write as settings

# --- refusals before anything else

# METADATA
# title: The call itself is wrong
# custom: {id: sched.write.request}
# labels: {rule: sched.write.request}
outcome_row contains {"rank": 10, "rule": "sched.write.request", "value": refused(error.error_code, error.reason)} if {
	error := request.refusal
}

# METADATA
# title: No registry lists the goal
# custom: {id: sched.write.goal}
# labels: {rule: sched.write.goal}
outcome_row contains {"rank": 20, "rule": "sched.write.goal", "value": refused("goal_not_found", text)} if {
	not goal.registered
	text := sprintf(settings.text.goal, [request.goal_id])
}

# METADATA
# title: A record belongs to one agent
# description: No agent id was given.
# custom: {id: sched.ack.agent}
# labels: {rule: sched.ack.agent}
outcome_row contains {"rank": 30, "rule": "sched.ack.agent", "value": refused("QUOTA_VALIDATION_FAILED", text)} if {
	not request.agent_id
	not request.identity_error
	text := sprintf(settings.text.agent, [request.command])
}

# METADATA
# title: The caller is not known
# custom: {id: sched.write.identity}
# labels: {rule: sched.write.identity}
outcome_row contains {"rank": 40, "rule": "sched.write.identity", "value": refused(error.error_code, error.message)} if {
	error := request.identity_error
}

# METADATA
# title: No valid execution context
# custom: {id: sched.write.context}
# labels: {rule: sched.write.context}
outcome_row contains {
	"rank": 50,
	"rule": "sched.write.context",
	"value": refused("scheduler_context_invalid", settings.text.context),
} if {
	not hint.context_valid
}

# METADATA
# title: Nothing to record for this host
# description: The hint stops the host, or another owner holds the schedule.
# custom: {id: sched.write.target}
# labels: {rule: sched.write.target}
outcome_row contains {
	"rank": 60,
	"rule": "sched.write.target",
	"value": refused("scheduler_target_missing", settings.text.target),
} if {
	not target
}

# METADATA
# title: The scheduler state of another host
# description: The surface or the state key differs from those of the calling host.
# custom: {id: sched.ack.scope}
# labels: {rule: sched.ack.scope}
outcome_row contains {"rank": 70, "rule": "sched.ack.scope", "value": refused("scheduler_scope_mismatch", text)} if {
	[surface, state_key] != [hint.app, hint.state_key]
	text := sprintf(settings.text.surface, [surface, state_key])
}

# --- acknowledgement

# METADATA
# title: An observed match names what it matched
# description: The observed match lacks the RRULE, the token or the signature.
# custom: {id: sched.ack.host_match}
# labels: {rule: sched.ack.host_match}
outcome_row contains {
	"rank": 80,
	"rule": "sched.ack.host_match",
	"value": refused("QUOTA_VALIDATION_FAILED", settings.text.host_match),
} if {
	acknowledges
	report.host_match_observed
	some key in ["applied_rrule", "reset_token", "identity_signature"]
	object.get(report, key, "") == ""
}

# METADATA
# title: The vector of a hint is run as a whole
# description: |
#   Without the registry and the runtime root that the hint named, the call could reach the state of another control plane.
# custom: {id: sched.ack.binding}
# labels: {rule: sched.ack.binding}
outcome_row contains {
	"rank": 85,
	"rule": "sched.ack.binding",
	"value": refused("scheduler_vector_incomplete", settings.text.binding),
} if {
	acknowledges
	report.host_match_observed
	not input.route.bound
}

# METADATA
# title: Token or signature of another time, goal or agent
# custom: {id: sched.ack.identity}
# labels: {rule: sched.ack.identity}
outcome_row contains {
	"rank": 90,
	"rule": "sched.ack.identity",
	"value": refused("scheduler_identity_mismatch", settings.text.identity),
} if {
	acknowledges
	some key, present in {"reset_token": hint.reset_token, "identity_signature": hint.identity_signature}
	object.get(report, key, present) != present
}

# METADATA
# title: Only the present target can be acknowledged
# description: The applied RRULE is another one, and no small lead of an identified monitor wait.
# custom: {id: sched.ack.rrule}
# labels: {rule: sched.ack.rrule}
outcome_row contains {"rank": 100, "rule": "sched.ack.rrule", "value": refused("scheduler_target_mismatch", text)} if {
	acknowledges
	applied
	not accepted
	text := sprintf(settings.text.rrule, [applied, target])
}

# METADATA
# title: Applied and recorded before
# custom: {id: sched.ack.noop}
# labels: {rule: sched.ack.noop}
outcome_row contains {"rank": 110, "rule": "sched.ack.noop", "value": noop} if {
	acknowledges
	hint.transition.rule == "sched.host.settled"
}

noop := {"ok": true, "reason": settings.text.already_applied, "already_applied": true}

# METADATA
# title: A recorded failure is cleared by an observation only
# custom: {id: sched.ack.failed_before}
# labels: {rule: sched.ack.failed_before}
outcome_row contains {
	"rank": 120,
	"rule": "sched.ack.failed_before",
	"value": refused("scheduler_failure_recorded", settings.text.failed_before),
} if {
	acknowledges
	hint.transition.rule == "sched.host.suppressed"
}

# METADATA
# title: An acknowledgement says what was applied
# custom: {id: sched.ack.incomplete}
# labels: {rule: sched.ack.incomplete}
outcome_row contains {"rank": 130, "rule": "sched.ack.incomplete", "value": refused("QUOTA_VALIDATION_FAILED", text)} if {
	acknowledges
	not complete
	text := sprintf(settings.text.incomplete, [request.command])
}

complete if {
	applied
	identified
}

# METADATA
# title: The applied interval is recorded
# description: Failures of the acknowledged target are dropped, those of other targets stay.
# custom: {id: sched.ack.write}
# labels: {rule: sched.ack.write}
outcome_row contains {"rank": 140, "rule": "sched.ack.write", "value": value} if {
	acknowledges
	complete
	accepted
	kept := [stored(failure) |
		some failure in object.get(recorded, "failures", [])
		not hint.normalised(failure.target_rrule) in {applied, target}
	]
	value := {"ok": true, "reason": settings.text.recorded_ack, "state": state(settings.sources.ack, applied, kept)}
}

# --- failure

# METADATA
# title: A failure names its target
# custom: {id: sched.fail.incomplete}
# labels: {rule: sched.fail.incomplete}
outcome_row contains {
	"rank": 210,
	"rule": "sched.fail.incomplete",
	"value": refused("QUOTA_VALIDATION_FAILED", settings.text.failed_incomplete),
} if {
	not acknowledges
	not failed
}

# METADATA
# title: Unknown kind of failure
# custom: {id: sched.fail.kind}
# labels: {rule: sched.fail.kind}
outcome_row contains {"rank": 220, "rule": "sched.fail.kind", "value": refused("QUOTA_VALIDATION_FAILED", text)} if {
	not acknowledges
	not kind in settings.failure_kinds
	text := sprintf(settings.text.kind, [kind, concat(", ", settings.failure_kinds)])
}

# METADATA
# title: Nothing was asked of the host
# custom: {id: sched.fail.not_needed}
# labels: {rule: sched.fail.not_needed}
outcome_row contains {
	"rank": 230,
	"rule": "sched.fail.not_needed",
	"value": refused("scheduler_update_not_needed", settings.text.not_needed),
} if {
	not acknowledges
	hint.transition.value.apply == false
}

# METADATA
# title: Only the present target can fail
# custom: {id: sched.fail.target}
# labels: {rule: sched.fail.target}
outcome_row contains {"rank": 240, "rule": "sched.fail.target", "value": refused("scheduler_target_mismatch", text)} if {
	not acknowledges
	failed != target
	text := sprintf(settings.text.rrule, [failed, target])
}

# METADATA
# title: The failed update is recorded
# description: With the failures that still count, newest last; the host keeps the interval it has.
# custom: {id: sched.fail.record, settings: [scheduler.failure_pairs, scheduler.failure_retention_hours]}
# labels: {rule: sched.fail.record}
outcome_row contains {"rank": 250, "rule": "sched.fail.record", "value": value} if {
	not acknowledges
	failed == target
	value := {
		"ok": true,
		"reason": settings.text.recorded_failure,
		"state": state(settings.sources.failure, hint.effective_host, newest_pairs),
	}
}

kind := object.get(report, "failure_kind", settings.default_failure_kind)

same_pair(failure) if {
	hint.normalised(failure.target_rrule) == target
	hint.normalised(failure.observed_host_rrule) == hint.effective_host
}

earlier_count := sum([failure.failure_count | some failure in hint.failures; same_pair(failure)])

pairs := array.concat([stored(failure) | some failure in hint.failures; not same_pair(failure)], [{
	"schema_version": "scheduler_host_update_failure_v0",
	"target_rrule": target,
	"observed_host_rrule": hint.effective_host,
	"failure_kind": kind,
	"failure_count": earlier_count + 1,
	"failed_at": stamp,
	"identity_signature": hint.identity_signature,
}])

newest_pairs := array.slice(pairs, max([0, count(pairs) - data.loopx.settings.scheduler.failure_pairs]), count(pairs))

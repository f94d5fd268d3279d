# METADATA
# title: Recording what a host did with a recommended interval
# description: |
#   Answers scheduler-ack, scheduler-ack-current and scheduler-fail-current: whether the recorded state changes and to
#   what. Reads the present scheduler hint and what the caller reports (input.write). The only effect is the state file
#   of this goal, agent and app; no run is written and nothing is spent.
# schemas:
#   - input: schema.facts.input
package loopx.writeback.scheduler

import data.loopx.lib.rank
import data.loopx.request
import data.loopx.scheduler_hint as hint
import data.loopx.settings.scheduler_write as settings

acknowledges if request.command != "scheduler-fail-current"

default report := {}

report := input.write

# --- what the hint asks for now

contract_hint if rank.winner(hint.hint_row).rule == "sched.branch.contract"

# METADATA
# title: The target that can be recorded
# description: Undefined when the hint advises no app timer.
target := hint.current_rrule if {
	contract_hint
	hint.app
}

surface := object.get(report, "surface", hint.app)

state_key := object.get(report, "state_key", hint.state_key)

applied := hint.normalised(report.applied_rrule)

failed := hint.normalised(report.failed_rrule)

exact_identity if {
	report.reset_token == hint.reset_token
	report.identity_signature == hint.identity_signature
}

current_identity if request.command in settings.current

current_identity if report.use_current_hint

identified if exact_identity

identified if current_identity

accepted if applied == target

accepted if {
	exact_identity
	hint.within_tolerance(applied, target)
}

# --- the recorded state

# METADATA
# title: The instant as other readers parse it
# description: UTC with whole seconds and a numeric offset; older Python readers do not know the letter Z.
stamp := concat("", [time.format([request.now_ns, "UTC", "2006-01-02T15:04:05"]), "+00:00"])

recorded := hint.state

# a failure without its own identity counts under that of its file
stored(failure) := object.union_n([
	{"schema_version": "scheduler_host_update_failure_v0", "identity_signature": recorded.identity_signature},
	object.remove(failure, ["failed_ns"]),
])

state(source, rrule, failures) := object.union_n([
	object.get(recorded_or_empty, "extra", {}),
	{
		"schema_version": "loopx_scheduler_state_v0",
		"goal_id": request.goal_id,
		"agent_id": request.agent_id,
		"surface": surface,
		"state_key": state_key,
		"reset_token": hint.reset_token,
		"identity_signature": hint.identity_signature,
		"progression_index": hint.index.value.index,
		"progression_minutes": hint.app_progression,
		"last_applied_rrule": rrule,
		"updated_at": stamp,
		"source": source,
	},
	{"host_update_failures": failures | count(failures) > 0},
	{"host_update_failure": failure | some failure in array.slice(failures, count(failures) - 1, count(failures))},
])

default recorded_or_empty := {}

recorded_or_empty := recorded

# --- the answer

refused(code, reason) := {"ok": false, "reason": reason, "error_code": code}

outcome := rank.winner(outcome_row)

# METADATA
# title: The answer and its effects
# description: "{ok, document, effects}. Effects are applied by the caller, and only when execution was asked for."
# entrypoint: true
# custom: {id: sched.write.result}
result := {"ok": outcome.value.ok, "document": document, "effects": effects}

default dry_run := true

dry_run := false if input.request.execute

document := object.union_n([
	object.remove(outcome.value, ["state"]),
	{
		"mode": request.command,
		"goal_id": request.goal_id,
		"agent_id": object.get(input.request, "agent_id", null),
		"dry_run": dry_run,
		"written": written,
		"appended": false,
		"no_spend": true,
		"already_applied": object.get(outcome.value, "already_applied", false),
		"rule": outcome.rule,
	},
	target_fields,
	{"scheduler_state": outcome.value.state | outcome.value.state},
	{"reason_summary": report.reason_summary | report.reason_summary != ""},
	{"post_ack_contract": post_ack_contract | outcome.value.ok},
	{"error": {"code": outcome.value.error_code, "rule_id": outcome.rule, "message": outcome.value.reason} | not outcome.value.ok},
])

# METADATA
# title: An acknowledgement has no successor
# description: It is no second should-run; nobody may apply another RRULE because of it. Undefined for a failure.
# custom: {id: sched.ack.no_successor}
post_ack_contract := settings.contract if acknowledges

default written := false

written if {
	not dry_run
	count(effects) > 0
}

default target_fields := {}

target_fields := {
	"surface": surface,
	"state_key": state_key,
	"target_rrule": target,
	"reset_token": hint.reset_token,
	"identity_signature": hint.identity_signature,
	"progression_index": hint.index.value.index,
} if {
	outcome.value.ok
}

# METADATA
# title: The one file that changes
# description: It replaces what was read and nothing newer (digest, empty when there was no valid file).
# custom: {id: sched.write.effect}
effects := [{
	"kind": "put_scheduler_state",
	"surface": surface,
	"state_key": state_key,
	"digest": object.get(recorded_or_empty, "digest", ""),
	"state": outcome.value.state,
} |
	outcome.value.state
]

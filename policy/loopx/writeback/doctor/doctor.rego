# METADATA
# title: Checking an installation
# description: |
#   Answers doctor: what was tried on this project, which of it must hold, how fresh the release evidence is, and, for a
#   readiness run, the evidence itself. Only a run that passed is stored, in the ledger that all projects share, and only
#   when the caller does not ask to leave it out.
# schemas:
#   - input: schema.facts.input
package loopx.writeback.doctor

import data.loopx.lib.rank
import data.loopx.request
import data.loopx.settings.doctor as settings
import data.loopx.warnings
import data.loopx.writeback.answer

default asked := {}

asked := input.write.doctor

# METADATA
# title: What was checked
# description: "{name, subject?, ok, required, detail?}: the registry, then the trials in the order in which they were made."
# custom: {id: doctor.checks, settings: [trials]}
checks := array.concat([registry_check], [check |
	some trial in asked.trials
	rule := settings.trials[trial.name]
	check := object.union_n([
		object.filter(trial, ["name", "subject", "ok", "detail"]),
		{"required": rule.required},
		{"detail": rule.text | not trial.ok; not trial.detail},
	])
])

global_findings := sort([finding.message | some finding in input.findings; finding.scope == "global"])

registry_check := {"name": "registry", "ok": true, "required": settings.registry.required} if count(global_findings) == 0

registry_check := {
	"name": "registry",
	"ok": false,
	"required": settings.registry.required,
	"detail": global_findings[0],
} if {
	count(global_findings) > 0
}

failed := [check | some check in checks; not check.ok; check.required]

# METADATA
# title: The call itself is wrong
# custom: {id: doctor.request}
# labels: {rule: doctor.request}
outcome_row contains {"rank": 10, "rule": "doctor.request", "value": answer.refused(error.error_code, error.reason)} if {
	error := request.refusal
}

# METADATA
# title: A required check fails
# description: No evidence is stored then, so an earlier warning stays.
# custom: {id: doctor.failed}
# labels: {rule: doctor.failed}
outcome_row contains {"rank": 20, "rule": "doctor.failed", "value": answer.refused("doctor_check_failed", why)} if {
	count(failed) > 0
	names := [object.get(check, "subject", check.name) | some check in failed]
	why := sprintf(settings.text.failed, [count(failed), count(checks), concat(", ", names)])
}

# METADATA
# title: A readiness run passed
# description: Its evidence goes to the shared release ledger and to no goal.
# custom: {id: doctor.evidence}
# labels: {rule: doctor.evidence}
outcome_row contains {"rank": 30, "rule": "doctor.evidence", "value": {"ok": true, "reason": reason}} if {
	asked.promotion
	not asked.no_write_evidence
	reason := sprintf(settings.text.stored, [count(checks)])
}

# METADATA
# title: A readiness run that leaves no evidence
# description: It clears no warning.
# custom: {id: doctor.no_evidence}
# labels: {rule: doctor.no_evidence}
outcome_row contains {"rank": 40, "rule": "doctor.no_evidence", "value": {"ok": true, "reason": reason}} if {
	asked.promotion
	reason := sprintf(settings.text.not_stored, [count(checks)])
}

# METADATA
# title: Every required check passed
# custom: {id: doctor.sound}
# labels: {rule: doctor.sound}
outcome_row contains {"rank": 50, "rule": "doctor.sound", "value": {"ok": true, "reason": reason}} if {
	reason := sprintf(settings.text.sound, [count(checks)])
}

outcome := rank.winner(outcome_row)

row := {
	"generated_at": answer.now,
	"classification": settings.evidence.classification,
	"recommended_action": settings.evidence.recommended_action,
	"health_check": settings.evidence.health_check,
	"ready": true,
	"check_count": count(checks),
	"policy_revision": object.get(asked, "revision", ""),
	"policy_digest": object.get(asked, "digest", ""),
	"version": object.get(asked, "version", ""),
}

# names of goals are another project's business
record := object.union(row, {"checks": [object.filter(check, ["name", "ok", "required"]) | some check in checks]})

markdown := array.concat([settings.evidence.title, ""], [line |
	some [name, value] in [["checks", count(checks)], ["version", row.version], ["policy", row.policy_revision]]
	line := sprintf("- %s: %v", [name, value])
])

default effects := []

effects := [{
	"kind": "append_release_row",
	"generated_at": answer.now,
	"suffix": settings.evidence.suffix,
	"record": record,
	"row": row,
	"markdown": markdown,
}] if {
	outcome.rule == "doctor.evidence"
}

# METADATA
# title: The answer and its effects
# description: "{ok, document, effects}. Effects are applied by the caller, and only when execution was asked for."
# entrypoint: true
# custom: {id: doctor.result}
result := answer.result(outcome, effects, object.union_n([
	{"checks": checks, "promotion_readiness": readiness},
	object.filter(asked, ["version"]),
	{"policy": object.filter(asked, ["revision", "digest"])},
]))

# METADATA
# title: How fresh the release evidence was before this call
# custom: {id: doctor.readiness}
readiness := object.union(
	{"freshness_status": warnings.readiness_status, "available": warnings.readiness_available},
	object.filter(object.get(input, "promotion", {}), ["generated_at"]),
)

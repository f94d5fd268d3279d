# METADATA
# title: Taking a spend back
# description: |
#   Whether a recorded spend may be voided and what is appended. Reads the spends of the named instant and what took them
#   back already (input.trace), the ledger and the guard. A void names its spend by generated_at; it never gives back more
#   than was spent there and never touches another spend.
# schemas:
#   - input: schema.facts.input
package loopx.writeback.void

import data.loopx.history
import data.loopx.lib.rank
import data.loopx.request
import data.loopx.settings.void as settings
import data.loopx.share
import data.loopx.writeback.answer
import data.loopx.writeback.guard

ask := input.write.void

source := object.get(ask, "source", settings.default_source)

at := input.request.run_generated_at

before := guard.before

# --- the spend

spends := [row |
	some row in input.trace.rows
	row.classification in history.spends
	row.generated_at == at
	row.slots > 0
]

# two agents may have spent in one second: a caller with an id means its own
own := [row | some row in spends; row.agent_id == request.agent_id]

target := own[0]

target := spends[0] if count(own) == 0

# METADATA
# title: Whose spend it is
# description: Empty for a spend without an agent. The void is of the same lane, so that it names this spend alone.
owner := object.filter(target, ["agent_id"])

mates := [row | some row in spends; object.filter(row, ["agent_id"]) == owner]

# --- what was taken back already

voids := [row |
	some row in input.trace.rows
	row.classification in history.voids
	row.voids == at
	row.slots > 0
	object.filter(row, ["agent_id"]) in [{}, owner]
]

# a void whose event stands in its artifact alone is known to the ledger, which does not tell agents apart
ledger_voids := [row | count(mates) == count(spends); some row in ledger_taken]

taken := max([sum([row.slots | some row in voids]), sum([row.slots | some row in ledger_voids])])

left := sum([row.slots | some row in mates]) - taken

slots := min([target.slots, left])

# --- refusals

# METADATA
# title: No instant is named
# custom: {id: void.missing}
# labels: {rule: void.missing}
outcome_row contains {"rank": 40, "rule": "void.missing", "value": answer.invalid(settings.text.missing)} if {
	object.get(input.request, "run_generated_at", "") == ""
}

# METADATA
# title: Unknown source
# custom: {id: void.source, settings: [void.sources]}
# labels: {rule: void.source}
outcome_row contains {"rank": 50, "rule": "void.source", "value": answer.invalid(text)} if {
	not source in settings.sources
	text := sprintf(settings.text.source, [source, concat(", ", settings.sources)])
}

# METADATA
# title: No spend at this instant
# custom: {id: void.target}
# labels: {rule: void.target}
outcome_row contains {"rank": 60, "rule": "void.target", "value": answer.refused("quota_spend_not_found", text)} if {
	not target
	text := sprintf(settings.text.target, [request.goal_id, at])
}

# METADATA
# title: Taken back before
# description: No refusal; nothing is left of the spend, so nothing is appended.
# custom: {id: void.replay}
# labels: {rule: void.replay}
outcome_row contains {"rank": 70, "rule": "void.replay", "value": value} if {
	target
	left <= 0
	value := {"ok": true, "reason": settings.text.replay, "idempotent_replay": true}
}

# METADATA
# title: The event would publish private text
# custom: {id: void.event.public, settings: [void.summary_limit, safety.patterns]}
# labels: {rule: void.event.public}
outcome_row contains {"rank": 80, "rule": "void.event.public", "value": answer.refused("quota_event_private", text)} if {
	count(ask.private) > 0
	text := sprintf(settings.text.private, [concat(", ", ask.private)])
}

outcome_row contains {"rank": 80, "rule": "void.event.public", "value": answer.refused("quota_event_private", text)} if {
	count(ask.reason_summary) > settings.summary_limit
	text := sprintf(settings.text.summary_long, [settings.summary_limit])
}

# METADATA
# title: The spend is taken back
# custom: {id: void.accepted}
# labels: {rule: void.accepted}
outcome_row contains {"rank": 90, "rule": "void.accepted", "value": {"ok": true, "reason": settings.text.accepted}} if {
	left > 0
}

outcome := rank.winner(answer.row | outcome_row)

accepted if outcome.rule == "void.accepted"

# --- before and after

ledger_taken := [row | some row in share.voids; row.key == at]

# METADATA
# title: The decision after the void
# description: The guard with this void in the ledger; a spend that left the window gives nothing back.
# custom: {id: void.after, sets: [after]}
after := decided if {
	void := {"kind": "void", "key": at, "at_ns": request.now_ns, "slots": slots}
	decided := guard.before with input.ledger.rows as array.concat([void], input.ledger.rows)
}

# --- the record

summary := object.get(ask, "reason_summary", settings.record.summary)

quota_event := object.union(owner, {
	"event_type": settings.record.classification,
	"source": source,
	"slots": slots,
	"reason_summary": summary,
	"voided_run_generated_at": at,
	"voided_run_classification": target.classification,
	"before": before,
	"after": after,
})

record := object.union(owner, {
	"generated_at": guard.generated_at,
	"goal_id": request.goal_id,
	"classification": settings.record.classification,
	"recommended_action": settings.record.recommended_action,
	"health_check": settings.record.health_check,
	"quota_event": quota_event,
})

markdown := array.concat([settings.record.title, ""], [line |
	some [name, value] in [
		["goal", request.goal_id],
		["voided", at],
		["slots", slots],
		["source", source],
		["spent", sprintf("%v -> %v of %v", [before.spent_slots, after.spent_slots, after.allowed_slots])],
		["reason", summary],
	]
	line := sprintf("- %s: %v", [name, value])
])

default effects := []

# METADATA
# title: One run and its event
# custom: {id: void.effects}
effects := [
	{
		"kind": "append_run",
		"goal_id": request.goal_id,
		"suffix": settings.record.suffix,
		"generated_at": guard.generated_at,
		"record": record,
		"row": record,
		"markdown": markdown,
	},
	{
		"kind": "append_event",
		"goal_id": request.goal_id,
		"required": false,
		"unique": false,
		"event": object.union(guard.author, {
			"event_kind": settings.record.event_kind,
			"status": settings.record.status,
			"classification": settings.record.classification,
			"details": {"slots": slots, "source": source, "voided_run_generated_at": at},
		}),
	},
] if {
	accepted
}

# --- the answer

# METADATA
# title: The answer and its effects
# description: "{ok, document, effects}. Effects are applied by the caller, and only when execution was asked for."
# entrypoint: true
# custom: {id: void.result}
result := {"ok": outcome.value.ok, "document": document, "effects": effects}

document := object.union_n([
	{
		"mode": request.command,
		"goal_id": request.goal_id,
		"source": source,
		"dry_run": dry_run,
		"appended": appended,
		"idempotent_replay": false,
		"voided_run_generated_at": object.get(input.request, "run_generated_at", null),
		"rule": outcome.rule,
	},
	outcome.value,
	guard.author,
	{"before": before | before},
	accepted_fields,
	{"error": {"code": outcome.value.error_code, "rule_id": outcome.rule, "message": outcome.value.reason} |
		outcome.value.ok == false
	},
])

dry_run := false if answer.executes

dry_run if not answer.executes

default appended := false

appended if {
	accepted
	answer.executes
}

default accepted_fields := {}

accepted_fields := {
	"slots": slots,
	"voided_run_classification": target.classification,
	"after": after,
	"reason_summary": summary,
	"quota_event": quota_event,
} if {
	accepted
}

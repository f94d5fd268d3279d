# What a spend leaves behind: the event with its arithmetic, the effects and the answer.
package loopx.writeback.spend

import data.loopx.lib.rank
import data.loopx.request
import data.loopx.settings.spend as settings
import data.loopx.writeback.answer
import data.loopx.writeback.guard

# --- before and after

spent_after := before.spent_slots + slots

# METADATA
# title: The window is full
# description: Whatever else holds the goal, a full window is shown as throttled.
# custom: {id: spend.after.throttled, sets: [after]}
# labels: {rule: spend.after.throttled}
after_row contains {"rank": 10, "rule": "spend.after.throttled", "value": value} if {
	spent_after >= before.allowed_slots
	value := guard.stopped("throttled", "throttled_skip", null)
}

# METADATA
# title: The state stands
# description: No other row of the state table reads the number of spent slots.
# custom: {id: spend.after.stands, sets: [after]}
# labels: {rule: spend.after.stands}
after_row contains {"rank": 90, "rule": "spend.after.stands", "value": {}} if before

# METADATA
# title: The decision after the spend
# description: |
#   A projection of this one spend: spent_slots is a rolling sum and may be lower at the next check.
# custom: {id: spend.after, sets: [after]}
after := object.union_n([before, rank.winner(after_row).value, {"spent_slots": spent_after}])

event_holds if {
	slots > 0
	after.spent_slots == before.spent_slots + slots
	throttles_when_full
	every key in ["compute", "window_hours", "slot_minutes", "allowed_slots"] { after[key] == before[key] }
}

throttles_when_full if after.spent_slots < after.allowed_slots

throttles_when_full if {
	after.state == "throttled"
	after.should_run == false
}

# --- the event

summary := ask.reason_summary

summary := settings.accepted[class].reason if not ask.reason_summary

nullable(given, keys) := {key: object.get(given, key, null) | some key in keys}

default delivered := {}

delivered := delivery

default identity := null

identity := settlement_identity

default spent_turn := null

spent_turn := turn

# METADATA
# title: What the record is bound to
# description: The named todo or obligation, with a turn or without.
binding_fields := binding if count(binding) > 0

binding_fields := object.filter(delivered, ["todo_id", "replan_obligation_id"]) if count(binding) == 0

quota_event := object.union_n([
	nullable(binding_fields, ["todo_id", "replan_obligation_id"]),
	guard.author,
	{
		"event_type": settings.record.classification,
		"source": source,
		"slots": slots,
		"reason_summary": summary,
		"turn_instance_id": spent_turn,
		"settlement_identity": identity,
		"delivery_run_generated_at": object.get(delivered, "generated_at", null),
		"delivery_run_classification": object.get(delivered, "classification", null),
		"delivery_run_agent_id": object.get(delivered, "agent_id", null),
		"delivery_run_recommended_action": object.get(delivered, "recommended_action", null),
		"delivery_workspace": object.get(delivered, "delivery_workspace", null),
		"delivery_workspace_causality": null,
		"delivery_workspace_validated": workspace_validated,
		"before": before,
		"after": after,
	},
])

default workspace_validated := false

workspace_validated if {
	workspace.task_repository
	not foreign_workspace
}

default action_text := null

action_text := guard.turn.recommended_action

recommended_action := action_text if is_string(action_text)

recommended_action := settings.record.recommended_action if not is_string(action_text)

record := object.union_n([
	guard.author,
	binding_fields,
	{
		"generated_at": guard.generated_at,
		"goal_id": request.goal_id,
		"classification": settings.record.classification,
		"recommended_action": recommended_action,
		"health_check": settings.record.health_check,
		"quota_event": quota_event,
	},
	{key: value | some key, value in {"turn_instance_id": spent_turn, "settlement_identity": identity}; value != null},
])

markdown := array.concat([settings.record.title, ""], [line |
	some [name, value] in [
		["goal", request.goal_id],
		["agent", object.get(guard.author, "agent_id", "-")],
		["slots", slots],
		["source", source],
		["spent", sprintf("%v -> %v of %v", [before.spent_slots, after.spent_slots, after.allowed_slots])],
		["state", sprintf("%v -> %v", [before.state, after.state])],
		["delivery", object.get(delivered, "classification", "-")],
		["reason", summary],
	]
	line := sprintf("- %s: %v", [name, value])
])

# METADATA
# title: One run and its event
# description: |
#   The index row keeps the event too, so that the ledger survives a lost artifact and is read without opening it. A
#   repeat appends at most the event that the first call could not.
# custom: {id: spend.effects, covers: [ledger.neutral]}
default effects := []

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
	log_effect(slots, delivered),
] if {
	accepted
}

effects := [log_effect(object.get(spent_before, "slots", slots), first_delivery)] if {
	outcome.rule == "spend.replay"
	repair_required
}

default first_delivery := {}

first_delivery := turn_delivery

log_effect(spent, from) := {
	"kind": "append_event",
	"goal_id": request.goal_id,
	"required": false,
	"unique": is_string(spent_turn),
	"event": object.union_n([
		guard.author,
		object.filter(binding_fields, ["todo_id"]),
		{
			"event_kind": settings.record.event_kind,
			"status": settings.record.status,
			"classification": settings.record.classification,
			"details": object.union_n([
				{"slots": spent, "source": source},
				object.filter(binding_fields, ["replan_obligation_id"]),
				{"turn_instance_id": spent_turn | is_string(spent_turn)},
				{"settlement_effect_id": identity.effect_id | identity != null},
				{"delivery_run_generated_at": at | at := from.generated_at},
			]),
		},
		{"run_id": spent_turn | is_string(spent_turn)},
	]),
}

# --- the answer

# METADATA
# title: The answer and its effects
# description: "{ok, document, effects}. Effects are applied by the caller, and only when execution was asked for."
# entrypoint: true
# custom: {id: spend.result}
result := {"ok": outcome.value.ok, "document": document, "effects": effects}

document := object.union_n([
	{
		"mode": request.command,
		"goal_id": request.goal_id,
		"source": source,
		"slots": object.get(ask, "slot_count", null),
		"dry_run": dry_run,
		"appended": appended,
		"idempotent_replay": false,
		"warnings": warnings,
		"rule": outcome.rule,
	},
	outcome.value,
	guard.author,
	guard.turn_field,
	{"before": before | before},
	accepted_fields,
	replayed_fields,
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

# METADATA
# title: Accepted without a delivery record
# custom: {id: spend.warn.no_record, sets: [warnings]}
warnings := ["spend_without_delivery_record" | accepted; not delivery]

default accepted_fields := {}

accepted_fields := object.union_n([
	nullable(quota_event, ["delivery_run_generated_at", "delivery_run_classification"]),
	binding_fields,
	{
		"after": after,
		"would_throttle": after.state == "throttled",
		"rolling_window_note": settings.text.rolling_window,
		"reason_summary": summary,
		"quota_event": quota_event,
	},
	{"settlement_identity": identity | identity != null},
]) if {
	accepted
}

default replayed_fields := {}

# METADATA
# title: The first receipt
# custom: {id: spend.replay.receipt}
replayed_fields := object.union_n([
	object.filter(spent_before, ["generated_at", "json_path", "markdown_path", "slots"]),
	binding_fields,
	{
		"settlement_identity": settlement_identity,
		"delivery_run_generated_at": object.get(first_delivery, "generated_at", null),
		"delivery_run_classification": object.get(first_delivery, "classification", null),
	},
]) if {
	outcome.rule == "spend.replay"
}

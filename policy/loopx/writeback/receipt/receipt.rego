# METADATA
# title: Receipts of guarded turns
# description: |
#   What should-run leaves behind when the caller gives a turn id or asks for a host poll receipt: the observation of a
#   quiet turn, exactly one receipt for a goal, agent and turn, and the answer around them. Reads the decision and what
#   index and event log say of the turn (input.trace). Without a turn id and without that request nothing is written.
# schemas:
#   - input: schema.facts.input
package loopx.writeback.receipt

import data.loopx.frontier
import data.loopx.history
import data.loopx.interaction_contract
import data.loopx.lib.rank
import data.loopx.request
import data.loopx.route
import data.loopx.settings.receipt as settings
import data.loopx.should_run
import data.loopx.writeback.guard
import data.loopx.writeback.monitor_poll

decision := should_run.decision

# METADATA
# title: A turn of a known agent that gets a decision
tracked if {
	request.turn_id
	guard.before
}

# --- what the turn is bound to

# METADATA
# title: What the guard binds the turn to
# description: A required replan binds its obligation, everything else the selected todo; empty when nothing is selected.
# custom: {id: turn.binding}
default binding := {}

binding := {"replan_obligation_id": frontier.obligation.obligation_id} if {
	guard.kind == "normal"
	route.replan
}

binding := {"todo_id": interaction_contract.selected_todo.todo_id} if {
	guard.kind == "normal"
	not route.replan
}

part := binding.todo_id

part := concat(":", ["autonomous_replan", binding.replan_obligation_id]) if binding.replan_obligation_id

# METADATA
# title: Identity under which the turn is settled
# description: Null for a turn that is bound to nothing.
default identity := null

identity := object.union(binding, {
	"schema_version": "quota_settlement_identity_v0",
	"effect_id": concat(":", [request.goal_id, request.agent_id, part, request.turn_id]),
	"goal_id": request.goal_id,
	"agent_id": request.agent_id,
	"turn_instance_id": request.turn_id,
})

# --- what is on disk

receipts := [event |
	some event in input.trace.events
	event.event_kind == settings.event.kind
	event.agent_id == request.agent_id
]

default recorded_binding := {}

recorded_binding := [bound | some event in receipts; bound := bound_to(event); count(bound) > 0][0]

bound_to(event) := object.union(
	object.filter(event, ["todo_id"]),
	{key: id |
		some key in ["todo_id", "replan_obligation_id"]
		id := event.details[key]
		is_string(id)
		id != ""
	},
)

observations := [row |
	some row in input.trace.rows
	row.classification in history.polls
	row.agent_id == request.agent_id
	row.turn_instance_id == request.turn_id
]

# --- the observation of a quiet turn

# METADATA
# title: The quiet turn is still to be observed
owed if {
	guard.before.effective_action in settings.observed_actions
	count(observations) == 0
	count(receipts) == 0
}

# METADATA
# title: This call appended the observation
# custom: {id: turn.stall.appended}
# labels: {rule: turn.stall.appended}
stall_row contains {"rank": 10, "rule": "turn.stall.appended", "value": "appended"} if {
	input.write.receipt.observed
	count(observations) > 0
}

# METADATA
# title: The observation was there
# custom: {id: turn.stall.replayed}
# labels: {rule: turn.stall.replayed}
stall_row contains {"rank": 20, "rule": "turn.stall.replayed", "value": "replayed"} if count(observations) > 0

# METADATA
# title: A turn without observation
# custom: {id: turn.stall.none}
# labels: {rule: turn.stall.none}
stall_row contains {"rank": 30, "rule": "turn.stall.none", "value": "not_applicable"}

# METADATA
# title: What became of the stall observation
# custom: {id: turn.stall, sets: [heartbeat_stall_writeback]}
stall := rank.winner(stall_row).value

# --- outcomes

conflict_fields := [key |
	some key in ["todo_id", "replan_obligation_id"]
	object.get(recorded_binding, key, "") != object.get(binding, key, "")
]

# METADATA
# title: The receipt could not be written
# description: A turn without its receipt may not run.
# custom: {id: turn.write_failed}
# labels: {rule: turn.write_failed}
outcome_row contains {"rank": 10, "rule": "turn.write_failed", "value": value} if {
	tracked
	failure := input.write.receipt.failure
	text := sprintf(settings.text.failed, [request.turn_id, failure])
	value := {
		"status": "write_failed",
		"short": object.union(settings.failed, {"effective_action": settings.failed_action}),
		"error_code": settings.failed_action,
		"reason": text,
	}
}

# METADATA
# title: The turn is bound to something else
# description: Its receipt names another todo or obligation than the guard selects now.
# custom: {id: turn.conflict}
# labels: {rule: turn.conflict}
outcome_row contains {"rank": 20, "rule": "turn.conflict", "value": value} if {
	tracked
	count(recorded_binding) > 0
	count(conflict_fields) > 0
	text := sprintf(settings.text.conflict, [request.turn_id, concat(", ", conflict_fields)])
	value := {
		"status": "conflict",
		"short": object.union(settings.refusal, {"conflict_fields": conflict_fields}),
		"error_code": "heartbeat_receipt_identity_conflict",
		"reason": text,
	}
}

# METADATA
# title: Observe the quiet turn, then decide again
# description: The observation is no spend and is appended once for a turn; two such turns of one watched thing are a stall.
# custom: {id: turn.observe}
# labels: {rule: turn.observe}
outcome_row contains {"rank": 30, "rule": "turn.observe", "value": {"again": true}} if {
	tracked
	owed
}

# METADATA
# title: The turn asked before
# description: The receipt is there and says the same.
# custom: {id: turn.replay}
# labels: {rule: turn.replay}
outcome_row contains {"rank": 40, "rule": "turn.replay", "value": {"status": "replayed"}} if {
	tracked
	count(receipts) > 0
	recorded_binding == binding
}

# METADATA
# title: The turn gets its binding
# description: The receipt named nothing and now something is selected; a second event adds it.
# custom: {id: turn.upgrade}
# labels: {rule: turn.upgrade}
outcome_row contains {
	"rank": 50,
	"rule": "turn.upgrade",
	"value": {"status": "committed", "revision": settings.event.upgrade},
} if {
	tracked
	count(receipts) > 0
	count(recorded_binding) == 0
}

# METADATA
# title: The turn gets its receipt
# custom: {id: turn.commit}
# labels: {rule: turn.commit}
outcome_row contains {"rank": 60, "rule": "turn.commit", "value": {"status": "committed"}} if {
	tracked
	count(receipts) == 0
}

# METADATA
# title: No turn to record
# description: The call has no turn id, or no decision was reached.
# custom: {id: turn.none}
# labels: {rule: turn.none}
outcome_row contains {"rank": 90, "rule": "turn.none", "value": {}}

outcome := rank.winner(outcome_row)

# --- effects

default effects := []

# METADATA
# title: What is appended
# description: The observation of a quiet turn alone, else the receipt and, when asked for, the poll of the host.
# custom: {id: turn.effects}
effects := monitor_poll.run_effects if outcome.value.again

effects := array.concat(receipt_effects, host_poll_effects) if {
	not outcome.value.again
	not outcome.value.error_code
}

receipt_effects := [{
	"kind": "append_event",
	"goal_id": request.goal_id,
	"required": true,
	"unique": outcome.rule == "turn.commit",
	"event": object.union_n([
		object.filter(binding, ["todo_id"]),
		{
			"event_kind": settings.event.kind,
			"agent_id": request.agent_id,
			"run_id": request.turn_id,
			"status": guard.before.effective_action,
			"details": object.union_n([
				binding,
				{
					"turn_instance_id": request.turn_id,
					"stall_observation": stall,
					"should_run": guard.before.should_run,
					"ok": guard.ok,
					"state": guard.before.state,
					"effective_action": guard.before.effective_action,
				},
				{"settlement_effect_id": identity.effect_id | identity != null},
				{"settlement_receipt_revision": revision | revision := outcome.value.revision},
			]),
		},
	]),
} |
	outcome.value.status == "committed"
]

# METADATA
# title: The host was here
# description: Written on request and with a healthy decision; a failure changes no decision.
# custom: {id: poll.create-absent, covers: [poll.preserve-unreadable]}
host_poll_effects := [{
	"kind": "put_host_poll",
	"goal_id": request.goal_id,
	"receipt": {
		"schema_version": "loopx_host_poll_receipt_v0",
		"goal_id": request.goal_id,
		"agent_id": object.get(guard.author, "agent_id", null),
		"last_poll_at": time.format([request.now_ns, "UTC", "2006-01-02T15:04:05.000000-07:00"]),
		"expected_continuation": continues,
		"last_decision_action": guard.before.effective_action,
	},
} |
	input.request.record_host_poll
	not input.request.dry_run
	guard.ok
]

default continues := true

continues := false if {
	guard.kind == "normal"
	guard.before.effective_action == "terminal_no_followup"
	guard.before.should_run == false
	frontier.terminal
}

# --- the answer

receipt := object.union_n([
	{
		"schema_version": "heartbeat_quota_receipt_v0",
		"status": outcome.value.status,
		"goal_id": request.goal_id,
		"agent_id": request.agent_id,
		"turn_instance_id": request.turn_id,
		"stall_observation": stall_shown,
		"todo_id": object.get(binding, "todo_id", null),
		"replan_obligation_id": object.get(binding, "replan_obligation_id", null),
		"settlement_identity": identity,
	},
	{"settlement_receipt_revision": revision | revision := outcome.value.revision},
	{"event_id": id | outcome.rule == "turn.replay"; id := receipts[0].event_id},
	{"recorded_at": at | outcome.rule == "turn.replay"; at := receipts[0].recorded_at},
])

stall_shown := stall if not outcome.value.error_code

stall_shown := "not_evaluated" if outcome.value.error_code

# METADATA
# title: The answer and its effects
# description: |
#   "{ok, document, effects, again}. When again holds, the effects are applied and the same question is asked once more.
#   The effects of an answer that may not be written are applied by nobody."
# entrypoint: true
# custom: {id: turn.result}
result := {"ok": document.ok, "document": document, "effects": effects, "again": again}

default again := false

again := outcome.value.again

document := decision if outcome.rule in {"turn.none", "turn.observe"}

document := object.union_n([
	decision,
	{"heartbeat_receipt": receipt},
	{"heartbeat_stall_writeback": stall_writeback | stall != "not_applicable"},
	{"selected_todo": null | binding.replan_obligation_id},
]) if {
	outcome.rule != "turn.none"
	not outcome.value.error_code
}

document := object.union(outcome.value.short, {
	"ok": false,
	"mode": "should-run",
	"goal_id": request.goal_id,
	"should_run": false,
	"recommended_action": null,
	"reason": outcome.value.reason,
	"error_code": outcome.value.error_code,
	"error": {"code": outcome.value.error_code, "message": outcome.value.reason, "rule_id": outcome.rule},
	"rules": {"decision": outcome.rule},
	"heartbeat_receipt": receipt,
}) if {
	outcome.value.error_code
}

stall_writeback := {
	"status": stall,
	"generated_at": observations[0].generated_at,
	"turn_instance_id": request.turn_id,
	"no_spend": true,
}

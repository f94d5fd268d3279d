# METADATA
# title: Spending a slot
# description: |
#   Whether a finished turn may be accounted, against which delivery record, and what is appended. Reads the guard of this
#   instant, the run history, what index and event log say of the turn (input.trace) and what the caller asks for
#   (input.write.spend). A spend is accounting: it permits nothing and changes no registry, gate, reward or todo.
# schemas:
#   - input: schema.facts.input
package loopx.writeback.spend

import data.loopx.goal
import data.loopx.history
import data.loopx.interaction_contract
import data.loopx.lib.rank
import data.loopx.request
import data.loopx.settings.spend as settings
import data.loopx.writeback.answer
import data.loopx.writeback.guard

before := guard.before

ask := input.write.spend

source := object.get(ask, "source", settings.default_source)

slots := ask.slot_count

# --- what the spend is bound to

# METADATA
# title: What the caller binds the spend to
# description: A todo or a replan obligation; empty when the caller names neither.
named := object.filter(ask, ["todo_id", "replan_obligation_id"])

# METADATA
# title: Turn of the spend
# description: |
#   The given one, else that of the newest relevant row when the row is this agent's delivery, or its spend of the very
#   todo that is named again.
turn := request.turn_id

turn := inferred.turn_instance_id if not request.turn_id

inferred := history.newest_relevant if {
	history.newest_relevant.agent_id == request.agent_id
	binds(history.newest_relevant)
	inferrable
}

inferrable if history.unspent_delivery

inferrable if {
	history.newest_is_spend
	count(named) > 0
}

# A row is of the named todo or obligation; a call that names none takes every row.
binds(row) if object.filter(row, object.keys(named)) == named

# METADATA
# title: What the turn is bound to
# description: As named, else as the guard's receipt says, else as the inferred row says. Empty when nothing says so.
default binding := {}

binding := named if count(named) > 0

binding := receipt_binding if {
	count(named) == 0
	request.turn_id
}

binding := object.filter(inferred, ["todo_id", "replan_obligation_id"]) if {
	count(named) == 0
	not request.turn_id
}

part := binding.todo_id

part := concat(":", [settings.replan, binding.replan_obligation_id]) if not binding.todo_id

part := settings.unbound if count(binding) == 0

effect_id := concat(":", [request.goal_id, request.agent_id, part, turn])

# METADATA
# title: Identity of the settlement
# description: Undefined for a spend without a turn. Its effect_id is unique among the spends that were not voided.
# custom: {id: spend.settlement_identity, sets: [settlement_identity]}
settlement_identity := object.union(binding, {
	"schema_version": "quota_settlement_identity_v0",
	"effect_id": effect_id,
	"goal_id": request.goal_id,
	"agent_id": request.agent_id,
	"turn_instance_id": turn,
})

# --- what files say of the given turn

events := [event |
	some event in input.trace.events
	event.agent_id == request.agent_id
]

receipts := [event | some event in events; event.event_kind == "quota_should_run"]

default receipt_binding := {}

receipt_binding := [bound | some event in receipts; bound := bound_to(event); count(bound) > 0][0]

bound_to(event) := object.union_n([
	object.filter(event, ["todo_id"]),
	{key: id |
		some key in ["todo_id", "replan_obligation_id"]
		id := event.details[key]
		is_string(id)
		id != ""
	},
])

rows := [row |
	some row in input.trace.rows
	row.agent_id == request.agent_id
	row.turn_instance_id == request.turn_id
]

# METADATA
# title: The delivery of the given turn
# description: The newest accountable row of this agent, turn and binding.
turn_delivery := [row |
	some row in rows
	row.delivery_outcome in history.accountable_outcomes
	object.filter(row, object.keys(binding)) == binding
][0]

settles_by_receipt if {
	request.turn_id
	source in settings.receipt_sources
}

# METADATA
# title: The guard left no receipt for the turn
# custom: {id: spend.settlement.receipt}
# labels: {rule: spend.settlement.receipt}
settlement_row contains {"rank": 10, "rule": "spend.settlement.receipt", "value": text} if {
	settles_by_receipt
	count(receipts) == 0
	text := sprintf(settings.text.receipt_missing, [turn])
}

# METADATA
# title: The receipt is bound to something else
# custom: {id: spend.settlement.conflict}
# labels: {rule: spend.settlement.conflict}
settlement_row contains {"rank": 20, "rule": "spend.settlement.conflict", "value": text} if {
	settles_by_receipt
	count(receipt_binding) > 0
	receipt_binding != binding
	text := sprintf(settings.text.receipt_conflict, [turn, concat(", ", conflict_fields)])
}

conflict_fields := [key |
	some key in ["todo_id", "replan_obligation_id"]
	object.get(receipt_binding, key, "") != object.get(binding, key, "")
]

# METADATA
# title: The turn has no accountable writeback
# custom: {id: spend.settlement.writeback}
# labels: {rule: spend.settlement.writeback}
settlement_row contains {"rank": 30, "rule": "spend.settlement.writeback", "value": text} if {
	request.turn_id
	not turn_delivery
	text := sprintf(settings.text.writeback_missing, [turn])
}

# METADATA
# title: The writeback has no event of this settlement
# custom: {id: spend.settlement.event}
# labels: {rule: spend.settlement.event}
settlement_row contains {"rank": 40, "rule": "spend.settlement.event", "value": text} if {
	settles_by_receipt
	count([event |
		some event in events
		event.event_kind == "refresh_state"
		event.details.settlement_effect_id == effect_id
	]) == 0
	text := sprintf(settings.text.writeback_receipt_missing, [turn])
}

# --- the delivery

# METADATA
# title: The delivery that the spend accounts
# description: That of the given turn, else the latest unspent accountable one of this agent. Undefined without one.
# custom: {id: spend.unspent, sets: [delivery_run_generated_at, delivery_run_classification]}
delivery := turn_delivery if {
	request.turn_id
	not consumed
}

delivery := history.unspent_delivery if not request.turn_id

# A spend without a turn of its own accounts whatever was newest, so it may have been this one.
consumed if {
	some row in history.lane
	row.classification in history.spends
	not row.effect_id
	not taken_back(row)
	row.at_ns >= turn_delivery.at_ns
}

taken_back(row) if {
	some agent in {"", object.get(row, "agent_id", "")}
	[row.generated_at, agent] in voided
}

voided := history.voided | {[row.voids, object.get(row, "agent_id", "")] | some row in input.trace.rows}

# METADATA
# title: The spend of this settlement
# description: The first one that was not voided. Undefined when the turn was not spent.
spent_before := [row |
	some row in array.concat(rows, [row | not request.turn_id; some row in history.lane])
	row.classification in history.spends
	row.effect_id == effect_id
	not taken_back(row)
][0]

# METADATA
# title: The spend has no event of its own
# description: The process ended between the run and its event; the event is appended by the repeat.
default repair_required := false

repair_required if {
	request.turn_id
	spent_before
	count([event | some event in events; event.event_kind == settings.record.event_kind]) == 0
}

# --- accept classes

default material_poll := false

material_poll if {
	delivery.classification in history.polls
	delivery.material_change
}

# METADATA
# title: Control-plane self repair
# description: A repair holds the turn and its validated writeback is the delivery; it is no ordinary delivery.
# custom: {id: spend.class.self_repair, settings: [spend.self_repair_actions]}
# labels: {rule: spend.class.self_repair}
class_row contains {"rank": 10, "rule": "spend.class.self_repair"} if {
	before.should_run
	before.effective_action in settings.self_repair_actions
	before.self_repair_allowed
	delivery
}

# METADATA
# title: Repair of a capability bridge
# custom: {id: spend.class.capability_repair}
# labels: {rule: spend.class.capability_repair}
class_row contains {"rank": 20, "rule": "spend.class.capability_repair"} if {
	before.should_run
	before.effective_action == "capability_bridge_repair"
	before.capability_repair_allowed
	delivery
}

# METADATA
# title: Due monitor of an agent that only watches
# description: Only a validated material transition is accounted.
# custom: {id: spend.class.monitor_due}
# labels: {rule: spend.class.monitor_due}
class_row contains {"rank": 30, "rule": "spend.class.monitor_due"} if {
	before.should_run
	before.effective_action == "monitor_due"
	material_poll
}

# METADATA
# title: Step beside a gate or the outcome floor
# custom: {id: spend.class.safe_bypass}
# labels: {rule: spend.class.safe_bypass}
class_row contains {"rank": 40, "rule": "spend.class.safe_bypass"} if {
	before.safe_bypass_allowed
	beside_or_recovering
	delivery
}

beside_or_recovering if before.state == "operator_gate"

beside_or_recovering if before.recovery_delivery_allowed

# METADATA
# title: Turn under an eligible guard
# description: With an unspent delivery, or without one where none can exist yet or minutes are reserved.
# custom: {id: spend.class.eligible, settings: [spend.require_delivery_record, spend.reservation_sources]}
# labels: {rule: spend.class.eligible}
class_row contains {"rank": 50, "rule": "spend.class.eligible"} if {
	before.should_run
	before.state == "eligible"
	not repairs
	recorded_or_exempt
}

recorded_or_exempt if delivery

recorded_or_exempt if exempt

repairs if before.self_repair_allowed

repairs if before.capability_repair_allowed

# METADATA
# title: Delivery whose guard has moved on
# description: The turn is known, or the guard grants none any more. Throttled and paused goals account nothing.
# custom: {id: spend.class.delivery_completion, settings: [spend.completion_states]}
# labels: {rule: spend.class.delivery_completion}
class_row contains {"rank": 60, "rule": "spend.class.delivery_completion"} if {
	delivery
	completes
	not before.safe_bypass_allowed
	before.state in settings.completion_states
}

completes if turn

completes if not before.should_run

# METADATA
# title: A spend without a delivery record
# description: The goal has no run yet, its newest run is the map, or the source reserves scheduler minutes.
exempt if {
	count(history.rows) == 0
	not history.status_run
	not settings.require_delivery_record
}

exempt if {
	history.rows[0].classification == settings.map
	not settings.require_delivery_record
}

exempt if source in settings.reservation_sources

class := rank.winner(class_row).rule

# --- refusals

# METADATA
# title: A todo and an obligation at once
# custom: {id: args.obligation}
# labels: {rule: args.obligation}
outcome_row contains {"rank": 40, "rule": "args.obligation", "value": answer.invalid(settings.text.obligation)} if {
	count(named) > 1
}

# METADATA
# title: Slots are no whole number of at least 1
# description: Or they are more than the window holds. One slot is never too many to ask for; the guard decides on it.
# custom: {id: spend.slots}
# labels: {rule: spend.slots}
outcome_row contains {"rank": 50, "rule": "spend.slots", "value": answer.invalid(text)} if {
	not positive
	text := sprintf(settings.text.slots, [object.get(ask, "slots", "")])
}

outcome_row contains {"rank": 50, "rule": "spend.slots", "value": answer.invalid(text)} if {
	slots > max([1, before.allowed_slots])
	text := sprintf(settings.text.slots_above, [slots, before.allowed_slots])
}

positive if slots >= 1

# METADATA
# title: Unknown source
# custom: {id: spend.source, settings: [spend.sources]}
# labels: {rule: spend.source}
outcome_row contains {"rank": 60, "rule": "spend.source", "value": answer.invalid(text)} if {
	not source in settings.sources
	text := sprintf(settings.text.source, [source, concat(", ", settings.sources)])
}

# METADATA
# title: A delivery of one of several agents is spent by that agent
# description: A caller without an agent id would take it from the agent that has still to spend it.
# custom: {id: spend.agent}
# labels: {rule: spend.agent}
outcome_row contains {"rank": 65, "rule": "spend.agent", "value": answer.refused("quota_agent_required", text)} if {
	goal.multi_agent
	not request.agent_id
	delivery.agent_id
	text := sprintf(settings.text.agent, [delivery.agent_id])
}

# METADATA
# title: A turn id of another source
# description: Or no place where a turn could be settled.
# custom: {id: spend.turn_source, settings: [spend.turn_sources]}
# labels: {rule: spend.turn_source}
outcome_row contains {"rank": 70, "rule": "spend.turn_source", "value": answer.invalid(text)} if {
	request.turn_id
	not turn_possible
	text := sprintf(settings.text.turn_source, [concat(", ", settings.turn_sources), source])
}

turn_possible if {
	source in settings.turn_sources
	input.route.runtime_root != ""
}

# METADATA
# title: The turn cannot be settled
# description: Its guard left no receipt or one for something else, or its writeback is missing.
# custom: {id: spend.settlement, settings: [spend.receipt_sources]}
# labels: {rule: spend.settlement}
outcome_row contains {"rank": 80, "rule": "spend.settlement", "value": value} if {
	failure := rank.winner(settlement_row)
	value := object.union(answer.refused("quota_settlement_failed", failure.value), {
		"settlement_failure": failure.rule,
		"conflict_fields": [field | failure.rule == "spend.settlement.conflict"; some field in conflict_fields],
	})
}

# METADATA
# title: The turn was spent before
# description: No refusal, and nothing is appended but an event that is missing; the answer is the first receipt.
# custom: {id: spend.replay, covers: [spend.once]}
# labels: {rule: spend.replay}
outcome_row contains {"rank": 90, "rule": "spend.replay", "value": value} if {
	spent_before
	value := {
		"ok": true,
		"reason": settings.text.replay,
		"idempotent_replay": true,
		"receipt_repair_required": repair_required,
	}
}

# METADATA
# title: Another todo than the selected one
# description: The named todo is neither selected now nor the one of the delivery.
# custom: {id: spend.todo_mismatch}
# labels: {rule: spend.todo_mismatch}
outcome_row contains {"rank": 100, "rule": "spend.todo_mismatch", "value": value} if {
	ask.todo_id
	count(expected_todos) > 0
	not ask.todo_id in expected_todos
	value := answer.refused("quota_todo_mismatch", sprintf(settings.text.todo_mismatch, [ask.todo_id]))
}

expected_todos contains interaction_contract.selected_todo.todo_id if guard.kind == "normal"

expected_todos contains delivery.todo_id

# METADATA
# title: The selected todo is not named
# description: |
#   A heartbeat delivers a selected todo and does not say which. A replan names the obligation of its
#   delivery instead: the todo that it made executable is selected by then.
# custom: {id: spend.todo_required, settings: [spend.todo_sources]}
# labels: {rule: spend.todo_required}
outcome_row contains {"rank": 110, "rule": "spend.todo_required", "value": value} if {
	source in settings.todo_sources
	before.normal_delivery_allowed
	not ask.todo_id
	not delivers_replan
	selected := interaction_contract.selected_todo.todo_id
	value := answer.refused("quota_todo_required", sprintf(settings.text.todo_required, [selected]))
}

delivers_replan if delivery.replan_obligation_id == ask.replan_obligation_id

# METADATA
# title: A bypass, repair or replan without its delivery
# description: These turns are accounted against their record only; a due monitor against a material transition.
# custom: {id: spend.bypass_no_delivery}
# labels: {rule: spend.bypass_no_delivery}
outcome_row contains {"rank": 120, "rule": "spend.bypass_no_delivery", "value": value} if {
	extraordinary
	not settled
	value := answer.refused("quota_delivery_missing", sprintf(settings.text.bypass_no_delivery, [before.effective_action]))
}

extraordinary if before.safe_bypass_allowed

extraordinary if repairs

extraordinary if before.effective_action in {"autonomous_replan_required", "monitor_due"}

settled if {
	delivery
	before.effective_action != "monitor_due"
}

settled if material_poll

# METADATA
# title: Spent already
# description: The newest relevant run is a spend, so its delivery is accounted.
# custom: {id: spend.duplicate}
# labels: {rule: spend.duplicate}
outcome_row contains {"rank": 130, "rule": "spend.duplicate", "value": value} if {
	unrecorded
	spent_last
	value := answer.refused("quota_spend_duplicate", settings.text.duplicate)
}

spent_last if history.newest_is_spend

spent_last if consumed

unrecorded if {
	before.state == "eligible"
	not delivery
	not exempt
}

# METADATA
# title: Nothing accountable was delivered
# description: Runs exist, but none is an unspent accountable delivery; a plain refresh, surface work or a gap is none.
# custom: {id: spend.no_accountable_delivery}
# labels: {rule: spend.no_accountable_delivery}
outcome_row contains {"rank": 140, "rule": "spend.no_accountable_delivery", "value": value} if {
	unrecorded
	value := answer.refused("quota_delivery_missing", settings.text.no_delivery)
}

# METADATA
# title: Another workspace
# description: The record names one that is not the caller's, or needs one and names none.
# custom: {id: spend.workspace}
# labels: {rule: spend.workspace}
outcome_row contains {"rank": 150, "rule": "spend.workspace", "value": value} if {
	foreign_workspace
	value := answer.refused("quota_workspace_mismatch", settings.text.workspace)
}

workspace := delivery.delivery_workspace

foreign_workspace if {
	workspace.task_repository
	workspace.task_repository != object.get(ask, ["workspace", "task_repository"], "")
}

foreign_workspace if {
	workspace.peer_independent_worktree_required
	not workspace.task_repository
}

# METADATA
# title: The guard is not healthy
# custom: {id: spend.not_ok}
# labels: {rule: spend.not_ok}
outcome_row contains {"rank": 160, "rule": "spend.not_ok", "value": answer.refused("quota_guard_not_ok", settings.text.not_ok)} if {
	not guard.ok
}

# METADATA
# title: The event breaks the ledger rules
# description: The arithmetic, the throttle of a full window or the policy of the goal differs between before and after.
# custom: {id: spend.event}
# labels: {rule: spend.event}
outcome_row contains {"rank": 170, "rule": "spend.event", "value": answer.refused("quota_event_invalid", settings.text.event)} if {
	class
	not event_holds
}

# METADATA
# title: The event would publish private text
# custom: {id: spend.event.public, settings: [spend.summary_limit, safety.patterns]}
# labels: {rule: spend.event.public}
outcome_row contains {"rank": 180, "rule": "spend.event.public", "value": answer.refused("quota_event_private", text)} if {
	count(ask.private) > 0
	text := sprintf(settings.text.private, [concat(", ", ask.private)])
}

outcome_row contains {"rank": 180, "rule": "spend.event.public", "value": answer.refused("quota_event_private", text)} if {
	count(ask.reason_summary) > settings.summary_limit
	text := sprintf(settings.text.summary_long, [settings.summary_limit])
}

# METADATA
# title: The spend is accepted
# description: One of the accept classes holds.
# custom: {id: spend.accepted}
# labels: {rule: spend.accepted}
outcome_row contains {"rank": 200, "rule": "spend.accepted", "value": value} if {
	class
	value := {
		"ok": true,
		"reason": settings.accepted[class].reason,
		"accounting": settings.accepted[class].accounting,
	}
}

# METADATA
# title: The guard does not allow a spend
# description: No accept class holds; a throttled, paused or waiting goal without a delivery, for one.
# custom: {id: spend.not_allowed}
# labels: {rule: spend.not_allowed}
outcome_row contains {"rank": 900, "rule": "spend.not_allowed", "value": value} if {
	value := answer.refused("quota_spend_not_allowed", sprintf(settings.text.not_allowed, [before.state, before.effective_action]))
}

outcome := rank.winner(answer.row | outcome_row)

accepted if outcome.rule == "spend.accepted"

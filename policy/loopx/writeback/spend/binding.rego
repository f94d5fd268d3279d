# What a spend is bound to: the turn, the todo or obligation, and what index and event log say of the turn.
package loopx.writeback.spend

import data.loopx.history
import data.loopx.request
import data.loopx.settings.spend as settings

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

# The delivery that a spend accounts, and the class under which it may.
package loopx.writeback.spend

import data.loopx.history
import data.loopx.lib.rank
import data.loopx.request
import data.loopx.settings.spend as settings

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
	some i, row in history.lane
	row.classification in history.spends
	not row.effect_id
	not taken_back(row)
	row.at_ns >= turn_delivery.at_ns
	not written_before(i, row)
}

# of rows of one second the one that stands first in the lane is the newer
written_before(i, row) if {
	row.at_ns == turn_delivery.at_ns
	some newer in array.slice(history.lane, 0, i)
	object.filter(newer, same_run) == object.filter(turn_delivery, same_run)
}

same_run := ["generated_at", "classification", "turn_instance_id"]

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

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

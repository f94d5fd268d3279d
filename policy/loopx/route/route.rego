# METADATA
# title: Whose turn it is before waits and quiet rules (stage s1)
# description: |
#   One table names what holds the turn: an operator's question, the goal's end, evidence to observe, a replan, a
#   repair, the capability gate, ordinary delivery or nothing. Every permission is read off the winning row, so two
#   permissions cannot disagree. Reads facts packages; knows nothing of heartbeats, channels or schedules.
package loopx.route

import data.loopx.agent_scope
import data.loopx.capability_gate
import data.loopx.external
import data.loopx.frontier
import data.loopx.goal
import data.loopx.health
import data.loopx.lib.rank
import data.loopx.quota
import data.loopx.repair
import data.loopx.work_lane_contract

state := agent_scope.state

default eligible := false

# The goal may take an ordinary turn: the state says so and nothing is broken.
eligible if {
	health.ok
	state == "eligible"
}

# An agent in monitor_only mode is offered no replan, repair, observation, bridge or recovery.
default delivers := false

delivers if not goal.monitor_only

# A capability gate without a runnable candidate and without a monitor to fall back to.
gate_blocks if {
	delivers
	capability_gate.blocks
}

# METADATA
# title: An operator's direct question is answered first
# description: A reply is due, the state is eligible and the goal is healthy.
# custom: {id: route.reply_due, sets: [normal_delivery_allowed, should_run, decision, effective_action]}
# labels: {rule: route.reply_due}
turn_row contains {"rank": 10, "rule": "route.reply_due", "turn": "reply", "value": "lark_inbox_reply_due"} if {
	eligible
	work_lane_contract.raw.lane == "lark_event_inbox"
}

# METADATA
# title: A closed goal stops
# description: The terminal no-follow-up state is confirmed by complete sources and an empty frontier.
# custom: {id: route.terminal, covers: [prec.terminal], sets: [should_run, effective_action]}
# labels: {rule: route.terminal}
turn_row contains {"rank": 20, "rule": "route.terminal", "turn": "terminal", "value": "terminal_no_followup"} if {
	frontier.terminal
}

# METADATA
# title: External evidence must be looked at
# description: An observation obligation survives; delivery stays blocked and one read-only look is due.
# custom: {id: route.external, covers: [prec.external, pipe.external], sets: [should_run, effective_action, external_evidence_observation]}
# labels: {rule: route.external}
turn_row contains {"rank": 30, "rule": "route.external", "turn": "external", "value": "external_evidence_observe"} if {
	delivers
	external.obligation
}

# METADATA
# title: A required replan comes before repairs, monitors and waits
# description: An obligation is required and applies to this agent, the goal is eligible, and no owner must act first.
# custom: {id: route.replan, covers: [prec.replan], sets: [should_run, effective_action]}
# labels: {rule: route.replan}
turn_row contains {"rank": 40, "rule": "route.replan", "turn": "replan", "value": "autonomous_replan_required"} if {
	eligible
	delivers
	frontier.required
	frontier.applies
	not owner_must_act
}

owner_must_act if {
	gate_blocks
	capability_gate.action == "ask_owner"
}

# METADATA
# title: The write boundary is repaired before delivery
# description: The last repair hint is about a write scope outside the goal boundary.
# custom: {id: route.boundary_repair, covers: [prec.repair.boundary, pipe.boundary], sets: [self_repair_allowed, should_run, effective_action]}
# labels: {rule: route.boundary_repair}
turn_row contains {"rank": 50, "rule": "route.boundary_repair", "turn": "self_repair", "value": "boundary_projection_repair"} if {
	delivers
	repair.hint.effective_action == "boundary_projection_repair"
}

# METADATA
# title: A missing todo projection is repaired before delivery
# description: The last repair hint is about a Next Action that no todo carries.
# custom: {id: route.gap_repair, covers: [prec.repair.gap, pipe.gap], sets: [self_repair_allowed, should_run, effective_action]}
# labels: {rule: route.gap_repair}
turn_row contains {"rank": 51, "rule": "route.gap_repair", "turn": "self_repair", "value": "state_projection_gap_repair"} if {
	delivers
	repair.hint.effective_action == "state_projection_gap_repair"
}

# METADATA
# title: A stalled control plane is repaired
# description: An allowed repair hint of another kind is present.
# custom: {id: route.stall_repair, covers: [prec.repair.scope, prec.repair.optin, pipe.stall_repair], sets: [self_repair_allowed, should_run, effective_action]}
# labels: {rule: route.stall_repair}
turn_row contains {"rank": 52, "rule": "route.stall_repair", "turn": "self_repair", "value": action} if {
	delivers
	repair.hint.allowed
	action := object.get(repair.hint, "effective_action", "control_plane_repair")
}

# METADATA
# title: A missing bridge is repaired first
# description: No candidate can run, the missing capability is a repairable bridge, and the goal is eligible.
# custom: {id: route.capability, covers: [prec.capability, pipe.capgate], sets: [capability_repair_allowed, should_run, effective_action]}
# labels: {rule: route.capability}
turn_row contains {"rank": 60, "rule": "route.capability", "turn": "cap_repair", "value": "capability_bridge_repair"} if {
	eligible
	gate_blocks
	capability_gate.action == "repair_bridge"
}

# METADATA
# title: Ordinary delivery
# description: The goal is eligible and healthy and no capability gate blocks it.
# custom: {id: route.effective_action.normal, sets: [normal_delivery_allowed, should_run, effective_action]}
# labels: {rule: route.effective_action.normal}
turn_row contains {"rank": 70, "rule": "route.effective_action.normal", "turn": "normal", "value": "normal_run"} if {
	eligible
	not gate_blocks
}

# METADATA
# title: One recovery turn against the outcome floor
# description: The outcome floor blocks, names what must advance, and its blocker is not already written down.
# custom: {id: route.floor_projected, covers: [prec.recovery, pipe.floor_projected], sets: [recovery_delivery_allowed, should_run, effective_action]}
# labels: {rule: route.floor_projected}
turn_row contains {"rank": 80, "rule": "route.floor_projected", "turn": "recovery", "value": "outcome_floor_recovery"} if {
	delivers
	health.ok
	quota.floor.recovery
	not gate_blocks
}

# METADATA
# title: A state that stops the turn names the skip
# description: Nothing above holds the turn; the state's own word is used.
# custom: {id: route.effective_action, sets: [effective_action], settings: [route.state_actions]}
# labels: {rule: route.effective_action}
turn_row contains {"rank": 90, "rule": "route.effective_action", "turn": "hold", "value": value} if {
	value := data.loopx.settings.route.state_actions[state]
}

# METADATA
# title: A plain skip
# description: No row above holds, as for an eligible goal whose candidates are all blocked.
# custom: {id: route.effective_action.skip, sets: [effective_action]}
# labels: {rule: route.effective_action.skip}
turn_row contains {"rank": 99, "rule": "route.effective_action.skip", "turn": "hold", "value": "quota_skip"}

turn := rank.winner(turn_row)

effective_action := turn.value

reply := turn.turn == "reply"

normal := turn.turn in {"normal", "reply"}

recovery := turn.turn == "recovery"

self_repair := turn.turn == "self_repair"

cap_repair := turn.turn == "cap_repair"

replan := turn.turn == "replan"

terminal := turn.turn == "terminal"

observing := turn.turn == "external"

# METADATA
# title: Some turn is granted at this stage
# custom: {id: route.should_run, covers: [pipe.run_decision, prec.state, prec.health]}
should_run := turn.turn in {"reply", "normal", "recovery", "self_repair", "cap_repair", "replan"}

fired["route"] := turn

runners["route"] := rank.runner_up(turn_row)

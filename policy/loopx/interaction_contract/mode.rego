# The mode of the turn, in one table (decision.md 8.1).
package loopx.interaction_contract

import data.loopx.gates
import data.loopx.lib.rank
import data.loopx.route
import data.loopx.verdict

# METADATA
# title: The agent only monitors and has nothing to watch
# description: The work mode says so.
# custom: {id: ic.mode.agent_monitor_only, sets: [interaction_contract.mode]}
# labels: {rule: ic.mode.agent_monitor_only}
mode_row contains {"rank": 10, "rule": "ic.mode.agent_monitor_only", "value": "agent_monitor_only"} if {
	final.effective_action == "agent_monitor_only"
}

# METADATA
# title: The agent only monitors and a monitor is due
# description: The work mode says so.
# custom: {id: ic.mode.monitor_due, sets: [interaction_contract.mode]}
# labels: {rule: ic.mode.monitor_due}
mode_row contains {"rank": 20, "rule": "ic.mode.monitor_due", "value": "monitor_due"} if {
	final.effective_action == "monitor_due"
}

# METADATA
# title: The goal is closed
# description: The terminal state holds the turn.
# custom: {id: ic.mode.terminal_no_followup, sets: [interaction_contract.mode]}
# labels: {rule: ic.mode.terminal_no_followup}
mode_row contains {"rank": 30, "rule": "ic.mode.terminal_no_followup", "value": "terminal_no_followup"} if {
	final.effective_action == "terminal_no_followup"
}

# METADATA
# title: An independent todo beside the gate
# description: A scoped gate fallback is projected.
# custom: {id: ic.mode.scoped_user_gate_fallback, sets: [interaction_contract.mode]}
# labels: {rule: ic.mode.scoped_user_gate_fallback}
mode_row contains {"rank": 50, "rule": "ic.mode.scoped_user_gate_fallback", "value": "scoped_user_gate_fallback"} if {
	verdict.fallback
}

# METADATA
# title: Work goes on while a person must act
# description: A person must act, and the obligation must be attempted and allows delivery.
# custom: {id: ic.mode.bounded_delivery_with_user_notice, sets: [interaction_contract.mode]}
# labels: {rule: ic.mode.bounded_delivery_with_user_notice}
mode_row contains {"rank": 80, "rule": "ic.mode.bounded_delivery_with_user_notice", "value": "bounded_delivery_with_user_notice"} if {
	required
	duty.must_attempt_work
	delivery_granted
}

# METADATA
# title: A gate waits for a person
# description: A person must act on a gate.
# custom: {id: ic.mode.user_gate, sets: [interaction_contract.mode]}
# labels: {rule: ic.mode.user_gate}
mode_row contains {"rank": 90, "rule": "ic.mode.user_gate", "value": "user_gate"} if {
	required
	at_gate
}

# METADATA
# title: An open user todo holds the goal
# description: A person must act and the open todo is announced.
# custom: {id: ic.mode.user_todo_blocker_push, sets: [interaction_contract.mode]}
# labels: {rule: ic.mode.user_todo_blocker_push}
mode_row contains {"rank": 100, "rule": "ic.mode.user_todo_blocker_push", "value": "user_todo_blocker_push"} if {
	required
	gates.notify_open_todo
}

# METADATA
# title: A person must act
# description: A person must act for any other reason.
# custom: {id: ic.mode.user_action_required, sets: [interaction_contract.mode]}
# labels: {rule: ic.mode.user_action_required}
mode_row contains {"rank": 110, "rule": "ic.mode.user_action_required", "value": "user_action_required"} if {
	required
}

# METADATA
# title: Observe external evidence
# description: The observation is the obligation.
# custom: {id: ic.mode.external_evidence_observation, sets: [interaction_contract.mode]}
# labels: {rule: ic.mode.external_evidence_observation}
mode_row contains {"rank": 120, "rule": "ic.mode.external_evidence_observation", "value": "external_evidence_observation"} if {
	duty.kind == "external_evidence_observation_required"
}

# METADATA
# title: Replan
# description: The replan is the obligation.
# custom: {id: ic.mode.autonomous_replan, sets: [interaction_contract.mode]}
# labels: {rule: ic.mode.autonomous_replan}
mode_row contains {"rank": 130, "rule": "ic.mode.autonomous_replan", "value": "autonomous_replan"} if {
	duty.kind == "autonomous_replan_required"
}

# METADATA
# title: The agent's scope decides
# description: The frontier of the agent's scope holds the turn.
# custom: {id: ic.mode.agent_scope, sets: [interaction_contract.mode]}
# labels: {rule: ic.mode.agent_scope}
mode_row contains {"rank": 150, "rule": "ic.mode.agent_scope", "value": verdict.scope_action} if {
	verdict.scope_action
}

# METADATA
# title: Quiet monitor skip
# description: The turn is a quiet monitor skip.
# custom: {id: ic.mode.monitor_quiet_skip, sets: [interaction_contract.mode]}
# labels: {rule: ic.mode.monitor_quiet_skip}
mode_row contains {"rank": 160, "rule": "ic.mode.monitor_quiet_skip", "value": "monitor_quiet_skip"} if {
	final.effective_action == "monitor_quiet_skip"
}

# METADATA
# title: Recover the outcome
# description: Recovery holds the turn.
# custom: {id: ic.mode.outcome_floor_recovery, sets: [interaction_contract.mode]}
# labels: {rule: ic.mode.outcome_floor_recovery}
mode_row contains {"rank": 170, "rule": "ic.mode.outcome_floor_recovery", "value": "outcome_floor_recovery"} if {
	final.recovery
}

# METADATA
# title: Repair the bridge
# description: The bridge repair holds the turn.
# custom: {id: ic.mode.capability_bridge_repair, sets: [interaction_contract.mode]}
# labels: {rule: ic.mode.capability_bridge_repair}
mode_row contains {"rank": 180, "rule": "ic.mode.capability_bridge_repair", "value": "capability_bridge_repair"} if {
	final.cap_repair
}

# METADATA
# title: Repair the boundary
# description: The boundary repair holds the turn.
# custom: {id: ic.mode.boundary_projection_repair, sets: [interaction_contract.mode]}
# labels: {rule: ic.mode.boundary_projection_repair}
mode_row contains {"rank": 200, "rule": "ic.mode.boundary_projection_repair", "value": "boundary_projection_repair"} if {
	final.self_repair
	final.effective_action == "boundary_projection_repair"
}

# METADATA
# title: Repair the control plane
# description: Any other repair holds the turn.
# custom: {id: ic.mode.control_plane_self_repair, sets: [interaction_contract.mode]}
# labels: {rule: ic.mode.control_plane_self_repair}
mode_row contains {"rank": 210, "rule": "ic.mode.control_plane_self_repair", "value": "control_plane_self_repair"} if {
	final.self_repair
}

# METADATA
# title: Nothing new on the map
# description: The heartbeat says to stop when its source is unchanged.
# custom: {id: ic.mode.mapped_noop_if_unchanged, sets: [interaction_contract.mode]}
# labels: {rule: ic.mode.mapped_noop_if_unchanged}
mode_row contains {"rank": 220, "rule": "ic.mode.mapped_noop_if_unchanged", "value": "mapped_noop_if_unchanged"} if {
	final.heartbeat.stop_if_unchanged
}

# METADATA
# title: Ordinary delivery
# description: A turn is granted.
# custom: {id: ic.mode.bounded_delivery, sets: [interaction_contract.mode]}
# labels: {rule: ic.mode.bounded_delivery}
mode_row contains {"rank": 230, "rule": "ic.mode.bounded_delivery", "value": "bounded_delivery"} if {
	final.should_run
}

# METADATA
# title: The goal is broken
# description: The state is blocked_health.
# custom: {id: ic.mode.health_blocked, sets: [interaction_contract.mode]}
# labels: {rule: ic.mode.health_blocked}
mode_row contains {"rank": 240, "rule": "ic.mode.health_blocked", "value": "health_blocked"} if {
	route.state == "blocked_health"
}

# METADATA
# title: The share is spent
# description: The state is throttled.
# custom: {id: ic.mode.quota_throttled, sets: [interaction_contract.mode]}
# labels: {rule: ic.mode.quota_throttled}
mode_row contains {"rank": 250, "rule": "ic.mode.quota_throttled", "value": "quota_throttled"} if {
	route.state == "throttled"
}

# METADATA
# title: The goal waits
# description: The state is waiting or focus_wait.
# custom: {id: ic.mode.blocked_wait, sets: [interaction_contract.mode]}
# labels: {rule: ic.mode.blocked_wait}
mode_row contains {"rank": 260, "rule": "ic.mode.blocked_wait", "value": "blocked_wait"} if {
	route.state in {"focus_wait", "waiting"}
}

# METADATA
# title: A plain skip
# description: No row above holds.
# custom: {id: ic.mode.skip, covers: [ic.mode], sets: [interaction_contract.mode]}
# labels: {rule: ic.mode.skip}
mode_row contains {"rank": 270, "rule": "ic.mode.skip", "value": "skip"}

at_gate if gates.notify_gate

at_gate if route.effective_action == "operator_gate_notify"

mode_winner := rank.winner(mode_row)

mode := mode_winner.value

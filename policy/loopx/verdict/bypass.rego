# What is held back, what may pass beside it, and why.
package loopx.verdict

import data.loopx.agent_scope
import data.loopx.capability_gate
import data.loopx.lib.rank
import data.loopx.quota
import data.loopx.repair
import data.loopx.route
import data.loopx.scope_frontier
import data.loopx.settings

# METADATA
# title: What the repair holds back
# custom: {id: bypass.repair, sets: [blocked_action_scope]}
# labels: {rule: bypass.repair}
bypass_row contains {"rank": 10, "rule": "bypass.repair", "value": {"blocked": scope, "allowed": false, "kind": null}} if {
	route.self_repair
	scope := repair.hint.blocked_action_scope
}

# METADATA
# title: A closed goal grants no bypass
# custom: {id: bypass.terminal, sets: [safe_bypass_allowed]}
# labels: {rule: bypass.terminal}
bypass_row contains {"rank": 20, "rule": "bypass.terminal", "value": {"blocked": null, "allowed": false, "kind": null}} if {
	route.terminal
}

# METADATA
# title: An independent todo may advance beside the gate
# custom: {id: bypass.fallback, sets: [safe_bypass_allowed, safe_bypass_kind]}
# labels: {rule: bypass.fallback}
bypass_row contains {"rank": 30, "rule": "bypass.fallback", "value": value} if {
	fallback
	value := {"blocked": "gated_delivery", "allowed": true, "kind": "scoped_user_gate_fallback"}
}

# METADATA
# title: A watching agent is granted no bypass
# description: This agent only monitors, and the goal's state stops the turn.
# custom: {id: workmode.stopped, sets: [safe_bypass_allowed, should_run]}
# labels: {rule: workmode.stopped}
bypass_row contains {"rank": 35, "rule": "workmode.stopped", "value": {"blocked": scope, "allowed": false, "kind": null}} if {
	not route.delivers
	not route.eligible
	scope := object.get(quota.object, "blocked_action_scope", null)
}

# METADATA
# title: The operator gate allows one read-only step
# description: It never clears the gate and never runs the gated path.
# custom: {id: gate.bypass, sets: [safe_bypass_allowed, blocked_action_scope]}
# labels: {rule: gate.bypass}
bypass_row contains {"rank": 40, "rule": "gate.bypass", "value": value} if {
	state == "operator_gate"
	value := {"blocked": "gated_delivery", "allowed": true, "kind": null}
}

# METADATA
# title: Recovery is a safe bypass of the outcome floor
# custom: {id: bypass.recovery, sets: [safe_bypass_allowed, safe_bypass_kind, blocked_action_scope]}
# labels: {rule: bypass.recovery}
bypass_row contains {"rank": 50, "rule": "bypass.recovery", "value": value} if {
	route.recovery
	value := {"blocked": "delivery_outcome_floor", "allowed": true, "kind": "outcome_floor_recovery"}
}

# METADATA
# title: What the state holds back
# description: An override for this agent has left the gate's state, and its limits with it.
# custom: {id: bypass.state, sets: [blocked_action_scope], settings: [route.blocked_scopes]}
# labels: {rule: bypass.state}
bypass_row contains {"rank": 60, "rule": "bypass.state", "value": {"blocked": scope, "allowed": false, "kind": null}} if {
	scope := object.get(quota.object, "blocked_action_scope", null)
	state == quota.object.state
}

# METADATA
# title: Nothing is held back
# description: No row above holds.
# custom: {id: bypass.none, sets: [blocked_action_scope]}
# labels: {rule: bypass.none}
bypass_row contains {"rank": 99, "rule": "bypass.none", "value": {"blocked": null, "allowed": false, "kind": null}}

bypass_winner := rank.winner(bypass_row)

bypass := bypass_winner.value

# METADATA
# title: The repair says why
# description: A repair holds the turn.
# custom: {id: route.reason.repair, sets: [reason]}
# labels: {rule: route.reason.repair}
reason_row contains {"rank": 10, "rule": "route.reason.repair", "value": repair.hint.reason} if route.self_repair

# METADATA
# title: The frontier says why
# description: A frontier of the agent's scope holds the turn.
# custom: {id: route.reason.scope, sets: [reason]}
# labels: {rule: route.reason.scope}
reason_row contains {"rank": 20, "rule": "route.reason.scope", "value": scope_frontier.frontier.reason} if scope_action

# METADATA
# title: The capability gate says why
# description: The capability gate stops an eligible turn.
# custom: {id: route.reason.capability, sets: [reason]}
# labels: {rule: route.reason.capability}
reason_row contains {"rank": 25, "rule": "route.reason.capability", "value": capability_gate.gate.reason} if {
	gate_stops
}

# METADATA
# title: The action says why
# description: The effective action has a reason of its own.
# custom: {id: route.reason, sets: [reason], settings: [route.reasons]}
# labels: {rule: route.reason}
reason_row contains {"rank": 30, "rule": "route.reason", "value": settings.route.reasons[effective_action]}

# METADATA
# title: The override says why
# description: The gates of other agents do not hold this one.
# custom: {id: route.reason.override, sets: [reason]}
# labels: {rule: route.reason.override}
reason_row contains {"rank": 80, "rule": "route.reason.override", "value": override.reason} if {
	some override in agent_scope.override
}

# METADATA
# title: The state says why
# description: No row above holds.
# custom: {id: route.reason.state, sets: [reason]}
# labels: {rule: route.reason.state}
reason_row contains {"rank": 90, "rule": "route.reason.state", "value": quota.object.reason}

reason_winner := rank.winner(reason_row)

# METADATA
# title: Why
reason := reason_winner.value

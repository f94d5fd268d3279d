# METADATA
# title: The turn after waits and quiet rules (stages s3 and s4)
# description: |
#   Puts the agent-scope frontier, the quiet monitor skip and the scoped gate fallback over the route, and publishes the
#   lane so that no lower field promises what a gate or wait has stopped. Reads the route, the base heartbeat, quiet and
#   the frontier of the scope; channels and obligations are built from it.
package loopx.verdict

import data.loopx.agent_scope
import data.loopx.external
import data.loopx.lib.rank
import data.loopx.quiet
import data.loopx.route
import data.loopx.scope_frontier
import data.loopx.settings

state := route.state

# METADATA
# title: The agent's scope holds the turn
# description: Delivery is open and the frontier found no candidate, or a stronger deferred one.
# custom: {id: route.scope_frontier, covers: [prec.agent_scope, prec.successor_priority], sets: [effective_action, should_run]}
# labels: {rule: route.scope_frontier}
action_row contains {"rank": 10, "rule": "route.scope_frontier", "value": scope_frontier.action} if {
	route.turn.turn == "normal"
	route.delivers
	scope_frontier.frontier
}

# METADATA
# title: Quiet monitor skip
# description: The quiet rule holds and no frontier does.
# custom: {id: route.monitor_quiet.skip, sets: [effective_action, should_run]}
# labels: {rule: route.monitor_quiet.skip}
action_row contains {"rank": 20, "rule": "route.monitor_quiet.skip", "value": "monitor_quiet_skip"} if quiet.holds

# METADATA
# title: The route stands
# description: No wait holds the turn.
# custom: {id: route.stands, sets: [effective_action]}
# labels: {rule: route.stands}
action_row contains {"rank": 90, "rule": "route.stands", "value": route.effective_action}

action := rank.winner(action_row)

effective_action := action.value

# Undefined unless the frontier of the agent's scope holds the turn.
scope_action := action.value if action.rule == "route.scope_frontier"

monitor_quiet := action.rule == "route.monitor_quiet.skip"

default held := false

held if scope_action

held if monitor_quiet

normal if {
	route.normal
	not held
}

recovery := route.recovery

self_repair := route.self_repair

cap_repair := route.cap_repair

# The open gate blocks only its own path: an independent todo may advance without a turn of its own being granted.
fallback := agent_scope.gate_fallback if {
	route.effective_action == "operator_gate_notify"
	route.delivers
}

# METADATA
# title: May the agent run
# description: The route grants a turn and no wait holds it, or the frontier asks for a successor.
# custom: {id: route.should_run.final, sets: [should_run]}
should_run if {
	route.should_run
	not held
}

should_run if scope_action == "successor_replan_required"

default should_run := false

default normal := false

default actionable := false

actionable if should_run

actionable if route.observing

actionable if fallback

# METADATA
# title: Decision by turn
# description: The turn that was granted has a word of its own.
# custom: {id: decision.turn, sets: [decision], settings: [route.decisions]}
# labels: {rule: decision.turn}
decision_row contains {"rank": 10, "rule": "decision.turn", "value": value} if {
	not held
	value := settings.route.decisions[route.turn.turn]
}

# METADATA
# title: Decision by scope
# description: The frontier of the agent's scope holds the turn.
# custom: {id: decision.scope, sets: [decision]}
# labels: {rule: decision.scope}
decision_row contains {"rank": 20, "rule": "decision.scope", "value": scope_action}

# METADATA
# title: Decision beside a gate
# description: A scoped gate fallback is projected.
# custom: {id: scope.fallback_effect, covers: [prec.gate_fallback], sets: [decision, safe_bypass_allowed, safe_bypass_kind]}
# labels: {rule: scope.fallback_effect}
decision_row contains {"rank": 30, "rule": "scope.fallback_effect", "value": "safe_bypass_user_gate_fallback"} if fallback

# METADATA
# title: Skip
# description: No row above holds.
# custom: {id: decision.skip, covers: [gate.skip], sets: [decision]}
# labels: {rule: decision.skip}
decision_row contains {"rank": 90, "rule": "decision.skip", "value": "skip"}

decision_winner := rank.winner(decision_row)

decision := decision_winner.value

# METADATA
# title: The observation that this turn owes
# description: Undefined unless external evidence holds the turn.
observation := external.obligation if route.observing

action_fired := action if held

action_fired := route.turn if not held

fired[field] := action_fired if some field in ["effective_action", "should_run"]

fired[field] := bypass_winner if some field in ["safe_bypass_allowed", "safe_bypass_kind", "blocked_action_scope"]

fired["decision"] := decision_winner

fired["reason"] := reason_winner

fired["recommended_action"] := action_text_winner

fired["work_lane_contract"] := lane_winner

runners["effective_action"] := rank.runner_up(action_row)

runners["decision"] := rank.runner_up(decision_row)

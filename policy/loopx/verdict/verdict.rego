# METADATA
# title: The turn after waits and quiet rules (stages s3 and s4)
# description: |
#   Puts the agent-scope frontier, the quiet monitor skip and the scoped gate fallback over the route, and publishes the
#   lane so that no lower field promises what a gate or wait has stopped. Reads the route, the base heartbeat, quiet and
#   the frontier of the scope; channels and obligations are built from it.
package loopx.verdict

import data.loopx.agent_scope
import data.loopx.attention
import data.loopx.capability_gate
import data.loopx.external
import data.loopx.frontier
import data.loopx.lib.rank
import data.loopx.quiet
import data.loopx.quota
import data.loopx.repair
import data.loopx.route
import data.loopx.scope_frontier
import data.loopx.settings
import data.loopx.todos
import data.loopx.work_lane_contract

state := route.state

# METADATA
# title: The agent's scope holds the turn
# description: Delivery is open and the frontier found no candidate, or a stronger deferred one.
# custom: {id: route.scope_frontier, sets: [effective_action, should_run]}
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

action_row contains object.union(route.turn, {"rank": 90})

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
# custom: {id: scope.fallback_effect, sets: [decision, safe_bypass_allowed, safe_bypass_kind]}
# labels: {rule: scope.fallback_effect}
decision_row contains {"rank": 30, "rule": "scope.fallback_effect", "value": "safe_bypass_user_gate_fallback"} if fallback

# METADATA
# title: Skip
# description: No row above holds.
# custom: {id: decision.skip, sets: [decision]}
# labels: {rule: decision.skip}
decision_row contains {"rank": 90, "rule": "decision.skip", "value": "skip"}

decision_winner := rank.winner(decision_row)

decision := decision_winner.value

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

bypass_row contains {"rank": 99, "rule": "bypass.none", "value": {"blocked": null, "allowed": false, "kind": null}}

bypass_winner := rank.winner(bypass_row)

bypass := bypass_winner.value

# METADATA
# title: A recovery turn carries no lane
# custom: {id: lane.recovery, sets: [work_lane_contract]}
# labels: {rule: lane.recovery}
lane_row contains {"rank": 10, "rule": "lane.recovery", "value": null} if route.recovery

# METADATA
# title: The lane of an agent without a candidate waits
# description: The scope waits, is exhausted or needs another owner while the lane would have to be attempted.
# custom: {id: lane.scope_rewrite, sets: [work_lane_contract], settings: [route.scope_waits]}
# labels: {rule: lane.scope_rewrite}
lane_row contains {"rank": 20, "rule": "lane.scope_rewrite", "value": value} if {
	scope_action in settings.route.scope_waits
	raw := work_lane_contract.raw
	raw.must_attempt_work
	value := object.union(raw, {
		"lane": scope_action,
		"next_lane": raw.lane,
		"obligation": "wait_for_current_agent_or_unclaimed_advancement",
		"must_attempt_work": false,
		"blocked_by_agent_scope": true,
		"agent_scope_action": scope_action,
		"monitor_policy": "no_delivery_until_current_agent_frontier_exists",
		"deferred_work_lane": object.filter(raw, ["lane", "next_lane", "obligation", "reason_codes"]),
		"reason_codes": array.concat(raw.reason_codes, ["agent_scope_no_current_runnable_candidate", scope_action]),
	})
}

# METADATA
# title: A stopped lane stays visible and asks for nothing
# description: The state or the capability gate stops the turn.
# custom: {id: lane.stopped, sets: [work_lane_contract]}
# labels: {rule: lane.stopped}
lane_row contains {"rank": 30, "rule": "lane.stopped", "value": stop_lane(work_lane_contract.raw, stopped_by)}

# METADATA
# title: The lane as built
# custom: {id: lane.published, sets: [work_lane_contract]}
# labels: {rule: lane.published}
lane_row contains {"rank": 90, "rule": "lane.published", "value": work_lane_contract.raw}

stop_lane(contract, cause) := object.union(contract, {
	"must_attempt_work": false,
	"reason_codes": array.concat(contract.reason_codes, [concat("", ["stopped_by_", cause])]),
})

# What stops the turn; undefined when nothing does.
stopped_by := state if {
	state != "eligible"
	not keeps_lane
}

stopped_by := capability_gate.action if {
	route.eligible
	route.gate_blocks
	route.turn.turn == "hold"
}

keeps_lane if route.self_repair

keeps_lane if route.observing

keeps_lane if fallback

lane_winner := rank.winner(lane_row)

# METADATA
# title: The published lane
# description: Undefined without a lane and in a recovery turn.
lane := lane_winner.value if lane_winner.value != null

# METADATA
# title: Why
# description: The repair's, the frontier's or the action's reason, else the reason of the quota state.
# custom: {id: route.reason, sets: [reason], settings: [route.reasons]}
reason_row contains {"rank": 10, "rule": "route.reason.repair", "value": repair.hint.reason} if route.self_repair

reason_row contains {"rank": 20, "rule": "route.reason.scope", "value": scope_frontier.frontier.reason} if scope_action

reason_row contains {"rank": 25, "rule": "route.reason.capability", "value": capability_gate.gate.reason} if {
	route.eligible
	route.gate_blocks
	route.turn.turn == "hold"
}

reason_row contains {"rank": 30, "rule": "route.reason", "value": settings.route.reasons[effective_action]}

reason_row contains {"rank": 80, "rule": "route.reason.override", "value": override.reason} if {
	some override in agent_scope.override
}

reason_row contains {"rank": 90, "rule": "route.reason.state", "value": quota.object.reason}

reason := rank.winner(reason_row).value

# METADATA
# title: The item's action
# description: No stronger source names an action.
# custom: {id: select.recommended.item, sets: [recommended_action]}
# labels: {rule: select.recommended.item}
action_text_row contains {"rank": 90, "rule": "select.recommended.item", "value": attention.item.recommended_action}

# METADATA
# title: The lane's action
# description: A lane is built; a due monitor or the first executable todo is named by it.
# custom: {id: select.recommended.lane, sets: [recommended_action]}
# labels: {rule: select.recommended.lane}
action_text_row contains {"rank": 60, "rule": "select.recommended.lane", "value": work_lane_contract.raw.action} if {
	monitor_quiet
}

action_text_row contains {"rank": 61, "rule": "select.recommended.todo", "value": text} if {
	not agent_scope.next_action
	work_lane_contract.raw.must_attempt_work
	text := todos.by_id[lane_todo].text
}

lane_todo := work_lane_contract.raw.selected_todo_id

lane_todo := todos.first_adv if not work_lane_contract.raw.selected_todo_id

# METADATA
# title: The gate's action
# description: The capability gate stops the turn or sends it to the bridge.
# custom: {id: select.recommended.capability, sets: [recommended_action]}
# labels: {rule: select.recommended.capability}
action_text_row contains {"rank": 50, "rule": "select.recommended.capability", "value": capability_gate.gate.reason} if {
	route.gate_blocks
}

# METADATA
# title: This agent's action
# description: The agent's own slice of the work is selected.
# custom: {id: select.recommended.agent_lane, sets: [recommended_action]}
# labels: {rule: select.recommended.agent_lane}
action_text_row contains {"rank": 30, "rule": "select.recommended.agent_lane", "value": agent_scope.next_action.text} if {
	not scope_action
}

# METADATA
# title: The replan's action
# custom: {id: select.recommended.replan, sets: [recommended_action]}
# labels: {rule: select.recommended.replan}
action_text_row contains {"rank": 20, "rule": "select.recommended.replan", "value": text} if {
	route.replan
	text := frontier.obligation.recommended_action
}

# METADATA
# title: The operator's question
# custom: {id: select.recommended.reply, sets: [recommended_action]}
# labels: {rule: select.recommended.reply}
action_text_row contains {"rank": 12, "rule": "select.recommended.reply", "value": work_lane_contract.raw.action} if {
	route.reply
}

# METADATA
# title: The repair's action
# custom: {id: select.recommended.repair, sets: [recommended_action]}
# labels: {rule: select.recommended.repair}
action_text_row contains {"rank": 15, "rule": "select.recommended.repair", "value": repair.hint.repair_focus} if {
	route.self_repair
}

# METADATA
# title: The frontier's action
# custom: {id: select.recommended.frontier, sets: [recommended_action]}
# labels: {rule: select.recommended.frontier}
action_text_row contains {"rank": 10, "rule": "select.recommended.frontier", "value": text} if {
	scope_action
	text := scope_frontier.frontier.recommended_action
}

action_text_row contains {"rank": 99, "rule": "select.recommended.none", "value": null}

action_text_winner := rank.winner(action_text_row)

# METADATA
# title: The recommended action; null when nothing names one
# custom: {id: select.recommended, sets: [recommended_action]}
recommended_action := action_text_winner.value

# METADATA
# title: The observation that this turn owes
# description: Undefined unless external evidence holds the turn.
observation := external.obligation if route.observing

fired := {
	"effective_action": action,
	"decision": decision_winner,
	"safe_bypass_allowed": bypass_winner,
	"safe_bypass_kind": bypass_winner,
	"blocked_action_scope": bypass_winner,
	"should_run": action,
	"recommended_action": action_text_winner,
}

runners["effective_action"] := rank.runner_up(action_row)

runners["decision"] := rank.runner_up(decision_row)

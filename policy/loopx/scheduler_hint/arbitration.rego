package loopx.scheduler_hint

import data.loopx.interaction_contract
import data.loopx.lib.rank
import data.loopx.settings.scheduler

contract := interaction_contract.first

user := object.get(contract, "user_channel", {})

agent := object.get(contract, "agent_channel", {})

contract_mode := object.get(contract, "mode", "")

# METADATA
# title: The interaction contract contradicts itself
# description: A hint is never built over a contradiction; the host is told to repair the projection.
# custom:
#   id: sched.arb.consistency
contract_errors contains "schema_version" if {
	object.get(contract, "schema_version", "") != scheduler.contract_schema
}

contract_errors contains "mode" if contract_mode == ""

contract_errors contains channel if {
	some channel in ["user_channel", "agent_channel", "cli_channel"]
	not is_object(object.get(contract, channel, null))
}

contract_errors contains "action_required" if not is_boolean(user.action_required)

contract_errors contains flag if {
	some flag in ["delivery_allowed", "must_attempt", "quiet_noop_allowed"]
	not is_boolean(agent[flag])
}

contract_errors contains "delivery_without_attempt" if {
	agent.delivery_allowed
	agent.must_attempt == false
}

contract_errors contains "quiet_with_action" if {
	agent.quiet_noop_allowed
	has_action
}

contract_errors contains "stop_with_action" if {
	contract_mode in scheduler.stop_modes
	has_action
}

has_action if user.action_required

has_action if agent.must_attempt

has_action if agent.delivery_allowed

# METADATA
# title: The contract contradicts itself
# custom:
#   id: sched.arb.consistency
# labels:
#   rule: sched.arb.consistency
disposition_row contains {"rank": 10, "value": "consistency_repair", "rule": "sched.arb.consistency"} if {
	count(contract_errors) > 0
}

# METADATA
# title: Closed goals and blocked peers stop
# custom:
#   id: sched.arb.stop
# labels:
#   rule: sched.arb.stop
disposition_row contains {"rank": 20, "value": "stop", "rule": "sched.arb.stop"} if {
	contract_mode in {"terminal_no_followup", "peer_coordination_blocked"}
}

# METADATA
# title: A monitor-only agent without a monitor waits
# custom:
#   id: sched.arb.monitor_only
# labels:
#   rule: sched.arb.monitor_only
disposition_row contains {"rank": 25, "value": "agent_monitor_only_wait", "rule": "sched.arb.monitor_only"} if {
	contract_mode == "agent_monitor_only"
}

# METADATA
# title: A person must act and the agent must not
# custom:
#   id: sched.arb.human_gate
# labels:
#   rule: sched.arb.human_gate
disposition_row contains {"rank": 30, "value": "human_gate", "rule": "sched.arb.human_gate"} if {
	user.action_required
	agent.must_attempt == false
}

# METADATA
# title: A quiet monitor poll waits for a transition
# custom:
#   id: sched.arb.monitor_quiet
# labels:
#   rule: sched.arb.monitor_quiet
disposition_row contains {"rank": 40, "value": "monitor_wait", "rule": "sched.arb.monitor_quiet"} if {
	contract_mode == "monitor_quiet_skip"
}

# METADATA
# title: A successor replan is work
# custom:
#   id: sched.arb.successor
# labels:
#   rule: sched.arb.successor
disposition_row contains {"rank": 50, "value": "active_work", "rule": "sched.arb.successor"} if {
	contract_mode == "successor_replan_required"
	agent.must_attempt
}

# METADATA
# title: Nothing in this agent's scope
# custom:
#   id: sched.arb.agent_scope
# labels:
#   rule: sched.arb.agent_scope
disposition_row contains {"rank": 60, "value": "agent_scope_wait", "rule": "sched.arb.agent_scope"} if {
	contract_mode in scheduler.scope_modes
}

# METADATA
# title: A mapped source that did not change
# custom:
#   id: sched.arb.unchanged
# labels:
#   rule: sched.arb.unchanged
disposition_row contains {"rank": 70, "value": "unchanged_wait", "rule": "sched.arb.unchanged"} if {
	contract_mode == "mapped_noop_if_unchanged"
}

# METADATA
# title: The agent must attempt work
# custom:
#   id: sched.arb.attempt
# labels:
#   rule: sched.arb.attempt
disposition_row contains {"rank": 80, "value": "active_work", "rule": "sched.arb.attempt"} if agent.must_attempt

# METADATA
# title: A quiet turn is allowed
# custom:
#   id: sched.arb.quiet
# labels:
#   rule: sched.arb.quiet
disposition_row contains {"rank": 90, "value": "quiet_wait", "rule": "sched.arb.quiet"} if agent.quiet_noop_allowed

# METADATA
# title: Delivery is not allowed
# custom:
#   id: sched.arb.blocked
# labels:
#   rule: sched.arb.blocked
disposition_row contains {"rank": 100, "value": "quiet_wait", "rule": "sched.arb.blocked"}

disposition := rank.winner(disposition_row)

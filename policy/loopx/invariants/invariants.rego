# METADATA
# title: Invariants of a decision
# description: |
#   What holds of every should-run document, whatever rule wrote it. Evaluated over the finished document; a violation
#   turns the decision into a refusal that names the rule. Operators may add invariants in data.operator.invariants,
#   never remove one. Reads input.decision and nothing else.
package loopx.invariants

import data.loopx.settings.invariants

decision := input.decision

# METADATA
# title: Every violated invariant
# description: "A set of {rule, message}."
# entrypoint: true
violations contains {"rule": rule, "message": invariants.text[rule]} if some rule in broken

# METADATA
# title: Invariants that an operator added
violations contains extra if some extra in data.operator.invariants.violations

# METADATA
# title: Only an eligible goal, outcome-floor recovery or an opt-in repair runs
# custom:
#   id: INV-1
broken contains "INV-1" if {
	decision.should_run
	not may_run
}

may_run if decision.state == "eligible"

may_run if decision.recovery_delivery_allowed

may_run if {
	decision.self_repair_allowed
	decision.effective_action in invariants.opt_in_repairs
}

agent := decision.interaction_contract.agent_channel

user := decision.interaction_contract.user_channel

# METADATA
# title: Delivery implies an attempt
# custom:
#   id: INV-2
broken contains "INV-2.delivery" if {
	agent.delivery_allowed
	not agent.must_attempt
}

broken contains "INV-2.quiet" if {
	agent.quiet_noop_allowed
	acts
}

broken contains "INV-2.non_blocking" if {
	user.non_blocking
	user.action_required
}

acts if agent.must_attempt

acts if agent.delivery_allowed

acts if user.action_required

# METADATA
# title: The guard never spends
# custom:
#   id: INV-4
broken contains "INV-4" if decision.interaction_contract.cli_channel.spend_allowed_now

stopped if {
	decision.state in invariants.stopped_states
	not decision.recovery_delivery_allowed
	not decision.self_repair_allowed
}

# METADATA
# title: A stopped goal delivers nothing
# description: The scoped gate fallback is a bypass of its own; it delivers beside the gate, never through it.
# custom:
#   id: INV-5
broken contains "INV-5.delivery" if {
	decision.state in invariants.stopped_states
	decision.normal_delivery_allowed
}

broken contains "INV-5.delivery" if {
	stopped
	agent.delivery_allowed
	not decision.scoped_user_gate_fallback
}

broken contains "INV-5.lane" if {
	stopped
	decision.work_lane_contract.must_attempt_work
	not decision.scoped_user_gate_fallback
	not decision.external_evidence_observation
}

broken contains "INV-5.obligation" if {
	decision.heartbeat_recommendation.agent_must_attempt != decision.execution_obligation.must_attempt_work
}

# METADATA
# title: Quota is allocation, not permission
# custom:
#   id: INV-6
broken contains "INV-6" if {
	some claim in invariants.permission_claims
	decision[claim]
}

# METADATA
# title: A paused goal is silent everywhere
# custom:
#   id: pause.invariant
broken contains "pause.permissions" if {
	decision.state == "paused"
	some permission in invariants.permissions
	decision[permission]
}

broken contains "pause.signal" if {
	decision.state == "paused"
	signals
}

broken contains "pause.absent" if {
	decision.state == "paused"
	some key in invariants.paused_absent
	key in object.keys(decision)
}

# METADATA
# title: A closed goal is silent everywhere
# custom:
#   id: terminal.invariant
broken contains "terminal.signal" if {
	decision.effective_action == "terminal_no_followup"
	signals
}

signals if decision.should_run

signals if acts

signals if decision.safe_bypass_allowed

signals if decision.execution_obligation.must_attempt_work

signals if decision.scheduler_hint.action == "run_now"

signals if user.notify == "NOTIFY"

signals if decision.heartbeat_recommendation.notify == "NOTIFY"

# METADATA
# title: What the worker must do this turn
# description: |
#   The obligation that separates worker execution from notification. Reads the verdict, the final heartbeat and the
#   published lane; it never asks whether a person is told.
package loopx.execution_obligation

import data.loopx.heartbeat
import data.loopx.lib.rank
import data.loopx.repair
import data.loopx.route
import data.loopx.settings
import data.loopx.todos
import data.loopx.verdict

texts := settings.obligation

# METADATA
# title: One independent todo beside the gate
# description: A scoped gate fallback is projected.
# custom: {id: obl.fallback, sets: [execution_obligation]}
# labels: {rule: obl.fallback}
row contains {"rank": 5, "rule": "obl.fallback", "value": value} if {
	verdict.fallback
	value := {
		"kind": "scoped_user_gate_fallback",
		"must_attempt_work": true,
		"delivery_allowed": true,
		"contract": "scoped_user_gate_fallback",
	}
}

# METADATA
# title: One read-only observation or a compact blocker
# description: An observation obligation holds the turn.
# custom: {id: obl.external, sets: [execution_obligation]}
# labels: {rule: obl.external}
row contains {"rank": 20, "rule": "obl.external", "value": value} if {
	route.observing
	value := {
		"kind": "external_evidence_observation_required",
		"must_attempt_work": true,
		"delivery_allowed": false,
		"contract": "external_evidence_observation",
		"minimum": "one_read_only_observation_or_compact_blocker",
	}
}

# METADATA
# title: Quiet when nothing changed
# description: The heartbeat says to stop when its source is unchanged.
# custom: {id: obl.noop, sets: [execution_obligation]}
# labels: {rule: obl.noop}
row contains {"rank": 30, "rule": "obl.noop", "value": value} if {
	heartbeat.final.stop_if_unchanged
	value := {"kind": "quiet_noop_if_unchanged", "must_attempt_work": false}
}

# METADATA
# title: One bounded replan
# description: A required replan holds the turn.
# custom: {id: obl.replan, sets: [execution_obligation]}
# labels: {rule: obl.replan}
row contains {"rank": 40, "rule": "obl.replan", "value": value} if {
	route.replan
	value := {
		"kind": "autonomous_replan_required",
		"must_attempt_work": true,
		"contract": "stall_threshold",
		"minimum": "one_bounded_replan_with_typed_outcome",
	}
}

# METADATA
# title: One successor decision
# description: The frontier of the agent's scope asks for a successor.
# custom: {id: obl.successor, sets: [execution_obligation]}
# labels: {rule: obl.successor}
row contains {"rank": 50, "rule": "obl.successor", "value": value} if {
	verdict.scope_action == "successor_replan_required"
	value := {
		"kind": "successor_replan_required",
		"must_attempt_work": true,
		"delivery_allowed": false,
		"contract": "deferred_resume_projection",
		"minimum": "one_successor_replan_or_no_followup_writeback",
	}
}

# METADATA
# title: Expand the missing todo projection
# description: The repair of a projection gap holds the turn.
# custom: {id: obl.gap, sets: [execution_obligation]}
# labels: {rule: obl.gap}
row contains {"rank": 60, "rule": "obl.gap", "value": repair_value("state_projection_gap")} if {
	route.self_repair
	repair.hint.recommended_mode == "repair_state_projection_gap"
}

# METADATA
# title: Repair the write boundary
# description: The repair of the goal boundary holds the turn.
# custom: {id: obl.boundary, sets: [execution_obligation]}
# labels: {rule: obl.boundary}
row contains {"rank": 70, "rule": "obl.boundary", "value": repair_value("goal_boundary.write_scope")} if {
	route.self_repair
	repair.hint.recommended_mode == "repair_boundary_projection"
}

repair_value(contract) := {
	"kind": route.effective_action,
	"must_attempt_work": true,
	"delivery_allowed": false,
	"contract": contract,
}

# METADATA
# title: One recovery step against the outcome floor
# description: Recovery holds the turn.
# custom: {id: obl.recovery, sets: [execution_obligation]}
# labels: {rule: obl.recovery}
row contains {"rank": 80, "rule": "obl.recovery", "value": value} if {
	route.recovery
	value := {
		"kind": "outcome_floor_recovery",
		"must_attempt_work": true,
		"delivery_allowed": true,
		"contract": "delivery_outcome_floor",
	}
}

# METADATA
# title: Repair or observe the bridge
# description: The capability bridge repair holds the turn.
# custom: {id: obl.capability, sets: [execution_obligation]}
# labels: {rule: obl.capability}
row contains {"rank": 90, "rule": "obl.capability", "value": repair_value("capability_gate")} if route.cap_repair

# METADATA
# title: The lane says what to do
# description: A turn is granted and a lane is published; a repair or a command beside a lane that asks for nothing stands alone.
# custom: {id: obl.lane, sets: [execution_obligation]}
# labels: {rule: obl.lane}
row contains {"rank": 100, "rule": "obl.lane", "value": value} if {
	verdict.should_run
	lane := verdict.lane
	not stands_alone(lane)
	value := {
		"kind": "work_lane_contract",
		"must_attempt_work": lane.must_attempt_work,
		"contract": "work_lane_contract",
		"contract_obligation": lane.obligation,
	}
}

stands_alone(lane) if {
	route.self_repair
	lane.must_attempt_work == false
}

stands_alone(lane) if {
	heartbeat.final.recommended_mode == "run_agent_command"
	lane.must_attempt_work == false
}

# METADATA
# title: The user owns what is left
# description: A turn is granted, but only an open user action remains, no command waits and nothing is executable.
# custom: {id: obl.user_wait, sets: [execution_obligation]}
# labels: {rule: obl.user_wait}
row contains {"rank": 110, "rule": "obl.user_wait", "value": value} if {
	verdict.should_run
	not route.self_repair
	not heartbeat.final.recommended_mode == "run_agent_command"
	count(todos.actions_mine) > 0
	count(todos.first_executable) == 0
	value := {"kind": "user_gate_quiet_wait", "must_attempt_work": false, "delivery_allowed": false}
}

# METADATA
# title: One bounded segment
# description: A turn is granted without a lane.
# custom: {id: obl.default, sets: [execution_obligation]}
# labels: {rule: obl.default}
row contains {"rank": 120, "rule": "obl.default", "value": value} if {
	verdict.should_run
	value := {"kind": verdict.effective_action, "must_attempt_work": true, "minimum": "one_bounded_segment"}
}

# METADATA
# title: No obligation
# description: No turn is granted.
# custom: {id: obl.none, covers: [pipe.obligation], sets: [execution_obligation]}
# labels: {rule: obl.none}
row contains {"rank": 130, "rule": "obl.none", "value": value} if {
	value := {"kind": verdict.effective_action, "must_attempt_work": false}
}

winner := rank.winner(row)

# METADATA
# title: The obligation before the work mode
obligation := object.union(winner.value, {
	"notify_is_execution_gate": false,
	"reason": object.get(texts.reasons, winner.rule, texts.reason),
})

fired["execution_obligation"] := winner

runners["execution_obligation"] := rank.runner_up(row)

package loopx.execution_obligation_test

import data.loopx.execution_obligation

lane(must) := {"lane": {"must_attempt_work": must, "obligation": "advance_one_bounded_segment"}}

run := {"turn": "normal", "verdict": {"should_run": true, "effective_action": "normal_run"}}

skip := {"turn": "hold", "verdict": {"should_run": false, "effective_action": "blocked_wait"}}

owed(case) := found if {
	w := object.union({"heartbeat": {"recommended_mode": "x"}, "hint": {}, "actions": [], "executable": ["t"]}, case)
	found := {"row": execution_obligation.winner, "duty": execution_obligation.obligation} with data.loopx.verdict as w.verdict
		with data.loopx.route.turn as {"turn": w.turn, "value": w.verdict.effective_action}
		with data.loopx.heartbeat.final as w.heartbeat
		with data.loopx.repair as {"hint": w.hint}
		with data.loopx.todos as {"actions_mine": {id | some id in w.actions}, "first_executable": w.executable}
}

both(a, b) := object.union(a, b)

repair(mode, action) := {
	"turn": "self_repair",
	"verdict": {"should_run": true, "effective_action": action},
	"hint": {"recommended_mode": mode},
}

cases := {
	"fallback": [both(skip, {"verdict": {"fallback": {}}}), "obl.fallback", "scoped_user_gate_fallback", true, true],
	"external": [both(skip, {"turn": "external"}), "obl.external", "external_evidence_observation_required", true, false],
	"mapped": [both(run, {"heartbeat": {"stop_if_unchanged": true}}), "obl.noop", "quiet_noop_if_unchanged", false, null],
	"replan": [both(run, {"turn": "replan"}), "obl.replan", "autonomous_replan_required", true, null],
	"successor": [
		both(run, {"verdict": {"scope_action": "successor_replan_required"}}),
		"obl.successor", "successor_replan_required", true, false,
	],
	"gap": [
		repair("repair_state_projection_gap", "state_projection_gap_repair"),
		"obl.gap", "state_projection_gap_repair", true, false,
	],
	"boundary": [
		repair("repair_boundary_projection", "boundary_projection_repair"),
		"obl.boundary", "boundary_projection_repair", true, false,
	],
	"another repair with a lane": [
		both(repair("repair_control_plane_health", "control_plane_health_repair"), {"verdict": lane(true)}),
		"obl.lane", "work_lane_contract", true, null,
	],
	"a command beside a quiet lane": [
		both(run, {"verdict": lane(false), "heartbeat": {"recommended_mode": "run_agent_command"}}),
		"obl.default", "normal_run", true, null,
	],
	"a command and its lane": [
		both(run, {"verdict": lane(true), "heartbeat": {"recommended_mode": "run_agent_command"}}),
		"obl.lane", "work_lane_contract", true, null,
	],
	"another repair beside a quiet lane": [
		both(repair("repair_control_plane_health", "control_plane_health_repair"), {"verdict": lane(false)}),
		"obl.default", "control_plane_health_repair", true, null,
	],
	"another repair beside a user action": [
		both(repair("repair_control_plane_health", "control_plane_health_repair"), {"actions": ["u"], "executable": []}),
		"obl.default", "control_plane_health_repair", true, null,
	],
	"another repair without a lane": [
		repair("repair_control_plane_health", "control_plane_health_repair"),
		"obl.default", "control_plane_health_repair", true, null,
	],
	"recovery": [both(run, {"turn": "recovery"}), "obl.recovery", "outcome_floor_recovery", true, true],
	"bridge": [
		{"turn": "cap_repair", "verdict": {"should_run": true, "effective_action": "capability_bridge_repair"}},
		"obl.capability", "capability_bridge_repair", true, false,
	],
	"lane": [both(run, {"verdict": lane(true)}), "obl.lane", "work_lane_contract", true, null],
	"quiet lane": [both(run, {"verdict": lane(false)}), "obl.lane", "work_lane_contract", false, null],
	"the user owns the rest": [
		both(run, {"actions": ["u"], "executable": []}),
		"obl.user_wait", "user_gate_quiet_wait", false, false,
	],
	"a command beside a user action": [
		both(run, {"actions": ["u"], "executable": [], "heartbeat": {"recommended_mode": "run_agent_command"}}),
		"obl.default", "normal_run", true, null,
	],
	"a user action beside work": [both(run, {"actions": ["u"]}), "obl.default", "normal_run", true, null],
	"nothing listed": [both(run, {"executable": []}), "obl.default", "normal_run", true, null],
	"no turn": [both(skip, {"verdict": lane(false)}), "obl.none", "blocked_wait", false, null],
}

test_obligation[name] if {
	some name, [case, rule, kind, must, delivery] in cases
	got := owed(case)
	got.row.rule == rule
	got.duty.kind == kind
	got.duty.must_attempt_work == must
	object.get(got.duty, "delivery_allowed", null) == delivery
	got.duty.notify_is_execution_gate == false
	got.duty.reason != ""
}

test_obligation_names_its_contract if {
	owed(cases.lane[0]).duty.contract == "work_lane_contract"
	owed(cases.lane[0]).duty.contract_obligation == "advance_one_bounded_segment"
	owed(cases.successor[0]).duty.contract == "deferred_resume_projection"
	owed(cases.boundary[0]).duty.contract == "goal_boundary.write_scope"
	owed(cases.gap[0]).duty.contract == "state_projection_gap"
	owed(cases.bridge[0]).duty.contract == "capability_gate"
}

test_obligation_fires if {
	got := [execution_obligation.fired, execution_obligation.runners] with data.loopx.execution_obligation.row as {
		{"rank": 1, "rule": "a", "value": {}}, {"rank": 2, "rule": "b", "value": {}},
	}
	got[0].execution_obligation.rule == "a"
	got[1].execution_obligation.rule == "b"
}

package loopx.work_mode_test

import data.loopx.work_mode

verdict := {
	"normal": true,
	"recovery": false,
	"self_repair": false,
	"cap_repair": false,
	"should_run": true,
	"actionable": true,
	"decision": "run",
	"effective_action": "normal_run",
	"reason": "because",
	"bypass": {"blocked": null, "allowed": false, "kind": null},
	"recommended_action": "do",
	"lane": {"lane": "published"},
}

monitor(must) := {
	"lane": "continuous_monitor",
	"must_attempt_work": must,
	"action": "look",
	"reason_codes": ["monitor_due"],
	"obligation": "attempt_due_monitor",
}

pass(case) := found if {
	w := object.union({"only": true, "eligible": true, "turn": "normal", "lane": {}, "verdict": verdict}, case)
	found := {
		"rule": work_mode.winner.rule,
		"final": work_mode.final,
		"decides": work_mode.decides,
		"heartbeat": work_mode.heartbeat_recommendation,
		"fired": work_mode.fired,
		"runners": work_mode.runners,
	} with data.loopx.goal as {"monitor_only": w.only}
		with data.loopx.route.eligible as w.eligible
		with data.loopx.route.turn as {"turn": w.turn, "value": "normal_run"}
		with data.loopx.work_lane_contract as {"raw": raw | raw := w.lane; count(raw) > 0}
		with data.loopx.verdict.normal as w.verdict.normal
		with data.loopx.verdict.recovery as w.verdict.recovery
		with data.loopx.verdict.self_repair as w.verdict.self_repair
		with data.loopx.verdict.cap_repair as w.verdict.cap_repair
		with data.loopx.verdict.should_run as w.verdict.should_run
		with data.loopx.verdict.actionable as w.verdict.actionable
		with data.loopx.verdict.decision as w.verdict.decision
		with data.loopx.verdict.effective_action as w.verdict.effective_action
		with data.loopx.verdict.reason as w.verdict.reason
		with data.loopx.verdict.bypass as w.verdict.bypass
		with data.loopx.verdict.recommended_action as w.verdict.recommended_action
		with data.loopx.verdict.lane as w.verdict.lane
		with data.loopx.gates as {"requires_user_action": true}
		with data.loopx.heartbeat as {"final": {"recommended_mode": "steering_audit_then_one_step", "notify": "NOTIFY"}}
		with data.loopx.execution_obligation as {"obligation": {"kind": "work_lane_contract", "must_attempt_work": true}}
}

cases := {
	"due": [{"lane": monitor(true)}, "workmode.due", "run", true, "monitor_due", "monitor_due", "work_lane_contract", true],
	"quiet": [
		{"lane": monitor(false)},
		"workmode.quiet", "skip", false, "monitor_quiet_skip", "monitor_quiet_until_material_transition", "monitor_quiet_skip", false,
	],
	"idle": [{}, "workmode.idle", "skip", false, "agent_monitor_only", "agent_monitor_only", "agent_monitor_only", false],
	"idle beside a closed goal": [
		{"turn": "terminal"},
		"workmode.idle", "skip", false, "agent_monitor_only", "agent_monitor_only", "agent_monitor_only", false,
	],
	"the reply stays": [
		{"turn": "reply"},
		"route.monitor_only", "run", true, "normal_run", "steering_audit_then_one_step", "work_lane_contract", true,
	],
	"stopped": [
		{"eligible": false, "lane": monitor(true)},
		"route.monitor_only", "run", true, "normal_run", "steering_audit_then_one_step", "work_lane_contract", true,
	],
	"others deliver": [
		{"only": false},
		"route.monitor_only", "run", true, "normal_run", "steering_audit_then_one_step", "work_lane_contract", true,
	],
}

test_work_mode[name] if {
	some name, [change, rule, decision, run, action, mode, kind, must] in cases
	got := pass(change)
	got.rule == rule
	got.final.decision == decision
	got.final.should_run == run
	got.final.effective_action == action
	got.final.heartbeat.recommended_mode == mode
	got.final.obligation.kind == kind
	got.heartbeat.agent_must_attempt == must
}

test_work_mode_silences_its_turn[name] if {
	some name in ["due", "quiet", "idle"]
	got := pass(cases[name][0])
	got.decides
	got.final.requires_user_action == false
	got.final.heartbeat.notify == "DONT_NOTIFY"
	got.final.heartbeat.spend_policy != ""
	got.final.bypass == {"blocked": "advancement_work", "allowed": false, "kind": null}
	got.final.recovery == false
	got.final.self_repair == false
	got.final.cap_repair == false
	got.final.recommended_action != ""
	got.fired.decision.rule == cases[name][1]
	got.runners.work_mode.rule in {"workmode.quiet", "workmode.idle", "route.monitor_only"}
}

test_work_mode_lane if {
	pass(cases.due[0]).final.lane == monitor(true)
	pass(cases.due[0]).final.normal
	pass(cases.due[0]).final.recommended_action == "look"
	pass(cases.quiet[0]).final.lane == monitor(false)
	not pass({}).final.lane
	idle := pass({"lane": object.union(monitor(true), {"lane": "advancement_task"})}).final
	idle.lane.must_attempt_work == false
	idle.lane.reason_codes == ["monitor_due", "stopped_by_agent_monitor_only"]
	idle.recommended_action == idle.reason
	pass({"only": false}).final.lane.lane == "published"
	pass({"only": false}).fired == {}
	pass({"only": false}).final.requires_user_action
}

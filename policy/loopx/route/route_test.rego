package loopx.route_test

import data.loopx.route

# What the earlier packages say of an eligible goal with work.
calm := {
	"agent_scope": {"state": "eligible"},
	"capability_gate": {"action": "none", "blocks": false},
	"external": {},
	"frontier": {"required": false, "applies": false, "terminal": false},
	"goal": {"monitor_only": false},
	"health": {"ok": true},
	"quota": {"floor": {"recovery": false}},
	"repair": {},
	"lane": {},
}

turn(change) := found if {
	w := object.union(calm, change)
	found := route.turn with data.loopx.agent_scope as w.agent_scope
		with data.loopx.capability_gate as w.capability_gate
		with data.loopx.external as w.external
		with data.loopx.frontier as w.frontier
		with data.loopx.goal as w.goal
		with data.loopx.health as w.health
		with data.loopx.quota as w.quota
		with data.loopx.repair as w.repair
		with data.loopx.work_lane_contract as {"raw": w.lane}
}

reply := {"lane": {"lane": "lark_event_inbox"}}

replan := {"frontier": {"required": true, "applies": true, "obligation": {}}}

bridge := {"capability_gate": {"action": "repair_bridge", "blocks": true}}

owner := {"capability_gate": {"action": "ask_owner", "blocks": true}}

unsupported := {"capability_gate": {"action": "skip", "blocks": true}}

recovery := {"agent_scope": {"state": "focus_wait"}, "quota": {"floor": {"recovery": true}}}

seen := {"external": {"obligation": {"required": true}}}

hint(action) := {"repair": {"hint": {"allowed": true, "effective_action": action}}}

watching := {"goal": {"monitor_only": true}}

in_state(state) := {"agent_scope": {"state": state}}

both(a, b) := object.union(a, b)

cases := {
	"work": [{}, "route.effective_action.normal", "normal_run"],
	"a reply before a terminal goal": [both(reply, {"frontier": {"terminal": true}}), "route.reply_due", "lark_inbox_reply_due"],
	"a reply before a replan": [both(reply, replan), "route.reply_due", "lark_inbox_reply_due"],
	"no reply while throttled": [both(reply, in_state("throttled")), "route.effective_action", "throttled_skip"],
	"terminal before a gate": [
		both({"frontier": {"terminal": true}}, in_state("operator_gate")),
		"route.terminal",
		"terminal_no_followup",
	],
	"observation while waiting": [both(seen, in_state("waiting")), "route.external", "external_evidence_observe"],
	"observation before a repair": [both(seen, hint("boundary_projection_repair")), "route.external", "external_evidence_observe"],
	"observation excludes a replan": [both(seen, replan), "route.external", "external_evidence_observe"],
	"replan before a repair": [both(replan, hint("boundary_projection_repair")), "route.replan", "autonomous_replan_required"],
	"replan before a skipping gate": [both(replan, unsupported), "route.replan", "autonomous_replan_required"],
	"no replan while throttled": [both(replan, in_state("throttled")), "route.effective_action", "throttled_skip"],
	"no replan while unhealthy": [
		both(replan, both(in_state("blocked_health"), {"health": {"ok": false}})),
		"route.effective_action",
		"blocked_health",
	],
	"no replan while the owner must act": [both(replan, owner), "route.effective_action.skip", "quota_skip"],
	"no replan for another agent": [
		{"frontier": {"required": true, "applies": false}},
		"route.effective_action.normal",
		"normal_run",
	],
	"boundary": [hint("boundary_projection_repair"), "route.boundary_repair", "boundary_projection_repair"],
	"gap": [hint("state_projection_gap_repair"), "route.gap_repair", "state_projection_gap_repair"],
	"health repair of an unhealthy goal": [
		both(hint("control_plane_health_repair"), both(in_state("blocked_health"), {"health": {"ok": false}})),
		"route.stall_repair",
		"control_plane_health_repair",
	],
	"a repair without a name": [{"repair": {"hint": {"allowed": true}}}, "route.stall_repair", "control_plane_repair"],
	"a repair that is not allowed": [{"repair": {"hint": {"allowed": false}}}, "route.effective_action.normal", "normal_run"],
	"repair before the bridge": [both(hint("boundary_projection_repair"), bridge), "route.boundary_repair", "boundary_projection_repair"],
	"bridge": [bridge, "route.capability", "capability_bridge_repair"],
	"no bridge while throttled": [both(bridge, in_state("throttled")), "route.effective_action", "throttled_skip"],
	"owner": [owner, "route.effective_action.skip", "quota_skip"],
	"unsupported": [unsupported, "route.effective_action.skip", "quota_skip"],
	"a gate with a fallback": [
		{"capability_gate": {"action": "skip", "blocks": false}},
		"route.effective_action.normal",
		"normal_run",
	],
	"recovery": [recovery, "route.floor_projected", "outcome_floor_recovery"],
	"no recovery through a gate": [both(recovery, bridge), "route.effective_action", "blocked_wait"],
	"no recovery while unhealthy": [both(recovery, {"health": {"ok": false}}), "route.effective_action", "blocked_wait"],
	"gate": [in_state("operator_gate"), "route.effective_action", "operator_gate_notify"],
	"waiting": [in_state("waiting"), "route.effective_action", "blocked_wait"],
	"paused": [in_state("paused"), "route.effective_action.skip", "quota_skip"],
	"watching: no observation": [both(watching, seen), "route.effective_action.normal", "normal_run"],
	"watching: no replan": [both(watching, replan), "route.effective_action.normal", "normal_run"],
	"watching: no boundary repair": [both(watching, hint("boundary_projection_repair")), "route.effective_action.normal", "normal_run"],
	"watching: no gap repair": [both(watching, hint("state_projection_gap_repair")), "route.effective_action.normal", "normal_run"],
	"watching: no repair": [both(watching, hint("control_plane_health_repair")), "route.effective_action.normal", "normal_run"],
	"watching: no capability gate": [both(watching, bridge), "route.effective_action.normal", "normal_run"],
	"watching: no recovery": [both(watching, recovery), "route.effective_action", "blocked_wait"],
	"watching: the reply stays": [both(watching, reply), "route.reply_due", "lark_inbox_reply_due"],
}

test_route[name] if {
	some name, [change, rule, action] in cases
	got := turn(change)
	got.rule == rule
	got.value == action
}

permissions := {
	"normal": {"normal": true, "should_run": true},
	"reply": {"normal": true, "reply": true, "should_run": true},
	"recovery": {"recovery": true, "should_run": true},
	"self_repair": {"self_repair": true, "should_run": true},
	"cap_repair": {"cap_repair": true, "should_run": true},
	"replan": {"replan": true, "should_run": true},
	"external": {"observing": true, "should_run": false},
	"terminal": {"terminal": true, "should_run": false},
	"hold": {"should_run": false},
}

# route.should_run: one turn, one permission.
test_route_should_run[held] if {
	some held, want in permissions
	got := {
		"normal": route.normal,
		"reply": route.reply,
		"recovery": route.recovery,
		"self_repair": route.self_repair,
		"cap_repair": route.cap_repair,
		"replan": route.replan,
		"observing": route.observing,
		"terminal": route.terminal,
		"should_run": route.should_run,
	} with data.loopx.route.turn as {"turn": held, "value": held}
	every permission, value in got {
		value == object.get(want, permission, false)
	}
}

test_route_names_the_runner_up if {
	got := route.runners with data.loopx.agent_scope as calm.agent_scope
		with data.loopx.capability_gate as calm.capability_gate
		with data.loopx.external as {}
		with data.loopx.frontier as replan.frontier
		with data.loopx.goal as calm.goal
		with data.loopx.health as calm.health
		with data.loopx.quota as calm.quota
		with data.loopx.repair as {}
		with data.loopx.work_lane_contract as {}
	got.route.rule == "route.effective_action.normal"
}

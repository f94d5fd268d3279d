package loopx.heartbeat_test

import data.loopx.heartbeat

# An eligible goal with work and a run behind it.
calm := {
	"turn": "normal",
	"action": "normal_run",
	"state": "eligible",
	"lane": {"lane": "advancement_task", "obligation": "advance_one_bounded_segment", "must_attempt_work": true},
	"item": {},
	"map": false,
	"goal": {"id": "g1", "adapter_kind": "oracle_adapter_v0", "self_repair": {"enabled": false}},
	"history": {
		"status": "state_refreshed",
		"lifecycle_phase": null,
		"lifecycle_flags": null,
		"post_handoff": {"seen": false, "streak": 0},
		"dependency_scope": false,
	},
	"floor": {"block": false, "projected": false},
	"hint": {},
	"obligation": {},
	"user": 0,
	"agent": 1,
}

base(change) := found if {
	w := object.union(calm, change)
	found := {"winner": heartbeat.base_winner, "base": heartbeat.base, "runners": heartbeat.runners} with data.loopx.attention as {
		"item": w.item,
		"read_only_map": w.map,
	}
		with data.loopx.frontier as {"obligation": w.obligation}
		with data.loopx.goal as w.goal
		with data.loopx.history as w.history
		with data.loopx.quota as {"floor": w.floor}
		with data.loopx.repair as {"hint": w.hint}
		with data.loopx.route.turn as {"turn": w.turn, "value": w.action}
		with data.loopx.route.state as w.state
		with data.loopx.todos as {
			"user_open_count": w.user,
			"agent_all_open_count": w.agent,
			"user_open": {id | some id in numbers.range(1, w.user); w.user > 0},
		}
		with data.loopx.work_lane_contract as {"raw": w.lane}
}

none := {"lane": {"lane": "none", "must_attempt_work": false}, "agent": 0}

handoff := {
	"goal": {"adapter_kind": "harness_self_improvement", "self_repair": {"enabled": true}},
	"history": {"post_handoff": {
		"seen": true,
		"streak": 0,
		"outcome": "primary_goal_outcome",
		"latest": {"generated_at": "t"},
	}},
}

held(turn, action, state) := {"turn": turn, "action": action, "state": state}

both(a, b) := object.union(a, b)

base_cases := {
	"repair": [
		both(held("self_repair", "x", "eligible"), {"hint": {"recommended_mode": "repair_boundary_projection", "notify": "DONT_NOTIFY", "repair_focus": "f"}}),
		"hb.repair", "repair_boundary_projection", "DONT_NOTIFY",
	],
	"repair without words": [held("self_repair", "x", "eligible"), "hb.repair", "repair_control_plane_stall", "DONT_NOTIFY"],
	"gate": [held("hold", "operator_gate_notify", "operator_gate"), "hb.gate", "ask_operator_gate", "NOTIFY"],
	"replan": [
		both(held("replan", "autonomous_replan_required", "eligible"), {"obligation": {"obligation_id": "replan-1", "triggers": []}}),
		"hb.replan", "autonomous_replan_required", "DONT_NOTIFY",
	],
	"user todo in a wait": [both(held("hold", "blocked_wait", "waiting"), {"user": 1}), "hb.user_todo", "blocker_push_notify", "NOTIFY"],
	"user todo in focus wait": [both(held("hold", "blocked_wait", "focus_wait"), {"user": 1}), "hb.user_todo", "blocker_push_notify", "NOTIFY"],
	"no push beside a recovery": [
		both(held("recovery", "outcome_floor_recovery", "focus_wait"), {"user": 1}),
		"hb.floor.recovery", "outcome_floor_recovery", "DONT_NOTIFY",
	],
	"no push beside a repair": [both(held("self_repair", "x", "waiting"), {"user": 1}), "hb.repair", "repair_control_plane_stall", "DONT_NOTIFY"],
	"no push while throttled": [both(held("hold", "throttled_skip", "throttled"), {"user": 1}), "hb.skip", "quota_skip", "DONT_NOTIFY"],
	"no push without todo": [held("hold", "blocked_wait", "waiting"), "hb.skip", "quota_skip", "DONT_NOTIFY"],
	"floor blocker is known": [
		both(held("hold", "blocked_wait", "focus_wait"), {"floor": {"block": true, "projected": true}}),
		"hb.floor.projected", "outcome_floor_blocker_projected_noop", "DONT_NOTIFY",
	],
	"floor blocker is not known": [
		both(held("hold", "blocked_wait", "focus_wait"), {"floor": {"block": true}}),
		"hb.floor.report", "report_handoff_outcome_blocker", "NOTIFY",
	],
	"floor of a closed goal": [
		both(held("terminal", "terminal_no_followup", "focus_wait"), {"floor": {"block": true}}),
		"hb.skip", "quota_skip", "DONT_NOTIFY",
	],
	"reply": [held("reply", "lark_inbox_reply_due", "eligible"), "hb.reply", "follow_work_lane_contract", "DONT_NOTIFY"],
	"command": [{"item": {"agent_command": "make map"}}, "hb.command", "run_agent_command", "DONT_NOTIFY"],
	"quiet monitor": [
		{"lane": {"lane": "continuous_monitor", "must_attempt_work": false}},
		"hb.monitor.quiet", "monitor_quiet_until_material_transition", "DONT_NOTIFY",
	],
	"due monitor beside a user todo": [
		{"lane": {"lane": "continuous_monitor", "must_attempt_work": true}, "user": 1},
		"hb.monitor.follow", "follow_work_lane_contract", "DONT_NOTIFY",
	],
	"materialize": [
		{"lane": {"obligation": "materialize_advancement_todo_or_blocker"}},
		"hb.monitor.follow", "follow_work_lane_contract", "DONT_NOTIFY",
	],
	"first map": [
		both({"map": true, "history": {"status": "connected_without_run"}}, none),
		"hb.first_map", "run_first_read_only_map", "NOTIFY",
	],
	"no map adapter": [both({"history": {"status": "connected_without_run"}}, none), "hb.default", "steering_audit_then_one_step", "DONT_NOTIFY"],
	"a map with a run": [both({"map": true}, none), "hb.default", "steering_audit_then_one_step", "DONT_NOTIFY"],
	"mapped by run": [both({"history": {"status": "read_only_project_map"}}, none), "hb.mapped", "mapped_noop_if_unchanged", "DONT_NOTIFY"],
	"mapped by phase": [both({"history": {"lifecycle_phase": "mapped"}}, none), "hb.mapped", "mapped_noop_if_unchanged", "DONT_NOTIFY"],
	"mapped by flag": [both({"history": {"lifecycle_flags": ["mapped"]}}, none), "hb.mapped", "mapped_noop_if_unchanged", "DONT_NOTIFY"],
	"mapped with an agent todo": [
		both({"history": {"status": "read_only_project_map"}}, both(none, {"agent": 1})),
		"hb.default", "steering_audit_then_one_step", "DONT_NOTIFY",
	],
	"mapped with a user todo": [
		both({"history": {"status": "read_only_project_map"}}, both(none, {"user": 1})),
		"hb.default", "steering_audit_then_one_step", "DONT_NOTIFY",
	],
	"hand-off with todos": [handoff, "hb.post_handoff", "post_handoff_observe_then_backlog_step", "DONT_NOTIFY"],
	"hand-off with todos and a dependency": [
		both(handoff, {"history": {"dependency_scope": true}}),
		"hb.post_handoff.dependency", "follow_work_lane_contract", "DONT_NOTIFY",
	],
	"hand-off without todos": [both(handoff, none), "hb.post_handoff.unchanged", "post_handoff_observe_if_unchanged", "DONT_NOTIFY"],
	"hand-off without opt-in": [
		both(handoff, {"goal": {"self_repair": {"enabled": false}}}),
		"hb.default", "steering_audit_then_one_step", "DONT_NOTIFY",
	],
	"hand-off of another adapter": [
		both(handoff, {"goal": {"adapter_kind": "x"}}),
		"hb.default", "steering_audit_then_one_step", "DONT_NOTIFY",
	],
	"hand-off without outcome": [
		both(handoff, {"history": {"post_handoff": {"outcome": "outcome_gap"}}}),
		"hb.default", "steering_audit_then_one_step", "DONT_NOTIFY",
	],
	"hand-off not seen": [
		both(handoff, {"history": {"post_handoff": {"seen": false}}}),
		"hb.default", "steering_audit_then_one_step", "DONT_NOTIFY",
	],
	"hand-off beside a user todo": [both(handoff, {"user": 1}), "hb.default", "steering_audit_then_one_step", "DONT_NOTIFY"],
	"work": [{}, "hb.default", "steering_audit_then_one_step", "DONT_NOTIFY"],
}

test_base[name] if {
	some name, [change, rule, mode, notify] in base_cases
	got := base(change)
	got.winner.rule == rule
	got.base.recommended_mode == mode
	got.base.notify == notify
}

test_base_carries_what_the_mode_needs if {
	base(base_cases.repair[0]).base.repair_focus == "f"
	base(base_cases.replan[0]).base.replan_obligation == {"obligation_id": "replan-1"}
	base(base_cases["user todo in a wait"][0]).base.repeat_notification_required
	base(base_cases.command[0]).base.command == "make map"
	base(base_cases["first map"][0]).base.command == "loopx read-only-map --goal-id g1"
	base(base_cases["mapped by run"][0]).base.stop_if_unchanged
	base(base_cases["hand-off without todos"][0]).base.stop_if_unchanged
	base(base_cases["hand-off with todos"][0]).base.latest_run.generated_at == "t"
	base(base_cases["hand-off with todos and a dependency"][0]).base.latest_run.generated_at == "t"
	base(base_cases["quiet monitor"][0]).runners.heartbeat_recommendation.rule == "hb.default"
}

stops := {"eligible": true, "blocks": true}

final_cases := {
	"scope": [{"turn": "normal", "scope": "reassignment_required"}, "hb.scope_frontier", "reassignment_required", "DONT_NOTIFY"],
	"external": [{"turn": "external"}, "hb.external", "external_evidence_observe_or_blocker", "DONT_NOTIFY"],
	"external before the gate": [both(stops, {"turn": "external"}), "hb.external", "external_evidence_observe_or_blocker", "DONT_NOTIFY"],
	"bridge": [
		both(stops, {"turn": "cap_repair", "gate": "repair_bridge"}),
		"hb.capability", "repair_capability_bridge", "DONT_NOTIFY",
	],
	"owner": [both(stops, {"turn": "hold", "gate": "ask_owner"}), "hb.capability", "ask_owner_for_capability", "NOTIFY"],
	"unsupported": [both(stops, {"turn": "hold", "gate": "skip"}), "hb.capability", "capability_skip", "DONT_NOTIFY"],
	"no gate mode while throttled": [
		{"turn": "hold", "gate": "ask_owner", "blocks": true},
		"hb.base", "quota_skip", "DONT_NOTIFY",
	],
	"no gate mode beside a replan": [both(stops, {"turn": "replan", "gate": "skip"}), "hb.base", "quota_skip", "DONT_NOTIFY"],
	"no gate": [{"turn": "normal", "gate": "run", "eligible": true}, "hb.base", "quota_skip", "DONT_NOTIFY"],
}

test_final[name] if {
	some name, [case, rule, mode, notify] in final_cases
	w := object.union({"gate": "none", "eligible": false, "blocks": false}, case)
	scoped := {"scope_action": w.scope | w.scope}
	got := {"winner": heartbeat.final_winner, "final": heartbeat.final, "fired": heartbeat.fired} with data.loopx.verdict as scoped
		with data.loopx.route.turn as {"turn": w.turn, "value": "x"}
		with data.loopx.route.eligible as w.eligible
		with data.loopx.route.gate_blocks as w.blocks
		with data.loopx.capability_gate as {"action": w.gate}
		with data.loopx.heartbeat.base_winner as {
			"rank": 60,
			"rule": "hb.skip",
			"value": {"recommended_mode": "quota_skip", "notify": "DONT_NOTIFY"},
		}
	got.winner.rule == rule
	got.final.recommended_mode == mode
	got.final.notify == notify
	got.final.source == "quota.should-run"
	got.final.spend_policy != ""
	got.fired.heartbeat_recommendation.rule == object.get({"hb.base": "hb.skip"}, rule, rule)
}

attached := {
	"a turn is granted": [true, {"schema_version": "v", "notify_user": false, "blocked_items": []}, {"schema_version": "v", "notify_user": false}],
	"no turn is granted": [false, {"schema_version": "v"}, null],
	"nothing is blocked": [true, null, null],
}

test_final_attaches_the_blocked_priority[name] if {
	some name, [run, found, want] in attached
	got := heartbeat.final with data.loopx.verdict as {"should_run": run}
		with data.loopx.hints as {"blocked_priority_fallback": found}
		with data.loopx.heartbeat.final_winner as {"rule": "x", "value": {"recommended_mode": "m"}}
	object.get(got, "blocked_priority_fallback", null) == want
}

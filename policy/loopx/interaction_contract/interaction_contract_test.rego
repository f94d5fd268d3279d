package loopx.interaction_contract_test

import data.loopx.interaction_contract

both(a, b) := object.union(a, b)

# An eligible goal with a lane to advance and no user todo.
calm := {
	"final": {
		"effective_action": "normal_run",
		"should_run": true,
		"recovery": false,
		"self_repair": false,
		"cap_repair": false,
		"requires_user_action": false,
		"reason": "because",
		"recommended_action": "do",
		"heartbeat": {"recommended_mode": "steering_audit_then_one_step", "notify": "DONT_NOTIFY"},
		"obligation": {"kind": "work_lane_contract", "must_attempt_work": true},
		"lane": {"lane": "advancement_task", "must_attempt_work": true},
	},
	"decides": false,
	"turn": "normal",
	"route_action": "normal_run",
	"state": "eligible",
	"verdict": {},
	"gates": {"notify_gate": false, "notify_open_todo": false, "labels": [], "owner_bindings": []},
	"mine": [],
	"class": {},
	"executable": ["todo_a"],
	"todos": {},
	"frontier": {},
	"gate": {},
	"scope": {"selected_todo": {"todo_id": "todo_a"}},
	"request": {"agent_id": "agent-a", "scoped": true, "runtime_capabilities": []},
	"scheduler": {},
	"paused": false,
	"hints": {"blocked_priority_fallback": null},
}

see(change) := found if {
	w := object.union(calm, change)
	found := {
		"first": interaction_contract.first,
		"contract": interaction_contract.contract,
		"mode_rule": {x | x := interaction_contract.mode_winner.rule},
		"required_rule": {x | x := interaction_contract.required_winner.rule},
		"identity": {x | x := interaction_contract.identity},
		"pause_mode": {x | x := interaction_contract.pause_mode},
	} with data.loopx.work_mode as {"final": w.final, "decides": w.decides}
		with data.loopx.route.turn as {"turn": w.turn, "value": w.route_action}
		with data.loopx.route.state as w.state
		with data.loopx.verdict as w.verdict
		with data.loopx.gates as w.gates
		with data.loopx.todos as object.union(
			{
				"actions_mine": {id | some id in w.mine},
				"gates_mine": set(),
				"first_executable": w.executable,
				"class": w.class,
				"by_id": {},
				"user_open": set(),
				"actionable": set(),
			},
			w.todos,
		)
		with data.loopx.frontier as w.frontier
		with data.loopx.capability_gate as {"gate": w.gate}
		with data.loopx.agent_scope as w.scope
		with data.loopx.scope_frontier as w.scope
		with data.loopx.request as w.request
		with data.loopx.goal as {"id": "g1"}
		with data.loopx.quota as {"paused": w.paused, "object": {"pause_cause": "compute_quota_zero", "reason": "paused so"}}
		with data.loopx.hints as w.hints
		with data.loopx.scheduler_hint as w.scheduler
}

# U, M, D, Q, S of 8.4
booleans(contract) := [
	contract.user_channel.action_required,
	contract.agent_channel.must_attempt,
	contract.agent_channel.delivery_allowed,
	contract.agent_channel.quiet_noop_allowed,
	contract.cli_channel.spend_after_validation,
]

T := true

F := false

idle(action) := {
	"effective_action": action,
	"should_run": false,
	"obligation": {"kind": action, "must_attempt_work": false},
	"lane": {"must_attempt_work": false},
}

owes(kind, extra) := {"obligation": object.union({"kind": kind, "must_attempt_work": true}, extra)}

held(state, action) := {"final": idle(action), "turn": "hold", "route_action": action, "state": state}

asked(state, action) := both(held(state, action), {"final": {"requires_user_action": true}})

no_delivery := {"delivery_allowed": false}

modes := {
	"ic.mode.agent_monitor_only": [
		{"final": idle("agent_monitor_only"), "decides": true},
		"agent_monitor_only", [F, F, F, T, F],
	],
	"ic.mode.monitor_due": [
		{"final": both({"effective_action": "monitor_due"}, owes("work_lane_contract", {"delivery_allowed": true})), "decides": true},
		"monitor_due", [F, T, T, F, T],
	],
	"ic.mode.terminal_no_followup": [
		both(held("eligible", "terminal_no_followup"), {"turn": "terminal", "gates": {"silent": true}}),
		"terminal_no_followup", [F, F, F, T, F],
	],
	"ic.mode.scoped_user_gate_fallback": [
		both(asked("operator_gate", "operator_gate_notify"), {
			"verdict": {"fallback": {}},
			"final": owes("scoped_user_gate_fallback", {"delivery_allowed": true}),
		}),
		"scoped_user_gate_fallback", [T, T, T, F, T],
	],
	"ic.mode.bounded_delivery_with_user_notice": [
		{"final": {"requires_user_action": true}},
		"bounded_delivery_with_user_notice", [T, T, T, F, T],
	],
	"ic.mode.user_gate": [
		both(asked("operator_gate", "operator_gate_notify"), {"gates": {"notify_gate": true}}),
		"user_gate", [T, F, F, F, F],
	],
	"ic.mode.user_todo_blocker_push": [
		both(asked("waiting", "blocked_wait"), {"gates": {"notify_open_todo": true}}),
		"user_todo_blocker_push", [T, F, F, F, F],
	],
	"ic.mode.user_action_required": [asked("eligible", "quota_skip"), "user_action_required", [T, F, F, F, F]],
	"ic.mode.external_evidence_observation": [
		both(held("waiting", "external_evidence_observe"), {
			"final": owes("external_evidence_observation_required", no_delivery),
			"turn": "external",
		}),
		"external_evidence_observation", [F, T, F, F, T],
	],
	"ic.mode.autonomous_replan": [
		{"final": both({"effective_action": "autonomous_replan_required"}, owes("autonomous_replan_required", {})), "turn": "replan"},
		"autonomous_replan", [F, T, T, F, T],
	],
	"ic.mode.agent_scope": [
		both(held("eligible", "agent_scope_wait"), {"verdict": {"scope_action": "agent_scope_wait"}}),
		"agent_scope_wait", [F, F, F, T, F],
	],
	"ic.mode.monitor_quiet_skip": [held("eligible", "monitor_quiet_skip"), "monitor_quiet_skip", [F, F, F, T, F]],
	"ic.mode.outcome_floor_recovery": [
		{"final": both({"recovery": true, "effective_action": "outcome_floor_recovery"}, owes("outcome_floor_recovery", {"delivery_allowed": true}))},
		"outcome_floor_recovery", [F, T, T, F, T],
	],
	"ic.mode.capability_bridge_repair": [
		{"final": both({"cap_repair": true}, owes("capability_bridge_repair", no_delivery))},
		"capability_bridge_repair", [F, T, F, F, T],
	],
	"ic.mode.boundary_projection_repair": [
		{"final": both(
			{"self_repair": true, "effective_action": "boundary_projection_repair"},
			owes("boundary_projection_repair", no_delivery),
		)},
		"boundary_projection_repair", [F, T, F, F, T],
	],
	"ic.mode.control_plane_self_repair": [
		{"final": {"self_repair": true, "effective_action": "control_plane_health_repair"}},
		"control_plane_self_repair", [F, T, T, F, T],
	],
	"ic.mode.mapped_noop_if_unchanged": [
		{"final": {
			"heartbeat": {"stop_if_unchanged": true},
			"obligation": {"kind": "quiet_noop_if_unchanged", "must_attempt_work": false},
		}},
		"mapped_noop_if_unchanged", [F, F, F, T, F],
	],
	"ic.mode.bounded_delivery": [{}, "bounded_delivery", [F, T, T, F, T]],
	"ic.mode.health_blocked": [
		both(held("blocked_health", "blocked_health"), {"gates": {"silent": true}}),
		"health_blocked", [F, F, F, F, F],
	],
	"ic.mode.quota_throttled": [held("throttled", "throttled_skip"), "quota_throttled", [F, F, F, T, F]],
	"ic.mode.blocked_wait": [held("waiting", "blocked_wait"), "blocked_wait", [F, F, F, T, F]],
	"ic.mode.skip": [held("eligible", "quota_skip"), "skip", [F, F, F, T, F]],
}

test_mode[rule] if {
	some rule, [change, mode, flags] in modes
	got := see(change)
	got.mode_rule == {rule}
	got.contract.mode == mode
	booleans(got.contract) == flags
	got.contract == got.first
	got.contract.cli_channel.spend_allowed_now == false
	got.contract.agent_channel.primary_action != ""
}

same_mode := {
	"successor": [
		{
			"verdict": {"scope_action": "successor_replan_required"},
			"final": both({"effective_action": "successor_replan_required"}, owes("successor_replan_required", no_delivery)),
		},
		"successor_replan_required", [F, T, F, F, T],
	],
	"focus wait": [held("focus_wait", "blocked_wait"), "blocked_wait", [F, F, F, T, F]],
	"gap repair": [
		{"final": both(
			{"self_repair": true, "effective_action": "state_projection_gap_repair"},
			owes("state_projection_gap_repair", no_delivery),
		)},
		"control_plane_self_repair", [F, T, F, F, T],
	],
	"gate without a prompt": [asked("operator_gate", "operator_gate_notify"), "user_gate", [T, F, F, F, F]],
	"vision wait": [
		{"frontier": {"vision_wait": {"state": "waiting"}}},
		"bounded_delivery", [F, F, F, F, T],
	],
	"observation beside an open todo": [
		both(asked("waiting", "external_evidence_observe"), {
			"final": owes("external_evidence_observation_required", no_delivery),
			"gates": {"notify_open_todo": true},
		}),
		"user_todo_blocker_push", [T, F, F, F, F],
	],
}

test_mode_variant[name] if {
	some name, [change, mode, flags] in same_mode
	got := see(change)
	got.contract.mode == mode
	booleans(got.contract) == flags
}

action := {"mine": ["u1"], "class": {"u1": "user_action"}}

only_action := both(action, {"executable": []})

blocker(extra) := {"mine": ["u1"], "class": {"u1": "blocker"}, "todos": {"by_id": {"u1": extra}}}

# name: change, rule, required, notify, non-blocking notice
required_cases := {
	"nothing open": [{}, "ic.user_required.none", F, "DONT_NOTIFY", F],
	"heartbeat asks": [{"final": {"heartbeat": {"notify": "NOTIFY"}}}, "ic.user_required.none", F, "NOTIFY", F],
	"the watching agent": [both(only_action, {"decides": true}), "ic.user_required.silent", F, "DONT_NOTIFY", F],
	"a silent goal": [both(only_action, {"gates": {"silent": true}}), "ic.user_required.silent", F, "DONT_NOTIFY", F],
	"a gate of the agent": [both(only_action, {"gates": {"runtime_gate_repair": true}}), "ic.user_required.silent", F, "DONT_NOTIFY", F],
	"a quiet poll": [both(only_action, held("eligible", "monitor_quiet_skip")), "ic.user_required.silent", F, "DONT_NOTIFY", F],
	"a replan": [{"turn": "replan", "final": {"requires_user_action": true}}, "ic.user_required.replan", F, "DONT_NOTIFY", F],
	"a replan beside an action": [both(action, {"turn": "replan"}), "ic.user_required.replan", F, "NOTIFY", T],
	"a gate": [{"final": {"requires_user_action": true}}, "ic.user_required", T, "NOTIFY", F],
	"a blocker": [blocker({}), "ic.user_required.gating", T, "NOTIFY", F],
	"a blocker that says no": [blocker({"gating": false}), "ic.user_required.none", F, "DONT_NOTIFY", F],
	"a blocker marked as such": [blocker({"non_gating": true}), "ic.user_required.none", F, "DONT_NOTIFY", F],
	"for information": [blocker({"action_kind": "fyi"}), "ic.user_required.none", F, "DONT_NOTIFY", F],
	"an action beside work": [action, "ic.user_required.none", F, "NOTIFY", T],
	"only the action": [only_action, "ic.user_required.action", T, "NOTIFY", F],
	"the action beside a quiet lane": [
		both(only_action, {"final": {"lane": {"lane": "continuous_monitor", "must_attempt_work": false}}}),
		"ic.user_required.none", F, "NOTIFY", T,
	],
	"the action in recovery": [both(only_action, {"final": {"recovery": true}}), "ic.user_required.none", F, "NOTIFY", T],
	"the action in a repair": [both(only_action, {"final": {"self_repair": true}}), "ic.user_required.none", F, "NOTIFY", T],
	"the action beside a successor": [
		both(only_action, {"final": owes("successor_replan_required", no_delivery)}),
		"ic.user_required.none", F, "NOTIFY", T,
	],
	"the action while another agent works": [
		both(only_action, both(held("eligible", "reassignment_required"), {"verdict": {"scope_action": "reassignment_required"}})),
		"ic.user_required.action", T, "NOTIFY", F,
	],
}

test_ic_user_required[name] if {
	some name, [change, rule, required, notify, notice] in required_cases
	got := see(change)
	got.required_rule == {rule}
	got.first.user_channel.action_required == required
	got.first.user_channel.notify == notify
	object.get(got.first.user_channel, "non_blocking", false) == notice
}

test_ic_actions if {
	labels := ["one", "two", "three", "four"]
	see({"final": {"requires_user_action": true}, "gates": {"labels": labels}}).first.user_channel.actions == ["one", "two", "three"]
	see({"final": {"requires_user_action": true}, "gates": {"capability_question": "give"}}).first.user_channel.actions == ["give"]
	asks := {"prompt": "decide", "surface": {"operator_question": "may it"}}
	see({"final": {"requires_user_action": true}, "gates": asks}).first.user_channel.actions == ["decide", "may it"]
	see(both(action, {"gates": {"labels": ["one"]}})).first.user_channel.actions == ["one"]
	see({"gates": {"labels": ["one"]}}).first.user_channel.actions == []
}

test_ic_reason if {
	asked_for := {"final": {"requires_user_action": true}}
	see({}).first.user_channel.reason == "because"
	see(both(asked_for, {"gates": {"reason": "open for you", "prompt": "decide"}})).first.user_channel.reason == "open for you"
	see(both(asked_for, {"gates": {"prompt": "decide"}})).first.user_channel.reason == "decide"
	faulty := see(both(asked_for, {"gates": {"projection_bug": {"message": "asks nothing"}}})).first.user_channel
	[faulty.reason, faulty.actions] == ["asks nothing", ["asks nothing"]]
	see({"final": {"requires_user_action": true, "self_repair": true}, "gates": {"reason": "x"}}).first.user_channel.reason == "because"
}

test_ic_response_plan_only_when_the_agent_waits if {
	see(modes["ic.mode.user_gate"][0]).contract.response_plan.kind == "surface_user_gate"
	not see(modes["ic.mode.bounded_delivery_with_user_notice"][0]).contract.response_plan
	not see({}).contract.response_plan
}

test_ic_fallback_policy[rule] if {
	some rule in [
		"ic.mode.user_gate", "ic.mode.user_todo_blocker_push", "ic.mode.user_action_required",
		"ic.mode.outcome_floor_recovery", "ic.mode.external_evidence_observation", "ic.mode.scoped_user_gate_fallback",
	]
	see(modes[rule][0]).contract.fallback_policy == {"do_not_cancel_on_block": true}
}

test_ic_fallback_policy_beside_a_blocked_priority if {
	see({"hints": {"blocked_priority_fallback": {}}}).contract.fallback_policy.do_not_cancel_on_block
	not see({}).contract.fallback_policy
	not see({"hints": {"blocked_priority_fallback": {}}, "decides": true}).contract.fallback_policy
}

test_ic_mode_user_gate_cooldown_wait if {
	got := see(both(modes["ic.mode.user_gate"][0], {"scheduler": {"cooldown": {"notification_suppressed": true}}}))
	got.first.mode == "user_gate"
	got.contract.mode == "user_gate_cooldown_wait"
	booleans(got.contract) == [F, F, F, T, F]
	got.contract.user_channel.notify == "DONT_NOTIFY"
	got.contract.cli_channel.next_cli_actions == []
	not got.contract.response_plan
	not got.contract.fallback_policy
	due := see(both(modes["ic.mode.user_gate"][0], {"scheduler": {"cooldown": {"notification_suppressed": false}}}))
	due.contract == due.first
}

test_ic_of_a_paused_goal if {
	got := see({"paused": true})
	got.contract.mode == "skip"
	booleans(got.contract) == [F, F, F, T, F]
	got.contract.user_channel.reason == "paused so"
	got.identity == set()
	got.pause_mode == {"quota_paused"}
	see({}).pause_mode == set()
}

test_ic_identity if {
	some identity in see({}).identity
	identity == {
		"goal_id": "g1",
		"agent_identity.agent_id": "agent-a",
		"effective_action": "normal_run",
		"heartbeat_recommendation.recommended_mode": "steering_audit_then_one_step",
		"interaction_contract.mode": "bounded_delivery",
		"recommended_action": "do",
	}
}

test_ic_fired if {
	got := [interaction_contract.fired, interaction_contract.runners] with data.loopx.interaction_contract.mode_row as {
		{"rank": 1, "rule": "a", "value": "m"}, {"rank": 2, "rule": "b", "value": "n"},
	}
		with data.loopx.interaction_contract.required_row as {
			{"rank": 1, "rule": "c", "value": true}, {"rank": 2, "rule": "d", "value": false},
		}
	got[0]["interaction_contract.mode"].rule == "a"
	got[0].requires_user_action.rule == "c"
	got[1]["interaction_contract.mode"].rule == "b"
	got[1].requires_user_action.rule == "d"
}

package loopx.verdict_test

import data.loopx.verdict

both(a, b) := object.union(a, b)

# An eligible goal with an advancement lane.
calm := {
	"turn": {"turn": "normal", "rule": "route.effective_action.normal", "value": "normal_run"},
	"state": "eligible",
	"quota_state": "eligible",
	"blocked": null,
	"eligible": true,
	"delivers": true,
	"blocks": false,
	"gate": {"action": "none"},
	"scope": {},
	"frontier": {},
	"quiet": false,
	"raw": {
		"lane": "advancement_task",
		"next_lane": "advancement_task",
		"obligation": "advance_one_bounded_segment",
		"must_attempt_work": true,
		"action": "advance",
		"reason_codes": ["open_agent_todo"],
	},
	"hint": {"reason": "why repair", "repair_focus": "mend it"},
	"external": {},
	"item": {"recommended_action": "item action"},
	"todos": {"by_id": {"todo_a": {"text": "todo text"}, "todo_m": {"text": "monitor text"}}, "first_adv": "todo_a"},
	"obligation": {"recommended_action": "replan so"},
}

decide(change) := found if {
	w := object.union(calm, change)
	found := {
		"action": verdict.effective_action,
		"rule": verdict.action.rule,
		"decision": verdict.decision,
		"decision_rule": verdict.decision_winner.rule,
		"should_run": verdict.should_run,
		"normal": verdict.normal,
		"actionable": verdict.actionable,
		"bypass": verdict.bypass,
		"bypass_rule": verdict.bypass_winner.rule,
		"lane_rule": verdict.lane_winner.rule,
		"lane": verdict.lane_winner.value,
		"reason": verdict.reason,
		"reason_rule": verdict.reason_winner.rule,
		"text": verdict.recommended_action,
		"text_rule": verdict.action_text_winner.rule,
		"published": {"lane": x | x := verdict.lane},
		"owed": {"observation": x | x := verdict.observation},
		"fired": verdict.fired,
		"runners": verdict.runners,
	} with data.loopx.route.turn as w.turn
		with data.loopx.route.state as w.state
		with data.loopx.route.eligible as w.eligible
		with data.loopx.route.delivers as w.delivers
		with data.loopx.route.gate_blocks as w.blocks
		with data.loopx.quiet as {"holds": w.quiet}
		with data.loopx.agent_scope as w.scope
		with data.loopx.scope_frontier as w.frontier
		with data.loopx.capability_gate as w.gate
		with data.loopx.work_lane_contract as {"raw": w.raw}
		with data.loopx.quota as {"object": {"state": w.quota_state, "blocked_action_scope": w.blocked, "reason": "quota says"}}
		with data.loopx.repair as {"hint": w.hint}
		with data.loopx.external as w.external
		with data.loopx.attention as {"item": w.item}
		with data.loopx.todos as w.todos
		with data.loopx.frontier as {"obligation": w.obligation}
}

turn(kind, action) := {"turn": {"turn": kind, "rule": concat("", ["route.", kind]), "value": action}}

in_state(state, action) := object.union(turn("hold", action), {"state": state, "quota_state": state, "eligible": false})

wait(action) := {"frontier": {"action": action, "frontier": {"reason": "scope says", "recommended_action": "scope action"}}}

fallback := both(in_state("operator_gate", "operator_gate_notify"), {"scope": {"gate_fallback": {"reason": "beside"}}})

stopping(action) := both(turn("hold", "quota_skip"), {"blocks": true, "gate": {"action": action, "gate": {"reason": "gate says"}}})

watching(state) := both(in_state(state, "operator_gate_notify"), {"delivers": false, "blocked": "gated_delivery"})

# name: change, effective action rule, effective action, decision rule, decision, should_run
decisions := {
	"work": [{}, "route.stands", "normal_run", "decision.turn", "run", true],
	"reply": [turn("reply", "lark_inbox_reply_due"), "route.stands", "lark_inbox_reply_due", "decision.turn", "run", true],
	"scope wait": [
		wait("agent_scope_wait"),
		"route.scope_frontier", "agent_scope_wait", "decision.scope", "agent_scope_wait", false,
	],
	"successor": [
		wait("successor_replan_required"),
		"route.scope_frontier", "successor_replan_required", "decision.scope", "successor_replan_required", true,
	],
	"scope before quiet": [
		both(wait("reassignment_required"), {"quiet": true}),
		"route.scope_frontier", "reassignment_required", "decision.scope", "reassignment_required", false,
	],
	"no scope beside a repair": [
		both(wait("agent_scope_wait"), turn("self_repair", "boundary_projection_repair")),
		"route.stands", "boundary_projection_repair", "decision.turn", "self_repair", true,
	],
	"no scope for a watching agent": [both(wait("agent_scope_wait"), {"delivers": false}), "route.stands", "normal_run", "decision.turn", "run", true],
	"quiet": [{"quiet": true}, "route.monitor_quiet.skip", "monitor_quiet_skip", "decision.skip", "skip", false],
	"replan": [
		turn("replan", "autonomous_replan_required"),
		"route.stands", "autonomous_replan_required", "decision.turn", "autonomous_replan_required", true,
	],
	"external": [turn("external", "external_evidence_observe"), "route.stands", "external_evidence_observe", "decision.turn", "observe", false],
	"recovery": [
		both(turn("recovery", "outcome_floor_recovery"), {"state": "focus_wait", "eligible": false}),
		"route.stands", "outcome_floor_recovery", "decision.turn", "safe_bypass_recovery", true,
	],
	"bridge": [
		both(stopping("repair_bridge"), turn("cap_repair", "capability_bridge_repair")),
		"route.stands", "capability_bridge_repair", "decision.turn", "repair_bridge", true,
	],
	"fallback": [fallback, "route.stands", "operator_gate_notify", "scope.fallback_effect", "safe_bypass_user_gate_fallback", false],
	"no fallback for a watching agent": [
		both(fallback, {"delivers": false}),
		"route.stands", "operator_gate_notify", "decision.skip", "skip", false,
	],
	"no fallback outside the gate": [
		both({"scope": {"gate_fallback": {}}}, in_state("throttled", "throttled_skip")),
		"route.stands", "throttled_skip", "decision.skip", "skip", false,
	],
	"throttled": [in_state("throttled", "throttled_skip"), "route.stands", "throttled_skip", "decision.skip", "skip", false],
}

test_decision[name] if {
	some name, [change, rule, action, decision_rule, decision, run] in decisions
	got := decide(change)
	got.rule == rule
	got.action == action
	got.decision_rule == decision_rule
	got.decision == decision
	got.should_run == run
}

test_actionable[name] if {
	some name in ["work", "external", "fallback", "bridge", "successor"]
	decide(decisions[name][0]).actionable
}

test_not_actionable[name] if {
	some name in ["scope wait", "quiet", "throttled"]
	decide(decisions[name][0]).actionable == false
}

test_normal_ends_with_a_wait if {
	decide({}).normal
	decide({"quiet": true}).normal == false
	decide(wait("successor_replan_required")).normal == false
}

bypasses := {
	"repair": [
		both(turn("self_repair", "boundary_projection_repair"), {"hint": {"blocked_action_scope": "boundary_projection"}}),
		"bypass.repair", {"blocked": "boundary_projection", "allowed": false, "kind": null},
	],
	"terminal in a gate": [
		both(in_state("operator_gate", "x"), turn("terminal", "terminal_no_followup")),
		"bypass.terminal", {"blocked": null, "allowed": false, "kind": null},
	],
	"fallback": [fallback, "bypass.fallback", {"blocked": "gated_delivery", "allowed": true, "kind": "scoped_user_gate_fallback"}],
	"watching": [watching("operator_gate"), "workmode.stopped", {"blocked": "gated_delivery", "allowed": false, "kind": null}],
	"gate": [
		in_state("operator_gate", "operator_gate_notify"),
		"gate.bypass", {"blocked": "gated_delivery", "allowed": true, "kind": null},
	],
	"recovery": [
		both(turn("recovery", "outcome_floor_recovery"), {"state": "focus_wait", "quota_state": "focus_wait"}),
		"bypass.recovery", {"blocked": "delivery_outcome_floor", "allowed": true, "kind": "outcome_floor_recovery"},
	],
	"focus wait": [
		both(in_state("focus_wait", "blocked_wait"), {"blocked": "delivery_focus"}),
		"bypass.state", {"blocked": "delivery_focus", "allowed": false, "kind": null},
	],
	"an override leaves the gate's limits": [
		{"quota_state": "operator_gate", "blocked": "gated_delivery"},
		"bypass.none", {"blocked": null, "allowed": false, "kind": null},
	],
}

test_bypass[name] if {
	some name, [change, rule, value] in bypasses
	got := decide(change)
	got.bypass_rule == rule
	got.bypass == value
}

lanes := {
	"as built": [{}, "lane.published", "open_agent_todo", true],
	"recovery": [turn("recovery", "outcome_floor_recovery"), "lane.recovery", null, null],
	"scope": [wait("agent_scope_wait"), "lane.scope_rewrite", "agent_scope_wait", false],
	"scope without attempt": [
		both(wait("agent_scope_wait"), {"raw": {"must_attempt_work": false}}),
		"lane.published", "open_agent_todo", false,
	],
	"successor": [wait("successor_replan_required"), "lane.published", "open_agent_todo", true],
	"throttled": [in_state("throttled", "throttled_skip"), "lane.stopped", "stopped_by_throttled", false],
	"gate": [in_state("operator_gate", "operator_gate_notify"), "lane.stopped", "stopped_by_operator_gate", false],
	"fallback": [fallback, "lane.published", "open_agent_todo", true],
	"observation": [
		both(in_state("waiting", "x"), turn("external", "external_evidence_observe")),
		"lane.published", "open_agent_todo", true,
	],
	"repair outside eligible": [
		both(in_state("waiting", "x"), turn("self_repair", "control_plane_projection_repair")),
		"lane.published", "open_agent_todo", true,
	],
	"owner": [stopping("ask_owner"), "lane.stopped", "stopped_by_ask_owner", false],
	"unsupported": [stopping("skip"), "lane.stopped", "stopped_by_skip", false],
	"bridge": [
		both(stopping("repair_bridge"), turn("cap_repair", "capability_bridge_repair")),
		"lane.published", "open_agent_todo", true,
	],
}

test_lane[name] if {
	some name, [change, rule, code, must] in lanes
	got := decide(change)
	got.lane_rule == rule
	lane := {true: {}, false: got.lane}[got.lane == null]
	object.get(lane, "must_attempt_work", null) == must
	object.get(lane, "reason_codes", [null])[minus_one(object.get(lane, "reason_codes", [null]))] == code
}

minus_one(list) := count(list) - 1

test_lane_recovery_publishes_none if {
	decide(turn("recovery", "outcome_floor_recovery")).published == {}
	decide({}).published.lane.lane == "advancement_task"
}

test_lane_scope_rewrite_keeps_what_it_defers if {
	lane := decide(wait("agent_scope_wait")).lane
	lane.lane == "agent_scope_wait"
	lane.next_lane == "advancement_task"
	lane.obligation == "wait_for_current_agent_or_unclaimed_advancement"
	lane.blocked_by_agent_scope
	lane.agent_scope_action == "agent_scope_wait"
	lane.deferred_work_lane.obligation == "advance_one_bounded_segment"
	lane.reason_codes == ["open_agent_todo", "agent_scope_no_current_runnable_candidate", "agent_scope_wait"]
}

reasons := {
	"repair": [turn("self_repair", "boundary_projection_repair"), "route.reason.repair", "why repair"],
	"scope": [wait("agent_scope_wait"), "route.reason.scope", "scope says"],
	"capability": [stopping("ask_owner"), "route.reason.capability", "gate says"],
	"override": [{"scope": {"override": {"gate": {"reason": "others wait"}}}}, "route.reason.override", "others wait"],
	"state": [{}, "route.reason.state", "quota says"],
}

test_reason[name] if {
	some name, [change, rule, text] in reasons
	got := decide(change)
	got.reason_rule == rule
	got.reason == text
}

test_route_reason_of_the_action if {
	got := decide({"quiet": true})
	got.reason_rule == "route.reason"
	got.reason != "quota says"
}

texts := {
	"scope": [wait("agent_scope_wait"), "select.recommended.frontier", "scope action"],
	"reply": [turn("reply", "lark_inbox_reply_due"), "select.recommended.reply", "advance"],
	"repair": [turn("self_repair", "boundary_projection_repair"), "select.recommended.repair", "mend it"],
	"replan": [turn("replan", "autonomous_replan_required"), "select.recommended.replan", "replan so"],
	"agent": [{"scope": {"next_action": {"text": "mine"}}}, "select.recommended.agent_lane", "mine"],
	"scope before agent": [
		both(wait("agent_scope_wait"), {"scope": {"next_action": {"text": "mine"}}}),
		"select.recommended.frontier", "scope action",
	],
	"gate": [stopping("ask_owner"), "select.recommended.capability", "gate says"],
	"quiet": [both({"quiet": true}, {"raw": {"must_attempt_work": false}}), "select.recommended.lane", "advance"],
	"first todo": [{}, "select.recommended.todo", "todo text"],
	"lane todo": [{"raw": {"selected_todo_id": "todo_m"}}, "select.recommended.todo", "monitor text"],
	"item": [{"raw": {"must_attempt_work": false}}, "select.recommended.item", "item action"],
}

test_recommended_action[name] if {
	some name, [change, rule, text] in texts
	got := decide(change)
	got.text_rule == rule
	got.text == text
}

test_select_recommended_none if {
	got := verdict.action_text_winner with data.loopx.attention as {"item": {}}
		with data.loopx.route.turn as {"turn": "normal", "value": "normal_run"}
		with data.loopx.route.gate_blocks as false
		with data.loopx.agent_scope as {}
		with data.loopx.work_lane_contract as {}
		with data.loopx.scope_frontier as {}
		with data.loopx.quiet as {"holds": false}
		with data.loopx.todos as {"by_id": {}}
	got.rule == "select.recommended.none"
	got.value == null
}

test_observation_belongs_to_its_turn if {
	seen := {"external": {"obligation": {"required": true}}}
	decide(both(seen, turn("external", "external_evidence_observe"))).owed == {"observation": {"required": true}}
	decide(seen).owed == {}
}

test_fired_names_the_last_word if {
	decide({}).fired.effective_action.rule == "route.effective_action.normal"
	decide({"quiet": true}).fired.effective_action.rule == "route.monitor_quiet.skip"
	decide({"quiet": true}).runners.effective_action.rule == "route.stands"
	decide({}).runners.decision.rule == "decision.skip"
}

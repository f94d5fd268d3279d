package loopx.repair_test

import data.loopx.repair
import data.loopx.testing

# What the earlier packages say; each case changes some of it.
world := {
	"self_repair": {"enabled": true, "allow_health_blocker_repair": true, "allow_waiting_projection_repair": true},
	"state": "eligible",
	"waiting_on": "codex",
	"health": {"ok": true, "items": []},
	"item": {},
	"next_actions": [],
	"user_open": set(),
	"agent_open": {"t1"},
	"selectable": {"t1"},
	"gates": set(),
	"by_id": {"t1": {"id": "t1", "status": "open"}},
	"boundary": {},
	"facts": testing.team({}),
}

in_world(change) := object.union(world, change)

outcome(change) := {"hint": hint, "rule": rule} if {
	w := in_world(change)
	attention := object.filter(w, ["waiting_on", "item", "next_actions"])
	todos := object.filter(w, ["user_open", "agent_open", "selectable", "gates", "by_id"])
	hint := [found | found := repair.hint] with input as w.facts
		with data.loopx.goal.self_repair as w.self_repair
		with data.loopx.agent_scope as {"state": w.state}
		with data.loopx.health as w.health
		with data.loopx.attention as attention
		with data.loopx.todos as todos
		with data.loopx.boundary as w.boundary
	rule := [found | found := repair.fired.stall_self_repair.rule] with input as w.facts
		with data.loopx.goal.self_repair as w.self_repair
		with data.loopx.agent_scope as {"state": w.state}
		with data.loopx.health as w.health
		with data.loopx.attention as attention
		with data.loopx.todos as todos
		with data.loopx.boundary as w.boundary
}

hint(change) := outcome(change).hint

rule(change) := outcome(change).rule

off := {"enabled": false, "allow_health_blocker_repair": true, "allow_waiting_projection_repair": true}

sick := {"health": {"ok": false, "items": [{"code": "a"}, {"code": "b"}, {"code": "c"}, {"code": "d"}]}}

lost := {"state": "waiting", "waiting_on": "none", "item": {"recommended_action": "Go on."}}

gapped := {"agent_open": set(), "user_open": set(), "next_actions": ["Run the eval."]}

scope(granularity, key) := {"kind": "direction", "granularity": granularity, "key": key}

# An open todo that needs a decision on the api of the goal.
needs := {"by_id": {"t1": {"id": "t1", "status": "open", "required_decision_scopes": [scope("goal", "api")]}}}

gate(change) := object.union({"id": "g1", "status": "open", "action_kind": "rebuild_index"}, change)

# An open gate of the caller's own todo that needs capabilities.
gated(change, todo) := {
	"gates": {"g1"},
	"user_open": {"g1"},
	"by_id": {
		"g1": gate(object.union({"unblocks_todo_id": "t1"}, change)),
		"t1": object.union({"id": "t1", "claimed_by": "agent-a", "required_capabilities": ["shell"]}, todo),
	},
}

cases := {
	"nothing to repair": {"change": {}, "want": []},
	"boundary": {"change": {"boundary": {"repair": {"trigger": "b"}}}, "want": ["repair.boundary"]},
	"boundary needs no opt-in": {
		"change": {"boundary": {"repair": {"trigger": "b"}}, "self_repair": off},
		"want": ["repair.boundary"],
	},
	"boundary stands above the gap": {
		"change": object.union(gapped, {"boundary": {"repair": {"trigger": "b"}}}),
		"want": ["repair.boundary"],
	},
	"gap": {"change": gapped, "want": ["repair.gap"]},
	"gap without opt-in": {"change": object.union(gapped, {"self_repair": off}), "want": []},
	"gap while gated": {"change": object.union(gapped, {"state": "operator_gate"}), "want": []},
	"gap while unhealthy": {"change": object.union_n([gapped, sick, {"self_repair": {"allow_health_blocker_repair": false}}]), "want": []},
	"gap with a user todo": {"change": object.union(gapped, {"user_open": {"u1"}}), "want": []},
	"user gap with an agent todo": {"change": {"next_actions": ["Blocked on owner approval."]}, "want": []},
	"decision without an answer": {"change": needs, "want": ["repair.decision_scope"]},
	"decision without opt-in": {"change": object.union(needs, {"self_repair": off}), "want": []},
	"decision while throttled": {"change": object.union(needs, {"state": "throttled"}), "want": []},
	"decision of another agent": {"change": object.union(needs, {"selectable": set()}), "want": []},
	"gate that runs": {"change": gated({}, {}), "want": ["repair.runtime_gate"]},
	"gate that runs, unscoped": {"change": object.union(gated({}, {}), {"facts": {"request": {"agent_id": ""}}}), "want": []},
	"gate that runs, no opt-in": {"change": object.union(gated({}, {}), {"self_repair": off}), "want": []},
	"gate that runs while gated": {"change": object.union(gated({}, {}), {"state": "operator_gate"}), "want": []},
	"gate that asks": {"change": gated({"action_kind": "approve_plan"}, {}), "want": []},
	"gate with a scope": {"change": gated({"decision_scope": scope("goal", "api")}, {}), "want": []},
	"gate of everybody": {"change": gated({"global_gate": true}, {}), "want": []},
	"gate of another todo": {"change": gated({"unblocks_todo_id": "t9"}, {}), "want": []},
	"gate of another agent's todo": {"change": gated({}, {"claimed_by": "agent-b"}), "want": []},
	"gate of a todo without capabilities": {"change": gated({}, {"required_capabilities": []}), "want": []},
	"gate of a todo with a missing capability": {"change": gated({}, {"required_capabilities": ["shell", "gpu"]}), "want": []},
	"health": {"change": sick, "want": ["repair.health"]},
	"health without opt-in": {"change": object.union(sick, {"self_repair": off}), "want": []},
	"health not allowed": {
		"change": object.union(sick, {"self_repair": {"allow_health_blocker_repair": false}}),
		"want": [],
	},
	"health before waiting": {"change": object.union(sick, lost), "want": ["repair.health"]},
	"waiting for nobody": {"change": lost, "want": ["repair.waiting"]},
	"waiting for nobody known": {"change": object.union(lost, {"waiting_on": "unknown"}), "want": ["repair.waiting"]},
	"waiting without opt-in": {"change": object.union(lost, {"self_repair": off}), "want": []},
	"waiting not allowed": {
		"change": object.union(lost, {"self_repair": {"allow_waiting_projection_repair": false}}),
		"want": [],
	},
	"waiting for evidence": {"change": object.union(lost, {"waiting_on": "external_evidence"}), "want": []},
	"eligible for nobody": {"change": object.union(lost, {"state": "eligible"}), "want": []},
	"waiting with a user todo": {"change": object.union(lost, {"user_open": {"u1"}}), "want": []},
	"waiting with only an agent todo": {
		"change": {"state": "waiting", "waiting_on": "none", "item": {}},
		"want": ["repair.waiting"],
	},
	"waiting with nothing at all": {
		"change": {"state": "waiting", "waiting_on": "none", "item": {}, "agent_open": set()},
		"want": [],
	},
}

test_repair[name] if {
	some name, case in cases
	rule(case.change) == case.want
	count(hint(case.change)) == count(case.want)
}

hint_cases := {
	"gap": {"change": gapped, "want": ["state_projection_gap", "repair_state_projection_gap", "state_projection_gap_repair"]},
	"decision": {
		"change": needs,
		"want": [
			"required_decision_scope_projection_drift",
			"repair_required_decision_scope_projection",
			"todo_decision_scope_projection_repair",
		],
	},
	"runtime gate": {
		"change": gated({}, {}),
		"want": [
			"runtime_capability_user_gate_overreach",
			"repair_user_gate_projection",
			"runtime_user_gate_projection_repair",
		],
	},
	"health": {"change": sick, "want": ["health_blocker", "repair_control_plane_health", "control_plane_health_repair"]},
	"waiting": {
		"change": lost,
		"want": ["waiting_without_owner_projection", "repair_waiting_projection", "control_plane_projection_repair"],
	},
}

test_repair_hint[name] if {
	some name, case in hint_cases
	got := hint(case.change)[0]
	[got.trigger, got.recommended_mode, got.effective_action] == case.want
	got.allowed
	got.notify == "DONT_NOTIFY"
	got.control_plane.self_repair.enabled
	every key in ["source", "reason", "repair_focus", "spend_policy"] { got[key] != "" }
}

test_repair_hint_of_the_boundary_is_its_own if {
	got := hint({"boundary": {"repair": {"trigger": "b", "missing_write_scopes": ["x/**"]}}})[0]
	got.trigger == "b"
	got.missing_write_scopes == ["x/**"]
	got.allowed
}

test_repair_health_lists_three_items if {
	[item.code | some item in hint(sick)[0].blocking_health_items] == ["a", "b", "c"]
}

test_repair_hint_scopes if {
	hint(needs)[0].blocked_action_scope == "todo_decision_scope_projection"
	hint(gated({}, {}))[0].blocked_action_scope == "user_gate_projection"
	hint(gated({}, {}))[0].consistency.gate_todo_ids == ["g1"]
}

test_repair_runner_up if {
	got := repair.runners with input as testing.team({})
		with data.loopx.goal.self_repair as world.self_repair
		with data.loopx.agent_scope as {"state": "waiting"}
		with data.loopx.health as sick.health
		with data.loopx.attention as {"waiting_on": "none", "item": {}, "next_actions": []}
		with data.loopx.todos as object.filter(world, ["user_open", "agent_open", "selectable", "gates", "by_id"])
		with data.loopx.boundary as {}
	got.stall_self_repair.rule == "repair.waiting"
}

test_repair_fired_is_empty_without_a_hint if rule({}) == []

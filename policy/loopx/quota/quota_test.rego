package loopx.quota_test

import data.loopx.quota
import data.loopx.testing

no_todos := {"gates": set(), "contract_errors": set(), "agent_open": set(), "selectable": set(), "class": {}}

goal_with(change) := testing.facts({"goal": change})

finding := {"code": "c", "scope": "goal", "goal_id": "g1", "message": "m"}

spent_out := {
	"goal": {"quota": {"allowed_slots": 2}},
	"ledger": {"rows": [{"kind": "spend", "at": "x", "at_ns": testing.now_ns - testing.hour, "key": "k", "slots": 2}]},
}

run(classification, change) := {"status_run": testing.run(5, classification, change)}

state_cases := {
	"stopped before all": {
		"facts": {"goal": {"activation": "stopped", "quota": {"compute": 0}}, "findings": [finding]},
		"want": ["state.stopped", "paused"],
	},
	"no share before health": {
		"facts": {"goal": {"quota": {"compute": 0}, "waiting_on": "controller"}, "findings": [finding]},
		"want": ["state.compute_zero", "paused"],
	},
	"rounded to nothing": {"facts": {"goal": {"quota": {"compute": 0.004}}}, "want": ["state.compute_zero", "paused"]},
	"finding before a gate": {
		"facts": {"goal": {"waiting_on": "controller"}, "findings": [finding]},
		"want": ["state.health", "blocked_health"],
	},
	"severity high": {"facts": run("blocked_by_safety", {}), "want": ["state.health", "blocked_health"]},
	"gate of the controller before throttle": {
		"facts": object.union(spent_out, {"goal": {"waiting_on": "controller"}}),
		"want": ["state.gate", "operator_gate"],
	},
	"gate of the user": {"facts": {"goal": {"waiting_on": "user_or_controller"}}, "want": ["state.gate", "operator_gate"]},
	"evidence before throttle": {
		"facts": object.union(spent_out, {"goal": {"waiting_on": "external_evidence"}}),
		"want": ["state.evidence", "waiting"],
	},
	"focus by status before throttle": {
		"facts": object.union(spent_out, run("Continuation_Boundary", {})),
		"want": ["state.focus", "focus_wait"],
	},
	"focus by phase": {"facts": run("x", {"lifecycle_phase": "focus_wait"}), "want": ["state.focus", "focus_wait"]},
	"focus by flag": {
		"facts": run("x", {"lifecycle_phase": "mapped", "lifecycle_flags": ["a", "FOCUS_WAIT"]}),
		"want": ["state.focus", "focus_wait"],
	},
	"focus marker of a goal that waits": {
		"facts": {"goal": {"waiting_on": "external_evidence", "lifecycle_phase": "focus_wait"}},
		"want": ["state.evidence", "waiting"],
	},
	"focus marker of nobody": {
		"facts": object.union(run("continuation_boundary", {}), {"goal": {"adapter_status": "draft"}}),
		"want": ["state.idle", "waiting"],
	},
	"spent out": {"facts": spent_out, "want": ["state.throttled", "throttled"]},
	"nothing allowed is throttled": {
		"facts": {"goal": {"quota": {"allowed_slots": 0}}},
		"want": ["state.throttled", "throttled"],
	},
	"last slot is free": {
		"facts": object.union(spent_out, {"goal": {"quota": {"allowed_slots": 3}}}),
		"want": ["state.eligible", "eligible"],
	},
	"free": {"facts": {}, "want": ["state.eligible", "eligible"]},
	"nobody": {
		"facts": object.union(run("odd", {}), {"goal": {"adapter_status": "draft"}}),
		"want": ["state.idle", "waiting"],
	},
}

test_state[name] if {
	some name, case in state_cases
	facts := testing.facts(case.facts)
	got := [quota.base.rule, quota.base.value] with input as facts with data.loopx.todos as no_todos
	got == case.want
	pauses := case.want[1] == "paused"
	quota.paused == pauses with input as facts with data.loopx.todos as no_todos
	quota.state == case.want[1] with input as facts with data.loopx.todos as no_todos
}

test_state_gate_of_an_open_todo if {
	gates := object.union(no_todos, {"gates": {"todo_gate"}})
	quota.state == "operator_gate" with input as testing.base with data.loopx.todos as gates
}

test_state_explains_itself if {
	fired := quota.fired with input as testing.base with data.loopx.todos as no_todos
	fired.state.rule == "state.eligible"
	runners := quota.runners with input as testing.base with data.loopx.todos as no_todos
	runners.state.rule == "state.idle"
}

object_cases := {
	"eligible": {
		"facts": {},
		"want": {"state": "eligible", "blocked_action_scope": null, "safe_bypass_allowed": false, "safe_bypass_kind": null},
		"absent": ["pause_cause", "focus_wait", "safe_bypass_policy", "goal_activation_state", "must_advance"],
	},
	"stopped": {
		"facts": {"goal": {"activation": "stopped"}},
		"want": {
			"state": "paused",
			"pause_cause": "goal_stopped",
			"goal_activation_state": "stopped",
			"blocked_action_scope": "automatic_agent_turns",
			"compute": 0,
			"allowed_slots": 0,
			"configured_compute": 1,
			"configured_allowed_slots": 1440,
		},
		"absent": ["safe_bypass_policy"],
	},
	"no share": {
		"facts": {"goal": {"quota": {"compute": 0}}},
		"want": {"state": "paused", "pause_cause": "compute_quota_zero", "blocked_action_scope": null, "allowed_slots": 0},
		"absent": ["goal_activation_state", "configured_compute"],
	},
	"gate": {
		"facts": {"goal": {"waiting_on": "controller"}},
		"want": {"blocked_action_scope": "gated_delivery", "safe_bypass_allowed": true, "safe_bypass_kind": null},
		"absent": ["focus_wait"],
	},
	"focus": {
		"facts": run("focus_wait", {}),
		"want": {"blocked_action_scope": "delivery_focus", "focus_wait": true, "safe_bypass_allowed": false},
		"absent": ["handoff_outcome_floor_block"],
	},
}

test_quota_object[name] if {
	some name, case in object_cases
	got := quota.object with input as testing.facts(case.facts) with data.loopx.todos as no_todos
	every key, value in case.want { got[key] == value }
	every key in case.absent { not key in object.keys(got) }
}

test_quota_gate_policy_is_text if {
	got := quota.object with input as goal_with({"waiting_on": "controller"}) with data.loopx.todos as no_todos
	got.safe_bypass_policy != ""
}

reason_cases := {
	"eligible": {"facts": {}, "want": ["1 compute", "0/1440", "eligible"]},
	"throttled": {"facts": spent_out, "want": ["2/2", "throttled"]},
	"gate": {"facts": {"goal": {"waiting_on": "controller"}}, "want": ["operator gate"]},
	"half share": {"facts": {"goal": {"quota": {"compute": 0.5, "slot_minutes": 5}}}, "want": ["0.5 compute", "0/144 slots of 5 min"]},
}

test_quota_reason[name] if {
	some name, case in reason_cases
	got := quota.object with input as testing.facts(case.facts) with data.loopx.todos as no_todos
	every part in case.want { contains(got.reason, part) }
}

next_cases := {
	"throttled": {"facts": spent_out, "want": "2026-08-21T11:00:01+00:00"},
	"throttled ignores the registry": {
		"facts": object.union(spent_out, {"goal": {"quota": {"next_eligible_at": "2026-09-01T00:00:00Z"}}}),
		"want": "2026-08-21T11:00:01+00:00",
	},
	"no slots": {"facts": {"goal": {"quota": {"allowed_slots": 0, "next_eligible_at": "x"}}}, "want": null},
	"paused": {"facts": {"goal": {"quota": {"compute": 0, "allowed_slots": 5, "next_eligible_at": "x"}}}, "want": null},
	"eligible passes it through": {
		"facts": {"goal": {"quota": {"next_eligible_at": "2026-09-01T00:00:00Z"}}},
		"want": "2026-09-01T00:00:00Z",
	},
	"gated passes it through": {
		"facts": {"goal": {"waiting_on": "controller", "quota": {"next_eligible_at": "2026-09-01T00:00:00Z"}}},
		"want": "2026-09-01T00:00:00Z",
	},
	"nothing to pass": {"facts": {}, "want": null},
	"in the caller's offset": {
		"facts": object.union(spent_out, {"now": "2026-08-20T20:00:00+08:00"}),
		"want": "2026-08-21T19:00:01+08:00",
	},
}

test_quota_next_eligible[name] if {
	some name, case in next_cases
	quota.next_eligible_at == case.want with input as testing.facts(case.facts) with data.loopx.todos as no_todos
}

test_quota_passes_the_share_through if {
	facts := testing.facts(spent_out)
	quota.spent == 2 with input as facts with data.loopx.todos as no_todos
	quota.allowed == 2 with input as facts with data.loopx.todos as no_todos
	count(quota.time_edges) == 1 with input as facts with data.loopx.todos as no_todos
	ahead := testing.facts({"ledger": {"rows": [{
		"kind": "spend",
		"at": "x",
		"at_ns": testing.now_ns + testing.hour,
		"key": "k",
		"slots": 2,
	}]}})
	quota.clock_skew_warning.count == 1 with input as ahead with data.loopx.todos as no_todos
}

package loopx.quota_test

import data.loopx.quota
import data.loopx.testing

surface(minutes) := testing.run(minutes, "summary_refreshed", {"delivery_outcome": "surface_only"})

# Three surface turns after a hand-off.
held := {"runs": [surface(10), surface(20), surface(30), testing.run(60, "operator_gate_approved", {})]}

floor_cases := {
	"three turns": {"facts": held, "want": "floor.block"},
	"two turns": {"facts": {"runs": [surface(10), surface(20)]}, "want": "floor.none"},
	"own threshold": {
		"facts": {"runs": [surface(10), surface(20)], "goal": {"execution_profile": profile({"surface_streak_threshold": 2})}},
		"want": "floor.block",
	},
	"threshold of nothing needs a streak": {
		"facts": {"goal": {"execution_profile": profile({"surface_streak_threshold": 0})}},
		"want": "floor.none",
	},
	"no delivery": {"facts": object.union(held, {"goal": {"adapter_status": "connected"}}), "want": "floor.none"},
	"delivery by profile": {
		"facts": object.union(held, {"goal": {"adapter_status": "connected", "execution_profile": profile({})}, "status_run": surface(10)}),
		"want": "floor.block",
	},
	"another owner": {"facts": object.union(held, {"goal": {"waiting_on": "controller"}}), "want": "floor.none"},
	"focus already": {"facts": object.union(held, run("focus_wait", {})), "want": "floor.block"},
	"throttled": {"facts": object.union(held, spent_out), "want": "floor.none"},
	"paused": {"facts": object.union(held, {"goal": {"quota": {"compute": 0}}}), "want": "floor.none"},
	"unhealthy": {"facts": object.union(held, {"findings": [finding]}), "want": "floor.none"},
}

profile(floor) := {"outcome_floor": object.union({"outcome_markers": [], "surface_only_hints": []}, floor)}

test_floor[name] if {
	some name, case in floor_cases
	facts := testing.facts(case.facts)
	quota.floor_winner.rule == case.want with input as facts with data.loopx.todos as no_todos
	blocks := case.want == "floor.block"
	quota.floor.block == blocks with input as facts with data.loopx.todos as no_todos
}

test_state_floor_holds_the_goal if {
	got := quota.object with input as testing.facts(held) with data.loopx.todos as no_todos
	got.state == "focus_wait"
	got.focus_wait
	got.handoff_outcome_floor_block
	got.blocked_action_scope == "delivery_outcome_floor"
	got.post_handoff_outcome_gap_streak == 3
	got.outcome_gap_threshold == 3
	got.must_advance == ["primary_goal_outcome"]
	got.avoid == ["surface_only_progress_loop"]
	fired := quota.fired with input as testing.facts(held) with data.loopx.todos as no_todos
	fired.state.rule == "floor.block"
}

test_floor_recovery_allows_one_turn if {
	got := quota.object with input as testing.facts(held) with data.loopx.todos as no_todos
	got.safe_bypass_allowed
	got.safe_bypass_kind == "outcome_floor_recovery"
	got.safe_bypass_policy != ""
	quota.floor == {"block": true, "recovery": true, "projected": false} with input as testing.facts(held)
		with data.loopx.todos as no_todos
}

test_floor_recovery_needs_something_to_advance if {
	facts := testing.facts(object.union(held, {"goal": {"execution_profile": profile({"must_advance": []})}}))
	quota.floor == {"block": true, "recovery": false, "projected": false} with input as facts
		with data.loopx.todos as no_todos
	quota.object.safe_bypass_allowed == false with input as facts with data.loopx.todos as no_todos
}

open_todos(class, change) := object.union(
	{
		"gates": set(),
		"contract_errors": set(),
		"agent_open": object.keys(class),
		"selectable": object.keys(class),
		"class": class,
	},
	change,
)

projected_cases := {
	"a blocker": {"todos": open_todos({"a": "blocker"}, {}), "want": true},
	"a blocker and a monitor": {"todos": open_todos({"a": "blocker", "b": "continuous_monitor"}, {}), "want": true},
	"a blocker and work": {"todos": open_todos({"a": "blocker", "b": "advancement_task"}, {}), "want": false},
	"a blocker and runnable work": {"todos": open_todos({"a": "blocker"}, {"first_adv": "b"}), "want": false},
	"no blocker": {"todos": open_todos({"b": "continuous_monitor"}, {}), "want": false},
	"a blocker of another agent": {"todos": open_todos({"a": "blocker"}, {"selectable": set()}), "want": false},
	"nothing open": {"todos": open_todos({}, {}), "want": false},
}

test_floor_projected[name] if {
	some name, case in projected_cases
	facts := testing.facts(held)
	quota.floor.projected == case.want with input as facts with data.loopx.todos as case.todos
	recovers := case.want == false
	quota.floor.recovery == recovers with input as facts with data.loopx.todos as case.todos
	got := quota.object with input as facts with data.loopx.todos as case.todos
	got.safe_bypass_allowed == recovers
	object.get(got, "outcome_floor_blocker_projected", false) == case.want
}

test_floor_projected_only_under_the_floor if {
	quota.floor == {"block": false, "recovery": false, "projected": false} with input as testing.base
		with data.loopx.todos as open_todos({"a": "blocker"}, {})
}

package loopx.quiet_test

import data.loopx.quiet

mode := "monitor_quiet_until_material_transition"

waits := {"obligation": "quiet_until_material_monitor_transition", "must_attempt_work": false}

# route.monitor_quiet and route.monitor_quiet.lane
cases := {
	"quiet": {"turn": "normal", "lane": waits, "mode": mode, "ready": [], "want": [true, true]},
	"a deferred todo may wake": {"turn": "normal", "lane": waits, "mode": mode, "ready": ["t"], "want": [true, false]},
	"no agent to wake": {"scoped": false, "turn": "normal", "lane": waits, "mode": mode, "ready": ["t"], "want": [true, true]},
	"no delivery": {"turn": "hold", "lane": waits, "mode": mode, "ready": [], "want": [false, false]},
	"another lane": {
		"turn": "normal",
		"lane": {"obligation": "attempt_due_monitor", "must_attempt_work": false},
		"mode": mode,
		"ready": [],
		"want": [false, false],
	},
	"a lane that must be attempted": {
		"turn": "normal",
		"lane": object.union(waits, {"must_attempt_work": true}),
		"mode": mode,
		"ready": [],
		"want": [false, false],
	},
	"a command": {"turn": "normal", "lane": waits, "mode": "run_agent_command", "ready": [], "want": [false, false]},
}

test_route_monitor_quiet[name] if {
	some name, case in cases
	got := [quiet.holds_apart_from_deferred, quiet.holds] with data.loopx.route.turn as {"turn": case.turn}
		with data.loopx.work_lane_contract as {"raw": case.lane}
		with data.loopx.heartbeat.base as {"recommended_mode": case.mode}
		with data.loopx.todos as {"deferred_ready_mine": case.ready}
		with data.loopx.request as {"scoped": object.get(case, "scoped", true)}
	got == case.want
}

package loopx.liveness_test

import data.loopx.liveness

live(case) := found if {
	w := object.union(
		{
			"turn": "normal",
			"final": {"effective_action": "normal_run", "self_repair": false, "heartbeat": {"recommended_mode": "x"}, "obligation": {"must_attempt_work": false}},
			"scope": {},
			"replan": {"trigger_count": 2, "stall_threshold": 2},
			"idle": 0,
		},
		case,
	)
	found := {"rule": liveness.winner.rule, "value": liveness.automation_liveness, "fired": liveness.fired, "runners": liveness.runners} with data.loopx.work_mode as {"final": w.final}
		with data.loopx.route.turn as {"turn": w.turn, "value": "x"}
		with data.loopx.verdict as w.scope
		with data.loopx.frontier as {"obligation": w.replan, "idle_turns": w.idle}
}

does(action) := {"final": {"effective_action": action}}

repairing := {"turn": "self_repair", "final": {"self_repair": true, "obligation": {"must_attempt_work": true}}}

both(a, b) := object.union(a, b)

cases := {
	"watching": [does("agent_monitor_only"), "live.monitor_only", "keep_active_monitor_only", true, false],
	"closed": [does("terminal_no_followup"), "live.terminal", "stop_terminal_no_followup", false, true],
	"quiet": [does("monitor_quiet_skip"), "live.quiet", "keep_active_quiet", true, false],
	"quiet mode": [
		{"final": {"heartbeat": {"recommended_mode": "outcome_floor_blocker_projected_noop"}}},
		"live.quiet", "keep_active_quiet", true, false,
	],
	"stuck replan": [
		{"turn": "replan", "replan": {"trigger_count": 4}, "final": {"obligation": {"must_attempt_work": true}}},
		"live.stuck", "execute_bounded_work", true, true,
	],
	"replan": [
		{"turn": "replan", "replan": {"trigger_count": 3}, "final": {"obligation": {"must_attempt_work": true}}},
		"live.work", "execute_bounded_work", true, false,
	],
	"a replan that is not selected": [{"replan": {"trigger_count": 9}}, "live.default", "keep_active", true, false],
	"stuck repair": [both(repairing, {"idle": 2}), "live.stuck", "execute_bounded_work", true, true],
	"repair after one idle turn": [both(repairing, {"idle": 1}), "live.work", "execute_bounded_work", true, false],
	"idle turns without a repair": [{"idle": 9}, "live.default", "keep_active", true, false],
	"successor": [
		{"scope": {"scope_action": "successor_replan_required"}, "final": {"obligation": {"must_attempt_work": true}}},
		"live.successor", "execute_bounded_work", true, false,
	],
	"scope wait": [{"scope": {"scope_action": "agent_scope_wait"}}, "live.scope", "keep_active_quiet", true, false],
	"work": [{"final": {"obligation": {"must_attempt_work": true}}}, "live.work", "execute_bounded_work", true, false],
	"mapped": [{"final": {"heartbeat": {"stop_if_unchanged": true}}}, "live.mapped", "keep_active_noop_if_unchanged", true, false],
	"otherwise": [{}, "live.default", "keep_active", true, false],
}

test_liveness[name] if {
	some name, [change, rule, action, keep, pause] in cases
	got := live(change)
	got.rule == rule
	got.value.automation_action == action
	got.value.keep_active == keep
	got.value.pause_allowed == pause
	got.fired.automation_liveness.rule == rule
}

test_liveness_runner_up if live(does("monitor_quiet_skip")).runners.automation_liveness.rule == "live.default"

# live.stopped and live.paused
pauses := {"goal_stopped": "stop_goal_stopped", "compute_quota_zero": "stop_quota_paused"}

test_liveness_of_a_paused_goal[cause] if {
	some cause, action in pauses
	got := liveness.paused with data.loopx.quota as {"object": {"pause_cause": cause}}
	got.automation_action == action
	got.keep_active == false
	got.pause_allowed
}

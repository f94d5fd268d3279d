package loopx.invariants_test

import data.loopx.invariants

quiet := {
	"should_run": false,
	"state": "throttled",
	"effective_action": "throttled_skip",
	"normal_delivery_allowed": false,
	"recovery_delivery_allowed": false,
	"self_repair_allowed": false,
	"safe_bypass_allowed": false,
	"heartbeat_recommendation": {"notify": "DONT_NOTIFY", "agent_must_attempt": false},
	"execution_obligation": {"must_attempt_work": false},
	"scheduler_hint": {"action": "backoff_until_state_change"},
	"interaction_contract": {
		"user_channel": {"action_required": false, "notify": "DONT_NOTIFY"},
		"agent_channel": {"must_attempt": false, "delivery_allowed": false, "quiet_noop_allowed": true},
		"cli_channel": {"spend_allowed_now": false},
	},
}

work := object.union(quiet, {
	"should_run": true,
	"state": "eligible",
	"effective_action": "normal_run",
	"normal_delivery_allowed": true,
	"heartbeat_recommendation": {"agent_must_attempt": true},
	"execution_obligation": {"must_attempt_work": true},
	"scheduler_hint": {"action": "run_now"},
	"interaction_contract": {"agent_channel": {"must_attempt": true, "delivery_allowed": true, "quiet_noop_allowed": false}},
})

paused := object.union(quiet, {"state": "paused", "effective_action": "quota_skip"})

closed := object.union(quiet, {"state": "eligible", "effective_action": "terminal_no_followup"})

fallback := {"scoped_user_gate_fallback": {}}

broken(base, change) := {v.rule | some v in found} if {
	found := invariants.violations with input as {"decision": object.union(base, change)}
}

sound := {
	"throttled": [quiet, {}],
	"work": [work, {}],
	"paused": [paused, {}],
	"closed": [closed, {}],
	"recovery outside eligible": [work, {
		"state": "focus_wait",
		"normal_delivery_allowed": false,
		"recovery_delivery_allowed": true,
	}],
	"opt-in repair while waiting": [work, {
		"state": "waiting",
		"normal_delivery_allowed": false,
		"self_repair_allowed": true,
		"effective_action": "control_plane_projection_repair",
	}],
	"scoped gate fallback": [work, {
		"should_run": false,
		"state": "operator_gate",
		"normal_delivery_allowed": false,
		"scoped_user_gate_fallback": {"schema_version": "scoped_user_gate_fallback_v0"},
		"work_lane_contract": {"must_attempt_work": true},
	}],
}

test_sound_documents_pass[name] if {
	some name, case in sound
	broken(case[0], case[1]) == set()
}

violated := {
	"runs while throttled": [quiet, {"should_run": true}, "INV-1"],
	"repair nobody opted into": [
		quiet, {
			"should_run": true,
			"self_repair_allowed": true,
			"effective_action": "boundary_projection_repair",
		},
		"INV-1",
	],
	"delivery without attempt": [
		work,
		{"interaction_contract": {"agent_channel": {"must_attempt": false}}},
		"INV-2.delivery",
	],
	"quiet beside an attempt": [
		quiet,
		{"interaction_contract": {"agent_channel": {"must_attempt": true}}},
		"INV-2.quiet",
	],
	"quiet beside delivery": [
		quiet,
		{"interaction_contract": {"agent_channel": {"delivery_allowed": true}}},
		"INV-2.quiet",
	],
	"quiet beside a user action": [
		quiet,
		{"interaction_contract": {"user_channel": {"action_required": true}}},
		"INV-2.quiet",
	],
	"a notice that demands": [
		work,
		{"interaction_contract": {"user_channel": {"action_required": true, "non_blocking": true}}},
		"INV-2.non_blocking",
	],
	"spends": [work, {"interaction_contract": {"cli_channel": {"spend_allowed_now": true}}}, "INV-4"],
	"throttled delivery flag": [quiet, {"normal_delivery_allowed": true}, "INV-5.delivery"],
	"throttled delivery": [
		quiet,
		{"interaction_contract": {"agent_channel": {"delivery_allowed": true}}},
		"INV-5.delivery",
	],
	"throttled lane": [quiet, {"work_lane_contract": {"must_attempt_work": true}}, "INV-5.lane"],
	"mirror differs": [work, {"execution_obligation": {"must_attempt_work": false}}, "INV-5.obligation"],
	"claims a reward": [work, {"human_reward": true}, "INV-6"],
	"paused permission": [paused, {"self_repair_allowed": true}, "pause.permissions"],
	"paused run": [paused, {"should_run": true}, "pause.signal"],
	"paused bypass": [paused, {"safe_bypass_allowed": true}, "pause.signal"],
	"paused obligation": [paused, {"execution_obligation": {"must_attempt_work": true}}, "pause.signal"],
	"paused attempt": [
		paused,
		{"interaction_contract": {"agent_channel": {"must_attempt": true}}},
		"pause.signal",
	],
	"paused run_now": [paused, {"scheduler_hint": {"action": "run_now"}}, "pause.signal"],
	"paused notice": [
		paused,
		{"interaction_contract": {"user_channel": {"notify": "NOTIFY"}}},
		"pause.signal",
	],
	"paused heartbeat notice": [paused, {"heartbeat_recommendation": {"notify": "NOTIFY"}}, "pause.signal"],
	"paused lane": [paused, {"work_lane_contract": {"lane": "advancement_task"}}, "pause.absent"],
	"closed run": [closed, {"should_run": true}, "terminal.signal"],
}

test_violation_is_named[name] if {
	some name, case in violated
	case[2] in broken(case[0], case[1])
}

test_violation_carries_its_message if {
	found := invariants.violations with input as {"decision": object.union(quiet, {"should_run": true})}
	found == {{"rule": "INV-1", "message": data.loopx.settings.invariants.text["INV-1"]}}
}

test_operators_add_invariants if {
	extra := {"rule": "ours.no_sundays", "message": "no work on Sundays"}
	extra in invariants.violations with input as {"decision": work}
		with data.operator.invariants.violations as {extra}
}

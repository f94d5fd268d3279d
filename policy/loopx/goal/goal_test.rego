package loopx.goal_test

import data.loopx.goal
import data.loopx.testing

row(change) := testing.facts({"goal": change})

unlisted := json.remove(testing.base, ["goal"])

test_goal_registered if {
	goal.registered with input as testing.base
	goal.id == "g1" with input as testing.base
	goal.row.domain == "oracle" with input as testing.base
	goal.adapter_status == "connected-delivery" with input as testing.base
	goal.adapter_kind == "oracle_adapter_v0" with input as testing.base
}

test_goal_unlisted_is_total if {
	goal.registered == false with input as unlisted
	goal.id == "g1" with input as unlisted
	goal.agents == [] with input as unlisted
	goal.adapter_status == "" with input as unlisted
	goal.adapter_kind == "" with input as unlisted
	goal.self_repair.enabled == false with input as unlisted
	goal.profile.cadence == "bounded_progress_segment" with input as unlisted
	goal.contract_errors == set() with input as unlisted
	goal.delivery == false with input as unlisted
}

test_goal_agents_are_sorted_and_unique if {
	goal.agents == ["a", "b"] with input as row({"agents": ["b", "a", "b"]})
	goal.multi_agent with input as row({"agents": ["b", "a"]})
	goal.multi_agent == false with input as row({"agents": ["a"]})
}

mode_cases := {
	"monitor_only": {"modes": {"agent-a": "monitor_only"}, "want": true},
	"active": {"modes": {"agent-a": "active"}, "want": false},
	"of the other agent": {"modes": {"agent-b": "monitor_only"}, "want": false},
	"unknown": {"modes": {"agent-a": "resting"}, "want": false},
}

test_monitor_only[name] if {
	some name, case in mode_cases
	goal.monitor_only == case.want with input as testing.team({"goal": {"work_modes": case.modes}})
}

test_monitor_only_needs_an_agent if {
	goal.monitor_only == false with input as row({"work_modes": {"agent-a": "monitor_only"}})
}

test_stopped if {
	goal.stopped with input as row({"activation": "stopped"})
	not goal.stopped with input as row({"activation": "active"})
	goal.stopped == false with input as testing.base
}

repair_cases := {
	"absent": {"given": {}, "want": [false, false, false]},
	"enabled alone": {"given": {"enabled": true}, "want": [true, true, true]},
	"one permission off": {
		"given": {"enabled": true, "allow_health_blocker_repair": false},
		"want": [true, false, true],
	},
	"the other off": {
		"given": {"enabled": true, "allow_waiting_projection_repair": false},
		"want": [true, true, false],
	},
	"permissions without the switch": {
		"given": {"enabled": false, "allow_health_blocker_repair": true},
		"want": [false, true, false],
	},
}

test_repair_optin[name] if {
	some name, case in repair_cases
	got := goal.self_repair with input as row({"self_repair": case.given})
	[got.enabled, got.allow_health_blocker_repair, got.allow_waiting_projection_repair] == case.want
}

delivery_cases := {
	"delivery adapter": {"change": {"adapter_status": "connected-delivery"}, "want": true},
	"other adapter": {"change": {"adapter_status": "connected"}, "want": false},
	"configured floor": {
		"change": {
			"adapter_status": "connected",
			"execution_profile": {"outcome_floor": {"outcome_markers": [], "surface_only_hints": []}},
		},
		"want": true,
	},
}

test_floor_applies[name] if {
	some name, case in delivery_cases
	goal.delivery == case.want with input as row(case.change)
}

test_profile_defaults if {
	got := goal.profile with input as testing.base
	got.must_include == ["coherent_artifact", "targeted_validation", "state_writeback"]
	got.turn_granularity == "standard"
	got.outcome_floor.surface_streak_threshold == 3
	got.outcome_floor.must_advance == ["primary_goal_outcome"]
	got.outcome_floor.if_unavailable == "report_blocker_without_spend"
	got.degradation_policy.small_scale_streak_threshold == 2
	not got.planning_granularity
}

test_profile_given if {
	got := goal.profile with input as row({"execution_profile": {
		"cadence": "weekly",
		"outcome_floor": {
			"surface_streak_threshold": 2,
			"must_advance": [],
			"outcome_markers": ["m"],
			"surface_only_hints": [],
		},
		"small_scale_streak_threshold": 4,
	}})
	got.cadence == "weekly"
	got.minimum_scale == "multi_surface_or_implementation"
	got.outcome_floor.surface_streak_threshold == 2
	got.outcome_floor.must_advance == []
	got.outcome_floor.avoid == ["surface_only_progress_loop"]
	got.degradation_policy.small_scale_streak_threshold == 4
	not got.small_scale_streak_threshold
	got.degradation_policy.on_degradation == "require_blocker_or_expand_next_batch"
}

test_profile_fine_forces_its_limits if {
	got := goal.profile with input as row({"execution_profile": {
		"turn_granularity": "fine",
		"minimum_scale": "multi_surface",
	}})
	got.turn_granularity == "fine"
	got.planning_granularity == "fine_checkpoint"
	got.minimum_scale == "single_surface"
	got.degradation_policy.small_scale_streak_threshold == 5
}

vocabulary_cases := {
	"waiting_on": {"waiting_on": "the vendor"},
	"activation": {"activation": "sleeping"},
	"turn_granularity": {"execution_profile": {"turn_granularity": "coarse"}},
}

test_goal_vocabulary[key] if {
	some key, change in vocabulary_cases
	got := goal.contract_errors with input as row(change)
	some finding in got
	count(got) == 1
	finding.code == sprintf("goal_%s_unknown", [key])
	finding.rule == "goal.vocabulary"
	finding.scope == "goal"
	finding.goal_id == "g1"
	finding.file == "registry.json"
	not finding.line
}

test_goal_vocabulary_names_the_line if {
	got := goal.contract_errors with input as row({"waiting_on": "vendor", "lines": {"waiting_on": 12}})
	some finding in got
	finding.line == 12
	contains(finding.message, "vendor")
}

test_goal_vocabulary_unknown_granularity_is_not_used if {
	got := goal.profile with input as row({"execution_profile": {"turn_granularity": "coarse"}})
	got.turn_granularity == "standard"
}

test_goal_vocabulary_accepts_every_known_word if {
	every word in ["codex", "user_or_controller", "controller", "external_evidence"] {
		goal.contract_errors == set() with input as row({"waiting_on": word})
	}
	every word in ["active", "stopped"] {
		goal.contract_errors == set() with input as row({"activation": word})
	}
}

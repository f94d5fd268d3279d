package loopx.history_test

import data.loopx.history
import data.loopx.testing

handoff := testing.run(60, "operator_gate_approved", {})

surface := testing.run(10, "summary_refreshed", {"delivery_outcome": "surface_only"})

gap := testing.run(20, "summary_refreshed", {"delivery_outcome": "outcome_gap"})

done := testing.run(30, "parser_advanced", {"delivery_outcome": "outcome_progress"})

primary := testing.run(30, "parser_advanced", {"delivery_outcome": "primary_goal_outcome"})

bare := testing.run(15, "parser_advanced", {})

streak_cases := {
	"since the hand-off": {"runs": [surface, gap, handoff, surface], "want": 2},
	"opt-in is a hand-off too": {
		"runs": [surface, testing.run(60, "controller_opted_in_waiting_for_run", {}), surface],
		"want": 1,
	},
	"without a hand-off": {"runs": [surface, gap, surface], "want": 3},
	"neutral rows are skipped": {
		"runs": [testing.run(5, "quota_slot_spent", {}), surface, testing.run(12, "quota_monitor_poll", {}), gap, handoff],
		"want": 2,
	},
	"rows of an agent lane are skipped": {
		"runs": [object.union(surface, {"progress_scope": "agent_lane"}), gap, handoff],
		"want": 1,
	},
	"progress ends it": {"runs": [surface, done, gap, handoff], "want": 1},
	"the primary outcome ends it": {"runs": [surface, primary, gap, handoff], "want": 1},
	"a row without outcome ends it": {"runs": [surface, bare, gap, handoff], "want": 1},
	"an unknown outcome ends it": {
		"runs": [surface, object.union(gap, {"delivery_outcome": "nice"}), gap, handoff],
		"want": 1,
	},
	"folded rows count each": {"runs": [surface, object.union(gap, {"count": 4}), handoff], "want": 5},
	"plain refresh before a hand-off exists": {
		"runs": [surface, testing.run(12, "state_refreshed", {}), gap],
		"want": 2,
	},
	"only progress": {"runs": [done, handoff], "want": 0},
	"nothing since": {"runs": [handoff, surface], "want": 0},
}

test_floor_streak[name] if {
	some name, case in streak_cases
	history.post_handoff.streak == case.want with input as with_runs(case.runs)
}

test_fact_handoff_names_latest_and_outcome if {
	got := history.post_handoff with input as with_runs([gap, handoff])
	got.seen
	got.latest == gap
	got.outcome == "outcome_gap"
}

test_fact_handoff_without_outcome if {
	got := history.post_handoff with input as with_runs([bare, handoff])
	got.seen
	not got.outcome
}

floor_profile := {"goal": {"execution_profile": {"outcome_floor": {
	"outcome_markers": ["Evidence"],
	"surface_only_hints": ["summary"],
}}}}

outcome_cases := {
	"marker": {"run": testing.run(5, "ranker_evidence_v1", {}), "want": "outcome_progress"},
	"hint": {"run": testing.run(5, "Summary_page", {}), "want": "surface_only"},
	"both is surface": {"run": testing.run(5, "evidence_summary", {}), "want": "surface_only"},
	"field beats the hint": {
		"run": testing.run(5, "summary_page", {"delivery_outcome": "primary_goal_outcome"}),
		"want": "primary_goal_outcome",
	},
	"unknown field is not read by hints": {
		"run": testing.run(5, "summary_page", {"delivery_outcome": "nice"}),
		"want": "none",
	},
	"neither": {"run": testing.run(5, "parser_advanced", {}), "want": "none"},
}

test_floor_outcome[name] if {
	some name, case in outcome_cases
	got := history.post_handoff with input as object.union(with_runs([case.run]), floor_profile)
	object.get(got, "outcome", "none") == case.want
}

follow_cases := {
	"surface work": {"runs": [surface], "want": true},
	"gap": {"runs": [gap], "want": true},
	"progress": {"runs": [done], "want": false},
	"says so itself": {"runs": [object.union(done, {"outcome_followthrough": true})], "want": true},
	"preparation only": {"runs": [object.union(bare, {"turn_kind": "contract_only_preparation"})], "want": true},
	"primary outcome": {"runs": [object.union(primary, {"outcome_followthrough": true})], "want": false},
	"is the blocker": {"runs": [object.union(gap, {"turn_kind": "blocker_writeback"})], "want": false},
	"only the newest counts": {"runs": [done, gap], "want": false},
}

test_fact_outcome_followthrough[name] if {
	some name, case in follow_cases
	history.outcome_followthrough == case.want with input as with_runs(case.runs)
}

scope_cases := {
	"field of the status run": {
		"status": testing.run(5, "x", {"progress_scope": "dependency_observation"}),
		"runs": [],
		"want": true,
	},
	"classification": {"status": testing.run(5, "dependency_observed_v1", {}), "runs": [], "want": true},
	"classification of a monitor": {"status": testing.run(5, "a_dependency_monitor", {}), "runs": [], "want": true},
	"the field beats the classification": {
		"status": testing.run(5, "dependency_observed", {"progress_scope": "goal"}),
		"runs": [],
		"want": false,
	},
	"other": {"status": testing.run(5, "parser_advanced", {}), "runs": [], "want": false},
	"newest run after a hand-off": {
		"status": testing.run(5, "parser_advanced", {}),
		"runs": [testing.run(7, "dependency_observation_v1", {}), handoff],
		"want": true,
	},
	"not the status run after a hand-off": {
		"status": testing.run(5, "dependency_observed", {}),
		"runs": [bare, handoff],
		"want": false,
	},
	"nothing since the hand-off": {"status": testing.run(5, "dependency_observed", {}), "runs": [handoff], "want": true},
}

test_fact_progress_scope[name] if {
	some name, case in scope_cases
	facts := testing.facts({"runs": case.runs, "status_run": case.status})
	history.dependency_scope == case.want with input as facts
}

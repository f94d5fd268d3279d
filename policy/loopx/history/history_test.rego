package loopx.history_test

import data.loopx.history
import data.loopx.testing

# The facts with these runs, newest first; a status run only where a test names one.
with_runs(runs) := testing.facts({"runs": runs})

with_status(run) := testing.facts({"runs": [run], "status_run": run})

lane_runs(runs) := testing.team({"runs": runs})

delivered(outcome) := testing.run(10, "parser_advanced", {"delivery_outcome": outcome})

mine := {"agent_id": "agent-a"}

theirs := {"agent_id": "agent-b"}

test_history_empty_is_total if {
	facts := testing.base
	history.rows == [] with input as facts
	history.lane == [] with input as facts
	history.status == "connected_without_run" with input as facts
	history.lifecycle_phase == null with input as facts
	history.lifecycle_flags == null with input as facts
	history.lane_recent_poll_unchanged == false with input as facts
	history.post_handoff == {"seen": false, "streak": 0} with input as facts
	history.outcome_followthrough == false with input as facts
	history.dependency_scope == false with input as facts
	history.newest_is_spend == false with input as facts
	not history.status_run with input as facts
	not history.unspent_delivery with input as facts
	not history.newest_relevant with input as facts
	not history.latest_run_recommended_action with input as facts
}

test_fact_status_run_names_the_status if {
	facts := with_status(testing.run(5, "needs_validation", {"recommended_action": "  Run the tests. "}))
	history.status == "needs_validation" with input as facts
	history.latest_run_recommended_action == "Run the tests." with input as facts
	count(history.rows) == 1 with input as facts
}

test_latest_recommendation_is_cut if {
	facts := with_status(testing.run(5, "x", {"recommended_action": concat("", ["a" | some _ in numbers.range(1, 400)])}))
	count(history.latest_run_recommended_action) == 320 with input as facts
}

test_latest_recommendation_blank_is_none if {
	not history.latest_run_recommended_action with input as with_status(testing.run(5, "x", {"recommended_action": " "}))
}

bookkeeping_cases := {
	"spend": {"row": testing.run(1, "quota_slot_spent", {}), "want": true},
	"scheduler ack": {"row": testing.run(1, "quota_scheduler_ack", {}), "want": true},
	"accounting": {"row": testing.run(1, "delivery_completion_spend_accounted_v0", {}), "want": true},
	"plain refresh": {"row": testing.run(1, "state_refreshed", {}), "want": true},
	"refresh with an odd outcome": {
		"row": testing.run(1, "state_refreshed", {"delivery_outcome": "great"}),
		"want": true,
	},
	"refresh with an outcome": {
		"row": testing.run(1, "state_refreshed", {"delivery_outcome": "surface_only"}),
		"want": false,
	},
	"custom refresh by provenance": {"row": testing.run(1, "docs_note", {"refresh": true}), "want": true},
	"custom refresh with an outcome": {
		"row": testing.run(1, "docs_note", {"refresh": true, "delivery_outcome": "outcome_gap"}),
		"want": false,
	},
	"poll": {"row": testing.run(1, "quota_monitor_poll", {}), "want": false},
	"work": {"row": testing.run(1, "parser_advanced", {}), "want": false},
}

test_debt_bookkeeping[name] if {
	some name, case in bookkeeping_cases
	got := history.books with input as with_runs([case.row])
	found := got == {0}
	found == case.want
}

poll_cases := {
	"unchanged": {"change": {}, "want": true},
	"material": {"change": {"material_change": true}, "want": false},
	"material by outcome": {"change": {"delivery_outcome": "outcome_progress"}, "want": false},
	"surface outcome": {"change": {"delivery_outcome": "surface_only"}, "want": true},
	"said to be unchanged": {"change": {"material_change": false}, "want": true},
}

test_unchanged_poll[name] if {
	some name, case in poll_cases
	row := testing.run(1, "quota_monitor_poll", case.change)
	got := [r | some r in [row]; history.is_unchanged_poll(r)] with input as with_runs([row])
	found := count(got) == 1
	found == case.want
}

test_unchanged_poll_is_a_poll if {
	not history.is_unchanged_poll(testing.run(1, "parser_advanced", {})) with input as testing.base
}

test_accountable if {
	history.accountable(delivered("outcome_progress")) with input as testing.base
	history.accountable(delivered("primary_goal_outcome")) with input as testing.base
	not history.accountable(delivered("outcome_gap")) with input as testing.base
}

test_lane_is_own_and_unnamed if {
	rows := [testing.run(1, "a", mine), testing.run(2, "b", theirs), testing.run(3, "c", {})]
	got := history.lane with input as lane_runs(rows)
	[row.classification | some row in got] == ["a", "c"]
	all_rows := history.lane with input as with_runs(rows)
	count(all_rows) == 3
}

poll := testing.run(5, "quota_monitor_poll", mine)

recent_cases := {
	"unchanged poll": {"rows": [poll], "want": true},
	"behind a spend and a refresh": {
		"rows": [testing.run(1, "quota_slot_spent", mine), testing.run(2, "state_refreshed", mine), poll],
		"want": true,
	},
	"behind real work": {"rows": [testing.run(1, "parser_advanced", mine), poll], "want": false},
	"behind the work of another agent": {"rows": [testing.run(1, "parser_advanced", theirs), poll], "want": true},
	"of another agent": {"rows": [testing.run(5, "quota_monitor_poll", theirs)], "want": false},
	"material": {
		"rows": [testing.run(5, "quota_monitor_poll", object.union(mine, {"material_change": true}))],
		"want": false,
	},
}

test_fact_monitor_attempt_recorded[name] if {
	some name, case in recent_cases
	history.lane_recent_poll_unchanged == case.want with input as lane_runs(case.rows)
}

progress := object.union(delivered("outcome_progress"), mine)

spent := testing.run(1, "quota_slot_spent", object.union(mine, {"generated_at": "2026-08-20T11:59:00+00:00"}))

void_of(at) := testing.run(0, "quota_slot_voided", object.union(mine, {"voids": at}))

unspent_cases := {
	"progress": {"rows": [progress], "found": true, "spend": false},
	"primary outcome": {"rows": [object.union(delivered("primary_goal_outcome"), mine)], "found": true, "spend": false},
	"behind an unchanged poll": {"rows": [poll, progress], "found": true, "spend": false},
	"behind a scheduler row": {
		"rows": [testing.run(1, "quota_scheduler_ack", mine), progress],
		"found": true,
		"spend": false,
	},
	"behind a plain refresh": {
		"rows": [testing.run(1, "state_refreshed", mine), progress],
		"found": true,
		"spend": false,
	},
	"behind a custom refresh": {
		"rows": [testing.run(1, "notes", object.union(mine, {"refresh": true})), progress],
		"found": true,
		"spend": false,
	},
	"already spent": {"rows": [spent, progress], "found": false, "spend": true},
	"spend was voided": {"rows": [void_of("2026-08-20T11:59:00+00:00"), spent, progress], "found": true, "spend": false},
	"spend was voided by nobody in particular": {
		"rows": [object.remove(void_of("2026-08-20T11:59:00+00:00"), ["agent_id"]), spent, progress],
		"found": true,
		"spend": false,
	},
	"another agent's spend of that second was voided": {
		"rows": [object.union(void_of("2026-08-20T11:59:00+00:00"), theirs), spent, progress],
		"found": false,
		"spend": true,
	},
	"another spend was voided": {
		"rows": [void_of("2026-08-20T09:00:00+00:00"), spent, progress],
		"found": false,
		"spend": true,
	},
	"spend of another agent": {
		"rows": [object.union(spent, theirs), progress],
		"found": true,
		"spend": false,
	},
	"surface work came since": {
		"rows": [object.union(delivered("surface_only"), mine), progress],
		"found": false,
		"spend": false,
	},
	"an unrelated event came since": {"rows": [testing.run(1, "note", mine), progress], "found": false, "spend": false},
	"material poll": {
		"rows": [testing.run(
			1, "quota_monitor_poll",
			object.union(mine, {"material_change": true, "delivery_outcome": "outcome_progress"}),
		)],
		"found": true,
		"spend": false,
	},
}

test_spend_unspent[name] if {
	some name, case in unspent_cases
	facts := lane_runs(case.rows)
	got := [row | row := history.unspent_delivery] with input as facts
	found := count(got) == 1
	found == case.found
	history.newest_is_spend == case.spend with input as facts
}

phase_cases := {
	"field of the run": {
		"run": testing.run(5, "state_refreshed", {"lifecycle_phase": "focus_wait"}),
		"goal": {"lifecycle_phase": "mapped"},
		"want": "focus_wait",
	},
	"field of the registry": {
		"run": testing.run(5, "state_refreshed", {}),
		"goal": {"lifecycle_phase": "focus_wait"},
		"want": "focus_wait",
	},
	"refreshed": {"run": testing.run(5, "state_refreshed", {}), "goal": {}, "want": "refreshed"},
	"mapped": {"run": testing.run(5, "read_only_project_map", {}), "goal": {}, "want": "mapped"},
	"custom": {"run": testing.run(5, "parser_advanced", {}), "goal": {}, "want": "adapter_inspected"},
	"special": {"run": testing.run(5, "needs_human_reward", {}), "goal": {}, "want": null},
	"blocking": {"run": testing.run(5, "blocked_by_safety", {}), "goal": {}, "want": null},
	"awaiting": {"run": testing.run(5, "await_vendor", {}), "goal": {}, "want": null},
}

test_fact_item_lifecycle_phase[name] if {
	some name, case in phase_cases
	facts := object.union(with_status(case.run), {"goal": case.goal})
	history.lifecycle_phase == case.want with input as facts
}

test_lifecycle_flags if {
	run := testing.run(5, "x", {"lifecycle_flags": ["a"]})
	history.lifecycle_flags == ["a"] with input as object.union(with_status(run), {"goal": {"lifecycle_flags": ["b"]}})
	history.lifecycle_flags == ["b"] with input as testing.facts({"goal": {"lifecycle_flags": ["b"]}})
}

test_external_evidence_by_beginning if {
	got := history.external_evidence with input as with_runs([
		testing.run(1, "await_vendor", {}),
		testing.run(2, "external_evidence_observation_done", {}),
		testing.run(3, "awaiting_nothing", {}),
	])
	got == {"await_vendor", "external_evidence_observation_done"}
}

test_neutral_classification if {
	got := history.neutral_classification with input as testing.base
	"delivery_completion_spend_accounted_v0" in got
	not "quota_monitor_poll" in got
}

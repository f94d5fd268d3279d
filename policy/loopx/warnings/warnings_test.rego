package loopx.warnings_test

import data.loopx.testing
import data.loopx.warnings

fields(change) := found if {
	found := warnings.fields with input as testing.facts(object.union(
		{"promotion": {"generated_at": "2026-08-20T11:00:00+00:00", "at_ns": testing.now_ns - testing.hour, "legacy": false}},
		change,
	))
}

decision(days, newer) := {
	"generated_at": sprintf("%d days ago", [days]),
	"at_ns": testing.now_ns - ((days * 24) * testing.hour),
	"classification": "operator_gate_approved",
	"kind": "operator_gate",
	"newer_events": newer,
}

test_warn_freshness_stale if {
	warning := fields({"decisions": [decision(10, 0)]}).decision_freshness_warning
	warning.window_days == 7
	warning.rebase_required_count == 1
	[item.freshness_state | some item in warning.items] == ["stale_rebase_required"]
	warning.items[0].age_days == 10
}

test_warn_freshness_rebase if {
	warning := fields({"decisions": [decision(2, 3)]}).decision_freshness_warning
	[item.freshness_state | some item in warning.items] == ["rebase_required"]
	warning.items[0].newer_event_count_7d == 3
}

test_warn_freshness_quiet_for_a_fresh_unfollowed_decision if {
	not fields({"decisions": [decision(2, 0)]}).decision_freshness_warning
}

test_warn_freshness_lists_three_newest_first if {
	warning := fields({"decisions": [decision(n, 1) | some n in [1, 2, 3, 4]]}).decision_freshness_warning
	warning.rebase_required_count == 4
	count(warning.items) == 3
	warning.items[0].decision_at == "4 days ago"
}

promotion_cases := {
	"fresh": {"at": testing.now_ns - testing.hour, "status": "none"},
	"exactly at the edge": {"at": testing.now_ns - (24 * testing.hour), "status": "none"},
	"stale": {"at": testing.now_ns - (25 * testing.hour), "status": "stale"},
	"unknown": {"at": 0, "status": "unknown"},
}

test_warn_promotion[name] if {
	some name, case in promotion_cases
	found := fields({"promotion": {"generated_at": "some time", "at_ns": case.at, "legacy": false}})
	object.get(found, ["promotion_readiness_warning", "freshness_status"], "none") == case.status
}

test_warn_promotion_missing if {
	found := warnings.fields with input as testing.facts({})
	found.promotion_readiness_warning.freshness_status == "missing"
	found.promotion_readiness_warning.requires_readiness_run
	not found.promotion_readiness_warning.available
}

mismatch(run_text, lane) := found if {
	found := warnings.fields with input as testing.facts({})
		with data.loopx.history.latest_run_recommended_action as run_text
		with data.loopx.agent_scope.next_action as lane
}

test_warn_next_action_needs_writeback if {
	warning := mismatch("Publish the release notes.", {}).next_action_projection_warning
	warning.severity == "warning"
	warning.requires_state_writeback
}

test_warn_next_action_is_information_for_a_lane if {
	lane := {"text": "[P1] Implement the tokenizer.", "preserves_goal_next_action": true}
	warning := mismatch("Publish the release notes.", lane).next_action_projection_warning
	warning.severity == "info"
	warning.requires_state_writeback == false
	warning.agent_lane_next_action == "[P1] Implement the tokenizer."
}

test_warn_next_action_silent_when_aligned if {
	not mismatch("carry on with the parser work and run its unit tests.", {}).next_action_projection_warning
	not mismatch("", {}).next_action_projection_warning
}

aligned_cases := {
	"tags and case": ["[P1] Ship  the parser", "todo_abc: ship the parser", true],
	"label inside": ["parser core: grammar first", "work on the parser core today", true],
	"short label": ["core: grammar first", "work on the core", false],
	"long prefix": [
		"measure the nightly baseline run twice and then stop",
		"please measure the nightly baseline run twice, as agreed",
		true,
	],
	"contained": ["measure the nightly baseline again", "today: measure the nightly baseline again, then rest", true],
	"different": ["ship the parser", "write the manual", false],
}

test_warn_aligned[name] if {
	some name, case in aligned_cases
	same := [true | warnings.aligned(case[0], case[1])]
	count(same) > 0 == case[2]
}

state_action(claimed) := found if {
	found := warnings.fields with input as testing.facts({"todos": [testing.advancement("todo_tok", claimed)]})
		with data.loopx.work_lane_contract.raw as {"lane": "advancement_task", "reason_codes": ["open_agent_todo"]}
		with data.loopx.todos.first_adv as "todo_tok"
		with data.loopx.todos.own as {id | some id in ["todo_tok"]; claimed.claimed_by == "me"}
}

test_warn_state_action if {
	state_action({"claimed_by": "you"}).state_action_projection_warning.requires_state_writeback
}

test_warn_state_action_not_for_an_own_claim if {
	not state_action({"claimed_by": "me"}).state_action_projection_warning
}

edges(change) := found if {
	found := warnings.time_edges with input as testing.facts(change)
}

test_warn_time_edges if {
	fresh := {"promotion": {"generated_at": "x", "at_ns": testing.now_ns - testing.hour, "legacy": false}}
	edges(fresh) == {(testing.now_ns + (23 * testing.hour)) + 1}
	stale := {"promotion": {"generated_at": "x", "at_ns": testing.now_ns - (25 * testing.hour), "legacy": false}}
	edges(stale) == {testing.now_ns + testing.hour}
	edges({"decisions": [decision(2, 1)]}) == {(testing.now_ns + (24 * testing.hour)) + 1}
}

test_warn_copies_clock_skew_and_markers if {
	ahead := testing.now_ns + (10 * testing.minute)
	found := warnings.fields with input as testing.facts({
		"ledger": {"rows": [{"kind": "spend", "at": "later", "at_ns": ahead, "key": "later", "slots": 1}]},
		"todos": [testing.advancement("todo_a", {"marker_mismatch": true})],
	})
	found.clock_skew_warning
	found.todo_marker_warning
}

test_warn_next_action_reads_the_lane_of_the_agent if {
	row := testing.run(30, "state_refreshed", {"recommended_action": "Publish the release notes.", "refresh": true})
	found := warnings.fields with input as testing.team({
		"runs": [row],
		"status_run": row,
		"todos": [testing.advancement("todo_a", {"claimed_by": "agent-a"})],
	})
	found.next_action_projection_warning.severity == "info"
	contains(found.next_action_projection_warning.agent_lane_next_action, "Implement the tokenizer")
}

test_warn_next_action_of_an_unscoped_call_needs_writeback if {
	row := testing.run(30, "state_refreshed", {"recommended_action": "Publish the release notes.", "refresh": true})
	found := warnings.fields with input as testing.facts({"runs": [row], "status_run": row})
	found.next_action_projection_warning.severity == "warning"
	not found.next_action_projection_warning.agent_lane_next_action
}

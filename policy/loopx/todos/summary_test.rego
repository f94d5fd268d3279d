package loopx.todos_test

import data.loopx.testing
import data.loopx.todos

many := [testing.advancement(sprintf("todo_%02d", [i]), {"index": i}) | some i in numbers.range(1, 5)]

later := [testing.advancement(sprintf("todo_l%02d", [i]), {"index": i, "status": "deferred", "resume_when": "capacity_available:shell"}) |
	some i in numbers.range(11, 20)
]

test_agent_summary_counts_and_limits if {
	got := todos.agent_summary with input as testing.team({"todos": array.concat(array.concat(many, later), [
		testing.advancement("todo_done", {"status": "done", "index": 21}),
		testing.advancement("todo_theirs", {"claimed_by": "agent-b", "index": 22}),
		testing.advancement("todo_mine", {"claimed_by": "agent-a", "index": 23}),
		testing.monitor("todo_mon", {"index": 24}),
		testing.user_todo("todo_u", "user_action", {"bound_agent": "agent-a"}),
	])})
	object.filter(got, [
		"schema_version",
		"source_section",
		"total_count",
		"open_count",
		"all_open_count",
		"done_count",
		"deferred_count",
		"monitor_open_count",
		"monitor_due_count",
		"monitor_schedule_gap_count",
		"current_agent_claimed_open_count",
		"unclaimed_open_count",
		"claimed_by_others_count",
	]) == {
		"schema_version": "todo_summary_v0",
		"source_section": "Agent Todo",
		"total_count": 19,
		"open_count": 7,
		"all_open_count": 8,
		"done_count": 11,
		"deferred_count": 10,
		"monitor_open_count": 1,
		"monitor_due_count": 0,
		"monitor_schedule_gap_count": 1,
		"current_agent_claimed_open_count": 1,
		"unclaimed_open_count": 6,
		"claimed_by_others_count": 1,
	}
	[t.todo_id | some t in got.first_open_items] == ["todo_01", "todo_02", "todo_03"]
	[t.todo_id | some t in got.first_executable_items] == ["todo_mine", "todo_01", "todo_02"]
	count(got.deferred_items) == 8
	count(got.deferred_resume_candidates) == 8
	got.monitor_schedule_gap_items[0].todo_id == "todo_mon"
	got.gate_open_items == []
	got.payload_compaction.omitted_lanes == {
		"first_open_items": 4,
		"first_executable_items": 3,
		"deferred_items": 2,
		"deferred_resume_candidates": 2,
	}
}

test_scope_claim_scope_of_a_scoped_call if {
	got := todos.agent_summary.claim_scope with input as testing.team({"todos": [
		testing.advancement("todo_a", {"claimed_by": "agent-a"}),
		testing.advancement("todo_b", {"claimed_by": "agent-b", "index": 2}),
		testing.advancement("todo_c", {"excluded_agents": ["agent-a"], "index": 3}),
		testing.advancement("todo_d", {"removed_continuation_policy": "primary_review", "index": 4}),
	]})
	object.filter(got, [key | some key, value in got; is_number(value)]) == {
		"selectable_open_count": 1,
		"current_agent_claimed_open_count": 1,
		"unclaimed_open_count": 0,
		"other_agent_claimed_open_count": 1,
		"executor_excluded_self_count": 1,
		"removed_continuation_blocked_count": 1,
	}
	got.schema_version == "agent_claim_scope_v0"
	got.agent_id == "agent-a"
}

test_unscoped_summary_has_no_claim_scope_and_no_compaction if {
	got := todos.agent_summary with input as testing.facts({"todos": [testing.advancement("todo_a", {})]})
	not got.claim_scope
	not got.payload_compaction
}

test_user_summary_keeps_other_agents_apart if {
	got := todos.user_summary with input as testing.team({"todos": [
		testing.user_todo("todo_g", "user_gate", {"blocks_agent": "agent-a"}),
		testing.user_todo("todo_a", "user_action", {"goal_bound": true, "index": 2}),
		testing.user_todo("todo_h", "user_gate", {"blocks_agent": "agent-b", "bound_agent": "agent-b", "index": 3}),
		testing.user_todo("todo_i", "user_gate", {"blocks_agent": "agent-b", "index": 4}),
		testing.user_todo("todo_b", "user_action", {"bound_agent": "agent-b", "index": 5}),
		testing.user_todo("todo_d", "user_action", {"status": "done", "index": 6}),
	]})
	[got.total_count, got.open_count, got.all_open_count, got.done_count] == [6, 2, 5, 1]
	got.source_section == "User Todo / Owner Review Reading Queue"
	{lane: [t.todo_id | some t in got[lane]] | some lane in [
		"first_open_items",
		"gate_open_items",
		"user_action_items",
		"other_agent_scoped_items",
		"other_agent_bound_user_action_items",
	]} == {
		"first_open_items": ["todo_g", "todo_a"],
		"gate_open_items": ["todo_g"],
		"user_action_items": ["todo_a"],
		"other_agent_scoped_items": ["todo_h", "todo_i"],
		"other_agent_bound_user_action_items": ["todo_h", "todo_b"],
	}
	[got.user_action_open_count, got.other_agent_bound_user_action_open_count] == [1, 2]
}

test_source_completeness[name] if {
	some name, case in {
		"read": {"state": {}, "want": ["valid", "valid"]},
		"no state file": {"state": {"exists": false}, "want": ["invalid", "invalid"]},
		"malformed agent section": {"state": {"malformed": ["agent"]}, "want": ["valid", "invalid"]},
	}
	got := todos with input as testing.facts({"state": case.state})
	[got.user_summary.source_completeness.status, got.agent_summary.source_completeness.status] == case.want
	got.agent_summary.source_completeness.terminal_closure == case.want[1]
	got.agent_summary.source_completeness.role == "agent"
}

test_closure_intent_counts_done_without_follow_up if {
	got := todos.agent_summary with input as testing.facts({"todos": [
		testing.advancement("todo_a", {"status": "done", "no_followup": true}),
		testing.advancement("todo_b", {"status": "done", "no_followup": false}),
		testing.advancement("todo_c", {"no_followup": true}),
	]})
	got.closure_intent == {
		"schema_version": "todo_closure_intent_v0",
		"kind": "no_followup",
		"derived": true,
		"source": "todo_no_followup",
		"count": 1,
	}
}

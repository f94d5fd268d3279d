package loopx.hints_test

import data.loopx.hints
import data.loopx.testing

test_hint_todo_write_names_the_binding if {
	solo := hints.todo_write_hint with input as testing.facts({})
	contains(solo.user_action_command_template, "--goal-bound")
	contains(solo.user_gate_command_template, "--goal-id g1 --role user --task-class user_gate")
	team := hints.todo_write_hint with input as testing.team({})
	contains(team.user_action_command_template, "--bound-agent <id>")
}

upgrade(change) := found if {
	fields := hints.fields with input as testing.team(change)
	found := object.get(fields, "automation_prompt_upgrade", "none")
}

test_hint_prompt_upgrade_not_for_a_named_agent if upgrade({}) == "none"

test_hint_prompt_upgrade_without_agent if {
	found := hints.fields.automation_prompt_upgrade with input as object.union(
		testing.facts({"goal": {"agents": ["agent-a", "agent-b"]}}),
		{},
	)
	found.required
	found.blocks_should_run == false
	[each.agent_id | some each in found.agent_example_commands] == ["agent-a", "agent-b"]
	not found.registry_migration_required
}

test_hint_prompt_upgrade_legacy_until_acknowledged if {
	upgrade({"goal": {"legacy_hierarchy": true}}).registry_migration_required
	upgrade({"goal": {"legacy_hierarchy": true, "migration_acknowledged": true}}) == "none"
}

test_hint_prompt_upgrade_not_without_roster if {
	fields := hints.fields with input as testing.facts({})
	not fields.automation_prompt_upgrade
}

test_hint_blocked_priority_lists_what_stands_before if {
	found := hints.fields.blocked_priority_fallback with input as testing.facts({"todos": [
		testing.advancement("todo_p0", {"rank": 0, "priority": "P0", "status": "blocked"}),
		testing.advancement("todo_p1", {"index": 2}),
		testing.advancement("todo_p2", {"index": 3, "rank": 2, "status": "deferred"}),
	]})
	[item.todo_id | some item in found.blocked_items] == ["todo_p0"]
	found.selected_executable.todo_id == "todo_p1"
	found.notify_user == false
}

test_hint_blocked_priority_absent_when_nothing_stands_before if {
	fields := hints.fields with input as testing.facts({"todos": [testing.advancement("todo_p1", {})]})
	not fields.blocked_priority_fallback
}

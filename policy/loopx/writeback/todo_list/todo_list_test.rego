package loopx.writeback.todo_list_test

import data.loopx.testing
import data.loopx.writeback.todo_list

todos := [
	testing.advancement("todo_a", {"claimed_by": "agent-a"}),
	testing.advancement("todo_b", {"index": 2, "status": "done"}),
	testing.agent_todo("todo_c", {"index": 3, "text": "Poll the page.", "title": "Poll the page.", "action_kind": "poll"}),
	testing.user_todo("todo_g", "user_gate", {"bound_agent": "agent-a", "blocks_agent": "agent-a"}),
]

run(change, write) := found if {
	given := object.union_n([
		testing.team({"request": {"command": "todo-list", "agent_id": ""}, "todos": todos}),
		change,
		{"write": {"todo": write}},
	])
	found := todo_list.result with input as given
}

ids(change, write) := [todo.id | some todo in run(change, write).document.todos]

test_todo_list_todos_by_filter if {
	ids({}, {}) == ["todo_a", "todo_b", "todo_c", "todo_g"]
	ids({}, {"role": "user"}) == ["todo_g"]
	ids({}, {"status": "Done"}) == ["todo_b"]
	ids({}, {"todo_id": "todo_c"}) == ["todo_c"]
	ids({"request": {"agent_id": "agent-a"}}, {}) == ["todo_a", "todo_g"]
	limited := run({}, {"limit": 2}).document
	count(limited.todos) == 2
	limited.todo_count == 4
	run({}, {}).effects == []
}

test_todo_list_todos_carry_their_class if {
	run({}, {"todo_id": "todo_c"}).document.todos[0].task_class == "continuous_monitor"
	strange := {"todos": [testing.agent_todo("todo_x", {"task_class": "chore"})]}
	run(strange, {}).document.todos[0].task_class == "chore"
}

test_todo_list_projection_has_the_names_of_other_tools if {
	shown := [[todo.todo_id, todo.done, todo.source_section] | some todo in run({}, {"role": "agent"}).document.todos]
	shown == [["todo_a", false, "Agent Todo"], ["todo_b", true, "Agent Todo"], ["todo_c", false, "Agent Todo"]]
}

test_todo_list_rule if {
	run({}, {"role": "boss"}).document.error.rule_id == "todo_list.role"
	run({}, {"status": "paused"}).document.error.rule_id == "todo_list.status"
	run({"state": {"exists": false}}, {}).document.error.rule_id == "todo_list.state_file"
	run({"request": {"agent_id": "agent-z"}}, {}).document.error.rule_id == "write.identity"
	without := todo_list.result with input as testing.facts({"request": {"command": "todo-list"}})
	without.document.todo_count == 0
}

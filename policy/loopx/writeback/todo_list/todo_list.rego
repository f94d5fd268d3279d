# METADATA
# title: Listing todos
# description: |
#   Answers todo list: the todos of the active sections as they are read, open and closed, in file order. It writes
#   nothing; contract errors are reported by status and do not keep the list back, for it is needed to mend them.
# schemas:
#   - input: schema.facts.input
package loopx.writeback.todo_list

import data.loopx.lib.compact
import data.loopx.lib.rank
import data.loopx.request
import data.loopx.settings.todo_write as settings
import data.loopx.todos
import data.loopx.writeback.answer

default asked := {}

asked := input.write.todo

outcome_row contains row if some row in answer.row

# METADATA
# title: A role is agent or user
# custom: {id: todo_list.role}
# labels: {rule: todo_list.role}
outcome_row contains {"rank": 60, "rule": "todo_list.role", "value": answer.invalid(why)} if {
	asked.role
	not asked.role in ["agent", "user"]
	why := sprintf(settings.text.role, [asked.role])
}

# METADATA
# title: The status is a known word
# custom: {id: todo_list.status}
# labels: {rule: todo_list.status}
outcome_row contains {"rank": 70, "rule": "todo_list.status", "value": answer.invalid(why)} if {
	words := settings.statuses["todo-update"]
	asked.status
	not lower(asked.status) in words
	why := sprintf(settings.text.status, [asked.status, concat(", ", words)])
}

# METADATA
# title: There is no state file to list
# custom: {id: todo_list.state_file}
# labels: {rule: todo_list.state_file}
outcome_row contains {"rank": 80, "rule": "todo_list.state_file", "value": answer.refused("state_file_unusable", why)} if {
	not input.state.exists
	why := sprintf(settings.text.state_file, [request.goal_id])
}

# METADATA
# title: The todos are listed
# custom: {id: todo_list.todos}
# labels: {rule: todo_list.todos}
outcome_row contains {"rank": 90, "rule": "todo_list.todos", "value": value} if {
	value := {
		"ok": true,
		"reason": sprintf(settings.text.listed, [count(listed)]),
		"role": object.get(asked, "role", null),
		"todo_count": count(listed),
		"todos": array.slice(listed, 0, shown),
	}
}

shown := asked.limit

shown := count(listed) if not asked.limit

# METADATA
# title: The todos as they are shown
# description: |
#   Under the names that other LoopX tools read them by (state-files.md 3.5), beside everything that is known. A
#   task_class that is no known word stands as it is written.
# custom: {id: todo_list.projection}
listed := [object.union(todo, shown_as) |
	some todo in input.todos
	wanted(todo)
	shown_as := object.union(
		{"todo_id": todo.id, "source_section": todo.section, "done": todo.status in {"done", "deferred"}},
		{"task_class": class | class := todos.class[todo.id]},
	)
]

wanted(todo) if {
	todo.role == object.get(asked, "role", todo.role)
	todo.status == lower(object.get(asked, "status", todo.status))
	todo.id == lower(object.get(asked, "todo_id", todo.id))
	of_agent(todo)
}

# METADATA
# title: Todos of one agent
# description: Claimed by it, bound to it or blocking it; unclaimed agent todos are nobody's.
of_agent(todo) if {
	some key in ["claimed_by", "bound_agent", "blocks_agent"]
	todo[key] == request.agent_id
}

of_agent(_) if not request.agent_id

outcome := rank.winner(outcome_row)

# METADATA
# title: The answer
# description: "{ok, document, effects}, the last always empty."
# entrypoint: true
# custom: {id: todo_list.result}
result := {"ok": outcome.value.ok, "effects": [], "document": compact.present(object.union(outcome.value, {
	"mode": request.command,
	"goal_id": request.goal_id,
	"rule": outcome.rule,
	"error": answer.error(outcome),
}))}

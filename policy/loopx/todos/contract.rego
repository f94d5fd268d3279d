package loopx.todos

import data.loopx.goal
import data.loopx.request
import data.loopx.settings

# --- contract errors

# METADATA
# title: Contract errors of todos
# description: Findings of this goal, one for each todo and rule; each names the line and the command that fixes it.
# custom: {id: todo.contract}
contract_errors := {finding |
	some [code, rule, id, detail] in contract_row
	finding := {
		"code": concat("", ["todo_", code]),
		"scope": "goal",
		"goal_id": request.goal_id,
		"file": object.get(input.state, "file", ""),
		"line": by_id[id].line,
		"rule": rule,
		"message": message(code, id, detail),
		"todo_id": id,
	}
}

# METADATA
# title: A user todo has no user class
# custom: {id: todo.contract.user_class}
contract_row contains ["user_class", "todo.contract.user_class", id, ""] if {
	some id in ((user_open - unknown_class) - user_classed)
}

user_classed := {id | some id in user_open; by_id[id].task_class in settings.todos.user_classes}

# METADATA
# title: A user action blocks somebody
# custom: {id: todo.contract.action_blocks}
contract_row contains ["action_blocks", "todo.contract.action_blocks", id, ""] if {
	some id in user_open
	by_id[id].task_class == "user_action"
	id in restraining
}

restraining := global_gates | blocking

# METADATA
# title: A user todo is bound twice
# custom: {id: todo.contract.two_bindings}
contract_row contains ["two_bindings", "todo.contract.two_bindings", id, by_id[id].bound_agent] if {
	some id in goal_bound
}

# METADATA
# title: A goal-wide gate is bound to one agent
# custom: {id: todo.contract.global_bound}
contract_row contains ["global_bound", "todo.contract.global_bound", id, by_id[id].bound_agent] if {
	some id in (global_gates & gates)
}

# METADATA
# title: A gate of one agent is bound to the goal
# custom: {id: todo.contract.scoped_gate}
contract_row contains ["scoped_gate", "todo.contract.scoped_gate", id, by_id[id].blocks_agent] if {
	some id in (gates & goal_bound)
}

# METADATA
# title: A gate blocks one agent and is bound to another
# custom: {id: todo.contract.scoped_gate}
contract_row contains ["scoped_gate", "todo.contract.scoped_gate", id, by_id[id].blocks_agent] if {
	some id in gates
	by_id[id].bound_agent != by_id[id].blocks_agent
}

# METADATA
# title: A user todo names an unregistered agent
# custom: {id: todo.contract.unregistered}
contract_row contains ["unregistered", "todo.contract.unregistered", id, name] if {
	some named in [bindings, object.filter(blocks, user_open)]
	some id, name in named
	not name in goal.agents
}

# METADATA
# title: An agent todo excludes an unregistered agent
# custom: {id: todo.contract.unregistered}
contract_row contains ["unregistered", "todo.contract.unregistered", id, name] if {
	some id in (agent_open & excluding)
	some name in by_id[id].excluded_agents
	not name in goal.agents
}

# METADATA
# title: An agent todo blocks an agent
# custom: {id: todo.contract.agent_blocks}
contract_row contains ["agent_blocks", "todo.contract.agent_blocks", id, agent] if {
	some id, agent in object.filter(blocks, agent_open)
}

# METADATA
# title: A user todo excludes agents
# custom: {id: todo.contract.user_excludes}
contract_row contains ["user_excludes", "todo.contract.user_excludes", id, ""] if {
	some id in (user_open & excluding)
}

# METADATA
# title: A todo excludes the agent that holds it
# custom: {id: todo.contract.claim_excluded}
contract_row contains ["claim_excluded", "todo.contract.claim_excluded", id, claims[id]] if {
	some id in (agent_open & excluding)
	claims[id] in by_id[id].excluded_agents
}

excluding := {id | some id; by_id[id].excluded_agents}

# METADATA
# title: A user todo of a team is bound to nobody
# description: With two or more agents no agent counts it, so it would be seen by no one.
# custom: {id: scope.unbound}
contract_row contains ["unbound", "scope.unbound", id, ""] if {
	goal.multi_agent
	some id in (((user_open - bound) - goal_bound) - (gates & restraining))
}

# METADATA
# title: A task_class is no known word
# custom: {id: todo.contract.unknown_class}
contract_row contains ["unknown_class", "todo.contract.unknown_class", id, by_id[id].task_class] if {
	some id in unknown_class
}

# METADATA
# title: A status is no known word
# custom: {id: todo.contract.unknown_status}
contract_row contains ["unknown_status", "todo.contract.unknown_status", id, word] if {
	some id
	word := by_id[id].status_unknown
}

# METADATA
# title: A time cannot be read
# custom: {id: todo.contract.bad_time}
contract_row contains ["bad_time", "todo.contract.bad_time", id, concat(", ", times)] if {
	some id
	times := by_id[id].bad_times
}

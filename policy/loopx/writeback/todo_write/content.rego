# Refusals that look at what a todo says: its class and binding, its end, its follow-ups, its contract.
package loopx.writeback.todo_write

import data.loopx.goal
import data.loopx.request
import data.loopx.settings.todo_write as settings
import data.loopx.todos
import data.loopx.writeback.answer
import data.loopx.writeback.todo_fields as fields

# --- what a todo must say

# METADATA
# title: A user todo has a user class
# custom: {id: todo_write.user_class, settings: [user_classes]}
# labels: {rule: todo_write.user_class}
outcome_row contains {"rank": 125, "rule": "todo_write.user_class", "value": answer.invalid(settings.text.user_class)} if {
	authors
	opens
	role == "user"
	not object.get(after, "task_class", "") in settings.user_classes
}

# METADATA
# title: A user todo of a team is bound
# description: |
#   To a registered agent, to the goal, or by a gate that blocks one agent or all. The caller's own lane is bound when
#   nothing else is said, and a gate binds to the agent that it blocks. An agent todo is claimed and not bound.
# custom: {id: todo_write.bind, settings: [user_keys]}
# labels: {rule: todo_write.bind}
outcome_row contains {"rank": 130, "rule": "todo_write.bind", "value": answer.invalid(why)} if {
	authors
	opens
	role == "user"
	goal.multi_agent
	not bound(after)
	why := sprintf(settings.text.bind, [request.goal_id])
}

outcome_row contains {"rank": 131, "rule": "todo_write.bind", "value": answer.invalid(why)} if {
	authors
	blocked := given.blocks_agent
	given.bound_agent != blocked
	why := sprintf(settings.text.bind_blocks, [blocked, given.bound_agent])
}

outcome_row contains {"rank": 132, "rule": "todo_write.bind", "value": answer.invalid(why)} if {
	authors
	role == "agent"
	some key in settings.user_keys
	given[key] != "false"
	why := sprintf(settings.text.bind_agent, [key])
}

bound(todo) if todo.bound_agent in goal.agents

bound(todo) if todo.goal_bound

bound(todo) if {
	todo.task_class == settings.gate_class
	todo.global_gate
}

# METADATA
# title: A monitor ends some day
# custom: {id: todo_write.monitor_bound, settings: [monitor_bounds]}
# labels: {rule: todo_write.monitor_bound}
outcome_row contains {"rank": 135, "rule": "todo_write.monitor_bound", "value": answer.invalid(settings.text.monitor_bound)} if {
	authors
	opens
	after.task_class == settings.monitor_class
	count(object.filter(after, settings.monitor_bounds)) == 0
	not after.watch_only
}

opens if not after_status in settings.terminal

# METADATA
# title: An end without a follow-up says why
# custom: {id: todo_write.no_followup}
# labels: {rule: todo_write.no_followup}
outcome_row contains {"rank": 140, "rule": "todo_write.no_followup", "value": answer.invalid(settings.text.no_followup)} if {
	asked.no_followup
	count(object.filter(given, ending_words)) == 0
}

ending_words := ["note", "evidence", "reason"] if updates

ending_words := ["note", "evidence"] if not updates

# METADATA
# title: A decision belongs to a gate
# custom: {id: todo_write.outcome}
# labels: {rule: todo_write.outcome}
outcome_row contains {"rank": 145, "rule": "todo_write.outcome", "value": answer.invalid(settings.text.outcome)} if {
	given.decision_outcome
	object.get(target, "task_class", "") != settings.gate_class
}

# METADATA
# title: A merge without review shows its evidence
# custom: {id: todo_write.self_merged}
# labels: {rule: todo_write.self_merged}
outcome_row contains {"rank": 150, "rule": "todo_write.self_merged", "value": answer.invalid(settings.text.self_merged)} if {
	asked.self_merged
	not given.evidence
}

# METADATA
# title: One continuation
# description: No follow-up and a successor exclude each other, and what supersedes a todo has to be named.
# custom: {id: todo_write.continuation}
# labels: {rule: todo_write.continuation}
outcome_row contains {"rank": 155, "rule": "todo_write.continuation", "value": answer.invalid(settings.text.both)} if {
	asked.no_followup
	count(successor_ids) > 0
}

outcome_row contains {"rank": 156, "rule": "todo_write.continuation", "value": answer.invalid(settings.text.supersede)} if {
	supersedes
	count(successor_ids) == 0
}

# METADATA
# title: A follow-up is complete
# description: A user todo with its class, routing only with an agent todo, and values that their keys can hold.
# custom: {id: todo_write.follow_up}
# labels: {rule: todo_write.follow_up}
outcome_row contains {"rank": 160, "rule": "todo_write.follow_up", "value": answer.invalid(settings.text.next_class)} if {
	object.get(next, "user_text", "") != ""
	not next_class in settings.user_classes
}

outcome_row contains {"rank": 160, "rule": "todo_write.follow_up", "value": answer.invalid(settings.text.next_class)} if {
	next.user_class
	object.get(next, "user_text", "") == ""
}

outcome_row contains {"rank": 161, "rule": "todo_write.follow_up", "value": answer.invalid(settings.text.next_agent)} if {
	count(object.get(next, "fields", {})) + count(object.get(next, "lists", {})) > 0
	object.get(next, "agent_text", "") == ""
}

outcome_row contains {
	"rank": 161,
	"rule": "todo_write.follow_up",
	"value": answer.refused("quota_agent_not_registered", why),
} if {
	holder := fields.metadata(next).claimed_by
	count(goal.agents) > 0
	not holder in goal.agents
	why := sprintf(settings.text.claim_unregistered, [holder, request.goal_id])
}

outcome_row contains {"rank": 162, "rule": "todo_write.follow_up", "value": answer.invalid(why)} if {
	first := fields.unusable(next)[0]
	why := sprintf(settings.text.next_field, first)
}

# METADATA
# title: The change would leave a contract error
# description: On a todo that the call touches, and one that was not there before. The message names the command that mends it.
# custom: {id: todo_write.contract}
# labels: {rule: todo_write.contract}
outcome_row contains {"rank": 165, "rule": "todo_write.contract", "value": answer.refused("todo_contract", why)} if {
	new := sort({error.message | some error in errors_after; error.todo_id in touched})
	why := sprintf(settings.text.contract, [new[0]])
}

errors_after := found - todos.contract_errors if {
	found := todos.contract_errors with input.todos as todos_after
}

# METADATA
# title: Nothing is asked of an update
# custom: {id: todo_write.nothing}
# labels: {rule: todo_write.nothing}
outcome_row contains {"rank": 170, "rule": "todo_write.nothing", "value": answer.invalid(settings.text.nothing)} if {
	updates
	count(given) + count(object.get(asked, "clear", [])) == 0
	not asked.status
	not asked.no_followup
	text == ""
}

# METADATA
# title: How many terminal todos stay
# custom: {id: todo_write.max}
# labels: {rule: todo_write.max}
outcome_row contains {"rank": 171, "rule": "todo_write.max", "value": answer.invalid(why)} if {
	archives
	not regex.match(settings.whole, most_text)
	why := sprintf(settings.text.max, [most_text])
}

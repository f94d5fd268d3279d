# Refusals that look at what is named and at who asks: the file, the todo, its holder and the claimant.
package loopx.writeback.todo_write

import data.loopx.goal
import data.loopx.request
import data.loopx.settings.todo_write as settings
import data.loopx.todos
import data.loopx.writeback.answer
import data.loopx.writeback.todo_fields as fields

# --- refusals that all commands share

# METADATA
# title: The state file cannot be used
# custom: {id: todo_write.state_file}
# labels: {rule: todo_write.state_file}
outcome_row contains {"rank": 60, "rule": "todo_write.state_file", "value": answer.refused("state_file_unusable", why)} if {
	not input.state.exists
	why := sprintf(settings.text.state_file, [request.goal_id])
}

# METADATA
# title: Todos that live in an event log
# custom: {id: todo_write.events}
# labels: {rule: todo_write.events}
outcome_row contains {"rank": 65, "rule": "todo_write.events", "value": answer.refused("state_event_sourced", why)} if {
	input.state.event_sourced
	why := sprintf(settings.text.events, [request.goal_id])
}

# METADATA
# title: No todo of this id
# custom: {id: todo_write.unknown}
# labels: {rule: todo_write.unknown}
outcome_row contains {"rank": 70, "rule": "todo_write.unknown", "value": answer.refused("todo_not_found", why)} if {
	targeted
	not target
	why := sprintf(settings.text.unknown, [request.goal_id, target_id])
}

# METADATA
# title: Two todos of this id
# custom: {id: todo_write.duplicate}
# labels: {rule: todo_write.duplicate}
outcome_row contains {"rank": 75, "rule": "todo_write.duplicate", "value": answer.refused("todo_ambiguous", why)} if {
	targeted
	some finding in input.findings
	finding.rule == "todo.id.duplicate"
	contains(finding.message, target.id)
	why := sprintf(settings.text.duplicate, [target.id])
}

# METADATA
# title: A role is agent or user, and that of the named todo
# custom: {id: todo_write.role}
# labels: {rule: todo_write.role}
outcome_row contains {"rank": 80, "rule": "todo_write.role", "value": answer.invalid(why)} if {
	not role in ["agent", "user"]
	not targeted
	why := sprintf(settings.text.role, [role])
}

outcome_row contains {"rank": 81, "rule": "todo_write.role", "value": answer.invalid(why)} if {
	asked.role != target.role
	why := sprintf(settings.text.other_role, [target.id, target.role, asked.role])
}

# METADATA
# title: A todo has a text
# custom: {id: todo_write.text}
# labels: {rule: todo_write.text}
outcome_row contains {"rank": 85, "rule": "todo_write.text", "value": answer.invalid(settings.text.text)} if {
	adds
	text == ""
}

# METADATA
# title: The status is a known word
# custom: {id: todo_write.status, settings: [statuses]}
# labels: {rule: todo_write.status}
outcome_row contains {"rank": 90, "rule": "todo_write.status", "value": answer.invalid(why)} if {
	words := settings.statuses[command]
	asked.status
	not lower(asked.status) in words
	why := sprintf(settings.text.status, [asked.status, concat(", ", words)])
}

# METADATA
# title: A value that its key cannot hold
# custom: {id: todo_write.field, settings: [fields, lists, times]}
# labels: {rule: todo_write.field}
outcome_row contains {"rank": 95, "rule": "todo_write.field", "value": answer.invalid(why)} if {
	first := fields.unusable(asked)[0]
	why := sprintf(settings.text.field, first)
}

# METADATA
# title: A todo that is named exists
# description: A condition, a successor or a blocked todo that nobody has would wait or point nowhere for ever.
# custom: {id: todo_write.target, settings: [references]}
# labels: {rule: todo_write.target}
outcome_row contains {"rank": 100, "rule": "todo_write.target", "value": answer.refused("todo_not_found", why)} if {
	missing := sort({[key, id] | some key, named in references; some id in named; not known(id)})
	first := missing[0]
	why := sprintf(settings.text.target, [first[0], first[1], request.goal_id])
}

outcome_row contains {"rank": 101, "rule": "todo_write.target", "value": answer.invalid(why)} if {
	some key, named in references
	target.id in named
	why := sprintf(settings.text.self, [target.id, key])
}

references[key] := {given[key]} if some key in settings.references

references["successor_todo_ids"] := {id | some id in split(given.successor_todo_ids, ",")}

references["resume_when"] := {trim_prefix(given.resume_when, "todo_done:")} if startswith(given.resume_when, "todo_done:")

known(id) if todos.by_id[id]

known(id) if {
	some archived in input.archived_done
	archived.id == id
}

# --- who may change it

# METADATA
# title: Several agents, and none is named
# custom: {id: todo_write.agent}
# labels: {rule: todo_write.agent}
outcome_row contains {"rank": 105, "rule": "todo_write.agent", "value": answer.invalid(why)} if {
	completes
	goal.multi_agent
	not caller
	why := sprintf(settings.text.agent, [request.goal_id, command])
}

# METADATA
# title: Another agent holds the todo
# description: Named by its id, or by a text that is there already.
# custom: {id: todo_write.holder}
# labels: {rule: todo_write.holder}
outcome_row contains {"rank": 110, "rule": "todo_write.holder", "value": answer.refused("todo_claimed", why)} if {
	agent := acting
	holder := changed_block.claimed_by
	holder != agent
	why := sprintf(settings.text.holder, [changed_block.id, holder, agent])
}

# METADATA
# title: The agent that acts on the todo
# description: A claim is made for the agent that it names, everything else by the caller; an addition without a caller is the claimant's.
acting := claimant if claims

acting := caller if not claims

acting := given.claimed_by if {
	adds
	not caller
}

changed_block := target

changed_block := twin if {
	twin
	not projected_twin
	differs
}

claimant := given.claimed_by

claimant := caller if not given.claimed_by

# METADATA
# title: The todo excludes the agent
# custom: {id: todo_write.excluded}
# labels: {rule: todo_write.excluded}
outcome_row contains {"rank": 115, "rule": "todo_write.excluded", "value": answer.refused("todo_agent_excluded", why)} if {
	some agent in changed_block.excluded_agents
	agent == acting
	why := sprintf(settings.text.excluded, [changed_block.id, agent])
}

# METADATA
# title: Who claims, and what
# description: An agent todo that is open, for a registered agent.
# custom: {id: todo_write.claimant}
# labels: {rule: todo_write.claimant}
outcome_row contains {"rank": 120, "rule": "todo_write.claimant", "value": answer.invalid(settings.text.claim_none)} if {
	claims
	not claimant
}

outcome_row contains {"rank": 121, "rule": "todo_write.claimant", "value": answer.invalid(settings.text.claim_user)} if {
	wants_claim
	role == "user"
}

outcome_row contains {"rank": 122, "rule": "todo_write.claimant", "value": answer.refused("quota_agent_not_registered", why)} if {
	wants_claim
	not claimant in goal.agents
	roster_needed
	why := sprintf(settings.text.claim_unregistered, [claimant, request.goal_id])
}

outcome_row contains {"rank": 123, "rule": "todo_write.claimant", "value": answer.refused("todo_closed", why)} if {
	claims
	target.status in settings.terminal
	why := sprintf(settings.text.claim_closed, [target.id, target.status])
}

wants_claim if claims

wants_claim if given.claimed_by

# a goal without a roster knows no agents to check a name against
roster_needed if claims

roster_needed if count(goal.agents) > 0

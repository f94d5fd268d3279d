# What a change would leave behind: the keys it writes and removes, the todos it adds, and the todos after it.
package loopx.writeback.todo_write

import data.loopx.goal
import data.loopx.settings.todo_write as settings
import data.loopx.settings.todos.sections
import data.loopx.todos
import data.loopx.writeback.answer
import data.loopx.writeback.todo_fields as fields

# --- the block that is there

# METADATA
# title: An open todo with the same text
# description: Of the same role; undefined when there is none.
twin := todos.by_id[min(twins)[1]] if adds

twins contains [todo.index, todo.id] if {
	some todo in input.todos
	todo.role == role
	todo.text == text
	not todo.status in settings.terminal
}

# METADATA
# title: An open todo of the same projection
# description: Same role, same target capabilities, and the same blocked todo or else the same kind of action.
projected_twin := todos.by_id[min(projected_twins)[1]] if adds

projected_twins contains [todo.index, todo.id] if {
	some todo in input.todos
	todo.role == role
	not todo.status in settings.terminal
	{c | some c in todo.target_capabilities} == {c | some c in split(given.target_capabilities, ",")}
	same_projection(todo)
}

same_projection(todo) if todo.unblocks_todo_id == given.unblocks_todo_id

same_projection(todo) if {
	not todo.unblocks_todo_id
	not given.unblocks_todo_id
	todo.action_kind == given.action_kind
}

# METADATA
# title: The todo that the call is about, as it is
# description: Undefined for a new one.
present := target

present := projected_twin if adds

present := twin if {
	adds
	not projected_twin
}

subject := present.id

subject := added[0].id if {
	adds
	not present
}

# --- what is written

default after_status := "open"

after_status := lower(asked.status) if {
	authors
	asked.status
}

after_status := "done" if closes

after_status := present.status if {
	not closes
	not asked.status
}

writes_status if closes

writes_status if {
	adds
	not present
}

writes_status if asked.status

# METADATA
# title: Keys of the block and what is written into them
writes := object.union_n([
	given,
	binding,
	{"claimed_by": claimant | claims},
	{"status": after_status | writes_status},
	# a block without an id gets the one that it is known by, so that its next edit finds it
	{"todo_id": target.id | not target.explicit_id},
	{"no_followup": "true" | asked.no_followup},
	closing,
	{"updated_at": answer.now},
])

default binding := {}

# METADATA
# title: Whom a user todo is bound to without being told
# description: A gate to the agent that it blocks, anything else of a new todo to the lane of its author.
binding := {"bound_agent": given.blocks_agent} if given.blocks_agent

binding := {"bound_agent": caller} if {
	adds
	role == "user"
	not bound_by_flags
}

bound_by_flags if {
	some key in ["bound_agent", "blocks_agent", "goal_bound", "global_gate"]
	given[key]
}

default closing := {}

closing := object.union_n([
	{"completed_at": answer.now, "completion_continuation": continuation},
	{"superseded_by": sort(successor_ids)[0] | supersedes},
	{"successor_todo_ids": concat(",", sort(successor_ids)) | completes; count(successor_ids) > 0},
]) if {
	after_status == "done"
	writes_status
}

continuation := "no_followup" if asked.no_followup

continuation := "successor" if {
	not asked.no_followup
	count(successor_ids) > 0
}

continuation := "active_goal" if {
	not asked.no_followup
	count(successor_ids) == 0
}

# METADATA
# title: Keys that the block loses
# description: Those that are cleared, those that exclude a written one, and what a closed todo kept of its end.
removes := sort({key |
	some key in removable
	object.get(target, key, null) != null
	not writes[key]
})

removable contains key if some key in asked.clear

removable contains other if {
	some key, other in settings.exclusive
	given[key]
	given[key] != "false"
}

removable contains key if {
	some key in settings.closing_keys
	target.status in settings.terminal
	not after_status in settings.terminal
}

# METADATA
# title: The todo after the change
after := object.union(object.remove(present, array.concat(removes, sort(object.keys(object.remove(fact_writes, ["status"]))))), fact_writes)

after := new_fact(added[0]) if {
	adds
	not present
}

fact_writes := fields.facts(object.remove(writes, ["todo_id"]))

default after_id := ""

after_id := present.id if not projected_twin

# METADATA
# title: The change changes something
# description: The time of the change alone does not count.
differs if {
	some key, value in fact_writes
	key != "updated_at"
	object.get(present, key, null) != value
}

differs if count(removes) > 0

differs if retexted

# a status that is no word, or that the checkbox contradicts, is mended by saying it again
differs if {
	asked.status
	target.status_unknown
}

differs if {
	asked.status
	target.marker_mismatch
}

retexted if {
	updates
	text != ""
	text != target.text
}

# METADATA
# title: The edit of the block that is there
change := [object.union_n([
	{"op": "edit", "todo_id": present.id, "set": writes, "unset": removes},
	{"marker": settings.markers[after_status] | writes_status},
	{"text": text | retexted},
])]

# --- what is added

# METADATA
# title: New todos
# description: The one that is added, or the follow-ups of one that is closed.
added := [new_todo(role, text, object.union(writes, {"status": after_status}))] if {
	adds
	not present
}

added := follow_ups if closes

follow_ups := array.concat(agent_follow_up, user_follow_up)

added := [] if {
	not closes
	not adds
}

added := [] if {
	adds
	present
}

new_todo(owner, line, metadata) := {
	"id": id,
	"role": owner,
	"text": line,
	"index": next_index(owner),
	"metadata": object.union(metadata, {"todo_id": id}),
} if {
	id := new_id(owner, line)
}

next_index(owner) := count([todo | some todo in input.todos; todo.role == owner]) + 1

# METADATA
# title: Id of a new todo
# description: That of its place and text (state-files.md 3.6), or of a later place when another todo has that id.
new_id(owner, line) := [id |
	some later in numbers.range(0, 9)
	place := [owner, section(owner), format_int(next_index(owner) + later, 10), line]
	id := concat("", ["todo_", substring(crypto.sha1(concat("|", place)), 0, 12)])
	not known(id)
][0]

section(owner) := object.get(input.state, concat("_", [owner, "section"]), sections[owner])

default next := {}

next := asked.next

default next_class := ""

next_class := lower(next.user_class)

default agent_follow_up := []

agent_follow_up := [new_todo("agent", follow_text(next.agent_text), object.union_n([
	{"status": "open", "task_class": settings.follow_up_class},
	fields.metadata(next),
	{"unblocks_todo_id": target.id, "updated_at": answer.now},
]))] if {
	fields.collapse(next.agent_text) != ""
}

default user_follow_up := []

user_follow_up := [new_todo("user", follow_text(next.user_text), object.union_n([
	{"status": "open", "task_class": next_class, "unblocks_todo_id": target.id, "updated_at": answer.now},
	{"bound_agent": caller | caller},
	{"goal_bound": "true" | not caller; goal.multi_agent},
]))] if {
	fields.collapse(next.user_text) != ""
}

# METADATA
# title: A follow-up inherits the priority
follow_text(line) := shortened(fields.collapse(line)) if own_priority(line)

follow_text(line) := shortened(sprintf("[%s] %s", [target.priority, fields.collapse(line)])) if not own_priority(line)

own_priority(line) if regex.match(`^\s*\[[Pp][0-4]`, line)

own_priority(_) if not target.priority

additions := [{
	"op": "add",
	"role": todo.role,
	"text": todo.text,
	"marker": settings.markers[todo.metadata.status],
	"metadata": todo.metadata,
} |
	some todo in added
]

# METADATA
# title: Todos that follow a closed one
# description: Those that the call names and those that it adds.
successor_ids := {id | some id in split(object.get(given, "successor_todo_ids", ""), ","); id != ""} | {todo.id |
	closes
	some todo in follow_ups
}

# METADATA
# title: The next action follows its todo
# description: A section that is bound to the closed todo goes to the agent todo that succeeds it.
default rebound := []

rebound := [{"op": "next_action", "lines": [successor.text], "todo_id": successor.id}] if {
	closes
	input.state.next_action_binding == target.id
	successor := agent_successors[0]
}

agent_successors := array.concat(
	[todo | some todo in added; todo.role == "agent"],
	[todo | some id in sort(successor_ids); todo := todos.by_id[id]; todo.role == "agent"],
)

# --- the todos after the call

todos_after := array.concat(
	[todo | some old in input.todos; todo := changed_or_same(old)],
	[new_fact(todo) | some todo in added],
)

changed_or_same(old) := after if old.id == after_id

changed_or_same(old) := old if old.id != after_id

# METADATA
# title: Ids that the call touches
touched := {todo.id | some todo in added} | {after_id}

new_fact(todo) := object.union(
	{
		"id": todo.id,
		"explicit_id": true,
		"role": todo.role,
		"index": todo.index,
		"line": 1,
		"section": section(todo.role),
		"text": todo.text,
		"title": todo.text,
		"rank": 50,
	},
	fields.facts(object.remove(todo.metadata, ["todo_id"])),
)

# --- the archive

# METADATA
# title: Terminal todos that go to the archive
# description: The first ones in the file, as many as there are more than may stay.
default archived := []

archived := array.slice(movable, 0, max([0, count(terminal) - to_number(most_text)])) if {
	archives
	regex.match(settings.whole, most_text)
}

most_text := object.get(asked, "max_active_done", format_int(settings.max_active_done, 10))

terminal := [todo |
	some [_, id] in sort([[todo.index, todo.id] | some todo in input.todos; todo.role == role; todo.status in settings.terminal])
	todo := todos.by_id[id]
]

movable := [todo.id | some todo in terminal; not standing(todo)]

# METADATA
# title: A decision that still stands
# description: A closed gate of the user, by its scope or its outcome.
standing(todo) if {
	todo.task_class == settings.gate_class
	some key in ["decision_scope", "decision_outcome"]
	todo[key]
}

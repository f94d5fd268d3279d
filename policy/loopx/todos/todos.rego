# METADATA
# title: Todos
# description: |
#   What each todo is (its class, whether it is open, ready, mine) as sets of ids. Reads the todo blocks, the archive
#   and the state file's next action; of the request only the agent, its capabilities and the instant; of the goal only
#   the roster. Quota, runs and lanes may not enter. Every question is one pass that gives a set; a table that needs
#   a todo asks `id in set` and looks the todo up in by_id.
# schemas:
#   - input: schema.facts.input
package loopx.todos

import data.loopx.request
import data.loopx.settings

# METADATA
# title: Todos of the active sections by id
by_id := {t.id: t | some t in input.todos}

ids := object.keys(by_id)

# METADATA
# title: Agent todos of any status
agent := ids - user

user := {id | some id, todo in by_id; not todo.role == "agent"}

held_or_done := {id | some id, todo in by_id; not todo.status == "open"}

# METADATA
# title: Todos that are done
done := {id | some id in held_or_done; by_id[id].status == "done"}

deferred_ids := {id | some id in held_or_done; by_id[id].status == "deferred"}

blocked := {id | some id in held_or_done; by_id[id].status == "blocked"}

# METADATA
# title: Agent todos that are not done
# description: Open, blocked and deferred.
live := agent - done

# METADATA
# title: Open agent todos
# description: Blocked ones count as open in every summary.
agent_open := live - deferred_ids

agent_done := agent & done

user_open := (user - done) - deferred_ids

# METADATA
# title: Executable agent todos
# description: Open, not blocked, and with no resume condition that is still unmet.
# custom: {id: todo.actionable_open}
actionable := (agent_open - blocked) - resume_blocked_all

# METADATA
# title: Executable advancement todos of all agents
advancement := actionable & adv_class

# METADATA
# title: Executable monitors of all agents
monitors := actionable & mon_class

# --- class

explicit_adv := {id | some id; by_id[id].task_class == "advancement_task"}

explicit_mon := {id | some id in (ids - explicit_adv); by_id[id].task_class == "continuous_monitor"}

# METADATA
# title: Class as written
# description: A task_class of the vocabulary stands, whatever the text says.
# custom: {id: todo.class.explicit, settings: [classes]}
explicit := object.union_n([
	{id: "advancement_task" | some id in explicit_adv},
	{id: "continuous_monitor" | some id in explicit_mon},
	explicit_other,
])

not_common := (ids - explicit_adv) - explicit_mon

explicit_other := {id: c |
	some id in not_common
	c := by_id[id].task_class
	c in settings.todos.classes
}

# METADATA
# title: Todos whose task_class is no known word
# description: A contract error; such a todo belongs to no class.
unknown_class := {id |
	some id in not_common
	by_id[id].task_class
	not explicit_other[id]
}

unclassed := (not_common - object.keys(explicit_other)) - unknown_class

# METADATA
# title: Advancement by action kind
# custom: {id: todo.class.action_adv, settings: [action_kinds]}
action_adv := {id | some id in unclassed; by_id[id].action_kind in settings.todos.action_kinds.advancement}

# METADATA
# title: Monitor by action kind
# custom: {id: todo.class.action_mon, settings: [action_kinds]}
action_mon := {id | some id in unclassed; by_id[id].action_kind in settings.todos.action_kinds.monitor}

by_text := (unclassed - action_adv) - action_mon

# METADATA
# title: Monitor by text
# description: |
#   Only for agent todos that are not done and carry neither a class nor a listed action kind. A wait for somebody
#   else, or words of observation without words of executable work; in doubt advancement, so that an old checkbox
#   never makes a goal quiet.
# custom: {id: todo.class.text, settings: [text]}
text_mon := text_hard | {id |
	some id in ((by_text & live) - text_hard)
	text := by_id[id].text
	not regex.match(any_of(settings.todos.text.advancement), text)
	regex.match(any_of(settings.todos.text.monitor), text)
}

text_hard := {id |
	some id in (by_text & live)
	regex.match(any_of(settings.todos.text.hard_monitor), by_id[id].text)
}

# One expression that matches when any of a list does.
any_of(patterns) := sprintf("(?i)%s", [concat("|", patterns)])

adv_class := (explicit_adv | action_adv) | (by_text - text_mon)

mon_class := (explicit_mon | action_mon) | text_mon

by_class := object.union(
	{"advancement_task": adv_class, "continuous_monitor": mon_class},
	{c: members |
		some c in {c | some c in explicit_other}
		members := {id | some id; explicit_other[id] == c}
	},
)

# METADATA
# title: Class of a todo
# description: Undefined for an unknown task_class.
# custom: {id: todo.class}
class := {id: c | some c, members in by_class; some id in members}

# --- order and output

sort_keys := {id: [t.rank, t.index, id] | some id, t in by_id}

# METADATA
# title: Ids in projection order
# description: "ids: a set or array of todo ids. By priority rank, then by place in the section."
projection(some_ids) := [id | id := sort([key | key := object.filter(sort_keys, some_ids)[_]])[_][2]]

# METADATA
# title: A todo as it is shown
# description: "id: a known todo id. todo_item_v0 with the text cut."
item(id) := object.union_n([
	object.filter(todo, settings.todos.item_keys),
	{
		"schema_version": "todo_item_v0",
		"todo_id": id,
		"text": substring(todo.text, 0, settings.todos.limits.text),
	},
	{"task_class": c | c := class[id]},
	{"resume_ready": ready | ready := resume_state[id]},
]) if {
	todo := by_id[id]
}

resume_state[id] := true if resume_ready[id]

resume_state[id] := false if {
	waiting[id]
	not resume_ready[id]
}

# METADATA
# title: Next Action names these todos
# description: Executable advancement in scope, in the order of the Next Action; by bound id, else by equal text.
next_action_executable := array.concat(named, [id |
	some text in input.state.next_actions
	some id in first_executable
	by_id[id].text == text
	not id in named
])

named := [id | some id in input.state.next_action_todo_ids; id in adv]

# METADATA
# title: Todos whose checkbox and status disagree
# description: The status counts. Undefined when all agree.
marker_warning := {
	"schema_version": "todo_marker_warning_v0",
	"count": count(mismatched),
	"items": [{"todo_id": id, "line": by_id[id].line, "message": message("marker", id, by_id[id].status)} |
		some id in projection(mismatched)
	],
} if {
	count(mismatched) > 0
}

mismatched := {id | some id; by_id[id].marker_mismatch}

message(code, id, detail) := strings.replace_n(
	{"{todo}": id, "{goal}": request.goal_id, "{detail}": detail},
	settings.todos.messages[code],
)

package loopx.agent_scope

import data.loopx.capability_gate
import data.loopx.debt
import data.loopx.lib.rank
import data.loopx.quota
import data.loopx.settings.scope as settings
import data.loopx.todos

# ids that could be worked on while a gate is open; nothing is collected without a gate
candidates := (todos.due | ready) | runnable if count(todos.gates_mine) > 0

ready := {id | some id in todos.deferred_ready_mine}

runnable := todos.adv if capability_gate.action == "none"

# the gate's list is authoritative even when it is empty
runnable := {item.todo_id | some item in capability_gate.runnable} & todos.adv_class if {
	capability_gate.action != "none"
}

# METADATA
# title: A global gate blocks everything
# description: When the gate is marked as global.
# custom: {id: scope.gate_blocks, sets: [scoped_user_gate_fallback]}
# labels: {rule: scope.gate_blocks}
relation_row contains related(10, gate, id, "global_gate", "global_gate") if {
	some gate in todos.gates_mine
	todos.by_id[gate].global_gate
	some id in candidates
}

# METADATA
# title: A gate blocks the todo it names
# description: When the gate unblocks exactly this todo.
# custom: {id: scope.gate_blocks, sets: [scoped_user_gate_fallback]}
# labels: {rule: scope.gate_blocks}
relation_row contains related(20, gate, id, "gate_targets_todo", "unblocks_todo_id") if {
	some gate in todos.gates_mine
	id := todos.by_id[gate].unblocks_todo_id
	id in candidates
}

# METADATA
# title: A gate whose scope covers a todo but that names another is a projection fault and blocks
# description: When the decision scope covers a required scope and the gate unblocks another todo.
# custom: {id: scope.gate_blocks, sets: [scoped_user_gate_fallback]}
# labels: {rule: scope.gate_blocks}
relation_row contains related(30, gate, id, "projection_repair_required", "unblocks_todo_id+decision_scope") if {
	some [gate, id] in covered
	todos.by_id[gate].unblocks_todo_id != id
}

# METADATA
# title: A gate blocks what its decision scope covers
# description: When the decision scope covers a required scope and the gate names no todo.
# custom: {id: scope.gate_blocks, sets: [scoped_user_gate_fallback], settings: [scope.granularity]}
# labels: {rule: scope.gate_blocks}
relation_row contains related(40, gate, id, "gate_covers_action", "decision_scope") if {
	some [gate, id] in covered
	not todos.by_id[gate].unblocks_todo_id
}

# METADATA
# title: An untyped gate blocks the same kind of action
# description: When the gate has neither target nor scope and both action kinds share a word.
# custom: {id: scope.gate_blocks, sets: [scoped_user_gate_fallback]}
# labels: {rule: scope.gate_blocks}
relation_row contains related(50, gate, id, "action_overlap", "action_kind") if {
	some gate in untyped
	some id in candidates
	count(kind_words[gate] & kind_words[id]) > 0
}

# METADATA
# title: An untyped gate with an action kind blocks a todo that speaks of that action
# description: When the todo's text holds enough words of the gate's action kind.
# custom: {id: scope.gate_blocks, sets: [scoped_user_gate_fallback], settings: [scope.shared_words, scope.stop_words]}
# labels: {rule: scope.gate_blocks}
relation_row contains related(60, gate, id, "action_overlap", "action_kind+text") if {
	some gate in untyped
	some id in candidates
	count(kind_words[gate] & words[id]) >= settings.shared_words.gate_names_action
}

# METADATA
# title: An untyped gate blocks a todo that reads like it
# description: When the texts share enough words, whatever the action kinds are.
# custom: {id: scope.gate_blocks, sets: [scoped_user_gate_fallback], settings: [scope.shared_words, scope.stop_words]}
# labels: {rule: scope.gate_blocks}
relation_row contains related(70, gate, id, "text_overlap", "text") if {
	some gate in untyped
	some id in candidates
	count(words[gate] & words[id]) >= settings.shared_words.free_text
}

related(at, gate, id, state, source) := {
	"rank": at,
	"rule": "scope.gate_blocks",
	"value": {"gate_todo_id": gate, "agent_todo_id": id, "state": state, "source": source},
}

covered contains [gate, id] if {
	some gate in todos.gates_mine
	scope := todos.by_id[gate].decision_scope
	some id in candidates
	some required in todos.by_id[id].required_decision_scopes
	scope.kind == required.kind
	scope.key in {required.key, "*"}
	settings.granularity[scope.granularity] >= settings.granularity[required.granularity]
}

untyped contains gate if {
	some gate in todos.gates_mine
	not todos.by_id[gate].unblocks_todo_id
	not todos.by_id[gate].decision_scope
	not todos.by_id[gate].global_gate
}

kind_words := {id: spoken(object.get(todos.by_id[id], "action_kind", "")) | some id in (candidates | untyped)}

words := {id: spoken(text) |
	some id in (candidates | untyped)
	text := concat(" ", [object.get(todos.by_id[id], "action_kind", ""), todos.by_id[id].text])
}

spoken(text) := {word | some word in regex.find_n(`[a-z0-9]{2,}`, lower(text), -1)} - stop_words

stop_words := {word | some word in settings.stop_words}

blocked := {row.value.agent_todo_id | some row in relation_row}

free := candidates - blocked

something_gated if count(blocked) > 0

something_gated if quota.object.safe_bypass_allowed

# METADATA
# title: Order of the free items
# description: Priority and place; while monitor debt is active advancement goes before a monitor of the same priority.
# custom: {id: scope.fallback_order}
order contains [todos.by_id[id].rank, late(id), todos.by_id[id].index, id] if some id in free

default late(_) := 0

late(id) := 1 if {
	debt.active
	id in todos.due
}

# METADATA
# title: Work that an open gate leaves free
# description: When a gate is open in scope, an item is blocked by no gate, and another is or a safe bypass is allowed.
# custom: {id: scope.fallback, sets: [scoped_user_gate_fallback], settings: [scope.visible]}
# labels: {rule: scope.fallback}
gate_fallback := {
	"schema_version": "scoped_user_gate_fallback_v0",
	"kind": "scoped_user_gate_fallback",
	"notify_user": true,
	"requires_user_action": true,
	"reason": fallback_reason,
	"blocked_user_gate": todos.item(surfaced_gate),
	"blocked_agent_items": array.slice(blocked_items, 0, settings.visible),
	"selected_executable": object.union(todos.item(fallback_id), fallback_kind),
	"recommended_action": fallback_action,
} if {
	fallback_id
	something_gated
}

fallback_id := min(order)[3]

surfaced_gate := todos.projection(blocking_gates)[0]

surfaced_gate := todos.projection(todos.gates_mine)[0] if count(blocking_gates) == 0

blocking_gates := {row.value.gate_todo_id | some row in relation_row}

blocked_items := [object.union(todos.item(id), {"todo_gate_relation": relation}) |
	some id in todos.projection(blocked)
	relation := rank.winner({row | some row in relation_row; row.value.agent_todo_id == id}).value
]

fallback_reason := settings.fallback.blocked if count(blocked) > 0

fallback_reason := settings.fallback.unrelated if count(blocked) == 0

fallback_kind := {"fallback_kind": "deferred_successor_replan"} if fallback_id in ready

fallback_kind := {} if not fallback_id in ready

fallback_action := settings.fallback.replan_action if fallback_id in ready

fallback_action := settings.fallback.recommended_action if not fallback_id in ready

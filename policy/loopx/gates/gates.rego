# METADATA
# title: What a person is asked
# description: |
#   The operator gate prompt, the notice of open user todos and the question for a missing owner capability, and whether
#   the turn needs a person at all. Reads the verdict and the scoped user todos; decides nothing for the agent.
package loopx.gates

import data.loopx.attention
import data.loopx.capability_gate
import data.loopx.health
import data.loopx.heartbeat
import data.loopx.lib.rank
import data.loopx.repair
import data.loopx.route
import data.loopx.settings
import data.loopx.todos

texts := settings.gates

item := attention.item

gated if route.effective_action == "operator_gate_notify"

# A closed goal and one with contract errors ask for nothing but their own state.
silent if route.terminal

silent if {
	route.effective_action == "blocked_health"
	not health.ok
}

# METADATA
# title: A gate that the agent can lift itself
# description: The repair of a runtime gate holds the turn, so its gate is not announced.
# custom: {id: repair.runtime_gate.silence}
runtime_gate_repair if {
	route.self_repair
	repair.hint.trigger == "runtime_capability_user_gate_overreach"
}

my_gate if {
	count(todos.gates_mine) > 0
	not silent
	not runtime_gate_repair
}

# METADATA
# title: Labels of the open user todos of this scope
# description: Gates before the rest, each in projection order.
labels := [todos.by_id[id].title |
	some ids in [todos.gates_mine, todos.actions_mine]
	some id in todos.projection(ids)
]

open_labels := array.slice(labels, 0, texts.max_items)

# METADATA
# title: The gate question
# description: The state is an operator gate and there is a question, a recommendation, a condition or an open user todo.
# custom: {id: gate.prompt, sets: [gate_prompt, notify_user_on_gate], settings: [gates.prompt]}
# labels: {rule: gate.prompt}
prompt := sprintf(texts.prompt, [prompt_parts[0]]) if {
	gated
	count(prompt_parts) > 0
}

# METADATA
# title: A gate that asks nothing
# description: |
#   The goal waits for a person, and no question, recommendation, condition, missing gate or todo says what to decide.
#   It is reported as a fault of the projection, never waited for in silence.
# custom: {id: connector.gate-concrete, sets: [projection_bug], settings: [gates.projection_bug]}
projection_bug := object.union(texts.projection_bug, {"rule": "connector.gate-concrete"}) if {
	gated
	count(prompt_parts) == 0
}

prompt_parts := array.concat(
	[text |
		some field in ["operator_question", "recommended_action", "next_handoff_condition"]
		text := item[field]
	],
	array.concat(
		[concat(", ", item.missing_gates) | count(item.missing_gates) > 0],
		array.concat(open_labels, other_labels),
	),
)

other_labels := [todos.by_id[id].title | some id in todos.projection(todos.gates_other | todos.actions_other)]

# METADATA
# title: Gate facts are copied
# custom: {id: gate.surface, sets: [operator_question, missing_gates, next_handoff_condition]}
surface := object.filter(item, ["operator_question", "missing_gates", "next_handoff_condition"]) if gated

# METADATA
# title: The gate is announced
# description: The gate has a question, or an open user gate is in this agent's scope.
# custom: {id: gate.ask_once, covers: [prec.user_gate, pipe.user_channel], sets: [notify_user_on_gate]}
default notify_gate := false

notify_gate if prompt

notify_gate if my_gate

# METADATA
# title: An open user gate of this scope
# description: A user gate is in this agent's scope, in any state but that of a closed goal or one with contract errors.
# custom: {id: gate.todo_notify, sets: [notify_user_on_gate, open_todo_notify_reason, open_todo_notification_policy]}
# labels: {rule: gate.todo_notify}
notice_row contains {"rank": 10, "rule": "gate.todo_notify", "value": value} if {
	my_gate
	value := {"push": false, "policy": "repeat_until_resolved"}
}

# METADATA
# title: The waiting goal repeats its notice
# description: The heartbeat asks for a repeated notice.
# custom: {id: user_todo.repeat, covers: [user_todo.dedupe], sets: [notify_user_on_open_todo, open_todo_notification_policy]}
# labels: {rule: user_todo.repeat}
notice_row contains {"rank": 20, "rule": "user_todo.repeat", "value": value} if {
	heartbeat.base.repeat_notification_required
	value := {"push": true, "policy": "repeat_until_resolved"}
}

# METADATA
# title: A wait that a user todo can end
# description: The goal waits or waits on someone, a user todo of this scope is open, and no recovery or repair holds the turn.
# custom: {id: user_todo.wait, sets: [notify_user_on_open_todo, open_todo_notify_reason], settings: [gates.waits]}
# labels: {rule: user_todo.wait}
notice_row contains {"rank": 30, "rule": "user_todo.wait", "value": {"push": true}} if {
	waits
	not gated
	not silent
	todos.user_open_count > 0
	not route.recovery
	not route.self_repair
}

waits if route.state in texts.waits.states

waits if data.loopx.agent_scope.waiting_on in texts.waits.owners

notice_winner := rank.winner(notice_row)

notice := notice_winner.value

# METADATA
# title: The open todo is announced
# custom: {id: user_todo.gate, sets: [notify_user_on_open_todo]}
default notify_open_todo := false

notify_open_todo if notice.push

# METADATA
# title: The owner is asked for a capability
# description: In an eligible goal a candidate lacks an owner-held capability.
# custom: {id: cap.binding.owner, sets: [notify_user_on_capability_gate]}
default notify_capability := false

notify_capability if count(owner_bindings) > 0

owner_bindings := [binding |
	route.eligible
	some binding in capability_gate.gate.resolution_bindings
	binding.owner == "user"
]

capability_question := capability_gate.gate.owner_action if notify_capability

# METADATA
# title: This turn needs a person
# custom: {id: user_todo.report, sets: [requires_user_action]}
default requires_user_action := false

requires_user_action if gated

requires_user_action if notify_gate

requires_user_action if notify_open_todo

requires_user_action if notify_capability

# METADATA
# title: The gate and notice fields of the document
fields := object.union_n([part | some part in parts])

parts contains surface

parts contains {"gate_prompt": prompt}

parts contains {"projection_bug": projection_bug}

parts contains {"notify_user_on_gate": true} if notify_gate

parts contains {"notify_user_on_open_todo": true} if notify_open_todo

parts contains {"open_todo_notification_policy": notice.policy}

parts contains {"open_todo_notify_reason": reason}

parts contains {"notify_user_on_capability_gate": true} if notify_capability

# METADATA
# title: Which todos are announced
# description: At most a few labels, with the replies that end the notice.
# custom: {id: user_todo.list, sets: [open_todo_notify_reason], settings: [gates.max_items]}
reason := sprintf(texts.notice, [concat("; ", open_labels), texts.replies]) if notice

fired["notify_user_on_open_todo"] := notice_winner

runners["notify_user_on_open_todo"] := rank.runner_up(notice_row)

package loopx.gates_test

import data.loopx.gates

both(a, b) := object.union(a, b)

# An eligible goal without user todos.
calm := {
	"turn": {"turn": "normal", "value": "normal_run"},
	"state": "eligible",
	"eligible": true,
	"owner": "codex",
	"item": {},
	"mine": [],
	"actions": [],
	"other": [],
	"hint": {},
	"bindings": [],
	"base": {},
	"ok": true,
}

ask(change) := found if {
	w := object.union(calm, change)
	found := {
		"fields": gates.fields,
		"requires": gates.requires_user_action,
		"gate": gates.notify_gate,
		"todo": gates.notify_open_todo,
		"capability": gates.notify_capability,
		"rules": {gates.notice_winner.rule | gates.notice_winner},
		"fired": gates.fired,
		"runners": gates.runners,
		"question": {gates.capability_question | gates.capability_question},
	} with data.loopx.route.turn as w.turn
		with data.loopx.route.state as w.state
		with data.loopx.route.eligible as w.eligible
		with data.loopx.health.ok as w.ok
		with data.loopx.agent_scope as {"waiting_on": w.owner}
		with data.loopx.attention as {"item": w.item}
		with data.loopx.heartbeat as {"base": w.base}
		with data.loopx.repair as {"hint": w.hint}
		with data.loopx.capability_gate as {"gate": {"resolution_bindings": w.bindings, "owner_action": "give credentials"}}
		with data.loopx.todos.gates_mine as {id | some id in w.mine}
		with data.loopx.todos.actions_mine as {id | some id in w.actions}
		with data.loopx.todos.gates_other as {id | some id in w.other}
		with data.loopx.todos.actions_other as set()
		with data.loopx.todos.user_open_count as count(w.mine) + count(w.actions)
		with data.loopx.todos.by_id as {id: {"id": id, "title": concat(" ", ["title", id]), "rank": 1, "index": 1, "role": "user"} |
			some id in ["g1", "g2", "a1", "a2", "a3", "o1"]
		}
}

gate := {"turn": {"turn": "hold", "value": "operator_gate_notify"}, "state": "operator_gate", "eligible": false, "owner": "user_or_controller"}

waiting := {"turn": {"turn": "hold", "value": "blocked_wait"}, "state": "waiting", "eligible": false, "owner": "external_evidence"}

unsafe := {"turn": {"turn": "hold", "value": "blocked_health"}, "state": "blocked_health", "eligible": false}

broken := both(unsafe, {"ok": false})

closed := {"turn": {"turn": "terminal", "value": "terminal_no_followup"}}

recovery := {"turn": {"turn": "recovery", "value": "outcome_floor_recovery"}, "state": "focus_wait", "eligible": false}

repairing := {"turn": {"turn": "self_repair", "value": "runtime_user_gate_projection_repair"}, "hint": {"trigger": "runtime_capability_user_gate_overreach"}}

repeat := {"base": {"repeat_notification_required": true}}

owner_binding := {"bindings": [{"owner": "user", "capability": "credentials"}, {"owner": "agent", "capability": "network"}]}

# name: change, notice rule, notify gate, notify open todo, requires a person
cases := {
	"work": [{}, [], false, false, false],
	"gate with nothing to show": [gate, [], false, false, true],
	"gate with a question": [both(gate, {"item": {"operator_question": "May it?"}}), [], true, false, true],
	"gate with its own todo": [both(gate, {"mine": ["g1"]}), ["gate.todo_notify"], true, false, true],
	"gate with another agent's todo": [both(gate, {"other": ["o1"]}), [], true, false, true],
	"gate todo in another state": [{"mine": ["g1"]}, ["gate.todo_notify"], true, false, true],
	"gate todo of a broken goal": [both(broken, {"mine": ["g1"]}), [], false, false, false],
	"gate todo of a goal that is not safe": [both(unsafe, {"mine": ["g1"]}), ["gate.todo_notify"], true, false, true],
	"gate todo of a closed goal": [both(closed, {"mine": ["g1"]}), [], false, false, false],
	"gate that the agent lifts": [both(repairing, {"mine": ["g1"]}), [], false, false, false],
	"wait with a todo": [both(waiting, both(repeat, {"actions": ["a1"]})), ["user_todo.repeat"], false, true, true],
	"wait with a gate todo": [both(waiting, both(repeat, {"mine": ["g1"]})), ["gate.todo_notify"], true, false, true],
	"wait of the state": [both(waiting, {"actions": ["a1"], "owner": "none"}), ["user_todo.wait"], false, true, true],
	"wait for an owner": [{"actions": ["a1"], "owner": "external_evidence"}, ["user_todo.wait"], false, true, true],
	"wait without todo": [waiting, [], false, false, false],
	"wait of a broken goal": [both(broken, {"actions": ["a1"], "owner": "controller"}), [], false, false, false],
	"wait of a goal that is not safe": [both(unsafe, {"actions": ["a1"], "owner": "controller"}), ["user_todo.wait"], false, true, true],
	"wait at the gate": [both(gate, {"actions": ["a1"]}), [], true, false, true],
	"recovery": [both(recovery, {"actions": ["a1"]}), [], false, false, false],
	"repair": [
		both(waiting, {"turn": {"turn": "self_repair", "value": "x"}, "actions": ["a1"]}),
		[], false, false, false,
	],
	"owner capability": [owner_binding, [], false, false, true],
	"owner capability while throttled": [both(owner_binding, {"eligible": false, "state": "throttled"}), [], false, false, false],
}

test_gates[name] if {
	some name, [change, rules, notify_gate, notify_todo, requires] in cases
	got := ask(change)
	got.rules == {rule | some rule in rules}
	got.gate == notify_gate
	got.todo == notify_todo
	got.requires == requires
}

test_gate_prompt_and_surface if {
	item := {"operator_question": "May it?", "next_handoff_condition": "then", "missing_gates": ["one", "two"], "agent_command": "no"}
	got := ask(both(gate, {"item": item})).fields
	contains(got.gate_prompt, "May it?")
	got.notify_user_on_gate
	object.filter(got, object.keys(item)) == object.remove(item, ["agent_command"])
}

prompts := {
	"recommendation": {"item": {"recommended_action": "do so"}, "says": "do so"},
	"condition": {"item": {"next_handoff_condition": "when so"}, "says": "when so"},
	"missing gates": {"item": {"missing_gates": ["one", "two"]}, "says": "one, two"},
	"own todo": {"mine": ["g1"], "says": "title g1"},
	"other todo": {"other": ["o1"], "says": "title o1"},
}

test_gate_prompt[name] if {
	some name, case in prompts
	contains(ask(both(gate, case)).fields.gate_prompt, case.says)
}

test_connector_gate_concrete_reports_a_gate_that_asks_nothing if {
	got := ask(gate).fields.projection_bug
	got.rule == "connector.gate-concrete"
	got.kind == "gate_without_payload"
	not ask(gate).fields.gate_prompt
}

test_connector_gate_concrete_is_silent_otherwise[name] if {
	some name, case in object.union(prompts, {"no gate": {"turn": calm.turn}})
	not ask(both(gate, case)).fields.projection_bug
}

test_gate_surface_only_at_the_gate if {
	not ask({"item": {"operator_question": "May it?"}}).fields.operator_question
}

# user_todo.list, user_todo.gate
test_user_todo_list_names_three_and_the_replies if {
	got := ask(both(waiting, both(repeat, {"actions": ["a1", "a2", "a3"], "mine": []}))).fields
	got.open_todo_notification_policy == "repeat_until_resolved"
	contains(got.open_todo_notify_reason, "title a1; title a2; title a3")
	contains(got.open_todo_notify_reason, "not now")
	got.notify_user_on_open_todo
	gated := ask(both(gate, {"mine": ["g1", "g2"], "actions": ["a1", "a2"]})).fields
	not contains(gated.open_todo_notify_reason, "title a2")
	gated.open_todo_notification_policy == "repeat_until_resolved"
	not gated.notify_user_on_open_todo
}

test_user_todo_wait_sets_no_policy if {
	not ask({"actions": ["a1"], "owner": "external_evidence"}).fields.open_todo_notification_policy
}

test_cap_binding_owner_asks if {
	got := ask(owner_binding)
	got.capability
	got.fields.notify_user_on_capability_gate
	got.question == {"give credentials"}
	ask({}).question == set()
}

test_gates_fired if {
	got := ask(both(waiting, both(repeat, {"actions": ["a1"]})))
	got.fired.notify_user_on_open_todo.rule == "user_todo.repeat"
	got.runners.notify_user_on_open_todo.rule == "user_todo.wait"
	ask({}).fired == {}
}

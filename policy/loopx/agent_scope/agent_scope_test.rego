package loopx.agent_scope_test

import data.loopx.agent_scope
import data.loopx.testing

gated := {"state": "operator_gate", "safe_bypass_allowed": true}

own_todo := testing.advancement("todo_mine", {"claimed_by": "agent-a"})

own_monitor := testing.monitor("todo_watch", {"claimed_by": "agent-a", "cadence": "1h", "cadence_seconds": 3600})

peer_gate := testing.user_todo("todo_gate", "user_gate", {"bound_agent": "agent-b"})

peer_action := testing.user_todo("todo_read", "user_action", {"bound_agent": "agent-b"})

override_cases := {
	"a peer's gate and own work": {
		"todos": [peer_gate, own_todo],
		"want": {"rule": "scope.override.gate", "state": "eligible", "waiting_on": "codex", "status": "refreshed"},
	},
	"a peer's gate and an own monitor": {
		"todos": [peer_gate, own_monitor],
		"want": {"rule": "scope.override.gate", "state": "eligible", "waiting_on": "codex", "status": "refreshed"},
	},
	"the share is spent under the gate": {
		"todos": [peer_gate, own_todo],
		"spent": 10,
		"want": {"rule": "scope.override.gate", "state": "throttled", "waiting_on": "codex", "status": "refreshed"},
	},
	"a peer's action and own work": {
		"todos": [peer_action, own_todo],
		"want": {"rule": "scope.override.action", "state": "eligible", "waiting_on": "codex", "status": "refreshed"},
	},
	"a peer's action and no work": {
		"todos": [peer_action],
		"want": {
			"rule": "scope.override.action",
			"state": "waiting",
			"waiting_on": "agent_scope",
			"status": "agent_scope_wait",
		},
	},
}

test_override[name] if {
	some name, case in override_cases
	got := {
		"rule": agent_scope.fired.state.rule,
		"state": agent_scope.state,
		"waiting_on": agent_scope.waiting_on,
		"status": agent_scope.status,
	} with input as testing.team({"todos": case.todos})
		with data.loopx.quota as {"object": gated, "spent": object.get(case, "spent", 9), "allowed": 10}
		with data.loopx.attention as {"item": {}, "waiting_on": "user_or_controller", "status": "refreshed"}
		with data.loopx.work_lane_contract as {}
		with data.loopx.capability_gate as {"action": "none"}
	got == case.want
}

test_override_shows_what_it_ignored if {
	got := agent_scope.override with input as testing.team({"todos": [peer_gate, peer_action, own_todo]})
		with data.loopx.quota as {"object": gated, "spent": 0, "allowed": 10}
		with data.loopx.attention as {"item": {}, "waiting_on": "controller"}
	object.remove(got.gate, ["reason"]) == {
		"schema_version": "agent_scoped_user_gate_override_v0",
		"kind": "agent_scoped_user_gate_override",
		"agent_id": "agent-a",
		"from_state": "operator_gate",
		"to_state": "eligible",
		"other_agent_scoped_open_count": 1,
	}
}

test_override_of_actions_counts_them if {
	got := agent_scope.override with input as testing.team({"todos": [peer_action, own_todo]})
		with data.loopx.quota as {"object": gated, "spent": 0, "allowed": 10}
		with data.loopx.attention as {"item": {}, "waiting_on": "controller"}
	got.action.other_agent_bound_user_action_open_count == 1
	got.action.to_state == "eligible"
}

no_override_cases := {
	"own gate": {"todos": [testing.user_todo("g", "user_gate", {"bound_agent": "agent-a"}), peer_gate, own_todo]},
	"a peer's gate and no work": {"todos": [peer_gate, peer_action]},
	"an own action beside a peer's": {"todos": [testing.user_todo("a", "user_action", {"bound_agent": "agent-a"}), peer_action, own_todo]},
	"a question of the goal": {"todos": [peer_gate, own_todo], "item": {"operator_question": "May I?"}},
	"missing gates": {"todos": [peer_gate, own_todo], "item": {"missing_gates": ["opt_in"]}},
	"another state": {"todos": [peer_gate, own_todo], "state": "blocked_health"},
	"a paused goal": {"todos": [peer_gate, own_todo], "state": "paused"},
	"nobody's todos": {"todos": [own_todo]},
	"an unscoped call": {"todos": [peer_gate, own_todo], "unscoped": true},
}

test_no_override[name] if {
	some name, case in no_override_cases
	state := object.get(case, "state", "operator_gate")
	facts := {true: testing.facts({"todos": case.todos}), false: testing.team({"todos": case.todos})}
	got := [agent_scope.override, agent_scope.overridden, agent_scope.state, agent_scope.waiting_on] with input as facts[object.get(
		case,
		"unscoped",
		false,
	)]
		with data.loopx.quota as {"object": {"state": state}, "spent": 0, "allowed": 10}
		with data.loopx.attention as {"item": object.get(case, "item", {}), "waiting_on": "controller", "status": "x"}
	got == [{}, false, state, "controller"]
}

# The gate of a peer never got into the state; the answer still says that it is there.
test_scope_override_gate_in_a_state_without_it[state] if {
	some state in ["eligible", "throttled", "waiting"]
	got := [agent_scope.override, agent_scope.state, agent_scope.waiting_on] with input as testing.team({"todos": [peer_gate, own_todo]})
		with data.loopx.quota as {"object": {"state": state}, "spent": 0, "allowed": 10}
		with data.loopx.attention as {"item": {}, "waiting_on": "codex"}
	got[0].gate.to_state == state
	array.slice(got, 1, 3) == [state, "codex"]
}

package loopx.todos_test

import data.loopx.testing
import data.loopx.todos

scope_cases := {
	"own": {"change": {"claimed_by": "agent-a"}, "want": {"own", "selectable"}},
	"unclaimed": {"change": {}, "want": {"unclaimed", "selectable"}},
	"of another agent": {"change": {"claimed_by": "agent-b"}, "want": {"others"}},
	"unclaimed and excluding me": {"change": {"excluded_agents": ["agent-a"]}, "want": {"unclaimed", "excluded_me"}},
	"excluding the other": {"change": {"excluded_agents": ["agent-b"]}, "want": {"unclaimed", "selectable"}},
	"own with a retired policy": {
		"change": {"claimed_by": "agent-a", "removed_continuation_policy": "review_handoff"},
		"want": {"own", "removed"},
	},
}

test_scope_select[name] if {
	some name, case in scope_cases
	got := todos with input as testing.team({"todos": [testing.advancement("todo_x", case.change)]})
	{set_name |
		some set_name in ["own", "unclaimed", "others", "excluded_me", "removed", "selectable"]
		"todo_x" in got[set_name]
	} == case.want
	["todo_x" in got.adv] == ["selectable" in case.want]
	got.agent_open_count == count(got.selectable)
}

test_scope_select_unscoped_takes_everything if {
	got := todos with input as testing.facts({"todos": [
		testing.advancement("todo_a", {"claimed_by": "agent-a", "removed_continuation_policy": "review_handoff"}),
		testing.monitor("todo_b", {"claimed_by": "agent-b", "excluded_agents": ["agent-a"]}),
	]})
	got.selectable == {"todo_a", "todo_b"}
	got.adv == {"todo_a"}
	got.mon == {"todo_b"}
	got.others == set()
	got.own == set()
}

test_first_executable_own_before_unclaimed_p0 if {
	got := todos with input as testing.team({"todos": [
		testing.advancement("todo_mine", {"claimed_by": "agent-a", "rank": 1}),
		testing.advancement("todo_free", {"rank": 0, "index": 2}),
		testing.advancement("todo_theirs", {"rank": 0, "claimed_by": "agent-b", "index": 3}),
	]})
	got.first_executable == ["todo_mine", "todo_free"]
	got.first_adv == "todo_mine"
}

test_first_adv_undefined_when_none if {
	not todos.first_adv with input as testing.facts({"todos": [testing.monitor("todo_m", {})]})
}

test_hidden_count_is_zero_for_whole_projections if {
	todos.hidden_count == 0 with input as testing.facts({"todos": [testing.monitor("todo_m", {})]})
}

gate_cases := {
	"global": {"change": {"global_gate": true}, "mine": true, "other": false},
	"goal bound": {"change": {"goal_bound": true}, "mine": true, "other": false},
	"blocks me": {"change": {"blocks_agent": "agent-a"}, "mine": true, "other": false},
	"bound to me": {"change": {"bound_agent": "agent-a"}, "mine": true, "other": false},
	"blocks the other": {"change": {"blocks_agent": "agent-b"}, "mine": false, "other": true},
	"bound to the other": {"change": {"bound_agent": "agent-b"}, "mine": false, "other": true},
	"unbound": {"change": {}, "mine": false, "other": false},
	"claimed by me routes nothing": {"change": {"claimed_by": "agent-a"}, "mine": false, "other": false},
}

test_scope_gate_filter[name] if {
	some name, case in gate_cases
	got := todos with input as testing.team({"todos": [testing.user_todo("todo_u", "user_gate", case.change)]})
	["todo_u" in got.gates_mine, "todo_u" in got.gates_other] == [case.mine, case.other]
	got.user_open_count == count(got.gates_mine)
}

action_cases := {
	"goal bound": {"change": {"goal_bound": true}, "mine": true, "other": false},
	"bound to me": {"change": {"bound_agent": "agent-a"}, "mine": true, "other": false},
	"bound to the other": {"change": {"bound_agent": "agent-b"}, "mine": false, "other": true},
	"blocks me is no binding": {"change": {"blocks_agent": "agent-a"}, "mine": false, "other": false},
	"unbound": {"change": {}, "mine": false, "other": false},
	"claimed by me routes nothing": {"change": {"claimed_by": "agent-a"}, "mine": false, "other": false},
}

test_scope_action_filter[name] if {
	some name, case in action_cases
	got := todos with input as testing.team({"todos": [testing.user_todo("todo_u", "user_action", case.change)]})
	["todo_u" in got.actions_mine, "todo_u" in got.actions_other] == [case.mine, case.other]
	got.user_open_count == count(got.actions_mine)
}

single := {"goal": {"agents": ["agent-a"]}, "request": {"agent_id": "agent-a"}}

test_scope_bound_required_only_in_teams if {
	got := todos with input as testing.facts(object.union(single, {"todos": [
		testing.user_todo("todo_g", "user_gate", {}),
		testing.user_todo("todo_u", "user_action", {}),
		testing.user_todo("todo_o", "user_action", {"bound_agent": "agent-z"}),
		testing.user_todo("todo_h", "user_gate", {"blocks_agent": "agent-z"}),
	]}))
	got.gates_mine == {"todo_g"}
	got.gates_other == {"todo_h"}
	got.actions_mine == {"todo_u"}
	got.actions_other == {"todo_o"}
	got.user_open_count == 2
}

test_unscoped_call_sees_all_user_todos if {
	got := todos with input as testing.facts({"goal": {"agents": ["agent-a", "agent-b"]}, "todos": [
		testing.user_todo("todo_g", "user_gate", {"bound_agent": "agent-b"}),
		testing.user_todo("todo_u", "user_action", {"bound_agent": "agent-b"}),
		testing.user_todo("todo_b", "user_action", {"status": "blocked"}),
		testing.user_todo("todo_d", "user_action", {"status": "done"}),
		testing.user_todo("todo_l", "user_action", {"status": "deferred"}),
	]})
	got.gates_mine == {"todo_g"}
	got.actions_mine == {"todo_u", "todo_b"}
	got.gates_other == set()
	got.user_open_count == 3
}

test_gate_detect[name] if {
	some name, case in {
		"class": {"todo": testing.user_todo("todo_u", "user_gate", {}), "want": true},
		"class of action beats the kind": {"todo": testing.user_todo("todo_u", "user_action", {"action_kind": "approve"}), "want": false},
		"kind without class": {"todo": object.remove(testing.user_todo("todo_u", "x", {"action_kind": "write_approval"}), ["task_class"]), "want": true},
		"plain kind without class": {"todo": object.remove(testing.user_todo("todo_u", "x", {"action_kind": "read"}), ["task_class"]), "want": false},
		"agent todo": {"todo": testing.agent_todo("todo_u", {"task_class": "user_gate"}), "want": false},
	}
	got := todos.gates with input as having([case.todo])
	["todo_u" in got] == [case.want]
}

package loopx.todos_test

import data.loopx.testing
import data.loopx.todos

user(class, change) := testing.user_todo("todo_x", class, change)

contract_cases := {
	"user todo without class": {"todo": object.remove(user("x", {"goal_bound": true}), ["task_class"]), "want": {"todo.contract.user_class"}},
	"user todo with an agent class": {"todo": user("advancement_task", {"goal_bound": true}), "want": {"todo.contract.user_class"}},
	"user todo with an unknown class": {"todo": user("chore", {"goal_bound": true}), "want": {"todo.contract.unknown_class"}},
	"done user todo without class": {"todo": object.remove(user("x", {"status": "done"}), ["task_class"]), "want": set()},
	"action blocks an agent": {"todo": user("user_action", {"goal_bound": true, "blocks_agent": "agent-a"}), "want": {"todo.contract.action_blocks"}},
	"action is a global gate": {"todo": user("user_action", {"goal_bound": true, "global_gate": true}), "want": {"todo.contract.action_blocks"}},
	"action bound twice": {"todo": user("user_action", {"goal_bound": true, "bound_agent": "agent-a"}), "want": {"todo.contract.two_bindings"}},
	"goal-wide gate bound": {"todo": user("user_gate", {"global_gate": true, "bound_agent": "agent-a"}), "want": {"todo.contract.global_bound"}},
	"scoped gate bound to the goal": {"todo": user("user_gate", {"blocks_agent": "agent-a", "goal_bound": true}), "want": {"todo.contract.scoped_gate"}},
	"scoped gate bound elsewhere": {"todo": user("user_gate", {"blocks_agent": "agent-a", "bound_agent": "agent-b"}), "want": {"todo.contract.scoped_gate"}},
	"scoped gate bound to its agent": {"todo": user("user_gate", {"blocks_agent": "agent-a", "bound_agent": "agent-a"}), "want": set()},
	"bound to a stranger": {"todo": user("user_action", {"bound_agent": "agent-z"}), "want": {"todo.contract.unregistered"}},
	"blocks a stranger": {"todo": user("user_gate", {"blocks_agent": "agent-z"}), "want": {"todo.contract.unregistered"}},
	"excludes a stranger": {"todo": testing.advancement("todo_x", {"excluded_agents": ["agent-a", "agent-z"]}), "want": {"todo.contract.unregistered"}},
	"claimed by a stranger is no error": {"todo": testing.advancement("todo_x", {"claimed_by": "agent-z"}), "want": set()},
	"agent todo blocks": {"todo": testing.advancement("todo_x", {"blocks_agent": "agent-a"}), "want": {"todo.contract.agent_blocks"}},
	"agent todo blocks a stranger": {"todo": testing.advancement("todo_x", {"blocks_agent": "agent-z"}), "want": {"todo.contract.agent_blocks"}},
	"user todo excludes": {"todo": user("user_action", {"goal_bound": true, "excluded_agents": ["agent-a"]}), "want": {"todo.contract.user_excludes"}},
	"claim excluded": {"todo": testing.advancement("todo_x", {"claimed_by": "agent-a", "excluded_agents": ["agent-a"]}), "want": {"todo.contract.claim_excluded"}},
	"unbound action of a team": {"todo": user("user_action", {}), "want": {"scope.unbound"}},
	"unbound gate of a team": {"todo": user("user_gate", {}), "want": {"scope.unbound"}},
	"global gate of a team": {"todo": user("user_gate", {"global_gate": true}), "want": set()},
	"gate that blocks one": {"todo": user("user_gate", {"blocks_agent": "agent-a"}), "want": set()},
	"goal bound action": {"todo": user("user_action", {"goal_bound": true}), "want": set()},
	"agent todo with an unknown class": {"todo": testing.agent_todo("todo_x", {"task_class": "chore"}), "want": {"todo.contract.unknown_class"}},
	"agent todo with a user class is no error": {"todo": testing.agent_todo("todo_x", {"task_class": "user_gate"}), "want": set()},
	"unknown status": {"todo": testing.advancement("todo_x", {"status_unknown": "paused"}), "want": {"todo.contract.unknown_status"}},
	"unreadable time": {"todo": testing.monitor("todo_x", {"next_due_at": "soon", "bad_times": ["next_due_at"]}), "want": {"todo.contract.bad_time"}},
	"done agent todo that blocks": {"todo": testing.advancement("todo_x", {"status": "done", "blocks_agent": "agent-a"}), "want": set()},
}

test_contract_errors[name] if {
	some name, case in contract_cases
	got := todos.contract_errors with input as testing.team({"todos": [case.todo]})
	{finding.rule | some finding in got} == case.want
	every finding in got {
		finding.scope == "goal"
		finding.goal_id == "g1"
		finding.todo_id == "todo_x"
		finding.line == case.todo.line
		finding.file == "goals/g1/ACTIVE_GOAL_STATE.md"
		contains(finding.message, "todo_x")
		contains(finding.message, "loopx ")
		not contains(finding.message, "{")
	}
}

test_scope_unbound_names_both_commands if {
	got := todos.contract_errors with input as testing.team({"todos": [user("user_action", {})]})
	some finding in got
	finding.code == "todo_unbound"
	contains(finding.message, "--bound-agent")
	contains(finding.message, "--goal-bound")
}

test_scope_unbound_is_no_error_in_a_goal_of_one_agent if {
	got := todos.contract_errors with input as testing.facts({"goal": {"agents": ["agent-a"]}, "todos": [user("user_action", {})]})
	got == set()
}

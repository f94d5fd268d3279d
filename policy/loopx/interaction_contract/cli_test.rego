package loopx.interaction_contract_test

import data.loopx.interaction_contract

commands(change) := see(change).contract.cli_channel.next_cli_actions

test_ic_next_cli_actions_of_a_delivery if {
	commands({}) == [
		[
			"loopx", "refresh-state", "--goal-id", "g1", "--agent-id", "agent-a", "--todo-id", "todo_a",
			"--delivery-outcome", "outcome_progress",
		],
		[
			"loopx", "quota", "spend-slot", "--slots", "1",
			"--goal-id", "g1", "--agent-id", "agent-a", "--todo-id", "todo_a", "--execute",
		],
	]
}

unclaimed := {"scope": {"selected_todo": {"todo_id": "todo_a", "agent_id": "agent-a", "claim_required_before_work": true}}}

claim := ["loopx", "todo", "claim", "--goal-id", "g1", "--agent-id", "agent-a", "--todo-id", "todo_a", "--claimed-by", "agent-a"]

test_ic_next_cli_actions_claim_before_work[name] if {
	some name in [
		"ic.mode.bounded_delivery", "ic.mode.bounded_delivery_with_user_notice",
		"ic.mode.scoped_user_gate_fallback", "ic.mode.outcome_floor_recovery",
	]
	argv := commands(both(modes[name][0], unclaimed))
	argv[0] == claim
	count([a | some a in argv; a == claim]) == 1
}

test_ic_next_cli_actions_claim_only_what_is_unclaimed if {
	not claim in commands({})
}

test_ic_next_cli_actions_of_a_quiet_poll if {
	commands(both(modes["ic.mode.monitor_quiet_skip"][0], {"final": {"lane": {"selected_todo_id": "todo_m"}}})) == [
		["loopx", "quota", "monitor-poll", "--goal-id", "g1", "--agent-id", "agent-a", "--todo-id", "todo_m", "--execute"],
		["loopx", "quota", "should-run", "--goal-id", "g1", "--agent-id", "agent-a"],
	]
}

test_ic_next_cli_actions_of_a_replan if {
	commands(both(modes["ic.mode.autonomous_replan"][0], {"frontier": {"obligation": {"obligation_id": "replan-1"}}}))[0] == [
		"loopx", "refresh-state", "--autonomous-replan-recorded",
		"--goal-id", "g1", "--agent-id", "agent-a", "--replan-obligation-id", "replan-1",
		"--delivery-outcome", "outcome_progress",
	]
}

test_ic_next_cli_actions_of_a_replan_without_id if {
	not "--replan-obligation-id" in commands(modes["ic.mode.autonomous_replan"][0])[0]
}

test_ic_next_cli_actions_of_a_successor if {
	got := commands(same_mode.successor[0])
	[[argv[1], argv[2]] | some argv in got] == [
		["todo", "update"], ["todo", "complete"], ["refresh-state", "--goal-id"], ["quota", "spend-slot"],
	]
	got[0][count(got[0]) - 1] == "todo_a"
}

test_ic_next_cli_actions_of_a_due_monitor_claim_no_outcome if {
	got := commands(modes["ic.mode.monitor_due"][0])
	[argv[1] | some argv in got; argv[1] != "quota"] == ["refresh-state"]
	not "--delivery-outcome" in got[1]
}

test_ic_next_cli_actions_due_polls_before_a_spend if {
	due := {"final": {"lane": {"obligation": "attempt_due_monitor", "selected_todo_id": "todo_m"}}}
	got := commands(due)
	[array.slice(argv, 1, 3) | some argv in got] == [["quota", "monitor-poll"], ["refresh-state", "--goal-id"], ["quota", "spend-slot"]]
	not "--delivery-outcome" in got[1]

	# other modes have their own steps
	repair := commands(both(modes["ic.mode.boundary_projection_repair"][0], due))
	[argv[1] | some argv in repair] == ["refresh-state", "quota"]
}

test_ic_next_cli_actions_name_the_turn if {
	interaction_contract.turn_args == ["--turn-instance-id", "t1"] with data.loopx.request as {"turn_id": "t1"}
	interaction_contract.turn_args == [] with data.loopx.request as {}
	every step in ["refresh", "deliver", "replan", "spend"] {
		argv := interaction_contract.steps[step][0] with data.loopx.request as {"turn_id": "t1", "scoped": false, "runtime_capabilities": []}
			with data.loopx.goal as {"id": "g1"}
			with data.loopx.agent_scope as {}
			with data.loopx.frontier as {}
			with data.loopx.route as {"replan": false}
		argv[indexof_turn(argv) + 1] == "t1"
	}
}

indexof_turn(argv) := [i | some i, arg in argv; arg == "--turn-instance-id"][0]

test_ic_next_cli_actions_of_a_closed_goal if {
	commands(modes["ic.mode.terminal_no_followup"][0]) == []
}

credentials := {"owner": "user", "capability": "credentials", "primary_blocked_todo_id": "todo_pub"}

owner_gate := {"gates": {"owner_bindings": [credentials]}, "gate": {"resolution_bindings": [credentials]}}

network := {"gate": {"resolution_bindings": [{
	"owner": "agent",
	"capability": "network",
	"primary_blocked_todo_id": "todo_net",
}]}}

test_cap_binding_owner_write if {
	argv := commands(owner_gate)[0]
	array.slice(argv, 0, 9) == [
		"loopx", "todo", "add", "--role", "user", "--task-class", "user_gate", "--action-kind", "provide_capability",
	]
	array.slice(argv, count(argv) - 6, count(argv)) == [
		"--target-capability", "credentials", "--unblocks-todo-id", "todo_pub", "--blocks-agent", "agent-a",
	]
}

test_cap_binding_owner_write_without_an_agent if {
	interaction_contract.bound_args == ["--goal-bound"] with data.loopx.request as {"scoped": false}
	interaction_contract.scope_args == ["--goal-id", "g1"] with data.loopx.request as {"scoped": false}
		with data.loopx.goal as {"id": "g1"}
	interaction_contract.caller == null with data.loopx.request as {"scoped": false}
	interaction_contract.todo_args == [] with data.loopx.agent_scope as {}
	interaction_contract.lane_todo_args == [] with data.loopx.work_mode as {"final": {}}
}

test_cap_binding_owner_is_written_once if {
	open := {"todos": {"user_open": {"u1"}, "by_id": {"u1": {"unblocks_todo_id": "todo_pub", "target_capabilities": ["credentials"]}}}}
	commands(both(owner_gate, open))[0][1] == "refresh-state"
	other := {"todos": {"user_open": {"u1"}, "by_id": {"u1": {"unblocks_todo_id": "todo_x", "target_capabilities": ["credentials"]}}}}
	commands(both(owner_gate, other))[0][1] == "todo"
}

test_cap_binding_agent if {
	argv := commands(network)[0]
	array.slice(argv, 0, 9) == [
		"loopx", "todo", "add", "--role", "agent", "--task-class", "advancement_task", "--action-kind", "materialize_capability",
	]
	array.slice(argv, count(argv) - 4, count(argv)) == ["--required-capability", "shell", "--target-capability", "network"]
}

test_cap_binding_agent_beside_a_gated_path if {
	argv := commands(both(modes["ic.mode.scoped_user_gate_fallback"][0], network))
	[a[2] | some a in argv; a[1] == "todo"] == ["add"]
}

test_cap_binding_agent_is_written_once if {
	open := {"todos": {"actionable": {"t1"}, "by_id": {"t1": {"target_capabilities": ["network"]}}}}
	commands(both(network, open))[0][1] == "refresh-state"
}

test_cap_session_reentry if {
	got := see(network).contract.cli_channel.runtime_capability_reentry
	got.capabilities == ["network"]
	got.command == [
		"loopx", "quota", "should-run", "--goal-id", "g1", "--agent-id", "agent-a", "--available-capability", "network",
	]
	not see({}).contract.cli_channel.runtime_capability_reentry
}

test_cap_session_is_said_again if {
	got := commands({"request": {"runtime_capabilities": ["network", "gpu"]}})
	array.slice(got[1], count(got[1]) - 5, count(got[1])) == [
		"--available-capability", "network", "--available-capability", "gpu", "--execute",
	]
}

reruns := {
	"profile": {"scheduler": {"profile": "codex_cli", "context": {"host_surface": "codex_cli"}}, "want": ["--runtime-profile", "codex_cli"]},
	"triple": {
		"scheduler": {"context": {"host_surface": "generic_cli", "scheduler_owner": "none"}},
		"want": ["--host-surface", "generic_cli", "--scheduler-owner", "none"],
	},
	"nothing": {"scheduler": {}, "want": []},
}

test_ic_next_cli_actions_name_the_host_again[name] if {
	some name, case in reruns
	got := commands(both(modes["ic.mode.blocked_wait"][0], {"scheduler": case.scheduler}))
	got == [array.concat(["loopx", "quota", "should-run", "--goal-id", "g1", "--agent-id", "agent-a"], case.want)]
}

test_ic_next_cli_actions_of_a_recorded_poll if {
	got := commands(both(modes["ic.mode.monitor_quiet_skip"][0], {"request": {"turn_id": "t1"}}))
	[argv[2] | some argv in got] == ["should-run"]
}

test_ic_next_cli_actions_spend_a_replan_on_its_obligation if {
	got := commands(both(modes["ic.mode.autonomous_replan"][0], {"frontier": {"obligation": {"obligation_id": "replan-1"}}}))
	array.slice(got[1], count(got[1]) - 3, count(got[1])) == ["--replan-obligation-id", "replan-1", "--execute"]
}

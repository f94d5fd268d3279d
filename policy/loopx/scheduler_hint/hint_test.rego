package loopx.scheduler_hint_test

import data.loopx.scheduler_hint
import data.loopx.testing

contract(mode, action_required, must, quiet) := {
	"schema_version": "loopx_interaction_contract_v0",
	"mode": mode,
	"user_channel": {"action_required": action_required},
	"agent_channel": {"must_attempt": must, "delivery_allowed": must, "quiet_noop_allowed": quiet},
	"cli_channel": {},
}

identity(mode) := {
	"goal_id": "g1",
	"agent_identity.agent_id": "agent-a",
	"effective_action": "x",
	"heartbeat_recommendation.recommended_mode": "y",
	"interaction_contract.mode": mode,
	"recommended_action": "do x",
}

hint(first, facts) := found if {
	found := scheduler_hint.hint with input as testing.team(facts)
		with data.loopx.interaction_contract.first as first
		with data.loopx.interaction_contract.identity as identity(first.mode)
		with data.loopx.interaction_contract.pause_mode as "none"
		with data.loopx.todos.mon as {}
		with data.loopx.todos.expired as {}
		with data.loopx.todos.gates_mine as {}
}

work := contract("bounded_delivery", false, true, false)

gate := contract("user_gate", true, false, false)

branches := {
	"work": [work, "run_now", "active_work", "interaction_agent_attempt_required"],
	"gate": [gate, "backoff_waiting_for_user", "human_gate", "interaction_blocking_user_gate"],
	"gate with work": [contract("scoped_user_gate_fallback", true, true, false), "run_now", "active_work", "interaction_agent_attempt_required"],
	"monitor": [
		contract("monitor_quiet_skip", false, false, true),
		"backoff_until_material_transition",
		"monitor_wait",
		"interaction_monitor_quiet_wait",
	],
	"successor": [
		contract("successor_replan_required", false, true, false),
		"run_now",
		"active_work",
		"interaction_successor_replan_required",
	],
	"agent scope": [
		contract("agent_scope_wait", false, false, true),
		"backoff_until_reassigned",
		"agent_scope_wait",
		"interaction_agent_scope_wait",
	],
	"unchanged": [
		contract("mapped_noop_if_unchanged", false, false, true),
		"backoff_until_fresh_evidence",
		"unchanged_noop",
		"interaction_unchanged_wait",
	],
	"quiet": [
		contract("quota_throttled", false, false, true),
		"backoff_until_state_change",
		"quiet_wait",
		"interaction_quiet_noop_allowed",
	],
	"blocked": [
		contract("health_blocked", false, false, false),
		"backoff_until_state_change",
		"quiet_wait",
		"interaction_delivery_not_allowed",
	],
	"monitor only": [
		contract("agent_monitor_only", false, false, true),
		"backoff_agent_monitor_only",
		"agent_monitor_only",
		"agent_monitor_only",
	],
	"closed": [
		contract("terminal_no_followup", false, false, true),
		"stop_until_explicit_resume",
		"terminal_no_followup",
		"terminal_no_followup",
	],
}

test_sched_branch[name] if {
	some name, case in branches
	found := hint(case[0], {})
	[found.action, found.cadence_class, found.reason_code] == [case[1], case[2], case[3]]
}

arbitration := {
	"work": "sched.arb.attempt",
	"gate": "sched.arb.human_gate",
	"gate with work": "sched.arb.attempt",
	"monitor": "sched.arb.monitor_quiet",
	"successor": "sched.arb.successor",
	"agent scope": "sched.arb.agent_scope",
	"unchanged": "sched.arb.unchanged",
	"quiet": "sched.arb.quiet",
	"blocked": "sched.arb.blocked",
	"monitor only": "sched.arb.monitor_only",
	"closed": "sched.arb.stop",
}

test_sched_arb_names_its_row[name] if {
	some name, case in branches
	decided := scheduler_hint.disposition.rule with data.loopx.interaction_contract.first as case[0]
	decided == arbitration[name]
}

test_sched_branch_names_its_row if {
	rows := {row.rule | some row in scheduler_hint.hint_row} with input as testing.team({})
		with data.loopx.interaction_contract.first as contract("terminal_no_followup", false, false, true)
		with data.loopx.interaction_contract.identity as identity("terminal_no_followup")
		with data.loopx.interaction_contract.pause_mode as "quota_paused"
	rows == {"sched.branch.pause", "sched.branch.terminal"}
	plain := {row.rule | some row in scheduler_hint.hint_row} with input as testing.team({})
		with data.loopx.interaction_contract.first as work
		with data.loopx.interaction_contract.identity as identity(work.mode)
		with data.loopx.interaction_contract.pause_mode as "none"
	plain == {"sched.branch.contract"}
}

contradictions := {
	"schema_version": object.union(work, {"schema_version": "v9"}),
	"mode": object.union(work, {"mode": ""}),
	"user_channel": object.remove(work, ["user_channel"]),
	"cli_channel": object.remove(work, ["cli_channel"]),
	"action_required": object.union(work, {"user_channel": {"action_required": "yes"}}),
	"must_attempt": object.union(work, {"agent_channel": {"must_attempt": "yes"}}),
	"delivery_without_attempt": object.union(work, {"agent_channel": {"must_attempt": false}}),
	"quiet_with_action": object.union(work, {"agent_channel": {"quiet_noop_allowed": true}}),
	"stop_with_action": object.union(work, {"mode": "terminal_no_followup"}),
}

test_sched_arb_consistency[name] if {
	some name, broken in contradictions
	found := hint(broken, {})
	found.action == "repair_interaction_contract_projection"
	name in found.consistency_error.errors
}

test_sched_arb_consistency_sees_a_user_action_beside_quiet if {
	found := hint(contract("user_gate", true, false, true), {})
	"quiet_with_action" in found.consistency_error.errors
}

test_sched_arb_consistency_sees_delivery_beside_quiet if {
	broken := object.union(contract("skip", false, false, true), {"agent_channel": {"delivery_allowed": true}})
	"quiet_with_action" in hint(broken, {}).consistency_error.errors
}

test_sched_ctx_fail_closed_never_assumes_an_app if {
	found := hint(work, {"request": {"codex_app": false}})
	found.action == "repair_scheduler_execution_context"
	found.codex_app.applicability == "blocked_invalid_context"
	found.execution_context.valid == false
	count(found.consistency_error.errors) == 3
	not found.reset_policy
}

test_sched_branch_pause_stops_whatever_the_contract_says if {
	found := scheduler_hint.hint with input as testing.team({})
		with data.loopx.interaction_contract.first as contract("skip", false, false, true)
		with data.loopx.interaction_contract.pause_mode as "quota_paused"
	found.action == "stop_until_explicit_resume"
	found.cadence_class == "quota_paused"
	found.codex_app.host_action == "pause_or_delete_current_heartbeat"
	found.app_automation.attempt_limit == 1
	found.unchanged_poll.codex_app_ssh_goal == "return_to_owner"
	not found.reset_policy
}

# only a closed goal completes the Goal of its host
test_sched_branch_terminal_completes_the_host_goal if {
	hint(contract("terminal_no_followup", false, false, true), {}).unchanged_poll.codex_app_ssh_goal == "complete_host_goal"
	blocked := hint(contract("peer_coordination_blocked", false, false, true), {})
	[blocked.action, blocked.cadence_class] == ["return_to_owner_until_material_change", "peer_coordination_blocked"]
	blocked.unchanged_poll.codex_app_ssh_goal == "return_to_owner"
}

test_sched_ctx_fail_closed_blocks_an_app_under_its_own_key if {
	found := hint(work, triple("trae_app", "host_automation", "interactive"))
	found.app_automation.applicability == "blocked_invalid_context"
	not found.codex_app
}

continuations := {
	"work": [work, {"decision": "continue_now"}],
	"wait": [gate, {"decision": "defer", "recheck_after_seconds": 1800}],
	"closed": [contract("terminal_no_followup", false, false, true), {"decision": "complete"}],
	"blocked": [contract("peer_coordination_blocked", false, false, true), {"decision": "defer", "recheck_after_seconds": 3600}],
}

test_sched_runtime[name] if {
	some name, case in continuations
	found := hint(case[0], {"request": {"codex_app": false, "runtime_profile": "ark_managed_agent_goal"}})
	found.goal_runtime_continuation == case[1]
	not hint(case[0], {}).goal_runtime_continuation
}

test_sched_packet_of_the_codex_app_has_a_neutral_copy if {
	found := hint(work, {})
	found.codex_app.recommended_rrule == "FREQ=MINUTELY;INTERVAL=3"
	found.codex_app.example_progression_minutes == [3, 6, 10]
	found.codex_app.max_interval_minutes == 10
	found.app_automation.host_surface == "codex_app"
	found.app_automation.recommended_rrule == found.codex_app.recommended_rrule
	found.reset_policy.codex_app_initial_rrule == "FREQ=MINUTELY;INTERVAL=3"
	found.reset_policy.app_automation_initial_interval_minutes == 3
	not found.execution_phase
}

test_sched_packet_of_trae_is_neutral_only if {
	found := hint(work, {"request": {"codex_app": false, "trae_app": true}})
	found.app_automation.host_surface == "trae_app"
	found.app_automation.stateful_backoff.state_key == "scheduler_hint.app_automation.stateful_backoff"
	found.app_automation.stateful_backoff.schema_version == "app_automation_stateful_backoff_v0"
	found.detail_ref.hot_path_runtime_fields[0] == "app_automation"
	not found.codex_app
	not found.reset_policy.codex_app_initial_rrule
}

# the vectors of Trae name its own state and what its host is seen to run
test_ctx_trae_packet_vectors if {
	own := [
		"--trae-app",
		"--surface",
		"trae_app",
		"--state-key",
		"scheduler_hint.app_automation.stateful_backoff",
	]
	packet := hint(work, {"request": {"codex_app": false, "trae_app": true}}).app_automation
	array.slice(packet.ack_hint.cli_args, 10, 15) == own
	array.slice(packet.ack_hint.cli_args, 22, 25) == ["--app-automation-current-rrule", "FREQ=MINUTELY;INTERVAL=3", "--execute"]
	array.slice(packet.failure_hint.cli_args, 10, 15) == own
	every arg in ["--surface", "--state-key", "--codex-app-current-rrule", "--app-automation-current-rrule"] {
		not arg in hint(work, {}).codex_app.ack_hint.cli_args
	}
}

test_sched_packets_not_for_a_loop if {
	found := hint(gate, {"request": {"codex_app": false, "runtime_profile": "codex_cli"}})
	found.codex_app == {
		"applicability": "not_applicable",
		"reason_code": "cadence_owned_by_agent_cli_loop",
		"apply": "none",
		"host_action": "none",
		"ack_required": false,
		"no_spend_for_cadence_change": true,
	}
	found.execution_phase == {"disposition": "agent_cli_loop_owned", "completed": true}
	found.execution_context.codex_app_applicability == "not_applicable"
	object.keys(found.reset_policy) == {"reset_token", "host_state_key", "identity_signature"}
}

test_sched_packet_other_owner_of_a_stop[mode] if {
	some mode in ["terminal_no_followup", "peer_coordination_blocked"]
	closed := contract(mode, false, false, true)
	found := hint(closed, {"request": {"codex_app": false, "runtime_profile": "claude_code"}})
	found.codex_app.applicability == "not_applicable"
	found.codex_app.reason_code == "cadence_owned_by_agent_cli_loop"
	found.execution_phase == {"disposition": "agent_cli_loop_owned", "completed": true}
	app := hint(closed, {})
	app.codex_app.host_action_required
	not app.execution_phase
	trae := hint(closed, {"request": {"codex_app": false, "trae_app": true}})
	trae.app_automation.host_action_required
	not trae.codex_app
}

test_sched_poll_limits if {
	waiting := hint(gate, {}).unchanged_poll
	waiting.limits == {"local_scheduler": 3, "codex_cli_tui": 3, "codex_app_ssh_goal": 3, "claude_code_loop": 3}
	waiting.after_limits.codex_cli_tui == "update_goal_blocked_keep_loopx_active"
	waiting.final_quota_replan_check_action == "rerun_quota_should_run_once"
	active := hint(work, {}).unchanged_poll
	active.limits == {"local_scheduler": null, "codex_cli_tui": null, "claude_code_loop": null}
	active.after_limits == {"local_scheduler": "continue", "codex_cli_tui": "continue", "claude_code_loop": "continue"}
	active.final_quota_replan_check_enabled == false
	active.final_quota_replan_check_action == null
}

test_sched_cold_path_on_request_only if {
	not hint(gate, {}).cold_path_detail
	detail := hint(gate, {"request": {"include_detail": ["scheduler"]}}).cold_path_detail
	detail.local_scheduler.example_progression_minutes == [30, 60, 120]
	detail.claude_code_loop.unchanged_poll_limit == 3
	detail.stateful_backoff_detail.rule == "sched.backoff.initial"
	detail.final_quota_replan_check.enabled
	loop := {"request": {"codex_app": false, "runtime_profile": "claude_code", "include_detail": ["scheduler"]}}
	not hint(gate, loop).cold_path_detail.stateful_backoff_detail
}

golden_identity := {
	"goal_id": "g",
	"agent_identity.agent_id": null,
	"effective_action": "operator_gate_notify",
	"heartbeat_recommendation.recommended_mode": "ask_operator_gate",
	"interaction_contract.mode": "user_gate",
	"recommended_action": "do x",
}

test_sched_reset_golden_vector if {
	found := scheduler_hint.hint with input as testing.facts({})
		with data.loopx.interaction_contract.first as gate
		with data.loopx.interaction_contract.identity as golden_identity
		with data.loopx.interaction_contract.pause_mode as "none"
		with data.loopx.todos.gates_mine as {}
	found.reset_policy.identity_signature == "7d9e65c4d171"
	found.reset_policy.reset_token == "7b87d1f3c15c2494"
}

test_sched_reset_gate_todos_are_part_of_the_identity if {
	keys := scheduler_hint.identity_keys with input as testing.facts({})
		with data.loopx.interaction_contract.first as gate
		with data.loopx.interaction_contract.identity as golden_identity
		with data.loopx.todos.gates_mine as {"todo_gate"}
	array.slice(keys, 4, 7) == ["interaction_contract.mode", "user_gate.todo_ids", "recommended_action"]
}

test_sched_reset_goal_runtime_adds_the_selected_todo if {
	found := scheduler_hint.identity with input as testing.facts({"request": {
		"codex_app": false,
		"runtime_profile": "ark_managed_agent_goal",
	}})
		with data.loopx.interaction_contract.first as work
		with data.loopx.interaction_contract.identity as golden_identity
		with data.loopx.interaction_contract.selected_todo as {"todo_id": "todo_a"}
	found["selected_todo.todo_id"] == "todo_a"
	found["selected_todo.claimed_by"] == null
}

# INV-3: the branch depends on the interaction contract (and the context) alone.
test_sched_reads_only_the_contract if {
	plain := hint(gate, {})
	noisy := hint(gate, {
		"todos": [testing.advancement("todo_a", {}), testing.user_todo("todo_b", "user_gate", {})],
		"goal": {"waiting_on": "controller", "quota": {"compute": 0}},
		"runs": [testing.run(10, "state_refreshed", {})],
		"findings": [{"code": "x", "scope": "global", "message": "m"}],
	})
	plain == noisy
}

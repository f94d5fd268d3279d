package loopx.scheduler_hint_test

import data.loopx.scheduler_hint
import data.loopx.testing

scope_wait := contract("agent_scope_wait", false, false, true)

tokens := {"reset_token": t, "identity_signature": s} if {
	found := hint(scope_wait, {})
	t := found.reset_policy.reset_token
	s := found.reset_policy.identity_signature
}

gate_tokens := {"reset_token": t, "identity_signature": s} if {
	found := hint(gate, {})
	t := found.reset_policy.reset_token
	s := found.reset_policy.identity_signature
}

work_tokens := {"reset_token": t, "identity_signature": s} if {
	found := hint(work, {})
	t := found.reset_policy.reset_token
	s := found.reset_policy.identity_signature
}

stored(known, index, minutes, minutes_ago, change) := object.union(
	object.union(known, {
		"surface": "codex_app",
		"state_key": "scheduler_hint.codex_app.stateful_backoff",
		"progression_index": index,
		"progression_minutes": [10, 20, 30, 60],
		"last_applied_rrule": sprintf("FREQ=MINUTELY;INTERVAL=%d", [minutes]),
		"updated_at": "earlier",
		"updated_ns": testing.now_ns - (minutes_ago * testing.minute),
		"failures": [],
	}),
	change,
)

failure(target, host, minutes_ago) := {
	"target_rrule": sprintf("FREQ=MINUTELY;INTERVAL=%d", [target]),
	"observed_host_rrule": sprintf("FREQ=MINUTELY;INTERVAL=%d", [host]),
	"failure_kind": "timeout",
	"failure_count": 1,
	"failed_at": "2026-08-20T11:50:00+00:00",
	"failed_ns": testing.now_ns - (minutes_ago * testing.minute),
}

backoff(first, state, observed) := found.codex_app if {
	found := hint(first, {
		"scheduler_states": [each | some each in [state]; each != {}],
		"request": {key: observed | some key in ["current_rrule"]; observed != ""},
	})
}

index_cases := {
	"no state": [{}, 0, "missing"],
	"other identity": [stored({"reset_token": "old", "identity_signature": "old"}, 2, 30, 90, {}), 0, "reset_required"],
	"never applied": [stored(tokens, 2, 20, 90, {}), 2, "same_identity"],
	"interval has run": [stored(tokens, 1, 20, 20, {}), 2, "same_identity"],
	"interval is running": [stored(tokens, 1, 20, 19, {}), 1, "same_identity"],
	"at the cap": [stored(tokens, 3, 60, 600, {}), 3, "same_identity"],
	"unreadable interval": [stored(tokens, 1, 20, 600, {"last_applied_rrule": "FREQ=DAILY"}), 1, "same_identity"],
	"no time of the ack": [object.remove(stored(tokens, 1, 20, 600, {}), ["updated_ns"]), 1, "same_identity"],
}

test_sched_backoff_index[name] if {
	some name, case in index_cases
	found := backoff(scope_wait, case[0], "").stateful_backoff
	[found.progression_index, found.state_status] == [case[1], case[2]]
}

index_rules := {
	"no state": "sched.backoff.initial",
	"other identity": "sched.backoff.identity_reset",
	"never applied": "sched.backoff.retry_failure",
	"interval has run": "sched.backoff.advance",
	"interval is running": "sched.backoff.hold",
}

host_rules := {
	"match is recorded": "sched.host.host_match",
	"settled": "sched.host.settled",
	"failed pair is left alone": "sched.host.suppressed",
	"drift is repaired": "sched.host.apply",
}

backoff_rules(state, observed) := [index, transition] if {
	facts := testing.team({
		"scheduler_states": [each | some each in [state]; each != {}],
		"request": {key: observed | some key in ["current_rrule"]; observed != ""},
	})
	index := scheduler_hint.index.rule with input as facts
		with data.loopx.interaction_contract.first as scope_wait
		with data.loopx.interaction_contract.identity as identity(scope_wait.mode)
	transition := scheduler_hint.transition.rule with input as facts
		with data.loopx.interaction_contract.first as scope_wait
		with data.loopx.interaction_contract.identity as identity(scope_wait.mode)
}

test_sched_backoff_names_its_row[name] if {
	some name, rule in index_rules
	backoff_rules(index_cases[name][0], "")[0] == rule
}

test_sched_host_names_its_row[name] if {
	some name, rule in host_rules
	backoff_rules(host_cases[name][0], host_cases[name][1])[1] == rule
}

test_sched_backoff_hold_active_never_advances if {
	state := stored(work_tokens, 0, 3, 600, {})
	backoff(work, state, "").stateful_backoff.progression_index == 0
	backoff(work, state, "").recommended_interval_minutes == 3
}

test_sched_backoff_bridge_repair_advances if {
	bridge := contract("capability_bridge_repair", false, true, false)
	known := hint(bridge, {}).reset_policy
	state := stored(object.filter(known, ["reset_token", "identity_signature"]), 0, 3, 600, {})
	backoff(bridge, state, "").stateful_backoff.progression_index == 1
}

host_cases := {
	"match is recorded": [{}, "RRULE:FREQ=MINUTELY;INTERVAL=10", false, true, "ack_observed_rrule_without_update", "matches_recommended"],
	"drift is repaired": [stored(tokens, 0, 10, 1, {}), "FREQ=MINUTELY;INTERVAL=3", true, true, "update_current_heartbeat_rrule", "drift_detected"],
	"settled": [stored(tokens, 0, 10, 1, {}), "", false, false, "none", "none"],
	"settled and seen": [stored(tokens, 0, 10, 1, {}), "FREQ=MINUTELY;INTERVAL=10", false, false, "none", "matches_recommended"],
	"reset without a look at the host": [
		stored({"reset_token": "old", "identity_signature": "old"}, 0, 10, 1, {}),
		"",
		true,
		true,
		"update_current_heartbeat_rrule",
		"none",
	],
	"failed pair is left alone": [
		stored(tokens, 0, 3, 1, {"failures": [failure(10, 3, 60)]}),
		"FREQ=MINUTELY;INTERVAL=3",
		false,
		false,
		"none_recorded_host_failure",
		"drift_detected",
	],
	"failure against another host": [
		stored(tokens, 0, 3, 1, {"failures": [failure(10, 5, 60)]}),
		"FREQ=MINUTELY;INTERVAL=3",
		true,
		true,
		"update_current_heartbeat_rrule",
		"drift_detected",
	],
	"failure of another target": [
		stored(tokens, 0, 3, 1, {"failures": [failure(30, 3, 60)]}),
		"FREQ=MINUTELY;INTERVAL=3",
		true,
		true,
		"update_current_heartbeat_rrule",
		"drift_detected",
	],
	"expired failure": [
		stored(tokens, 0, 3, 1, {"failures": [failure(10, 3, 1441)]}),
		"FREQ=MINUTELY;INTERVAL=3",
		true,
		true,
		"update_current_heartbeat_rrule",
		"drift_detected",
	],
	"another identity that the host already runs": [
		stored({"reset_token": "old", "identity_signature": "old"}, 0, 10, 1, {}),
		"FREQ=MINUTELY;INTERVAL=10",
		false,
		true,
		"ack_observed_rrule_without_update",
		"matches_recommended",
	],
	"a target the host took without an acknowledgement": [
		stored(tokens, 0, 3, 1, {}),
		"FREQ=MINUTELY;INTERVAL=10",
		false,
		true,
		"ack_observed_rrule_without_update",
		"matches_recommended",
	],
	"failed pair without a look at the host": [
		stored(tokens, 0, 3, 1, {"failures": [failure(10, 3, 60)]}),
		"",
		false,
		false,
		"none_recorded_host_failure",
		"none",
	],
	"a failed target that the host has taken": [
		stored(tokens, 0, 10, 1, {"failures": [failure(10, 10, 60)]}),
		"FREQ=MINUTELY;INTERVAL=10",
		false,
		true,
		"ack_observed_rrule_without_update",
		"matches_recommended",
	],
}

test_sched_host_transition[name] if {
	some name, case in host_cases
	found := backoff(scope_wait, case[0], case[1])
	found.stateful_backoff.apply_needed == case[2]
	found.stateful_backoff.ack_needed == case[3]
	found.host_action == case[4]
	object.get(found.stateful_backoff, ["host_observation", "status"], "none") == case[5]
	recommended := [found.recommended_rrule | found.recommended_rrule]
	count(recommended) == 1 == case[2]
}

test_sched_apply_words if {
	backoff(scope_wait, {}, "").apply == "update_automation_cadence_if_possible"
	backoff(scope_wait, stored(tokens, 0, 10, 1, {}), "").apply == "none_already_applied"
	failed := backoff(scope_wait, stored(tokens, 0, 3, 1, {"failures": [failure(10, 3, 60)]}), "FREQ=MINUTELY;INTERVAL=3")
	failed.apply == "none_recorded_host_failure"
	failed.stateful_backoff.state_status == "host_update_failure_suppressed"
	failed.stateful_backoff.host_update_failure.target_rrule == "FREQ=MINUTELY;INTERVAL=10"
}

test_sched_ack_hint_is_bound_and_whole if {
	found := backoff(scope_wait, {}, "")
	array.slice(found.ack_hint.cli_args, 0, 11) == [
		"--registry", "registry.json", "--runtime-root", "runtime", "quota", "scheduler-ack-current",
		"--goal-id", "g1", "--agent-id", "agent-a", "-A",
	]
	found.ack_hint.cli_args[count(found.ack_hint.cli_args) - 1] == "--execute"
	found.ack_hint.no_spend
}

test_sched_failure_hint_names_the_observed_host if {
	found := backoff(scope_wait, {}, "FREQ=MINUTELY;INTERVAL=3")
	args := found.failure_hint.cli_args
	array.slice(args, count(args) - 3, count(args)) == [
		"--codex-app-current-rrule", "FREQ=MINUTELY;INTERVAL=3", "--execute",
	]
	trae := hint(scope_wait, {"request": {"codex_app": false, "trae_app": true, "current_rrule": "FREQ=MINUTELY;INTERVAL=3"}})
	"--app-automation-current-rrule" in trae.app_automation.failure_hint.cli_args
	plain := backoff(scope_wait, {}, "").failure_hint.cli_args
	not "--codex-app-current-rrule" in plain
}

test_sched_hints_carry_the_capabilities_of_the_call if {
	found := hint(scope_wait, {"request": {"available_capabilities": ["benchmark_runner"]}})
	args := found.codex_app.ack_hint.cli_args
	some i
	args[i] == "--available-capability"
	args[i + 1] == "benchmark_runner"
}

test_sched_observe_the_one_matching_automation if {
	automation := {"id": "a", "rrule": "FREQ=MINUTELY;INTERVAL=5"}
	seen := hint(scope_wait, {"host": {"automations": [automation]}}).codex_app.stateful_backoff
	seen.host_observation.current_rrule == "FREQ=MINUTELY;INTERVAL=5"
	ambiguous := hint(scope_wait, {"host": {"automations": [automation, automation]}}).codex_app.stateful_backoff
	not ambiguous.host_observation
}

test_sched_monitor_wait_accepts_a_small_lead if {
	quiet := contract("monitor_quiet_skip", false, false, true)
	known := hint(quiet, {}).reset_policy
	state := stored(object.filter(known, ["reset_token", "identity_signature"]), 0, 16, 1, {})
	backoff(quiet, state, "").stateful_backoff.apply_needed == false
	far := stored(object.filter(known, ["reset_token", "identity_signature"]), 0, 18, 1, {})
	backoff(quiet, far, "").stateful_backoff.apply_needed
}

monitor_hint(monitors) := found if {
	found := scheduler_hint.hint with input as testing.team({"todos": monitors})
		with data.loopx.interaction_contract.first as contract("monitor_quiet_skip", false, false, true)
		with data.loopx.interaction_contract.identity as identity("monitor_quiet_skip")
		with data.loopx.interaction_contract.pause_mode as "none"
}

due_in(minutes) := {"next_due_at": "later", "next_due_ns": testing.now_ns + (minutes * testing.minute)}

cadence(minutes) := {"cadence": sprintf("%dm", [minutes]), "cadence_seconds": minutes * 60, "last_checked_ns": testing.now_ns}

monitor_cases := {
	"far": [[due_in(100)], [15, 30, 60]],
	"near": [[due_in(40)], [15, 30]],
	"soon": [[due_in(10)], [10]],
	"cadence only": [[cadence(20)], [15]],
	"short cadence": [[cadence(5)], [5]],
	"active window": [
		[object.union_n([due_in(20), cadence(45), {"expires_ns": testing.now_ns + testing.hour}])],
		[15],
	],
	"the smallest cap wins": [[due_in(100), due_in(40)], [15, 30]],
}

test_sched_monitor_plan[name] if {
	some name, case in monitor_cases
	monitors := [testing.monitor(sprintf("todo_m%d", [i]), object.union(change, {"index": i + 1})) |
		some i, change in case[0]
	]
	monitor_hint(monitors).codex_app.example_progression_minutes == case[1]
}

# a host that wakes after this many minutes finds the monitor due
test_sched_monitor_window_counts_a_begun_minute if {
	monitor_hint([testing.monitor("todo_m", {"next_due_at": "later", "next_due_ns": testing.now_ns + ((9 * testing.minute) + 1)})]).codex_app.example_progression_minutes == [10]
	monitor_hint([testing.monitor("todo_m", {"next_due_at": "later", "next_due_ns": testing.now_ns + 1})]).codex_app.example_progression_minutes == [1]
	monitor_hint([testing.monitor("todo_m", due_in(9))]).codex_app.example_progression_minutes == [9]
}

test_sched_monitor_expired_is_ignored if {
	gone := testing.monitor("todo_m", object.union(due_in(10), {"expires_ns": testing.now_ns - testing.minute}))
	monitor_hint([gone]).codex_app.example_progression_minutes == [15, 30, 60]
}

monitor_token(change) := monitor_hint([testing.monitor("todo_m", change)]).reset_policy.reset_token

test_sched_monitor_window_is_in_the_reset_profile if {
	near := monitor_token(due_in(40))
	near != monitor_token(object.union(due_in(40), {"next_due_at": "another time"}))
	near != monitor_token(object.union(due_in(40), {"expires_at": "some day"}))
	near != monitor_token(due_in(100))
}

# the time left until a due time is no part of the token, the shortest wait of the monitor itself is
test_sched_reset_profile_holds_while_the_due_time_comes_nearer if {
	{monitor_token(due_in(minutes)) | some minutes in [60, 16, 10, 9, 1]} == {monitor_token(due_in(40))}
	monitor_token(cadence(5)) != monitor_token(object.union(cadence(20), {"cadence": "5m"}))
}

# a poll inside an active window moves the due time and nothing else
test_sched_reset_profile_holds_over_polls_of_an_active_window if {
	window := {"expires_ns": testing.now_ns + (9 * testing.hour), "expires_at": "tonight"}
	polls := [object.union_n([due_in(minutes), cadence(45), window, {"next_due_at": sprintf("in %d", [minutes])}]) | some minutes in [45, 20, 3]]
	count({monitor_token(poll) | some poll in polls}) == 1
	monitor_token(polls[0]) != monitor_token(object.union(polls[0], cadence(5)))
}

due_backoff(minutes_left) := found.codex_app.stateful_backoff if {
	known := monitor_hint([testing.monitor("todo_m", due_in(10))]).reset_policy
	found := scheduler_hint.hint with input as testing.team({
		"todos": [testing.monitor("todo_m", due_in(minutes_left))],
		"scheduler_states": [stored(object.filter(known, ["reset_token", "identity_signature"]), 0, 10, 1, {})],
	})
		with data.loopx.interaction_contract.first as contract("monitor_quiet_skip", false, false, true)
		with data.loopx.interaction_contract.identity as identity("monitor_quiet_skip")
		with data.loopx.interaction_contract.pause_mode as "none"
}

test_sched_host_settled_while_the_due_time_comes_nearer if {
	due_backoff(8).apply_needed == false
	due_backoff(7).apply_needed
	due_backoff(7).state_status == "same_identity"
}

cooldown(minutes_after) := found if {
	state := stored(gate_tokens, 0, 5, minutes_after, {"failures": [failure(30, 5, minutes_after)]})
	found := scheduler_hint.cooldown with input as testing.team({
		"scheduler_states": [state],
		"request": {"current_rrule": "FREQ=MINUTELY;INTERVAL=5"},
	})
		with data.loopx.interaction_contract.first as gate
		with data.loopx.interaction_contract.identity as identity("user_gate")
		with data.loopx.todos.gates_mine as {}
}

test_sched_cooldown_is_in_the_hint_too if {
	given := {
		"scheduler_states": [stored(gate_tokens, 0, 5, 2, {"failures": [failure(30, 5, 2)]})],
		"request": {"current_rrule": "FREQ=MINUTELY;INTERVAL=5"},
	}
	hint(gate, given).user_gate_notification_cooldown == cooldown(2)
	not hint(gate, {}).user_gate_notification_cooldown
}

test_sched_observe_normalises[text] if {
	some text in ["FREQ=MINUTELY;INTERVAL=10", "RRULE:FREQ=MINUTELY;INTERVAL=10", "  RRULE: \tFREQ=MINUTELY;INTERVAL=10 "]
	backoff(scope_wait, {}, text).stateful_backoff.host_observation.status == "matches_recommended"
}

test_sched_cooldown_windows if {
	due := {minutes | some minutes in [2, 10, 31, 36, 62]; cooldown(minutes).notification_due}
	due == {31, 62}
	cooldown(2).notification_suppressed
	cooldown(2).cooldown_minutes == 30
	cooldown(2).reminder_window_minutes == 5
	cooldown(2).next_reminder_at == "2026-08-20T12:28:00Z"
}

edges(change, first) := found if {
	found := scheduler_hint.time_edges with input as testing.team(change)
		with data.loopx.interaction_contract.first as first
		with data.loopx.interaction_contract.identity as identity(first.mode)
}

test_sched_time_edges_of_the_applied_interval if {
	edges({"scheduler_states": [stored(tokens, 0, 10, 4, {})]}, scope_wait) == {testing.now_ns + (6 * testing.minute)}
}

test_sched_time_edges_of_a_cooldown if {
	state := stored(gate_tokens, 0, 5, 31, {"failures": [failure(30, 5, 31)]})
	found := edges({"scheduler_states": [state], "request": {"current_rrule": "FREQ=MINUTELY;INTERVAL=5"}}, gate)
	(testing.now_ns + (29 * testing.minute)) in found
	(testing.now_ns + (4 * testing.minute)) in found
	((testing.now_ns + (1409 * testing.minute)) + 1) in found
}

test_sched_time_edges_of_a_waited_monitor if {
	monitor := testing.monitor("todo_m", {
		"next_due_at": "later",
		"next_due_ns": (testing.now_ns + (40 * testing.minute)) + 1000,
	})
	edges({"todos": [monitor]}, contract("monitor_quiet_skip", false, false, true)) == {testing.now_ns + 1000}
}

package loopx.writeback.scheduler_test

import data.loopx.scheduler_hint
import data.loopx.testing
import data.loopx.writeback.scheduler

contract(mode, action_required, must, quiet) := {
	"schema_version": "loopx_interaction_contract_v0",
	"mode": mode,
	"user_channel": {"action_required": action_required},
	"agent_channel": {"must_attempt": must, "delivery_allowed": must, "quiet_noop_allowed": quiet},
	"cli_channel": {},
}

wait := contract("agent_scope_wait", false, false, true)

monitor := contract("monitor_quiet_skip", false, false, true)

closed := contract("terminal_no_followup", false, false, false)

identity(mode) := {
	"goal_id": "g1",
	"agent_identity.agent_id": "agent-a",
	"effective_action": "x",
	"heartbeat_recommendation.recommended_mode": "y",
	"interaction_contract.mode": mode,
	"recommended_action": "do x",
}

run(command, first, facts, write) := found if {
	given := object.union(testing.team({"write": write, "route": {"bound": true}, "request": {"command": command, "execute": true}}), facts)
	found := scheduler.result with input as given
		with data.loopx.interaction_contract.first as first
		with data.loopx.interaction_contract.identity as identity(first.mode)
		with data.loopx.interaction_contract.pause_mode as "none"
		with data.loopx.todos.mon as {}
		with data.loopx.todos.expired as {}
		with data.loopx.todos.gates_mine as {}
}

tokens(first) := object.filter(policy, ["reset_token", "identity_signature"]) if {
	policy := scheduler_hint.hint.reset_policy with input as testing.team({})
		with data.loopx.interaction_contract.first as first
		with data.loopx.interaction_contract.identity as identity(first.mode)
		with data.loopx.interaction_contract.pause_mode as "none"
		with data.loopx.todos.mon as {}
		with data.loopx.todos.expired as {}
		with data.loopx.todos.gates_mine as {}
}

rrule(minutes) := sprintf("FREQ=MINUTELY;INTERVAL=%d", [minutes])

stored(first, minutes, change) := object.union(
	object.union(tokens(first), {
		"surface": "codex_app",
		"state_key": "scheduler_hint.codex_app.stateful_backoff",
		"progression_index": 0,
		"progression_minutes": [10, 20, 30, 60],
		"last_applied_rrule": rrule(minutes),
		"updated_at": "2026-08-20T11:59:00+00:00",
		"updated_ns": testing.now_ns - testing.minute,
		"digest": "d1",
		"failures": [],
	}),
	change,
)

failure(target, host, change) := object.union(
	{
		"target_rrule": rrule(target),
		"observed_host_rrule": rrule(host),
		"failure_kind": "timeout",
		"failure_count": 1,
		"failed_at": "2026-08-20T11:50:00+00:00",
		"failed_ns": testing.now_ns - (10 * testing.minute),
	},
	change,
)

applied(minutes) := {"applied_rrule": rrule(minutes)}

bound(first, minutes) := object.union(object.union(tokens(first), applied(minutes)), {"host_match_observed": true})

failed(minutes) := {"failed_rrule": rrule(minutes)}

settled := {"scheduler_states": [stored(wait, 10, {})]}

failing := {"scheduler_states": [stored(wait, 7, {"failures": [failure(10, 7, {}), failure(30, 7, {})]})]}

# command, contract, facts, write, rule
cases := {
	"request": ["scheduler-ack-current", wait, {"request": {"dry_run": true}}, applied(10), "sched.write.request"],
	"no agent": ["scheduler-ack-current", wait, {"request": {"agent_id": ""}}, applied(10), "sched.ack.agent"],
	"unknown agent": ["scheduler-ack-current", wait, {"request": {"agent_id": "agent-z"}}, applied(10), "sched.write.identity"],
	"no context": ["scheduler-ack-current", wait, {"request": {"codex_app": false}}, applied(10), "sched.write.context"],
	"a loop owns the cadence": [
		"scheduler-ack-current",
		wait,
		{"request": {"codex_app": false, "runtime_profile": "codex_cli"}},
		applied(10),
		"sched.write.target",
	],
	"stopped": ["scheduler-ack-current", closed, {}, applied(10), "sched.write.target"],
	"surface": ["scheduler-ack-current", wait, {}, object.union(applied(10), {"surface": "trae_app"}), "sched.ack.scope"],
	"state key": ["scheduler-fail-current", wait, {}, object.union(failed(10), {"state_key": "k"}), "sched.ack.scope"],
	"match without token": ["scheduler-ack", wait, {}, object.remove(bound(wait, 10), ["reset_token"]), "sched.ack.host_match"],
	"match without signature": ["scheduler-ack", wait, {}, object.remove(bound(wait, 10), ["identity_signature"]), "sched.ack.host_match"],
	"stripped globals": ["scheduler-ack-current", wait, {"route": {"bound": false}}, bound(wait, 10), "sched.ack.binding"],
	"match without interval": ["scheduler-ack", wait, {}, object.remove(bound(wait, 10), ["applied_rrule"]), "sched.ack.host_match"],
	"token of another goal": ["scheduler-ack-current", wait, {}, object.union(bound(wait, 10), {"reset_token": "x"}), "sched.ack.identity"],
	"old signature": ["scheduler-ack-current", wait, {}, object.union(applied(10), {"identity_signature": "x"}), "sched.ack.identity"],
	"other interval": ["scheduler-ack-current", wait, {}, applied(11), "sched.ack.rrule"],
	"other interval observed": ["scheduler-ack-current", wait, settled, bound(wait, 20), "sched.ack.rrule"],
	"no lead outside of a monitor wait": ["scheduler-ack-current", wait, {}, bound(wait, 12), "sched.ack.rrule"],
	"lead without identity": ["scheduler-ack-current", monitor, {}, applied(17), "sched.ack.rrule"],
	"lead too large": ["scheduler-ack-current", monitor, {}, bound(monitor, 18), "sched.ack.rrule"],
	"settled": ["scheduler-ack-current", wait, settled, bound(wait, 10), "sched.ack.noop"],
	"settled without interval": ["scheduler-ack", wait, settled, {}, "sched.ack.noop"],
	"failed before": ["scheduler-ack-current", wait, failing, applied(10), "sched.ack.failed_before"],
	"nothing applied": ["scheduler-ack-current", wait, {}, {}, "sched.ack.incomplete"],
	"ack without identity": ["scheduler-ack", wait, {}, applied(10), "sched.ack.incomplete"],
	"ack by the present hint": ["scheduler-ack", wait, {}, object.union(applied(10), {"use_current_hint": true}), "sched.ack.write"],
	"ack with identity": ["scheduler-ack", wait, {}, object.union(applied(10), tokens(wait)), "sched.ack.write"],
	"current ack": ["scheduler-ack-current", wait, {}, applied(10), "sched.ack.write"],
	"bound ack": ["scheduler-ack-current", wait, {}, bound(wait, 10), "sched.ack.write"],
	"small lead": ["scheduler-ack-current", monitor, {}, bound(monitor, 17), "sched.ack.write"],
	"observed after a failure": ["scheduler-ack-current", wait, failing, bound(wait, 10), "sched.ack.write"],
	"no failed target": ["scheduler-fail-current", wait, {}, {}, "sched.fail.incomplete"],
	"unknown kind": ["scheduler-fail-current", wait, {}, object.union(failed(10), {"failure_kind": "bored"}), "sched.fail.kind"],
	"nothing asked": ["scheduler-fail-current", wait, settled, failed(10), "sched.fail.not_needed"],
	"failed before again": ["scheduler-fail-current", wait, failing, failed(10), "sched.fail.not_needed"],
	"other target": ["scheduler-fail-current", wait, {}, failed(30), "sched.fail.target"],
	"failure": ["scheduler-fail-current", wait, {}, object.union(failed(10), {"failure_kind": "rejected"}), "sched.fail.record"],
}

test_sched_write_rule[name] if {
	some name, case in cases
	run(case[0], case[1], case[2], case[3]).document.rule == case[4]
}

refusals := {name: case |
	some name, case in cases
	not case[4] in {"sched.ack.noop", "sched.ack.write", "sched.fail.record"}
}

test_refusals_change_nothing_and_name_their_rule[name] if {
	some name, case in refusals
	found := run(case[0], case[1], case[2], case[3])
	found.ok == false
	found.effects == []
	found.document.written == false
	found.document.error.rule_id == case[4]
	found.document.error.code == found.document.error_code
	not found.document.post_ack_contract
	not found.document.target_rrule
}

test_sched_ack_write_records_what_was_applied if {
	found := run("scheduler-ack-current", wait, {}, object.union(bound(wait, 10), {"reason_summary": "applied"}))
	found.ok
	found.effects == [{
		"kind": "put_scheduler_state",
		"surface": "codex_app",
		"state_key": "scheduler_hint.codex_app.stateful_backoff",
		"digest": "",
		"state": object.union(tokens(wait), {
			"schema_version": "loopx_scheduler_state_v0",
			"goal_id": "g1",
			"agent_id": "agent-a",
			"surface": "codex_app",
			"state_key": "scheduler_hint.codex_app.stateful_backoff",
			"progression_index": 0,
			"progression_minutes": [10, 20, 30, 60],
			"last_applied_rrule": rrule(10),
			"updated_at": "2026-08-20T12:00:00+00:00",
			"source": "quota_scheduler_ack",
		}),
	}]
	found.document.written
	found.document.dry_run == false
	found.document.already_applied == false
	found.document.reason_summary == "applied"
	found.document.target_rrule == rrule(10)
	found.document.scheduler_state == found.effects[0].state
}

test_sched_ack_no_successor_and_no_spend if {
	found := run("scheduler-ack-current", wait, {}, bound(wait, 10)).document
	found.post_ack_contract.apply_successor_rrule == false
	found.post_ack_contract.no_spend
	found.appended == false
	found.no_spend
}

test_preview_gives_effects_and_writes_nothing if {
	found := run("scheduler-ack-current", wait, {"request": {"execute": false}}, bound(wait, 10))
	count(found.effects) == 1
	found.document.dry_run
	found.document.written == false
}

test_sched_ack_noop_writes_nothing if {
	found := run("scheduler-ack-current", wait, settled, bound(wait, 10))
	found.ok
	found.effects == []
	found.document.already_applied
	found.document.written == false
	not found.document.scheduler_state
	found.document.post_ack_contract
}

test_sched_ack_drops_only_failures_of_its_target if {
	found := run("scheduler-ack-current", wait, failing, bound(wait, 10)).effects[0]
	found.digest == "d1"
	[f.target_rrule | some f in found.state.host_update_failures] == [rrule(30)]
	found.state.host_update_failure.target_rrule == rrule(30)
	found.state.host_update_failure.identity_signature == tokens(wait).identity_signature
	found.state.host_update_failure.schema_version == "scheduler_host_update_failure_v0"
	not found.state.host_update_failure.failed_ns
}

test_sched_ack_keeps_unknown_keys_but_not_over_known_ones if {
	state := stored(wait, 20, {"extra": {"note": [1], "source": "other"}})
	found := run("scheduler-ack-current", wait, {"scheduler_states": [state]}, bound(wait, 10)).effects[0].state
	found.note == [1]
	found.source == "quota_scheduler_ack"
}

test_sched_ack_of_a_lead_records_the_real_interval if {
	state := run("scheduler-ack-current", monitor, {}, bound(monitor, 17)).effects[0].state
	state.last_applied_rrule == rrule(17)
}

failures_after(states, observed) := state if {
	state := run("scheduler-fail-current", wait, {"scheduler_states": states, "request": observed}, failed(10)).effects[0].state
}

test_sched_fail_record_on_a_fresh_host if {
	state := failures_after([], {})
	state.source == "quota_scheduler_host_update_failure"
	state.last_applied_rrule == ""
	state.host_update_failure == {
		"schema_version": "scheduler_host_update_failure_v0",
		"target_rrule": rrule(10),
		"observed_host_rrule": "",
		"failure_kind": "host_tool_failure",
		"failure_count": 1,
		"failed_at": "2026-08-20T12:00:00+00:00",
		"identity_signature": tokens(wait).identity_signature,
	}
	state.host_update_failures == [state.host_update_failure]
	not run("scheduler-fail-current", wait, {}, failed(10)).document.post_ack_contract
}

test_sched_fail_record_keeps_what_counts_and_at_most_four if {
	old := failure(15, 7, {"failed_ns": testing.now_ns - ((24 * testing.hour) + 1)})
	others := [failure(minutes, 7, {}) | some minutes in [20, 30, 40, 50]]
	elsewhere := failure(60, 8, {})
	state := failures_after(
		[stored(wait, 7, {"failures": array.concat([old, elsewhere], others)})],
		{"current_rrule": rrule(7)},
	)
	[f.target_rrule | some f in state.host_update_failures] == [rrule(30), rrule(40), rrule(50), rrule(10)]
	state.last_applied_rrule == rrule(7)
}

test_sched_fail_record_counts_the_same_pair if {
	state := scheduler.pairs with input as testing.team({
		"write": failed(10),
		"request": {"command": "scheduler-fail-current"},
		"scheduler_states": [stored(wait, 7, {"failures": [failure(10, 7, {"failure_count": 2}), failure(20, 7, {})]})],
	})
		with data.loopx.interaction_contract.first as wait
		with data.loopx.interaction_contract.identity as identity(wait.mode)
		with data.loopx.interaction_contract.pause_mode as "none"
		with data.loopx.todos.mon as {}
		with data.loopx.todos.expired as {}
		with data.loopx.todos.gates_mine as {}
	[[f.target_rrule, f.failure_count] | some f in state] == [[rrule(20), 1], [rrule(10), 3]]
}

test_sched_write_goal_unknown if {
	given := object.remove(testing.team({"write": applied(10), "request": {"command": "scheduler-ack-current"}}), ["goal"])
	scheduler.result.document.rule == "sched.write.goal" with input as given
}

test_the_document_without_flags_is_a_refusal if {
	found := scheduler.result with input as testing.team({"request": {"command": "scheduler-ack", "codex_app": true}})
		with data.loopx.interaction_contract.first as wait
		with data.loopx.interaction_contract.identity as identity(wait.mode)
		with data.loopx.interaction_contract.pause_mode as "none"
	found.document.rule == "sched.ack.incomplete"
	found.document.dry_run
}

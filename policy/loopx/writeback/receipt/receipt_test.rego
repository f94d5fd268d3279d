package loopx.writeback.receipt_test

import data.loopx.testing
import data.loopx.writeback.receipt

now := testing.now_ns

tok := testing.advancement("todo_tok", {"claimed_by": "agent-a"})

watch := testing.monitor("todo_mon", {
	"target_key": "ci",
	"cadence": "3h",
	"cadence_seconds": 10800,
	"next_due_at": "2026-08-21T15:00:00+00:00",
	"next_due_ns": now + (27 * testing.hour),
	"claimed_by": "agent-a",
})

peer := testing.advancement("todo_peer", {"claimed_by": "agent-b", "index": 2})

work := {"todos": [tok]}

quiet := {"todos": [watch, peer]}

stalled := {"todos": [tok], "runs": [
	testing.run(1, "no_progress_a", {"agent_id": "agent-a"}),
	testing.run(2, "no_progress_b", {"agent_id": "agent-a"}),
]}

event(details) := {
	"event_kind": "quota_should_run",
	"event_id": "e1",
	"recorded_at": "2026-08-20T11:59:00.000000Z",
	"agent_id": "agent-a",
	"details": details,
}

observed := {
	"generated_at": "2026-08-20T11:59:00+00:00",
	"classification": "quota_monitor_poll",
	"agent_id": "agent-a",
	"turn_instance_id": "turn-1",
}

asked(rows, events, parts) := testing.team(object.union_n(array.concat(
	[{
		"request": {"turn_instance_id": "turn-1"},
		"write": {"poll": {}, "receipt": {}},
		"trace": {"rows": rows, "events": events},
	}],
	parts,
)))

first := asked([], [], [work])

obligation := id if id := data.loopx.frontier.obligation.obligation_id with input as asked([], [], [stalled])

cases := {
	"turn.commit": [first, "turn.commit"],
	"quiet, observed by this call": [asked([observed], [], [quiet, {"write": {"receipt": {"observed": true}}}]), "turn.commit"],
	"quiet, observed by a call that ended early": [asked([observed], [], [quiet]), "turn.commit"],
	"receipt of another agent": [asked([], [object.union(event({}), {"agent_id": "agent-b"})], [work]), "turn.commit"],
	"another event of the turn": [asked([], [object.union(event({}), {"event_kind": "refresh_state"})], [work]), "turn.commit"],
	"paused": [asked([], [], [work, {"goal": {"quota": {"compute": 0}}}]), "turn.commit"],
	"unhealthy": [
		asked([], [], [work, {"findings": [{"code": "c", "scope": "goal", "goal_id": "g1", "message": "m"}]}]),
		"turn.commit",
	],
	"replan": [asked([], [], [stalled]), "turn.commit"],
	"turn.observe": [asked([], [], [quiet]), "turn.observe"],
	"observation of another agent": [asked([object.union(observed, {"agent_id": "agent-b"})], [], [quiet]), "turn.observe"],
	"observation of another turn": [asked([object.union(observed, {"turn_instance_id": "t"})], [], [quiet]), "turn.observe"],
	"another row of the turn": [asked([object.union(observed, {"classification": "note"})], [], [quiet]), "turn.observe"],
	"turn.replay": [asked([], [event({"todo_id": "todo_tok"})], [work]), "turn.replay"],
	"replay of a quiet turn": [asked([observed], [event({})], [quiet]), "turn.replay"],
	"replay of a quiet turn without its observation": [asked([], [event({})], [quiet]), "turn.replay"],
	"replay of a replan": [asked([], [event({"replan_obligation_id": obligation})], [stalled]), "turn.replay"],
	"replay by the event's todo": [asked([], [object.union(event({}), {"todo_id": "todo_tok"})], [work]), "turn.replay"],
	"turn.upgrade": [asked([], [event({})], [work]), "turn.upgrade"],
	"upgraded before": [asked([], [event({"todo_id": "todo_tok"}), event({"todo_id": null})], [work]), "turn.replay"],
	"turn.conflict": [asked([], [event({"todo_id": "todo_other"})], [work]), "turn.conflict"],
	"bound and now quiet": [asked([], [event({"todo_id": "todo_tok"})], [quiet]), "turn.conflict"],
	"bound to a replan": [asked([], [event({"replan_obligation_id": "replan-0"})], [work]), "turn.conflict"],
	"turn.write_failed": [asked([], [], [work, {"write": {"receipt": {"failure": "disk full"}}}]), "turn.write_failed"],
	"turn.none": [asked([], [], [work, {"request": {"turn_instance_id": ""}}]), "turn.none"],
	"bad call": [asked([], [], [work, {"request": {"dry_run": true}}]), "turn.none"],
	"unknown agent": [asked([], [], [work, {"request": {"agent_id": "agent-z"}}]), "turn.none"],
	"unknown goal": [object.remove(first, ["goal"]), "turn.none"],
}

test_turn_rule[name] if {
	some name, case in cases
	receipt.outcome.rule == case[1] with input as case[0]
}

answer(name) := found if {
	found := receipt.result with input as cases[name][0]
}

test_turn_commit_appends_one_event if {
	got := answer("turn.commit")
	got.ok
	got.again == false
	got.effects == [{
		"kind": "append_event",
		"goal_id": "g1",
		"required": true,
		"unique": true,
		"event": {
			"event_kind": "quota_should_run",
			"agent_id": "agent-a",
			"run_id": "turn-1",
			"todo_id": "todo_tok",
			"status": "normal_run",
			"details": {
				"turn_instance_id": "turn-1",
				"stall_observation": "not_applicable",
				"todo_id": "todo_tok",
				"settlement_effect_id": "g1:agent-a:todo_tok:turn-1",
				"should_run": true,
				"ok": true,
				"state": "eligible",
				"effective_action": "normal_run",
			},
		},
	}]
	shown := got.document.heartbeat_receipt
	shown.schema_version == "heartbeat_quota_receipt_v0"
	shown.status == "committed"
	shown.todo_id == "todo_tok"
	shown.replan_obligation_id == null
	shown.settlement_identity.effect_id == "g1:agent-a:todo_tok:turn-1"
	shown.settlement_identity.todo_id == "todo_tok"
	got.document.should_run
	got.document.selected_todo.todo_id == "todo_tok"
	not got.document.heartbeat_stall_writeback
}

test_turn_of_a_replan_binds_its_obligation if {
	got := answer("replan")
	shown := got.document.heartbeat_receipt
	shown.todo_id == null
	shown.replan_obligation_id == obligation
	shown.settlement_identity.effect_id == sprintf("g1:agent-a:autonomous_replan:%s:turn-1", [obligation])
	got.document.selected_todo == null
	got.effects[0].event.details.replan_obligation_id == obligation
	not got.effects[0].event.todo_id
}

test_turn_observe_appends_the_observation_and_asks_again if {
	got := answer("turn.observe")
	got.again
	[effect.kind | some effect in got.effects] == ["append_run", "append_event"]
	row := got.effects[0].row
	row.classification == "quota_monitor_poll"
	row.turn_instance_id == "turn-1"
	row.agent_id == "agent-a"
	row.delivery_outcome == "surface_only"
	row.monitor_target.monitor_mode == "monitor_quiet_until_material_transition"
	not row.todo_id
	got.effects[1].event.event_kind == "quota_monitor_poll"
	got.effects[1].unique
}

# turn.stall.appended, turn.stall.replayed, turn.stall.none
stall_cases := {
	"quiet, observed by this call": "appended",
	"quiet, observed by a call that ended early": "replayed",
	"replay of a quiet turn": "replayed",
	"replay of a quiet turn without its observation": "not_applicable",
	"turn.commit": "not_applicable",
}

test_turn_stall[name] if {
	some name, want in stall_cases
	got := answer(name).document
	got.heartbeat_receipt.stall_observation == want
	object.get(got, ["heartbeat_stall_writeback", "status"], "not_applicable") == want
}

test_turn_replay_shows_the_first_receipt if {
	got := answer("turn.replay")
	got.ok
	got.effects == []
	got.document.heartbeat_receipt.status == "replayed"
	got.document.heartbeat_receipt.event_id == "e1"
	got.document.heartbeat_receipt.recorded_at == "2026-08-20T11:59:00.000000Z"
}

test_turn_upgrade_adds_the_binding if {
	got := answer("turn.upgrade")
	got.effects[0].unique == false
	got.effects[0].required
	got.effects[0].event.details.settlement_receipt_revision == "identity_upgrade"
	got.effects[0].event.details.todo_id == "todo_tok"
	got.document.heartbeat_receipt.status == "committed"
	got.document.heartbeat_receipt.settlement_receipt_revision == "identity_upgrade"
}

conflicts := {
	"turn.conflict": ["todo_id"],
	"bound and now quiet": ["todo_id"],
	"bound to a replan": ["todo_id", "replan_obligation_id"],
}

test_turn_conflict_names_the_fields_and_writes_nothing[name] if {
	some name, fields in conflicts
	got := answer(name)
	got.ok == false
	got.effects == []
	got.document.conflict_fields == fields
	got.document.error.code == "heartbeat_receipt_identity_conflict"
	got.document.error.rule_id == "turn.conflict"
	got.document.should_run == false
	got.document.state == "blocked_health"
	got.document.heartbeat_receipt.status == "conflict"
	got.document.heartbeat_receipt.stall_observation == "not_evaluated"
}

test_turn_write_failed_may_not_run if {
	got := answer("turn.write_failed")
	got.ok == false
	got.effects == []
	got.document.effective_action == "heartbeat_receipt_write_failed"
	got.document.state == "blocked_health"
	got.document.should_run == false
	got.document.heartbeat_receipt.status == "write_failed"
	contains(got.document.reason, "disk full")
}

test_turn_of_an_unhealthy_goal_keeps_the_answer if {
	got := answer("unhealthy")
	got.ok == false
	count(got.effects) == 1
	got.effects[0].event.details.ok == false
	got.document.state == "blocked_health"
}

test_turn_of_a_paused_goal_is_bound_to_nothing if {
	got := answer("paused")
	got.document.heartbeat_receipt.settlement_identity == null
	got.document.state == "paused"
}

quiet_refusals := {"turn.none", "bad call", "unknown agent", "unknown goal"}

test_turn_none_writes_nothing_and_changes_nothing[name] if {
	some name in quiet_refusals
	got := answer(name)
	got.effects == []
	not got.document.heartbeat_receipt
	want := data.loopx.should_run.decision with input as cases[name][0]
	got.document == want
}

# --- the host poll

polled(parts) := asked([], [], array.concat([work, {"request": {"turn_instance_id": "", "record_host_poll": true}}], parts))

test_poll_create_absent_on_request if {
	got := receipt.result with input as polled([])
	got.effects == [{"kind": "put_host_poll", "goal_id": "g1", "receipt": {
		"schema_version": "loopx_host_poll_receipt_v0",
		"goal_id": "g1",
		"agent_id": "agent-a",
		"last_poll_at": "2026-08-20T12:00:00.000000+00:00",
		"expected_continuation": true,
		"last_decision_action": "normal_run",
	}}]
	not got.document.heartbeat_receipt
	unscoped := receipt.result with input as testing.facts(object.union(work, {
		"request": {"record_host_poll": true},
		"write": {"poll": {}, "receipt": {}},
	}))
	unscoped.effects[0].receipt.agent_id == null
}

test_host_poll_beside_the_receipt_of_a_turn if {
	got := receipt.result with input as asked([], [], [work, {"request": {"record_host_poll": true}}])
	[effect.kind | some effect in got.effects] == ["append_event", "put_host_poll"]
}

silent := {
	"dry run": {"request": {"dry_run": true}},
	"unhealthy": {"findings": [{"code": "c", "scope": "goal", "goal_id": "g1", "message": "m"}]},
	"unknown agent": {"request": {"agent_id": "agent-z"}},
}

test_host_poll_only_of_a_healthy_decision[name] if {
	some name, part in silent
	got := receipt.result with input as polled([part])
	got.effects == []
}

test_host_poll_of_a_closed_goal_expects_no_more if {
	closed := object.union(tok, {"status": "done", "no_followup": true, "completed_at": "2026-08-20T11:00:00Z"})
	facts := testing.facts({
		"todos": [closed],
		"state": {"next_actions": []},
		"request": {"record_host_poll": true},
		"write": {"poll": {}, "receipt": {}},
	})
	got := receipt.result with input as facts
	got.document.effective_action == "terminal_no_followup"
	got.effects[0].receipt.expected_continuation == false
}

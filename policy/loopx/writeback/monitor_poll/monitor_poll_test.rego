package loopx.writeback.monitor_poll_test

import data.loopx.frontier
import data.loopx.testing
import data.loopx.writeback.monitor_poll as poll

now := testing.now_ns

watch(due_in_minutes, change) := testing.monitor("todo_mon", object.union(
	{
		"target_key": "release-page",
		"cadence": "30m",
		"cadence_seconds": 1800,
		"next_due_at": "2026-08-20T11:50:00+00:00",
		"next_due_ns": now + (due_in_minutes * testing.minute),
		"text": "[P1] Watch the release page.",
		"title": "Watch the release page.",
	},
	change,
))

due := watch(-10, {})

future := watch(60, {})

work := testing.advancement("todo_tok", {"index": 2})

lane(monitor) := {"todos": [monitor]}

named := {"todo_id": "todo_mon", "result_hash": "same-1"}

changed := object.union(named, {"result_hash": "new-2", "material_change": true})

solo(ask, changes) := testing.facts(object.union_n(array.concat(
	[
		{
			"request": {"command": "monitor-poll", "execute": true},
			"write": {"poll": ask},
			"state": {"sha256_16": "d1"},
		},
		lane(due),
	],
	changes,
)))

scoped(ask, changes) := testing.team(object.union_n(array.concat(
	[
		{
			"request": {"command": "monitor-poll", "execute": true, "agent_id": "agent-a"},
			"write": {"poll": ask},
			"state": {"sha256_16": "d1"},
		},
		lane(due),
	],
	changes,
)))

gate := testing.user_todo("todo_g", "user_gate", {"goal_bound": true})

watches := {"goal": {"work_modes": {"agent-a": "monitor_only"}}}

full := {
	"goal": {"quota": {"allowed_slots": 2}},
	"ledger": {"rows": [{"kind": "spend", "at": "x", "at_ns": now - testing.hour, "key": "k", "slots": 2}]},
}

evidence := {"goal": {"waiting_on": "external_evidence"}, "todos": [future]}

blocked_successor := {"todos": [testing.advancement("todo_next", {
	"claimed_by": "agent-a",
	"resume_when": "todo_done:todo_far",
})]}

# --- turns

receipt(details) := {"event_kind": "quota_should_run", "agent_id": "agent-a", "details": details}

turn(rows, events) := {"trace": {"rows": rows, "events": events}, "request": {"turn_instance_id": "turn-1"}}

row(change) := object.union(
	{
		"generated_at": "2026-08-20T11:59:00+00:00",
		"classification": "quota_monitor_poll",
		"agent_id": "agent-a",
		"turn_instance_id": "turn-1",
		"json_path": "/r/p.json",
		"markdown_path": "/r/p.md",
	},
	change,
)

same := row({"todo_id": "todo_mon", "result_hash": "same-1"})

cases := {
	"bad call": [solo(named, [{"request": {"dry_run": true}}]), "write.request"],
	"unknown goal": [object.remove(solo(named, []), ["goal"]), "write.goal"],
	"unknown agent": [scoped(named, [{"request": {"agent_id": "agent-z"}}]), "write.identity"],
	"unknown source": [solo(object.union(named, {"source": "cron"}), []), "poll.source"],
	"change of nothing": [solo({"material_change": true}, []), "poll.material_target"],
	"follow-up without change": [solo(object.union(named, {"next_agent_todo": "Read it."}), []), "poll.next_requires_material"],
	"user follow-up without change": [
		solo(object.union(named, {"next_user_todo": "Look.", "next_user_task_class": "user_action"}), []),
		"poll.next_requires_material",
	],
	"route without follow-up": [solo(object.union(changed, {"next_action_kind": "analyze"}), []), "poll.agent_route"],
	"capability without follow-up": [solo(object.union(changed, {"next_required_capabilities": ["docker"]}), []), "poll.agent_route"],
	"user follow-up without class": [solo(object.union(changed, {"next_user_todo": "Look."}), []), "poll.user_class"],
	"user follow-up of another class": [
		solo(object.union(changed, {"next_user_todo": "Look.", "next_user_task_class": "blocker"}), []),
		"poll.user_class",
	],
	"class without follow-up": [solo(object.union(changed, {"next_user_task_class": "user_gate"}), []), "poll.user_class"],
	"route that nobody reads": [solo(object.union(follow, {"next_action_kind": "Read it!"}), []), "poll.next_fields"],
	"repository with a password": [solo(object.union(follow, {"next_task_repository": "https://u:p@host/x"}), []), "poll.next_fields"],
	"unregistered taker": [scoped(object.union(follow, {"next_claimed_by": "agent-z"}), []), "poll.next_fields"],
	"registered taker": [scoped(object.union(follow, {"next_claimed_by": "agent-b"}), []), "poll.accepted"],
	"due beside a gate": [scoped(named, [{"todos": [gate, due]}]), "poll.accepted"],
	"another due monitor beside a gate": [
		scoped({"todo_id": "todo_two", "result_hash": "h"}, [{"todos": [gate, due, object.union(due, {
			"id": "todo_two",
			"target_key": "two",
			"index": 2,
			"rank": 3,
		})]}]),
		"poll.guard",
	],
	"due monitor of an agent that only watches": [scoped(named, [watches]), "poll.accepted"],
	"quiet agent that only watches": [scoped({}, [watches, lane(future)]), "poll.accepted"],
	"unreadable cadence": [solo(object.union(named, {"cadence": "soon"}), []), "poll.schedule"],
	"unreadable time": [solo(object.union(named, {"next_due_at": "soon"}), []), "poll.schedule"],
	"private summary": [solo(object.union(named, {"private": ["credential"]}), []), "poll.public"],
	"long summary": [
		solo(object.union(named, {"reason_summary": concat("", ["a" | some _ in numbers.range(1, 241)])}), []),
		"poll.public",
	],
	"turn recorded another hash": [scoped(named, [turn([row({"todo_id": "todo_mon", "result_hash": "x"})], [receipt({})])]), "poll.conflict"],
	"turn recorded no change": [scoped(changed, [turn([row({"todo_id": "todo_mon", "result_hash": "new-2"})], [receipt({})])]), "poll.conflict"],
	"turn recorded its quiet skip": [scoped(named, [turn([row({})], [receipt({})])]), "poll.conflict"],
	"turn recorded the same": [scoped(named, [turn([same], [receipt({})])]), "poll.replay"],
	"quiet skip again": [scoped({}, [turn([row({})], [receipt({})]), lane(future)]), "poll.replay"],
	"turn without receipt": [scoped(named, [turn([], [])]), "poll.receipt"],
	"turn with the receipt of another agent": [
		scoped(named, [turn([], [object.union(receipt({}), {"agent_id": "agent-b"})])]),
		"poll.receipt",
	],
	"turn of another todo": [scoped(named, [turn([], [receipt({"todo_id": "todo_tok"})])]), "poll.receipt"],
	"turn of another todo by its event": [
		scoped(named, [turn([], [object.union(receipt({}), {"todo_id": "todo_tok"})])]),
		"poll.receipt",
	],
	"turn of this todo": [scoped(named, [turn([], [receipt({"todo_id": "todo_mon"})])]), "poll.accepted"],
	"due monitor without name": [solo({}, []), "poll.due_ids"],
	"delivery": [solo({}, [{"todos": [work]}]), "poll.guard"],
	"monitor beside delivery": [solo(named, [{"todos": [watch(60, {"index": 1}), work]}]), "poll.guard"],
	"throttled": [solo(named, [full]), "poll.guard"],
	"throttled and quiet": [solo({}, [full, lane(future)]), "poll.guard"],
	"paused": [solo(named, [{"goal": {"quota": {"compute": 0}}}]), "poll.guard"],
	"gated": [solo(named, [{"goal": {"waiting_on": "controller"}}]), "poll.guard"],
	"another due monitor": [
		solo({"target_key": "other", "result_hash": "h"}, [{"todos": [due, testing.monitor("todo_other", {
			"target_key": "other",
			"rank": 2,
			"index": 2,
			"cadence": "1h",
			"cadence_seconds": 3600,
			"next_due_ns": now + testing.hour,
			"next_due_at": "2026-08-20T13:00:00+00:00",
		})]}]),
		"poll.guard",
	],
	"no such todo": [solo(object.union(named, {"todo_id": "todo_x"}), [lane(future)]), "poll.todo"],
	"no monitor": [
		scoped(object.union(named, {"todo_id": "todo_tok"}), [{"todos": [future, object.union(work, {"claimed_by": "agent-b"})], "runs": [acknowledged]}]),
		"poll.todo",
	],
	"id and key of different todos": [solo(object.union(named, {"target_key": "other"}), [lane(future)]), "poll.todo"],
	"two of one key": [
		solo({"target_key": "release-page", "result_hash": "h"}, [{"todos": [future, object.union(future, {"id": "todo_two", "index": 2})]}]),
		"poll.todo",
	],
	"no result": [solo({"todo_id": "todo_mon"}, []), "poll.hash"],
	"no next time": [solo(named, [lane(object.remove(watch(-10, {}), ["cadence", "cadence_seconds"]))]), "poll.unchanged_due"],
	"due": [solo(named, []), "poll.accepted"],
	"due by key": [solo({"target_key": "release-page", "result_hash": "h"}, []), "poll.accepted"],
	"due with a time of its own": [
		solo(
			object.union(named, {"next_due_at": "2026-08-21T00:00:00Z", "next_due_ns": now + testing.hour}),
			[lane(object.remove(watch(-10, {}), ["cadence", "cadence_seconds"]))],
		),
		"poll.accepted",
	],
	"changed without a next time": [solo(changed, [lane(object.remove(watch(-10, {}), ["cadence", "cadence_seconds"]))]), "poll.accepted"],
	"quiet": [solo({}, [lane(future)]), "poll.accepted"],
	"quiet with a name": [solo(named, [lane(future)]), "poll.accepted"],
	"external evidence": [solo({}, [evidence]), "poll.accepted"],
	"due beside delivery": [solo(named, [{"todos": [watch(-10, {"rank": 2, "index": 1}), work]}]), "poll.accepted"],
	"blocked successor": [scoped({}, [blocked_successor]), "poll.accepted"],
}

# the wait of a lane of monitors is acknowledged
acknowledged := testing.run(10, "replan_done", {
	"agent_id": "agent-a",
	"ack": {
		"schema_version": "autonomous_replan_ack_v0",
		"recorded": true,
		"delta_schema_version": "repair_delta_contract_v0",
		"delta_present": true,
		"delta_kinds": ["watch_lane_continuation"],
		"semantic_present": false,
		"semantic_accepted": false,
		"semantic_outcomes": [],
	},
})

test_poll_rule[name] if {
	some name, case in cases
	poll.outcome.rule == case[1] with input as case[0]
}

refusals := {name: case | some name, case in cases; not case[1] in {"poll.accepted", "poll.replay"}}

test_a_refusal_writes_nothing_and_names_its_rule[name] if {
	some name, case in refusals
	got := poll.result with input as case[0]
	got.ok == false
	got.effects == []
	got.document.appended == false
	got.document.error.rule_id == case[1]
	got.document.error.code == got.document.error_code
}

guards := {
	"poll.guard.quiet": ["quiet", "monitor_quiet_until_material_transition"],
	"poll.guard.external": ["external evidence", "external_monitor_observed_without_material_transition"],
	"poll.guard.due": ["due", "due_monitor_observed_without_material_transition"],
	"due beside delivery": ["due beside delivery", "due_monitor_observed_without_material_transition"],
	"poll.guard.blocked": ["blocked successor", "blocked_successor_wait_without_material_transition"],
	"material": ["changed without a next time", "due_monitor_material_transition"],
}

test_poll_guard_gives_the_mode[name] if {
	some name, want in guards
	got := poll.result.document with input as cases[want[0]][0]
	got.monitor_mode == want[1]
	got.no_spend
	got.before == got.after
}

# a monitor lane that looks at launched work
test_poll_guard_external_by_its_lane if {
	facts := solo({}, [lane(future)])
	turn := object.union(data.loopx.work_mode.final, {
		"effective_action": "normal_run",
		"lane": {"lane": "continuous_monitor", "monitor_kind": "external_evidence", "must_attempt_work": true},
	}) with input as facts
	poll.allowed_by == "poll.guard.external" with input as facts with data.loopx.work_mode.final as turn
}

test_poll_conflict_names_the_fields if {
	got := poll.result.document with input as cases["turn recorded its quiet skip"][0]
	got.conflict_fields == ["result_hash", "todo_id"]
	got.error_code == "heartbeat_receipt_identity_conflict"
	change := poll.result.document with input as cases["turn recorded no change"][0]
	change.conflict_fields == ["material_change"]
	bound := poll.result.document with input as cases["turn of another todo"][0]
	bound.conflict_fields == ["todo_id"]
	bound.error_code == "heartbeat_receipt_identity_conflict"
}

test_poll_replay_gives_the_first_receipt if {
	got := poll.result with input as cases["turn recorded the same"][0]
	got.effects == []
	got.document.replayed
	got.document.appended == false
	got.document.generated_at == "2026-08-20T11:59:00+00:00"
	got.document.json_path == "/r/p.json"
	got.document.after == got.document.before
	got.document.successor_todo_ids == []
	followed := scoped(named, [turn([object.union(same, {"successor_todo_ids": ["todo_n"]})], [receipt({})])])
	poll.result.document.successor_todo_ids == ["todo_n"] with input as followed
}

test_poll_capability_retry if {
	facts := solo({}, [{"todos": [object.union(work, {"required_capabilities": ["benchmark_runner"]})]}])
	got := poll.result.document with input as facts
	got.error.rule_id == "poll.guard"
	got.capability_retry == {"missing": ["benchmark_runner"], "flags": ["--available-capability", "benchmark_runner"]}
	none := poll.result.document with input as cases.paused[0]
	not none.capability_retry
}

# --- what is written

effects(ask, changes) := found if {
	found := poll.result.effects with input as solo(ask, changes)
}

test_poll_effects_of_a_due_monitor if {
	got := effects(named, [])
	[effect.kind | some effect in got] == ["edit_state", "append_run", "append_event"]
	got[0].digest == "d1"
	got[0].updated_at == "2026-08-20T12:00:00+00:00"
	got[0].edits == [{"op": "edit", "todo_id": "todo_mon", "set": {
		"last_checked_at": "2026-08-20T12:00:00+00:00",
		"result_hash": "same-1",
		"consecutive_no_change": "1",
		"material_change": "false",
		"next_due_at": "2026-08-20T12:30:00+00:00",
		"updated_at": "2026-08-20T12:00:00+00:00",
	}}]
	run := got[1]
	run.suffix == "quota-monitor-poll"
	object.keys(run.record) == {
		"generated_at",
		"goal_id",
		"classification",
		"recommended_action",
		"health_check",
		"delivery_outcome",
		"monitor_target",
		"monitor_event",
	}
	run.record.delivery_outcome == "surface_only"
	run.row.todo_id == "todo_mon"
	run.row.target_key == "release-page"
	run.row.result_hash == "same-1"
	not run.row.monitor_event
	not run.row.material_change
	event := run.record.monitor_event
	event.event_type == "quota_monitor_poll"
	event.todo_writeback.consecutive_no_change == 1
	event.todo_writeback.next_due_at == "2026-08-20T12:30:00+00:00"
	event.todo_writeback.cadence == "30m"
	event.before.state == "eligible"
	got[2].event.event_kind == "quota_monitor_poll"
	got[2].unique == false
	not run.record.quota_event
}

test_poll_effects_of_a_quiet_watch_touch_no_todo if {
	got := effects({}, [lane(future)])
	[effect.kind | some effect in got] == ["append_run", "append_event"]
	got[0].record.monitor_event.todo_id == null
	not got[0].record.monitor_event.todo_writeback
	not got[0].row.todo_id
	not got[1].event.todo_id
}

test_poll_effects_of_a_turn if {
	got := poll.result with input as cases["turn of this todo"][0]
	got.effects[1].record.turn_instance_id == "turn-1"
	got.effects[1].record.agent_id == "agent-a"
	got.effects[1].record.monitor_event.turn_instance_id == "turn-1"
	got.effects[2].unique
	got.effects[2].event.run_id == "turn-1"
	got.document.turn_instance_id == "turn-1"
}

test_poll_preview if {
	got := poll.result with input as solo(named, [{"request": {"execute": false}}])
	got.document.dry_run
	got.document.appended == false
	got.document.todo_writeback.dry_run
	count(got.effects) == 3
	done := poll.result.document with input as solo(named, [])
	done.appended
	done.dry_run == false
	done.todo_writeback.dry_run == false
}

no_change_cases := {
	"first": {"monitor": {}, "ask": named, "want": 1},
	"again": {"monitor": {"result_hash": "same-1", "consecutive_no_change": 3}, "ask": named, "want": 4},
	"no stored result": {"monitor": {"consecutive_no_change": 3}, "ask": named, "want": 4},
	"another result": {"monitor": {"result_hash": "old", "consecutive_no_change": 3}, "ask": named, "want": 0},
	"a change": {"monitor": {"result_hash": "new-2", "consecutive_no_change": 3}, "ask": changed, "want": 0},
}

test_poll_no_change[name] if {
	some name, case in no_change_cases
	got := poll.consecutive_no_change with input as solo(case.ask, [lane(watch(-10, case.monitor))])
	got == case.want
}

test_poll_schedule_of_the_caller if {
	cadence := effects(object.union(named, {"cadence": "2h", "cadence_seconds": 7200}), [])[0].edits[0].set
	cadence.cadence == "2h"
	cadence.next_due_at == "2026-08-20T14:00:00+00:00"
	time := effects(object.union(named, {"next_due_at": "2026-08-21T00:00:00Z", "next_due_ns": now + testing.hour}), [])
	time[0].edits[0].set.next_due_at == "2026-08-21T00:00:00Z"
}

# --- the target

# decision.md 4.8: the hash of the identity, with the summary while there is no frontier
test_poll_target_is_stable_over_time if {
	first := poll.monitor_target with input as solo({}, [lane(future)])
	later := poll.monitor_target with input as solo({}, [lane(object.union(future, {"next_due_ns": now + (2 * testing.hour)})), {
		"now": "2026-08-20T12:15:00+00:00",
		"now_ns": now + (15 * testing.minute),
	}])
	first == later
	first.schema_version == "quota_monitor_target_v0"
	regex.match(`^[0-9a-f]{16}$`, first.target_id)
	other := poll.monitor_target with input as scoped({}, [lane(future), {"runs": [acknowledged]}])
	other.agent_id == "agent-a"
	other.target_id != first.target_id
}

# six polls of one target are six looks at a dead monitor
test_poll_target_counts_as_one_watched_thing if {
	written := effects({}, [lane(future)])[0].row
	rows := [object.union(testing.run(minute, written.classification, {"delivery_outcome": "surface_only"}), {"monitor_target": written.monitor_target}) |
		some minute in numbers.range(1, 6)
	]
	frontier.poll_streak == 6 with input as testing.facts({"todos": [future], "runs": rows})
}

test_poll_without_recommendation_names_the_next_step if {
	facts := solo({}, [lane(future)])
	final := object.union(data.loopx.work_mode.final, {"recommended_action": null}) with input as facts
	row := poll.row with input as facts with data.loopx.work_mode.final as final
	row.recommended_action != ""
	row.monitor_target.action_summary == ""
}

# --- follow-ups

follow := object.union(changed, {"next_agent_todo": "Read the notes."})

test_poll_material_with_an_agent_follow_up if {
	got := effects(follow, [])
	[_, added] := got[0].edits
	added.op == "add"
	added.role == "agent"
	added.text == "[P1] Read the notes."
	added.metadata.task_class == "advancement_task"
	added.metadata.status == "open"
	added.metadata.unblocks_todo_id == "todo_mon"
	startswith(added.metadata.target_key, "monitor-successor:todo_mon:")
	not added.metadata.action_kind
	regex.match(`^todo_[0-9a-f]{12}$`, added.metadata.todo_id)
	got[0].edits[0].set.material_change == "true"
	got[1].record.delivery_outcome == "outcome_progress"
	got[1].row.material_change
	got[1].row.successor_todo_ids == [added.metadata.todo_id]
	got[1].record.monitor_event.todo_writeback.successor_receipts == [{
		"todo_id": added.metadata.todo_id,
		"role": "agent",
		"already_exists": false,
	}]
}

# state-files.md 3.6
test_poll_follow_up_id if {
	facts := solo(object.union(changed, {"next_agent_todo": "[P0] Implement the widget parser"}), [])
	poll.successors[0].todo_id == "todo_8d8660c7a262" with input as facts
}

test_poll_follow_up_priority if {
	own := poll.follow_ups[0].text with input as solo(object.union(changed, {"next_agent_todo": "[P0] Stop it."}), [])
	own == "[P0] Stop it."
	none := poll.follow_ups[0].text with input as solo(follow, [lane(object.remove(due, ["priority"]))])
	none == "Read the notes."
}

# a todo that has the id already keeps it
test_poll_follow_up_id_is_free if {
	first := poll.successors[0].todo_id with input as solo(follow, [])
	taken := testing.advancement(first, {"index": 2, "status": "done", "text": "x"})
	archived := poll.successors[0].todo_id with input as solo(follow, [{"archived_done": [{"id": first, "status": "done", "no_followup": false}]}])
	archived != first
	second := poll.new_id({"role": "agent", "text": "[P1] Read the notes."}) with input as solo(follow, [{"todos": [due, taken]}])
	second != first
}

test_poll_agent_follow_up_keeps_its_route if {
	route := {
		"next_action_kind": "analyze",
		"next_task_repository": "git:host/repo",
		"next_repository": "git:host/repo",
		"next_required_capabilities": ["docker", "network"],
		"next_continuation_policy": "independent_handoff",
		"next_target_key": "notes",
		"next_claimed_by": "agent-b",
	}
	got := effects(object.union(follow, route), [{"goal": {"agents": ["agent-a", "agent-b"]}}])[0].edits[1].metadata
	got.action_kind == "analyze"
	got.task_repository == "git:host/repo"
	got.required_capabilities == "docker,network"
	got.continuation_policy == "independent_handoff"
	got.target_key == "notes"
	got.claimed_by == "agent-b"
}

user(class) := object.union(changed, {"next_user_todo": "Review it.", "next_user_task_class": class})

user_cases := {
	"one agent": {"facts": solo(user("user_gate"), []), "want": {"task_class": "user_gate"}},
	"reminder of a team": {
		"facts": scoped(user("user_action"), []),
		"want": {"task_class": "user_action", "bound_agent": "agent-a"},
	},
	"gate of a team": {
		"facts": scoped(user("user_gate"), []),
		"want": {"task_class": "user_gate", "bound_agent": "agent-a", "blocks_agent": "agent-a"},
	},
	"gate of a goal": {
		"facts": solo(user("user_gate"), [{"goal": {"agents": ["agent-a", "agent-b"]}}]),
		"want": {"task_class": "user_gate", "goal_bound": "true"},
	},
}

test_poll_user_follow_up[name] if {
	some name, case in user_cases
	got := poll.follow_ups with input as case.facts
	got == [{
		"role": "user",
		"text": "[P1] Review it.",
		"metadata": object.union({"unblocks_todo_id": "todo_mon"}, case.want),
	}]
}

test_poll_follow_up_is_written_once if {
	there := testing.advancement("todo_there", {"text": "[P1] Read the notes.", "unblocks_todo_id": "todo_mon", "index": 2})
	got := effects(follow, [{"todos": [due, there]}])
	count(got[0].edits) == 1
	got[1].row.successor_todo_ids == ["todo_there"]
	got[1].record.monitor_event.todo_writeback.successor_receipts[0].already_exists
	done := effects(follow, [{"todos": [due, object.union(there, {"status": "done"})]}])
	count(done[0].edits) == 2
}

test_poll_summary_and_detail if {
	got := poll.result.document with input as solo(object.union(named, {"reason_summary": "Nothing new."}), [{"request": {"include_detail": ["decisions"]}}])
	got.reason_summary == "Nothing new."
	got.decisions == {"guard": "poll.guard.due", "lane": "attempt_due_monitor"}
	plain := poll.result.document with input as solo(named, [])
	not plain.decisions
	plain.reason_summary != ""
}

package loopx.frontier_test

import data.loopx.frontier
import data.loopx.testing

run(classification, change) := testing.run(5, classification, object.union({"agent_id": "agent-a"}, change))

poll(change) := run("quota_monitor_poll", object.union(
	{
		"delivery_outcome": "surface_only",
		"monitor_target": {"target_id": "aaaaaaaaaaaaaaaa", "monitor_mode": "monitor_quiet_until_material_transition"},
	},
	change,
))

polls(n, change) := [poll(change) | some _ in numbers.range(1, n)]

observation(turn) := poll({"turn_instance_id": turn})

blocked_poll := poll({"monitor_target": {
	"target_id": "bbbbbbbbbbbbbbbb",
	"monitor_mode": "blocked_successor_wait_without_material_transition",
}})

stalled := run("parser_no_progress", {})

typed(result, fingerprint) := run("parser_slice", {"progress_observation": {"result": result, "fingerprint": fingerprint}})

delivered := run("shipped", {"delivery_outcome": "outcome_progress"})

plain := run("parser_slice", {"delivery_outcome": "surface_only"})

ack(change) := run("autonomous_replan_recorded", {"ack": object.union(
	{
		"schema_version": "autonomous_replan_ack_v0",
		"recorded": true,
		"delta_schema_version": "repair_delta_contract_v0",
		"delta_present": true,
		"delta_kinds": ["watch_lane_continuation"],
		"semantic_present": false,
		"semantic_accepted": false,
		"semantic_outcomes": [],
	},
	change,
)})

spent := run("quota_slot_spent", {})

watch := testing.monitor("watch", {
	"claimed_by": "agent-a",
	"cadence": "1h",
	"cadence_seconds": 3600,
	"next_due_at": "2026-08-20T13:00:00+00:00",
	"next_due_ns": testing.now_ns + testing.hour,
})

work := testing.advancement("work", {"claimed_by": "agent-a"})

trigger_cases := {
	"two turns without progress": {"runs": [stalled, stalled], "want": ["replan.stall", "no_progress_streak", 2]},
	"one folded row of two turns": {
		"runs": [object.union(stalled, {"count": 2})],
		"want": ["replan.stall", "no_progress_streak", 2],
	},
	"accounting and polls between": {
		"runs": array.flatten([stalled, spent, polls(2, {}), stalled, stalled]),
		"want": ["replan.stall", "no_progress_streak", 3],
	},
	"typed and different": {
		"runs": [typed("unchanged", "f1"), typed("blocked", "f2")],
		"want": ["replan.stall", "no_progress_streak", 2],
	},
	"typed and equal": {
		"runs": [typed("unchanged", "f1"), typed("blocked", "f1")],
		"want": ["replan.stall", "typed_progress_repeat", 2],
	},
	"typed without a fingerprint": {
		"runs": [run("x", {"progress_observation": {"result": "unchanged"}}), typed("unchanged", "f1")],
		"want": ["replan.stall", "no_progress_streak", 2],
	},
	"two observed turns": {
		"runs": [observation("t2"), observation("t1")],
		"want": ["replan.stall", "dead_monitor_repeat", 2],
	},
	"an observed turn and one without progress": {
		"runs": [observation("t2"), stalled],
		"want": ["replan.stall", "no_progress_streak", 2],
	},
	"rows without an agent count": {
		"runs": [object.remove(stalled, ["agent_id"]), stalled],
		"want": ["replan.stall", "no_progress_streak", 2],
	},
	"a successor that stays blocked": {
		"runs": [blocked_poll, blocked_poll],
		"want": ["replan.blocked_successor", "blocked_successor_no_progress_repeat", 2],
	},
	"six polls": {"runs": polls(6, {}), "want": ["replan.dead_monitor", "dead_monitor_repeat", 6]},
	"six polls in one row": {
		"runs": [poll({"count": 6})],
		"want": ["replan.dead_monitor", "dead_monitor_repeat", 6],
	},
	"six polls of one todo whatever the action": {
		"runs": array.concat(
			polls(3, {"todo_id": "watch"}),
			polls(3, {"todo_id": "watch", "monitor_target": {"target_id": "cccccccccccccccc"}}),
		),
		"want": ["replan.dead_monitor", "dead_monitor_repeat", 6],
	},
	"six polls of one key": {
		"runs": polls(6, {"target_key": "ci"}),
		"want": ["replan.dead_monitor", "dead_monitor_repeat", 6],
	},
	"six polls of one frontier": {
		"runs": polls(6, {"monitor_target": {"frontier_identity": "f", "target_id": "dddddddddddddddd"}}),
		"want": ["replan.dead_monitor", "dead_monitor_repeat", 6],
	},
	"six polls that name nothing": {
		"runs": [object.remove(p, ["monitor_target"]) | some p in polls(6, {})],
		"want": ["replan.dead_monitor", "dead_monitor_repeat", 6],
	},
	"polls of another agent between": {
		"runs": array.flatten([polls(3, {}), polls(9, {"agent_id": "agent-b"}), polls(3, {})]),
		"want": ["replan.dead_monitor", "dead_monitor_repeat", 6],
	},
	"a delivery of another agent between": {
		"runs": [stalled, object.union(delivered, {"agent_id": "agent-b"}), stalled],
		"want": ["replan.stall", "no_progress_streak", 2],
	},
	"a material change of another agent between": {
		"runs": array.flatten([polls(3, {}), poll({"agent_id": "agent-b", "material_change": true}), polls(3, {})]),
		"want": ["replan.dead_monitor", "dead_monitor_repeat", 6],
	},
	"spends between": {
		"runs": array.flatten([polls(3, {}), spent, polls(3, {})]),
		"want": ["replan.dead_monitor", "dead_monitor_repeat", 6],
	},
	"twenty rows without looking up": {
		"runs": [run("parser_slice", {"delivery_outcome": "outcome_progress", "count": 20})],
		"want": ["replan.periodic", "periodic_review_due", 20],
	},
	"twenty rows since the acknowledgement": {
		"runs": [run("parser_slice", {"delivery_outcome": "outcome_progress", "count": 20}), ack({})],
		"want": ["replan.periodic", "periodic_review_due", 20],
	},
	"a monitor that counted five": {
		"runs": [],
		"todos": [object.union(watch, {"consecutive_no_change": 5})],
		"want": ["replan.no_change", "monitor_no_change_streak", 5],
	},
	"five polls after real work since the acknowledgement": {
		"runs": array.flatten([polls(5, {}), plain, ack({})]),
		"todos": [object.union(watch, {"consecutive_no_change": 9})],
		"want": ["replan.no_change", "monitor_no_change_streak", 9],
	},
	"real stalled turns after the acknowledgement": {
		"runs": [stalled, stalled, ack({})],
		"want": ["replan.stall", "no_progress_streak", 2],
	},
	"an acknowledgement of another frontier": {
		"runs": array.flatten([
			polls(6, {"monitor_target": {"frontier_identity": "f", "target_id": "d"}}),
			ack({"frontier_identity": "other"}),
		]),
		"want": ["replan.dead_monitor", "dead_monitor_repeat", 6],
	},
	"another agent's acknowledgement": {
		"runs": array.concat([object.union(ack({}), {"agent_id": "agent-b"})], polls(6, {})),
		"want": ["replan.dead_monitor", "dead_monitor_repeat", 6],
	},
	"a classification alone closes nothing": {
		"runs": array.concat([run("monitor_poll_autonomous_replan_recorded_v0", {})], polls(6, {})),
		"want": ["replan.dead_monitor", "dead_monitor_repeat", 6],
	},
	"a stalled turn between": {
		"runs": array.flatten([polls(3, {}), typed("unchanged", "f1"), polls(3, {})]),
		"want": ["replan.dead_monitor", "dead_monitor_repeat", 6],
	},
	"a refused acknowledgement closes no poll streak": {
		"runs": array.concat([ack({"recorded": false})], polls(6, {})),
		"want": ["replan.dead_monitor", "dead_monitor_repeat", 6],
	},
	"a refused acknowledgement closes no stall": {
		"runs": [ack({"delta_present": false}), stalled, stalled],
		"want": ["replan.stall", "no_progress_streak", 2],
	},
	"a spend closes nothing": {
		"runs": array.concat([spent, run("delivery_completion_spend_accounted_v0", {})], polls(6, {})),
		"want": ["replan.dead_monitor", "dead_monitor_repeat", 6],
	},
}

test_trigger[name] if {
	some name, case in trigger_cases
	facts := testing.team({"runs": case.runs, "todos": object.get(case, "todos", [work])})
	fired := frontier.fired with input as facts with data.loopx.work_lane_contract as {}
	got := frontier.obligation with input as facts with data.loopx.work_lane_contract as {}
	[fired.autonomous_replan_obligation.rule, got.triggers[0].kind, got.trigger_count] == case.want
}

quiet_cases := {
	"one turn": {"runs": [stalled]},
	"the same turn twice": {"runs": [observation("t1"), observation("t1")]},
	"turns of two watched things": {"runs": [observation("t2"), poll({"turn_instance_id": "t1", "todo_id": "other"})]},
	"a turn with an outcome ends the streak": {"runs": [stalled, delivered, stalled]},
	"surface work is follow-through": {"runs": [plain, plain, plain]},
	"a follow-through turn ends the streak": {"runs": [stalled, plain, stalled]},
	"a poll is no turn": {"runs": polls(5, {})},
	"five and one other": {"runs": array.concat(polls(5, {}), [poll({"target_key": "ci"})])},
	"material change": {"runs": array.flatten([polls(3, {}), poll({"material_change": true}), polls(3, {})])},
	"a refresh between": {"runs": array.flatten([polls(3, {}), run("state_refreshed", {}), polls(3, {})])},
	"a blocked successor beside a later monitor": {"runs": [blocked_poll, blocked_poll], "todos": [watch, work]},
	"one blocked poll": {"runs": [blocked_poll, poll({"monitor_target": {"target_id": "bbbbbbbbbbbbbbbb"}})]},
	"nineteen rows": {"runs": [run("parser_slice", {"delivery_outcome": "outcome_progress", "count": 19})]},
	"four unchanged": {"runs": [delivered], "todos": [object.union(watch, {"consecutive_no_change": 4}), work]},
	"five unchanged and own work": {"runs": [], "todos": [object.union(watch, {"consecutive_no_change": 5}), work]},
	"an acknowledged wait": {"runs": array.flatten([polls(9, {}), spent, ack({}), polls(6, {})])},
	"observed turns of an acknowledged wait": {"runs": [observation("t3"), observation("t2"), ack({}), observation("t1")]},
	"a count from before the acknowledgement": {
		"runs": array.concat(polls(9, {}), [ack({})]),
		"todos": [object.union(watch, {"consecutive_no_change": 9})],
	},
	"another agent's poll names no frontier of this one": {"runs": array.flatten([
		poll({"agent_id": "agent-b", "monitor_target": {"frontier_identity": "f", "target_id": "d"}}),
		ack({}),
		polls(6, {}),
	])},
	"twenty polls are no twenty rows": {"runs": [poll({"material_change": true, "count": 20})]},
	"the acknowledgement ends the streak": {"runs": [stalled, ack({}), stalled]},
	"polls before real work since the acknowledgement do not count": {"runs": array.flatten([
		polls(3, {}),
		plain,
		polls(5, {}),
		ack({}),
	])},
	"an acknowledgement that names no frontier ends a stall": {"runs": [
		ack({}),
		stalled,
		stalled,
		poll({"monitor_target": {"frontier_identity": "f", "target_id": "d"}}),
	]},
	"an acknowledgement of the same frontier": {"runs": array.concat(
		[ack({"frontier_identity": "f"})],
		polls(6, {"monitor_target": {"frontier_identity": "f", "target_id": "d"}}),
	)},
	"an accepted semantic delta": {"runs": array.concat(
		[ack({"delta_present": false, "semantic_present": true, "semantic_accepted": true, "semantic_obligation_id": "replan-1"})],
		polls(6, {}),
	)},
	"a semantic delta of the bound obligation": {"runs": array.concat(
		[object.union(
			ack({"semantic_present": true, "semantic_accepted": true, "semantic_obligation_id": "replan-1"}),
			{"replan_obligation_id": "replan-1"},
		)],
		polls(6, {}),
	)},
}

test_no_trigger[name] if {
	some name, case in quiet_cases
	facts := testing.team({"runs": case.runs, "todos": object.get(case, "todos", [work])})
	count(frontier.trigger_row) == 0 with input as facts with data.loopx.work_lane_contract as {}
}

no_ack_cases := {
	"a classification alone": run("monitor_poll_autonomous_replan_recorded_v0", {}),
	"not recorded": ack({"recorded": false}),
	"another schema": ack({"schema_version": "x"}),
	"no delta": ack({"delta_present": false}),
	"another delta schema": ack({"delta_schema_version": "x"}),
	"a semantic delta of another obligation": object.union(
		ack({"semantic_present": true, "semantic_accepted": true, "semantic_obligation_id": "replan-2"}),
		{"replan_obligation_id": "replan-1"},
	),
	"a refused semantic delta": ack({"semantic_present": true, "semantic_obligation_id": "replan-1"}),
	"a semantic delta of no obligation": ack({"semantic_present": true, "semantic_accepted": true}),
}

test_no_ack[name] if {
	some name, row in no_ack_cases
	facts := testing.team({"runs": array.concat([row], polls(6, {})), "todos": [work]})
	count(frontier.ack_at) == 0 with input as facts
}

test_unscoped_call_counts_every_row_and_ack if {
	facts := testing.facts({"runs": array.concat([object.union(ack({}), {"agent_id": "agent-b"})], polls(6, {})), "todos": [work]})
	frontier.ack_at == {0} with input as facts
}

test_trigger_details if {
	facts := testing.team({"todos": [work], "runs": [
		typed("unchanged", "f1"),
		object.union(typed("unchanged", "f1"), {"generated_at": "2026-08-19T11:00:00+00:00"}),
	]})
	got := frontier.obligation.triggers with input as facts with data.loopx.work_lane_contract as {}
	got == [{
		"kind": "typed_progress_repeat",
		"trigger_count": 2,
		"stall_threshold": 2,
		"agent_id": "agent-a",
		"latest_generated_at": "2026-08-20T11:00:00+00:00",
		"progress_fingerprint": "f1",
	}]
}

# the ruling's hash, and the stored one where nothing else is named
test_target_id if {
	frontier.target_id(poll({})) == "aaaaaaaaaaaaaaaa" with input as testing.team({})
	frontier.target_id(poll({"todo_id": "watch"})) == "ea2d2d6b03014797" with input as testing.team({})
}

test_idle_turns if {
	frontier.idle_turns == 3 with input as testing.team({"runs": [stalled, spent, plain, poll({}), observation("t1"), delivered]})
	frontier.idle_turns == 0 with input as testing.team({"runs": [delivered, stalled]})
	frontier.idle_turns == 2 with input as testing.team({"runs": [stalled, plain]})
}

feedback_cases := {
	"accepted": {"runs": [ack({})]},
	"foreign_agent": {"runs": [object.union(ack({}), {"agent_id": "agent-b"})]},
	"not_recorded": {"runs": [ack({"recorded": false})]},
	"no_delta": {"runs": [ack({"delta_present": false})]},
	"outside_window": {"runs": [object.union(delivered, {"count": 20}), ack({})]},
	"frontier_mismatch": {"runs": [
		ack({"frontier_identity": "g"}),
		poll({"monitor_target": {"frontier_identity": "f", "target_id": "d"}}),
	]},
}

test_feedback[code] if {
	some code, case in feedback_cases
	got := frontier.feedback with input as testing.team({"runs": case.runs})
	[got.reason_code, got.accepted] == [code, code == "accepted"]
	got.reason
}

test_no_feedback if {
	not frontier.feedback with input as testing.team({"runs": [delivered]})
}

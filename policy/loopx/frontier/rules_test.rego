package loopx.frontier_test

import data.loopx.frontier
import data.loopx.testing

quiet_lane := {"raw": {"lane": "continuous_monitor", "obligation": "quiet_until_material_monitor_transition"}}

advance_lane := {"raw": {"lane": "advancement_task", "obligation": "advance_one_bounded_segment"}}

finished := testing.advancement("finished", {"status": "done", "claimed_by": "agent-a"})

overdue := object.union(watch, {"next_due_ns": testing.now_ns - 1})

unscheduled := object.filter(watch, object.keys(testing.monitor("watch", {"claimed_by": "agent-a"})))

vision_run := run("vision_written", {
	"vision": {"state": "patched", "acceptance_summary": "The parser ships.", "todo_delta": ["create:wakes"]},
	"vision_checkpoint": {"required": true, "satisfied": true},
})

many(n, change) := [testing.advancement(sprintf("t%02d", [i]), object.union({"index": i}, change)) | some i in numbers.range(1, n)]

rule_cases := {
	"replan.frontier.existing_obligation": {"todos": [watch], "runs": polls(6, {}), "want": ""},
	"replan.frontier.blocking_handoff_gate": {
		"todos": [watch, testing.advancement("review", {"excluded_agents": ["agent-a"]})],
		"want": "",
	},
	"replan.frontier.ready_deferred_successor": {
		"todos": [
			testing.advancement("wakes", {"status": "deferred", "resume_when": "todo_done:dep"}),
			testing.advancement("dep", {"status": "done"}),
		],
		"want": "",
	},
	"replan.frontier.open_user_todo": {"todos": [testing.user_todo("gate", "user_gate", {"goal_bound": true}), finished], "want": ""},
	"replan.frontier.todo_succession_gap": {"todos": [finished], "want": "todo_succession_gap"},
	"replan.frontier.vision_acceptance_gap": {"todos": [watch], "runs": [vision_run], "want": "vision_acceptance_gap"},
	"replan.frontier.long_todo_chain": {"todos": many(15, {}), "lane": advance_lane, "want": "long_todo_chain"},
	"replan.frontier.current_agent_blocker": {
		"todos": [watch, testing.agent_todo("stuck", {"task_class": "blocker", "claimed_by": "agent-a"})],
		"want": "",
	},
	"replan.frontier.monitor_no_change_streak": {
		"todos": [unclaimed],
		"agent": spared,
		"want": "monitor_no_change_streak",
	},
	"replan.frontier.user_action_owns_empty_frontier": {
		"todos": [testing.user_todo("read", "user_action", {"goal_bound": true})],
		"lane": {},
		"want": "",
	},
	"replan.frontier.not_monitor_only": {"todos": [work], "lane": advance_lane, "want": ""},
	"replan.frontier.no_open_monitor": {"todos": [object.union(watch, {"watch_only": true})], "want": ""},
	"replan.frontier.advancement_remains": {
		"todos": [watch, testing.advancement("theirs", {"claimed_by": "agent-b"})],
		"want": "",
	},
	"replan.frontier.due_monitor_execution": {"todos": [overdue], "want": ""},
	"replan.frontier.future_monitor_wait": {"todos": [watch], "runs": [ack({})], "want": ""},
	"replan.frontier.monitor_frontier_exhausted": {"todos": [watch], "want": "frontier_exhausted_monitor_lane"},
}

test_frontier_rule[name] if {
	some name, case in rule_cases
	got := frontier.frontier_rule with input as testing.team({
		"todos": case.todos,
		"runs": object.get(case, "runs", []),
		"request": {"agent_id": object.get(case, "agent", "agent-a")},
	})
		with data.loopx.work_lane_contract as object.get(case, "lane", quiet_lane)
	got == {"rank": got.rank, "value": case.want, "rule": name}
}

# the same facts with one condition missing
near_cases := {
	"a hand-off that excludes somebody else": {
		"todos": [watch, testing.advancement("review", {"excluded_agents": ["agent-b"]})],
		"want": "advancement_remains",
	},
	"a done hand-off": {
		"todos": [watch, testing.advancement("review", {"excluded_agents": ["agent-a"], "status": "done", "no_followup": true})],
		"want": "monitor_frontier_exhausted",
	},
	"a peer's deferred todo": {
		"todos": [
			watch,
			testing.advancement("wakes", {"status": "deferred", "resume_when": "todo_done:dep", "claimed_by": "agent-b"}),
			testing.advancement("dep", {"status": "done"}),
		],
		"want": "monitor_frontier_exhausted",
	},
	"a completion with no follow-up": {
		"todos": [watch, object.union(finished, {"no_followup": true})],
		"want": "monitor_frontier_exhausted",
	},
	"a superseded completion": {
		"todos": [watch, object.union(finished, {"superseded_by": "other"})],
		"want": "monitor_frontier_exhausted",
	},
	"a completion with a successor": {
		"todos": [finished, object.union(watch, {"unblocks_todo_id": "finished"})],
		"want": "monitor_frontier_exhausted",
	},
	"a bare ticked box": {
		"todos": [watch, testing.advancement("finished", {"status": "done"})],
		"want": "monitor_frontier_exhausted",
	},
	"a done monitor": {
		"todos": [watch, testing.monitor("old", {"status": "done", "claimed_by": "agent-a"})],
		"want": "monitor_frontier_exhausted",
	},
	"a done user todo": {
		"todos": [watch, testing.user_todo("old", "advancement_task", {"status": "done", "updated_at": "x"})],
		"want": "monitor_frontier_exhausted",
	},
	"a completion beside open work": {"todos": [finished, work], "lane": advance_lane, "want": "not_monitor_only"},
	"a completion answered by a replan": {"todos": [finished, watch], "runs": [ack({})], "want": "future_monitor_wait"},
	"a gap beside own work": {"todos": [work], "lane": advance_lane, "runs": [vision_run], "want": "not_monitor_only"},
	"a gap answered by a replan": {"todos": [watch], "runs": [ack({}), vision_run], "want": "future_monitor_wait"},
	"a gap newer than the replan": {"todos": [watch], "runs": [vision_run, ack({})], "want": "vision_acceptance_gap"},
	"fourteen todos": {"todos": many(14, {}), "lane": advance_lane, "want": "not_monitor_only"},
	"a chain answered by a replan": {"todos": many(15, {}), "lane": advance_lane, "runs": [ack({})], "want": "not_monitor_only"},
	"twenty open and one to advance": {
		"todos": array.concat([work], many(19, {"task_class": "blocker"})),
		"lane": advance_lane,
		"want": "long_todo_chain",
	},
	"twenty open and none to advance": {
		"todos": array.concat([watch], many(19, {"task_class": "blocker"})),
		"want": "monitor_frontier_exhausted",
	},
	"a blocker of nobody": {
		"todos": [watch, testing.agent_todo("stuck", {"task_class": "blocker"})],
		"want": "monitor_frontier_exhausted",
	},
	"no change outside a lane of monitors": {
		"todos": [object.union(watch, {"claimed_by": "agent-a", "consecutive_no_change": 4})],
		"lane": advance_lane,
		"want": "not_monitor_only",
	},
	"a user action and a lane that owes its replan": {
		"todos": [watch, testing.user_todo("read", "user_action", {"goal_bound": true})],
		"want": "monitor_frontier_exhausted",
	},
	"a user action and a lane that was replanned": {
		"todos": [watch, testing.user_todo("read", "user_action", {"goal_bound": true})],
		"runs": [ack({})],
		"want": "user_action_owns_empty_frontier",
	},
	"a user action and a peer's work": {
		"todos": [
			watch,
			testing.user_todo("read", "user_action", {"goal_bound": true}),
			testing.advancement("theirs", {"claimed_by": "agent-b"}),
		],
		"want": "advancement_remains",
	},
	"a due monitor beside one without schedule": {
		"todos": [overdue, object.union(unscheduled, {"id": "bare"})],
		"want": "monitor_frontier_exhausted",
	},
	"a due monitor of a closed vision": {
		"todos": [overdue],
		"runs": [run("vision_written", {"vision": {"state": "closed", "todo_delta": []}, "vision_checkpoint": {}})],
		"want": "monitor_frontier_exhausted",
	},
	"an acknowledgement of something else": {
		"todos": [watch],
		"runs": [ack({"delta_kinds": ["active_state_next_action"]})],
		"want": "monitor_frontier_exhausted",
	},
	"an acknowledgement too long ago": {
		"todos": [watch],
		"runs": [object.union(delivered, {"count": 20, "agent_id": "agent-a"}), ack({})],
		"want": "existing_obligation",
	},
	"no schedule to wait for": {"todos": [unscheduled], "runs": [ack({})], "want": "monitor_frontier_exhausted"},
}

test_frontier_rule_near[name] if {
	some name, case in near_cases
	got := frontier.frontier_rule.rule with input as testing.team({"todos": case.todos, "runs": object.get(case, "runs", [])})
		with data.loopx.work_lane_contract as object.get(case, "lane", quiet_lane)
	got == concat(".", ["replan.frontier", case.want])
}

test_future_monitor_wait_without_an_agent if {
	got := frontier.frontier_rule with input as testing.facts({"todos": [object.remove(watch, ["claimed_by"])]})
		with data.loopx.work_lane_contract as quiet_lane
	got.rule == "replan.frontier.future_monitor_wait"
	got.rank == 131
}

test_hidden_work_is_advancement if {
	got := frontier.frontier_rule.rule with input as testing.team({"todos": [watch]})
		with data.loopx.todos.hidden_count as 1
		with data.loopx.work_lane_contract as quiet_lane
	got == "replan.frontier.advancement_remains"
}

derived_cases := {
	"todo_succession_gap": {"todos": [finished], "want": [1, 1]},
	"vision_acceptance_gap": {"todos": [watch], "runs": [vision_run], "want": [1, 1]},
	"long_todo_chain": {"todos": many(16, {}), "want": [16, 15]},
	"monitor_no_change_streak": {"todos": [unclaimed], "agent": spared, "want": [5, 5]},
	"frontier_exhausted_monitor_lane": {"todos": [watch], "want": [1, 1]},
}

test_derived_obligation[kind] if {
	some kind, case in derived_cases
	agent := object.get(case, "agent", "agent-a")
	facts := testing.team({
		"todos": case.todos,
		"runs": object.get(case, "runs", []),
		"request": {"agent_id": agent},
	})
	got := frontier.obligation with input as facts with data.loopx.work_lane_contract as quiet_lane
	rule := frontier.fired.autonomous_replan_obligation with input as facts with data.loopx.work_lane_contract as quiet_lane
	got.triggers == [{"kind": kind, "trigger_count": case.want[0], "stall_threshold": case.want[1], "agent_id": agent}]
	rule.value == kind
	count(got.todo_actions) > 0
}

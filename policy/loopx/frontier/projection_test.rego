package loopx.frontier_test

import data.loopx.frontier
import data.loopx.testing

test_projection_of_a_working_agent if {
	todos := [
		work,
		testing.advancement("free", {}),
		testing.advancement("theirs", {"claimed_by": "agent-b"}),
		watch,
		object.union(overdue, {"id": "due"}),
		object.union(watch, {"id": "standing", "watch_only": true}),
		testing.advancement("wakes", {"status": "deferred", "resume_when": "todo_done:dep", "claimed_by": "agent-b"}),
		testing.advancement("mine", {"status": "deferred", "resume_when": "todo_done:dep", "claimed_by": "agent-a", "rank": 3}),
		testing.advancement("later", {"status": "deferred", "resume_when": "todo_done:work"}),
		testing.advancement("dep", {"status": "done"}),
		testing.user_todo("read", "user_action", {"goal_bound": true}),
	]
	got := frontier.projection with input as testing.team({"todos": todos})
		with data.loopx.work_lane_contract as advance_lane
	got == {
		"schema_version": "goal_frontier_projection_v0",
		"goal_id": "g1",
		"agent_id": "agent-a",
		"source": "quota_should_run",
		"normalized_progress": {
			"user_open_count": 1,
			"agent_open_count": 5,
			"agent_advancement_open_count": 2,
			"agent_monitor_open_count": 2,
			"agent_monitor_due_count": 1,
		},
		"remaining_advancement_frontier": {
			"current_agent_claimed_advancement_count": 1,
			"unclaimed_advancement_count": 1,
			"other_agent_claimed_advancement_count": 1,
		},
		"monitor_only_lanes": {"present": false, "quiet_until_material_transition": false},
		"deferred_successors": {
			"ready_count": 2,
			"blocked_count": 1,
			"current_agent_ready_count": 1,
			"ready_todo_ids": ["wakes", "mine"],
			"top_ready_todo_id": "mine",
		},
		"acceptance_gaps": [],
		"autonomy_blockers": [],
		"replan_required": false,
	}
}

test_projection_of_a_blocked_agent if {
	got := frontier.projection with input as testing.team({
		"todos": [
			watch,
			testing.advancement("theirs", {"claimed_by": "agent-b"}),
			testing.agent_todo("stuck", {"task_class": "blocker", "claimed_by": "agent-a"}),
		],
		"runs": [stalled, stalled],
	})
		with data.loopx.work_lane_contract as quiet_lane
	got.autonomy_blockers == [
		"monitor_only_lane",
		"other_agent_claimed_advancement",
		"autonomous_replan_obligation",
		"current_agent_blocker",
	]
	got.monitor_only_lanes == {"present": true, "quiet_until_material_transition": true}
	got.replan_required
}

gap_cases := {
	"an acceptance": {"runs": [vision_run], "want": ["vision_acceptance_gap"]},
	"a trigger": {
		"runs": [run("v", {"vision": {"replan_trigger": "ci red", "todo_delta": []}, "vision_checkpoint": {}})],
		"want": ["vision_acceptance_gap"],
	},
	"a vision that asks for nothing": {
		"runs": [run("v", {"vision": {"state": "patched", "todo_delta": []}, "vision_checkpoint": {}})],
		"want": [],
	},
	"a closed vision": {
		"runs": [run("v", {
			"vision": {"state": "retired", "acceptance_summary": "x", "replan_trigger": "y", "todo_delta": []},
			"vision_checkpoint": {},
		})],
		"want": [],
	},
	"only the newest vision": {
		"runs": [
			run("v", {"vision": {"state": "closed", "todo_delta": []}, "vision_checkpoint": {}}),
			vision_run,
		],
		"want": [],
	},
	"another agent's vision": {"runs": [object.union(vision_run, {"agent_id": "agent-b"})], "want": []},
	"a vision without checkpoint": {
		"runs": [object.remove(vision_run, ["vision_checkpoint"])],
		"want": ["vision_acceptance_gap", "vision_checkpoint_missing"],
	},
	"a required checkpoint that is missing": {
		"runs": [run("state_refreshed", {"vision_checkpoint": {"required": true, "satisfied": false}})],
		"want": ["vision_checkpoint_missing"],
	},
	"a checkpoint nobody requires": {
		"runs": [run("state_refreshed", {"vision_checkpoint": {"required": false, "satisfied": false}})],
		"want": [],
	},
}

test_acceptance_gaps[name] if {
	some name, case in gap_cases
	got := frontier.projection.acceptance_gaps with input as testing.team({"runs": case.runs, "todos": [work]})
		with data.loopx.work_lane_contract as advance_lane
	sort([row.kind | some row in got]) == case.want
}

wakes_later := testing.advancement("wakes", {"claimed_by": "agent-a", "resume_when": "todo_done:dep"})

dep := testing.advancement("dep", {"claimed_by": "agent-b"})

test_vision_waits_for_its_successor if {
	facts := testing.team({"todos": [wakes_later, dep], "runs": [vision_run]})
	got := frontier.projection with input as facts with data.loopx.work_lane_contract as {}
	got.vision_wait_state == {
		"schema_version": "goal_vision_wait_state_v0",
		"state": "waiting",
		"reason_code": "exact_blocked_successor",
		"agent_id": "agent-a",
		"selected_todo_id": "wakes",
		"resume_when": "todo_done:dep",
		"resume_condition": {"resume_when": "todo_done:dep", "satisfied": false},
		"automatic_resume": true,
		"waiting_todo_ids": ["wakes"],
	}
	got.acceptance_gaps == []
	got.autonomy_blockers == ["other_agent_claimed_advancement", "vision_blocked_successor_wait"]
	got.replan_required == false
}

lineage_cases := {
	"by what it waits for": {"delta": ["retain:dep"], "want": true},
	"by what it leads to": {"delta": ["activate:after"], "want": true},
	"by itself": {"delta": ["resume:wakes"], "want": true},
	"not by what was dropped": {"delta": ["retire:wakes"], "want": false},
	"not by another line of work": {"delta": ["create:else"], "want": false},
}

test_vision_lineage[name] if {
	some name, case in lineage_cases
	vision := object.union(vision_run, {"vision": {"todo_delta": case.delta}})
	todo := object.union(wakes_later, {"successor_todo_ids": ["after"]})
	got := {row | row := frontier.vision_wait} with input as testing.team({"todos": [todo, dep], "runs": [vision]})
	count(got) == 1 == case.want
}

no_wait_cases := {
	"own work is selectable": {"todos": [wakes_later, dep, work], "runs": [vision_run]},
	"a checkpoint is missing": {"todos": [wakes_later, dep], "runs": [object.remove(vision_run, ["vision_checkpoint"])]},
	"a monitor as gate": {
		"todos": [wakes_later, testing.monitor("dep", {})],
		"runs": [vision_run],
	},
	"an unsupported condition": {
		"todos": [object.union(wakes_later, {"resume_when": "moon:full"}), dep],
		"runs": [vision_run],
	},
	"no vision": {"todos": [wakes_later, dep], "runs": []},
}

test_no_vision_wait[name] if {
	some name, case in no_wait_cases
	not frontier.vision_wait with input as testing.team({"todos": case.todos, "runs": case.runs})
}

closed := testing.advancement("closed", {"status": "done", "no_followup": true})

approved := testing.user_todo("approved", "user_gate", {"status": "done"})

test_terminal if {
	facts := testing.facts({"todos": [closed, approved]})
	got := frontier.projection with input as facts with data.loopx.work_lane_contract as {}
	got.terminal_state == {
		"schema_version": "goal_terminal_state_v0",
		"kind": "no_followup",
		"derived": true,
		"source": "validated_goal_closure",
	}
	got.source_completeness == {"user_todos": "valid", "agent_todos": "valid"}
	fired := frontier.fired with input as facts with data.loopx.work_lane_contract as {}
	fired["goal_frontier_projection.terminal_state"].rule == "terminal.no_followup"
}

test_terminal_by_the_user_side if {
	frontier.terminal with input as testing.facts({"todos": [object.union(approved, {"no_followup": true})]})
		with data.loopx.work_lane_contract as {}
}

alive_cases := {
	"no todo at all": {"todos": []},
	"no no-follow-up": {"todos": [testing.advancement("closed", {"status": "done"}), approved]},
	"an open agent todo": {"todos": [closed, work]},
	"an open user todo": {"todos": [closed, testing.user_todo("read", "user_action", {})]},
	"a deferred todo": {"todos": [closed, testing.advancement("wakes", {"status": "deferred"})]},
	"a watch-only monitor": {"todos": [closed, object.union(watch, {"watch_only": true})]},
	"a malformed agent source": {"todos": [closed, approved], "state": {"malformed": ["agent"]}},
	"a malformed user source": {"todos": [closed, approved], "state": {"malformed": ["user"]}},
	"no state file": {"todos": [closed, approved], "state": {"exists": false}},
	"a completion without a successor": {"todos": [closed, finished]},
}

test_not_terminal[name] if {
	some name, case in alive_cases
	not frontier.terminal with input as testing.facts(case) with data.loopx.work_lane_contract as {}
}

test_not_terminal_with_an_acceptance_gap if {
	facts := testing.team({"todos": [closed, approved], "runs": [vision_run]})
	not frontier.terminal with input as facts with data.loopx.work_lane_contract as {}
	frontier.terminal with input as testing.team({"todos": [closed, approved]}) with data.loopx.work_lane_contract as {}
}

incomplete_sources := [
	{"schema_version": "todo_source_completeness_v1"},
	{"status": "invalid"},
	{"source": "raw_text"},
	{"role": "agent"},
	{"terminal_closure": "invalid"},
]

test_source_proof[i] if {
	some i, change in incomplete_sources
	proof := {
		"schema_version": "todo_source_completeness_v0",
		"status": "valid",
		"source": "structured_todo_projection",
		"role": "user",
		"terminal_closure": "valid",
	}
	frontier.complete({"source_completeness": proof}, "user")
	not frontier.complete({"source_completeness": object.union(proof, change)}, "user")
}

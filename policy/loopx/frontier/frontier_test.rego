package loopx.frontier_test

import data.loopx.frontier
import data.loopx.testing

idle := object.union(watch, {"consecutive_no_change": 5})

unclaimed := object.remove(idle, ["claimed_by"])

scope_cases := {
	"nothing owed": {
		"owed": false,
		"facts": testing.team({"todos": [work]}),
		"want": {"rule": "replan.scope.not_required", "applies": false, "reason": "not_required"},
	},
	"an unscoped call": {
		"facts": testing.facts({"todos": [unclaimed]}),
		"want": {"rule": "replan.scope.unscoped", "applies": true, "reason": "unscoped_quota_call"},
	},
	"own": {
		"facts": testing.team({"todos": [idle]}),
		"want": {
			"rule": "replan.scope.owner",
			"applies": true,
			"reason": "explicit_agent_owner",
			"owner_agents": ["agent-a"],
		},
	},
	"nobody's, and it falls to this agent": {
		"facts": testing.team({"todos": [unclaimed], "request": {"agent_id": chosen}}),
		"want": {
			"rule": "replan.scope.peer",
			"applies": true,
			"reason": "deterministic_peer_assignment",
			"assigned_agent": chosen,
		},
	},
	"nobody's, and it falls to the other one": {
		"facts": testing.team({"todos": [unclaimed], "request": {"agent_id": spared}}),
		"want": {
			"rule": "replan.scope.peer",
			"applies": false,
			"reason": "deterministic_peer_assignment",
			"assigned_agent": chosen,
		},
	},
}

# sha256 of the obligation's identity, first eight bytes, modulo two
chosen := "agent-b"

spared := "agent-a"

test_scope[name] if {
	some name, case in scope_cases
	got := frontier.scope with input as case.facts with data.loopx.work_lane_contract as advance_lane
	rule := frontier.fired.autonomous_replan_scope.rule with input as case.facts
		with data.loopx.work_lane_contract as advance_lane
	object.union(object.remove(got, ["schema_version", "required", "agent_id"]), {"rule": rule}) == case.want
	got.required == object.get(case, "owed", true)
	frontier.applies == case.want.applies with input as case.facts with data.loopx.work_lane_contract as advance_lane
}

test_peer_is_the_hash_modulo_the_roster if {
	list := [{"kind": "periodic_review_due"}]
	id := frontier.obligation_id(list) with input as testing.team({})
	peer := frontier.peer(list) with input as testing.team({"goal": {"agents": ["a", "b", "c", "d", "e"]}})
	digest := crypto.sha256(id)
	digits := [indexof("0123456789abcdef", c) | some c in split(substring(digest, 0, 16), "")]

	# 16 is 1 modulo 5, so the digits' sum decides
	peer == ["a", "b", "c", "d", "e"][sum(digits) % 5]
}

# python: hashlib.sha256(json.dumps(..., sort_keys=True)) of the identity
test_obligation_id if {
	frontier.obligation_id([{"kind": "no_progress_streak", "agent_id": "agent-a", "trigger_count": 7}]) == "replan-93799d5fe33477b1" with input as testing.team({})
}

test_obligation_id_changes_after_an_acknowledgement if {
	list := [{"kind": "no_progress_streak"}]
	ids := {id |
		some row in [ack({"semantic_obligation_id": "replan-1"}), object.union(ack({}), {"replan_obligation_id": "replan-2"}), stalled]
		id := frontier.obligation_id(list) with input as testing.team({"runs": [row]})
	}
	count(ids) == 3
}

test_obligation_of_a_dead_monitor if {
	got := frontier.obligation with input as testing.team({"runs": polls(6, {}), "todos": [work]})
		with data.loopx.work_lane_contract as advance_lane
	got.required
	got.agent_id == "agent-a"
	got.dead_monitor_detector.required_resolution == [
		"watch_lane_expiry",
		"blocker",
		"todo_supersede",
		"successor_runnable_todo",
	]
	got.dead_monitor_detector.monitor_target_id == "aaaaaaaaaaaaaaaa"
	not got.replan_ack_feedback
}

test_obligation_shows_what_became_of_the_acknowledgement if {
	got := frontier.obligation with input as testing.team({"runs": array.concat(polls(6, {}), [ack({"delta_present": false})])})
		with data.loopx.work_lane_contract as advance_lane
	got.replan_ack_feedback.reason_code == "no_delta"
}

test_history_before_the_frontier if {
	facts := testing.team({"runs": polls(6, {}), "todos": [watch]})
	got := frontier.obligation with input as facts with data.loopx.work_lane_contract as quiet_lane
	[trigger.kind | some trigger in got.triggers] == ["dead_monitor_repeat"]
	runner := frontier.runners.goal_frontier_projection.rule with input as facts
		with data.loopx.work_lane_contract as quiet_lane
	runner == "replan.frontier.monitor_frontier_exhausted"
}

test_all_triggers_in_order if {
	facts := testing.team({"runs": array.concat([stalled, stalled], polls(6, {})), "todos": [idle]})
	got := frontier.obligation with input as facts with data.loopx.work_lane_contract as quiet_lane
	[trigger.kind | some trigger in got.triggers] == ["no_progress_streak", "dead_monitor_repeat", "monitor_no_change_streak"]
	runner := frontier.runners.autonomous_replan_obligation.rule with input as facts
		with data.loopx.work_lane_contract as quiet_lane
	runner == "replan.dead_monitor"
}

test_existing_obligation_of_another_peer_gives_way if {
	facts := testing.team({"todos": [unclaimed], "request": {"agent_id": spared}})
	got := frontier.frontier_rule.rule with input as facts with data.loopx.work_lane_contract as quiet_lane
	got == "replan.frontier.monitor_no_change_streak"
	mine := frontier.frontier_rule.rule with input as testing.team({"todos": [unclaimed], "request": {"agent_id": chosen}})
		with data.loopx.work_lane_contract as quiet_lane
	mine == "replan.frontier.existing_obligation"
}

receipt_cases := {
	"a target key": {"todo": {"target_key": "ci"}, "want": true},
	"a node": {"todo": {"explore_result_node_refs": ["n1"]}, "want": true},
	"no target": {"todo": {}, "want": false},
	"another obligation": {"todo": {"target_key": "ci", "replan_obligation_id": "replan-0"}, "want": false},
	"unclaimed": {"todo": {"target_key": "ci", "claimed_by": ""}, "want": false},
	"no action kind": {"todo": {"target_key": "ci", "action_kind": ""}, "want": false},
}

test_successor_is_a_receipt[name] if {
	some name, case in receipt_cases
	runs := [stalled, stalled]
	owed := frontier.obligation.obligation_id with input as testing.team({"runs": runs})
		with data.loopx.work_lane_contract as advance_lane
	written := object.union(
		testing.advancement("next", {"claimed_by": "agent-a", "action_kind": "fix", "replan_obligation_id": owed}),
		case.todo,
	)
	todo := object.filter(written, {k | some k, v in written; v != ""})
	required := frontier.required with input as testing.team({"runs": runs, "todos": [todo]})
		with data.loopx.work_lane_contract as advance_lane
	required == case.want == false
}

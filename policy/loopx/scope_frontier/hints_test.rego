package loopx.scope_frontier_test

import data.loopx.scope_frontier
import data.loopx.testing

unclaimed_next := {"todo_id": "free", "claim_required_before_work": true, "selected_by": "unclaimed_todo", "confidence": "candidate"}

own_next := {"todo_id": "mine", "selected_by": "current_agent_claimed_todo", "confidence": "selected", "source": "x", "text": "t"}

# want: rule, decision, reason code, source, quiet no-op, target
hint_cases := {
	"claim first": {
		"todos": [free],
		"next": unclaimed_next,
		"want": [
			"frontier.hint.claim", "claim_unowned_in_scope", "unclaimed_advancement_selected",
			"agent_lane_next_action", false, "free",
		],
	},
	"a hand-off without successor": {
		"todos": [review({"status": "done"})],
		"want": [
			"frontier.hint.cleared_handoff", "record_no_followup", "cleared_handoff_without_successor",
			"agent_scope_frontier", false, "review",
		],
	},
	"behind a monitor": {
		"todos": [behind_monitor, watch],
		"want": [
			"frontier.hint.monitor_gate", "add_next_advancement", "resume_blocked_by_open_monitor",
			"agent_scope_frontier", false, "behind",
		],
	},
	"a ready successor": {
		"todos": [wakes({}), done],
		"want": [
			"frontier.hint.successor", "add_next_advancement", "successor_replan_required",
			"agent_scope_frontier", false, "wakes",
		],
	},
	"a ready successor of a higher priority": {
		"todos": [mine, wakes({"rank": 0}), done],
		"next": own_next,
		"want": [
			"frontier.hint.successor", "add_next_advancement", "successor_replan_required",
			"agent_scope_frontier", false, "wakes",
		],
	},
	"a blocked successor": {
		"todos": [waits, theirs],
		"want": [
			"frontier.hint.blocked_successor", "quiet_noop_blocker", "blocked_successor_resume_pending",
			"agent_scope_frontier", true, "waits",
		],
	},
	"a peer's work": {
		"todos": [theirs],
		"want": [
			"frontier.hint.other_agent", "quiet_noop_blocker", "blocked_by_other_agent_frontier",
			"agent_scope_frontier", true, "theirs",
		],
	},
	"a hand-off": {
		"todos": [review({})],
		"want": [
			"frontier.hint.other_agent", "quiet_noop_blocker", "blocked_by_other_agent_frontier",
			"agent_scope_frontier", true, "review",
		],
	},
	"all work excludes this agent": {
		"todos": [review({})],
		"handoffs": {},
		"want": [
			"frontier.hint.no_advancement", "add_next_advancement", "no_current_agent_advancement_todo",
			"agent_scope_frontier", true, "",
		],
	},
	"an exhausted lane": {
		"todos": [],
		"lane": advance,
		"want": [
			"frontier.hint.exhausted", "add_next_advancement", "agent_scope_exhausted",
			"agent_scope_frontier", true, "",
		],
	},
	"only monitors": {
		"todos": [watch],
		"quiet": rests,
		"want": [
			"frontier.hint.only_monitors", "quiet_noop_blocker", "only_current_agent_monitor_work_remains",
			"agent_todo_summary", true, "",
		],
	},
	"only monitors in an advancement lane": {
		"todos": [watch],
		"lane": {"raw": {
			"lane": "advancement_task",
			"obligation": "materialize_advancement_todo_or_blocker",
			"must_attempt_work": true,
		}},
		"want": [
			"frontier.hint.only_monitors", "quiet_noop_blocker", "only_current_agent_monitor_work_remains",
			"agent_todo_summary", false, "",
		],
	},
}

test_hint[name] if {
	some name, case in hint_cases
	gates := data.loopx.todos.handoff_gates with input as testing.team({"todos": case.todos})
	got := [scope_frontier.fired.agent_lane_frontier_hint.rule, scope_frontier.hint] with input as testing.team({"todos": case.todos})
		with data.loopx.route as turn
		with data.loopx.quiet as object.get(case, "quiet", busy)
		with data.loopx.work_lane_contract as object.get(case, "lane", {})
		with data.loopx.agent_scope as {"next_action": next | next := case.next}
		with data.loopx.todos.handoff_gates as object.get(case, "handoffs", gates)
	[
		got[0], got[1].decision, got[1].reason_code,
		got[1].source, got[1].quiet_noop_allowed, object.get(got[1], "target_todo_id", ""),
	] == case.want
}

no_hint_cases := {
	"own work": {"facts": testing.team({"todos": [mine]}), "scope": {"next_action": own_next}},
	"a monitor to attempt": {
		"facts": testing.team({"todos": [watch]}),
		"scope": {},
		"lane": {"raw": {"obligation": "attempt_due_monitor", "lane": "continuous_monitor", "must_attempt_work": true}},
	},
	"an unscoped call": {"facts": testing.facts({"todos": [watch]}), "scope": {}},
	"a peer's monitor": {"facts": testing.team({"todos": [object.union(watch, {"claimed_by": "agent-b"})]}), "scope": {}},
}

test_no_hint[name] if {
	some name, case in no_hint_cases
	not scope_frontier.hint with input as case.facts
		with data.loopx.route as turn
		with data.loopx.quiet as rests
		with data.loopx.work_lane_contract as object.get(case, "lane", {})
		with data.loopx.agent_scope as case.scope
}

route_cases := {
	"claim": {
		"todos": [free],
		"next": unclaimed_next,
		"want": ["route_hint.claim", "claim_then_run_current_agent", true],
	},
	"run": {"todos": [mine], "next": own_next, "want": ["route_hint.run", "run_current_agent_lane", true]},
	"run what Next Action names": {
		"todos": [mine],
		"next": own_next,
		"named": ["mine"],
		"want": ["route_hint.run", "run_current_agent_lane", false],
	},
	"frontier": {"todos": [theirs], "want": ["route_hint.frontier", "reassignment_required", false]},
	"quiet beside a peer's work": {
		"todos": [watch, theirs],
		"quiet": rests,
		"want": ["route_hint.wait", "wait_or_reassign_other_agent_lane", false],
	},
	"quiet beside a hand-off": {
		"todos": [watch, review({})],
		"quiet": rests,
		"want": ["route_hint.wait", "wait_or_reassign_other_agent_lane", false],
	},
	"unclaimed": {"todos": [free], "want": ["route_hint.unclaimed", "claim_unowned_in_scope", false]},
	"nothing": {"todos": [], "want": ["route_hint.durable", "durable_goal_route", false]},
}

test_route_hint[name] if {
	some name, case in route_cases
	facts := testing.team({"todos": case.todos, "state": {"next_action_todo_ids": object.get(case, "named", [])}})
	got := [scope_frontier.fired.goal_route_hint.rule, scope_frontier.route_hint] with input as facts
		with data.loopx.route as turn
		with data.loopx.quiet as object.get(case, "quiet", busy)
		with data.loopx.work_lane_contract as {}
		with data.loopx.attention as {"item": {"next_action": "Carry on."}}
		with data.loopx.agent_scope as {"next_action": next | next := case.next}
	[got[0], got[1].route_decision, got[1].selected_action_differs_from_durable] == case.want
	got[1].reason
}

test_route_hint_document if {
	facts := testing.team({
		"todos": [
			mine, free, theirs,
			testing.advancement("more", {"index": 2, "priority": "P2", "unblocks_todo_id": "mine"}),
			review({"claimed_by": "agent-b", "index": 3}),
		],
		"status_run": testing.run(5, "shipped", {"recommended_action": "Go on."}),
	})
	got := scope_frontier.route_hint with input as facts
		with data.loopx.route as turn
		with data.loopx.quiet as busy
		with data.loopx.work_lane_contract as {}
		with data.loopx.attention as {"item": {}}
		with data.loopx.agent_scope as {"next_action": object.union(unclaimed_next, {"source": "first_executable_items"})}
	got == {
		"schema_version": "goal_route_hint_v0",
		"kind": "agent_lane_synthesis",
		"agent_id": "agent-a",
		"agent_model": "peer_v1",
		"route_decision": "claim_then_run_current_agent",
		"reason": got.reason,
		"preserves_goal_next_action": true,
		"goal_next_action_mutation": "none",
		"counts": {
			"current_agent_claimed_advancement_count": 1,
			"unclaimed_advancement_count": 2,
			"other_agent_claimed_advancement_count": 2,
			"blocking_handoff_gate_count": 1,
		},
		"selected_action_differs_from_durable": false,
		"has_durable_next_action": false,
		"has_latest_run_recommended_action": true,
		"current_agent_next_action": {
			"todo_id": "free",
			"selected_by": "unclaimed_todo",
			"confidence": "candidate",
			"source": "first_executable_items",
		},
		"other_agent_next_actions": [
			{"todo_id": "theirs", "claimed_by": "agent-b", "priority": "P1"},
			{"todo_id": "review", "claimed_by": "agent-b", "priority": "P1", "action_kind": "review"},
		],
		"unclaimed_next_actions": [{"todo_id": "more", "priority": "P2", "unblocks_todo_id": "mine"}],
		"blocking_handoff_gates": [
			{"todo_id": "review", "claimed_by": "agent-b", "priority": "P1", "action_kind": "review"},
		],
		"frontier_hint": got.frontier_hint,
	}
	got.frontier_hint.decision == "claim_unowned_in_scope"
}

test_no_route_hint_without_an_agent if {
	not scope_frontier.route_hint with input as testing.facts({"todos": [free]})
		with data.loopx.route as turn
		with data.loopx.quiet as busy
		with data.loopx.work_lane_contract as {}
		with data.loopx.attention as {"item": {}}
		with data.loopx.agent_scope as {}
}

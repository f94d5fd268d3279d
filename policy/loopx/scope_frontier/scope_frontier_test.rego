package loopx.scope_frontier_test

import data.loopx.scope_frontier
import data.loopx.testing

turn := {"normal": true, "reply": false}

rests := {"holds_apart_from_deferred": true}

busy := {"holds_apart_from_deferred": false}

advance := {"raw": {
	"lane": "advancement_task",
	"obligation": "advance_one_bounded_segment",
	"must_attempt_work": true,
}}

mine := testing.advancement("mine", {"claimed_by": "agent-a", "rank": 1})

free := testing.advancement("free", {})

theirs := testing.advancement("theirs", {"claimed_by": "agent-b"})

done := testing.advancement("dep", {"status": "done", "no_followup": true})

wakes(change) := testing.advancement("wakes", object.union({"status": "deferred", "resume_when": "todo_done:dep"}, change))

watch := testing.monitor("watch", {
	"claimed_by": "agent-a",
	"cadence": "1h",
	"cadence_seconds": 3600,
	"next_due_at": "2026-08-20T13:00:00+00:00",
	"next_due_ns": testing.now_ns + testing.hour,
})

waits := testing.advancement("waits", {"claimed_by": "agent-a", "resume_when": "todo_done:theirs"})

behind_monitor := testing.advancement("behind", {"claimed_by": "agent-a", "resume_when": "todo_done:watch"})

review(change) := testing.advancement("review", object.union({"action_kind": "review", "excluded_agents": ["agent-a"]}, change))

# name: todos, lane, quiet, next action; want: rule, action, quiet no-op, shown list
cases := {
	"a ready P0 over the selected P1": {
		"todos": [mine, wakes({"rank": 0}), done],
		"next": {"todo_id": "mine"},
		"want": ["frontier.priority", "successor_replan_required", false, {"deferred_resume_candidates": ["wakes"]}],
	},
	"an advancement todo behind a monitor": {
		"todos": [behind_monitor, watch, wakes({}), done],
		"want": ["frontier.monitor_gate", "successor_replan_required", false, {"monitor_blocked_resume_candidates": ["behind"]}],
	},
	"behind a monitor and quiet": {
		"todos": [behind_monitor, watch],
		"quiet": rests,
		"want": ["frontier.monitor_gate", "successor_replan_required", false, {"monitor_blocked_resume_candidates": ["behind"]}],
	},
	"a deferred todo may resume": {
		"todos": [wakes({}), done, waits, theirs],
		"want": ["frontier.deferred", "successor_replan_required", false, {"deferred_resume_candidates": ["wakes"]}],
	},
	"a deferred todo may resume though quiet": {
		"todos": [wakes({}), done, watch],
		"quiet": rests,
		"want": ["frontier.deferred", "successor_replan_required", false, {"deferred_resume_candidates": ["wakes"]}],
	},
	"the successor waits": {
		"todos": [waits, theirs, review({})],
		"want": ["frontier.blocked_successor", "agent_scope_wait", true, {"blocked_successor_wait_candidates": ["waits"]}],
	},
	"an open hand-off": {
		"todos": [review({"claimed_by": "agent-b"}), theirs, testing.advancement("old", {
			"excluded_agents": ["agent-a"],
			"status": "done",
		})],
		"want": ["frontier.handoff", "agent_scope_wait", true, {"blocking_handoff_gates": ["review"]}],
	},
	"a hand-off that names no successor": {
		"todos": [review({"status": "done"}), theirs],
		"want": [
			"frontier.cleared_handoff",
			"successor_replan_required",
			false,
			{"cleared_without_successor_handoff_gates": ["review"]},
		],
	},
	"a hand-off without follow-up wakes nobody": {
		"todos": [review({"status": "done", "no_followup": true}), theirs],
		"want": ["frontier.other", "reassignment_required", true, {"other_agent_claimed_items": ["theirs"]}],
	},
	"a hand-off that excludes somebody else wakes nobody": {
		"todos": [review({"status": "done", "excluded_agents": ["agent-b"]}), theirs],
		"want": ["frontier.other", "reassignment_required", true, {"other_agent_claimed_items": ["theirs"]}],
	},
	"a lane without a todo": {
		"todos": [],
		"lane": advance,
		"want": ["frontier.exhausted", "agent_scope_exhausted", true, {}],
	},
	"only what a peer watches": {
		"todos": [object.union(watch, {"claimed_by": "agent-b"})],
		"want": ["frontier.exhausted", "agent_scope_exhausted", true, {}],
	},
	"only a blocked todo": {
		"todos": [object.union(mine, {"status": "blocked"})],
		"want": ["frontier.exhausted", "agent_scope_exhausted", true, {}],
	},
}

eval_frontier(case) := got if {
	got := [
		scope_frontier.fired.agent_scope_frontier.rule,
		scope_frontier.action,
		scope_frontier.frontier.quiet_noop_allowed,
		{list: [item.todo_id | some item in items] |
			some list, items in scope_frontier.frontier
			some suffix in ["_candidates", "_gates", "_items"]
			endswith(list, suffix)
		},
	] with input as testing.team({"todos": case.todos})
		with data.loopx.route as turn
		with data.loopx.quiet as object.get(case, "quiet", busy)
		with data.loopx.work_lane_contract as object.get(case, "lane", {})
		with data.loopx.heartbeat.base_winner as {"rule": "hb.default"}
		with data.loopx.agent_scope as object.union(
			{"selected_todo": {"todo_id": "selected"}},
			{"next_action": next | next := case.next},
		)
}

test_frontier[name] if {
	some name, case in cases
	eval_frontier(case) == case.want
}

# rows that todos.handoff_gates would answer first in real facts
test_frontier_other_excludes if {
	got := scope_frontier.fired.agent_scope_frontier with input as testing.team({"todos": [review({"claimed_by": "agent-b"}), theirs]})
		with data.loopx.route as turn
		with data.loopx.quiet as busy
		with data.loopx.work_lane_contract as {}
		with data.loopx.agent_scope as {}
		with data.loopx.todos.handoff_gates as {}
	[got.rank, got.rule, got.value.action, got.value.ids] == [80, "frontier.other", "agent_scope_wait", ["review"]]
}

test_frontier_excluded if {
	got := scope_frontier.fired.agent_scope_frontier with input as testing.team({"todos": [review({})]})
		with data.loopx.route as turn
		with data.loopx.quiet as busy
		with data.loopx.work_lane_contract as {}
		with data.loopx.agent_scope as {}
		with data.loopx.todos.handoff_gates as {}
	[got.rule, got.value.action, got.value.ids] == ["frontier.excluded", "agent_scope_wait", ["review"]]
}

none_cases := {
	"no agent todo": {"todos": []},
	"a quiet wait beside a blocked todo": {"todos": [object.union(mine, {"status": "blocked"})], "quiet": rests},
	"own work": {"todos": [mine]},
	"own work and an equal deferred todo": {"todos": [mine, wakes({"rank": 1}), done], "next": {"todo_id": "mine"}},
	"own work and a peer's deferred P0": {
		"todos": [mine, wakes({"rank": 0, "claimed_by": "agent-b"}), done],
		"next": {"todo_id": "mine"},
	},
	"unclaimed work": {"todos": [free, wakes({}), done]},
	"a quiet wait": {"todos": [watch, waits, theirs, review({})], "quiet": rests},
	"a monitor to attempt": {
		"todos": [watch, wakes({}), done],
		"lane": {"raw": {"obligation": "attempt_due_monitor", "lane": "continuous_monitor", "must_attempt_work": true}},
	},
	"a resume gate to repair": {
		"todos": [watch, behind_monitor],
		"lane": {"raw": {
			"obligation": "repair_resume_gate_or_close_standing_monitor",
			"lane": "advancement_task",
			"must_attempt_work": true,
		}},
	},
	"a todo to materialize": {
		"todos": [watch],
		"lane": {"raw": {
			"obligation": "materialize_advancement_todo_or_blocker",
			"lane": "advancement_task",
			"must_attempt_work": true,
		}},
	},
	"a lane that need not act": {"todos": [], "lane": {"raw": object.union(advance.raw, {"must_attempt_work": false})}},
	"a lane of monitors": {"todos": [watch], "lane": {"raw": object.union(advance.raw, {"lane": "continuous_monitor"})}},
	"an empty goal": {"todos": []},
}

test_no_frontier[name] if {
	some name, case in none_cases
	got := {action | action := scope_frontier.action} with input as testing.team({"todos": case.todos})
		with data.loopx.route as turn
		with data.loopx.quiet as object.get(case, "quiet", busy)
		with data.loopx.work_lane_contract as object.get(case, "lane", {})
		with data.loopx.heartbeat.base_winner as {"rule": "hb.default"}
		with data.loopx.agent_scope as {"next_action": next | next := case.next}
	count(got) == 0
}

test_frontier_leaves_a_named_step_alone if {
	facts := testing.team({"todos": [object.union(mine, {"status": "blocked"})]})
	exhausted := scope_frontier.action with input as facts
		with data.loopx.route as turn
		with data.loopx.quiet as busy
		with data.loopx.work_lane_contract as {}
		with data.loopx.agent_scope as {}
		with data.loopx.heartbeat.base_winner as {"rule": "hb.default"}
	exhausted == "agent_scope_exhausted"
	not scope_frontier.action with input as facts
		with data.loopx.route as turn
		with data.loopx.quiet as busy
		with data.loopx.work_lane_contract as {}
		with data.loopx.agent_scope as {}
		with data.loopx.heartbeat.base_winner as {"rule": "hb.command"}
}

closed_cases := {
	"an unscoped call": {"facts": testing.facts({"todos": [wakes({}), done]}), "route": turn},
	"no normal turn": {"facts": testing.team({"todos": [wakes({}), done]}), "route": {"normal": false, "reply": false}},
	"an inbox reply": {"facts": testing.team({"todos": [wakes({}), done]}), "route": {"normal": true, "reply": true}},
}

test_no_frontier_outside_a_normal_turn[name] if {
	some name, case in closed_cases
	not scope_frontier.frontier with input as case.facts
		with data.loopx.route as case.route
		with data.loopx.quiet as busy
		with data.loopx.work_lane_contract as {}
		with data.loopx.agent_scope as {}
}

test_hidden_work_is_a_candidate if {
	not scope_frontier.frontier with input as testing.team({"todos": [theirs]})
		with data.loopx.todos.hidden_count as 1
		with data.loopx.route as turn
		with data.loopx.quiet as busy
		with data.loopx.work_lane_contract as {}
		with data.loopx.agent_scope as {}
}

test_frontier_document if {
	got := scope_frontier.frontier with input as testing.team({"todos": [theirs, object.union(theirs, {"id": "more", "index": 2})]})
		with data.loopx.route as turn
		with data.loopx.quiet as busy
		with data.loopx.work_lane_contract as {}
		with data.loopx.agent_scope as {}
	object.remove(got, ["other_agent_claimed_items", "spend_policy", "recommended_action", "frontier_hint"]) == {
		"schema_version": "agent_scope_frontier_v0",
		"agent_id": "agent-a",
		"action": "reassignment_required",
		"effective_action": "reassignment_required",
		"blocks_delivery": true,
		"quiet_noop_allowed": true,
		"reason": "open advancement todo theirs is held by agent-b",
		"candidate_counts": {
			"current_agent_claimed_advancement_count": 0,
			"unclaimed_advancement_count": 0,
			"other_agent_claimed_items_count": 2,
		},
		"other_claimants": ["agent-b"],
	}
	got.spend_policy
	got.recommended_action
	got.frontier_hint.reason_code == "blocked_by_other_agent_frontier"
}

test_frontier_document_of_a_handoff if {
	got := scope_frontier.frontier with input as testing.team({"todos": [review({})]})
		with data.loopx.route as turn
		with data.loopx.quiet as busy
		with data.loopx.work_lane_contract as {}
		with data.loopx.agent_scope as {}
	[got.other_claimants, got.blocking_handoff_claimants] == [[], []]
	contains(got.recommended_action, "another agent")
	runner := scope_frontier.runners.agent_scope_frontier.rule with input as testing.team({"todos": [review({})]})
		with data.loopx.route as turn
		with data.loopx.quiet as busy
		with data.loopx.work_lane_contract as {}
		with data.loopx.agent_scope as {}
	runner == "frontier.excluded"
}

test_frontier_document_of_a_preemption if {
	got := scope_frontier.frontier with input as testing.team({"todos": [mine, wakes({"rank": 0}), done]})
		with data.loopx.route as turn
		with data.loopx.quiet as busy
		with data.loopx.work_lane_contract as {}
		with data.loopx.agent_scope as {"next_action": {"todo_id": "mine"}}
	got.priority_preemption
	got.requires_replan
	got.preempted_open_candidate.todo_id == "mine"
	not got.other_claimants
}

test_texts_exist_for_every_rule[rule] if {
	some rule in ({row | some case in cases; row := case.want[0]} | {"frontier.excluded"})
	object.keys(data.loopx.settings.scope.frontier[rule]) == {"spend_policy", "reason", "recommended_action"}
}

test_selection_after_a_replan if {
	facts := testing.team({"todos": [mine, wakes({"rank": 0}), done]})
	scope := {"next_action": {"todo_id": "mine"}, "selected_todo": {"todo_id": "mine"}}
	got := scope_frontier.selected_todo with input as facts
		with data.loopx.route as turn
		with data.loopx.quiet as busy
		with data.loopx.work_lane_contract as {}
		with data.loopx.agent_scope as scope
	[got.todo_id, got.schema_version, got.source] == ["wakes", "quota_selected_todo_v0", "deferred_resume_candidates"]
	not scope_frontier.next_action with input as facts
		with data.loopx.route as turn
		with data.loopx.quiet as busy
		with data.loopx.work_lane_contract as {}
		with data.loopx.agent_scope as scope
}

test_selection_without_a_frontier if {
	scope := {"next_action": {"todo_id": "mine"}, "selected_todo": {"todo_id": "mine"}}
	got := [scope_frontier.selected_todo, scope_frontier.next_action] with input as testing.team({"todos": [mine]})
		with data.loopx.route as turn
		with data.loopx.quiet as busy
		with data.loopx.work_lane_contract as {}
		with data.loopx.agent_scope as scope
	got == [{"todo_id": "mine"}, {"todo_id": "mine"}]
}

test_no_selection_in_a_wait if {
	not scope_frontier.selected_todo with input as testing.team({"todos": [theirs]})
		with data.loopx.route as turn
		with data.loopx.quiet as busy
		with data.loopx.work_lane_contract as {}
		with data.loopx.agent_scope as {"selected_todo": {"todo_id": "theirs"}}
}

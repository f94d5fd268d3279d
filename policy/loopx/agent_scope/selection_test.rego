package loopx.agent_scope_test

import data.loopx.agent_scope
import data.loopx.testing

mine := testing.advancement("mine", {"claimed_by": "agent-a", "rank": 2})

also_mine := testing.advancement("also", {"claimed_by": "agent-a", "rank": 2, "index": 2, "action_kind": "review"})

nobodys := testing.advancement("nobodys", {"rank": 0, "index": 3})

delivered(id) := testing.run(5, "shipped", {"agent_id": "agent-a", "todo_id": id, "delivery_outcome": "outcome_progress"})

profile(change) := {"agent_profiles": [object.union(
	{"agent_id": "agent-a", "preferred_action_kinds": [], "avoid_action_kinds": []},
	change,
)]}

next_cases := {
	"own before an unclaimed P0": {
		"facts": {"todos": [mine, nobodys]},
		"want": ["mine", "select.own_claim", "selected", "first_executable_items"],
	},
	"unclaimed": {
		"facts": {"todos": [nobodys]},
		"want": ["nobodys", "select.unclaimed", "candidate", "first_executable_items"],
	},
	"named by Next Action": {
		"facts": {"todos": [mine, also_mine], "state": {"next_action_todo_ids": ["also"]}},
		"want": ["also", "select.active_next_action", "selected", "active_next_action_executable_items"],
	},
	"Next Action does not cross a priority": {
		"facts": {
			"todos": [testing.advancement("mine", {"claimed_by": "agent-a"}), also_mine],
			"state": {"next_action_todo_ids": ["also"]},
		},
		"want": ["mine", "select.own_claim", "selected", "first_executable_items"],
	},
	"in flight": {
		"facts": {"todos": [mine, also_mine], "runs": [delivered("also")]},
		"want": ["also", "select.in_flight", "selected", "first_executable_items"],
	},
	"in flight of the newest delivery only": {
		"facts": {"todos": [mine, also_mine], "runs": [delivered("gone"), delivered("also")]},
		"want": ["mine", "select.own_claim", "selected", "first_executable_items"],
	},
	"a delivery without a todo continues none": {
		"facts": {
			"todos": [mine, also_mine],
			"runs": [object.remove(delivered("x"), ["todo_id"]), delivered("also")],
		},
		"want": ["mine", "select.own_claim", "selected", "first_executable_items"],
	},
	"a delivery of nobody is not in flight": {
		"facts": {"todos": [mine, also_mine], "runs": [object.remove(delivered("also"), ["agent_id"])]},
		"want": ["mine", "select.own_claim", "selected", "first_executable_items"],
	},
	"a higher own priority preempts what is in flight": {
		"facts": {"todos": [testing.advancement("mine", {"claimed_by": "agent-a"}), also_mine], "runs": [delivered("also")]},
		"want": ["mine", "select.own_claim", "selected", "first_executable_items"],
	},
	"an unclaimed P0 does not preempt the own one in flight": {
		"facts": {"todos": [mine, also_mine, nobodys], "runs": [delivered("also")]},
		"want": ["also", "select.in_flight", "selected", "first_executable_items"],
	},
	"unclaimed and in flight": {
		"facts": {
			"todos": [nobodys, testing.advancement("also_free", {"rank": 0, "index": 4})],
			"runs": [delivered("also_free")],
		},
		"want": ["also_free", "select.in_flight", "selected", "first_executable_items"],
	},
	"a higher unclaimed priority preempts what is unclaimed and in flight": {
		"facts": {"todos": [nobodys, testing.advancement("also_free", {"rank": 1})], "runs": [delivered("also_free")]},
		"want": ["nobodys", "select.unclaimed", "candidate", "first_executable_items"],
	},
	"a preferred action kind": {
		"facts": {"todos": [mine, also_mine], "goal": profile({"preferred_action_kinds": ["review"]})},
		"want": ["also", "select.own_claim", "selected", "first_executable_items"],
	},
	"an avoided action kind": {
		"facts": {
			"todos": [object.union(mine, {"index": 5}), also_mine],
			"goal": profile({"avoid_action_kinds": ["review"]}),
		},
		"want": ["mine", "select.own_claim", "selected", "first_executable_items"],
	},
	"a kind both preferred and avoided is preferred": {
		"facts": {
			"todos": [mine, also_mine],
			"goal": profile({"preferred_action_kinds": ["review"], "avoid_action_kinds": ["review"]}),
		},
		"want": ["also", "select.own_claim", "selected", "first_executable_items"],
	},
	"what the capability gate lets run": {
		"facts": {"todos": [mine, also_mine]},
		"gate": {"action": "run", "runnable": [{"todo_id": "also"}]},
		"want": ["also", "select.own_claim", "selected", "capability_gate.runnable_candidates"],
	},
	"a todo that repairs the bridge goes first": {
		"facts": {"todos": [mine, also_mine]},
		"gate": {"action": "run", "runnable": [{"todo_id": "mine"}, {"todo_id": "also", "capability_repair_mode": true}]},
		"want": ["also", "select.own_claim", "selected", "capability_gate.runnable_candidates"],
	},
	"what a gate leaves free": {
		"facts": {"todos": [gate({"unblocks_todo_id": "mine"}), mine, also_mine]},
		"want": ["also", "select.gate_fallback", "selected", "scoped_user_gate_fallback"],
	},
}

test_next_action[name] if {
	some name, case in next_cases
	got := agent_scope.next_action with input as testing.team(case.facts)
		with data.loopx.quota as {"object": {"state": "eligible"}}
		with data.loopx.capability_gate as object.get(case, "gate", {"action": "none"})
		with data.loopx.debt as {"active": false}
		with data.loopx.work_lane_contract as {}
	fired := agent_scope.fired with input as testing.team(case.facts)
		with data.loopx.quota as {"object": {"state": "eligible"}}
		with data.loopx.capability_gate as object.get(case, "gate", {"action": "none"})
		with data.loopx.debt as {"active": false}
		with data.loopx.work_lane_contract as {}
	[got.todo_id, fired.agent_lane_next_action.rule, got.confidence, got.source] == case.want
}

test_next_action_document if {
	got := agent_scope.next_action with input as testing.team({"todos": [nobodys]})
		with data.loopx.quota as {"object": {"state": "eligible"}}
		with data.loopx.capability_gate as {
			"action": "run",
			"runnable": [{"todo_id": "nobodys", "capability_action": "run", "missing_capabilities": [], "text": "x"}],
		}
		with data.loopx.work_lane_contract as {}
	object.filter(got, ["schema_version", "agent_id", "selected_by", "claim_required_before_work", "capability_action"]) == {
		"schema_version": "agent_lane_next_action_v0",
		"agent_id": "agent-a",
		"selected_by": "unclaimed_todo",
		"claim_required_before_work": true,
		"capability_action": "run",
	}
	got.preserves_goal_next_action
	got.text == "[P1] Implement the tokenizer."
}

test_runner_up_of_the_next_action if {
	row := agent_scope.runners.agent_lane_next_action with input as testing.team({
		"todos": [mine],
		"runs": [delivered("mine")],
	})
		with data.loopx.quota as {"object": {"state": "eligible"}}
		with data.loopx.capability_gate as {"action": "none"}
		with data.loopx.work_lane_contract as {}
	row.rule == "select.own_claim"
}

no_next_cases := {
	"an unscoped call": {"facts": testing.facts({"todos": [nobodys]})},
	"a due monitor owns the turn": {
		"facts": testing.team({"todos": [nobodys]}),
		"lane": {"raw": {"obligation": "attempt_due_monitor"}},
	},
	"an inbox reply owns the turn": {
		"facts": testing.team({"todos": [nobodys]}),
		"lane": {"raw": {"obligation": "drain_lark_inbox_reply_due"}},
	},
	"a capability fallback owns the turn": {
		"facts": testing.team({"todos": [nobodys]}),
		"gate": {"action": "skip", "runnable": [{"todo_id": "nobodys"}], "monitor_fallback": {"mode": "monitor_quiet_wait"}},
	},
	"nothing can run": {"facts": testing.team({"todos": [nobodys]}), "gate": {"action": "ask_owner", "runnable": []}},
	"only a deferred todo is free": {"facts": testing.team({"todos": [blocks_work, work({}), wakes, dep]})},
}

test_no_next_action[name] if {
	some name, case in no_next_cases
	not agent_scope.next_action with input as case.facts
		with data.loopx.quota as {"object": {"state": "eligible"}}
		with data.loopx.debt as {"active": false}
		with data.loopx.capability_gate as object.get(case, "gate", {"action": "none"})
		with data.loopx.work_lane_contract as object.get(case, "lane", {})
}

selected_cases := {
	"the next action": {
		"facts": testing.team({"todos": [mine]}),
		"lane": {"raw": {"selected_todo_id": "todo_watch"}},
		"want": {"todo_id": "mine", "source": "first_executable_items", "selected_by": "current_agent_claimed_todo"},
	},
	"the free item of an unscoped call": {
		"facts": testing.facts({"todos": [blocks_work, work({}), other]}),
		"lane": {"raw": {"selected_todo_id": "todo_watch"}},
		"want": {"todo_id": "other", "source": "scoped_user_gate_fallback"},
	},
	"what the lane names": {
		"facts": testing.team({"todos": [own_monitor]}),
		"lane": {"raw": {"obligation": "attempt_due_monitor", "selected_todo_id": "todo_watch"}},
		"want": {"todo_id": "todo_watch", "source": "work_lane_contract"},
	},
}

test_selected_todo[name] if {
	some name, case in selected_cases
	got := agent_scope.selected_todo with input as case.facts
		with data.loopx.quota as {"object": {"state": "eligible"}}
		with data.loopx.debt as {"active": false}
		with data.loopx.capability_gate as {"action": "none"}
		with data.loopx.work_lane_contract as case.lane
	object.filter(got, ["todo_id", "source", "selected_by"]) == case.want
	got.schema_version == "quota_selected_todo_v0"
}

test_no_selected_todo if {
	not agent_scope.selected_todo with input as testing.team({"todos": []})
		with data.loopx.quota as {"object": {"state": "eligible"}}
		with data.loopx.capability_gate as {"action": "none"}
		with data.loopx.work_lane_contract as {"raw": {"obligation": "attempt_due_monitor"}}
}

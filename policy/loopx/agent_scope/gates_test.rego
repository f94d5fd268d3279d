package loopx.agent_scope_test

import data.loopx.agent_scope
import data.loopx.testing

gate(change) := testing.user_todo("gate", "user_gate", object.union({"goal_bound": true}, change))

work(change) := testing.advancement("work", object.union({"claimed_by": "agent-a"}, change))

scope(granularity, key) := {"kind": "direction", "granularity": granularity, "key": key}

# the relation of one gate to one todo
relation_cases := {
	"global": {"gate": {"global_gate": true}, "want": ["global_gate", "global_gate"]},
	"target": {"gate": {"unblocks_todo_id": "work"}, "want": ["gate_targets_todo", "unblocks_todo_id"]},
	"target though the scope covers as well": {
		"gate": {"unblocks_todo_id": "work", "decision_scope": scope("goal", "api")},
		"work": {"required_decision_scopes": [scope("lane", "api")]},
		"want": ["gate_targets_todo", "unblocks_todo_id"],
	},
	"another target, covering scope": {
		"gate": {"unblocks_todo_id": "else", "decision_scope": scope("goal", "*")},
		"work": {"required_decision_scopes": [scope("goal", "api")]},
		"want": ["projection_repair_required", "unblocks_todo_id+decision_scope"],
	},
	"covering scope": {
		"gate": {"decision_scope": scope("project", "api")},
		"work": {"required_decision_scopes": [scope("action", "cli"), scope("goal", "api")]},
		"want": ["gate_covers_action", "decision_scope"],
	},
	"same action kind": {
		"gate": {"action_kind": "approve_publish"},
		"work": {"action_kind": "publish"},
		"want": ["action_overlap", "action_kind"],
	},
	"text speaks of the gate's action": {
		"gate": {"action_kind": "publish_package"},
		"work": {"text": "[P1] Publish the package."},
		"want": ["action_overlap", "action_kind+text"],
	},
	"texts alike": {
		"gate": {"text": "Approve the parser release notes."},
		"work": {"text": "[P1] Write parser release notes."},
		"want": ["text_overlap", "text"],
	},
	"texts alike under other action kinds": {
		"gate": {"action_kind": "publish", "text": "Parser release notes."},
		"work": {"action_kind": "implement", "text": "Parser release notes."},
		"want": ["text_overlap", "text"],
	},
	"texts alike and an action kind of the todo": {
		"gate": {"text": "Parser release notes."},
		"work": {"action_kind": "implement", "text": "Parser release notes."},
		"want": ["text_overlap", "text"],
	},
	"text speaks of the gate's action under another action kind": {
		"gate": {"action_kind": "publish_package", "text": "May it?"},
		"work": {"action_kind": "implement", "text": "[P1] Publish the package."},
		"want": ["action_overlap", "action_kind+text"],
	},
}

test_gate_blocks[name] if {
	some name, case in relation_cases
	facts := testing.team({"todos": [gate(case.gate), work(object.get(case, "work", {}))]})
	rows := agent_scope.relation_row with input as facts
		with data.loopx.capability_gate as {"action": "none"}
	{[row.value.state, row.value.source] | some row in rows; row.rank == min({r.rank | some r in rows})} == {case.want}
	{row.rule | some row in rows} == {"scope.gate_blocks"}
}

independent_cases := {
	"another target": {"gate": {"unblocks_todo_id": "else"}},
	"a scope nobody requires": {"gate": {"decision_scope": scope("global", "*")}},
	"another kind of scope": {
		"gate": {"decision_scope": scope("goal", "api")},
		"work": {"required_decision_scopes": [{"kind": "budget", "granularity": "action", "key": "api"}]},
	},
	"another key": {
		"gate": {"decision_scope": scope("goal", "api")},
		"work": {"required_decision_scopes": [scope("goal", "cli")]},
	},
	"too narrow": {
		"gate": {"decision_scope": scope("lane", "api")},
		"work": {"required_decision_scopes": [scope("goal", "api")]},
	},
	"another action kind": {"gate": {"action_kind": "publish", "text": "Release."}, "work": {"action_kind": "implement", "text": "Notes."}},
	"one word of the gate's action": {"gate": {"action_kind": "publish_package"}, "work": {"text": "Write the package."}},
	"two common words": {"gate": {"text": "Approve parser release."}, "work": {"text": "Write parser release."}},
	"common words that say nothing": {
		"gate": {"text": "Approve the goal until the owner should decide."},
		"work": {"text": "Approve the goal until the owner should decide."},
	},
}

test_gate_leaves_free[name] if {
	some name, case in independent_cases
	facts := testing.team({"todos": [gate(case.gate), work(object.get(case, "work", {}))]})
	rows := agent_scope.relation_row with input as facts
		with data.loopx.capability_gate as {"action": "none"}
	count(rows) == 0
}

other := testing.advancement("other", {"index": 2})

later := testing.advancement("later", {"index": 3, "rank": 2})

overdue := testing.monitor("overdue", {"index": 9, "cadence_seconds": 60, "cadence": "1m"})

wakes := testing.advancement("wakes", {"status": "deferred", "rank": 0, "resume_when": "todo_done:dep"})

dep := testing.advancement("dep", {"status": "done"})

blocks_work := gate({"unblocks_todo_id": "work"})

fallback_cases := {
	"the free one": {"todos": [blocks_work, work({}), other], "want": "other"},
	"priority first": {"todos": [blocks_work, work({}), later, other], "want": "other"},
	"a due monitor of the same priority by place": {"todos": [blocks_work, work({}), overdue, later], "want": "overdue"},
	"advancement before an overdue monitor under debt": {
		"todos": [blocks_work, work({}), testing.advancement("other", {"index": 12}), overdue],
		"debt": true,
		"want": "other",
	},
	"no debt, the monitor's place counts": {
		"todos": [blocks_work, work({}), testing.advancement("other", {"index": 12}), overdue],
		"want": "overdue",
	},
	"a ready deferred successor": {"todos": [blocks_work, work({}), other, wakes, dep], "want": "wakes"},
	"only what the capability gate lets run": {
		"todos": [blocks_work, work({}), other, later],
		"gate": {"action": "run", "runnable": [{"todo_id": "later"}, {"todo_id": "work"}, {"todo_id": "overdue"}]},
		"want": "later",
	},
	"nothing is gated but a bypass is allowed": {
		"todos": [gate({"unblocks_todo_id": "else"}), other],
		"bypass": true,
		"want": "other",
	},
}

test_scope_fallback[name] if {
	some name, case in fallback_cases
	got := agent_scope.gate_fallback with input as testing.team({"todos": case.todos})
		with data.loopx.quota as {"object": {"safe_bypass_allowed": object.get(case, "bypass", false)}}
		with data.loopx.capability_gate as object.get(case, "gate", {"action": "none"})
		with data.loopx.debt as {"active": object.get(case, "debt", false)}
	got.selected_executable.todo_id == case.want
}

no_fallback_cases := {
	"no gate": {"todos": [other], "bypass": true},
	"all is gated": {"todos": [blocks_work, work({})], "bypass": true},
	"nothing is gated and no bypass": {"todos": [gate({"unblocks_todo_id": "else"}), other]},
	"an empty list of runnable todos": {
		"todos": [blocks_work, work({}), other],
		"gate": {"action": "ask_owner", "runnable": []},
		"bypass": true,
	},
}

test_no_fallback[name] if {
	some name, case in no_fallback_cases
	not agent_scope.gate_fallback with input as testing.team({"todos": case.todos})
		with data.loopx.quota as {"object": {"safe_bypass_allowed": object.get(case, "bypass", false)}}
		with data.loopx.capability_gate as object.get(case, "gate", {"action": "none"})
		with data.loopx.debt as {"active": false}
}

test_fallback_document if {
	got := agent_scope.gate_fallback with input as testing.team({"todos": [blocks_work, work({}), wakes, dep]})
		with data.loopx.quota as {"object": {"safe_bypass_allowed": true}}
		with data.loopx.capability_gate as {"action": "none"}
		with data.loopx.debt as {"active": false}
	got.blocked_user_gate.todo_id == "gate"
	got.blocked_agent_items[0].todo_gate_relation == {
		"gate_todo_id": "gate",
		"agent_todo_id": "work",
		"state": "gate_targets_todo",
		"source": "unblocks_todo_id",
	}
	got.selected_executable.fallback_kind == "deferred_successor_replan"
	contains(got.recommended_action, "deferred")
}

test_fallback_surfaces_the_first_gate_when_none_blocks if {
	first := gate({"unblocks_todo_id": "else", "rank": 0})
	second := testing.user_todo("second", "user_gate", {"goal_bound": true, "unblocks_todo_id": "else", "rank": 1})
	got := agent_scope.gate_fallback with input as testing.team({"todos": [second, first, other]})
		with data.loopx.quota as {"object": {"safe_bypass_allowed": true}}
		with data.loopx.capability_gate as {"action": "none"}
		with data.loopx.debt as {"active": false}
	got.blocked_user_gate.todo_id == "gate"
	not got.selected_executable.fallback_kind
	got.blocked_agent_items == []
}

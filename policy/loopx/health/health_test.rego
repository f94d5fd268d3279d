package loopx.health_test

import data.loopx.health
import data.loopx.testing

finding(change) := object.union({"code": "c", "scope": "goal", "goal_id": "g1", "message": "m"}, change)

facts(findings) := testing.facts({"findings": findings})

no_todos := {"contract_errors": set()}

ok_cases := {
	"nothing": {"findings": [], "ok": true, "global": true},
	"own": {"findings": [finding({})], "ok": false, "global": true},
	"of another goal": {"findings": [finding({"goal_id": "g2"})], "ok": true, "global": true},
	"global": {"findings": [finding({"scope": "global", "goal_id": ""})], "ok": false, "global": false},
	"shared": {"findings": [finding({"scope": "goals", "goal_id": "", "goal_ids": ["g2", "g1"]})], "ok": false, "global": true},
	"shared by others": {
		"findings": [finding({"scope": "goals", "goal_id": "", "goal_ids": ["g2", "g3"]})],
		"ok": true,
		"global": true,
	},
	"named in the text only": {"findings": [finding({"goal_id": "g2", "message": "g1: broken"})], "ok": true, "global": true},
}

test_health_scope[name] if {
	some name, case in ok_cases
	health.ok == case.ok with input as facts(case.findings) with data.loopx.todos as no_todos
	health.global_ok == case.global with input as facts(case.findings) with data.loopx.todos as no_todos
}

test_health_effect_of_a_todo_error if {
	found := finding({"code": "todo_unbound", "line": 12, "file": "STATE.md"})
	not health.ok with input as facts([]) with data.loopx.todos as {"contract_errors": {found}}
	health.findings == [found] with input as facts([]) with data.loopx.todos as {"contract_errors": {found}}
}

test_health_effect_of_a_registry_word if {
	bad := testing.facts({"goal": {"waiting_on": "vendor"}})
	not health.ok with input as bad with data.loopx.todos as no_todos
	got := health.findings with input as bad with data.loopx.todos as no_todos
	[f.rule | some f in got] == ["goal.vocabulary"]
}

with_mode(mode) := testing.facts({"state": {"front": {"handoff_mode": mode}}})

test_health_handoff_mode if {
	every mode in ["", "legacy", "soft_claim", "hard_lease"] {
		health.ok with input as with_mode(mode) with data.loopx.todos as no_todos
	}
	not health.ok with input as with_mode("magic") with data.loopx.todos as no_todos
	got := health.findings with input as with_mode("magic") with data.loopx.todos as no_todos
	[[f.code, f.rule, f.goal_id] | some f in got] == [["state_handoff_mode_unknown", "health.handoff_mode", "g1"]]
	contains(got[0].message, "magic")
}

test_health_findings_are_in_order if {
	given := [
		finding({"file": "b", "line": 1}),
		finding({"file": "a", "line": 9, "code": "z"}),
		finding({"file": "a", "line": 9, "code": "y"}),
		finding({"file": "a", "line": 2}),
		finding({"scope": "global", "message": "no file"}),
	]
	got := health.findings with input as facts(given) with data.loopx.todos as no_todos
	got == [given[4], given[3], given[2], given[1], given[0]]
}

test_plan_health_items_say_where_they_come_from if {
	given := [finding({"scope": "global", "message": "a"}), finding({"message": "b"}), finding({"scope": "goals", "goal_ids": ["g1"], "message": "c"})]
	got := health.items with input as facts(given) with data.loopx.todos as no_todos
	[item.source | some item in got] == ["loopx-registry", "loopx-contract", "loopx-contract"]
	every item in got {
		item.severity == "high"
		item.status == "contract_check_failed"
		item.code == "c"
	}
}

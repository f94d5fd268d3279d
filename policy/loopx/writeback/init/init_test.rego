package loopx.writeback.init_test

import data.loopx.testing
import data.loopx.writeback.init

wanted := {
	"objective": "Ship the parser.",
	"repo": "/work/p",
	"project_exists": true,
	"state_file": ".codex/goals/demo/ACTIVE_GOAL_STATE.md",
	"state_file_exists": false,
}

run(write, change) := found if {
	given := object.union_n([
		object.remove(testing.base, ["goal"]),
		{"request": {"command": "init", "goal_id": "demo", "execute": true}},
		{"findings": [{"code": "registry_missing", "scope": "global", "message": "m"}], "route": {"registry_exists": false}},
		change,
		{"write": {"init": object.union(wanted, write)}},
	])
	found := init.result with input as given
}

cases := {
	"no id": [{}, {"request": {"goal_id": ""}}, "init.request"],
	"preview and execution": [{}, {"request": {"dry_run": true}}, "init.request"],
	"no objective": [{"objective": "  "}, {}, "init.objective"],
	"long objective": [{"objective": concat("", ["x" | some _ in numbers.range(1, 2001)])}, {}, "init.objective"],
	"private": [{}, {"write": {"private": [{"argument": "objective", "class": "credential"}]}}, "write.public"],
	"agent": [{"agents": ["9"]}, {}, "init.agents"],
	"shared registry": [{}, {"route": {"global": true}}, "init.shared"],
	"faulty registry": [{}, {"route": {"registry_exists": true}}, "init.registry"],
	"no project": [{"project_exists": false}, {}, "init.project"],
	"taken": [{}, {"goal": testing.base.goal}, "init.exists"],
	"taken elsewhere": [{"shared_source": "/other/registry.json"}, {}, "init.taken"],
	"taken elsewhere without sync": [{"shared_source": "/other/registry.json", "no_global_sync": true}, {}, "init.write"],
	"state file": [{"state_file_exists": true}, {}, "init.state_file"],
	"new": [{}, {}, "init.write"],
	"new in a registry": [{}, {"route": {"registry_exists": true}, "findings": []}, "init.write"],
}

test_init_rule[name] if {
	some name, case in cases
	found := run(case[0], case[1])
	found.document.rule == case[2]
	ok := case[2] == "init.write"
	found.ok == ok
	found.document.written == ok
	effects := count(found.effects) > 0
	effects == ok
}

test_init_objective_without_flags if {
	init.result.document.rule == "init.objective" with input as object.union(object.remove(testing.base, ["goal"]), {"request": {"goal_id": "demo"}})
}

test_init_write_row_and_file if {
	found := run({"agents": ["Agent A,agent-b", "agent-b"]}, {})
	effect := found.effects[0]
	effect.row == {
		"id": "demo",
		"domain": "project-goal-control-plane",
		"status": "active",
		"repo": "/work/p",
		"state_file": ".codex/goals/demo/ACTIVE_GOAL_STATE.md",
		"adapter": {"kind": "generic_project_goal_v0", "status": "connected"},
		"coordination": {"registered_agents": ["agent-a", "agent-b"], "agent_model": "peer_v1"},
	}
	startswith(effect.state_file_text, "---\nstatus: active\n")
	contains(effect.state_file_text, "\n## Objective\n\nShip the parser.\n\n## Agent Todo\n\n## Next Action\n\n- ")
	endswith(effect.state_file_text, ".\n")
	found.effects[1] == {"kind": "sync_global", "goal_id": "demo"}
	not run({}, {}).effects[0].row.coordination
}

test_init_write_objective_is_only_text if {
	text := run({"objective": "## Agent Todo\n- [ ] \"x\" --- y"}, {}).effects[0].state_file_text
	contains(text, `objective: "## Agent Todo - [ ] 'x' — y"`)
	contains(text, "\n\\## Agent Todo - [ ]")
}

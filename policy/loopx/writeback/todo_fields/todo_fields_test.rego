package loopx.writeback.todo_fields_test

import data.loopx.writeback.todo_fields

asked := {
	"fields": {
		"note": " two\n words ",
		"task_class": "Blocker",
		"claimed_by": "Agent A",
		"next_due_at": "2026-08-20T13:00:00Z",
		"task_repository": "https://x/y/z.git",
	},
	"lists": {
		"required_capabilities": ["GPU pool,shell", "shell"],
		"excluded_agents": ["b", "a;b"],
		"required_write_scopes": ["src/**"],
	},
	"times_ns": {"next_due_at": 1},
	"repository": "git:x/y/z",
}

test_todo_fields_are_written_in_normal_form if {
	todo_fields.metadata(asked) == {
		"note": "two words",
		"task_class": "blocker",
		"claimed_by": "agent-a",
		"next_due_at": "2026-08-20T13:00:00Z",
		"task_repository": "git:x/y/z",
		"required_capabilities": "gpu_pool,shell",
		"excluded_agents": "a,b",
		"required_write_scopes": "src/**",
	}
	todo_fields.unusable(asked) == []
	todo_fields.metadata({}) == {}
	todo_fields.unusable({}) == []
}

bad := {
	"class": {"fields": {"task_class": "hobby"}},
	"empty": {"fields": {"note": "  "}},
	"unknown key": {"fields": {"mood": "good"}},
	"time": {"fields": {"expires_at": "soon"}, "times_ns": {}},
	"repository": {"fields": {"task_repository": "https://u:p@x/y"}},
	"resume": {"fields": {"resume_when": "tomorrow"}},
	"cadence": {"fields": {"cadence": "0m"}},
	"scope": {"lists": {"required_write_scopes": ["a/../b"]}},
	"capability": {"lists": {"required_capabilities": ["9"]}},
	"todo": {"lists": {"successor_todo_ids": ["x"]}},
	"decision": {"fields": {"decision_scope": "direction:somewhere:x"}},
}

test_todo_fields_that_cannot_be_used[name] if {
	some name, case in bad
	count(todo_fields.unusable(case)) == 1
}

good := {
	"resume done": {"fields": {"resume_when": "todo_done:todo_abc"}},
	"resume merged": {"fields": {"resume_when": "pr_merged:Owner/repo#12"}},
	"resume merged here": {"fields": {"resume_when": "pr_merged:#12"}},
	"resume capacity": {"fields": {"resume_when": "capacity_available:gpu"}},
	"cadence": {"fields": {"cadence": "2 Hours"}},
	"decision": {"fields": {"decision_scope": "direction:action:beta_audience"}},
	"scopes": {"lists": {"required_decision_scopes": ["write_scope:goal:*"]}},
}

test_todo_fields_that_can_be_used[name] if {
	some name, case in good
	todo_fields.unusable(case) == []
}

test_todo_fields_as_facts if {
	todo_fields.facts({"goal_bound": "true", "global_gate": "false", "excluded_agents": "a,b", "note": "n"}) == {
		"goal_bound": true,
		"global_gate": false,
		"excluded_agents": ["a", "b"],
		"note": "n",
	}
}

package loopx.request_test

import data.loopx.request
import data.loopx.testing

ask(change) := testing.facts({"request": change})

test_request_plain_call if {
	request.now_ns == testing.now_ns with input as ask({})
	request.now == testing.base.now with input as ask({})
	request.command == "should-run" with input as ask({})
	request.goal_id == "g1" with input as ask({})
	request.scoped == false with input as ask({})
	not request.identity with input as ask({})
	not request.identity_error with input as ask({})
	not request.turn_id with input as ask({})
	request.validation_errors == set() with input as ask({})
	not request.refusal with input as ask({})
}

test_request_goal_id_is_empty_without_one if {
	change := json.remove(testing.base, ["request/goal_id"])
	request.goal_id == "" with input as change
}

test_request_explain if {
	request.explain with input as ask({"explain": true})
	not request.explain with input as ask({})
	request.explain == false with input as json.remove(testing.base, ["request/explain"])
}

test_request_turn_id if request.turn_id == "t1" with input as ask({"turn_instance_id": "t1"})

time_cases := {
	"utc offset": {"now": "2026-08-20T12:00:00+00:00", "want": "2026-08-20T12:00:00+00:00"},
	"zulu is utc": {"now": "2026-08-20T12:00:00Z", "want": "2026-08-20T12:00:00+00:00"},
	"east": {"now": "2026-08-20T20:00:00+08:00", "want": "2026-08-20T20:00:00+08:00"},
	"west with minutes": {"now": "2026-08-20T08:30:00-03:30", "want": "2026-08-20T08:30:00-03:30"},
}

test_at[name] if {
	some name, case in time_cases
	request.at(testing.now_ns) == case.want with input as testing.facts({"now": case.now})
}

token_cases := {
	"as given": {"id": "agent-a", "want": "agent-a"},
	"upper case and spaces": {"id": " Agent A ", "want": "agent-a"},
	"all allowed signs": {"id": "a_1.b:c@d-e", "want": "a_1.b:c@d-e"},
}

test_agent_token[name] if {
	some name, case in token_cases
	request.agent_id == case.want with input as ask({"agent_id": case.id})
	request.scoped with input as ask({"agent_id": case.id})
}

identity_cases := {
	"digit first": {"agent": "1a", "agents": ["agent-a"], "rule": "agent.token", "code": "quota_agent_id_invalid"},
	"too long": {
		"agent": concat("", ["a" | some _ in numbers.range(1, 81)]),
		"agents": ["agent-a"],
		"rule": "agent.token",
		"code": "quota_agent_id_invalid",
	},
	"bad token before the missing roster": {
		"agent": "ä",
		"agents": [],
		"rule": "agent.token",
		"code": "quota_agent_id_invalid",
	},
	"no roster": {
		"agent": "agent-a",
		"agents": [],
		"rule": "agent.roster",
		"code": "quota_agent_registry_roster_missing",
	},
	"not on it": {
		"agent": "agent-z",
		"agents": ["agent-a"],
		"rule": "agent.unregistered",
		"code": "quota_agent_not_registered",
	},
}

test_identity_error[name] if {
	some name, case in identity_cases
	facts := testing.facts({"request": {"agent_id": case.agent}, "goal": {"agents": case.agents}})
	got := request.identity_error with input as facts
	got.rule == case.rule
	got.error_code == case.code
	got.message != ""
	not request.identity with input as facts
}

test_agent_identity_names_the_roster if {
	got := request.identity with input as testing.team({})
	got == {
		"schema_version": "peer_agent_identity_v1",
		"agent_model": "peer_v1",
		"agent_id": "agent-a",
		"registered": true,
		"registered_agents": ["agent-a", "agent-b"],
	}
	not request.identity_error with input as testing.team({})
}

test_agent_identity_carries_mode_and_profile if {
	change := {"goal": {
		"work_modes": {"agent-a": "monitor_only", "agent-b": "active"},
		"agent_profiles": [
			{"agent_id": "agent-b", "preferred_action_kinds": [], "avoid_action_kinds": []},
			{"agent_id": "agent-a", "preferred_action_kinds": ["fix"], "avoid_action_kinds": []},
		],
	}}
	got := request.identity with input as testing.team(change)
	got.work_mode == "monitor_only"
	got.agent_profile.schema_version == "agent_profile_v1"
	got.agent_profile.preferred_action_kinds == ["fix"]
}

test_agent_none_has_no_identity_to_check if {
	facts := testing.facts({"goal": {"agents": ["agent-a"]}})
	not request.identity_error with input as facts
	not request.identity with input as facts
}

test_work_mode_unknown_counts_as_none if {
	facts := testing.team({"goal": {"work_modes": {"agent-a": "asleep"}}})
	not request.work_mode with input as facts
	not request.identity.work_mode with input as facts
}

test_cap_sets_runtime_keeps_order if {
	given := ["Network", "worker-bridge; cli bridge", "1bad", "network|gpu,"]
	got := request.runtime_capabilities with input as ask({"available_capabilities": given})
	got == ["network", "worker_bridge", "cli_bridge", "gpu"]
}

test_cap_sets_join_local_declared_and_given if {
	facts := testing.facts({
		"request": {"available_capabilities": ["network"]},
		"goal": {"available_capabilities": ["GPU, benchmark-runner", "9x"]},
	})
	got := request.capability_list with input as facts
	got == ["shell", "filesystem_read", "filesystem_write", "gpu", "benchmark_runner", "network"]
	as_set := request.capabilities with input as facts
	as_set == {c | some c in got}
	again := testing.facts({"request": {"available_capabilities": ["gpu", "shell"]}, "goal": {"available_capabilities": ["gpu"]}})
	request.capability_list == ["shell", "filesystem_read", "filesystem_write", "gpu"] with input as again
}

detail_cases := {
	"none": {"asked": [], "want": set()},
	"one": {"asked": ["scheduler"], "want": {"scheduler"}},
	"comma list": {"asked": ["scheduler,vision"], "want": {"scheduler", "vision"}},
	"all": {"asked": ["all"], "want": {"scheduler", "agent-todos", "user-todos", "goal-boundary", "vision"}},
}

test_detail[name] if {
	some name, case in detail_cases
	request.detail == case.want with input as ask({"include_detail": case.asked})
	request.validation_errors == set() with input as ask({"include_detail": case.asked})
}

test_detail_of_a_command_without_any if {
	request.detail == set() with input as ask({"command": "plan"})
}

validation_cases := {
	"no goal id": {"change": {"goal_id": ""}, "want": {"args.goal_id"}},
	"blank goal id": {"change": {"goal_id": "  "}, "want": {"args.goal_id"}},
	"plan needs none": {"change": {"goal_id": "", "command": "plan", "codex_app": false}, "want": set()},
	"status needs none": {"change": {"goal_id": "", "command": "status"}, "want": set()},
	"goal id with a slash": {"change": {"goal_id": "../g1"}, "want": {"args.goal_path"}},
	"goal id with a backslash": {"change": {"goal_id": `a\b`}, "want": {"args.goal_path"}},
	"goal id is the parent": {"change": {"goal_id": ".."}, "want": {"args.goal_path"}},
	"goal id is the folder": {"change": {"goal_id": "."}, "want": {"args.goal_path"}},
	"dots inside are fine": {"change": {"goal_id": "g..1"}, "want": set()},
	"preview and execute": {"change": {"dry_run": true, "execute": true}, "want": {"args.dry_run"}},
	"execute alone": {"change": {"execute": true}, "want": set()},
	"preview alone": {"change": {"dry_run": true}, "want": set()},
	"unknown detail": {"change": {"include_detail": ["budget"]}, "want": {"args.detail"}},
	"detail of another command": {"change": {"include_detail": ["decisions"]}, "want": {"args.detail"}},
	"all on a command without details": {
		"change": {"command": "plan", "include_detail": ["all"]},
		"want": {"args.detail"},
	},
	"turn on status": {
		"change": {"command": "status", "turn_instance_id": "t1", "agent_id": "agent-a"},
		"want": {"args.turn_command"},
	},
	"turn without an agent": {"change": {"turn_instance_id": "t1"}, "want": {"args.turn_agent"}},
	"turn id with a space": {"change": {"turn_instance_id": "t 1", "agent_id": "agent-a"}, "want": {"args.turn_id"}},
	"turn id that starts with a dot": {"change": {"turn_instance_id": ".t1", "agent_id": "agent-a"}, "want": {"args.turn_id"}},
	"turn id that is too long": {
		"change": {"turn_instance_id": concat("", ["t" | some _ in numbers.range(1, 129)]), "agent_id": "agent-a"},
		"want": {"args.turn_id"},
	},
	"longest turn id": {
		"change": {"turn_instance_id": concat("", ["t" | some _ in numbers.range(1, 128)]), "agent_id": "agent-a"},
		"want": set(),
	},
	"turn as a dry run": {
		"change": {"turn_instance_id": "t1", "agent_id": "agent-a", "dry_run": true},
		"want": {"args.turn_dry_run"},
	},
	"spend preview with a turn": {
		"change": {"command": "spend-slot", "turn_instance_id": "t1", "agent_id": "agent-a", "dry_run": true},
		"want": set(),
	},
	"alias and profile": {"change": {"runtime_profile": "codex_cli"}, "want": {"sched.ctx.args"}},
	"alias and triple": {"change": {"execution_mode": "interactive"}, "want": {"sched.ctx.args"}},
	"two aliases": {"change": {"trae_app": true}, "want": {"sched.ctx.args"}},
	"profile and triple": {
		"change": {"codex_app": false, "runtime_profile": "codex_cli", "host_surface": "codex_cli"},
		"want": {"sched.ctx.args"},
	},
	"triple alone": {
		"change": {
			"codex_app": false,
			"host_surface": "codex_cli",
			"scheduler_owner": "agent_cli_loop",
			"execution_mode": "interactive",
		},
		"want": set(),
	},
	"no context": {"change": {"codex_app": false}, "want": set()},
	"interval of the codex app": {"change": {"codex_rrule": true}, "want": set()},
	"interval of the codex app on trae": {"change": {"codex_app": false, "trae_app": true, "codex_rrule": true}, "want": {"sched.ctx.rrule"}},
	"the same by profile": {
		"change": {"codex_app": false, "runtime_profile": "trae_app", "codex_rrule": true},
		"want": {"sched.ctx.rrule"},
	},
	"the same by triple": {
		"change": {"codex_app": false, "host_surface": "trae_app", "codex_rrule": true},
		"want": {"sched.ctx.rrule"},
	},
	"unknown profile": {"change": {"codex_app": false, "runtime_profile": "toaster"}, "want": {"args.profile"}},
	"empty profile": {"change": {"runtime_profile": ""}, "want": set()},
	"known profile": {"change": {"codex_app": false, "runtime_profile": "codex_cli"}, "want": set()},
}

test_validation[name] if {
	some name, case in validation_cases
	got := request.validation_errors with input as ask(case.change)
	{problem.rule | some problem in got} == case.want
	every problem in got { problem.message != "" }
}

test_refusal_of_bad_arguments if {
	got := request.refusal with input as ask({"goal_id": ""})
	got.error_code == "QUOTA_VALIDATION_FAILED"
	got.state == "blocked_validation"
	got.status == "quota_validation_failed"
	got.rule == "args.goal_id"
	got.reason == "should-run needs --goal-id."
}

test_refusal_of_a_path_comes_first if {
	got := request.refusal with input as ask({"goal_id": "a/b", "dry_run": true, "execute": true})
	got.error_code == "quota_invalid_arguments"
	got.state == "blocked_health"
	got.status == "quota_collection_failed"
	got.waiting_on == "codex"
	got.rule == "args.goal_path"
}

package loopx.scheduler_hint_test

import data.loopx.scheduler_hint
import data.loopx.testing

triple(surface, owner, mode) := {"request": {
	"codex_app": false,
	"host_surface": surface,
	"scheduler_owner": owner,
	"execution_mode": mode,
}}

context_rules(request) := {e.rule | some e in found} if {
	found := scheduler_hint.context_errors with input as testing.facts(request)
}

valid_contexts := {
	"codex app alias": {},
	"trae app alias": {"request": {"codex_app": false, "trae_app": true}},
	"ssh profile": {"request": {"codex_app": false, "runtime_profile": "codex_app_ssh_goal"}},
	"typed app": triple("codex_app", "host_automation", "hosted_automation"),
	"local scheduler": triple("local_scheduler", "host_automation", "hosted_automation"),
	"outer controller": triple("generic_cli", "outer_controller", "isolated_headless"),
	"managed agent": triple("ark_managed_agent", "goal_runtime", "interactive"),
	"nobody's loop": triple("claude_code", "none", "interactive"),
}

test_sched_ctx_valid[name] if {
	some name, request in valid_contexts
	context_rules(request) == set()
}

invalid_contexts := {
	"nothing at all": [{"request": {"codex_app": false}}, "sched.ctx.missing"],
	"one part missing": [
		{"request": {"codex_app": false, "host_surface": "codex_cli", "scheduler_owner": "agent_cli_loop"}},
		"sched.ctx.missing",
	],
	"unknown surface": [triple("toaster", "agent_cli_loop", "interactive"), "sched.ctx.enum"],
	"app owned by a loop": [triple("codex_app", "agent_cli_loop", "interactive"), "sched.ctx.codex_app"],
	"app in the wrong mode": [triple("trae_app", "host_automation", "interactive"), "sched.ctx.codex_app"],
	"managed agent under a loop": [triple("ark_managed_agent", "agent_cli_loop", "interactive"), "sched.ctx.ark"],
	"goal runtime elsewhere": [triple("codex_cli", "goal_runtime", "interactive"), "sched.ctx.ark"],
	"ssh headless": [triple("codex_app_ssh", "agent_cli_loop", "isolated_headless"), "sched.ctx.ssh"],
	"cli owned by a host timer": [triple("codex_cli", "host_automation", "interactive"), "sched.ctx.cli"],
	"outer controller interactive": [triple("generic_cli", "outer_controller", "interactive"), "sched.ctx.outer"],
	"nobody headless": [triple("codex_cli", "none", "isolated_headless"), "sched.ctx.none"],
	"loop on an app": [triple("codex_app", "agent_cli_loop", "interactive"), "sched.ctx.loop"],
	"loop hosted": [triple("codex_cli", "agent_cli_loop", "hosted_automation"), "sched.ctx.loop"],
	"hosted without the host": [triple("codex_cli", "outer_controller", "hosted_automation"), "sched.ctx.hosted"],
}

test_sched_ctx_invalid[name] if {
	some name, case in invalid_contexts
	case[1] in context_rules(case[0])
}

# the request is refused before; the hint says what is missing all the same
test_sched_ctx_missing_unknown_profile if {
	found := hint(work, {"request": {"codex_app": false, "runtime_profile": "nonsense"}})
	found.action == "repair_scheduler_execution_context"
	{e.field | some e in found.consistency_error.errors} == {"host_surface", "scheduler_owner", "execution_mode"}
}

test_sched_ctx_combination_carries_its_text if {
	some e in scheduler_hint.context_errors with input as testing.facts(triple("codex_cli", "host_automation", "interactive"))
	e.rule == "sched.ctx.cli"
	contains(e.message, "command line")
}

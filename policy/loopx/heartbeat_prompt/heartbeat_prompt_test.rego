package loopx.heartbeat_prompt_test

import data.loopx.heartbeat_prompt
import data.loopx.settings
import data.loopx.testing

prompt(request, flags) := found if found := heartbeat_prompt.result with input as facts(request, flags)

facts(request, flags) := testing.team({
	"request": object.union({"command": "heartbeat-prompt", "codex_app": false}, request),
	"prompt": object.union({"forms": []}, flags),
})

by(profile) := {"runtime_profile": profile}

triple(surface, owner, mode) := {"host_surface": surface, "scheduler_owner": owner, "execution_mode": mode}

hosts := {
	"nobody": [{}, "any", "prompt.host.any"],
	"codex app": [by("codex_app_heartbeat"), "app", "prompt.host.app"],
	"codex alias": [{"codex_app": true}, "app", "prompt.host.app"],
	"trae": [{"trae_app": true}, "app", "prompt.host.app"],
	"local timer": [triple("local_scheduler", "host_automation", "hosted_automation"), "timer", "prompt.host.timer"],
	"controller": [by("outer_controller"), "controller", "prompt.host.controller"],
	"runtime": [by("ark_managed_agent_goal"), "runtime", "prompt.host.runtime"],
	"by hand": [triple("claude_code", "none", "interactive"), "manual", "prompt.host.manual"],
	"ssh": [by("codex_app_ssh_goal"), "goal", "prompt.host.goal"],
	"tui": [by("codex_cli"), "goal", "prompt.host.goal"],
	"claude": [by("claude_code"), "loop", "prompt.host.loop"],
	"shell": [by("generic_cli"), "loop", "prompt.host.loop"],
}

test_prompt_host[name] if {
	some name, case in hosts
	found := prompt(case[0], {})
	found.ok
	[found.host, found.host_rule] == [case[1], case[2]]
}

# every prompt, whatever its form and host
test_prompt_always[[name, form]] if {
	some name, case in hosts
	some form in settings.heartbeat_prompt.forms
	found := prompt(case[0], {"forms": [form]})
	found.form == form
	found.characters == count(found.text)
	every phrase in ["agent agent-a of LoopX goal g1", "quota should-run --goal-id g1 --agent-id agent-a", "--registry registry.json", "reset_token", "spend nothing"] {
		contains(found.text, phrase)
	}
	not regex.match(`\{[a-z]+\}`, found.text)
	found.rule == "prompt.ready"
}

test_prompt_form if {
	count({form | some form in settings.heartbeat_prompt.forms}) == 4
	prompt({}, {}).form == "thin"
	sizes := [prompt(by("codex_cli"), {"forms": [form]}).characters | some form in ["thin", "brief", "compact", "full"]]
	sizes == sort(sizes)
	prompt({}, {"forms": ["thin", "full"]}).rule == "prompt.forms"
}

test_prompt_parts if {
	found := prompt({}, {"material_rule": "The build turned red.", "permission_rule": "Ask Ann.", "active_state": "S.md"})
	found.parts == array.concat(settings.heartbeat_prompt.parts.thin, ["material", "permission", "state"])
	contains(found.text, "Material change: The build turned red.\nPermission: Ask Ann.\nThe state of the goal is in S.md.")
	full := prompt({}, {"forms": ["full"], "permission_rule": "Ask Ann."})
	full.parts == settings.heartbeat_prompt.parts.full
	contains(full.text, "The state of the goal is in goals/g1/ACTIVE_GOAL_STATE.md.")
	contains(full.text, settings.heartbeat_prompt.defaults.material_rule)
}

test_prompt_state_file_is_not_declared if {
	found := heartbeat_prompt.result with input as json.remove(facts({}, {"forms": ["full"]}), ["goal/state_file"])
	contains(found.text, settings.heartbeat_prompt.defaults.active_state)
}

test_prompt_guard if {
	found := prompt(object.union(by("claude_code"), {"turn_instance_id": "t1", "available_capabilities": ["network"]}), {"cli_bin": "/opt/loop x"})
	found.guard_argv == [
		"/opt/loop x", "--registry", "registry.json", "--runtime-root", "runtime", "--format", "json", "quota", "should-run",
		"--goal-id", "g1", "--agent-id", "agent-a", "--runtime-profile", "claude_code",
		"--available-capability", "network", "--turn-instance-id", "t1",
	]
	contains(found.text, "First run: '/opt/loop x' --registry registry.json")
}

test_prompt_context_args if {
	["--codex-app"] == heartbeat_prompt.context_args with input as facts({"codex_app": true}, {})
	["--trae-app"] == heartbeat_prompt.context_args with input as facts({"trae_app": true}, {})
	["--runtime-profile", "<profile>"] == heartbeat_prompt.context_args with input as facts({}, {})
	heartbeat_prompt.context_args with input as facts(triple("claude_code", "none", "interactive"), {}) == [
		"--host-surface", "claude_code", "--scheduler-owner", "none", "--execution-mode", "interactive",
	]
}

source(request) := argv[i + 1] if {
	argv := prompt(request, {}).spend_argv
	some i
	argv[i] == "--source"
}

test_prompt_spend if {
	source(by("codex_app_ssh_goal")) == "visible-goal"
	source({"trae_app": true}) == "heartbeat"
	source(by("outer_controller")) == "adapter"
}

# what each kind of host is told and what it is not
told := {
	"codex app": [by("codex_app_heartbeat"), ["scheduler_hint.codex_app", "automation_update", "ack_hint.cli_args", "failure_hint.cli_args"], ["app_automation"]],
	"trae": [by("trae_app"), ["scheduler_hint.app_automation", "automation_update", "leaves the automation active"], ["codex_app"]],
	"ssh": [by("codex_app_ssh_goal"), ["limits.codex_app_ssh_goal", "update_goal", "/goal resume"], ["automation_update", "LOOPX_TURN", "apply_needed"]],
	"tui": [by("codex_cli"), ["limits.codex_cli_tui", "hidden process"], ["automation_update"]],
	"claude": [by("claude_code"), ["limits.claude_code_loop", "run the guard once more"], ["automation_update"]],
	"shell": [by("generic_cli"), ["limits.local_scheduler"], ["automation_update"]],
}

test_prompt_text[[name, form]] if {
	some name, case in told
	some form in settings.heartbeat_prompt.forms
	found := prompt(case[0], {"forms": [form]})
	every phrase in case[1] { contains(found.text, phrase) }
	every phrase in case[2] { not contains(found.text, phrase) }
}

# a person is told in every form; a repeat may be left out only where the answer does not ask for it
test_prompt_text_tells_the_person[form] if {
	some form in settings.heartbeat_prompt.forms
	found := prompt(by("claude_code"), {"forms": [form]})
	contains(found.text, "when user_channel.notify is NOTIFY, tell the person")
	{part | some part in found.parts; part == "gate"} == {"gate" |
		contains(found.text, "repeat_until_resolved it is told every time; otherwise")
	}
}

test_prompt_text_keeps_braces_of_a_flag if {
	contains(prompt({}, {"agent_scope": "the {goal} part"}).text, "Your scope: the {goal} part.")
}

test_prompt_text_quotes_for_a_shell if {
	heartbeat_prompt.word("it's") == `'it'\''s'`
	heartbeat_prompt.word("a<b") == "'a<b'"
}

test_prompt_without_a_roster if {
	found := heartbeat_prompt.result with input as testing.facts({"request": {"command": "heartbeat-prompt", "codex_app": false}, "prompt": {"forms": []}})
	found.ok
	found.agent_id == null
	contains(found.text, "You are agent the only agent of LoopX goal g1")
	not contains(found.text, "--agent-id")
}

scope(n) := concat("", ["x" | some _ in numbers.range(1, n)])

# the longest scope that a remote Goal takes, and one character more
test_prompt_length if {
	room := 4000 - (prompt(by("codex_app_ssh_goal"), {"forms": ["full"], "agent_scope": "x"}).characters - 1)
	last := prompt(by("codex_app_ssh_goal"), {"forms": ["full"], "agent_scope": scope(room)})
	[last.ok, last.characters, last.max_characters] == [true, 4000, 4000]
	over := prompt(by("codex_app_ssh_goal"), {"forms": ["full"], "agent_scope": scope(room + 1)})
	[over.ok, over.rule, over.error.code] == [false, "prompt.length", "prompt_too_long"]
	contains(over.reason, "4001 characters")
	prompt(by("codex_cli"), {"forms": ["full"], "agent_scope": scope(room + 1)}).ok
}

test_prompt_forbidden if {
	found := prompt(by("codex_app_ssh_goal"), {"material_rule": "Set LOOPX_TURN first."})
	[found.rule, found.error.code] == ["prompt.forbidden", "prompt_forbidden_text"]
	not found.text
	prompt(by("codex_cli"), {"material_rule": "Set LOOPX_TURN first."}).ok
}

refusals := {
	"prompt.request": [{"runtime_profile": "nonsense"}, {}, "QUOTA_VALIDATION_FAILED"],
	"prompt.forms": [{}, {"forms": ["full", "brief"]}, "QUOTA_VALIDATION_FAILED"],
	"prompt.identity": [{"agent_id": "stranger"}, {}, "quota_agent_not_registered"],
	"prompt.agent": [{"agent_id": ""}, {}, "QUOTA_VALIDATION_FAILED"],
	"prompt.context": [{"host_surface": "codex_cli"}, {}, "scheduler_context_invalid"],
}

test_prompt_refused[rule] if {
	some rule, case in refusals
	found := prompt(case[0], case[1])
	[found.ok, found.rule, found.error.rule_id, found.error_code] == [false, rule, rule, case[2]]
	not found.text
}

test_prompt_goal if {
	found := heartbeat_prompt.result with input as json.remove(facts({}, {}), ["goal"])
	[found.rule, found.error_code] == ["prompt.goal", "goal_not_found"]
}

# two projects that differ in everything a goal can say of itself get the same text but for their ids
test_prompt_has_no_project_branch[form] if {
	some form in settings.heartbeat_prompt.forms
	one := prompt(by("codex_app_heartbeat"), {"forms": [form]})
	other := heartbeat_prompt.result with input as object.union(facts(by("codex_app_heartbeat"), {"forms": [form]}), {
		"request": {"goal_id": "zeta"},
		"goal": {
			"id": "zeta", "domain": "cooking", "write_scope": ["recipes/**"], "has_boundary": true, "adapter_kind": "other", "guards": ["g"],
			"quota": {"compute": 0}, "waiting_on": "controller", "state_file": "goals/zeta/ACTIVE_GOAL_STATE.md",
		},
		"todos": [testing.advancement("todo_x", {})],
	})
	replace(other.text, "zeta", "g1") == one.text
}

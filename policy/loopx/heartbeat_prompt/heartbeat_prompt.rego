# METADATA
# title: Heartbeat prompt
# description: |
#   The text that a host gives its agent at every wake-up: who it is, the guard it asks first, how it obeys the answer
#   and the scheduler hint, and what is free. It depends on the goal's id, its roster and its state file, on the host and
#   on the flags of the call. What a project allows stays in the answer of the guard, so no project has a prompt of its own.
# schemas:
#   - input: schema.facts.input
package loopx.heartbeat_prompt

import data.loopx.goal
import data.loopx.lib.compact
import data.loopx.lib.rank
import data.loopx.request
import data.loopx.scheduler_hint as host
import data.loopx.settings.heartbeat_prompt as settings

asked := input.prompt

# --- the host

# METADATA
# title: The caller named its host
# description: By a profile, an alias or a part of the triple.
default named := false

named if host.profile

named if count(host.context) > 0

# METADATA
# title: No host was named
# description: The prompt fits every host and asks for the profile; none is assumed.
# custom: {id: prompt.host.any}
# labels: {rule: prompt.host.any}
kind_row contains {"rank": 10, "value": "any", "rule": "prompt.host.any"} if not named

# METADATA
# title: An app whose timer is advised
# custom: {id: prompt.host.app}
# labels: {rule: prompt.host.app}
kind_row contains {"rank": 20, "value": "app", "rule": "prompt.host.app"} if host.app

# METADATA
# title: A local timer
# custom: {id: prompt.host.timer}
# labels: {rule: prompt.host.timer}
kind_row contains {"rank": 30, "value": "timer", "rule": "prompt.host.timer"} if host.owner == "host_automation"

# METADATA
# title: An outer controller
# custom: {id: prompt.host.controller}
# labels: {rule: prompt.host.controller}
kind_row contains {"rank": 40, "value": "controller", "rule": "prompt.host.controller"} if host.owner == "outer_controller"

# METADATA
# title: A goal runtime
# custom: {id: prompt.host.runtime}
# labels: {rule: prompt.host.runtime}
kind_row contains {"rank": 50, "value": "runtime", "rule": "prompt.host.runtime"} if host.owner == "goal_runtime"

# METADATA
# title: A command line that nobody schedules
# custom: {id: prompt.host.manual}
# labels: {rule: prompt.host.manual}
kind_row contains {"rank": 60, "value": "manual", "rule": "prompt.host.manual"} if host.owner == "none"

# METADATA
# title: A visible loop with a Goal of its own
# custom: {id: prompt.host.goal, settings: [heartbeat_prompt.goal_surfaces]}
# labels: {rule: prompt.host.goal}
kind_row contains {"rank": 70, "value": "goal", "rule": "prompt.host.goal"} if host.surface in settings.goal_surfaces

# METADATA
# title: Any other visible loop
# custom: {id: prompt.host.loop}
# labels: {rule: prompt.host.loop}
kind_row contains {"rank": 80, "value": "loop", "rule": "prompt.host.loop"}

kind := rank.winner(kind_row)

runtime := object.get(settings.runtimes, host.surface, settings.default_runtime)

# --- the form and its parts

# METADATA
# title: How long the prompt is
# description: Undefined when several forms are asked for at once.
# custom: {id: prompt.form, settings: [heartbeat_prompt.default_form]}
form := settings.default_form if count(asked.forms) == 0

form := asked.forms[0] if count(asked.forms) == 1

given := {part | some part, text in flag_texts; text != ""}

flag_texts := {
	"material": object.get(asked, "material_rule", ""),
	"permission": object.get(asked, "permission_rule", ""),
	"state": object.get(asked, "active_state", ""),
}

# METADATA
# title: The parts of the prompt in order
# description: Those of the form, then those that a flag asks for.
# custom: {id: prompt.parts, settings: [heartbeat_prompt.parts, heartbeat_prompt.asked_parts]}
parts := array.concat(of_form, [part | some part in settings.asked_parts; part in given; not part in of_form])

of_form := settings.parts[form]

# --- the words that are filled in

default agent := ""

agent := request.agent_id

state_file := object.get(input, ["goal", "state_file"], "")

or_default(text, _) := text if text != ""

or_default(text, name) := settings.defaults[name] if text == ""

cli := or_default(object.get(asked, "cli_bin", ""), "cli_bin")

scope_args := array.concat(["--goal-id", goal.id], [arg | agent != ""; some arg in ["--agent-id", agent]])

# METADATA
# title: How the guard is told about its host
# description: In the words of the caller, or with the profile left open.
# custom: {id: prompt.context_args}
context_args := array.flatten([
	[flag | some name, flag in {"codex_app": "--codex-app", "trae_app": "--trae-app"}; input.request[name]],
	[arg |
		some name in ["runtime_profile", "host_surface", "scheduler_owner", "execution_mode"]
		value := object.get(input.request, name, "")
		value != ""
		some arg in [sprintf("--%s", [replace(name, "_", "-")]), value]
	],
]) if {
	named
}

context_args := ["--runtime-profile", settings.defaults.profile] if not named

common_args := [cli, "--registry", input.route.registry, "--runtime-root", input.route.runtime_root]

capability_args := [arg | some capability in request.runtime_capabilities; some arg in ["--available-capability", capability]]

turn_args := [arg | some id in [request.turn_id]; some arg in ["--turn-instance-id", id]]

# METADATA
# title: The guard of this agent
# description: Bound to the exact registry and runtime root, which all goals and agents of a machine share.
# custom: {id: prompt.guard}
guard_argv := array.flatten([
	common_args,
	["--format", "json", "quota", "should-run"],
	scope_args,
	context_args,
	capability_args,
	turn_args,
])

# METADATA
# title: The spend of this agent
# description: What it runs once after validated work was written back.
# custom: {id: prompt.spend, settings: [heartbeat_prompt.sources]}
spend_argv := array.flatten([
	common_args,
	["quota", "spend-slot"],
	scope_args,
	["--source", settings.sources[kind.value]],
	turn_args,
	["--execute"],
])

shell(argv) := concat(" ", [word(arg) | some arg in argv])

# METADATA
# title: One word of a command line
# description: As it is when a shell takes it so, otherwise in single quotes. The open profile is for the reader to fill in.
word(arg) := arg if plain(arg)

word(arg) := sprintf("'%s'", [replace(arg, "'", `'\''`)]) if not plain(arg)

plain(arg) if regex.match(`^[A-Za-z0-9_./:=@%+,-]+$`, arg)

plain(arg) if arg == settings.defaults.profile

words := {
	"{agent}": or_default(agent, "agent_id"),
	"{goal}": goal.id,
	"{scope}": or_default(object.get(asked, "agent_scope", ""), "agent_scope"),
	"{state}": or_default(or_else(flag_texts.state, state_file), "active_state"),
	"{guard}": shell(guard_argv),
	"{spend}": shell(spend_argv),
	"{material}": or_default(flag_texts.material, "material_rule"),
	"{permission}": or_default(flag_texts.permission, "permission_rule"),
	"{runtime}": runtime,
	"{packet}": object.get(settings.packets, host.surface, ""),
	"{tool}": settings.tool,
	"{profiles}": concat(", ", sort(object.keys(data.loopx.settings.scheduler.profiles))),
}

or_else(text, _) := text if text != ""

or_else(text, other) := other if text == ""

# METADATA
# title: The text of a part
# description: What is filled in is not read again, so that braces in a flag stay as they are.
sentence("hint") := strings.replace_n(words, settings.text.hint[kind.value])

sentence(part) := strings.replace_n(words, settings.text[part]) if part != "hint"

# METADATA
# title: The prompt
# custom: {id: prompt.text}
text := concat("\n", [sentence(part) | some part in parts])

# --- whether it can be given

# METADATA
# title: The call itself is wrong
# custom: {id: prompt.request}
# labels: {rule: prompt.request}
outcome_row contains {"rank": 10, "rule": "prompt.request", "value": refused(error.error_code, error.reason)} if {
	error := request.refusal
}

# METADATA
# title: Several forms at once
# custom: {id: prompt.forms}
# labels: {rule: prompt.forms}
outcome_row contains {"rank": 20, "rule": "prompt.forms", "value": refused("QUOTA_VALIDATION_FAILED", settings.reasons.form)} if {
	not form
}

# METADATA
# title: No registry lists the goal
# custom: {id: prompt.goal}
# labels: {rule: prompt.goal}
outcome_row contains {"rank": 30, "rule": "prompt.goal", "value": refused("goal_not_found", reason)} if {
	not goal.registered
	reason := sprintf(settings.reasons.goal, [request.goal_id])
}

# METADATA
# title: The agent is not known
# custom: {id: prompt.identity}
# labels: {rule: prompt.identity}
outcome_row contains {"rank": 40, "rule": "prompt.identity", "value": refused(error.error_code, error.message)} if {
	error := request.identity_error
}

# METADATA
# title: A prompt of a team is for one agent
# description: Agents are registered and none was named.
# custom: {id: prompt.agent}
# labels: {rule: prompt.agent}
outcome_row contains {"rank": 50, "rule": "prompt.agent", "value": refused("QUOTA_VALIDATION_FAILED", reason)} if {
	agent == ""
	count(request.registered_agents) > 0
	reason := sprintf(settings.reasons.agent, [request.goal_id])
}

# METADATA
# title: The named host cannot be
# custom: {id: prompt.context}
# labels: {rule: prompt.context}
outcome_row contains {"rank": 60, "rule": "prompt.context", "value": refused("scheduler_context_invalid", reason)} if {
	named
	not host.context_valid
	reason := sprintf(settings.reasons.context, [concat("; ", sort({e.message | some e in host.context_errors}))])
}

# METADATA
# title: The text is longer than the host takes
# custom: {id: prompt.length, settings: [heartbeat_prompt.max_characters]}
# labels: {rule: prompt.length}
outcome_row contains {"rank": 70, "rule": "prompt.length", "value": refused("prompt_too_long", reason)} if {
	count(text) > limit
	reason := sprintf(settings.reasons.too_long, [count(text), host.surface, limit])
}

limit := settings.max_characters[host.surface]

# METADATA
# title: The text holds what this host must not be told
# custom: {id: prompt.forbidden, settings: [heartbeat_prompt.forbidden]}
# labels: {rule: prompt.forbidden}
outcome_row contains {"rank": 80, "rule": "prompt.forbidden", "value": refused("prompt_forbidden_text", reason)} if {
	found := [phrase | some phrase in settings.forbidden[host.surface]; contains(text, phrase)]
	count(found) > 0
	reason := sprintf(settings.reasons.forbidden, [host.surface, concat(", ", found)])
}

# METADATA
# title: The prompt can be given
# custom: {id: prompt.ready}
# labels: {rule: prompt.ready}
outcome_row contains {"rank": 90, "rule": "prompt.ready", "value": ready}

ready := compact.present({
	"ok": true,
	"reason": strings.replace_n({"{form}": form, "{count}": sprintf("%d", [count(text)])}, settings.reasons.ready),
	"form": form,
	"host": kind.value,
	"host_rule": kind.rule,
	"host_surface": surface_or_null,
	"parts": parts,
	"guard_argv": guard_argv,
	"spend_argv": spend_argv,
	"characters": count(text),
	"max_characters": object.get(settings.max_characters, host.surface, null),
	"text": text,
})

default surface_or_null := null

surface_or_null := host.surface if host.surface != ""

refused(code, reason) := {
	"ok": false,
	"reason": reason,
	"error_code": code,
}

outcome := rank.winner(outcome_row)

# METADATA
# title: The answer of heartbeat-prompt
# description: The document. Nothing is written and nothing is spent.
# entrypoint: true
# custom: {id: prompt.result}
result := object.union_n([
	outcome.value,
	{
		"mode": request.command,
		"goal_id": object.get(input.request, "goal_id", null),
		"agent_id": object.get(input.request, "agent_id", null),
		"rule": outcome.rule,
		"no_spend": true,
	},
	{"error": {"code": outcome.value.error_code, "rule_id": outcome.rule, "message": outcome.value.reason} | not outcome.value.ok},
])

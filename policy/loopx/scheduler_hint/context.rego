# METADATA
# title: Scheduler hint
# description: |
#   The wait policy for the runtime that consumes a decision. It branches on the interaction contract alone, besides
#   the pause and the host's execution context (INV-3); it permits no work and never spends.
# schemas:
#   - input: schema.facts.input
package loopx.scheduler_hint

import data.loopx.settings.scheduler

# METADATA
# title: The profile the caller named
# description: A runtime profile, or the one behind --codex-app or --trae-app. Never assumed.
# custom:
#   id: sched.ctx.profile
profile := input.request.runtime_profile

profile := scheduler.aliases.codex_app if input.request.codex_app

profile := scheduler.aliases.trae_app if input.request.trae_app

# METADATA
# title: The typed triple of the calling runtime
# description: Empty for a profile that nobody knows.
# custom:
#   id: sched.ctx.triple
default context := {}

context := scheduler.profiles[profile]

context := {field: value |
	some field, _ in scheduler.fields
	value := object.get(input.request, field, "")
	value != ""
} if {
	not profile
}

# METADATA
# title: A part of the triple is missing
# custom:
#   id: sched.ctx.missing
context_errors contains {"rule": "sched.ctx.missing", "field": field, "message": message} if {
	some field, _ in scheduler.fields
	not context[field]
	message := sprintf(scheduler.text.missing_field, [field])
}

# METADATA
# title: A part of the triple is not a known value
# custom:
#   id: sched.ctx.enum
context_errors contains {"rule": "sched.ctx.enum", "field": field, "message": message} if {
	some field, value in context
	not value in scheduler.fields[field]
	message := sprintf(scheduler.text.bad_field, [field])
}

# METADATA
# title: The parts of the triple contradict each other
# description: Every violated rule is reported; the text of each is a setting.
# custom:
#   id: sched.ctx.combination
context_errors contains {"rule": rule, "field": "combination", "message": scheduler.text.context_rules[rule]} if {
	some rule in context_violations
}

surface := object.get(context, "host_surface", "")

owner := object.get(context, "scheduler_owner", "")

mode := object.get(context, "execution_mode", "")

owned_by_host_timer if {
	owner == "host_automation"
	mode == "hosted_automation"
}

cli_surface if surface in scheduler.cli_surfaces

# METADATA
# title: App and local timers own their schedule
# custom:
#   id: sched.ctx.codex_app
context_violations contains "sched.ctx.codex_app" if {
	surface in scheduler.hosted_surfaces
	not owned_by_host_timer
}

# METADATA
# title: Only a managed agent runs under a goal runtime
# custom:
#   id: sched.ctx.ark
context_violations contains "sched.ctx.ark" if {
	"ark_managed_agent" == surface
	not goal_runtime_interactive
}

context_violations contains "sched.ctx.ark" if {
	owner == "goal_runtime"
	surface != "ark_managed_agent"
}

goal_runtime_interactive if {
	owner == "goal_runtime"
	mode == "interactive"
}

# METADATA
# title: The SSH goal is a visible loop
# custom:
#   id: sched.ctx.ssh
context_violations contains "sched.ctx.ssh" if {
	surface == "codex_app_ssh"
	not visible_loop
}

visible_loop if {
	owner == "agent_cli_loop"
	mode == "interactive"
}

# METADATA
# title: A host timer does not own a command line
# custom:
#   id: sched.ctx.cli
context_violations contains "sched.ctx.cli" if {
	cli_surface
	owner == "host_automation"
}

# METADATA
# title: An outer controller runs a headless command line
# custom:
#   id: sched.ctx.outer
context_violations contains "sched.ctx.outer" if {
	owner == "outer_controller"
	not headless_cli
}

headless_cli if {
	cli_surface
	mode == "isolated_headless"
}

# METADATA
# title: Nobody's schedule is an interactive command line
# custom:
#   id: sched.ctx.none
context_violations contains "sched.ctx.none" if {
	owner == "none"
	not interactive_cli
}

interactive_cli if {
	cli_surface
	mode == "interactive"
}

# METADATA
# title: An agent loop lives on a command line
# custom:
#   id: sched.ctx.loop
context_violations contains "sched.ctx.loop" if {
	owner == "agent_cli_loop"
	not loop_cli
}

loop_cli if {
	cli_surface
	mode != "hosted_automation"
}

# METADATA
# title: Hosted automation is owned by the host
# custom:
#   id: sched.ctx.hosted
context_violations contains "sched.ctx.hosted" if {
	mode == "hosted_automation"
	owner != "host_automation"
}

# METADATA
# title: The context can be trusted
context_valid if count(context_errors) == 0

# METADATA
# title: The app whose timer this hint advises
# description: Undefined for every other owner.
app := surface if {
	context_valid
	scheduler.state_keys[surface]
}

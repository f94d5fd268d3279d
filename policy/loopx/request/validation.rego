# Which requests cannot be answered, and the code of the refusal.
package loopx.request

import data.loopx.settings

all_details := settings.request.all_details

known_details := object.get(settings.request.details, command, [])

asked_details := {section |
	some raw in input.request.include_detail
	some section in split(raw, ",")
}

# METADATA
# title: Detail sections to add
# description: The known sections of this command that were asked for; `all` stands for every one.
detail := {section | some section in known_details; asked_details[section]} if not asked_details[all_details]

detail := {section | some section in known_details} if asked_details[all_details]

# METADATA
# title: No goal id
# description: Every command but status and plan is about one goal.
# custom:
#   id: args.goal_id
validation_errors contains problem("args.goal_id", "QUOTA_VALIDATION_FAILED", message) if {
	trim_space(goal_id) == ""
	not command in settings.request.goal_optional
	message := sprintf(settings.request.messages.goal_missing, [command])
}

# METADATA
# title: Goal id is no path segment
# description: A goal id names a directory, so it holds no separator and is neither . nor .. .
# custom:
#   id: args.goal_path
validation_errors contains problem("args.goal_path", "quota_invalid_arguments", message) if {
	regex.match(`^\.{1,2}$|[/\\]`, goal_id)
	message := sprintf(settings.request.messages.goal_path, [goal_id])
}

# METADATA
# title: Preview and execution at once
# custom:
#   id: args.dry_run
validation_errors contains problem("args.dry_run", "QUOTA_VALIDATION_FAILED", settings.request.messages.dry_run) if {
	input.request.dry_run
	input.request.execute
}

# METADATA
# title: Unknown detail section
# description: A section that this command does not have, or any section on a command without them.
# custom:
#   id: args.detail
validation_errors contains problem("args.detail", "QUOTA_VALIDATION_FAILED", message) if {
	some section in asked_details
	not section in known_details
	not detail_word(section)
	message := sprintf(settings.request.messages.detail, [command, section])
}

detail_word(section) if {
	section == all_details
	count(known_details) > 0
}

# METADATA
# title: Turn id on a command without turns
# custom:
#   id: args.turn_command
validation_errors contains problem("args.turn_command", "QUOTA_VALIDATION_FAILED", message) if {
	turn_id
	not command in settings.request.turn_commands
	message := sprintf(settings.request.messages.turn_command, [command])
}

# METADATA
# title: Turn id of the wrong form
# description: It names a line of the event log, so it is short and holds no space or quote.
# custom:
#   id: args.turn_id
#   settings: [request.turn_pattern]
validation_errors contains problem("args.turn_id", "QUOTA_VALIDATION_FAILED", settings.request.messages.turn_id) if {
	turn_id
	not regex.match(settings.request.turn_pattern, turn_id)
}

# METADATA
# title: Turn id without an agent
# custom:
#   id: args.turn_agent
validation_errors contains problem("args.turn_agent", "QUOTA_VALIDATION_FAILED", settings.request.messages.turn_agent) if {
	turn_id
	not asked_agent
}

# METADATA
# title: Turn id on a previewed guard
# description: A guard with a turn id commits its receipt, so it has no dry run.
# custom:
#   id: args.turn_dry_run
validation_errors contains problem("args.turn_dry_run", "QUOTA_VALIDATION_FAILED", message) if {
	turn_id
	command == "should-run"
	input.request.dry_run
	message := settings.request.messages.turn_dry_run
}

# METADATA
# title: Host context given twice
# description: Profile, app alias and host triple are three ways to say one thing.
# custom:
#   id: sched.ctx.args
validation_errors contains problem("sched.ctx.args", "QUOTA_VALIDATION_FAILED", settings.request.messages.context) if {
	count(context_ways) > 1
}

context_ways contains "profile" if input.request.runtime_profile != ""

context_ways contains "codex_app" if input.request.codex_app

context_ways contains "trae_app" if input.request.trae_app

context_ways contains "triple" if {
	some field in ["host_surface", "scheduler_owner", "execution_mode"]
	object.get(input.request, field, "") != ""
}

# METADATA
# title: The interval of the Codex App on another app
# description: What the Codex App runs says nothing of a Trae host.
# custom:
#   id: sched.ctx.rrule
validation_errors contains problem("sched.ctx.rrule", "QUOTA_VALIDATION_FAILED", settings.request.messages.rrule) if {
	input.request.codex_rrule
	trae_host
}

trae_host if input.request.trae_app

trae_host if input.request.runtime_profile == "trae_app"

trae_host if input.request.host_surface == "trae_app"

# METADATA
# title: Unknown runtime profile
# custom:
#   id: args.profile
#   settings: [scheduler.profiles]
validation_errors contains problem("args.profile", "QUOTA_VALIDATION_FAILED", message) if {
	profile_name := input.request.runtime_profile
	profile_name != ""
	not settings.scheduler.profiles[profile_name]
	message := sprintf(settings.request.messages.profile, [profile_name])
}

problem(rule, code, message) := {"rule": rule, "code": code, "message": message}

# METADATA
# title: Refusal of an unanswerable request
# description: |
#   {error_code, state, status, waiting_on?, reason, rule} of the first problem, the goal path before all others.
#   Undefined when the request holds.
# custom:
#   id: prec.args
refusal := object.union(settings.request.refusals[first.code], {
	"error_code": first.code,
	"reason": first.message,
	"rule": first.rule,
}) if {
	first := sort([[refusal_rank[p.code], p.rule, p] | some p in validation_errors])[0][2]
}

refusal_rank := {"quota_invalid_arguments": 0, "QUOTA_VALIDATION_FAILED": 1}

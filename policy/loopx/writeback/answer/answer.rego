# METADATA
# title: Answers of authoring commands
# description: |
#   What every command that changes goals, todos or records answers alike: refusals of a bad call, whether it is a
#   preview, and the document around an outcome. What a command may change is decided in its own package.
# schemas:
#   - input: schema.facts.input
package loopx.writeback.answer

import data.loopx.goal
import data.loopx.lib.compact
import data.loopx.request
import data.loopx.settings.answer as settings

# --- refusals before anything else

# METADATA
# title: The call itself is wrong
# custom: {id: write.request}
# labels: {rule: write.request}
row contains {"rank": 10, "rule": "write.request", "value": refused(error.error_code, error.reason)} if {
	error := request.refusal
}

# METADATA
# title: No registry lists the goal
# custom: {id: write.goal}
# labels: {rule: write.goal}
row contains {"rank": 20, "rule": "write.goal", "value": refused("goal_not_found", text)} if {
	not goal.registered
	text := sprintf(settings.text.goal, [request.goal_id])
}

# METADATA
# title: The caller is not known
# custom: {id: write.identity}
# labels: {rule: write.identity}
row contains {"rank": 30, "rule": "write.identity", "value": refused(error.error_code, error.message)} if {
	error := request.identity_error
}

# METADATA
# title: An argument would be written down and may not be public
# description: State files, records and registries are public state. Argument and class are named, never the text.
# custom: {id: write.public, settings: [safety.patterns]}
# labels: {rule: write.public}
row contains {"rank": 35, "rule": "write.public", "value": refused("private_text", text)} if {
	found := [sprintf("%s (%s)", [hit.argument, hit.class]) | some hit in input.write.private]
	count(found) > 0
	text := sprintf(settings.text.private, [concat(", ", found)])
}

# METADATA
# title: Time of a record
# description: Whole seconds in the offset of the caller (state-files.md 4.1).
now := request.at(request.now_ns)

# METADATA
# title: A refusal
# description: "{ok, error_code, reason}; nothing is written with it."
refused(code, reason) := {"ok": false, "error_code": code, "reason": reason}

# METADATA
# title: Arguments that no rule can act on
invalid(reason) := refused("QUOTA_VALIDATION_FAILED", reason)

default executes := false

executes := input.request.execute

# METADATA
# title: The answer and its effects
# description: |
#   outcome: {rule, value{ok, reason, error_code?, ...}}. effects: what the store does, shown as they are; a refusal
#   has none. fields: what the command answers besides. A preview differs only in dry_run and written (quota_write.preview).
# custom: {id: quota_write.preview}
result(outcome, effects, fields) := {
	"ok": outcome.value.ok,
	"document": document(outcome, effects, fields),
	"effects": effects,
}

document(outcome, effects, fields) := compact.present(object.union_n([
	outcome.value,
	fields,
	{
		"mode": mode,
		"goal_id": request.goal_id,
		"dry_run": previews,
		"changed": count(effects) > 0,
		"written": written(effects),
		"rule": outcome.rule,
		"effects": effects,
		"error": error(outcome),
	},
]))

mode := object.get(settings.modes, request.command, request.command)

previews := false if executes

previews if not executes

default written(_) := false

written(effects) if {
	executes
	count(effects) > 0
}

default error(_) := null

error(outcome) := {"code": outcome.value.error_code, "rule_id": outcome.rule, "message": outcome.value.reason} if {
	outcome.value.error_code
}

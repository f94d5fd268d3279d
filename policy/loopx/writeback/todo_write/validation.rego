# The command that a todo names, which passes before the todo is done.
package loopx.writeback.todo_write

import data.loopx.settings.todo_write as settings
import data.loopx.writeback.answer

# METADATA
# title: The stored validation passes first
# description: |
#   A todo that names a command is done when the command passed in this call. The refusal says what to run; a preview
#   runs nothing and is not held back.
# custom: {id: todo_write.validation, settings: [validation_timeout]}
# labels: {rule: todo_write.validation}
outcome_row contains {"rank": 158, "rule": "todo_write.validation", "value": value} if {
	wants_validation
	value := object.union(answer.refused("todo_validation_failed", validation_problem), {"validation": validation})
}

wants_validation if {
	completes
	answer.executes
	target.status != "done"
	asked.validation
	validation_problem
}

validated := asked.validated if {
	asked.validated.command == asked.validation.command
	object.get(asked.validated, "argv", "") == object.get(asked.validation, "argv", "")
}

validation := {
	"argv": argv,
	"timeout_seconds": timeout_seconds,
	"pending": pending,
	"stored": object.filter(asked.validation, ["command", "argv"]),
}

# a shell runs the text; a list of words is run as it is
default argv := []

argv := ["sh", "-c", asked.validation.command] if not asked.validation.argv

argv := words if {
	json.is_valid(asked.validation.argv)
	words := json.unmarshal(asked.validation.argv)
	is_array(words)
	count(words) > 0
	every word in words { is_string(word) }
}

timeout_seconds := to_number(asked.validation.timeout_seconds) if readable_timeout

timeout_seconds := settings.validation_timeout if not readable_timeout

readable_timeout if {
	regex.match(settings.fields.validation_timeout_seconds.pattern, asked.validation.timeout_seconds)
}

default pending := false

pending if {
	count(argv) > 0
	not validated
}

validation_problem := sprintf(settings.text.validation_argv, [target.id]) if count(argv) == 0

validation_problem := sprintf(settings.text.validation_missing, [target.id]) if pending

validation_problem := sprintf(settings.text.validation_start, [target.id, validated.failure]) if validated.failure

validation_problem := sprintf(settings.text.validation_late, [target.id, timeout_seconds]) if validated.timed_out

validation_problem := sprintf(settings.text.validation_failed, [target.id, validated.exit_code]) if {
	validated.exit_code != 0
	not validated.timed_out
	not validated.failure
}

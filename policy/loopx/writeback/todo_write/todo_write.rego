# METADATA
# title: Writing todos
# description: |
#   Answers todo add, claim, update, complete, supersede and archive-completed: which blocks of the state file change and
#   to what. A change that would leave a contract error on what it touches is refused. Reads the todos, the roster and
#   what the caller gives (input.write.todo); quota, runs and lanes may not enter.
# schemas:
#   - input: schema.facts.input
package loopx.writeback.todo_write

import data.loopx.lib.merge
import data.loopx.lib.rank
import data.loopx.request
import data.loopx.settings.todo_write as settings
import data.loopx.todos
import data.loopx.writeback.answer
import data.loopx.writeback.todo_fields as fields

default asked := {}

asked := input.write.todo

command := request.command

adds if command == "todo-add"

updates if command == "todo-update"

claims if command == "todo-claim"

completes if command == "todo-complete"

supersedes if command == "todo-supersede"

archives if command == "todo-archive-completed"

closes if command in settings.closing

targeted if command in settings.targeted

authors if command in settings.authoring

outcome_row contains row if some row in answer.row

# --- what is asked

target_id := lower(trim_space(object.get(asked, "todo_id", "")))

# METADATA
# title: The todo that the call names
# description: Undefined when the active sections have none of this id.
target := todos.by_id[target_id] if targeted

role := target.role

role := object.get(asked, "role", settings.default_role) if not targeted

given := fields.metadata(asked)

text := shortened(fields.collapse(object.get(asked, "text", "")))

shortened(line) := line if count(line) <= settings.text_limit

shortened(line) := concat("", [substring(line, 0, settings.text_limit - 1), "…"]) if count(line) > settings.text_limit

caller := request.agent_id

# --- what is done

# METADATA
# title: The projected todo is there already
# description: |
#   An open todo of the same role for the same capability and the same blocked todo. The projected command can be run as
#   often as one likes.
# custom: {id: todo_write.idempotent}
# labels: {rule: todo_write.idempotent}
outcome_row contains {"rank": 180, "rule": "todo_write.idempotent", "value": value} if {
	adds
	projected_twin
	value := {"ok": true, "reason": settings.text.projected, "already_exists": true, "edits": []}
}

# METADATA
# title: A todo with this text is there already
# description: Its metadata is brought up to date; a second block is not written.
# custom: {id: todo_write.exists}
# labels: {rule: todo_write.exists}
outcome_row contains {"rank": 190, "rule": "todo_write.exists", "value": value} if {
	adds
	twin
	differs
	value := {"ok": true, "reason": settings.text.exists_changed, "already_exists": true, "edits": change}
}

outcome_row contains {"rank": 191, "rule": "todo_write.exists", "value": value} if {
	adds
	twin
	not differs
	value := {"ok": true, "reason": settings.text.exists, "already_exists": true, "edits": []}
}

# METADATA
# title: The todo is done already
# custom: {id: todo_write.closed}
# labels: {rule: todo_write.closed}
outcome_row contains {"rank": 200, "rule": "todo_write.closed", "value": done(settings.text.closed, [])} if {
	closed_before
}

closed_before if {
	closes
	target.status == "done"
}

# METADATA
# title: The todo is like this already
# custom: {id: todo_write.same}
# labels: {rule: todo_write.same}
outcome_row contains {"rank": 210, "rule": "todo_write.same", "value": done(settings.text.same, [])} if {
	target
	not closes
	not differs
}

# METADATA
# title: The change is written
# description: |
#   One block with its marker, its keys and what they lose, then the follow-ups, then the next action when it was bound
#   to the closed todo. Everything else in the file stays as it is.
# custom: {id: todo_write.write}
# labels: {rule: todo_write.write}
outcome_row contains {"rank": 220, "rule": "todo_write.write", "value": done(settings.text[command], written_edits)} if {
	not archives
}

written_edits := array.concat(array.concat([edit | some edit in change], additions), rebound) if targeted

written_edits := additions if not targeted

# METADATA
# title: The oldest terminal todos go to the archive
# description: As many as there are too many. Standing user decisions are never moved.
# custom: {id: todo_write.archive}
# labels: {rule: todo_write.archive}
outcome_row contains {"rank": 230, "rule": "todo_write.archive", "value": value} if {
	count(archived) > 0
	value := done(settings.text.archived, [{"op": "archive", "todo_ids": archived}])
}

# METADATA
# title: Nothing to archive
# custom: {id: todo_write.archive.none}
# labels: {rule: todo_write.archive.none}
outcome_row contains {
	"rank": 240,
	"rule": "todo_write.archive.none",
	"value": done(settings.text.nothing_to_archive, []),
} if {
	archives
}

done(reason, list) := {"ok": true, "reason": reason, "edits": list}

# --- the answer

outcome := rank.winner(outcome_row)

edits := object.get(outcome.value, "edits", [])

effects := [
	{
		"kind": "edit_state",
		"goal_id": request.goal_id,
		"digest": input.state.sha256_16,
		"updated_at": answer.now,
		"edits": edits,
	},
	{"kind": "append_event", "goal_id": request.goal_id, "event": event, "required": false, "unique": false},
	{"kind": "sync_global", "goal_id": request.goal_id},
] if {
	count(edits) > 0
}

effects := [] if count(edits) == 0

event := object.union_n([
	{"event_kind": settings.events[command]},
	{"agent_id": caller | caller},
	{"todo_id": id | id := subject; not archives},
	{"status": after_status | not archives},
	{"run_id": request.turn_id | request.turn_id},
	{"details": object.union_n([
		{"role": role},
		{"successor_todo_ids": concat(",", sort(successor_ids)) | count(successor_ids) > 0},
		{"archived_count": count(archived) | archives},
	])},
])

# METADATA
# title: The answer and its effects
# description: "{ok, document, effects}. Effects are applied by the caller, and only when execution was asked for."
# entrypoint: true
# custom: {id: todo_write.result}
result := answer.result({"rule": outcome.rule, "value": shown}, effects, answered)

shown := {key: value | some key, value in outcome.value; key != "edits"}

default answered := {}

answered := merge.all([
	{"role": role, "agent_id": object.get(input.request, "agent_id", null)},
	{"todo_id": id | id := subject; not archives},
	{"todo_status": status_shown | not archives},
	{"before": held | count(edits) > 0; not archives},
	{"after": shown_writes | count(edits) > 0; not archives},
	{"successor_todo_ids": followers | closes},
	{"archived_todo_ids": archived | archives},
]) if {
	outcome.value.ok
}

# METADATA
# title: What follows the closed todo
# description: A todo that was closed before keeps the successors that it was closed with.
followers := sort(successor_ids) if not closed_before

followers := sort({id | some id in target.successor_todo_ids} | {id | id := target.superseded_by}) if closed_before

status_shown := after_status if count(edits) > 0

status_shown := present.status if count(edits) == 0

# METADATA
# title: What the written keys held
# description: Null for a new todo.
default held := null

held := object.filter(object.remove(present, ["updated_at"]), object.keys(writes) | {key | some key in removes})

shown_writes := object.union(
	object.remove(writes, ["updated_at"]),
	{key: null | some key in removes},
)

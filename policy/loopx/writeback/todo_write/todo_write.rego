# METADATA
# title: Writing todos
# description: |
#   Answers todo add, claim, update, complete, supersede and archive-completed: which blocks of the state file change and
#   to what. A change that would leave a contract error on what it touches is refused. Reads the todos, the roster and
#   what the caller gives (input.write.todo); quota, runs and lanes may not enter.
# schemas:
#   - input: schema.facts.input
package loopx.writeback.todo_write

import data.loopx.goal
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

# --- refusals that all commands share

# METADATA
# title: The state file cannot be used
# custom: {id: todo_write.state_file}
# labels: {rule: todo_write.state_file}
outcome_row contains {"rank": 60, "rule": "todo_write.state_file", "value": answer.refused("state_file_unusable", why)} if {
	not input.state.exists
	why := sprintf(settings.text.state_file, [request.goal_id])
}

# METADATA
# title: Todos that live in an event log
# custom: {id: todo_write.events}
# labels: {rule: todo_write.events}
outcome_row contains {"rank": 65, "rule": "todo_write.events", "value": answer.refused("state_event_sourced", why)} if {
	input.state.event_sourced
	why := sprintf(settings.text.events, [request.goal_id])
}

# METADATA
# title: No todo of this id
# custom: {id: todo_write.unknown}
# labels: {rule: todo_write.unknown}
outcome_row contains {"rank": 70, "rule": "todo_write.unknown", "value": answer.refused("todo_not_found", why)} if {
	targeted
	not target
	why := sprintf(settings.text.unknown, [request.goal_id, target_id])
}

# METADATA
# title: Two todos of this id
# custom: {id: todo_write.duplicate}
# labels: {rule: todo_write.duplicate}
outcome_row contains {"rank": 75, "rule": "todo_write.duplicate", "value": answer.refused("todo_ambiguous", why)} if {
	targeted
	some finding in input.findings
	finding.rule == "todo.id.duplicate"
	contains(finding.message, target.id)
	why := sprintf(settings.text.duplicate, [target.id])
}

# METADATA
# title: A role is agent or user
# custom: {id: todo_write.role}
# labels: {rule: todo_write.role}
outcome_row contains {"rank": 80, "rule": "todo_write.role", "value": answer.invalid(why)} if {
	not role in ["agent", "user"]
	not targeted
	why := sprintf(settings.text.role, [role])
}

# METADATA
# title: A todo has a text
# custom: {id: todo_write.text}
# labels: {rule: todo_write.text}
outcome_row contains {"rank": 85, "rule": "todo_write.text", "value": answer.invalid(settings.text.text)} if {
	adds
	text == ""
}

# METADATA
# title: The status is a known word
# custom: {id: todo_write.status, settings: [statuses]}
# labels: {rule: todo_write.status}
outcome_row contains {"rank": 90, "rule": "todo_write.status", "value": answer.invalid(why)} if {
	words := settings.statuses[command]
	asked.status
	not lower(asked.status) in words
	why := sprintf(settings.text.status, [asked.status, concat(", ", words)])
}

# METADATA
# title: A value that its key cannot hold
# custom: {id: todo_write.field, settings: [fields, lists, times]}
# labels: {rule: todo_write.field}
outcome_row contains {"rank": 95, "rule": "todo_write.field", "value": answer.invalid(why)} if {
	first := fields.unusable(asked)[0]
	why := sprintf(settings.text.field, first)
}

# METADATA
# title: A todo that is named exists
# description: A condition, a successor or a blocked todo that nobody has would wait or point nowhere for ever.
# custom: {id: todo_write.target, settings: [references]}
# labels: {rule: todo_write.target}
outcome_row contains {"rank": 100, "rule": "todo_write.target", "value": answer.refused("todo_not_found", why)} if {
	missing := sort({[key, id] | some key, named in references; some id in named; not known(id)})
	first := missing[0]
	why := sprintf(settings.text.target, [first[0], first[1], request.goal_id])
}

outcome_row contains {"rank": 101, "rule": "todo_write.target", "value": answer.invalid(why)} if {
	some key, named in references
	target.id in named
	why := sprintf(settings.text.self, [target.id, key])
}

references[key] := {given[key]} if some key in settings.references

references["successor_todo_ids"] := {id | some id in split(given.successor_todo_ids, ",")}

references["resume_when"] := {trim_prefix(given.resume_when, "todo_done:")} if startswith(given.resume_when, "todo_done:")

known(id) if todos.by_id[id]

known(id) if {
	some archived in input.archived_done
	archived.id == id
}

# --- who may change it

# METADATA
# title: Several agents, and none is named
# custom: {id: todo_write.agent}
# labels: {rule: todo_write.agent}
outcome_row contains {"rank": 105, "rule": "todo_write.agent", "value": answer.invalid(why)} if {
	completes
	goal.multi_agent
	not caller
	why := sprintf(settings.text.agent, [request.goal_id, command])
}

# METADATA
# title: Another agent holds the todo
# description: Named by its id, or by a text that is there already.
# custom: {id: todo_write.holder}
# labels: {rule: todo_write.holder}
outcome_row contains {"rank": 110, "rule": "todo_write.holder", "value": answer.refused("todo_claimed", why)} if {
	agent := acting
	holder := changed_block.claimed_by
	holder != agent
	why := sprintf(settings.text.holder, [changed_block.id, holder, agent])
}

# METADATA
# title: The agent that acts on the todo
# description: A claim is made for the agent that it names, everything else by the caller; an addition without a caller is the claimant's.
acting := claimant if claims

acting := caller if not claims

acting := given.claimed_by if {
	adds
	not caller
}

changed_block := target

changed_block := twin if {
	twin
	not projected_twin
	differs
}

claimant := given.claimed_by

claimant := caller if not given.claimed_by

# METADATA
# title: The todo excludes the agent
# custom: {id: todo_write.excluded}
# labels: {rule: todo_write.excluded}
outcome_row contains {"rank": 115, "rule": "todo_write.excluded", "value": answer.refused("todo_agent_excluded", why)} if {
	some agent in changed_block.excluded_agents
	agent == acting
	why := sprintf(settings.text.excluded, [changed_block.id, agent])
}

# METADATA
# title: Who claims, and what
# description: An agent todo that is open, for a registered agent.
# custom: {id: todo_write.claimant}
# labels: {rule: todo_write.claimant}
outcome_row contains {"rank": 120, "rule": "todo_write.claimant", "value": answer.invalid(settings.text.claim_none)} if {
	claims
	not claimant
}

outcome_row contains {"rank": 121, "rule": "todo_write.claimant", "value": answer.invalid(settings.text.claim_user)} if {
	wants_claim
	role == "user"
}

outcome_row contains {"rank": 122, "rule": "todo_write.claimant", "value": answer.refused("quota_agent_not_registered", why)} if {
	wants_claim
	not claimant in goal.agents
	roster_needed
	why := sprintf(settings.text.claim_unregistered, [claimant, request.goal_id])
}

outcome_row contains {"rank": 123, "rule": "todo_write.claimant", "value": answer.refused("todo_closed", why)} if {
	claims
	target.status in settings.terminal
	why := sprintf(settings.text.claim_closed, [target.id, target.status])
}

wants_claim if claims

wants_claim if given.claimed_by

# a goal without a roster knows no agents to check a name against
roster_needed if claims

roster_needed if count(goal.agents) > 0

# --- what a todo must say

# METADATA
# title: A user todo has a user class
# custom: {id: todo_write.user_class, settings: [user_classes]}
# labels: {rule: todo_write.user_class}
outcome_row contains {"rank": 125, "rule": "todo_write.user_class", "value": answer.invalid(settings.text.user_class)} if {
	authors
	opens
	role == "user"
	not object.get(after, "task_class", "") in settings.user_classes
}

# METADATA
# title: A user todo of a team is bound
# description: |
#   To a registered agent, to the goal, or by a gate that blocks one agent or all. The caller's own lane is bound when
#   nothing else is said, and a gate binds to the agent that it blocks. An agent todo is claimed and not bound.
# custom: {id: todo_write.bind, settings: [user_keys]}
# labels: {rule: todo_write.bind}
outcome_row contains {"rank": 130, "rule": "todo_write.bind", "value": answer.invalid(why)} if {
	authors
	opens
	role == "user"
	goal.multi_agent
	not bound(after)
	why := sprintf(settings.text.bind, [request.goal_id])
}

outcome_row contains {"rank": 131, "rule": "todo_write.bind", "value": answer.invalid(why)} if {
	authors
	blocked := given.blocks_agent
	given.bound_agent != blocked
	why := sprintf(settings.text.bind_blocks, [blocked, given.bound_agent])
}

outcome_row contains {"rank": 132, "rule": "todo_write.bind", "value": answer.invalid(why)} if {
	authors
	role == "agent"
	some key in settings.user_keys
	given[key] != "false"
	why := sprintf(settings.text.bind_agent, [key])
}

bound(todo) if todo.bound_agent in goal.agents

bound(todo) if todo.goal_bound

bound(todo) if {
	todo.task_class == settings.gate_class
	todo.global_gate
}

# METADATA
# title: A monitor ends some day
# custom: {id: todo_write.monitor_bound, settings: [monitor_bounds]}
# labels: {rule: todo_write.monitor_bound}
outcome_row contains {"rank": 135, "rule": "todo_write.monitor_bound", "value": answer.invalid(settings.text.monitor_bound)} if {
	authors
	opens
	after.task_class == settings.monitor_class
	count(object.filter(after, settings.monitor_bounds)) == 0
	not after.watch_only
}

opens if not after_status in settings.terminal

# METADATA
# title: An end without a follow-up says why
# custom: {id: todo_write.no_followup}
# labels: {rule: todo_write.no_followup}
outcome_row contains {"rank": 140, "rule": "todo_write.no_followup", "value": answer.invalid(settings.text.no_followup)} if {
	asked.no_followup
	count(object.filter(given, ending_words)) == 0
}

ending_words := ["note", "evidence", "reason"] if updates

ending_words := ["note", "evidence"] if not updates

# METADATA
# title: A decision belongs to a gate
# custom: {id: todo_write.outcome}
# labels: {rule: todo_write.outcome}
outcome_row contains {"rank": 145, "rule": "todo_write.outcome", "value": answer.invalid(settings.text.outcome)} if {
	given.decision_outcome
	object.get(target, "task_class", "") != settings.gate_class
}

# METADATA
# title: A merge without review shows its evidence
# custom: {id: todo_write.self_merged}
# labels: {rule: todo_write.self_merged}
outcome_row contains {"rank": 150, "rule": "todo_write.self_merged", "value": answer.invalid(settings.text.self_merged)} if {
	asked.self_merged
	not given.evidence
}

# METADATA
# title: One continuation
# description: No follow-up and a successor exclude each other, and what supersedes a todo has to be named.
# custom: {id: todo_write.continuation}
# labels: {rule: todo_write.continuation}
outcome_row contains {"rank": 155, "rule": "todo_write.continuation", "value": answer.invalid(settings.text.both)} if {
	asked.no_followup
	count(successor_ids) > 0
}

outcome_row contains {"rank": 156, "rule": "todo_write.continuation", "value": answer.invalid(settings.text.supersede)} if {
	supersedes
	count(successor_ids) == 0
}

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

# METADATA
# title: A follow-up is complete
# description: A user todo with its class, routing only with an agent todo, and values that their keys can hold.
# custom: {id: todo_write.follow_up}
# labels: {rule: todo_write.follow_up}
outcome_row contains {"rank": 160, "rule": "todo_write.follow_up", "value": answer.invalid(settings.text.next_class)} if {
	object.get(next, "user_text", "") != ""
	not next_class in settings.user_classes
}

outcome_row contains {"rank": 160, "rule": "todo_write.follow_up", "value": answer.invalid(settings.text.next_class)} if {
	next.user_class
	object.get(next, "user_text", "") == ""
}

outcome_row contains {"rank": 161, "rule": "todo_write.follow_up", "value": answer.invalid(settings.text.next_agent)} if {
	count(object.get(next, "fields", {})) + count(object.get(next, "lists", {})) > 0
	object.get(next, "agent_text", "") == ""
}

outcome_row contains {
	"rank": 161,
	"rule": "todo_write.follow_up",
	"value": answer.refused("quota_agent_not_registered", why),
} if {
	holder := fields.metadata(next).claimed_by
	count(goal.agents) > 0
	not holder in goal.agents
	why := sprintf(settings.text.claim_unregistered, [holder, request.goal_id])
}

outcome_row contains {"rank": 162, "rule": "todo_write.follow_up", "value": answer.invalid(why)} if {
	first := fields.unusable(next)[0]
	why := sprintf(settings.text.next_field, first)
}

# METADATA
# title: The change would leave a contract error
# description: On a todo that the call touches, and one that was not there before. The message names the command that mends it.
# custom: {id: todo_write.contract}
# labels: {rule: todo_write.contract}
outcome_row contains {"rank": 165, "rule": "todo_write.contract", "value": answer.refused("todo_contract", why)} if {
	new := sort({error.message | some error in errors_after; error.todo_id in touched})
	why := sprintf(settings.text.contract, [new[0]])
}

errors_after := found - todos.contract_errors if {
	found := todos.contract_errors with input.todos as todos_after
}

# METADATA
# title: Nothing is asked of an update
# custom: {id: todo_write.nothing}
# labels: {rule: todo_write.nothing}
outcome_row contains {"rank": 170, "rule": "todo_write.nothing", "value": answer.invalid(settings.text.nothing)} if {
	updates
	count(given) + count(object.get(asked, "clear", [])) == 0
	not asked.status
	not asked.no_followup
	text == ""
}

# METADATA
# title: How many terminal todos stay
# custom: {id: todo_write.max}
# labels: {rule: todo_write.max}
outcome_row contains {"rank": 171, "rule": "todo_write.max", "value": answer.invalid(why)} if {
	archives
	not regex.match(settings.whole, most_text)
	why := sprintf(settings.text.max, [most_text])
}

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
	{"successor_todo_ids": sort(successor_ids) | closes},
	{"archived_todo_ids": archived | archives},
]) if {
	outcome.value.ok
}

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

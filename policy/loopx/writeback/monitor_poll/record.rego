# What a poll leaves behind: the run, the todo's new schedule, follow-ups and the answer.
package loopx.writeback.monitor_poll

import data.loopx.goal
import data.loopx.lib.hash
import data.loopx.request
import data.loopx.settings.poll as settings
import data.loopx.todos
import data.loopx.writeback.answer
import data.loopx.writeback.guard
import data.loopx.writeback.todo_fields as fields

# --- the target of the poll

default action := ""

action := substring(guard.turn.recommended_action, 0, settings.action_limit)

# METADATA
# title: Public identity of what was watched
# description: The hash covers goal, agent, mode, action and its summary, and no text that is private.
# custom: {id: poll.target, sets: [monitor_target]}
monitor_target := object.union(guard.author, {
	"schema_version": "quota_monitor_target_v0",
	"target_id": hash.short(
		{
			"agent_id": object.get(guard.author, "agent_id", ""),
			"effective_action": before.effective_action,
			"frontier_identity": "",
			"goal_id": request.goal_id,
			"monitor_mode": mode,
			"action_summary": action,
		},
		16,
	),
	"monitor_mode": mode,
	"effective_action": before.effective_action,
	"action_summary": action,
})

# --- the watched todo

schedule := object.union_n([
	{
		"last_checked_at": guard.generated_at,
		"result_hash": ask.result_hash,
		"consecutive_no_change": sprintf("%d", [consecutive_no_change]),
		"material_change": sprintf("%v", [material]),
		"updated_at": guard.generated_at,
	},
	{"next_due_at": next_due_at | next_due_at},
	object.filter(ask, ["cadence"]),
])

# --- follow-ups

successor_key := concat(":", [settings.successor_prefix, target, substring(crypto.sha256(ask.result_hash), 0, 16)])

follow_ups := [object.union(found, {"role": role}) |
	some role in ["agent", "user"]
	found := follow_up[role]
]

follow_up["agent"] := {
	"text": worded(ask.next_agent_todo),
	"metadata": object.union_n([
		{
			"task_class": settings.agent_class,
			"unblocks_todo_id": target,
			"target_key": successor_key,
		},
		fields.metadata(route_metadata),
	]),
}

# METADATA
# title: A follow-up inherits the priority
# description: It follows from what was watched, unless its text says how important it is.
# custom: {id: poll.follow_up_priority}
worded(text) := text if own_priority(text)

worded(text) := sprintf("[%s] %s", [monitor.priority, text]) if not own_priority(text)

own_priority(text) if regex.match(`^\[[Pp][0-4]`, text)

own_priority(_) if not monitor.priority

# METADATA
# title: A follow-up of the user
# description: A gate blocks and an action only reminds; both are bound where a goal has several agents.
# custom: {id: poll.user_follow_up}
follow_up["user"] := {
	"text": worded(ask.next_user_todo),
	"metadata": object.union(
		{"task_class": ask.next_user_task_class, "unblocks_todo_id": target},
		bound,
	),
}

bound := {} if count(goal.agents) < 2

bound := binding[ask.next_user_task_class] if count(goal.agents) >= 2

binding["user_action"] := {"bound_agent": request.agent_id}

binding["user_gate"] := {"bound_agent": request.agent_id, "blocks_agent": request.agent_id}

bound := {"goal_bound": "true"} if {
	count(goal.agents) >= 2
	not request.agent_id
}

# A change that was written before is not written again.
present(next) := [id |
	some id, todo in todos.by_id
	not id in todos.done
	todo.role == next.role
	todo.text == next.text
	todo.unblocks_todo_id == target
][0]

section(role) := object.get(input.state, concat("_", [role, "section"]), settings.sections[role])

index(role) := count([todo | some todo in input.todos; todo.role == role]) + 1

# METADATA
# title: Id of a follow-up
# description: That of its place and text (state-files.md 3.6), or of a later place when another todo has that id.
new_id(next) := [id |
	some later in numbers.range(0, 9)
	place := [next.role, section(next.role), format_int(index(next.role) + later, 10), next.text]
	id := concat("", ["todo_", substring(crypto.sha1(concat("|", place)), 0, 12)])
	not id in todos.ids
	not id in {todo.id | some todo in input.archived_done}
][0]

successors := [object.union(next, {"todo_id": id, "exists": exists}) |
	some next in follow_ups
	exists := count([id | id := present(next)]) > 0
	id := object.get({true: [id | id := present(next)], false: [new_id(next)]}, exists, [])[0]
]

added := [{
	"op": "add",
	"role": next.role,
	"text": next.text,
	"marker": " ",
	"metadata": object.union(next.metadata, {
		"todo_id": next.todo_id,
		"status": "open",
		"updated_at": guard.generated_at,
	}),
} |
	some next in successors
	not next.exists
]

edits := array.concat([{"op": "edit", "todo_id": target, "set": schedule}], added)

# --- the run

summary := object.get(ask, "reason_summary", settings.text[kind])

watched_fields := object.union_n([
	named,
	{"todo_id": target},
	object.filter(monitor, ["target_key"]),
]) if {
	target
}

watched_fields := named if not target

writeback := {
	"schema_version": "monitor_poll_todo_writeback_v0",
	"dry_run": false,
	"goal_id": request.goal_id,
	"todo_id": target,
	"target_key": object.get(watched_fields, "target_key", null),
	"result_hash": ask.result_hash,
	"material_change": material,
	"consecutive_no_change": consecutive_no_change,
	"last_checked_at": guard.generated_at,
	"next_due_at": object.get(schedule, "next_due_at", null),
	"cadence": object.get(ask, "cadence", object.get(monitor, "cadence", null)),
	"successor_receipts": [{"todo_id": next.todo_id, "role": next.role, "already_exists": next.exists} | some next in successors],
}

successor_ids := [next.todo_id | target; some next in successors]

row := object.union_n([
	guard.author,
	guard.turn_field,
	watched_fields,
	object.filter(ask, ["result_hash"]),
	{
		"generated_at": guard.generated_at,
		"goal_id": request.goal_id,
		"classification": settings.record.classification,
		"recommended_action": recommended_action,
		"health_check": settings.record.health_check,
		"delivery_outcome": settings.outcomes[kind],
		"monitor_target": monitor_target,
	},
	{"material_change": true | material},
	{"successor_todo_ids": successor_ids | count(successor_ids) > 0},
])

recommended_action := action if action != ""

recommended_action := settings.record.recommended_action if action == ""

record := object.union(
	object.remove(row, ["todo_id", "target_key", "result_hash", "material_change", "successor_todo_ids"]),
	{"monitor_event": monitor_event},
)

monitor_event := object.union_n([
	guard.author,
	guard.turn_field,
	{
		"event_type": settings.record.classification,
		"source": source,
		"monitor_mode": mode,
		"monitor_target": monitor_target,
		"reason_summary": summary,
		"material_change": material,
		"todo_id": object.get(watched_fields, "todo_id", null),
		"target_key": object.get(watched_fields, "target_key", null),
		"result_hash": object.get(ask, "result_hash", null),
		"before": before,
	},
	{"todo_writeback": writeback | target},
])

markdown := array.concat([settings.record.title, ""], [line |
	some [name, value] in [
		["goal", request.goal_id],
		["agent", object.get(guard.author, "agent_id", "-")],
		["todo", object.get(watched_fields, "todo_id", "-")],
		["mode", mode],
		["material change", material],
		["reason", summary],
	]
	line := sprintf("- %s: %v", [name, value])
])

default effects := []

# METADATA
# title: The todo, the run and its event
# custom: {id: poll.effects}
effects := array.concat([edit_effect | target], run_effects) if accepted

edit_effect := {
	"kind": "edit_state",
	"goal_id": request.goal_id,
	"digest": input.state.sha256_16,
	"updated_at": guard.generated_at,
	"edits": edits,
}

run_effects := [
	{
		"kind": "append_run",
		"goal_id": request.goal_id,
		"suffix": settings.record.suffix,
		"generated_at": guard.generated_at,
		"record": record,
		"row": row,
		"markdown": markdown,
	},
	{
		"kind": "append_event",
		"goal_id": request.goal_id,
		"required": false,
		"unique": is_string(object.get(guard.turn_field, "turn_instance_id", null)),
		"event": object.union_n([
			guard.author,
			object.filter(watched_fields, ["todo_id"]),
			{
				"event_kind": settings.record.event_kind,
				"status": settings.record.status,
				"classification": settings.record.classification,
				"delivery_outcome": settings.outcomes[kind],
				"details": object.union_n([
					guard.turn_field,
					object.filter(watched_fields, ["target_key"]),
					object.filter(ask, ["result_hash"]),
					{"monitor_mode": mode, "material_change": material, "source": source},
				]),
			},
			{"run_id": id | id := guard.turn_field.turn_instance_id},
		]),
	},
]

# --- the answer

# METADATA
# title: The answer and its effects
# description: "{ok, document, effects}. Effects are applied by the caller, and only when execution was asked for."
# entrypoint: true
# custom: {id: poll.result}
result := {"ok": outcome.value.ok, "document": document, "effects": effects}

document := object.union_n([
	{
		"mode": request.command,
		"goal_id": request.goal_id,
		"source": source,
		"dry_run": dry_run,
		"appended": appended,
		"replayed": false,
		"no_spend": true,
		"material_change": material,
		"todo_id": object.get(watched_fields, "todo_id", null),
		"target_key": object.get(watched_fields, "target_key", null),
		"rule": outcome.rule,
	},
	outcome.value,
	guard.author,
	guard.turn_field,
	{"before": before | before},
	accepted_fields,
	replayed_fields,
	{"error": {"code": outcome.value.error_code, "rule_id": outcome.rule, "message": outcome.value.reason} |
		outcome.value.ok == false
	},
])

dry_run := false if answer.executes

dry_run if not answer.executes

default appended := false

appended if {
	accepted
	answer.executes
}

default accepted_fields := {}

# METADATA
# title: What was recorded
# description: A poll spends nothing, so the decision after it differs by nothing that a poll could change.
# custom: {id: poll.after, sets: [after]}
accepted_fields := object.union_n([
	{
		"after": before,
		"monitor_mode": mode,
		"monitor_target": monitor_target,
		"delivery_outcome": settings.outcomes[kind],
		"successor_todo_ids": successor_ids,
		"reason_summary": summary,
	},
	{"todo_writeback": object.union(writeback, {"dry_run": dry_run}) | target},
	{"decisions": {"guard": allowed_by, "lane": object.get(lane, "obligation", null)} | "decisions" in request.detail},
]) if {
	accepted
}

default replayed_fields := {}

replayed_fields := object.union(
	{"after": before, "successor_todo_ids": object.get(recorded, "successor_todo_ids", [])},
	object.filter(recorded, ["generated_at", "json_path", "markdown_path"]),
) if {
	outcome.rule == "poll.replay"
}

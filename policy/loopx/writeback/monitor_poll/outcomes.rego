# The table of outcomes: when a poll is refused, replayed and accepted.
package loopx.writeback.monitor_poll

import data.loopx.capability_gate
import data.loopx.goal
import data.loopx.lib.rank
import data.loopx.request
import data.loopx.settings.poll as settings
import data.loopx.writeback.answer
import data.loopx.writeback.guard
import data.loopx.writeback.todo_fields as fields

# --- refusals

# METADATA
# title: Unknown source
# custom: {id: poll.source, settings: [poll.sources]}
# labels: {rule: poll.source}
outcome_row contains {"rank": 40, "rule": "poll.source", "value": answer.invalid(text)} if {
	not source in settings.sources
	text := sprintf(settings.text.source, [source, concat(", ", settings.sources)])
}

# METADATA
# title: A change of nothing
# description: A material change names no todo and no target.
# custom: {id: poll.material_target}
# labels: {rule: poll.material_target}
outcome_row contains {"rank": 50, "rule": "poll.material_target", "value": answer.invalid(settings.text.material_target)} if {
	material
	count(named) == 0
}

# METADATA
# title: A follow-up of nothing
# custom: {id: poll.next_requires_material}
# labels: {rule: poll.next_requires_material}
outcome_row contains {"rank": 60, "rule": "poll.next_requires_material", "value": value} if {
	not material
	some key in ["next_agent_todo", "next_user_todo"]
	ask[key]
	value := answer.invalid(settings.text.next_requires_material)
}

# METADATA
# title: Route of a follow-up that is not there
# custom: {id: poll.agent_route}
# labels: {rule: poll.agent_route}
outcome_row contains {"rank": 70, "rule": "poll.agent_route", "value": answer.invalid(text)} if {
	not ask.next_agent_todo
	routes := [key | some key in route_keys; ask[key]]
	count(routes) > 0
	text := sprintf(settings.text.agent_route, [replace(concat("", ["--", routes[0]]), "_", "-")])
}

route_keys := [
	"next_action_kind", "next_task_repository", "next_required_capabilities", "next_continuation_policy",
	"next_target_key", "next_claimed_by",
]

# METADATA
# title: A follow-up of the user without its class
# description: A blocking decision or a reminder that does not block; or a class without the follow-up.
# custom: {id: poll.user_class, settings: [poll.user_classes]}
# labels: {rule: poll.user_class}
outcome_row contains {"rank": 80, "rule": "poll.user_class", "value": answer.invalid(text)} if {
	ask.next_user_todo
	not object.get(ask, "next_user_task_class", "") in settings.user_classes
	text := sprintf(settings.text.user_class, [concat(", ", settings.user_classes)])
}

outcome_row contains {"rank": 80, "rule": "poll.user_class", "value": answer.invalid(text)} if {
	ask.next_user_task_class
	not ask.next_user_todo
	text := sprintf(settings.text.user_class, [concat(", ", settings.user_classes)])
}

# METADATA
# title: A follow-up that could not be read back
# description: A route in a form that no reader of the state file takes, or an agent that is not registered.
# custom: {id: poll.next_fields, settings: [todo_write.fields, todo_write.lists]}
# labels: {rule: poll.next_fields}
outcome_row contains {"rank": 90, "rule": "poll.next_fields", "value": answer.invalid(text)} if {
	[key, given] := fields.unusable(route_metadata)[0]
	text := sprintf(settings.text.next_fields, [given, key])
}

outcome_row contains {"rank": 90, "rule": "poll.next_fields", "value": answer.invalid(text)} if {
	agent := fields.metadata(route_metadata).claimed_by
	not agent in goal.agents
	text := sprintf(settings.text.next_agent, [agent, request.goal_id])
}

# METADATA
# title: Route of the agent's follow-up
route_metadata := object.union(
	{
		"fields": {key: ask[given] |
			some key, given in {
				"action_kind": "next_action_kind",
				"task_repository": "next_task_repository",
				"continuation_policy": "next_continuation_policy",
				"target_key": "next_target_key",
				"claimed_by": "next_claimed_by",
			}
			ask[given]
		},
		"lists": {"required_capabilities": list | list := ask.next_required_capabilities},
	},
	{"repository": repository | repository := ask.next_repository},
)

# METADATA
# title: A schedule that cannot be read
# custom: {id: poll.schedule}
# labels: {rule: poll.schedule}
outcome_row contains {"rank": 100, "rule": "poll.schedule", "value": answer.invalid(text)} if {
	some given, read in {"cadence": "cadence_seconds", "next_due_at": "next_due_ns"}
	ask[given]
	not ask[read]
	text := sprintf(settings.text.schedule, [ask[given]])
}

# METADATA
# title: The record would publish private text
# custom: {id: poll.public, settings: [poll.summary_limit, safety.patterns]}
# labels: {rule: poll.public}
outcome_row contains {"rank": 110, "rule": "poll.public", "value": answer.refused("quota_event_private", text)} if {
	count(ask.private) > 0
	text := sprintf(settings.text.private, [concat(", ", ask.private)])
}

outcome_row contains {"rank": 110, "rule": "poll.public", "value": answer.refused("quota_event_private", text)} if {
	count(ask.reason_summary) > settings.summary_limit
	text := sprintf(settings.text.summary_long, [settings.summary_limit])
}

# METADATA
# title: The turn recorded something else
# custom: {id: poll.conflict, covers: [poll.replay]}
# labels: {rule: poll.conflict}
outcome_row contains {"rank": 120, "rule": "poll.conflict", "value": value} if {
	request.turn_id
	recorded
	count(conflict_fields) > 0
	text := sprintf(settings.text.conflict, [request.turn_id, concat(", ", conflict_fields)])
	value := object.union(answer.refused("heartbeat_receipt_identity_conflict", text), {"conflict_fields": conflict_fields})
}

# METADATA
# title: The turn recorded the same before
# description: No refusal; nothing is appended and the answer is the first receipt.
# custom: {id: poll.replay}
# labels: {rule: poll.replay}
outcome_row contains {"rank": 130, "rule": "poll.replay", "value": value} if {
	request.turn_id
	recorded
	value := {"ok": true, "reason": settings.text.replay, "replayed": true}
}

# METADATA
# title: The turn has no receipt, or one for another todo
# custom: {id: poll.receipt}
# labels: {rule: poll.receipt}
outcome_row contains {"rank": 140, "rule": "poll.receipt", "value": answer.refused("heartbeat_receipt_missing", text)} if {
	request.turn_id
	count(receipts) == 0
	text := sprintf(settings.text.receipt_missing, [request.turn_id])
}

outcome_row contains {"rank": 140, "rule": "poll.receipt", "value": value} if {
	request.turn_id
	receipt_todo != target
	text := sprintf(settings.text.receipt_conflict, [request.turn_id, receipt_todo])
	value := object.union(answer.refused("heartbeat_receipt_identity_conflict", text), {"conflict_fields": ["todo_id"]})
}

# METADATA
# title: The due monitor is not named
# custom: {id: poll.due_ids}
# labels: {rule: poll.due_ids}
outcome_row contains {"rank": 150, "rule": "poll.due_ids", "value": answer.invalid(settings.text.due_ids)} if {
	attempts_due
	count(named) == 0
}

# METADATA
# title: The guard allows no poll
# description: It is neither quiet nor observing, and no due monitor or blocked successor is what was polled.
# custom: {id: poll.guard}
# labels: {rule: poll.guard}
outcome_row contains {"rank": 160, "rule": "poll.guard", "value": value} if {
	not allowed_by
	text := sprintf(settings.text.guard, [before.state, before.effective_action])
	value := object.union(answer.refused("quota_poll_not_allowed", text), retry)
}

# METADATA
# title: The gate names what is missing
# description: With the capabilities at hand the same poll may be allowed.
# custom: {id: poll.capability_retry, sets: [capability_retry]}
default retry := {}

retry := {"capability_retry": {
	"missing": missing,
	"flags": [arg | some capability in missing; some arg in ["--available-capability", capability]],
}} if {
	guard.kind == "normal"
	missing := sort({capability | some capability in capability_gate.gate.blocked_missing})
	count(missing) > 0
}

# METADATA
# title: No such open monitor
# description: Not found, ambiguous, or no monitor.
# custom: {id: poll.todo}
# labels: {rule: poll.todo}
outcome_row contains {"rank": 170, "rule": "poll.todo", "value": value} if {
	count(named) > 0
	not target
	value := answer.refused("quota_monitor_not_found", sprintf(settings.text.todo, [concat(" ", [text | some text in named])]))
}

# METADATA
# title: The poll of a todo without its result
# custom: {id: poll.hash}
# labels: {rule: poll.hash}
outcome_row contains {"rank": 180, "rule": "poll.hash", "value": answer.invalid(settings.text.hash)} if {
	target
	not ask.result_hash
}

# METADATA
# title: Nothing changed and no next time
# custom: {id: poll.unchanged_due}
# labels: {rule: poll.unchanged_due}
outcome_row contains {"rank": 190, "rule": "poll.unchanged_due", "value": answer.invalid(settings.text.unchanged_due)} if {
	target
	not material
	not next_due_at
}

# METADATA
# title: The poll is recorded
# custom: {id: poll.accepted}
# labels: {rule: poll.accepted}
outcome_row contains {"rank": 200, "rule": "poll.accepted", "value": {"ok": true, "reason": settings.text[kind]}} if {
	allowed_by
}

outcome := rank.winner(answer.row | outcome_row)

accepted if outcome.rule == "poll.accepted"

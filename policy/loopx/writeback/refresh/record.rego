# What a refresh leaves behind: the record and its row, the event, and the next action.
package loopx.writeback.refresh

import data.loopx.request
import data.loopx.settings.refresh as settings
import data.loopx.todos
import data.loopx.writeback.answer

# METADATA
# title: Where the recommended action comes from
# description: |
#   The caller, else the next action of the state, else the first open agent todo, else a fixed sentence. The origin is
#   recorded with every refresh.
# custom: {id: refresh.source}
action := {"text": given("recommended_action"), "source": "explicit_arg"} if given("recommended_action") != ""

action := {"text": next_text, "source": "active_state_next_action"} if {
	given("recommended_action") == ""
	next_text
}

action := {"text": first_todo, "source": "agent_todo_fallback"} if {
	given("recommended_action") == ""
	not next_text
	first_todo
}

action := {"text": settings.default_action, "source": "default_refresh_action"} if {
	given("recommended_action") == ""
	not next_text
	not first_todo
}

next_text := array.concat(next_actions, input.state.next_actions)[0]

first_todo := todos.by_id[todos.selectable_order[0]].text

# --- identity of a settled turn

# METADATA
# title: Identity of the turn's settlement
# description: Undefined unless a turn of an agent is bound to a todo or an obligation.
settlement := object.union_n([
	{
		"schema_version": settings.settlement_schema,
		"goal_id": request.goal_id,
		"agent_id": request.agent_id,
		"turn_instance_id": request.turn_id,
		"effect_id": concat(":", array.concat(array.concat([request.goal_id, request.agent_id], bound), [request.turn_id])),
	},
	binding,
])

bound := [todo_id] if given("todo_id") != ""

bound := ["autonomous_replan", asked.replan_obligation_id] if given("replan_obligation_id") != ""

binding := object.union_n([
	{"todo_id": todo_id | given("todo_id") != ""},
	{"replan_obligation_id": asked.replan_obligation_id | given("replan_obligation_id") != ""},
])

# --- the record

common := object.union_n([
	{
		"generated_at": answer.now,
		"goal_id": request.goal_id,
		"classification": classification,
		"recommended_action": action.text,
		"recommended_action_source": action.source,
		"health_check": settings.health_check,
		"progress_scope": scope,
		"runtime_projection_route": settings.route,
	},
	{"agent_id": request.agent_id | request.scoped},
	{"agent_lane": lane | lane},
	{"delivery_outcome": delivery_outcome | delivery_outcome},
	{"requested_delivery_outcome": asked.delivery_outcome | gap},
	{"delivery_batch_scale": batch_scale | given("delivery_batch_scale") != ""},
	{"delivery_boundary": asked.delivery_boundary | given("delivery_boundary") != ""},
	{"delivery_workspace": workspace | workspace},
	binding,
	{"turn_instance_id": request.turn_id | request.turn_id},
	{"settlement_identity": settlement | settlement},
	{"autonomous_replan_ack": ack | ack},
	{"agent_vision": vision | vision},
	{"progress_observation": observation | count(observation) > 0},
])

lane := asked.agent_lane if given("agent_lane") != ""

lane := request.agent_id if {
	given("agent_lane") == ""
	scope == "agent_lane"
}

observation := object.union_n([
	{"result": asked.progress_result | given("progress_result") != ""},
	{"fingerprint": asked.progress_fingerprint | given("progress_fingerprint") != ""},
])

digest := input.state.sha256_16

# METADATA
# title: The full record
record := object.union(common, {
	"state": {
		"path": input.state.file,
		"sha256_16": digest,
		"frontmatter": input.state.front,
		"next_action": array.concat(next_actions, [line | some line in input.state.next_actions; count(next_actions) == 0]),
		"recent_feedback": object.get(asked, "recent_feedback", []),
		"progress": object.get(asked, "progress", []),
	},
	"registry_goal": object.filter(input.goal, ["id", "domain", "status", "adapter_kind", "adapter_status"]),
})

# METADATA
# title: The row of the index
# description: As the record, with the state reduced to what makes a stale one known.
row := object.union(common, {"state": {
	"sha256_16": digest,
	"frontmatter": object.filter(input.state.front, ["updated_at"]),
}})

markdown := array.concat([settings.title, ""], [line |
	some [name, value] in [
		["goal", request.goal_id],
		["classification", classification],
		["recommended action", action.text],
		["outcome", outcome_text],
		["scope", scope],
	]
	line := sprintf("- %s: %s", [name, value])
])

default outcome_text := "-"

outcome_text := delivery_outcome

event := object.union_n([
	settings.event,
	{"classification": classification},
	{"agent_id": request.agent_id | request.scoped},
	{"todo_id": todo_id | given("todo_id") != ""},
	{"run_id": request.turn_id | request.turn_id},
	{"delivery_outcome": delivery_outcome | delivery_outcome},
	{"details": object.union_n([
		{"progress_scope": scope},
		{"turn_instance_id": request.turn_id | request.turn_id},
		{"replan_obligation_id": asked.replan_obligation_id | given("replan_obligation_id") != ""},
		{"settlement_effect_id": settlement.effect_id | settlement},
	])},
])

default effects := []

effects := array.flatten([
	[{
		"kind": "edit_state",
		"goal_id": request.goal_id,
		"digest": digest,
		"updated_at": answer.now,
		"edits": [{"op": "next_action", "lines": next_actions}],
	} |
		count(next_actions) > 0
	],
	{
		"kind": "append_run",
		"goal_id": request.goal_id,
		"suffix": "",
		"generated_at": answer.now,
		"record": record,
		"row": row,
		"markdown": markdown,
	},
	{"kind": "append_event", "goal_id": request.goal_id, "event": event, "required": false, "unique": false},
	[{"kind": "sync_global", "goal_id": request.goal_id} | syncs],
]) if {
	outcome.value.ok
}

syncs if not asked.no_global_sync

# METADATA
# title: Mapping a project
# description: |
#   Answers read-only-map: one run record with the outline of the project, for goals whose adapter maps. It changes no
#   file of the project and nothing of the goal.
# schemas:
#   - input: schema.facts.input
package loopx.writeback.project_map

import data.loopx.goal
import data.loopx.lib.rank
import data.loopx.request
import data.loopx.settings.project_map as settings
import data.loopx.writeback.answer

default asked := {}

asked := input.write.refresh

outcome_row contains row if some row in answer.row

# METADATA
# title: The adapter maps
# custom: {id: map.adapter, settings: [adapter, adapter_ending]}
# labels: {rule: map.adapter}
outcome_row contains {"rank": 60, "rule": "map.adapter", "value": answer.refused("adapter_kind_unsupported", why)} if {
	not maps
	why := sprintf(settings.text.adapter, [request.goal_id, goal.adapter_kind])
}

maps if goal.adapter_kind == settings.adapter

maps if endswith(goal.adapter_kind, settings.adapter_ending)

# METADATA
# title: There is no state to record
# custom: {id: map.state_file}
# labels: {rule: map.state_file}
outcome_row contains {"rank": 70, "rule": "map.state_file", "value": answer.refused("state_file_unusable", why)} if {
	not input.state.exists
	why := sprintf(settings.text.state_file, [request.goal_id])
}

# METADATA
# title: The classification of a map
# description: A label that no other writer owns.
# custom: {id: map.classification, settings: [classification_pattern, reserved]}
# labels: {rule: map.classification}
outcome_row contains {"rank": 80, "rule": "map.classification", "value": answer.invalid(why)} if {
	not regex.match(settings.classification_pattern, classification)
	why := sprintf(settings.text.classification, [classification])
}

outcome_row contains {"rank": 81, "rule": "map.classification", "value": answer.invalid(why)} if {
	some start in settings.reserved
	startswith(lower(classification), start)
	why := sprintf(settings.text.classification, [classification])
}

classification := object.get(asked, "classification", settings.classification)

# METADATA
# title: The project could not be read
# description: A project without files yet is read, and its map says so.
# custom: {id: map.unread}
# labels: {rule: map.unread}
outcome_row contains {"rank": 90, "rule": "map.unread", "value": answer.refused("project_unreadable", why)} if {
	not outline
	why := sprintf(settings.text.unread, [request.goal_id])
}

outline := asked.map if asked.map.file_count + asked.map.directory_count > 0

outline := asked.map if asked.map.unreadable == 0

# METADATA
# title: The project is mapped
# custom: {id: map.write}
# labels: {rule: map.write}
outcome_row contains {"rank": 100, "rule": "map.write", "value": {"ok": true, "reason": settings.text.written}}

outcome := rank.winner(outcome_row)

project_map := object.union({"schema_version": settings.map_schema}, outline)

# METADATA
# title: What the map does not show
residual_risks := array.concat(
	[settings.text.truncated | outline.truncated],
	[sprintf(settings.text.unreadable, [outline.unreadable]) | outline.unreadable > 0],
)

action := object.get(asked, "recommended_action", settings.recommended_action)

source := "explicit_arg" if asked.recommended_action

source := "default_refresh_action" if not asked.recommended_action

row := object.union(
	{
		"generated_at": answer.now,
		"goal_id": request.goal_id,
		"classification": classification,
		"recommended_action": action,
		"recommended_action_source": source,
		"health_check": settings.health_check,
		"project_map": object.remove(project_map, ["top_level", "extensions"]),
		"residual_risks": residual_risks,
		"runtime_projection_route": settings.route,
		"state": {
			"sha256_16": input.state.sha256_16,
			"frontmatter": object.filter(input.state.front, ["updated_at"]),
		},
	},
	{"agent_id": request.agent_id | request.scoped},
)

record := object.union(row, {"project_map": project_map})

markdown := array.concat([settings.title, ""], [line |
	some [name, value] in [
		["goal", request.goal_id],
		["files", outline.file_count],
		["directories", outline.directory_count],
		["top level", concat(", ", [entry.name | some entry in outline.top_level])],
	]
	line := sprintf("- %s: %v", [name, value])
])

default effects := []

effects := array.concat(
	[{
		"kind": "append_run",
		"goal_id": request.goal_id,
		"suffix": "",
		"generated_at": answer.now,
		"record": record,
		"row": row,
		"markdown": markdown,
	}],
	[{"kind": "sync_global", "goal_id": request.goal_id} | syncs],
) if {
	outcome.value.ok
}

syncs if not asked.no_global_sync

# METADATA
# title: The answer and its effects
# description: "{ok, document, effects}. Effects are applied by the caller, and only when execution was asked for."
# entrypoint: true
# custom: {id: map.result}
result := answer.result(outcome, effects, fields)

default fields := {}

fields := {
	"appended": answer.executes,
	"classification": classification,
	"recommended_action": action,
	"recommended_action_source": source,
	"project_map": project_map,
	"residual_risks": residual_risks,
} if {
	outcome.value.ok
}

# METADATA
# title: A new goal
# description: |
#   Answers init: the registry row and the state file of the first or next goal of a project. It refuses whatever would
#   touch something that exists. Writes unless a preview is asked for.
# schemas:
#   - input: schema.facts.input
package loopx.writeback.init

import data.loopx.goal
import data.loopx.lib.merge
import data.loopx.lib.rank
import data.loopx.request
import data.loopx.settings
import data.loopx.settings.init_write as own
import data.loopx.writeback.answer

default asked := {}

asked := input.write.init

# METADATA
# title: The call itself is wrong
# custom: {id: init.request}
# labels: {rule: init.request}
outcome_row contains {"rank": 10, "rule": "init.request", "value": answer.refused(error.error_code, error.reason)} if {
	error := request.refusal
}

# METADATA
# title: A goal has an objective
# custom: {id: init.objective, settings: [objective_limit]}
# labels: {rule: init.objective}
outcome_row contains {"rank": 20, "rule": "init.objective", "value": answer.invalid(own.text.objective)} if {
	objective == ""
}

outcome_row contains {"rank": 21, "rule": "init.objective", "value": answer.invalid(text)} if {
	count(objective) > own.objective_limit
	text := sprintf(own.text.long, [own.objective_limit])
}

objective := trim_space(regex.replace(object.get(asked, "objective", ""), `\s+`, " "))

# METADATA
# title: An agent id is a token
# custom: {id: init.agents}
# labels: {rule: init.agents}
outcome_row contains {"rank": 30, "rule": "init.agents", "value": answer.refused("quota_agent_id_invalid", text)} if {
	bad := [agent | some agent in agents; not regex.match(settings.request.agent_pattern, agent)]
	text := sprintf(own.text.token, [bad[0]])
}

agents := [agent |
	all := [replace(trim_space(lower(part)), " ", "-") | some raw in asked.agents; some part in split(raw, ",")]
	some i, agent in all
	not agent in array.slice(all, 0, i)
]

# METADATA
# title: The objective may not be public
# custom: {id: write.public}
# labels: {rule: write.public}
outcome_row contains row if {
	some row in answer.row
	row.rule == "write.public"
}

# METADATA
# title: The shared registry owns no goals
# custom: {id: init.shared}
# labels: {rule: init.shared}
outcome_row contains {"rank": 40, "rule": "init.shared", "value": answer.refused("registry_shared", text)} if {
	input.route.global
	text := sprintf(own.text.shared, [input.route.registry])
}

# METADATA
# title: The registry must be corrected by hand first
# description: It has a fault that belongs to no goal. A registry that does not exist yet is none.
# custom: {id: init.registry}
# labels: {rule: init.registry}
outcome_row contains {"rank": 50, "rule": "init.registry", "value": answer.refused("registry_invalid", text)} if {
	input.route.registry_exists
	first := sort([finding.message | some finding in input.findings; finding.scope == "global"])[0]
	text := sprintf(own.text.registry, [first])
}

# METADATA
# title: The project is a directory
# custom: {id: init.project}
# labels: {rule: init.project}
outcome_row contains {"rank": 60, "rule": "init.project", "value": answer.refused("project_missing", text)} if {
	not asked.project_exists
	text := sprintf(own.text.project, [object.get(asked, "repo", "")])
}

# METADATA
# title: The goal id is taken
# custom: {id: init.exists}
# labels: {rule: init.exists}
outcome_row contains {"rank": 70, "rule": "init.exists", "value": answer.refused("goal_exists", text)} if {
	goal.registered
	text := sprintf(own.text.exists, [request.goal_id])
}

# METADATA
# title: The goal id is taken by another project
# description: In the shared registry, which has one row for each id.
# custom: {id: init.taken}
# labels: {rule: init.taken}
outcome_row contains {"rank": 80, "rule": "init.taken", "value": answer.refused("goal_route_collision", text)} if {
	sync
	text := sprintf(own.text.taken, [request.goal_id, asked.shared_source])
}

# METADATA
# title: A state file that exists is kept
# custom: {id: init.state_file}
# labels: {rule: init.state_file}
outcome_row contains {"rank": 90, "rule": "init.state_file", "value": answer.refused("state_file_exists", text)} if {
	asked.state_file_exists
	text := sprintf(own.text.state_file, [asked.state_file])
}

# METADATA
# title: The goal is registered and its state file written
# description: There is no user todo in it, so the next should-run is eligible.
# custom: {id: init.write}
# labels: {rule: init.write}
outcome_row contains {"rank": 100, "rule": "init.write", "value": {"ok": true, "reason": own.text.written}}

outcome := rank.winner(outcome_row)

default sync := true

sync := false if asked.no_global_sync

effects := array.concat(
	[{
		"kind": "add_goal",
		"goal_id": request.goal_id,
		"row": row,
		"state_file": asked.state_file,
		"state_file_text": state_text,
	}],
	[{"kind": "sync_global", "goal_id": request.goal_id} | sync],
) if {
	outcome.rule == "init.write"
}

effects := [] if outcome.rule != "init.write"

row := merge.all([
	{"id": request.goal_id, "repo": asked.repo, "state_file": asked.state_file},
	own.row,
	{"adapter": adapter},
	{"coordination": {"registered_agents": agents, "agent_model": own.agent_model} | count(agents) > 0},
])

adapter := {"kind": "generic_project_goal_v0", "status": "connected"}

state_text := concat("\n", array.concat([filled(line) | some line in own.state], [""]))

filled(line) := strings.replace_n(
	{
		"{goal}": request.goal_id,
		"{quoted}": quoted,
		"{objective}": prose,
		"{now}": answer.now,
		"{adapter}": adapter.kind,
	},
	line,
)

# the front matter ends at three hyphens and has no escapes
quoted := strings.replace_n({`"`: "'", "---": "—"}, objective)

prose := concat("", [`\`, objective]) if regex.match(own.structure, objective)

prose := objective if not regex.match(own.structure, objective)

# METADATA
# title: The answer and its effects
# description: "{ok, document, effects}. Effects are applied by the caller, and only when execution was asked for."
# entrypoint: true
# custom: {id: init.result}
result := answer.result(outcome, effects, fields)

default fields := {}

fields := {"registry": input.route.registry, "state_file": asked.state_file, "registered_agents": agents} if outcome.value.ok

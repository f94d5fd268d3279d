# METADATA
# title: Health of the goal
# description: |
#   Which contract diagnostics concern the selected goal. Ownership is in the fields of a finding, never in its text.
#   The facts always carry the list, so there is no other source of health (health.fallback). Reads findings, and the
#   errors that the goal and todo rules found. Runs, lanes and quota may not enter.
# schemas:
#   - input: schema.facts.input
package loopx.health

import data.loopx.goal
import data.loopx.settings
import data.loopx.todos

# METADATA
# title: Diagnostics of everybody
# description: A broken registry or anything else without an owner concerns every goal.
# custom:
#   id: health.global_registry
global_findings contains finding if {
	some finding in input.findings
	finding.scope == "global"
}

# METADATA
# title: Diagnostics of this goal
# description: Those that name it, alone or among others, and those of its registry row and todos.
# custom:
#   id: health.scope
own_findings contains finding if {
	some finding in input.findings
	finding.scope == "goal"
	finding.goal_id == goal.id
}

own_findings contains finding if {
	some finding in input.findings
	finding.scope == "goals"
	goal.id in finding.goal_ids
}

own_findings contains finding if some finding in goal.contract_errors

own_findings contains finding if some finding in todos.contract_errors

# METADATA
# title: A hand-off mode that is no known word
# description: Front matter of the state file; an absent or empty one is the default.
# custom:
#   id: health.handoff_mode
#   settings: [handoff_modes]
own_findings contains {
	"code": "state_handoff_mode_unknown",
	"scope": "goal",
	"goal_id": goal.id,
	"file": input.state.file,
	"rule": "health.handoff_mode",
	"message": sprintf(settings.health.unknown_handoff_mode, [mode, concat(", ", settings.health.handoff_modes)]),
} if {
	mode := input.state.front.handoff_mode
	mode != ""
	not mode in settings.health.handoff_modes
}

# METADATA
# title: Nothing broken concerns everybody
default global_ok := false

global_ok if count(global_findings) == 0

# METADATA
# title: The goal is healthy
# description: |
#   No global diagnostic and none of its own is left. Otherwise nothing is delivered and `ok` is false, unless a
#   repair is allowed; errors of other goals do not count.
# custom:
#   id: health.effect
#   sets: [ok, status_health_ok]
default ok := false

ok if {
	global_ok
	count(own_findings) == 0
}

# METADATA
# title: Diagnostics that concern this goal
# description: By file, line and code; global ones included.
findings := [row[4] |
	some row in sort([[object.get(f, "file", ""), object.get(f, "line", 0), f.code, f.message, f] |
		some f in (global_findings | own_findings)
	])
]

# METADATA
# title: Health rows of the plan
# description: One row without a quota for every diagnostic that concerns this goal.
# custom:
#   id: plan.health_items
#   settings: [health.sources]
items := [object.union(finding, {
	"source": object.get(settings.attention.health_sources, finding.scope, settings.attention.health_sources.goal),
	"status": settings.attention.health_status,
	"severity": settings.attention.health_severity,
}) |
	some finding in findings
]

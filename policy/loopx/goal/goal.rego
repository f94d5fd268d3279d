# METADATA
# title: The selected goal
# description: |
#   The registry row with its defaults: agents, work mode of the caller, self-repair opt-ins, execution profile, and
#   the words in it that no rule knows. Reads the registry row and the route. Runs, todos and quota may not enter.
# schemas:
#   - input: schema.facts.input
package loopx.goal

import data.loopx.request
import data.loopx.settings

# METADATA
# title: The registry row
# description: Undefined when the registry does not list the goal.
row := input.goal

# METADATA
# title: The goal is registered
default registered := false

registered if row

id := row.id

id := request.goal_id if not row

# METADATA
# title: Registered agents
# description: Sorted, each once.
agents := sort({agent | some agent in row.agents})

# METADATA
# title: More than one agent works on the goal
default multi_agent := false

multi_agent if count(agents) > 1

# METADATA
# title: The calling agent only watches
# custom:
#   id: prec.monitor_only
default monitor_only := false

monitor_only if request.work_mode == "monitor_only"

default adapter_status := ""

adapter_status := row.adapter_status

default adapter_kind := ""

adapter_kind := row.adapter_kind

# METADATA
# title: The owner stopped the goal
default stopped := false

stopped if row.activation == "stopped"

# METADATA
# title: Self-repair opt-ins
# description: Off unless the registry enables it; both permissions follow the switch when they are not set.
# custom:
#   id: repair.optin
self_repair := {
	"enabled": enabled,
	"allow_health_blocker_repair": object.get(opt_ins, "allow_health_blocker_repair", enabled),
	"allow_waiting_projection_repair": object.get(opt_ins, "allow_waiting_projection_repair", enabled),
} if {
	enabled := object.get(opt_ins, "enabled", false)
}

default opt_ins := {}

opt_ins := row.self_repair

# METADATA
# title: The goal delivers
# description: A delivery adapter, or an execution profile that configures the outcome floor.
# custom:
#   id: floor.applies
#   settings: [delivery_adapters]
default delivery := false

delivery if adapter_status in settings.goal.delivery_adapters

delivery if row.execution_profile.outcome_floor

# METADATA
# title: Execution profile with its defaults
# description: A list that the registry sets to empty stays empty.
profile := object.union(configured, fine) if row

profile := configured if not row

configured := object.union_n([settings.goal.profile, given, {
	"outcome_floor": object.union(settings.goal.outcome_floor, floor_given),
	"degradation_policy": object.union(settings.goal.degradation, degradation_given),
}])

given := {key: value |
	some key, value in row.execution_profile
	settings.goal.profile[key]
	not unknown_granularity(key, value)
}

unknown_granularity("turn_granularity", value) if not value in settings.goal.turn_granularity

degradation_given := {key: value | some key, value in row.execution_profile; settings.goal.degradation[key]}

default floor_given := {}

floor_given := row.execution_profile.outcome_floor

default fine := {}

fine := settings.goal.fine if row.execution_profile.turn_granularity == "fine"

# METADATA
# title: Registry words that no rule knows
# description: |
#   A present value outside the vocabulary is a contract error of this goal, never a default. Work modes are
#   advisory: an unknown one counts as none.
# custom:
#   id: goal.vocabulary
#   settings: [waiting_on, activation, turn_granularity]
contract_errors contains object.union(
	{
		"code": concat("", ["goal_", key, "_unknown"]),
		"scope": "goal",
		"goal_id": row.id,
		"file": input.route.registry,
		"rule": "goal.vocabulary",
		"message": sprintf(settings.goal.messages[key], [word, concat(", ", settings.goal[key])]),
	},
	{"line": line | line := row.lines[key]},
) if {
	some key, word in words
	not word in settings.goal[key]
}

words["waiting_on"] := row.waiting_on

words["activation"] := row.activation

words["turn_granularity"] := row.execution_profile.turn_granularity

# METADATA
# title: The roster of a goal
# description: |
#   Which agents a call adds to a goal and how the registry row changes with them. Shared by register-agent and
#   configure-goal.
# schemas:
#   - input: schema.facts.input
package loopx.writeback.roster

import data.loopx.goal
import data.loopx.settings
import data.loopx.writeback.registry

# METADATA
# title: Agents that the call names
# description: In normal form and in order; an id may be given alone or in a list with commas.
named := [normal(part) |
	some raw in input.write.goal.agents
	some part in split(raw, ",")
]

normal(text) := replace(trim_space(lower(text)), " ", "-")

# METADATA
# title: Ids that no agent can have
# custom: {id: agent.token, settings: [request.agent_pattern]}
invalid := [token | some token in named; not regex.match(settings.request.agent_pattern, token)]

known := {agent | some agent in goal.agents}

# METADATA
# title: Agents that are new to the roster
# description: Each once, in the order given.
added := [token |
	some i, token in named
	not token in known
	not token in array.slice(named, 0, i)
]

# METADATA
# title: The row with more agents
# description: |
#   A list of {path, value}; the entries that are there stay as they are written. The first registration also writes the
#   agent model.
grow(present, more) := array.concat([{"path": ["coordination", "registered_agents"], "value": list}], model) if {
	count(more) > 0
	list := array.concat(present, more)
}

grow(_, []) := []

default model := []

model := [{"path": ["coordination", "agent_model"], "value": settings.roster_write.agent_model}] if {
	registry.at(["coordination", "agent_model"], null) == null
}

# METADATA
# title: The roster as it is written
written := list if {
	list := registry.at(["coordination", "registered_agents"], [])
	is_array(list)
}

# an older form, or another place: the list is written out
written := goal.agents if not is_array(registry.at(["coordination", "registered_agents"], []))

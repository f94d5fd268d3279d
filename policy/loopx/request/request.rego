# METADATA
# title: The request and its caller
# description: |
#   What was asked, at which instant, by which agent and with which capabilities, and whether the request can be
#   answered at all. Reads the request and what the registry says of the caller (agents, work modes, profiles,
#   declared capabilities). Quota, todos and runs may not enter.
# schemas:
#   - input: schema.facts.input
package loopx.request

import data.loopx.lib.rank
import data.loopx.settings

now := input.now

now_ns := input.now_ns

command := input.request.command

# METADATA
# title: The goal that was asked for
# description: Empty when none was named.
default goal_id := ""

goal_id := input.request.goal_id

# METADATA
# title: The caller asks why
default explain := false

explain := input.request.explain

# METADATA
# title: Turn id of the calling heartbeat
# description: Undefined without one.
turn_id := input.request.turn_instance_id if input.request.turn_instance_id != ""

# --- time in the caller's offset

offset := substring(input.now, count(input.now) - 6, 6) if regex.match(`[+-]\d{2}:\d{2}$`, input.now)

default offset_minutes := 0

offset_minutes := sign * ((to_number(substring(offset, 1, 2)) * 60) + to_number(substring(offset, 4, 2))) if {
	sign := {"+": 1, "-": -1}[substring(offset, 0, 1)]
}

default offset_text := "+00:00"

offset_text := offset

# METADATA
# title: An instant as text
# description: RFC 3339 with whole seconds in the offset of input.now, UTC when that has none.
at(ns) := concat("", [
	time.format([ns + ((offset_minutes * 60) * 1000000000), "UTC", "2006-01-02T15:04:05"]),
	offset_text,
])

# --- the calling agent

asked_agent := input.request.agent_id if input.request.agent_id != ""

token := replace(trim_space(lower(asked_agent)), " ", "-")

# METADATA
# title: The calling agent
# description: Normal form of --agent-id. Undefined for an unscoped call and for an id that is no token.
# custom:
#   id: agent.token
#   settings: [agent_pattern]
agent_id := token if regex.match(settings.request.agent_pattern, token)

# METADATA
# title: The call names no agent
# description: Without an agent id there is no claim filter and no identity to check.
# custom:
#   id: agent.none
default scoped := false

scoped if agent_id

registered_agents := sort({agent | some agent in input.goal.agents})

# METADATA
# title: Agent id is no token
# description: The given agent id has characters or a length that no registered id can have.
# custom:
#   id: agent.token
#   sets: [identity_precondition, error_code]
#   settings: [agent_pattern]
# labels:
#   rule: agent.token
identity_row contains {"rank": 10, "value": value, "rule": "agent.token"} if {
	asked_agent
	not agent_id
	value := {
		"error_code": "quota_agent_id_invalid",
		"message": sprintf(settings.request.messages.agent_token, [asked_agent]),
	}
}

# METADATA
# title: Goal has no roster
# description: An agent asks for a goal that registers no agents.
# custom:
#   id: agent.roster
#   sets: [identity_precondition, error_code]
# labels:
#   rule: agent.roster
identity_row contains {"rank": 20, "value": value, "rule": "agent.roster"} if {
	agent_id
	count(registered_agents) == 0
	value := {
		"error_code": "quota_agent_registry_roster_missing",
		"message": sprintf(settings.request.messages.agent_roster, [goal_id, goal_id, agent_id]),
	}
}

# METADATA
# title: Agent is not registered
# description: The goal has a roster and the calling agent is not on it.
# custom:
#   id: agent.unregistered
#   sets: [identity_precondition, error_code]
# labels:
#   rule: agent.unregistered
identity_row contains {"rank": 30, "value": value, "rule": "agent.unregistered"} if {
	agent_id
	count(registered_agents) > 0
	not agent_id in registered_agents
	value := {
		"error_code": "quota_agent_not_registered",
		"message": sprintf(settings.request.messages.agent_unregistered, [agent_id, goal_id]),
	}
}

# METADATA
# title: Why the caller cannot be identified
# description: "{error_code, message, rule}. Undefined when the identity holds or none was given."
# custom:
#   id: doc.identity
identity_error := object.union(winner.value, {"rule": winner.rule}) if winner := rank.winner(identity_row)

# METADATA
# title: Identity of the calling agent
# description: Undefined for an unscoped call or a failed identity.
# custom:
#   id: agent.identity
#   sets: [agent_identity]
identity := object.union_n([
	{
		"schema_version": "peer_agent_identity_v1",
		"agent_model": "peer_v1",
		"agent_id": agent_id,
		"registered": true,
		"registered_agents": registered_agents,
	},
	{"work_mode": work_mode | work_mode},
	{"agent_profile": profile | some profile in profiles},
]) if {
	agent_id in registered_agents
}

# METADATA
# title: Work mode of the calling agent
# description: Undefined without one; an unknown mode counts as none.
work_mode := mode if {
	mode := input.goal.work_modes[agent_id]
	mode in settings.request.work_modes
}

profiles contains object.union({"schema_version": "agent_profile_v1"}, profile) if {
	some profile in input.goal.agent_profiles
	profile.agent_id == agent_id
}

# --- capabilities

# METADATA
# title: Capabilities given on the command line
# description: Normal form, in order, each once, invalid tokens dropped.
# custom:
#   id: cap.sets
#   settings: [capability_pattern, capability_separators]
runtime_capabilities := [given[i] |
	given := [capability_token(part) |
		some raw in input.request.available_capabilities
		some part in regex.split(settings.request.capability_separators, raw)
	]
	some i
	regex.match(settings.request.capability_pattern, given[i])
	not given[i] in array.slice(given, 0, i)
]

# METADATA
# title: Capabilities of this call
# description: Local ones, those the registry declares for the goal, and those given on the command line.
# custom:
#   id: cap.sets
#   settings: [local_capabilities]
capabilities := {c | some list in [settings.request.local_capabilities, declared, runtime_capabilities]; some c in list}

# METADATA
# title: The same in that order
# description: Each once.
capability_list := [listed[i] |
	listed := array.concat(settings.request.local_capabilities, array.concat(declared, runtime_capabilities))
	some i
	not listed[i] in array.slice(listed, 0, i)
]

declared := [capability |
	some raw in input.goal.available_capabilities
	some part in regex.split(settings.request.capability_separators, raw)
	capability := capability_token(part)
	regex.match(settings.request.capability_pattern, capability)
]

capability_token(text) := replace(replace(trim_space(lower(text)), "-", "_"), " ", "_")

# METADATA
# title: Configuring a goal
# description: |
#   Answers configure-goal: quota, window, self repair, turn granularity, agents with their modes and profiles, write
#   scope, boundary authority, owner and spawn policy. Each asked setting is judged, and what differs from the row as
#   written becomes one change. Previews unless execution is asked for.
# schemas:
#   - input: schema.facts.input
package loopx.writeback.configure_goal

import data.loopx.goal
import data.loopx.lib.merge
import data.loopx.lib.rank
import data.loopx.quota
import data.loopx.request
import data.loopx.settings
import data.loopx.settings.configure_goal as own
import data.loopx.writeback.answer
import data.loopx.writeback.quota_write
import data.loopx.writeback.registry
import data.loopx.writeback.roster

default asked := {}

asked := input.write.goal

cleared := {name | some name in asked.clear}

outcome_row contains row if some row in registry.row

# METADATA
# title: Keys that a clear flag removes
# description: By flag without its prefix; a roster may stand in three places.
clear_paths := {
	"registered-agents": [
		["coordination", "registered_agents"],
		["registered_agents"],
		["spawn_policy", "registered_agents"],
	],
	"agent-work-modes": [["coordination", "agent_work_modes"]],
	"agent-profiles": [["coordination", "agent_profiles"]],
	"write-scope": [["coordination", "write_scope"]],
	"waiting-on": [["waiting_on"]],
	"boundary-authority": [["coordination", "checkpointed_boundary_authority"]],
}

# --- what cannot be configured

# METADATA
# title: Nothing is asked
# custom: {id: configure.nothing}
# labels: {rule: configure.nothing}
outcome_row contains {"rank": 100, "rule": "configure.nothing", "value": answer.invalid(own.text.nothing)} if {
	count(object.remove(asked, ["no_global_sync", "replace_write_scope"])) == 0
}

# METADATA
# title: Unknown thing to clear
# custom: {id: configure.clear}
# labels: {rule: configure.clear}
outcome_row contains {"rank": 110, "rule": "configure.clear", "value": answer.invalid(text)} if {
	some name in cleared
	not clear_paths[name]
	text := sprintf(own.text.clear, [name])
}

# METADATA
# title: Compute is a share
# description: Anything but a finite number from 0 to 1 is refused before any write, as in quota set.
# custom: {id: configure.compute}
# labels: {rule: configure.compute}
outcome_row contains {"rank": 120, "rule": "configure.compute", "value": answer.invalid(text)} if {
	asked.compute
	not quota_write.compute
	text := sprintf(own.text.compute, [asked.compute])
}

# METADATA
# title: The window is at least an hour
# custom: {id: configure.window, settings: [hours]}
# labels: {rule: configure.window}
outcome_row contains {"rank": 130, "rule": "configure.window", "value": answer.invalid(text)} if {
	asked.window_hours
	not window_hours
	text := sprintf(own.text.hours, [asked.window_hours])
}

window_hours := to_number(asked.window_hours) if regex.match(own.hours, asked.window_hours)

# METADATA
# title: Turn granularity is a known word
# custom: {id: configure.granularity, settings: [goal.turn_granularity]}
# labels: {rule: configure.granularity}
outcome_row contains {"rank": 140, "rule": "configure.granularity", "value": answer.invalid(text)} if {
	asked.turn_granularity
	not asked.turn_granularity in settings.goal.turn_granularity
	text := sprintf(own.text.granularity, [asked.turn_granularity, concat(", ", settings.goal.turn_granularity)])
}

# METADATA
# title: An agent id is a token
# custom: {id: configure.agents}
# labels: {rule: configure.agents}
outcome_row contains {"rank": 150, "rule": "configure.agents", "value": answer.refused("quota_agent_id_invalid", text)} if {
	text := sprintf(own.text.token, [roster.invalid[0]])
}

# METADATA
# title: The agent model is a known word
# custom: {id: configure.agent_model, settings: [agent_models]}
# labels: {rule: configure.agent_model}
outcome_row contains {"rank": 160, "rule": "configure.agent_model", "value": answer.invalid(text)} if {
	asked.agent_model
	not asked.agent_model in own.agent_models
	text := sprintf(own.text.model, [asked.agent_model, concat(", ", own.agent_models)])
}

# METADATA
# title: A work mode is AGENT=MODE with a known mode of a registered agent
# custom: {id: configure.work_mode, settings: [request.work_modes]}
# labels: {rule: configure.work_mode}
outcome_row contains {"rank": 170, "rule": "configure.work_mode", "value": answer.invalid(text)} if {
	some raw in asked.work_modes
	count(split(raw, "=")) != 2
	text := sprintf(own.text.mode_form, [raw])
}

outcome_row contains {"rank": 170, "rule": "configure.work_mode", "value": answer.invalid(text)} if {
	some mode in modes
	not mode in settings.request.work_modes
	text := sprintf(own.text.mode, [mode, concat(", ", settings.request.work_modes)])
}

outcome_row contains {"rank": 171, "rule": "configure.work_mode", "value": answer.invalid(text)} if {
	some agent, _ in modes
	not agent in agents_after
	text := sprintf(own.text.mode_agent, [agent, request.goal_id])
}

outcome_row contains {"rank": 172, "rule": "configure.work_mode", "value": answer.invalid(text)} if {
	some agent in modes_cleared
	not agent in agents_after
	registry.at(array.concat(modes_path, [agent]), null) == null
	text := sprintf(own.text.mode_agent, [agent, request.goal_id])
}

modes_path := ["coordination", "agent_work_modes"]

modes_cleared := {roster.normal(raw) | some raw in asked.clear_work_modes}

modes[agent] := mode if {
	some raw in asked.work_modes
	[name, word] := split(raw, "=")
	agent := roster.normal(name)
	mode := trim_space(word)
}

# METADATA
# title: A profile is an object of a registered agent within its limits
# custom: {id: configure.profile, settings: [limits, vision_requirements]}
# labels: {rule: configure.profile}
outcome_row contains {"rank": 180, "rule": "configure.profile", "value": answer.invalid(text)} if {
	some i, _ in asked.agent_profiles
	not profiles[i]
	text := sprintf(own.text.profile_json, [i + 1])
}

outcome_row contains {"rank": 181, "rule": "configure.profile", "value": answer.invalid(text)} if {
	some profile in profiles
	not profile.agent_id in agents_after
	text := sprintf(own.text.profile_agent, [profile.agent_id, request.goal_id])
}

outcome_row contains {"rank": 182, "rule": "configure.profile", "value": answer.invalid(text)} if {
	some profile in profiles
	outside(profile)
	text := sprintf(own.text.profile, [profile.agent_id])
}

profiles[i] := object.union(
	{"schema_version": own.profile_schema},
	object.union(profile, {"agent_id": roster.normal(profile.agent_id)}),
) if {
	some i, text in asked.agent_profiles
	json.is_valid(text)
	profile := json.unmarshal(text)
	is_object(profile)
	is_string(profile.agent_id)
}

outside(profile) if not is_string(object.get(profile, "profile_role", ""))

outside(profile) if count(profile.profile_role) > own.limits.profile_role

outside(profile) if not object.get(profile, "vision_requirement", "optional") in own.vision_requirements

outside(profile) if {
	some key in ["preferred_action_kinds", "avoid_action_kinds"]
	not few_texts(object.get(profile, key, []))
}

few_texts(list) if {
	is_array(list)
	count(list) <= own.limits.action_kinds
	every item in list { is_string(item) }
}

# METADATA
# title: A write scope stays inside the project
# custom: {id: configure.write_scope, settings: [scope]}
# labels: {rule: configure.write_scope}
outcome_row contains {"rank": 190, "rule": "configure.write_scope", "value": answer.invalid(text)} if {
	bad := [scope | some scope in array.concat(scopes, authority_scopes); not inside(scope)]
	text := sprintf(own.text.scope, [bad[0]])
}

inside(scope) if {
	regex.match(own.scope, scope)
	not ".." in split(scope, "/")
}

scopes := list_of(object.get(asked, "write_scope", []))

authority_scopes := list_of(object.get(asked, ["authority", "write_scope"], []))

list_of(raws) := [trim_space(part) | some raw in raws; some part in split(raw, ",")]

# METADATA
# title: The owner is a known word
# custom: {id: configure.waiting_on, settings: [goal.waiting_on]}
# labels: {rule: configure.waiting_on}
outcome_row contains {"rank": 200, "rule": "configure.waiting_on", "value": answer.invalid(text)} if {
	asked.waiting_on
	not asked.waiting_on in settings.goal.waiting_on
	text := sprintf(own.text.waiting, [asked.waiting_on, concat(", ", settings.goal.waiting_on)])
}

# METADATA
# title: A boundary authority names its scope, its source and readable times
# custom: {id: configure.authority}
# labels: {rule: configure.authority}
outcome_row contains {"rank": 210, "rule": "configure.authority", "value": answer.invalid(own.text.authority)} if {
	asked.authority
	not authority_complete
}

outcome_row contains {"rank": 211, "rule": "configure.authority", "value": answer.invalid(text)} if {
	some text_key, ns_key in {"recorded_at": "recorded_ns", "expires_at": "expires_ns"}
	asked.authority[text_key]
	not asked.authority[ns_key]
	text := sprintf(own.text.authority_time, [asked.authority[text_key]])
}

outcome_row contains {"rank": 212, "rule": "configure.authority", "value": answer.invalid(text)} if {
	asked.authority.expires_ns <= request.now_ns
	text := sprintf(own.text.authority_time, [asked.authority.expires_at])
}

outcome_row contains {"rank": 213, "rule": "configure.authority", "value": answer.invalid(own.text.authority_shape)} if {
	asked.authority
	not authority_path
}

authority_complete if {
	count(authority_scopes) > 0
	trim_space(asked.authority.source) != ""
}

authority_written := registry.at(["coordination", "checkpointed_boundary_authority"], [])

authority_path := ["coordination", "checkpointed_boundary_authority"] if is_array(authority_now)

authority_path := ["coordination", "checkpointed_boundary_authority", "entries"] if is_array(authority_now.entries)

authority_now := authority_written if not "boundary-authority" in cleared

authority_now := [] if "boundary-authority" in cleared

authority_entries := authority_now if is_array(authority_now)

authority_entries := authority_now.entries if is_array(authority_now.entries)

authority_entry := merge.all([
	own.authority,
	{"write_scope": authority_scopes, "source": asked.authority.source, "recorded_at": answer.now},
	object.filter(asked.authority, ["recorded_at", "expires_at", "decision_id"]),
])

# METADATA
# title: Spawn policy
# description: A known mode, a whole number of children, and domains that are words.
# custom: {id: configure.spawn, settings: [orchestration_modes, whole, domain]}
# labels: {rule: configure.spawn}
outcome_row contains {"rank": 220, "rule": "configure.spawn", "value": answer.invalid(text)} if {
	asked.orchestration_mode
	not asked.orchestration_mode in own.orchestration_modes
	text := sprintf(own.text.orchestration, [asked.orchestration_mode, concat(", ", own.orchestration_modes)])
}

outcome_row contains {"rank": 221, "rule": "configure.spawn", "value": answer.invalid(text)} if {
	asked.max_children
	not regex.match(own.whole, asked.max_children)
	text := sprintf(own.text.children, [asked.max_children])
}

outcome_row contains {"rank": 222, "rule": "configure.spawn", "value": answer.invalid(text)} if {
	bad := [domain | some domain in domains; not regex.match(own.domain, domain)]
	text := sprintf(own.text.domain, [bad[0]])
}

domains := list_of(object.get(asked, "allowed_domains", []))

# --- the answer

outcome := rank.winner(outcome_row)

effects := registry.effects(sets, unset, sync) if outcome.rule == "configure.write"

effects := [] if outcome.rule != "configure.write"

default sync := true

sync := false if asked.no_global_sync

# METADATA
# title: The answer and its effects
# description: "{ok, document, effects}. Effects are applied by the caller, and only when execution was asked for."
# entrypoint: true
# custom: {id: configure.result}
result := answer.result(outcome, effects, fields)

default fields := {}

fields := {
	"before": quota_write.view(quota.object),
	"after": quota_write.view(quota_after),
	"changes": changes,
} if {
	outcome.value.ok
}

# METADATA
# title: Each changed key with what it held and what it will hold
# description: A key that goes has no after, a new one no before.
changes := array.concat(
	[merge.all([{"key": concat(".", change.path), "after": change.value}, held(change.path)]) | some change in sets],
	[merge.all([{"key": concat(".", path)}, held(path)]) | some path in unset],
)

held(path) := {"before": value | value := registry.at(path, null); value != null}

quota_after := after if {
	after := quota.object with input.goal as goal_after
}

goal_after := object.union_n([
	object.remove(goal.row, removed),
	{"quota": {"compute": quota_write.compute | asked.compute}},
	{"quota": {"window_hours": floor(window_hours) | asked.window_hours}},
	{"waiting_on": asked.waiting_on | asked.waiting_on},
])

default removed := []

removed := ["waiting_on"] if "waiting-on" in cleared

# METADATA
# title: Quota plan and status
# description: |
#   One item per registered goal, grouped by quota state, and the goal that should receive the next automatic turn.
#   Items are evaluated goal by goal (`item`) and come back as input.peers; this package only groups and ranks them.
#   Advisory: it clears no gate, records nothing and permits nothing (plan.next, INV-6).
# schemas:
#   - input: schema.facts.input
package loopx.plan

import data.loopx.attention
import data.loopx.boundary
import data.loopx.frontier
import data.loopx.goal
import data.loopx.health
import data.loopx.history
import data.loopx.lib.compact
import data.loopx.quota
import data.loopx.request
import data.loopx.settings
import data.loopx.share
import data.loopx.todos

# METADATA
# title: The plan item of the selected goal
# description: Every number and word comes from the rules that should-run uses (plan.source).
# entrypoint: true
# custom:
#   id: plan.source
item := compact.present({
	"goal_id": input.goal.id,
	"display_name": object.get(input.goal, "display_name", null),
	"status": attention.status,
	"lifecycle_phase": history.lifecycle_phase,
	"lifecycle_flags": history.lifecycle_flags,
	"waiting_on": attention.waiting_on,
	"severity": attention.severity,
	"source": attention.source,
	"recommended_action": object.get(attention.item, "recommended_action", null),
	"adapter_kind": object.get(input.goal, "adapter_kind", null),
	"adapter_status": object.get(input.goal, "adapter_status", null),
	"repo": object.get(input.goal, "repo", null),
	"coordination": {"registered_agents": goal.agents},
	"goal_boundary": boundary.goal_boundary,
	"guards": input.goal.guards,
	"next_probe": object.get(input.goal, "next_probe", null),
	"latest_run_generated_at": latest_run,
	"quota": quota.object,
	"control_plane": {"self_repair": goal.self_repair},
	"project_asset": object.get(attention.item, "project_asset", null),
	"handoff_readiness": history.handoff_readiness,
	"terminal": terminal,
	"user_todos": {"open_count": count(todos.user_open)},
	"agent_todos": {"open_count": todos.agent_all_open_count},
	"operator_question": object.get(attention.item, "operator_question", null),
	"agent_command": object.get(attention.item, "agent_command", null),
	"missing_gates": object.get(attention.item, "missing_gates", null),
	"next_handoff_condition": object.get(attention.item, "next_handoff_condition", null),
	"active_state_next_action": next_action,
	"health_ok": health.ok,
	"health_findings": own_findings,
	"valid_until": valid_until,
})

# METADATA
# title: What the short form of a plan needs of the selected goal
# description: A part of its item, for the decisions about other goals, which show no items.
# entrypoint: true
# custom:
#   id: plan.summary
standing := compact.present({
	"goal_id": input.goal.id,
	"quota": {"state": quota.state, "compute": share.compute, "spent_slots": share.spent},
	"terminal": terminal,
	"health_ok": health.ok,
	"valid_until": first_of(standing_edges),
})

# METADATA
# title: Until when an item holds
# description: The earliest instant at which time alone may change it; null when none does.
# custom: {id: plan.valid_until, sets: [valid_until]}
valid_until := first_of(standing_edges | boundary.time_edges)

standing_edges := share.time_edges | {at | at := input.runs_until_ns}

default first_of(_) := null

first_of(edges) := request.at(min(coming)) if {
	now := request.now_ns
	coming := {edge | some edge in edges; edge > now}
	count(coming) > 0
}

default next_action := null

next_action := input.state.next_actions[0]

# the closure is looked for only where nothing is open, because most goals have open work
default terminal := false

terminal := frontier.terminal if {
	todos.agent_all_open_count == 0
	count(todos.user_open) == 0
}

default latest_run := null

latest_run := input.status_run.generated_at

default own_findings := null

own_findings := found if {
	found := [finding | some finding in health.findings; finding.scope != "global"]
	count(found) > 0
}

# METADATA
# title: The document of quota plan and quota status
# entrypoint: true
document := {
	"ok": ok,
	"mode": settings.plan.modes[input.request.command],
	"registry": input.route.registry,
	"runtime_root": input.route.runtime_root,
	"goal_count": count(members),
	"run_count": input.route.run_count,
	"summary": summary,
	"next_automatic_turn": next_item,
	"groups": groups,
	"health_items": health_items,
}

# METADATA
# title: A status export is healthy when nothing global and no goal of it is broken
# custom:
#   id: plan.ok
default ok := false

ok if {
	count(health_items) == 0
	every member in members { member.health_ok }
}

# METADATA
# title: Every registered goal once
# custom:
#   id: plan.members
members := array.concat([item | wants_own_item], input.peers)

# METADATA
# title: What groups and ranks the members
# description: In the order of the members; an item of another goal holds its standing.
standings := array.concat([standing | wants_own_item], input.peers)

wants_own_item if input.request.goal_id == input.goal.id

# METADATA
# title: Goals by quota state, every group present
# description: Within a group by effective compute, highest first, then fewest spent slots, then goal id.
# custom:
#   id: plan.sort
groups := {group: [members[i] | some i in ranked[group]] | some group in group_names}

group_names := array.concat(settings.plan.group_order, [settings.plan.unknown_group])

ranked[group] := [key[3] | some key in sort([sort_keys[i] | some i in some_members])] if some group, some_members in placed

sort_keys := [[0 - member.quota.compute, member.quota.spent_slots, member.goal_id, i] | some i, member in standings]

placed[group] contains i if {
	some i
	group := group_of(standings[i].quota.state)
}

# METADATA
# title: A goal is listed under its quota state
# custom:
#   id: plan.group
group_of(state) := state if state in settings.plan.group_order

group_of(state) := settings.plan.unknown_group if not state in settings.plan.group_order

# METADATA
# title: The first eligible goal that is not closed
# custom:
#   id: plan.next
default next_item := null

next_item := members[candidates[0]]

candidates := [i | some i in ranked[settings.plan.next_turn_group]; not standings[i].terminal]

# METADATA
# title: The short form of the plan that should-run carries
summary := {
	"registered_goals": count(standings),
	"health_blockers": count({i | standings[i].health_ok == false}) + count(health_items),
	"next_automatic_turn": next_goal,
	"states": object.union(
		{group: 0 | some group in settings.plan.group_order},
		{group: count(some_members) | some group, some_members in placed},
	),
}

default next_goal := null

next_goal := standings[candidates[0]].goal_id

# METADATA
# title: Findings that belong to no goal
# description: A broken registry or another global finding; every decision fails closed on them.
# custom:
#   id: plan.health_items
health_items := [finding | some finding in input.findings; finding.scope == "global"]

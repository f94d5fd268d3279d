package loopx.todos

import data.loopx.request
import data.loopx.settings

# --- summaries

# The first items of each list, as many as the settings show, and how many the limits left out.
lanes(listed) := object.union({lane: [item(id) | some id in array.slice(some_ids, 0, limits[lane])] | some lane, some_ids in listed}, cut) if {
	omitted := {lane: n |
		some lane, some_ids in listed
		count(some_ids) > limits[lane]
		n := count(some_ids) - limits[lane]
	}
	cut := {"payload_compaction": {"omitted_lanes": omitted} | count(omitted) > 0}
}

limits := settings.todos.limits

agent_lists := {
	"first_open_items": selectable_order,
	"first_executable_items": first_executable,
	"gate_open_items": [],
	"deferred_items": deferred,
	"deferred_resume_candidates": deferred_ready,
	"resume_blocked_items": projection(resume_blocked),
	"monitor_due_items": due_order,
	"monitor_capability_blocked_due_items": projection(due_blocked),
	"monitor_schedule_gap_items": projection(schedule_gap),
}

# METADATA
# title: Summary of the agent todos
# description: The worker's next safe follow-up list.
# custom: {id: agent_todo.checklist, sets: [agent_todo_summary], settings: [limits]}
agent_summary := object.union_n([
	totals("agent", agent),
	lanes(agent_lists),
	{
		"open_count": agent_open_count,
		"all_open_count": agent_all_open_count,
		"monitor_open_count": count(agent_open & mon_class),
		"monitor_due_count": count(due),
		"monitor_capability_blocked_due_count": count(due_blocked),
		"monitor_schedule_gap_count": count(schedule_gap),
		"current_agent_claimed_open_count": count(selectable & own),
		"current_agent_claimed_advancement_count": count(adv & own),
		"current_agent_claimed_monitor_count": count(mon & own),
		"unclaimed_open_count": count(selectable & unclaimed),
		"claimed_by_others_count": count(agent_open & others),
	},
	claim_scope,
])

# METADATA
# title: Claim scope of the agent summary
# custom: {id: scope.claim_scope}
default claim_scope := {}

claim_scope := {"claim_scope": object.union(settings.todos.claim_scope, {
	"agent_id": request.agent_id,
	"selectable_open_count": count(selectable),
	"current_agent_claimed_open_count": count(selectable & own),
	"unclaimed_open_count": count(selectable & unclaimed),
	"other_agent_claimed_open_count": count(agent_open & others),
	"executor_excluded_self_count": count(agent_open & excluded_me),
	"removed_continuation_blocked_count": count(agent_open & removed),
})} if {
	request.scoped
}

user_lists := {
	"first_open_items": projection(gates_mine | actions_mine),
	"gate_open_items": projection(gates_mine),
	"user_action_items": projection(actions_mine),
	"other_agent_scoped_items": projection(gates_other),
	"other_agent_bound_user_action_items": projection(actions_other | (gates_other & bound)),
}

# METADATA
# title: Summary of the user todos
# custom: {id: scope.open_count, sets: [user_todo_summary, open_count], settings: [limits]}
user_summary := object.union_n([
	totals("user", user),
	lanes(user_lists),
	{
		"open_count": user_open_count,
		"all_open_count": count(user_open),
		"monitor_open_count": 0,
		"user_action_open_count": count(actions_mine),
		"other_agent_bound_user_action_open_count": count(user_lists.other_agent_bound_user_action_items),
	},
])

# Counts of one role. Done counts what is closed: done and deferred.
totals(role, members) := object.union(
	{
		"schema_version": "todo_summary_v0",
		"source_section": object.get(input.state, concat("_", [role, "section"]), settings.todos.sections[role]),
		"total_count": count(members),
		"done_count": count(members & (done | deferred_ids)),
		"deferred_count": count(members & deferred_ids),
		"source_completeness": completeness(role),
	},
	closure({id | some id in (members & done); by_id[id].no_followup}),
)

# METADATA
# title: The todo source of a role is complete
# description: "role: user or agent. The state file was read and none of its todo lines is malformed."
# custom: {id: todo.source_completeness}
completeness(role) := {
	"schema_version": "todo_source_completeness_v0",
	"source": "structured_todo_projection",
	"role": role,
	"status": validity[role],
	"terminal_closure": validity[role],
}

validity[role] := "valid" if {
	some role in ["user", "agent"]
	complete(role)
}

validity[role] := "invalid" if {
	some role in ["user", "agent"]
	not complete(role)
}

complete(role) if {
	input.state.exists
	not role in input.state.malformed
}

closure(closed) := {"closure_intent": {
	"schema_version": "todo_closure_intent_v0",
	"kind": "no_followup",
	"derived": true,
	"source": "todo_no_followup",
	"count": count(closed),
}} if {
	count(closed) > 0
}

closure(closed) := {} if count(closed) == 0

package loopx.capability_gate

import data.loopx.lib.rank
import data.loopx.request
import data.loopx.settings
import data.loopx.todos

# --- the gate as shown

# METADATA
# title: Runnable candidates
# description: In projection order, so a P0 stands before any P1; the agent chooses.
# custom: {id: cap.order, sets: [capability_gate.runnable_candidates], settings: [order_policy]}
runnable := [object.union(verdicts[id], {"todo_id": id}) | some id in runnable_order]

verdicts := object.union_n([
	{id: {"missing_capabilities": [], "capability_action": "run"} | some id in runnable_ids},
	{id: {"missing_target_capabilities": missing} | some id, missing in missing_targets},
	{id: {"capability_repair_mode": true, "capability_action": "repair_bridge"} | some id in repairing},
])

# METADATA
# title: Blocked candidates
# description: In projection order; a blocked P0 stays visible beside a runnable P1.
# custom: {id: cap.candidate.blocked, sets: [capability_gate.blocked_candidates]}
blocked := [{"todo_id": id, "missing_capabilities": missing, "capability_action": blocked_action(missing)} |
	some id in blocked_order
	missing := todos.missing_capabilities[id]
]

blocked_action(missing) := settings.capability.owners[decisive(missing)].gate_action

# The class that decides over a list of missing capabilities.
decisive(missing) := [class |
	some class in settings.capability.order
	count(of_class(missing, class)) > 0
][0]

# The first candidates of a list with the metadata of their todos.
shown(listed) := [object.union_n([
	object.filter(t, settings.capability.candidate_keys),
	{"text": substring(t.text, 0, settings.capability.text_limit), "task_class": todos.class[candidate.todo_id]},
	candidate,
]) |
	some candidate in array.slice(listed, 0, settings.capability.shown)
	t := todos.by_id[candidate.todo_id]
]

# METADATA
# title: Who resolves each missing capability
# description: |
#   One binding for an owner and capability over all blocked candidates, present also when something else can run.
#   Closing the bound todo does not make the capability available; the next call says so itself.
# custom: {id: cap.binding, sets: [capability_gate.resolution_bindings], settings: [owners, priorities, default_priority]}
bindings := [{
	"owner": owner.owner,
	"action": owner.action,
	"capability": capability,
	"priority": priority(held_back[0]),
	"primary_blocked_todo_id": held_back[0],
	"blocked_todo_ids": held_back,
} |
	some capability in blocked_missing
	owner := settings.capability.owners[object.get(class_of, capability, "unsupported")]
	held_back := [id | some id in blocked_order; capability in todos.missing_capabilities[id]]
]

priority(id) := array.concat(
	[written | written := sprintf("P%d", [todos.by_id[id].rank]); written in settings.capability.priorities],
	[settings.capability.default_priority],
)[0]

# METADATA
# title: Missing capabilities that the owner holds
# custom: {id: cap.binding.owner}
owner_missing := of_class(blocked_missing, "ask_owner")

# METADATA
# title: Missing bridges
# description: The agent repairs or observes them; they are never asked of the user.
# custom: {id: cap.no_permission}
bridge_missing := of_class(blocked_missing, "repair_bridge")

# METADATA
# title: Missing capabilities that nobody here can supply
# description: Listed and bound to the gate itself, for visibility only.
# custom: {id: cap.binding.none}
unsupported_missing := of_class(blocked_missing, "unsupported")

# METADATA
# title: What this call has
# description: A repaired bridge counts once the caller has verified it and passes it; nothing is remembered.
# custom: {id: cap.once_verified}
available := request.capability_list

default owner_action := null

owner_action := concat(" ", [strings.replace_n(
	{"{capability}": binding.capability, "{todo}": binding.primary_blocked_todo_id},
	settings.capability.owner_action,
) |
	some binding in bindings
	binding.owner == "user"
]) if {
	count(owner_missing) > 0
}

# METADATA
# title: The capability gate
# description: Undefined when there is nothing to gate.
# custom: {id: cap.gate, sets: [capability_gate], settings: [reasons, selection_policy]}
gate := object.union(common, verdict) if action != "none"

common := {
	"schema_version": "capability_gate_v0",
	"source": source,
	"action": action,
	"available": available,
	"reason": settings.capability.reasons[action],
	"owner_action": owner_action,
	"runnable_candidates": shown(runnable),
	"blocked_candidates": shown(blocked),
	"blocked_missing": blocked_missing,
	"resolution_bindings": bindings,
	"owner_missing": owner_missing,
	"unsupported_missing": unsupported_missing,
	"runnable_count": count(runnable_ids),
	"blocked_count": count(blocked_ids),
	"candidate_order_policy": order_policy,
}

verdict := {
	"decision_owner": "agent",
	"required": required_of(runnable_order),
	"missing": [],
	"selection_policy": settings.capability.selection_policy.run,
	"repair_missing": in_order([repair_targets, bridge_missing]),
	"repair_candidate_count": count(repairing),
} if {
	action == "run"
}

verdict := {
	"decision_owner": settings.capability.owners[decisive(blocked_missing)].decision_owner,
	"required": required_of(blocked_order),
	"missing": blocked_missing,
	"selection_policy": settings.capability.selection_policy.blocked,
	"repair_missing": bridge_missing,
	"repair_candidate_count": 0,
	"resolution_steps": steps,
	"blocks_delivery": true,
} if {
	action != "run"
}

repair_targets := [c |
	some id in todos.projection(repairing)
	some c in of_class(missing_targets[id], "repair_bridge")
]

steps := [{"owner": owner.owner, "action": owner.action, "capabilities": capabilities} |
	some class in settings.capability.order
	owner := settings.capability.owners[class]
	capabilities := of_class(blocked_missing, class)
	count(capabilities) > 0
]

source := settings.capability.sources.active if count(todos.next_action_executable) > 0

source := settings.capability.sources.backlog if count(todos.next_action_executable) == 0

order_policy := settings.capability.order_policy.unscoped if not request.scoped

order_policy := settings.capability.order_policy.profile if request.identity.agent_profile

order_policy := settings.capability.order_policy.agent if {
	request.scoped
	not request.identity.agent_profile
}

# --- monitors while nothing else can run

# METADATA
# title: A due monitor takes the turn that no todo can use
# custom: {id: lane.cap_fallback.due, sets: [capability_monitor_fallback]}
# labels: {rule: lane.cap_fallback.due}
fallback_row contains {"rank": 10, "value": "due_monitor_attempt", "rule": "lane.cap_fallback.due"} if todos.due_first

# METADATA
# title: A monitor without schedule is repaired meanwhile
# custom: {id: lane.cap_fallback.gap, sets: [capability_monitor_fallback]}
# labels: {rule: lane.cap_fallback.gap}
fallback_row contains {"rank": 20, "value": "monitor_schedule_metadata_repair", "rule": "lane.cap_fallback.gap"} if {
	count(todos.schedule_gap) > 0
}

# METADATA
# title: Open monitors are watched quietly meanwhile
# custom: {id: lane.cap_fallback.quiet, sets: [capability_monitor_fallback]}
# labels: {rule: lane.cap_fallback.quiet}
fallback_row contains {"rank": 30, "value": "monitor_quiet_wait", "rule": "lane.cap_fallback.quiet"}

# METADATA
# title: Monitors take the turn
# description: |
#   When the gate skips and monitors are open, or when a due monitor is all that can run. Undefined otherwise.
# custom: {id: lane.cap_fallback, sets: [capability_monitor_fallback], settings: [monitor_fallback]}
monitor_fallback := {
	"schema_version": "capability_skip_monitor_fallback_v0",
	"mode": row.value,
	"rule": row.rule,
	"obligation": settings.capability.monitor_fallback[row.value],
	"reason_code": fallback_reason,
	"missing": blocked_missing,
	"blocked_todo_ids": blocked_order,
} if {
	no_todo_can_run
	count(todos.mon) > 0
	row := rank.winner(fallback_row)
}

no_todo_can_run if action == "skip"

no_todo_can_run if {
	action == "run"
	count(executable) > 0
	count(executable & runnable_ids) == 0
	todos.hidden_count == 0
}

fallback_reason := "advancement_unavailable_by_capability" if count(blocked_ids & executable) > 0

fallback_reason := "due_monitor_unavailable_by_capability" if count(blocked_ids & executable) == 0

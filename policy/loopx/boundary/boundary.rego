# METADATA
# title: Write boundary
# description: |
#   What the goal may write, and whether the first executable todo stays inside it. Reads the registry row's boundary
#   data, the todo that would run, state and health. Runs and hosts may not enter; a repair never widens the boundary.
# schemas:
#   - input: schema.facts.input
package loopx.boundary

import data.loopx.agent_scope
import data.loopx.capability_gate
import data.loopx.goal
import data.loopx.health
import data.loopx.request
import data.loopx.settings
import data.loopx.todos

# --- what the goal may write

# METADATA
# title: A write scope in normal form
# description: Relative, without parent segments, spaces or angle brackets, at most 160 characters.
# custom: {id: boundary.scope_norm, settings: [scope_pattern, parent_segment]}
normal(scopes) := {scope |
	some scope in scopes
	regex.match(settings.boundary.scope_pattern, scope)
	not regex.match(settings.boundary.parent_segment, scope)
}

# METADATA
# title: Authorities that add scopes now
# description: Approved, with scopes, source and record time, and not expired.
# custom: {id: boundary.authority, settings: [authority]}
active := [entry | some i, entry in input.goal.boundary_authority; i in active_at]

active_at := {i |
	some i, entry in input.goal.boundary_authority
	entry.schema_version == settings.boundary.authority.schema_version
	entry.status in settings.boundary.authority.statuses
	entry.decision == settings.boundary.authority.decision
	count(entry.write_scope) > 0
	entry.source
	entry.recorded_ns
	not expired(entry)
}

expired(entry) if entry.expires_ns <= request.now_ns

expired(entry) if {
	entry.expires_at
	not entry.expires_ns
}

# METADATA
# title: Instants at which an authority expires
time_edges contains entry.expires_ns if some entry in input.goal.boundary_authority

inactive := [entry | some i, entry in input.goal.boundary_authority; not i in active_at]

# METADATA
# title: Scopes the goal may write
# description: The registry's and those of active authorities or of a summary of them, in order, each once.
# custom: {id: boundary.allowed, sets: [goal_boundary.write_scope]}
allowed := [listed[i] |
	listed := array.concat(input.goal.write_scope, approved)
	some i
	listed[i] in normal(listed)
	not listed[i] in array.slice(listed, 0, i)
]

approved := [scope | some entry in active; some scope in entry.write_scope] if count(input.goal.boundary_authority) > 0

# a shared projection keeps the scopes of the active entries and not the entries
approved := object.get(input.goal, "boundary_authority_scope", []) if count(input.goal.boundary_authority) == 0

authority := {"checkpointed_boundary_authority": {
	"active_count": count(active),
	"inactive_count": count(inactive),
	"active_write_scope": sort({scope | some entry in active; some scope in entry.write_scope}),
}} if {
	count(input.goal.boundary_authority) > 0
}

default authority := {}

# METADATA
# title: The goal's boundary as shown
# description: Null when the registry row has no boundary data.
# custom: {id: boundary.goal, sets: [goal_boundary], settings: [rule, stop_condition]}
default goal_boundary := null

goal_boundary := object.union_n([
	{
		"rule": settings.boundary.rule,
		"adapter": {"kind": goal.adapter_kind, "status": goal.adapter_status},
		"write_scope": allowed,
		"available_capabilities": input.goal.available_capabilities,
		"requires_parent_approval": input.goal.requires_parent_approval,
		"guards": input.goal.guards,
		"next_probe": object.get(input.goal, "next_probe", null),
		"stop_condition": settings.boundary.stop_condition,
		"execution_profile": {"minimum_scale": goal.profile.minimum_scale},
	},
	authority,
	{"orchestration": {
		"mode": object.get(spawn, "mode", "default"),
		"spawn_allowed": spawn.allowed,
		"max_children": spawn.max_children,
	} |
		spawn := input.goal.spawn_policy
	},
]) if {
	input.goal.has_boundary
}

# --- the first executable todo

# METADATA
# title: The todo whose scopes are compared
# description: |
#   Only the first executable advancement: the caller's selected slice; else the first runnable candidate of the gate;
#   else the first executable or open advancement.
# custom: {id: boundary.candidate}
candidate := agent_scope.next_action.todo_id if request.scoped

candidate := todos.projection(runnable)[0] if not request.scoped

runnable := capability_gate.runnable_ids & todos.adv if capability_gate.action == "run"

runnable := {todos.first_adv} if capability_gate.action == "none"

runnable := todos.selectable & todos.adv_class if {
	capability_gate.action == "none"
	not todos.first_adv
}

required := [scope | some scope in todos.by_id[candidate].required_write_scopes; scope in normal([scope])]

# METADATA
# title: Required scopes outside the boundary
# description: |
#   A scope is covered when it equals an allowed pattern or the pattern, as a shell glob whose star crosses slashes,
#   matches all of it.
# custom: {id: boundary.match}
missing := [scope | some scope in required; not covered(scope)]

covered(scope) if scope in allowed

covered(scope) if regex.match(globs[_], scope)

# Allowed patterns as expressions. A star crosses slashes; brackets that are no class are plain text.
globs := {glob |
	some pattern in allowed
	glob := sprintf("(?s)^%s$", [strings.replace_n(brackets(pattern), strings.replace_n(literal, pattern))])
	regex.is_valid(glob)
}

literal := {
	`\`: `\\`,
	".": `\.`,
	"+": `\+`,
	"(": `\(`,
	")": `\)`,
	"|": `\|`,
	"{": `\{`,
	"}": `\}`,
	"^": `\^`,
	"$": `\$`,
	"*": ".*",
	"?": ".",
}

brackets(pattern) := {"[!": "[^"} if regex.match(`^(?:[^\[\]]|\[[^\[\]]+\])*$`, pattern)

brackets(pattern) := {"[": `\[`, "]": `\]`} if not regex.match(`^(?:[^\[\]]|\[[^\[\]]+\])*$`, pattern)

# METADATA
# title: Normal delivery is otherwise allowed
# custom: {id: boundary.pre}
delivers if {
	agent_scope.state == "eligible"
	health.ok
}

# METADATA
# title: What a repair turn is
# description: A self-repair of the boundary; delivery rests until it is validated.
# custom: {id: boundary.effect, sets: [effective_action, blocked_action_scope], settings: [hint]}
effect := settings.boundary.hint

# METADATA
# title: How a repair turn ends
# custom: {id: boundary.exits, sets: [stall_self_repair.repair_focus], settings: [exits]}
exits := {"repair_focus": settings.boundary.exits}

# METADATA
# title: Repair the boundary before delivery
# description: The candidate needs a scope outside the boundary. Undefined otherwise.
# custom: {id: boundary.repair, sets: [stall_self_repair, boundary_projection_gap]}
repair := object.union_n([
	effect,
	exits,
	{
		"required_write_scopes": required,
		"allowed_write_scopes": allowed,
		"missing_write_scopes": missing,
		"selected_todo": object.union(
			object.filter(todos.by_id[candidate], ["index", "priority", "action_kind"]),
			{"todo_id": candidate, "task_class": todos.class[candidate]},
		),
		"selected_todo_text": substring(todos.by_id[candidate].text, 0, settings.boundary.text_limit),
	},
	authority,
	{"inactive_authority_candidates": array.slice(inactive, 0, settings.boundary.authority.inactive_shown) |
		count(inactive) > 0
	},
]) if {
	delivers
	count(missing) > 0
}

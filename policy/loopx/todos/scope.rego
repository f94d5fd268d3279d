package loopx.todos

import data.loopx.goal
import data.loopx.request
import data.loopx.settings

# --- whose todos

claims := {id: holder | holder := by_id[id].claimed_by}

# METADATA
# title: Live agent todos that the caller has claimed
own := live & {id |
	me := request.agent_id
	some id
	claims[id] == me
}

# METADATA
# title: Live agent todos that nobody has claimed
unclaimed := live - object.keys(claims)

# METADATA
# title: Live agent todos of other agents
# description: Empty for an unscoped call.
default others := set()

others := (live - own) - unclaimed if request.scoped

excluded_me := live & {id |
	me := request.agent_id
	some id in excluding
	me in by_id[id].excluded_agents
}

removed := live & {id | some id; by_id[id].removed_continuation_policy}

# METADATA
# title: Live agent todos that the caller may not take
# description: Held by a peer, excluding the caller, or with a retired continuation policy. None for an unscoped call.
# custom: {id: scope.select}
default out_of_scope := set()

out_of_scope := (others | excluded_me) | removed if request.scoped

selectable := agent_open - out_of_scope

selectable_order := projection(selectable)

# METADATA
# title: Executable advancement in the caller's scope
adv := advancement - out_of_scope

# METADATA
# title: Executable monitors in the caller's scope
mon := monitors - out_of_scope

# METADATA
# title: Executable advancement in base order
# description: Own claims first, then unclaimed, each in projection order.
first_executable := array.concat(projection(adv & own), projection(adv - own))

# METADATA
# title: First executable advancement
# description: Undefined when none.
first_adv := first_executable[0]

# METADATA
# title: Open todos that the projection does not show
# description: The facts hold every todo, so none today; a truncated projection must count as advancement.
hidden_count := count(agent_open - ids)

# METADATA
# title: Open agent todos that count for the caller
# custom: {id: scope.open_count}
agent_open_count := count(selectable)

agent_all_open_count := count(agent_open)

# --- todos of the user

# METADATA
# title: Open user gates
# description: By class, or without a class by a word of permission in the action kind.
# custom: {id: gate.detect, settings: [gate_tokens]}
gates := {id | some id in user_open; by_id[id].task_class == "user_gate"} | {id |
	some id in (user_open & unclassed)
	some token in settings.todos.gate_tokens
	contains(by_id[id].action_kind, token)
}

actions := user_open - gates

bindings := {id: agent | some id in user_open; agent := by_id[id].bound_agent}

blocks := {id: agent | agent := by_id[id].blocks_agent}

bound := object.keys(bindings)

blocking := user_open & object.keys(blocks)

bound_here := {id | bindings[id] == request.agent_id}

goal_bound := {id | some id in user_open; by_id[id].goal_bound}

global_gates := {id | some id in user_open; by_id[id].global_gate}

blocks_here := {id | some id in blocking; blocks[id] == request.agent_id}

names_agent := bound | blocking

# METADATA
# title: Unbound user todos belong to the only agent
# custom: {id: scope.bound_required}
default unbound_mine := set()

unbound_mine := user_open - names_agent if not goal.multi_agent

# METADATA
# title: Open gates of the caller
# description: Goal-wide, for the caller, or unbound in a goal of one agent. All gates for an unscoped call.
# custom: {id: scope.gate_filter}
gates_mine := gates if not request.scoped

gates_mine := gates & union({global_gates, goal_bound, bound_here, blocks_here, unbound_mine}) if request.scoped

# METADATA
# title: Open gates of other agents
gates_other := (gates - gates_mine) & names_agent

# METADATA
# title: Open user actions of the caller
# description: A claim never routes a user todo. All actions for an unscoped call.
# custom: {id: scope.action_filter}
actions_mine := actions if not request.scoped

actions_mine := actions & union({goal_bound, bound_here, unbound_mine}) if request.scoped

# METADATA
# title: Open user actions bound to other agents
actions_other := (actions - actions_mine) & bound

# METADATA
# title: Open user todos that count for the caller
# custom: {id: scope.open_count}
user_open_count := count(gates_mine) + count(actions_mine)

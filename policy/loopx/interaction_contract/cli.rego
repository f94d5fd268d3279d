# The commands that follow the turn, as argument vectors (decision.md 8.4).
package loopx.interaction_contract

import data.loopx.capability_gate
import data.loopx.frontier
import data.loopx.gates
import data.loopx.goal
import data.loopx.request
import data.loopx.route
import data.loopx.scheduler_hint
import data.loopx.todos
import data.loopx.work_mode

next_cli_actions := [argv |
	some name in object.get(texts.cli_steps, stepped_mode, [])
	some argv in steps[name]
]

# METADATA
# title: The mode whose steps are taken
# description: A delivery that is the attempt of a due monitor is polled first; what the poll shows decides whether there is anything to spend.
# custom: {id: ic.next_cli_actions.due, sets: [interaction_contract], settings: [interaction.attempt_obligations, interaction.attempt_modes]}
stepped_mode := "monitor_due" if attempts_monitor

stepped_mode := mode if not attempts_monitor

attempts_monitor if {
	mode in texts.attempt_modes
	final.lane.obligation in texts.attempt_obligations
}

# METADATA
# title: Commands by step
# custom: {id: ic.next_cli_actions, sets: [interaction_contract], settings: [interaction.cli_steps]}
steps["claim"] := [array.flatten([
	texts.argv.claim, scope_args, "--todo-id", selected_todo.todo_id, "--claimed-by", selected_todo.agent_id,
]) |
	selected_todo.claim_required_before_work
]

steps["refresh"] := [array.flatten([refresh_args, capability_args])]

# A spend needs a delivery with an outcome; an agent whose work came to something else says so instead.
steps["deliver"] := [array.flatten([refresh_args, texts.argv.outcome, capability_args])]

refresh_args := array.flatten([texts.argv.refresh, scope_args, todo_args, turn_args])

steps["spend"] := [array.flatten([texts.argv.spend, scope_args, spend_args, turn_args, capability_args, "--execute"])]

steps["rerun"] := [array.flatten([texts.argv.rerun, scope_args, context_args, capability_args])]

steps["poll"] := [array.flatten([texts.argv.poll, scope_args, lane_todo_args, capability_args, "--execute"]) |
	not recorded_by_the_guard
]

# What the replan changed only its agent can say (--repair-delta-kind); a change that may not be spent is recorded as a gap.
steps["replan"] := [array.flatten([texts.argv.replan, scope_args, obligation_args, turn_args, texts.argv.outcome])]

steps["successor"] := [array.flatten([texts.argv[command], scope_args, "--todo-id", selected_todo.todo_id]) |
	some command in ["todo_update", "todo_complete"]
]

steps["capability"] := array.concat(owner_writes, agent_writes)

scope_args := array.concat(["--goal-id", goal.id], agent_args)

default agent_args := []

agent_args := ["--agent-id", request.agent_id]

default todo_args := []

todo_args := ["--todo-id", selected_todo.todo_id]

# A replan is accounted against its obligation, everything else against the selected todo.
spend_args := obligation_args if route.replan

spend_args := todo_args if not route.replan

# What this call was told is available has to be said again: capability truth lives for one call.
capability_args := [arg | some capability in request.runtime_capabilities; some arg in ["--available-capability", capability]]

context_args := ["--runtime-profile", scheduler_hint.profile]

context_args := [arg |
	some field, value in scheduler_hint.context
	some arg in [concat("", ["--", replace(field, "_", "-")]), value]
] if {
	not scheduler_hint.profile
}

# A guard with a turn id has already recorded the unchanged poll.
recorded_by_the_guard if {
	request.turn_id
	mode == "monitor_quiet_skip"
}

default obligation_args := []

obligation_args := ["--replan-obligation-id", frontier.obligation.obligation_id]

# The id of the guard's turn settles its refresh and its spend, so that a repeat counts once.
default turn_args := []

turn_args := [texts.argv.turn, request.turn_id]

default lane_todo_args := []

lane_todo_args := ["--todo-id", work_mode.final.lane.selected_todo_id]

# METADATA
# title: Ask the owner for a capability
# description: One user gate per owner binding, bound to the agent; an open one for the same capability and todo is not repeated.
# custom: {id: cap.binding.owner.write, sets: [interaction_contract]}
owner_writes := [argv |
	some binding in gates.owner_bindings
	not asked[[binding.capability, binding.primary_blocked_todo_id]]
	argv := array.flatten([
		texts.argv.owner_todo, "--goal-id", goal.id, "--text", sprintf(texts.owner_todo_text, [binding.capability]),
		"--target-capability", binding.capability, "--unblocks-todo-id", binding.primary_blocked_todo_id, bound_args,
	])
]

asked[[capability, t.unblocks_todo_id]] if {
	some id in todos.user_open
	t := todos.by_id[id]
	some capability in t.target_capabilities
}

bound_args := ["--blocks-agent", request.agent_id]

bound_args := ["--goal-bound"] if not request.scoped

# METADATA
# title: Write down the bridge to build
# description: One advancement todo per agent binding, unless one for the same capability is open.
# custom: {id: cap.binding.agent, sets: [interaction_contract]}
agent_writes := [argv |
	some binding in agent_bindings
	not materializing[binding.capability]
	argv := array.flatten([
		texts.argv.agent_todo, "--goal-id", goal.id, "--text", sprintf(texts.agent_todo_text, [binding.capability]),
		"--required-capability", "shell", "--target-capability", binding.capability,
	])
]

agent_bindings := [binding |
	some binding in capability_gate.gate.resolution_bindings
	binding.owner == "agent"
]

materializing contains capability if {
	some id in todos.actionable
	some capability in todos.by_id[id].target_capabilities
}

# METADATA
# title: Come back with the capability
# description: A bridge is missing; once its real call site works, the guard is asked again with the flag.
# custom: {id: cap.session, sets: [interaction_contract]}
default reentry := {}

reentry := {"runtime_capability_reentry": {
	"schema_version": "runtime_capability_reentry_v0",
	"capabilities": [binding.capability | some binding in agent_bindings],
	"command": array.flatten([texts.argv.rerun, scope_args, context_args, capability_args, [arg |
		some binding in agent_bindings
		some arg in ["--available-capability", binding.capability]
	]]),
}} if {
	count(agent_bindings) > 0
}

# METADATA
# title: The contract of the turn
# description: |
#   The first object an executor reads: must a person be interrupted, must the agent attempt work, is delivery allowed,
#   is a quiet turn allowed, is a spend allowed after validation. first is built before the notification cooldown and is
#   all that the scheduler reads; contract is the final one. Reads the final turn and the gates.
package loopx.interaction_contract

import data.loopx.agent_scope
import data.loopx.frontier
import data.loopx.gates
import data.loopx.goal
import data.loopx.hints
import data.loopx.lib.rank
import data.loopx.quota
import data.loopx.request
import data.loopx.scheduler_hint
import data.loopx.scope_frontier
import data.loopx.settings
import data.loopx.todos
import data.loopx.verdict
import data.loopx.work_mode

texts := settings.interaction

final := work_mode.final

duty := final.obligation

# METADATA
# title: The contract before the cooldown
first := built if not quota.paused

first := paused if quota.paused

# METADATA
# title: The contract that leaves the guard
# description: A suppressed gate notice turns the ask into a quiet wait; everything else stays.
# custom: {id: ic.mode.user_gate_cooldown_wait, covers: [pipe.cooldown], sets: [interaction_contract]}
contract := first if not cooling

contract := object.union(object.remove(first, ["response_plan", "fallback_policy"]), cooled) if cooling

default cooling := false

cooling if scheduler_hint.cooldown.notification_suppressed

cooled := {
	"mode": "user_gate_cooldown_wait",
	"user_channel": {"action_required": false, "notify": "DONT_NOTIFY", "actions": [], "reason": texts.cooldown_reason},
	"agent_channel": idle_agent("user_gate_cooldown_wait"),
	"cli_channel": {"spend_after_validation": false, "next_cli_actions": []},
}

# METADATA
# title: The heartbeat mode of a paused goal
# description: Undefined when the goal is not paused.
pause_mode := texts.pause_modes[quota.object.pause_cause] if quota.paused

paused := {
	"schema_version": "loopx_interaction_contract_v0",
	"mode": "skip",
	"user_channel": {
		"action_required": false,
		"notify": "DONT_NOTIFY",
		"actions": [],
		"max_items": texts.max_items,
		"reason": quota.object.reason,
	},
	"agent_channel": idle_agent("skip"),
	"cli_channel": {
		"spend_allowed_now": false,
		"spend_after_validation": false,
		"spend_policy": texts.spend_policy,
		"next_cli_actions": [],
	},
}

idle_agent(name) := {
	"must_attempt": false,
	"delivery_allowed": false,
	"quiet_noop_allowed": true,
	"primary_action": texts.primary_actions[name],
	"resolution_trace": {"summary": name},
}

built := object.union_n([
	{
		"schema_version": "loopx_interaction_contract_v0",
		"mode": mode,
		"user_channel": user_channel,
		"agent_channel": {
			"must_attempt": must_attempt,
			"delivery_allowed": delivery_allowed,
			"quiet_noop_allowed": quiet_allowed,
			"primary_action": texts.primary_actions[mode],
			"resolution_trace": {"summary": sprintf("%s: %s (%s)", [mode, final.effective_action, duty.kind])},
		},
		"cli_channel": object.union(
			{
				"spend_allowed_now": false,
				"spend_after_validation": mode in texts.spend_modes,
				"spend_policy": object.get(texts.spend_policies, mode, texts.spend_policy),
				"next_cli_actions": next_cli_actions,
			},
			reentry,
		),
	},
	{"response_plan": response_plan | response_plan},
	{"fallback_policy": {"do_not_cancel_on_block": true} | keeps_on_block},
])

# METADATA
# title: Ask and wait, never in silence
# description: A person must act and is interrupted, and the agent may neither work nor stay quiet.
# custom: {id: ic.response_plan, sets: [interaction_contract]}
response_plan := {
	"schema_version": "interaction_response_plan_v0",
	"kind": "surface_user_gate",
	"decision": "ask_user",
	"action_sequence": ["notify", "wait"],
	"silent_wait_allowed": false,
} if {
	required
	not must_attempt
}

# METADATA
# title: A block is no reason to cancel
# description: In the modes that wait for a person or fall back, and beside blocked work of higher priority.
# custom: {id: ic.fallback_policy, covers: [pipe.interaction], sets: [interaction_contract], settings: [interaction.fallback_modes]}
keeps_on_block if mode in texts.fallback_modes

keeps_on_block if {
	is_object(hints.blocked_priority_fallback)
	not work_mode.decides
}

# METADATA
# title: What a wait is identified by
# description: The scheduler compares it between polls.
identity := {
	"goal_id": goal.id,
	"agent_identity.agent_id": caller,
	"effective_action": final.effective_action,
	"heartbeat_recommendation.recommended_mode": final.heartbeat.recommended_mode,
	"interaction_contract.mode": mode,
	"recommended_action": final.recommended_action,
} if {
	not quota.paused
}

default caller := null

caller := request.agent_id

# METADATA
# title: The todo of this turn
# description: Undefined when none is selected.
selected_todo := agent_scope.selected_todo if {
	not verdict.scope_action
	not watches_only
}

selected_todo := scope_frontier.selected_todo if verdict.scope_action

# An agent that only watches selects nothing but its due monitor.
watches_only if {
	work_mode.decides
	not final.should_run
}

default must_attempt := false

must_attempt if {
	duty.must_attempt_work
	not required
	not vision_wait
}

must_attempt if beside_user

vision_wait if frontier.vision_wait

# Work goes on beside the open user todo.
beside_user if mode in texts.beside_user_modes

default delivery_allowed := false

delivery_allowed if {
	must_attempt
	delivery_granted
}

# The obligation may rule delivery out; without a word of its own the granted turn decides.
delivery_granted if duty.delivery_allowed

delivery_granted if {
	not "delivery_allowed" in object.keys(duty)
	final.should_run
}

default quiet_allowed := false

quiet_allowed if {
	not required
	not must_attempt
	mode in texts.quiet_modes
}

# METADATA
# title: The user's channel
# custom: {id: user_todo.quiet_monitor, sets: [interaction_contract], settings: [interaction.max_items]}
user_channel := object.union(
	{
		"action_required": required,
		"notify": notify,
		"actions": shown,
		"max_items": texts.max_items,
		"reason": rank.winner(reason_row).value,
	},
	{"non_blocking": true | notice},
)

notify := "NOTIFY" if required

notify := "NOTIFY" if notice

notify := "DONT_NOTIFY" if {
	silent
	not required
}

notify := final.heartbeat.notify if {
	not required
	not notice
	not silent
}

# METADATA
# title: A notice that does not block
# description: A user action of this scope is open, nobody must act and the turn is not a silent one.
# custom: {id: ic.notice, sets: [interaction_contract]}
default notice := false

notice if {
	not required
	not silent
	some id in todos.actions_mine
	todos.class[id] == "user_action"
}

default shown := []

shown := array.slice(asks, 0, texts.max_items) if required

shown := array.slice(asks, 0, texts.max_items) if notice

asks := labels if count(labels) > 0

asks := questions if count(labels) == 0

labels := array.concat(gates.labels, [text | text := gates.capability_question])

questions := array.flatten([
	[text | text := gates.prompt],
	[text | text := gates.surface.operator_question],
	[text | text := gates.projection_bug.message],
])

reason_row contains {"rank": 20, "value": gates.reason} if required

reason_row contains {"rank": 30, "value": gates.prompt} if required

reason_row contains {"rank": 35, "value": gates.projection_bug.message} if required

reason_row contains {"rank": 40, "value": final.reason}

reason_row contains {"rank": 10, "value": final.reason} if final.self_repair

fired["interaction_contract.mode"] := mode_winner

fired["requires_user_action"] := required_winner

runners["interaction_contract.mode"] := rank.runner_up(mode_row)

runners["requires_user_action"] := rank.runner_up(required_row)

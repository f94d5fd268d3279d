# Does a person have to act before the agent goes on (decision.md 8.2).
package loopx.interaction_contract

import data.loopx.gates
import data.loopx.lib.rank
import data.loopx.route
import data.loopx.todos
import data.loopx.work_mode

# METADATA
# title: A turn that asks nobody
# description: A watching agent decides, the goal is closed or broken, the gate is the agent's own, or a poll is quiet.
# custom: {id: ic.user_required.silent, sets: [requires_user_action]}
# labels: {rule: ic.user_required.silent}
required_row contains {"rank": 10, "rule": "ic.user_required.silent", "value": false} if silent

default silent := false

silent if work_mode.decides

silent if gates.silent

silent if gates.runtime_gate_repair

silent if final.effective_action == "monitor_quiet_skip"

# METADATA
# title: A selected replan asks nobody
# description: A required replan holds the turn.
# custom: {id: ic.user_required.replan, sets: [requires_user_action]}
# labels: {rule: ic.user_required.replan}
required_row contains {"rank": 20, "rule": "ic.user_required.replan", "value": false} if route.replan

# METADATA
# title: The gates ask
# description: A gate, an open todo notice or a missing owner capability needs a person.
# custom: {id: ic.user_required, sets: [requires_user_action]}
# labels: {rule: ic.user_required}
required_row contains {"rank": 30, "rule": "ic.user_required", "value": true} if final.requires_user_action

# METADATA
# title: An open user todo gates
# description: A user todo of this scope is open and nothing says that it does not gate.
# custom: {id: ic.user_required.gating, sets: [requires_user_action], settings: [interaction.non_gating]}
# labels: {rule: ic.user_required.gating}
required_row contains {"rank": 40, "rule": "ic.user_required.gating", "value": true} if {
	some id in todos.actions_mine
	not non_gating[id]
}

non_gating[id] if {
	some id in todos.actions_mine
	todos.class[id] in texts.non_gating.classes
}

non_gating[id] if {
	some id in todos.actions_mine
	todos.by_id[id].action_kind in texts.non_gating.action_kinds
}

non_gating[id] if {
	some id in todos.actions_mine
	todos.by_id[id].non_gating
}

non_gating[id] if {
	some id in todos.actions_mine
	todos.by_id[id].gating == false
}

# METADATA
# title: Only the user action is left
# description: |
#   A user action is open and this agent has nothing executable, outside a quiet monitor lane and outside a turn that
#   repairs, recovers or replans; there it is a notice, for a user action never blocks the agent's own lane.
# custom: {id: ic.user_required.action, sets: [requires_user_action]}
# labels: {rule: ic.user_required.action}
required_row contains {"rank": 50, "rule": "ic.user_required.action", "value": true} if {
	count(todos.actions_mine) > 0
	count(todos.first_executable) == 0
	not quiet_lane
	not bounded_elsewhere
}

quiet_lane if {
	final.lane.lane == "continuous_monitor"
	final.lane.must_attempt_work == false
}

bounded_elsewhere if final.recovery

bounded_elsewhere if final.self_repair

bounded_elsewhere if {
	final.should_run
	duty.delivery_allowed == false
	duty.must_attempt_work
}

# METADATA
# title: Nobody must act
# description: No row above holds.
# custom: {id: ic.user_required.none, sets: [requires_user_action]}
# labels: {rule: ic.user_required.none}
required_row contains {"rank": 90, "rule": "ic.user_required.none", "value": false}

required_winner := rank.winner(required_row)

required := required_winner.value

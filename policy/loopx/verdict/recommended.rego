# The recommended action, from the strongest source that names one (decision.md 5.4).
package loopx.verdict

import data.loopx.agent_scope
import data.loopx.attention
import data.loopx.capability_gate
import data.loopx.frontier
import data.loopx.lib.rank
import data.loopx.repair
import data.loopx.route
import data.loopx.scope_frontier
import data.loopx.todos
import data.loopx.work_lane_contract

# METADATA
# title: The item's action
# description: No stronger source names an action.
# custom: {id: select.recommended.item, sets: [recommended_action]}
# labels: {rule: select.recommended.item}
action_text_row contains {"rank": 90, "rule": "select.recommended.item", "value": attention.item.recommended_action}

# METADATA
# title: The lane's action
# description: A quiet monitor skip holds the turn.
# custom: {id: select.recommended.lane, sets: [recommended_action]}
# labels: {rule: select.recommended.lane}
action_text_row contains {"rank": 60, "rule": "select.recommended.lane", "value": work_lane_contract.raw.action} if {
	monitor_quiet
}

# METADATA
# title: The lane's todo
# description: The lane must be attempted and no slice of this agent is selected.
# custom: {id: select.recommended.todo, sets: [recommended_action]}
# labels: {rule: select.recommended.todo}
action_text_row contains {"rank": 61, "rule": "select.recommended.todo", "value": text} if {
	not agent_scope.next_action
	work_lane_contract.raw.must_attempt_work
	text := todos.by_id[lane_todo].text
}

lane_todo := work_lane_contract.raw.selected_todo_id

lane_todo := todos.first_adv if not work_lane_contract.raw.selected_todo_id

# METADATA
# title: The gate's action
# description: The capability gate stops the turn or sends it to the bridge.
# custom: {id: select.recommended.capability, sets: [recommended_action]}
# labels: {rule: select.recommended.capability}
action_text_row contains {"rank": 50, "rule": "select.recommended.capability", "value": capability_gate.gate.reason} if {
	route.gate_blocks
}

# METADATA
# title: This agent's action
# description: The agent's own slice of the work is selected.
# custom: {id: select.recommended.agent_lane, sets: [recommended_action]}
# labels: {rule: select.recommended.agent_lane}
action_text_row contains {"rank": 30, "rule": "select.recommended.agent_lane", "value": agent_scope.next_action.text} if {
	not scope_action
}

# METADATA
# title: The replan's action
# custom: {id: select.recommended.replan, sets: [recommended_action]}
# labels: {rule: select.recommended.replan}
action_text_row contains {"rank": 20, "rule": "select.recommended.replan", "value": text} if {
	route.replan
	text := frontier.obligation.recommended_action
}

# METADATA
# title: The operator's question
# custom: {id: select.recommended.reply, sets: [recommended_action]}
# labels: {rule: select.recommended.reply}
action_text_row contains {"rank": 12, "rule": "select.recommended.reply", "value": work_lane_contract.raw.action} if {
	route.reply
}

# METADATA
# title: The repair's action
# custom: {id: select.recommended.repair, sets: [recommended_action]}
# labels: {rule: select.recommended.repair}
action_text_row contains {"rank": 15, "rule": "select.recommended.repair", "value": repair.hint.repair_focus} if {
	route.self_repair
}

# METADATA
# title: The frontier's action
# custom: {id: select.recommended.frontier, sets: [recommended_action]}
# labels: {rule: select.recommended.frontier}
action_text_row contains {"rank": 10, "rule": "select.recommended.frontier", "value": text} if {
	scope_action
	text := scope_frontier.frontier.recommended_action
}

# METADATA
# title: No action
# description: No row above holds.
# custom: {id: select.recommended.none, sets: [recommended_action]}
# labels: {rule: select.recommended.none}
action_text_row contains {"rank": 99, "rule": "select.recommended.none", "value": null}

action_text_winner := rank.winner(action_text_row)

# METADATA
# title: The recommended action; null when nothing names one
# custom: {id: select.recommended, covers: [pipe.lane_action], sets: [recommended_action]}
recommended_action := action_text_winner.value

package loopx.agent_scope

import data.loopx.capability_gate
import data.loopx.history
import data.loopx.lib.rank
import data.loopx.request
import data.loopx.settings.scope as settings
import data.loopx.todos
import data.loopx.work_lane_contract

# ids the next action may come from: the item a gate leaves free, or everything that can run
choices := {fallback_id} & todos.adv if gate_fallback

choices := runnable if not gate_fallback

# METADATA
# title: Which rule picked the next action
selected_by := rank.winner(selected_by_row)

# METADATA
# title: The item that an open gate leaves free
# description: When a scoped gate fallback exists.
# custom: {id: select.gate_fallback, sets: [agent_lane_next_action.selected_by]}
# labels: {rule: select.gate_fallback}
selected_by_row contains {"rank": 10, "value": "scoped_user_gate_fallback", "rule": "select.gate_fallback"} if {
	next_id
	gate_fallback
}

# METADATA
# title: The todo of the last accountable delivery goes on
# description: When it is still a choice and no choice of the same claim class has a higher priority.
# custom: {id: select.in_flight, sets: [agent_lane_next_action.selected_by]}
# labels: {rule: select.in_flight}
selected_by_row contains {"rank": 20, "value": "in_flight_todo", "rule": "select.in_flight"} if next_id == in_flight

# METADATA
# title: The todo that Next Action names
# description: When the chosen todo is named by id in Next Action.
# custom: {id: select.active_next_action, sets: [agent_lane_next_action.selected_by]}
# labels: {rule: select.active_next_action}
selected_by_row contains {"rank": 30, "value": "active_next_action_todo", "rule": "select.active_next_action"} if {
	next_id in named
}

# METADATA
# title: A todo this agent has claimed
# description: When the chosen todo is its own.
# custom: {id: select.own_claim, sets: [agent_lane_next_action.selected_by]}
# labels: {rule: select.own_claim}
selected_by_row contains {"rank": 40, "value": "current_agent_claimed_todo", "rule": "select.own_claim"} if {
	next_id in todos.own
}

# METADATA
# title: A todo nobody has claimed
# description: When the chosen todo must be claimed before work.
# custom: {id: select.unclaimed, sets: [agent_lane_next_action.selected_by]}
# labels: {rule: select.unclaimed}
selected_by_row contains {"rank": 50, "value": "unclaimed_todo", "rule": "select.unclaimed"} if next_id in todos.unclaimed

# METADATA
# title: This agent's slice of the goal
# description: |
#   Beside the goal's durable Next Action and the recommendation of its newest run: the advancement todo this agent
#   takes next. Absent for an unscoped call, and where a due monitor, an inbox reply or a capability fallback owns
#   the turn.
# custom: {id: select.signals, sets: [agent_lane_next_action], settings: [scope.lanes_without_advancement, scope.candidate_fields]}
# labels: {rule: select.signals}
next_action := object.union_n([
	todos.item(next_id),
	candidate_fields,
	{
		"schema_version": "agent_lane_next_action_v0",
		"agent_id": request.agent_id,
		"source": next_source,
		"selected_by": selected_by.value,
		"confidence": confidence,
		"preserves_goal_next_action": selected_by.value != "scoped_user_gate_fallback",
	},
	claim_required,
])

next_id := in_flight if takes_advancement

next_id := first_choice if {
	takes_advancement
	not in_flight
}

takes_advancement if {
	request.scoped
	not lane_obligation in settings.lanes_without_advancement
	not capability_gate.monitor_fallback
}

default lane_obligation := ""

lane_obligation := work_lane_contract.raw.obligation

# METADATA
# title: Order of the choices
# description: |
#   Own claims, then the profile, then priority, then what Next Action names, then what repairs its own bridge, then
#   place. The base order has claims, priority and place.
# custom: {id: scope.select}
first_choice := min(raised)[2]

first_choice := lead if count(raised) == 0

lead := todos.first_adv if todos.first_adv in profiled

lead := [id | some id in todos.first_executable; id in profiled][0] if not todos.first_adv in profiled

claimed := choices & todos.own

open_choices := claimed if count(claimed) > 0

open_choices := choices if count(claimed) == 0

profile := request.identity.agent_profile

preferred := {id |
	kinds := profile.preferred_action_kinds
	some id in open_choices
	todos.by_id[id].action_kind in kinds
}

avoided := {id |
	kinds := profile.avoid_action_kinds
	some id in open_choices
	todos.by_id[id].action_kind in kinds
}

profiled := preferred if count(preferred) > 0

profiled := open_choices - avoided if {
	count(preferred) == 0
	count(open_choices - avoided) > 0
}

profiled := open_choices if {
	count(preferred) == 0
	count(open_choices - avoided) == 0
}

# choices of the first one's priority that go before their place
raised contains [count({id} - named), todos.by_id[id].index, id] if {
	some id in ((named | repairing) & profiled)
	todos.by_id[id].rank == todos.by_id[lead].rank
}

named := {id | some id in todos.next_action_executable}

repairing := {item.todo_id |
	capability_gate.action == "run"
	some item in capability_gate.runnable
	item.capability_repair_mode
}

# the todo of the newest accountable delivery, unless a choice of its claim class or a better one has priority over it
in_flight := last_delivery if {
	last_delivery in choices
	min({todos.by_id[id].rank | some id in rivals}) >= todos.by_id[last_delivery].rank
}

rivals := choices if last_delivery in todos.unclaimed

rivals := claimed if last_delivery in todos.own

# a delivery without a todo continues none
last_delivery := object.get(history.rows[min(history.delivered & history.own)], "todo_id", "")

candidate_fields := object.filter(item, settings.candidate_fields) if {
	capability_gate.action != "none"
	some item in capability_gate.runnable
	item.todo_id == next_id
}

candidate_fields := {} if capability_gate.action == "none"

next_source := "scoped_user_gate_fallback" if gate_fallback

next_source := "capability_gate.runnable_candidates" if {
	not gate_fallback
	capability_gate.action != "none"
}

next_source := source if {
	not gate_fallback
	capability_gate.action == "none"
	names := {true: "active_next_action_executable_items", false: "first_executable_items"}
	source := names[next_id in named]
}

confidence := {true: "candidate", false: "selected"}[selected_by.value == "unclaimed_todo"]

claim_required := {"claim_required_before_work": true} if next_id in todos.unclaimed

claim_required := {} if not next_id in todos.unclaimed

# METADATA
# title: The todo this turn is about, before the frontier is looked at
# description: The next action, else the item a gate leaves free, else the one the lane names.
selected_todo := object.union_n([
	todos.item(selected.id),
	selection,
	{"schema_version": "quota_selected_todo_v0", "source": selected.source},
])

selected := {"id": next_id, "source": next_source}

selected := {"id": fallback_id, "source": "scoped_user_gate_fallback"} if {
	not next_id
	gate_fallback
}

selected := {"id": work_lane_contract.raw.selected_todo_id, "source": "work_lane_contract"} if {
	not next_id
	not gate_fallback
}

selection := object.filter(next_action, settings.selection_fields)

selection := {} if not next_id

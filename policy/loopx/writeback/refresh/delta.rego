# What a replan changed: the claimed deltas, what the state shows of them, and whether that may be spent.
package loopx.writeback.refresh

import data.loopx.frontier
import data.loopx.history
import data.loopx.request
import data.loopx.settings.refresh as settings
import data.loopx.todos
import data.loopx.writeback.answer
import data.loopx.writeback.guard

# METADATA
# title: The obligation that stands for this call
# description: Undefined when nothing is owed or when it is another agent's.
obligation := frontier.obligation if frontier.applies

default obligation_or_none := {}

obligation_or_none := obligation

claims_replan if asked.replan_recorded

claims_replan if count(asked.delta_kinds) > 0

# METADATA
# title: A delta kind is a known word
# custom: {id: refresh.delta_kind, settings: [delta_kinds]}
# labels: {rule: refresh.delta_kind}
outcome_row contains {"rank": 200, "rule": "refresh.delta_kind", "value": answer.invalid(why)} if {
	unknown := [kind | some kind in asked.delta_kinds; not settings.delta_kinds[kind]]
	why := sprintf(settings.text.delta_kind, [unknown[0], concat(", ", sort(object.keys(settings.delta_kinds)))])
}

# METADATA
# title: A claimed delta is shown by the state
# description: A bare flag is refused, and the missing fact is named.
# custom: {id: refresh.delta_evidence, settings: [delta_kinds]}
# labels: {rule: refresh.delta_evidence}
outcome_row contains {"rank": 210, "rule": "refresh.delta_evidence", "value": answer.refused("replan_delta_missing", why)} if {
	bare := [kind | some kind in asked.delta_kinds; not shown[kind]]
	why := sprintf(settings.text.delta, [bare[0], settings.delta_kinds[bare[0]].missing])
}

outcome_row contains {"rank": 211, "rule": "refresh.delta_evidence", "value": answer.refused("replan_delta_missing", why)} if {
	claims_replan
	count(kinds) == 0
	why := sprintf(settings.text.delta_none, [concat(", ", sort(object.keys(settings.delta_kinds)))])
}

# METADATA
# title: What the replan changed
# description: |
#   What was claimed; without a claim of kinds, what the state shows. That a lane goes on watching has to be said: the
#   state shows it whether or not anyone replanned.
kinds := sort({kind | some kind in asked.delta_kinds}) if count(object.get(asked, "delta_kinds", [])) > 0

kinds := sort({kind | some kind, _ in shown; not settings.delta_kinds[kind].explicit}) if {
	count(object.get(asked, "delta_kinds", [])) == 0
}

# --- since when

# METADATA
# title: Since when a change counts
# description: |
#   The newest row that made the obligation; for one that the frontier makes, the newest acknowledgement; else ever.
default since := 0

since := max(trigger_times) if count(trigger_times) > 0

since := frontier.last_ack_row.at_ns if count(trigger_times) == 0

trigger_times contains row.at_ns if {
	some trigger in obligation.triggers
	some row in history.lane
	row.generated_at == trigger.latest_generated_at
}

# METADATA
# title: Todos of this lane that changed since
# description: By their own updated_at; a block without one shows no change.
changed contains id if {
	some id, todo in todos.by_id
	object.get(todo, "updated_ns", -1) >= since
	not id in todos.out_of_scope
}

# --- what the state shows

shown["runnable_todo_set"] if count(changed & todos.adv) > 0

shown["user_gate"] if count(changed & todos.gates) > 0

shown["blocker"] if count((changed & todos.agent_open) & object.get(todos.by_class, "blocker", set())) > 0

shown["successor_or_supersede"] if {
	some id in changed
	some key in ["superseded_by", "successor_todo_ids"]
	todos.by_id[id][key]
}

# a gate or a watch that names a todo takes no place of it
shown["successor_or_supersede"] if {
	some id in ((changed & todos.agent_open) - todos.mon_class)
	todos.by_id[id].unblocks_todo_id
}

shown["capability_gate"] if {
	some id in changed
	count(todos.by_id[id].target_capabilities) > 0
}

shown["monitor_target"] if {
	some id in (changed & todos.mon)
	todos.by_id[id].target_key
}

shown["active_state_next_action"] if {
	count(next_actions) > 0
	next_actions != array.slice(input.state.next_actions, 0, count(next_actions))
}

shown["goal_vision_patch"] if vision

shown["goal_boundary_projection"] if {
	some authority in input.goal.boundary_authority
	authority.recorded_ns >= since
	authority.recorded_ns > 0
}

shown["no_followup"] if {
	some id in (changed & todos.done)
	todos.by_id[id].no_followup
}

shown["exploration_exhausted"] if {
	some id in (changed & todos.done)
	some key in ["evidence", "explore_result_node_refs"]
	todos.by_id[id][key]
}

shown["watch_lane_continuation"] if {
	some id in ((todos.agent_open & todos.mon_class) - todos.out_of_scope)
	todo := todos.by_id[id]
	every key in ["target_key", "cadence", "next_due_at"] { todo[key] }
	ends(id, todo)
}

ends(_, todo) if todo.expires_ns > request.now_ns

ends(id, todo) if {
	todo.resume_when
	not id in todos.resume_ready
}

# --- what may be spent

accountable_kind(kind) if settings.delta_kinds[kind].accountable == true

accountable_kind(kind) if {
	settings.delta_kinds[kind].accountable == "terminal"
	frontier.terminal
}

# METADATA
# title: The refresh answers the obligation
# description: |
#   It claims to, it names it, or the guard asked this caller for the replan and the work is bound to no todo. The change
#   itself may have met the obligation; a gate, for one, leaves none to stand.
answers_obligation if {
	claims_replan
	obligation
}

answers_obligation if {
	claims_replan
	given("todo_id") == ""
}

answers_obligation if {
	guard.turn.effective_action == "autonomous_replan_required"
	given("todo_id") == ""
}

answers_obligation if given("replan_obligation_id") != ""

default gap := false

gap if {
	accountable_asked
	answers_obligation
	count([kind | some kind in kinds; shown[kind]; accountable_kind(kind)]) == 0
}

# METADATA
# title: The acknowledgement of a replan
# description: Undefined unless one is recorded with what it changed.
ack := object.union_n([
	settings.ack,
	{
		"recorded": true,
		"requested": true,
		"delta_contract": object.union(settings.delta_contract, {
			"required": required,
			"delta_present": true,
			"delta_kinds": kinds,
			"auto_evidence": sort({kind | some kind, _ in shown}),
		}),
		"requested_classification": classification,
	},
	object.filter(obligation_or_none, ["frontier_identity"]),
]) if {
	asked.replan_recorded
	count(kinds) > 0
}

default required := false

required if obligation

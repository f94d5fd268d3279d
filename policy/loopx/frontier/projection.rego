package loopx.frontier

import data.loopx.goal
import data.loopx.history
import data.loopx.request
import data.loopx.settings.frontier as settings
import data.loopx.todos
import data.loopx.work_lane_contract

# --- the agent's vision

vision_at := min({i | some i; history.rows[i].vision; history.rows[i].agent_id == request.agent_id})

vision_row := history.rows[vision_at]

checkpoint_at := min({i | some i; history.rows[i].vision_checkpoint; history.rows[i].agent_id == request.agent_id})

checkpoint_row := history.rows[checkpoint_at]

default vision_closed := false

vision_closed if vision_row.vision.state in settings.closed_visions

# METADATA
# title: What the vision still misses
# description: One gap while an active vision names an acceptance or a trigger, one while a required checkpoint is missing.
# custom: {id: fact.vision}
gap contains object.union(
	{
		"kind": "vision_acceptance_gap",
		"source": "agent_vision",
		"agent_id": request.agent_id,
		"generated_at": vision_row.generated_at,
	},
	{name: text |
		some name, key in {"acceptance_summary": "acceptance_summary", "replan_trigger_summary": "replan_trigger"}
		text := vision_row.vision[key]
	},
) if {
	vision_asks
}

gap contains {
	"kind": "vision_checkpoint_missing",
	"source": "latest_vision_checkpoint",
	"agent_id": request.agent_id,
	"decision": "missing_required",
	"generated_at": history.rows[i].generated_at,
} if {
	some i in missing_checkpoint_at
}

vision_asks if {
	not vision_closed
	vision_row.vision.acceptance_summary
}

vision_asks if {
	not vision_closed
	vision_row.vision.replan_trigger
}

missing_checkpoint_at contains checkpoint_at if {
	checkpoint_row.vision_checkpoint.required
	not checkpoint_row.vision_checkpoint.satisfied
}

missing_checkpoint_at contains vision_at if not vision_row.vision_checkpoint

gap_at := missing_checkpoint_at | {vision_at | vision_asks}

# an acknowledgement settles the gaps that were there before it
gaps_acknowledged if {
	recently_acknowledged
	last_ack < min(gap_at)
}

# METADATA
# title: Gaps that count
# description: A vision that waits for its exact successor withholds them, so no replan derives.
open_gaps := gap if not vision_wait

open_gaps := set() if vision_wait

lineage contains id if {
	some delta in vision_row.vision.todo_delta
	[action, id] := split(delta, ":")
	action in settings.lineage_actions
}

# blocked successors of the vision's line of work: named by it, or by what they wait for, or by what they lead to
waiting_successors := [id |
	some id in todos.blocked_successors
	todo := todos.by_id[id]
	ids := {id, object.get(todos.resume_target, id, id)} | {next | some next in object.get(todo, "successor_todo_ids", [])}
	count(ids & lineage) > 0
]

# METADATA
# title: The vision waits for its exact successor
# description: |
#   When all gaps are acceptance gaps, nothing is selectable and a blocked successor is of the vision's line of work.
#   A missing checkpoint, a closed vision or a monitor as gate is no wait.
# custom: {id: replan.vision_wait, sets: [vision_wait_state]}
# labels: {rule: replan.vision_wait}
vision_wait := {
	"schema_version": "goal_vision_wait_state_v0",
	"state": "waiting",
	"reason_code": "exact_blocked_successor",
	"agent_id": request.agent_id,
	"selected_todo_id": waiting_successors[0],
	"resume_when": todos.by_id[waiting_successors[0]].resume_when,
	"resume_condition": {"resume_when": todos.by_id[waiting_successors[0]].resume_when, "satisfied": false},
	"automatic_resume": true,
	"waiting_todo_ids": array.slice(waiting_successors, 0, settings.visible),
} if {
	{row.kind | some row in gap} == {"vision_acceptance_gap"}
	selectable_advancement == 0
}

# --- projection

advancement_counts := {
	"current_agent_claimed_advancement_count": count(todos.adv & todos.own),
	"unclaimed_advancement_count": count(todos.adv & todos.unclaimed),
	"other_agent_claimed_advancement_count": count(todos.advancement & todos.others),
}

default monitor_only := false

monitor_only if {
	count(monitors) > 0
	selectable_advancement == 0
}

default quiet_lane := false

quiet_lane if work_lane_contract.raw.obligation == "quiet_until_material_monitor_transition"

blocker contains [10, "monitor_only_lane"] if monitor_only

blocker contains [20, "other_agent_claimed_advancement"] if {
	selectable_advancement == 0
	count(todos.advancement & todos.others) > 0
}

blocker contains [30, "autonomous_replan_obligation"] if required

blocker contains [40, "current_agent_blocker"] if count(own_blockers) > 0

blocker contains [50, "vision_blocked_successor_wait"] if vision_wait

# METADATA
# title: Frontier of the goal as this call sees it
# custom: {id: replan.projection, sets: [goal_frontier_projection], settings: [frontier.visible]}
projection := object.union_n([
	{
		"schema_version": "goal_frontier_projection_v0",
		"goal_id": goal.id,
		"source": "quota_should_run",
		"normalized_progress": {
			"user_open_count": todos.user_open_count,
			"agent_open_count": todos.agent_open_count,
			"agent_advancement_open_count": selectable_advancement,
			"agent_monitor_open_count": count(monitors),
			"agent_monitor_due_count": count(todos.due & monitors),
		},
		"remaining_advancement_frontier": advancement_counts,
		"monitor_only_lanes": {"present": monitor_only, "quiet_until_material_transition": quiet_lane},
		"deferred_successors": deferred_successors,
		"acceptance_gaps": array.slice(sort(open_gaps), 0, settings.visible),
		"autonomy_blockers": [name | some [_, name] in sort(blocker)],
		"replan_required": required,
	},
	{"agent_id": request.agent_id | request.scoped},
	{"vision_wait_state": value | value := vision_wait},
	terminal_fields,
])

# METADATA
# title: Deferred successors
# description: Ready ones of every agent are counted; the top one is the first that this call may wake.
# custom: {id: resume.lifecycle_only}
deferred_successors := object.union(
	{
		"ready_count": count(todos.deferred_ready),
		"blocked_count": count(todos.deferred) - count(todos.deferred_ready),
		"current_agent_ready_count": count({id | some id in todos.deferred_ready} & todos.own),
		"ready_todo_ids": array.slice(todos.deferred_ready, 0, settings.visible),
	},
	{"top_ready_todo_id": id | id := ready[0]},
)

# --- terminal

default terminal := false

# METADATA
# title: Nothing is left and nothing follows
# description: |
#   When both todo sources are complete and valid, every todo is done, one side was closed with a no-follow-up, and the
#   frontier is empty. Whatever is open, deferred, missing or malformed keeps the goal alive.
# custom: {id: terminal.no_followup, sets: [goal_frontier_projection.terminal_state, effective_action]}
# labels: {rule: terminal.no_followup}
terminal if {
	complete(todos.user_summary, "user")
	complete(todos.agent_summary, "agent")
	closing
	count(todos.ids - todos.done) == 0
	count(gap) == 0
	not required
	todos.hidden_count == 0
}

# METADATA
# title: A todo source that proves itself
# custom: {id: terminal.sources}
complete(summary, role) if {
	source := summary.source_completeness
	source.schema_version == "todo_source_completeness_v0"
	source.status == "valid"
	source.source == "structured_todo_projection"
	source.role == role
	source.terminal_closure == "valid"
}

# METADATA
# title: A side that was closed with a no-follow-up
# custom: {id: terminal.closure_intent}
closing if todos.user_summary.closure_intent

closing if todos.agent_summary.closure_intent

terminal_fields := {
	"terminal_state": {
		"schema_version": "goal_terminal_state_v0",
		"kind": "no_followup",
		"derived": true,
		"source": "validated_goal_closure",
	},
	"source_completeness": {"user_todos": "valid", "agent_todos": "valid"},
} if {
	terminal
}

terminal_fields := {} if not terminal

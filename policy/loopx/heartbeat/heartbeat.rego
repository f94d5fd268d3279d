# METADATA
# title: What the heartbeat should do with this turn
# description: |
#   base (stage s2) is the table over the route and the unpublished lane; final (stage s3) lets the capability gate, an
#   observation and the agent's scope put their own mode over it. notify says whether a person is interrupted, never
#   whether work may be skipped.
package loopx.heartbeat

import data.loopx.attention
import data.loopx.frontier
import data.loopx.goal
import data.loopx.history
import data.loopx.lib.rank
import data.loopx.quota
import data.loopx.repair
import data.loopx.route
import data.loopx.settings
import data.loopx.todos
import data.loopx.work_lane_contract

lane := work_lane_contract.raw

texts := settings.heartbeat

# METADATA
# title: A repair names its own mode
# description: A repair holds the turn.
# custom: {id: hb.repair, sets: [heartbeat_recommendation]}
# labels: {rule: hb.repair}
base_row contains {"rank": 10, "rule": "hb.repair", "value": value} if {
	route.self_repair
	value := object.union(
		{
			"recommended_mode": object.get(repair.hint, "recommended_mode", "repair_control_plane_stall"),
			"notify": object.get(repair.hint, "notify", "DONT_NOTIFY"),
		},
		object.filter(repair.hint, ["repair_focus"]),
	)
}

# METADATA
# title: Ask the operator
# description: The state is an operator gate that nothing overrides.
# custom: {id: hb.gate, sets: [heartbeat_recommendation]}
# labels: {rule: hb.gate}
base_row contains {"rank": 20, "rule": "hb.gate", "value": mode("ask_operator_gate", "NOTIFY")} if {
	route.effective_action == "operator_gate_notify"
}

# METADATA
# title: Replan first
# description: A required replan holds the turn.
# custom: {id: hb.replan, sets: [heartbeat_recommendation]}
# labels: {rule: hb.replan}
base_row contains {"rank": 30, "rule": "hb.replan", "value": value} if {
	route.replan
	value := object.union(mode("autonomous_replan_required", "DONT_NOTIFY"), {"replan_obligation": object.filter(
		frontier.obligation,
		["obligation_id", "stall_threshold", "trigger_count"],
	)})
}

# METADATA
# title: Push the blocker to the user
# description: The goal waits, a user todo of this scope is open, and neither recovery nor repair holds the turn.
# custom: {id: hb.user_todo, sets: [heartbeat_recommendation]}
# labels: {rule: hb.user_todo}
base_row contains {"rank": 40, "rule": "hb.user_todo", "value": value} if {
	route.state in {"focus_wait", "waiting"}
	todos.user_open_count > 0
	not route.recovery
	not route.self_repair
	value := object.union(mode("blocker_push_notify", "NOTIFY"), {"repeat_notification_required": true})
}

# METADATA
# title: The outcome blocker is already written down
# description: The outcome floor blocks and an open blocker todo already says why.
# custom: {id: hb.floor.projected, sets: [heartbeat_recommendation]}
# labels: {rule: hb.floor.projected}
base_row contains {"rank": 50, "rule": "hb.floor.projected", "value": value} if {
	floor_blocks
	quota.floor.projected
	value := mode("outcome_floor_blocker_projected_noop", "DONT_NOTIFY")
}

# METADATA
# title: Recover the outcome
# description: The outcome floor blocks and grants its recovery turn.
# custom: {id: hb.floor.recovery, sets: [heartbeat_recommendation]}
# labels: {rule: hb.floor.recovery}
base_row contains {"rank": 51, "rule": "hb.floor.recovery", "value": mode("outcome_floor_recovery", "DONT_NOTIFY")} if {
	route.recovery
}

# METADATA
# title: Report the missing outcome
# description: The outcome floor blocks and no recovery turn is granted.
# custom: {id: hb.floor.report, sets: [heartbeat_recommendation]}
# labels: {rule: hb.floor.report}
base_row contains {"rank": 52, "rule": "hb.floor.report", "value": mode("report_handoff_outcome_blocker", "NOTIFY")} if {
	floor_blocks
}

floor_blocks if {
	route.state == "focus_wait"
	quota.floor.block
	not route.terminal
}

# METADATA
# title: Nothing to do
# description: No turn is granted.
# custom: {id: hb.skip, sets: [heartbeat_recommendation]}
# labels: {rule: hb.skip}
base_row contains {"rank": 60, "rule": "hb.skip", "value": mode("quota_skip", "DONT_NOTIFY")} if not route.should_run

# METADATA
# title: Answer the operator's message
# description: The inbox lane holds the turn.
# custom: {id: hb.reply, sets: [heartbeat_recommendation]}
# labels: {rule: hb.reply}
base_row contains {"rank": 65, "rule": "hb.reply", "value": mode("follow_work_lane_contract", "DONT_NOTIFY")} if {
	route.reply
}

# METADATA
# title: Run the agent command
# description: The attention item names a command for the agent.
# custom: {id: hb.command, sets: [heartbeat_recommendation]}
# labels: {rule: hb.command}
base_row contains {"rank": 70, "rule": "hb.command", "value": value} if {
	value := object.union(mode("run_agent_command", "DONT_NOTIFY"), {"command": attention.item.agent_command})
}

# METADATA
# title: Watch quietly
# description: The lane is a monitor that needs no attempt now.
# custom: {id: hb.monitor.quiet, sets: [heartbeat_recommendation]}
# labels: {rule: hb.monitor.quiet}
base_row contains {"rank": 80, "rule": "hb.monitor.quiet", "value": value} if {
	lane.lane == "continuous_monitor"
	lane.must_attempt_work == false
	value := mode("monitor_quiet_until_material_transition", "DONT_NOTIFY")
}

# METADATA
# title: Follow the lane
# description: The lane is a monitor, or asks for a todo or blocker, and must be attempted.
# custom: {id: hb.monitor.follow, sets: [heartbeat_recommendation]}
# labels: {rule: hb.monitor.follow}
base_row contains {"rank": 81, "rule": "hb.monitor.follow", "value": value} if {
	lane.must_attempt_work
	followed
	value := mode("follow_work_lane_contract", "DONT_NOTIFY")
}

followed if lane.lane == "continuous_monitor"

followed if lane.obligation == "materialize_advancement_todo_or_blocker"

# METADATA
# title: Make the first read-only map
# description: A read-only map goal has no saved run yet.
# custom: {id: hb.first_map, sets: [heartbeat_recommendation]}
# labels: {rule: hb.first_map}
base_row contains {"rank": 90, "rule": "hb.first_map", "value": value} if {
	history.status == "connected_without_run"
	attention.read_only_map
	command := sprintf(texts.map_command, [goal.id])
	value := object.union(mode("run_first_read_only_map", "NOTIFY"), {"command": command})
}

# METADATA
# title: The map is saved and nothing is asked
# description: The last run is a read-only map and there is no todo and no command.
# custom: {id: hb.mapped, sets: [heartbeat_recommendation]}
# labels: {rule: hb.mapped}
base_row contains {"rank": 100, "rule": "hb.mapped", "value": value} if {
	mapped
	no_user_todos
	no_agent_todos
	value := object.union(mode("mapped_noop_if_unchanged", "DONT_NOTIFY"), {"stop_if_unchanged": true})
}

mapped if history.status == "read_only_project_map"

mapped if history.lifecycle_phase == "mapped"

mapped if "mapped" in history.lifecycle_flags

no_user_todos if count(todos.user_open) == 0

no_agent_todos if todos.agent_all_open_count == 0

# METADATA
# title: Observe a dependency after the hand-off
# description: A self-improving goal reached its outcome, agent todos remain and the newest run watches a dependency.
# custom: {id: hb.post_handoff.dependency, sets: [heartbeat_recommendation]}
# labels: {rule: hb.post_handoff.dependency}
base_row contains {"rank": 110, "rule": "hb.post_handoff.dependency", "value": value} if {
	after_handoff
	not no_agent_todos
	history.dependency_scope
	value := object.union(mode("follow_work_lane_contract", "DONT_NOTIFY"), latest_run)
}

# METADATA
# title: One backlog step after the hand-off
# description: A self-improving goal reached its outcome and agent todos remain.
# custom: {id: hb.post_handoff, sets: [heartbeat_recommendation]}
# labels: {rule: hb.post_handoff}
base_row contains {"rank": 111, "rule": "hb.post_handoff", "value": value} if {
	after_handoff
	not no_agent_todos
	value := object.union(mode("post_handoff_observe_then_backlog_step", "DONT_NOTIFY"), latest_run)
}

# METADATA
# title: Nothing left after the hand-off
# description: A self-improving goal reached its outcome and no todo remains.
# custom: {id: hb.post_handoff.unchanged, sets: [heartbeat_recommendation]}
# labels: {rule: hb.post_handoff.unchanged}
base_row contains {"rank": 112, "rule": "hb.post_handoff.unchanged", "value": value} if {
	after_handoff
	value := object.union(mode("post_handoff_observe_if_unchanged", "DONT_NOTIFY"), object.union(
		latest_run,
		{"stop_if_unchanged": true},
	))
}

after_handoff if {
	goal.self_repair.enabled
	goal.adapter_kind in texts.self_improvement_adapters
	history.post_handoff.seen
	history.post_handoff.outcome == "primary_goal_outcome"
	no_user_todos
}

latest_run := {"latest_run": object.get(history.post_handoff, "latest", {})}

# METADATA
# title: Audit, then one bounded step
# description: No row above holds.
# custom: {id: hb.default, covers: [pipe.heartbeat], sets: [heartbeat_recommendation]}
# labels: {rule: hb.default}
base_row contains {"rank": 120, "rule": "hb.default", "value": mode("steering_audit_then_one_step", "DONT_NOTIFY")}

mode(name, notify) := {"recommended_mode": name, "notify": notify}

base_winner := rank.winner(base_row)

# METADATA
# title: The heartbeat before waits are known
base := base_winner.value

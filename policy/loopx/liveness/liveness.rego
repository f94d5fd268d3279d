# METADATA
# title: Does the automation stay alive
# description: |
#   Whether the host keeps, stops or works its recurring automation. Reads the final turn; it never sets a cadence.
#   Quiet polls are no reason to stop: only a closed, paused or stopped goal and a stuck repair or replan are.
package loopx.liveness

import data.loopx.frontier
import data.loopx.lib.rank
import data.loopx.quota
import data.loopx.route
import data.loopx.settings
import data.loopx.verdict
import data.loopx.work_mode

texts := settings.liveness

final := work_mode.final

# METADATA
# title: Stop with the stopped goal
# custom: {id: live.stopped, sets: [automation_liveness]}
# labels: {rule: live.stopped}
pause_row contains {"rank": 10, "rule": "live.stopped", "value": live("stop_goal_stopped", false, true)} if {
	quota.object.pause_cause == "goal_stopped"
}

# METADATA
# title: Stop with the paused goal
# custom: {id: live.paused, sets: [automation_liveness]}
# labels: {rule: live.paused}
pause_row contains {"rank": 20, "rule": "live.paused", "value": live("stop_quota_paused", false, true)}

# METADATA
# title: A watching agent stays
# description: This agent only monitors and has nothing to watch.
# custom: {id: live.monitor_only, sets: [automation_liveness]}
# labels: {rule: live.monitor_only}
row contains {"rank": 30, "rule": "live.monitor_only", "value": live("keep_active_monitor_only", true, false)} if {
	final.effective_action == "agent_monitor_only"
}

# METADATA
# title: Stop with the closed goal
# description: The goal is closed without follow-up.
# custom: {id: live.terminal, sets: [automation_liveness]}
# labels: {rule: live.terminal}
row contains {"rank": 40, "rule": "live.terminal", "value": live("stop_terminal_no_followup", false, true)} if {
	final.effective_action == "terminal_no_followup"
}

# METADATA
# title: A quiet poll is no reason to stop
# description: The turn is a quiet monitor skip, or the heartbeat mode is a quiet one.
# custom: {id: live.quiet, sets: [automation_liveness], settings: [liveness.quiet_modes]}
# labels: {rule: live.quiet}
row contains {"rank": 50, "rule": "live.quiet", "value": live("keep_active_quiet", true, false)} if {
	final.effective_action == "monitor_quiet_skip"
}

row contains {"rank": 50, "rule": "live.quiet", "value": live("keep_active_quiet", true, false)} if {
	final.heartbeat.recommended_mode in texts.quiet_modes
}

# METADATA
# title: A stuck repair or replan may be stopped
# description: The selected replan or repair has been stuck for more eligible turns than the setting allows.
# custom: {id: live.stuck, sets: [automation_liveness], settings: [liveness.stuck_turns]}
# labels: {rule: live.stuck}
row contains {"rank": 60, "rule": "live.stuck", "value": live("execute_bounded_work", true, true)} if stuck

stuck if {
	route.replan
	frontier.obligation.trigger_count >= frontier.obligation.stall_threshold + texts.stuck_turns
}

stuck if {
	final.self_repair
	frontier.idle_turns >= texts.stuck_turns
}

# METADATA
# title: A successor is work
# description: The frontier asks for a successor.
# custom: {id: live.successor, sets: [automation_liveness]}
# labels: {rule: live.successor}
row contains {"rank": 70, "rule": "live.successor", "value": live("execute_bounded_work", true, false)} if {
	verdict.scope_action == "successor_replan_required"
}

# METADATA
# title: A waiting agent stays
# description: Another action of the agent's scope holds the turn.
# custom: {id: live.scope, sets: [automation_liveness]}
# labels: {rule: live.scope}
row contains {"rank": 80, "rule": "live.scope", "value": live("keep_active_quiet", true, false)} if verdict.scope_action

# METADATA
# title: There is work
# description: The obligation must be attempted.
# custom: {id: live.work, sets: [automation_liveness]}
# labels: {rule: live.work}
row contains {"rank": 90, "rule": "live.work", "value": live("execute_bounded_work", true, false)} if {
	final.obligation.must_attempt_work
}

# METADATA
# title: Nothing new on the map
# description: The heartbeat says to stop when its source is unchanged.
# custom: {id: live.mapped, sets: [automation_liveness]}
# labels: {rule: live.mapped}
row contains {"rank": 100, "rule": "live.mapped", "value": live("keep_active_noop_if_unchanged", true, false)} if {
	final.heartbeat.stop_if_unchanged
}

# METADATA
# title: Stay alive
# description: No row above holds.
# custom: {id: live.default, covers: [pipe.liveness], sets: [automation_liveness]}
# labels: {rule: live.default}
row contains {"rank": 110, "rule": "live.default", "value": live("keep_active", true, false)}

live(action, keep, pause) := {
	"schema_version": "automation_liveness_v0",
	"automation_action": action,
	"keep_active": keep,
	"pause_allowed": pause,
	"pause_policy": texts.pause_policy,
}

winner := rank.winner(row)

# METADATA
# title: automation_liveness of a goal that is not paused
automation_liveness := winner.value

# METADATA
# title: automation_liveness of a paused goal
paused := rank.winner(pause_row).value

fired["automation_liveness"] := winner

runners["automation_liveness"] := rank.runner_up(row)

# METADATA
# title: The last word of an agent that only monitors
# description: |
#   In an eligible, healthy goal an agent in monitor_only mode attempts its due monitor, watches quietly or has nothing
#   to watch; advancement, replan, repair and fallback cannot come back. Everyone else keeps the verdict. final is what
#   channels, liveness and the document read. Other agents and the goal itself are not touched.
package loopx.work_mode

import data.loopx.execution_obligation
import data.loopx.gates
import data.loopx.goal
import data.loopx.heartbeat
import data.loopx.lib.rank
import data.loopx.route
import data.loopx.settings
import data.loopx.verdict
import data.loopx.work_lane_contract

raw := work_lane_contract.raw

default decides := false

decides if {
	goal.monitor_only
	route.eligible
	not route.reply
}

# METADATA
# title: Attempt the due monitor
# description: The monitor lane must be attempted.
# custom: {id: workmode.due, covers: [obl.monitor_only, pipe.monitor_only], sets: [decision, should_run, effective_action, execution_obligation, heartbeat_recommendation]}
# labels: {rule: workmode.due}
row contains {"rank": 10, "rule": "workmode.due", "value": value} if {
	decides
	raw.lane == "continuous_monitor"
	raw.must_attempt_work
	value := object.union(pass("run", "monitor_due", "monitor_due", obligation("work_lane_contract", true)), {
		"should_run": true,
		"normal": true,
		"actionable": true,
		"lane": raw,
	})
}

# METADATA
# title: Watch quietly
# description: The lane is a monitor that needs no attempt.
# custom: {id: workmode.quiet, sets: [decision, should_run, effective_action, execution_obligation, heartbeat_recommendation]}
# labels: {rule: workmode.quiet}
row contains {"rank": 20, "rule": "workmode.quiet", "value": value} if {
	decides
	raw.lane == "continuous_monitor"
	kind := "monitor_quiet_skip"
	value := object.union(
		pass("skip", kind, "monitor_quiet_until_material_transition", obligation(kind, false)),
		{"lane": raw},
	)
}

# METADATA
# title: Nothing to watch
# description: There is no monitor lane for this agent.
# custom: {id: workmode.idle, sets: [decision, should_run, effective_action, execution_obligation, heartbeat_recommendation]}
# labels: {rule: workmode.idle}
row contains {"rank": 30, "rule": "workmode.idle", "value": object.union(value, lane_left)} if {
	decides
	kind := "agent_monitor_only"
	value := pass("skip", kind, kind, obligation(kind, false))
}

# METADATA
# title: The verdict stands
# description: The agent delivers, or its goal's state stops the turn.
# custom: {id: route.monitor_only, sets: [agent_work_mode]}
# labels: {rule: route.monitor_only}
row contains {"rank": 90, "rule": "route.monitor_only", "value": object.union(value, lane_kept)} if {
	value := {
		"normal": verdict.normal,
		"recovery": verdict.recovery,
		"self_repair": verdict.self_repair,
		"cap_repair": verdict.cap_repair,
		"should_run": verdict.should_run,
		"actionable": verdict.actionable,
		"decision": verdict.decision,
		"effective_action": verdict.effective_action,
		"reason": verdict.reason,
		"bypass": verdict.bypass,
		"requires_user_action": gates.requires_user_action,
		"recommended_action": verdict.recommended_action,
		"heartbeat": heartbeat.final,
		"obligation": execution_obligation.obligation,
	}
}

default lane_kept := {}

lane_kept := {"lane": verdict.lane}

# A lane without a monitor stays visible and asks for nothing.
default lane_left := {}

lane_left := {"lane": verdict.stop_lane(raw, "agent_monitor_only")}

pass(decision, action, mode, duty) := {
	"normal": false,
	"recovery": false,
	"self_repair": false,
	"cap_repair": false,
	"should_run": false,
	"actionable": false,
	"decision": decision,
	"effective_action": action,
	"reason": settings.route.reasons[action],
	"bypass": {"blocked": "advancement_work", "allowed": false, "kind": null},
	"requires_user_action": false,
	"recommended_action": object.get(lane_text, "action", settings.route.reasons[action]),
	"heartbeat": {
		"recommended_mode": mode,
		"notify": "DONT_NOTIFY",
		"source": settings.heartbeat.source,
		"spend_policy": settings.heartbeat.spend_policies[mode],
	},
	"obligation": duty,
}

default lane_text := {}

lane_text := raw if raw.lane == "continuous_monitor"

obligation(kind, must) := {
	"kind": kind,
	"must_attempt_work": must,
	"delivery_allowed": must,
	"notify_is_execution_gate": false,
	"reason": object.get(settings.obligation.reasons, concat(".", ["workmode", kind]), settings.obligation.reason),
}

winner := rank.winner(row)

# METADATA
# title: The turn as the document shows it
final := winner.value

# METADATA
# title: The heartbeat with the mirror of the obligation
heartbeat_recommendation := object.union(final.heartbeat, {"agent_must_attempt": final.obligation.must_attempt_work})

fired[field] := winner if {
	decides
	some field in ["decision", "effective_action", "should_run", "execution_obligation", "heartbeat_recommendation"]
}

runners["work_mode"] := rank.runner_up(row)

# The lane as it is published (decision.md 3.10).
package loopx.verdict

import data.loopx.capability_gate
import data.loopx.lib.rank
import data.loopx.route
import data.loopx.settings
import data.loopx.work_lane_contract

# METADATA
# title: A recovery turn carries no lane
# custom: {id: lane.recovery, sets: [work_lane_contract]}
# labels: {rule: lane.recovery}
lane_row contains {"rank": 10, "rule": "lane.recovery", "value": null} if route.recovery

# METADATA
# title: The lane of an agent without a candidate waits
# description: The scope waits, is exhausted or needs another owner while the lane would have to be attempted.
# custom: {id: lane.scope_rewrite, sets: [work_lane_contract], settings: [route.scope_waits]}
# labels: {rule: lane.scope_rewrite}
lane_row contains {"rank": 20, "rule": "lane.scope_rewrite", "value": value} if {
	scope_action in settings.route.scope_waits
	raw := work_lane_contract.raw
	raw.must_attempt_work
	value := object.union(raw, {
		"lane": scope_action,
		"next_lane": raw.lane,
		"obligation": "wait_for_current_agent_or_unclaimed_advancement",
		"must_attempt_work": false,
		"blocked_by_agent_scope": true,
		"agent_scope_action": scope_action,
		"monitor_policy": "no_delivery_until_current_agent_frontier_exists",
		"deferred_work_lane": object.filter(raw, ["lane", "next_lane", "obligation", "reason_codes"]),
		"reason_codes": array.concat(raw.reason_codes, ["agent_scope_no_current_runnable_candidate", scope_action]),
	})
}

# METADATA
# title: A stopped lane stays visible and asks for nothing
# description: The state or the capability gate stops the turn.
# custom: {id: lane.stopped, sets: [work_lane_contract]}
# labels: {rule: lane.stopped}
lane_row contains {"rank": 30, "rule": "lane.stopped", "value": stop_lane(work_lane_contract.raw, stopped_by)}

# METADATA
# title: The lane as built
# custom: {id: lane.published, sets: [work_lane_contract]}
# labels: {rule: lane.published}
lane_row contains {"rank": 90, "rule": "lane.published", "value": work_lane_contract.raw}

stop_lane(contract, cause) := object.union(contract, {
	"must_attempt_work": false,
	"reason_codes": array.concat(contract.reason_codes, [concat("", ["stopped_by_", cause])]),
})

# What stops the turn; undefined when nothing does.
stopped_by := state if {
	state != "eligible"
	not keeps_lane
}

stopped_by := capability_gate.action if gate_stops

gate_stops if {
	route.eligible
	route.gate_blocks
	route.turn.turn == "hold"
}

keeps_lane if route.self_repair

keeps_lane if route.observing

keeps_lane if fallback

lane_winner := rank.winner(lane_row)

# METADATA
# title: The published lane
# description: Undefined without a lane and in a recovery turn.
lane := lane_winner.value if lane_winner.value != null

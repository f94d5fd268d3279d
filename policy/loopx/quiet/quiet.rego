# METADATA
# title: Quiet monitor wait
# description: |
#   Whether an eligible turn may stay quiet because only monitors are open and nothing material changed. Reads the
#   route, the unpublished lane and the base heartbeat; the frontier of the agent's scope asks it before it decides.
package loopx.quiet

import data.loopx.heartbeat
import data.loopx.request
import data.loopx.route
import data.loopx.todos
import data.loopx.work_lane_contract

default holds_apart_from_deferred := false

# METADATA
# title: Quiet but for deferred todos that may wake
# description: Normal delivery is open, the lane waits for a material change and the heartbeat says the same.
# custom: {id: route.monitor_quiet.lane}
# labels: {rule: route.monitor_quiet.lane}
holds_apart_from_deferred if {
	route.turn.turn == "normal"
	work_lane_contract.raw.obligation == "quiet_until_material_monitor_transition"
	work_lane_contract.raw.must_attempt_work == false
	heartbeat.base.recommended_mode == "monitor_quiet_until_material_transition"
}

default holds := false

# METADATA
# title: Quiet monitor skip
# description: As above, and no deferred todo of this agent's scope is ready to resume. A call without an agent wakes none.
# custom: {id: route.monitor_quiet, covers: [prec.monitor_quiet, pipe.monitor_quiet]}
# labels: {rule: route.monitor_quiet}
holds if {
	holds_apart_from_deferred
	not may_wake
}

may_wake if {
	request.scoped
	count(todos.deferred_ready_mine) > 0
}

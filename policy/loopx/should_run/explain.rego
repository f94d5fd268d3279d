# Which rule decided which field, what would have come next, and how long the answer holds.
package loopx.should_run

import data.loopx.agent_scope
import data.loopx.attention
import data.loopx.boundary
import data.loopx.capability_gate
import data.loopx.debt
import data.loopx.execution_obligation
import data.loopx.external
import data.loopx.frontier
import data.loopx.gates
import data.loopx.heartbeat
import data.loopx.interaction_contract
import data.loopx.liveness
import data.loopx.quota
import data.loopx.repair
import data.loopx.request
import data.loopx.route
import data.loopx.scheduler_hint
import data.loopx.scope_frontier
import data.loopx.share
import data.loopx.todos
import data.loopx.verdict
import data.loopx.warnings
import data.loopx.work_lane_contract
import data.loopx.work_mode

# In the order of the decision: of two packages that decide a field, the later one has it.
winners := object.union_n([
	attention.fired,
	quota.fired,
	capability_gate.fired,
	debt.fired,
	work_lane_contract.fired,
	agent_scope.fired,
	external.fired,
	frontier.fired,
	repair.fired,
	route.fired,
	heartbeat.fired,
	scope_frontier.fired,
	verdict.fired,
	execution_obligation.fired,
	gates.fired,
	work_mode.fired,
	liveness.fired,
	interaction_contract.fired,
])

# METADATA
# title: The rule that decided each field
# custom: {id: explain.rules, sets: [rules]}
rules := {field: row.rule | some field, row in winners}

# METADATA
# title: Why, and what would have come next
# description: The winning row of every decided field, and the row that would have won without it.
# custom: {id: explain.fields, sets: [explain]}
explain := {"fields": winners, "runners": seconds}

seconds := object.union_n([
	attention.runners,
	quota.runners,
	capability_gate.runners,
	debt.runners,
	work_lane_contract.runners,
	agent_scope.runners,
	external.runners,
	frontier.runners,
	repair.runners,
	route.runners,
	heartbeat.runners,
	scope_frontier.runners,
	verdict.runners,
	execution_obligation.runners,
	gates.runners,
	work_mode.runners,
	liveness.runners,
	interaction_contract.runners,
])

# METADATA
# title: Until when the answer holds
# description: The earliest instant at which time alone changes a part of it; null when none does.
# custom: {id: explain.valid_until, sets: [valid_until]}
default valid_until := null

valid_until := request.at(min(edges)) if count(edges) > 0

edges contains edge if {
	some edge in all_edges
	edge > request.now_ns
}

all_edges contains edge if some edge in share.time_edges

all_edges contains edge if some edge in todos.time_edges

all_edges contains edge if some edge in boundary.time_edges

all_edges contains edge if some edge in scheduler_hint.time_edges

all_edges contains edge if some edge in warnings.time_edges

all_edges contains edge if some edge in summary_edges

# The plan summary counts run rows and the states of the other goals.
summary_edges contains input.runs_until_ns

summary_edges contains time.parse_rfc3339_ns(input.peers[_].valid_until)

# METADATA
# title: Until when the answer of a paused goal holds
# description: Time changes its numbers and the plan summary, never the pause.
# custom: {id: explain.valid_until, sets: [valid_until]}
default paused_until := null

paused_until := request.at(min(paused_edges)) if count(paused_edges) > 0

paused_edges contains edge if {
	some edge in (share.time_edges | summary_edges)
	edge > request.now_ns
}

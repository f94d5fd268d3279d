package loopx.frontier

import data.loopx.history
import data.loopx.request
import data.loopx.settings.frontier as settings

# METADATA
# title: Rows that acknowledge a replan
# description: |
#   A recorded acknowledgement with its delta contract, or with an accepted semantic delta of the obligation the row
#   is bound to. A classification alone is nothing.
# custom: {id: replan.ack.shape}
ack_at contains i if {
	some i in own_acks
	recorded(history.rows[i])
	evidence(history.rows[i])
}

own_acks contains i if {
	some i in acks
	own(history.rows[i])
}

acks := {i | some i; history.rows[i].ack}

# METADATA
# title: Whose acknowledgements count
# description: In a scoped call only this agent's; those of others are diagnostic.
# custom: {id: replan.ack.agent}
own(row) if row.agent_id == request.agent_id

own(_) if not request.scoped

recorded(row) if {
	row.ack.schema_version == "autonomous_replan_ack_v0"
	row.ack.recorded
}

evidence(row) if {
	row.ack.delta_schema_version == "repair_delta_contract_v0"
	row.ack.delta_present
	not row.ack.semantic_present
}

# METADATA
# title: A semantic delta must name its obligation
# custom: {id: replan.ack.semantic}
evidence(row) if {
	row.ack.semantic_present
	row.ack.semantic_accepted
	row.ack.semantic_obligation_id == object.get(row, "replan_obligation_id", row.ack.semantic_obligation_id)
}

last_ack := min(ack_at)

last_ack_row := history.rows[last_ack]

# METADATA
# title: The newest acknowledgement of the watched frontier
# description: When the newest poll names a frontier, only an acknowledgement of the same frontier settles it.
# custom: {id: replan.ack.frontier}
last_settling := last_ack if not watched_frontier

last_settling := min({i | some i in ack_at; history.rows[i].ack.frontier_identity == watched_frontier})

watched_frontier := newest_poll.monitor_target.frontier_identity

newest_poll := history.rows[min(history.polled)]

# METADATA
# title: Rows that move the window of an acknowledgement
# description: Polls and accounting rows never close or age one.
# custom: {id: replan.ack.neutral}
durable := ((history.everything - history.of(history.neutral_classification)) - history.polled) - acknowledged

acknowledged := {i | newest := last_ack; some i in history.everything; i >= newest}

durable_since_ack := sum([rows[i].count | rows := history.rows; some i in durable])

# METADATA
# title: A recent acknowledgement
# custom: {id: replan.ack.window, settings: [frontier.ack_window]}
recently_acknowledged if {
	last_ack
	durable_since_ack < settings.ack_window
}

watch_acknowledged if {
	recently_acknowledged
	settings.watch_delta in last_ack_row.ack.delta_kinds
}

# METADATA
# title: What became of the newest acknowledgement
# description: Of any agent; undefined when the history has none.
# custom: {sets: [replan_ack_feedback]}
feedback := object.union_n([
	{
		"schema_version": "replan_ack_feedback_v0",
		"accepted": verdict == "accepted",
		"reason_code": verdict,
		"reason": settings.feedback[verdict],
		"generated_at": judged.generated_at,
		"delta_kinds": judged.ack.delta_kinds,
	},
	object.filter(judged, ["agent_id"]),
])

judged_at := min(acks)

judged := history.rows[judged_at]

verdict := min(verdict_row)[1]

verdict_row contains [10, "foreign_agent"] if not own(judged)

verdict_row contains [20, "not_recorded"] if not recorded(judged)

verdict_row contains [30, "no_delta"] if not evidence(judged)

verdict_row contains [40, "outside_window"] if not recently_acknowledged

verdict_row contains [50, "frontier_mismatch"] if not last_settling

verdict_row contains [60, "accepted"] if judged

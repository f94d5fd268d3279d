# The heartbeat once waits are known (stage s3): the capability gate, an observation and the agent's scope put their own
# mode over the base (decision.md 9.2).
package loopx.heartbeat

import data.loopx.capability_gate
import data.loopx.hints
import data.loopx.lib.rank
import data.loopx.route
import data.loopx.verdict

# METADATA
# title: The agent's scope decides the mode
# description: A frontier of the agent's scope holds the turn.
# custom: {id: hb.scope_frontier, sets: [heartbeat_recommendation]}
# labels: {rule: hb.scope_frontier}
final_row contains {"rank": 10, "rule": "hb.scope_frontier", "value": mode(verdict.scope_action, "DONT_NOTIFY")} if {
	verdict.scope_action
}

# METADATA
# title: Observe or write the blocker
# description: External evidence holds the turn.
# custom: {id: hb.external, sets: [heartbeat_recommendation]}
# labels: {rule: hb.external}
final_row contains {"rank": 20, "rule": "hb.external", "value": value} if {
	route.observing
	value := mode("external_evidence_observe_or_blocker", "DONT_NOTIFY")
}

# METADATA
# title: The capability gate decides the mode
# description: In an eligible, healthy goal no candidate can run, and no stronger turn holds.
# custom: {id: hb.capability, sets: [heartbeat_recommendation], settings: [heartbeat.capability]}
# labels: {rule: hb.capability}
final_row contains {"rank": 30, "rule": "hb.capability", "value": value} if {
	capability_stops
	entry := texts.capability[capability_gate.action]
	value := mode(entry.mode, entry.notify)
}

capability_stops if {
	route.eligible
	route.gate_blocks
	route.turn.turn in {"hold", "cap_repair"}
}

# METADATA
# title: The heartbeat as it was
# description: No refinement holds.
# custom: {id: hb.base, sets: [heartbeat_recommendation]}
# labels: {rule: hb.base}
final_row contains {"rank": 90, "rule": "hb.base", "value": base}

final_winner := rank.winner(final_row)

# METADATA
# title: The heartbeat recommendation before the work mode
final := object.union_n([
	final_winner.value,
	{
		"source": texts.source,
		"spend_policy": object.get(texts.spend_policies, final_winner.value.recommended_mode, texts.spend_policy),
	},
	{"blocked_priority_fallback": object.filter(found, ["schema_version", "notify_user"]) |
		verdict.should_run
		found := hints.blocked_priority_fallback
		is_object(found)
	},
])

fired["heartbeat_recommendation"] := base_winner if final_winner.rule == "hb.base"

fired["heartbeat_recommendation"] := final_winner if final_winner.rule != "hb.base"

runners["heartbeat_recommendation"] := rank.runner_up(base_row)

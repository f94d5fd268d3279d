package loopx.debt_test

import data.loopx.debt
import data.loopx.testing

poll(minutes, change) := testing.run(minutes, "quota_monitor_poll", change)

cases := {
	"no history": {"runs": [], "streak": 0, "active": false},
	"real work only": {"runs": [testing.run(5, "parser_done", {"delivery_outcome": "outcome_progress"})], "streak": 0, "active": false},
	"one unchanged poll": {"runs": [poll(5, {})], "streak": 1, "active": false},
	"two unchanged polls": {"runs": [poll(5, {}), poll(9, {})], "streak": 2, "active": true},
	"folded polls count each": {"runs": [poll(5, {"count": 3})], "streak": 3, "active": true},
	"bookkeeping between": {
		"runs": [testing.run(1, "quota_slot_spent", {}), poll(5, {}), testing.run(7, "state_refreshed", {}), poll(9, {})],
		"streak": 2,
		"active": true,
	},
	"work between ends it": {
		"runs": [poll(5, {}), testing.run(7, "parser_done", {"delivery_outcome": "outcome_progress"}), poll(9, {})],
		"streak": 1,
		"active": false,
	},
	"a material transition ends it": {"runs": [poll(5, {}), poll(9, {"material_change": true}), poll(12, {})], "streak": 1, "active": false},
	"polls of a peer do not count": {"runs": [poll(5, {"agent_id": "agent-b"}), poll(9, {})], "streak": 1, "active": false},
	"rows of a peer are skipped": {
		"runs": [poll(5, {}), testing.run(7, "parser_done", {"agent_id": "agent-b", "delivery_outcome": "outcome_progress"}), poll(9, {})],
		"streak": 2,
		"active": true,
	},
}

test_debt[name] if {
	some name, case in cases
	got := debt with input as testing.team({"runs": case.runs})
	[got.streak, got.active] == [case.streak, case.active]
	got.arbitration.consecutive_unchanged_monitor_turns == case.streak
	got.arbitration.active == case.active
	["x" | got.fired.monitor_debt_arbitration] == ["x" | case.active]
}

test_debt_arbitration_shape if {
	got := debt with input as testing.team({})
	got.arbitration == {
		"schema_version": "monitor_debt_arbitration_v0",
		"active": false,
		"consecutive_unchanged_monitor_turns": 0,
		"threshold": 2,
		"policy": "prefer_same_or_higher_priority_advancement",
	}
	got.fired == {}
	got.runners == {}
}

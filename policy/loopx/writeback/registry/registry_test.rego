package loopx.writeback.registry_test

import data.loopx.testing
import data.loopx.writeback.registry

with_source(change) := object.union(testing.facts({"source": {"registry": "r", "digest": "d", "row": {"id": "g1"}}}), change)

rules(change) := found if {
	found := {row.rule | some row in registry.row} with input as with_source(change)
}

duplicate(change) := {"findings": [object.union({"code": "registry_key_duplicate", "scope": "goal", "goal_id": "g1", "line": 7, "message": "m"}, change)]}

test_write_source_and_write_registry if {
	rules({}) == set()
	rules({"source": {"problem": "gone"}}) == {"write.source"}
	rules(duplicate({})) == {"write.registry"}
	rules(duplicate({"scope": "global", "goal_id": ""})) == {"write.registry"}
	rules(duplicate({"goal_id": "g2"})) == set()
	rules(duplicate({"code": "other"})) == set()
	rules({"request": {"dry_run": true, "execute": true}}) == {"write.request"}
}

test_write_source_needs_facts if {
	found := {row.rule | some row in registry.row} with input as testing.base
	found == {"write.source"}
}

test_registry_row_as_written if {
	found := registry.at(["id"], "x") with input as with_source({})
	found == "g1"
	missing := registry.at(["id"], "x") with input as testing.base
	missing == "x"
}

test_registry_effects_are_the_row_and_its_copy if {
	set := [{"path": ["a"], "value": 1}]
	found := registry.effects(set, [], true) with input as with_source({})
	found == [{"kind": "edit_registry", "goal_id": "g1", "digest": "d", "set": set, "unset": []}, {"kind": "sync_global", "goal_id": "g1"}]
	alone := registry.effects([], [["a"]], false) with input as testing.base
	alone == [{"kind": "edit_registry", "goal_id": "g1", "digest": "", "set": [], "unset": [["a"]]}]
	registry.effects([], [], true) == []
}

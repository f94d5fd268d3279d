package loopx.writeback.project_map_test

import data.loopx.testing
import data.loopx.writeback.project_map

outline := {
	"file_count": 3,
	"directory_count": 1,
	"total_bytes": 9,
	"extensions": {"go": 3},
	"top_level": [{"name": "src", "directory": true}],
	"truncated": false,
	"unreadable": 0,
}

run(change, write) := found if {
	given := object.union_n([
		testing.facts({"request": {"command": "read-only-map", "execute": true}}),
		{"goal": {"adapter_kind": "read_only_project_map_v0"}, "state": {"sha256_16": "abcd"}},
		change,
		{"write": {"refresh": object.union({"map": outline}, write)}},
	])
	found := project_map.result with input as given
}

cases := {
	"preview and execution": [{"request": {"dry_run": true}}, {}, "write.request"],
	"adapter": [{"goal": {"adapter_kind": "oracle_adapter_v0"}}, {}, "map.adapter"],
	"other mapping adapter": [{"goal": {"adapter_kind": "team_read_only_map_v0"}}, {}, "map.write"],
	"no state": [{"state": {"exists": false}}, {}, "map.state_file"],
	"label": [{}, {"classification": "two words"}, "map.classification"],
	"spend in disguise": [{}, {"classification": "Quota_slot_spent"}, "map.classification"],
	"unread": [{}, {"map": {"file_count": 0, "directory_count": 0, "unreadable": 1}}, "map.unread"],
	"read in part": [{}, {"map": {"unreadable": 1}}, "map.write"],
	"empty": [{}, {"map": {"file_count": 0, "directory_count": 0}}, "map.write"],
	"map": [{}, {}, "map.write"],
}

test_map_rule[name] if {
	some name, case in cases
	found := run(case[0], case[1])
	found.document.rule == case[2]
	ok := case[2] == "map.write"
	found.ok == ok
	found.document.written == ok
}

test_map_unread_without_flags if {
	given := object.union_n([testing.facts({"request": {"command": "read-only-map"}}), {"goal": {"adapter_kind": "read_only_project_map_v0"}}])
	project_map.result.document.rule == "map.unread" with input as given
}

test_map_write_records_the_outline if {
	found := run({"goal": {"agents": ["agent-a"]}, "request": {"agent_id": "agent-a"}}, {})
	effect := found.effects[0]
	effect.record.project_map.top_level == outline.top_level
	not effect.row.project_map.top_level
	effect.row.classification == "read_only_project_map"
	effect.row.recommended_action_source == "default_refresh_action"
	effect.row.agent_id == "agent-a"
	effect.row.residual_risks == []
	effect.row.state.sha256_16 == "abcd"
	"- files: 3" in effect.markdown
	found.effects[1].kind == "sync_global"
	found.document.project_map.file_count == 3
}

test_map_write_says_what_is_missing if {
	found := run({}, {"map": {"truncated": true, "unreadable": 2}, "recommended_action": "Look.", "no_global_sync": true, "classification": "first_map"})
	count(found.document.residual_risks) == 2
	count(found.effects) == 1
	found.document.classification == "first_map"
	found.document.recommended_action_source == "explicit_arg"
}

package loopx.writeback.run_index_test

import data.loopx.testing
import data.loopx.writeback.run_index

clean := {"exists": true, "file": "index.jsonl", "digest": "abcd", "line_count": 9, "row_count": 9, "faults": [], "truncated": false}

run(command, check, change) := found if {
	given := object.union_n([
		testing.facts({"request": {"command": command, "execute": true}, "route": {"run_count": 2}}),
		change,
		{"write": {"history": {"check": object.union(clean, check)}}},
	])
	found := run_index.result with input as given
}

faults := {"faults": [
	{"line": 2, "unreadable": true},
	{"line": 3, "first": 1},
	{"line": 4, "no_time": true},
	{"line": 5, "other_goal": "g2"},
	{"line": 6, "missing": ["json_path", "markdown_path"]},
	{"line": 9, "unreadable": true, "torn": true},
]}

open_end := {"faults": [{"line": 9, "torn": true}]}

ledger := {"findings": [
	{"code": "ledger_event_unreadable", "scope": "goal", "goal_id": "g1", "file": "runtime/goals/g1/runs/index.jsonl", "line": 7, "message": "m"},
	{"code": "run_index_line", "scope": "goal", "goal_id": "g1", "file": "runtime/goals/g1/runs/index.jsonl", "line": 2, "message": "m"},
	{"code": "x", "scope": "goal", "goal_id": "g2", "file": "runtime/goals/g2/runs/index.jsonl", "line": 1, "message": "m"},
]}

test_history_check_rule if {
	run("history-check", {}, {}).document.rule == "history.check.sound"
	run("history-check", {"exists": false}, {}).document.reason != run("history-check", {}, {}).document.reason
	bad := run("history-check", faults, {})
	bad.ok == false
	bad.document.error.rule_id == "history.check.faults"
	bad.effects == []
	[[fault.line, fault.kind] | some fault in bad.document.faults] == [
		[2, "unreadable"],
		[3, "duplicate"],
		[4, "no_time"],
		[5, "other_goal"],
		[6, "missing"],
		[9, "torn"],
	]
	bad.document.faults[1].text == "repeats line 1 byte for byte"
	bad.document.faults[3].text == "names goal g2"
	bad.document.faults[4].text == "names files that do not exist: json_path, markdown_path"
	bad.document.fault_count == 6
	[fault.kind | some fault in run("history-check", open_end, {}).document.faults] == ["open"]
}

test_history_faults_of_the_ledger_come_after if {
	found := run("history-check", faults, ledger).document.faults
	found[6] == {"line": 7, "kind": "ledger_event_unreadable", "repair": "none", "text": "m"}
	count(found) == 7
}

test_history_repair_rule if {
	run("history-repair", {}, {}).document.rule == "history.repair.nothing"
	run("history-repair", open_end, {}).document.changed == false
	found := run("history-repair", faults, {})
	found.document.rule == "history.repair"
	found.effects == [{
		"kind": "rewrite_index",
		"goal_id": "g1",
		"digest": "abcd",
		"at": "2026-08-20T12:00:00+00:00",
		"drop": [2, 3, 9],
	}]
	found.document.dropped_lines == [2, 3, 9]
	found.document.warnings == []
	preview := run("history-repair", faults, {"request": {"execute": false}})
	preview.document.dry_run
	preview.document.written == false
	count(run("history-repair", object.union(faults, {"truncated": true}), {}).document.warnings) == 1
}

test_history_repair_refuses_a_bad_call if {
	found := run("history-repair", faults, {"request": {"dry_run": true}})
	found.document.error.rule_id == "write.request"
	found.effects == []
	not found.document.dropped_lines
}

test_history_list if {
	runs := {"runs": [testing.run(5, "state_refreshed", {}), testing.run(6, "x", {"agent_id": "agent-a"})]}
	given := object.union_n([testing.facts({"request": {"command": "history"}, "route": {"run_count": 2}}), runs])
	found := run_index.result with input as given
	found.document.rule == "history.list"
	count(found.document.runs) == 2
	found.document.runs[1] == {"generated_at": "2026-08-20T11:00:00+00:00", "classification": "x", "agent_id": "agent-a", "count": 1}
	limited := run_index.result with input as object.union(given, {"write": {"history": {"limit": 1}}})
	count(limited.document.runs) == 1
	unknown := run_index.result with input as object.remove(given, ["goal"])
	unknown.document.error.rule_id == "write.goal"
	not unknown.document.runs
}

test_history_check_without_a_goal_has_no_findings if {
	given := object.remove(testing.facts({"request": {"command": "history-check"}, "write": {"history": {}}}), ["goal"])
	found := run_index.result with input as given
	found.document.error.rule_id == "write.goal"
	not found.document.faults
}

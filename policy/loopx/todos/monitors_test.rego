package loopx.todos_test

import data.loopx.testing
import data.loopx.todos

due_cases := {
	"due time passed": {"change": {"next_due_at": "x", "next_due_ns": testing.now_ns - 1}, "due": true, "gap": false},
	"due now": {"change": {"next_due_at": "x", "next_due_ns": testing.now_ns}, "due": true, "gap": false},
	"due later": {"change": {"next_due_at": "x", "next_due_ns": testing.now_ns + 1, "cadence": "1m", "cadence_seconds": 60}, "due": false, "gap": false},
	"due time unreadable": {"change": {"next_due_at": "soon", "bad_times": ["next_due_at"], "cadence": "1m", "cadence_seconds": 60}, "due": false, "gap": false},
	"cadence passed": {"change": {"cadence": "1m", "cadence_seconds": 60, "last_checked_at": "x", "last_checked_ns": testing.now_ns - testing.minute}, "due": true, "gap": false},
	"cadence runs": {"change": {"cadence": "1m", "cadence_seconds": 60, "last_checked_at": "x", "last_checked_ns": (testing.now_ns - testing.minute) + 1}, "due": false, "gap": false},
	"cadence and never checked": {"change": {"cadence": "1m", "cadence_seconds": 60}, "due": true, "gap": false},
	"no schedule": {"change": {}, "due": false, "gap": true},
	"no schedule by action kind": {"change": {"task_class": "", "action_kind": "poll"}, "due": false, "gap": true},
	"no schedule by text": {"change": {"task_class": "", "text": "watch queue"}, "due": false, "gap": false},
	"expired": {"change": {"cadence": "1m", "cadence_seconds": 60, "expires_ns": testing.now_ns}, "due": false, "gap": false},
	"expires later": {"change": {"cadence": "1m", "cadence_seconds": 60, "expires_ns": testing.now_ns + 1}, "due": true, "gap": false},
	"of another agent": {"change": {"cadence": "1m", "cadence_seconds": 60, "claimed_by": "agent-b"}, "due": false, "gap": false},
	"gap of another agent": {"change": {"claimed_by": "agent-b"}, "due": false, "gap": false},
	"waiting to resume": {"change": {"cadence": "1m", "cadence_seconds": 60, "resume_when": "weather:fine"}, "due": false, "gap": false},
	"blocked": {"change": {"status": "blocked", "cadence": "1m", "cadence_seconds": 60}, "due": false, "gap": false},
	"capability present": {"change": {"cadence": "1m", "cadence_seconds": 60, "required_capabilities": ["shell"]}, "due": true, "gap": false},
	"capability missing": {"change": {"cadence": "1m", "cadence_seconds": 60, "required_capabilities": ["network"]}, "due": false, "gap": false},
}

watch(change) := object.filter(t, [key | some key, value in t; value != ""]) if t := testing.monitor("todo_m", change)

test_monitor_due[name] if {
	some name, case in due_cases
	got := todos with input as testing.team({"todos": [watch(case.change)]})
	["todo_m" in got.due, "todo_m" in got.schedule_gap] == [case.due, case.gap]
}

test_due_first_by_priority_and_blocked_due if {
	soon := {"cadence": "1m", "cadence_seconds": 60}
	got := todos with input as testing.team({"todos": [
		testing.monitor("todo_a", object.union(soon, {"rank": 2})),
		testing.monitor("todo_b", object.union(soon, {"rank": 1, "index": 2})),
		testing.monitor("todo_c", object.union(soon, {"rank": 0, "index": 3, "required_capabilities": ["network", "shell"]})),
	]})
	got.due_first == "todo_b"
	got.due_blocked == {"todo_c"}
	got.expired == set()
}

test_due_first_undefined_when_none_is_due if {
	not todos.due_first with input as testing.team({"todos": [testing.monitor("todo_m", {})]})
}

test_cap_candidate_missing[name] if {
	some name, case in {
		"declared order": {"change": {"required_capabilities": ["network", "shell", "credentials"]}, "want": ["network", "credentials"]},
		"own target is no requirement": {"change": {"required_capabilities": ["network"], "target_capabilities": ["network"]}, "want": null},
		"given on the command line": {"change": {"required_capabilities": ["benchmark_runner"]}, "want": null},
		"done todos need nothing": {"change": {"status": "done", "required_capabilities": ["network"]}, "want": null},
	}
	got := todos.missing_capabilities with input as testing.team({
		"request": {"available_capabilities": ["benchmark_runner"]},
		"todos": [testing.advancement("todo_x", case.change)],
	})
	object.get(got, "todo_x", null) == case.want
}

test_time_edges_of_monitors if {
	got := todos.time_edges with input as testing.team({"todos": [
		testing.monitor("todo_a", {"next_due_at": "x", "next_due_ns": 1}),
		testing.monitor("todo_b", {"index": 2, "expires_ns": 2}),
		testing.monitor("todo_c", {"index": 3, "cadence_seconds": 1, "last_checked_ns": 3}),
		testing.advancement("todo_d", {"index": 4, "expires_ns": 9}),
	]})
	got == {1, 2, 1000000003}
}

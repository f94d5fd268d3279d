package loopx.todos_test

import data.loopx.testing
import data.loopx.todos

mine(list) := testing.team({"todos": list})

resume_cases := {
	"done in the section": {"when": "todo_done:todo_dep", "ready": true, "supported": true},
	"open in the section": {"when": "todo_done:todo_open", "ready": false, "supported": true},
	"deferred is not done": {"when": "todo_done:todo_later", "ready": false, "supported": true},
	"unknown todo": {"when": "todo_done:todo_gone", "ready": false, "supported": true},
	"done in the archive": {"when": "todo_done:todo_old", "ready": true, "supported": true},
	"deferred in the archive": {"when": "todo_done:todo_shelf", "ready": false, "supported": true},
	"local capability": {"when": "capacity_available:shell", "ready": true, "supported": true},
	"capability given": {"when": "capacity_available:benchmark-runner", "ready": true, "supported": true},
	"capability missing": {"when": "capacity_available:network", "ready": false, "supported": true},
	"watched pull request": {"when": "pr_merged:o/r#1", "ready": true, "supported": true},
	"watch without follow-up": {"when": "pr_merged:o/r#2", "ready": false, "supported": true},
	"watch superseded": {"when": "pr_merged:o/r#3", "ready": false, "supported": true},
	"watch still open": {"when": "pr_merged:o/r#4", "ready": false, "supported": true},
	"unsupported word": {"when": "weather:fine", "ready": false, "supported": false},
}

resume_world(when) := testing.team({
	"request": {"available_capabilities": ["benchmark_runner"]},
	"todos": [
		testing.advancement("todo_x", {"status": "deferred", "resume_when": when}),
		testing.advancement("todo_dep", {"status": "done"}),
		testing.advancement("todo_open", {}),
		testing.advancement("todo_later", {"status": "deferred"}),
		testing.monitor("todo_pr1", {"status": "done", "target_key": "pr_merged:o/r#1"}),
		testing.monitor("todo_pr2", {"status": "done", "target_key": "pr_merged:o/r#2", "no_followup": true}),
		testing.monitor("todo_pr3", {"status": "done", "target_key": "pr_merged:o/r#3", "superseded_by": "todo_open"}),
		testing.monitor("todo_pr4", {"target_key": "pr_merged:o/r#4"}),
	],
	"archived_done": [
		{"id": "todo_old", "status": "done", "no_followup": false},
		{"id": "todo_shelf", "status": "deferred", "no_followup": false},
	],
})

test_resume_kinds[name] if {
	some name, case in resume_cases
	world := resume_world(case.when)
	["todo_x" in todos.deferred_ready, "todo_x" in todos.resume_supported] == [case.ready, case.supported] with input as world
	todos.deferred == ["todo_later", "todo_x"] with input as world
}

wake_cases := {
	"own": {"change": {"claimed_by": "agent-a"}, "wakes": true},
	"unclaimed": {"change": {}, "wakes": true},
	"of another agent": {"change": {"claimed_by": "agent-b"}, "wakes": false},
	"excluding this agent": {"change": {"excluded_agents": ["agent-a"]}, "wakes": false},
	"with a retired policy": {"change": {"removed_continuation_policy": "primary_review"}, "wakes": false},
}

ready(change) := testing.advancement("todo_x", object.union(
	{"status": "deferred", "resume_when": "capacity_available:shell"},
	change,
))

test_resume_visibility[name] if {
	some name, case in wake_cases
	got := todos with input as mine([ready(case.change)])
	got.deferred_ready == ["todo_x"]
	["todo_x" in got.deferred_ready_mine] == [case.wakes]
}

test_resume_visibility_unscoped_wakes_for_all if {
	got := todos.deferred_ready_mine with input as testing.facts({"todos": [ready({"claimed_by": "agent-b"})]})
	got == ["todo_x"]
}

test_resume_open_gate_and_monitor_gate if {
	got := todos with input as mine([
		testing.advancement("todo_a", {"resume_when": "todo_done:todo_m"}),
		testing.advancement("todo_b", {"resume_when": "todo_done:todo_a", "index": 2}),
		testing.advancement("todo_c", {"resume_when": "todo_done:todo_m", "claimed_by": "agent-b", "index": 3}),
		testing.advancement("todo_d", {"resume_when": "todo_done:todo_m", "status": "deferred", "index": 4}),
		testing.advancement("todo_e", {"resume_when": "capacity_available:shell", "index": 5}),
		testing.monitor("todo_m", {"index": 6}),
		testing.monitor("todo_n", {"resume_when": "todo_done:todo_m", "index": 7}),
	])
	got.resume_blocked == {"todo_a", "todo_b", "todo_n"}
	got.resume_blocked_by_monitor == {"todo_a"}
	got.blocked_successors == ["todo_b"]
	got.adv == {"todo_e"}
}

test_fact_blocked_successor[name] if {
	some name, case in {
		"deferred own": {"change": {"status": "deferred", "claimed_by": "agent-a"}, "want": true},
		"open unclaimed": {"change": {}, "want": true},
		"of another agent": {"change": {"claimed_by": "agent-b"}, "want": false},
		"excluded": {"change": {"excluded_agents": ["agent-a"]}, "want": false},
		"unsupported condition": {"change": {"resume_when": "weather:fine"}, "want": false},
		"met condition": {"change": {"resume_when": "capacity_available:shell"}, "want": false},
		"a monitor waits": {"change": {"task_class": "continuous_monitor"}, "want": false},
		"done": {"change": {"status": "done"}, "want": false},
	}
	got := todos.blocked_successors with input as mine([testing.advancement(
		"todo_x",
		object.union({"resume_when": "todo_done:todo_gone"}, case.change),
	)])
	["todo_x" in got] == [case.want]
}

gate(change) := testing.advancement("todo_g", object.union({"excluded_agents": ["agent-a"], "claimed_by": "agent-b"}, change))

handoff_cases := {
	"superseded": {"list": [gate({"superseded_by": "todo_n", "status": "done"})], "want": "superseded"},
	"deferred": {"list": [gate({"status": "deferred"})], "want": "deferred"},
	"open": {"list": [gate({})], "want": "blocking"},
	"blocked": {"list": [gate({"status": "blocked"})], "want": "blocking"},
	"no follow-up": {"list": [gate({"status": "done", "no_followup": true})], "want": "cleared_no_followup"},
	"no successor": {"list": [gate({"status": "done"})], "want": "cleared_without_successor"},
	"named successor is gone": {"list": [gate({"status": "done", "successor_todo_ids": ["todo_n"]})], "want": "cleared_without_successor"},
	"named successor": {
		"list": [gate({"status": "done", "successor_todo_ids": ["todo_n"]}), testing.advancement("todo_n", {})],
		"want": "cleared_with_successor",
	},
	"another unblocks it": {
		"list": [gate({"status": "done"}), testing.advancement("todo_n", {"unblocks_todo_id": "todo_g"})],
		"want": "cleared_with_successor",
	},
	"another resumes on it": {
		"list": [gate({"status": "done"}), testing.advancement("todo_n", {"resume_when": "todo_done:todo_g"})],
		"want": "cleared_with_successor",
	},
	"unblocks a peer": {
		"list": [
			testing.advancement("todo_g", {"claimed_by": "agent-b", "unblocks_todo_id": "todo_n"}),
			testing.advancement("todo_n", {"claimed_by": "agent-a"}),
		],
		"want": "blocking",
	},
	"unblocks its own": {
		"list": [
			testing.advancement("todo_g", {"claimed_by": "agent-a", "unblocks_todo_id": "todo_n"}),
			testing.advancement("todo_n", {"claimed_by": "agent-a"}),
		],
		"want": null,
	},
	"a monitor hands over nothing": {"list": [gate({"task_class": "continuous_monitor"})], "want": null},
	"a user todo hands over nothing": {"list": [gate({"role": "user"})], "want": null},
}

test_fact_handoff_gate[name] if {
	some name, case in handoff_cases
	got := todos.handoff_gates with input as mine(case.list)
	object.get(got, "todo_g", null) == case.want
}

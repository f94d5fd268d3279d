package loopx.external_test

import data.loopx.external
import data.loopx.testing

watch(change) := testing.monitor("todo_m", change)

soon := {"cadence": "1m", "cadence_seconds": 60}

later := {"cadence": "1h", "cadence_seconds": 3600, "last_checked_at": "x", "last_checked_ns": testing.now_ns}

act(text) := {"state": {"next_actions": [text]}}

run(classification) := {"status_run": testing.run(5, classification, {})}

text_cases := {
	"poll a result": {"change": act("Poll the job result."), "want": "direct_observe", "channel": "action"},
	"wait for a worker": {"change": act("Wait for the worker"), "want": "direct_observe", "channel": "action"},
	"when a result comes, ingest it": {"change": act("When the result is out, ingest it"), "want": "direct_observe", "channel": "action"},
	"wait for metrics": {"change": act("Wait for the vendor metrics."), "want": null, "channel": null},
	"plain work": {"change": {}, "want": null, "channel": null},
	"todo text": {"change": {"todos": [testing.advancement("todo_a", {"text": "Watch the build and poll the result."})]}, "want": "direct_observe", "channel": "todo"},
	"todo note": {"change": {"todos": [testing.advancement("todo_a", {"note": "await the artifact"})]}, "want": "direct_observe", "channel": "state"},
	"launched in the classification": {"change": run("worker_launched_polling"), "want": "launched_wait", "channel": "state"},
	"ready for compact polling": {"change": run("ready_for_compact_polling"), "want": "launched_wait", "channel": "state"},
	"compact result not ready": {"change": run("compact_result_not_ready"), "want": "launched_wait", "channel": "state"},
	"launched in the lifecycle": {
		"change": {"status_run": testing.run(5, "x", {"lifecycle_phase": "worker_running_marker"})},
		"want": "launched_wait",
		"channel": "state",
	},
	"launched in a flag": {
		"change": {"status_run": testing.run(5, "x", {"lifecycle_flags": ["job_started_result"]})},
		"want": "launched_wait",
		"channel": "state",
	},
	"launched without an action": {
		"change": object.union(run("worker_launched_polling"), {"state": {"next_actions": []}}),
		"want": null,
		"channel": null,
	},
	"handle absent": {
		"change": {"state": {"next_actions": ["There is no job handle."]}, "todos": [testing.advancement("todo_a", {"text": "Poll the result."})]},
		"want": null,
		"channel": null,
	},
	"handle absent but launched": {
		"change": object.union(run("worker_launched_polling"), act("There is no job handle.")),
		"want": "launched_wait",
		"channel": "state",
	},
	"first look at a pull request": {
		"change": {"todos": [watch({"target_key": "pr_merged:o/r#1", "text": "Look."})]},
		"want": "external_dependency_wait",
		"channel": "todo",
	},
	"pull request already checked": {
		"change": {"todos": [watch({"target_key": "pr_merged:o/r#1", "text": "Look.", "last_checked_at": "x"})]},
		"want": null,
		"channel": null,
	},
	"pull request with a result": {
		"change": {"todos": [watch({"target_key": "pr_merged:o/r#1", "text": "Look.", "result_hash": "x"})]},
		"want": null,
		"channel": null,
	},
}

test_ext_signal[name] if {
	some name, case in text_cases
	got := [[signal.kind, signal.channel] | signal := external.signal with input as testing.facts(case.change)]
	got == [[case.want, case.channel] | case.want != null]
}

signal_rules := {
	"handle absent but launched": "ext.signal.launched_wait",
	"first look at a pull request": "ext.signal.external_dependency_wait",
	"todo": "ext.signal.direct_observe",
}

test_ext_signal_names_its_row if {
	every name, rule in object.remove(signal_rules, ["todo"]) {
		rules := {row.rule | some row in external.signal_row} with input as testing.facts(text_cases[name].change)
		rule in rules
	}
	looked := {row.rule | some row in external.signal_row} with input as testing.facts({"todos": [testing.monitor("todo_m", {"text": "Watch the job."})]})
	signal_rules.todo in looked
}

window_cases := {
	"a future monitor": {"todos": [watch(later)], "open": false},
	"a future monitor with a target": {"todos": [watch(object.union(later, {"target_key": "job"}))], "open": false},
	"a monitor that never can be due": {"todos": [watch({"expires_ns": 1})], "open": false},
	"an expired monitor with a target": {"todos": [watch({"expires_ns": 1, "target_key": "job"})], "open": true},
	"a due monitor": {"todos": [watch(soon)], "open": true},
	"a schedule gap": {"todos": [watch({})], "open": true},
	"no todo": {"todos": [], "open": true},
	"other work beside it": {"todos": [watch(later), testing.advancement("todo_a", {"index": 2})], "open": true},
	"a first look beside it": {
		"todos": [watch(object.union(later, {"target_key": "github_pr:1"})), testing.monitor("todo_n", {
			"index": 2,
			"target_key": "github_pr:2",
			"cadence": "1h",
			"next_due_at": "x",
			"next_due_ns": testing.now_ns + 1,
		})],
		"open": true,
	},
}

test_ext_signal_window[name] if {
	some name, case in window_cases
	got := [1 | external.signal] with input as testing.team(object.union(act("Poll the job result."), {"todos": case.todos}))
	got == [1 | case.open]
}

test_ext_signal_window_is_only_for_a_scoped_call if {
	external.signal with input as testing.facts(object.union(act("Poll the job result."), {"todos": [watch(later)]}))
}

test_ext_handle[name] if {
	some name, case in {
		"the due one": {"todos": [watch({"target_key": "a", "next_due_at": "x", "next_due_ns": testing.now_ns + 1}), testing.monitor("todo_n", object.union(soon, {"index": 2}))], "want": "todo_n"},
		"one with a target": {"todos": [watch(later), testing.monitor("todo_n", object.union(later, {"index": 2, "target_key": "b"}))], "want": "todo_n"},
		"one that reads like a poll": {"todos": [watch(later), testing.monitor("todo_n", object.union(later, {"index": 2, "text": "watch the job"}))], "want": "todo_n"},
		"none": {"todos": [watch(later)], "want": null},
	}
	got := [id | id := external.handle with input as testing.facts({"todos": case.todos})]
	got == [case.want | case.want != null]
}

waiting := {"goal": {"waiting_on": "external_evidence"}}

unchanged := {"runs": [testing.run(5, "quota_monitor_poll", {})]}

obligation_cases := {
	"declared with a monitor lane": {"change": waiting, "todos": [watch(later)], "want": ["ext.explicit", "observe"]},
	"declared without a lane": {"change": waiting, "todos": [], "want": ["ext.none", "none"]},
	"declared with advancement": {"change": waiting, "todos": [testing.advancement("todo_a", {})], "want": ["ext.none", "none"]},
	"declared and just looked at": {"change": object.union(waiting, unchanged), "todos": [watch(later)], "want": ["ext.recent", "withdrawn"]},
	"declared and a poll text before its time": {
		"change": object.union(waiting, act("Poll the job result.")),
		"todos": [watch(object.union(later, {"target_key": "job"}))],
		"want": ["ext.explicit", "observe"],
	},
	"declared and an agent that lacks the capability": {
		"change": waiting,
		"todos": [watch(object.union(soon, {"required_capabilities": ["gpu"]}))],
		"want": ["ext.cap_blocked", "none"],
	},
	"launched and eligible": {"change": run("worker_launched_polling"), "todos": [], "want": ["ext.poll", "observe"]},
	"launched with advancement": {"change": run("worker_launched_polling"), "todos": [testing.advancement("todo_a", {})], "want": ["ext.none", "none"]},
	"launched and just looked at": {"change": object.union(run("worker_launched_polling"), unchanged), "todos": [], "want": ["ext.recent", "withdrawn"]},
	"launched and before its time": {
		"change": run("worker_launched_polling"),
		"todos": [watch(object.union(later, {"target_key": "job"}))],
		"want": ["ext.early", "withdrawn"],
	},
	"launched and due": {
		"change": run("worker_launched_polling"),
		"todos": [watch(object.union(soon, {"target_key": "job"}))],
		"want": ["ext.poll", "observe"],
	},
	"looked at without an obligation": {"change": unchanged, "todos": [watch(later)], "want": ["ext.none", "none"]},
}

test_ext[name] if {
	some name, case in obligation_cases
	world := testing.facts(object.union(case.change, {"todos": case.todos}))
	got := {
		"winner": external.winner,
		"obligation": ["x" | external.obligation],
		"recent": ["x" | external.recent],
		"fired": external.fired.external_evidence_observation.rule,
	} with input as world
	[got.winner.rule, got.winner.value] == case.want
	got.obligation == ["x" | case.want[1] == "observe"]
	got.recent == ["x" | case.want[0] == "ext.recent"]
	got.fired == case.want[0]
}

test_ext_poll_needs[name] if {
	some name, case in {
		"an eligible state": {"state": "eligible", "ok": true, "want": true},
		"or a waiting one": {"state": "waiting", "ok": true, "want": true},
		"not a throttled one": {"state": "throttled", "ok": true, "want": false},
		"a healthy goal": {"state": "eligible", "ok": false, "want": false},
	}
	got := external.polled with input as testing.facts(run("worker_launched_polling"))
		with data.loopx.agent_scope.state as case.state
		with data.loopx.health.ok as case.ok
	got == case.want
}

test_ext_poll_of_a_scoped_call_needs_an_open_todo[name] if {
	some name, case in {
		"none": {"todos": [], "want": false},
		"of a peer": {"todos": [watch({"claimed_by": "agent-b"})], "want": false},
		"own": {"todos": [watch(object.union(soon, {"claimed_by": "agent-a"}))], "want": true},
	}
	got := external.polled with input as testing.team(object.union(run("worker_launched_polling"), {"todos": case.todos}))
	got == case.want
}

test_ext_obligation_shape if {
	got := external.obligation with input as testing.facts(object.union(
		run("worker_launched_polling"),
		{"todos": [watch(object.union(soon, {"target_key": "job"}))]},
	))
	object.filter(got, ["schema_version", "kind", "trigger", "required", "must_attempt_observation", "delivery_allowed", "scope", "observation_target"]) == {
		"schema_version": "external_evidence_observation_obligation_v0",
		"kind": "launched_external_work_monitor",
		"trigger": "implicit_launched_external_poll",
		"required": true,
		"must_attempt_observation": true,
		"delivery_allowed": false,
		"scope": "read_only_observation",
		"observation_target": "worker launched polling",
	}
	got.monitor_handle == {"schema_version": "projected_monitor_handle_v0", "todo_id": "todo_m", "target_key": "job"}
	got.poll_signal.kind == "launched_wait"
}

test_ext_target_of_a_declared_wait_is_its_monitor if {
	got := external.obligation with input as testing.facts(object.union(
		waiting,
		{"todos": [watch(object.union(later, {"target_key": "page", "text": "Look at the page."}))]},
	))
	got.observation_target == "Look at the page."
	got.kind == "external_evidence_monitor"
	not got.poll_signal
}

test_ext_target_is_empty_without_signal_and_handle if {
	got := external.target with input as testing.facts({})
	got == ""
}

test_ext_live[name] if {
	some name, case in {
		"a signal": {"change": run("worker_launched_polling"), "want": true},
		"just looked at": {"change": object.union(run("worker_launched_polling"), unchanged), "want": false},
		"before its time": {"change": object.union(run("worker_launched_polling"), {"todos": [watch(object.union(later, {"target_key": "job"}))]}), "want": false},
		"no signal": {"change": {}, "want": false},
	}
	got := external.live with input as testing.facts(case.change)
	got == case.want
}

test_ext_runners_name_what_would_hold_otherwise if {
	got := external.runners with input as testing.facts(run("worker_launched_polling"))
	got.external_evidence_observation.rule == "ext.none"
}

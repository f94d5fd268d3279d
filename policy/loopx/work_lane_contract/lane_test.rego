package loopx.work_lane_contract_test

import data.loopx.testing
import data.loopx.work_lane_contract

task(change) := testing.advancement("todo_a", change)

watch(change) := testing.monitor("todo_m", object.union({"index": 2}, change))

soon := {"cadence": "1m", "cadence_seconds": 60}

later := {"cadence": "1h", "cadence_seconds": 3600, "last_checked_at": "x", "last_checked_ns": testing.now_ns}

dependency := {"status_run": testing.run(30, "dependency_observed", {})}

chain := {"state": {"next_actions": ["Collect the repeats and then rebuild the labels."]}}

poll := {"runs": [testing.run(5, "quota_monitor_poll", {})]}

polls := {"runs": [testing.run(5, "quota_monitor_poll", {}), testing.run(9, "quota_monitor_poll", {})]}

watching := {"goal": {"work_modes": {"agent-a": "monitor_only"}}}

# todos, change, rule, [lane, next_lane, obligation, must], reason codes
cases := {
	"A0 reply due": {
		"todos": [task({})], "change": {"inbox": {"reply_due": true}},
		"rule": "lane.reply_due",
		"want": ["lark_event_inbox", "advancement_task", "drain_lark_inbox_reply_due", true],
		"codes": ["lark_inbox_reply_due"],
	},
	"A0 reply due with nothing below": {
		"todos": [], "change": {"inbox": {"reply_due": true}},
		"rule": "lane.reply_due",
		"want": ["lark_event_inbox", "lark_event_inbox", "drain_lark_inbox_reply_due", true],
		"codes": ["lark_inbox_reply_due"],
	},
	"A0 not for a paused goal": {
		"todos": [task({})], "change": {"inbox": {"reply_due": true}, "goal": {"quota": {"compute": 0}}},
		"rule": "lane.advance",
		"want": ["advancement_task", "advancement_task", "advance_one_bounded_segment", true],
		"codes": ["open_agent_todo"],
	},
	"A1 a due monitor of higher priority": {
		"todos": [task({}), watch(object.union(soon, {"rank": 0}))], "change": {},
		"rule": "lane.due.preempt",
		"want": ["continuous_monitor", "advancement_task", "attempt_due_monitor", true],
		"codes": ["monitor_due", "due_monitor_priority_preempts_advancement"],
	},
	"A1 not at equal priority": {
		"todos": [task({}), watch(soon)], "change": {},
		"rule": "lane.advance",
		"want": ["advancement_task", "advancement_task", "advance_one_bounded_segment", true],
		"codes": ["open_agent_todo", "due_monitor_context"],
	},
	"A1 not after a recorded poll": {
		"todos": [task({}), watch(object.union(soon, {"rank": 0}))], "change": poll,
		"rule": "lane.advance",
		"want": ["advancement_task", "advancement_task", "advance_one_bounded_segment", true],
		"codes": ["open_agent_todo", "due_monitor_context", "monitor_attempt_already_recorded"],
	},
	"A1 not behind a private result": {
		"todos": [task({}), watch(object.union(soon, {"rank": 0, "result_hash": "private_boundary_no_authorized_read"}))], "change": {},
		"rule": "lane.advance",
		"want": ["advancement_task", "advancement_task", "advance_one_bounded_segment", true],
		"codes": ["open_agent_todo", "due_monitor_context"],
	},
	"A1 not for a private action kind": {
		"todos": [task({}), watch(object.union(soon, {"rank": 0, "action_kind": "read_local_department_doc"}))], "change": {},
		"rule": "lane.advance",
		"want": ["advancement_task", "advancement_task", "advance_one_bounded_segment", true],
		"codes": ["open_agent_todo", "due_monitor_context"],
	},
	"A1 not for a local priority": {
		"todos": [task({}), watch(object.union(soon, {"rank": 0, "priority": "P0 local"}))], "change": {},
		"rule": "lane.advance",
		"want": ["advancement_task", "advancement_task", "advance_one_bounded_segment", true],
		"codes": ["open_agent_todo", "due_monitor_context"],
	},
	"A2 after two polls": {
		"todos": [task({}), watch(soon)], "change": polls,
		"rule": "lane.advance",
		"want": ["advancement_task", "advancement_task", "advance_one_bounded_segment", true],
		"codes": ["open_agent_todo", "due_monitor_context", "monitor_attempt_already_recorded", "monitor_debt_backoff"],
	},
	"A2 with words of a poll": {
		"todos": [task({"text": "Watch the build and poll the result."})], "change": {},
		"rule": "lane.advance",
		"want": ["advancement_task", "advancement_task", "advance_one_bounded_segment", true],
		"codes": ["open_agent_todo", "external_monitor_context"],
	},
	"A2 with follow-through": {
		"todos": [task({})], "change": {"runs": [testing.run(5, "ui_pass", {"delivery_outcome": "surface_only"})]},
		"rule": "lane.advance",
		"want": ["advancement_task", "advancement_task", "advance_primary_outcome_or_write_blocker", true],
		"codes": ["open_agent_todo", "outcome_followthrough_required"],
	},
}

monitor_cases := {
	"A3 not before the time of its monitor": {
		"todos": [watch(object.union(later, {"target_key": "job"}))], "change": {"request": {"agent_id": ""}, "state": {"next_actions": ["Poll the job result."]}},
		"rule": "lane.monitor.quiet",
		"want": ["continuous_monitor", "continuous_monitor", "quiet_until_material_monitor_transition", false],
		"codes": ["monitor_todo_only"],
	},
	"A4 a todo waits for an open monitor": {
		"todos": [task({"resume_when": "todo_done:todo_m"}), watch(later)], "change": {},
		"rule": "lane.resume_gate",
		"want": ["advancement_task", "advancement_task", "repair_resume_gate_or_close_standing_monitor", true],
		"codes": ["monitor_todo_only", "resume_blocked_by_open_monitor"],
	},
	"A4 not while the monitor is due": {
		"todos": [task({"resume_when": "todo_done:todo_m"}), watch(soon)], "change": {},
		"rule": "lane.due",
		"want": ["continuous_monitor", "continuous_monitor", "attempt_due_monitor", true],
		"codes": ["monitor_todo_only", "monitor_due"],
	},
	"A4 not for an agent that only watches": {
		"todos": [task({"resume_when": "todo_done:todo_m"}), watch(later)], "change": watching,
		"rule": "lane.monitor.quiet",
		"want": ["continuous_monitor", "continuous_monitor", "quiet_until_material_monitor_transition", false],
		"codes": ["monitor_todo_only"],
	},
	"A5 a due monitor alone": {
		"todos": [watch(soon)], "change": {},
		"rule": "lane.due",
		"want": ["continuous_monitor", "continuous_monitor", "attempt_due_monitor", true],
		"codes": ["monitor_todo_only", "monitor_due"],
	},
	"A5 advancement of a watching agent": {
		"todos": [task({}), watch(soon)], "change": watching,
		"rule": "lane.due",
		"want": ["continuous_monitor", "continuous_monitor", "attempt_due_monitor", true],
		"codes": ["monitor_todo_only", "monitor_due"],
	},
	"A6 the next action is executable": {
		"todos": [watch(later)], "change": chain,
		"rule": "lane.materialize",
		"want": ["advancement_task", "advancement_task", "materialize_advancement_todo_or_blocker", true],
		"codes": ["monitor_todo_only", "next_action_requires_advancement"],
	},
	"A6 not for an agent that only watches": {
		"todos": [watch(later)], "change": object.union(chain, watching),
		"rule": "lane.monitor.quiet",
		"want": ["continuous_monitor", "continuous_monitor", "quiet_until_material_monitor_transition", false],
		"codes": ["monitor_todo_only"],
	},
	"A7 no schedule": {
		"todos": [watch({})], "change": {},
		"rule": "lane.schedule_gap",
		"want": ["advancement_task", "continuous_monitor", "repair_monitor_schedule_metadata", true],
		"codes": ["monitor_todo_only", "monitor_schedule_metadata_gap"],
	},
	"A8 a future monitor": {
		"todos": [watch(later)], "change": {},
		"rule": "lane.monitor.quiet",
		"want": ["continuous_monitor", "continuous_monitor", "quiet_until_material_monitor_transition", false],
		"codes": ["monitor_todo_only"],
	},
}

dependency_cases := {
	"B1 dependency and a due monitor": {
		"todos": [watch(soon)], "change": dependency,
		"rule": "lane.dep.due",
		"want": ["continuous_monitor", "continuous_monitor", "attempt_due_monitor", true],
		"codes": ["dependency_observation", "monitor_todo_only", "monitor_due"],
	},
	"B1 dependency and a due monitor of higher priority": {
		"todos": [task({}), watch(object.union(soon, {"rank": 0}))], "change": dependency,
		"rule": "lane.dep.due",
		"want": ["continuous_monitor", "advancement_task", "attempt_due_monitor", true],
		"codes": ["dependency_observation", "monitor_due", "due_monitor_priority_preempts_advancement"],
	},
	"B1 dependency, nothing else open, after a recorded poll": {
		"todos": [watch(soon)],
		"change": object.union(dependency, poll),
		"rule": "lane.dep.due",
		"want": ["continuous_monitor", "continuous_monitor", "attempt_due_monitor", true],
		"codes": ["dependency_observation", "monitor_todo_only", "monitor_due"],
	},
	"B2 dependency and advancement": {
		"todos": [task({})], "change": dependency,
		"rule": "lane.dep.advance",
		"want": ["continuous_monitor", "advancement_task", "advance_unless_material_monitor_transition", true],
		"codes": ["dependency_observation", "open_agent_todo"],
	},
	"B3 dependency and a private due monitor": {
		"todos": [watch(object.union(soon, {"action_kind": "private_read"}))], "change": dependency,
		"rule": "lane.dep.monitor_due",
		"want": ["continuous_monitor", "continuous_monitor", "attempt_due_monitor", true],
		"codes": ["dependency_observation", "monitor_todo_only", "monitor_due"],
	},
	"B3m dependency and an executable next action": {
		"todos": [watch(later)], "change": object.union(dependency, chain),
		"rule": "lane.dep.materialize",
		"want": ["continuous_monitor", "advancement_task", "materialize_advancement_todo_or_blocker", true],
		"codes": ["dependency_observation", "monitor_todo_only", "next_action_requires_advancement"],
	},
	"B4 dependency and a future monitor": {
		"todos": [watch(later)], "change": dependency,
		"rule": "lane.dep.quiet",
		"want": ["continuous_monitor", "continuous_monitor", "quiet_until_material_monitor_transition", false],
		"codes": ["dependency_observation", "monitor_todo_only"],
	},
	"B4 dependency alone": {
		"todos": [], "change": dependency,
		"rule": "lane.dep.quiet",
		"want": ["continuous_monitor", "continuous_monitor", "quiet_until_material_monitor_transition", false],
		"codes": ["dependency_observation", "no_open_agent_todo"],
	},
	"3.7 a monitor while nothing can run": {
		"todos": [task({"required_capabilities": ["gpu"]}), watch(later)], "change": {},
		"rule": "lane.cap_fallback",
		"want": ["continuous_monitor", "continuous_monitor", "quiet_until_material_monitor_transition", false],
		"codes": ["monitor_todo_only", "advancement_unavailable_by_capability"],
	},
	"3.7 a monitor without schedule while nothing can run": {
		"todos": [task({"required_capabilities": ["gpu"]}), watch({})], "change": {},
		"rule": "lane.cap_fallback",
		"want": ["continuous_monitor", "continuous_monitor", "repair_monitor_schedule_metadata", true],
		"codes": ["monitor_schedule_metadata_gap", "advancement_unavailable_by_capability"],
	},
}

world(case) := testing.team(object.union(case.change, {"todos": case.todos}))

test_lane[name] if {
	some name, case in cases
	holds(case)
}

test_lane_of_monitors[name] if {
	some name, case in monitor_cases
	holds(case)
}

test_lane_of_a_dependency[name] if {
	some name, case in dependency_cases
	holds(case)
}

holds(case) if {
	got := {"winner": work_lane_contract.winner, "raw": work_lane_contract.raw, "fired": work_lane_contract.fired} with input as world(case)
	[got.winner.rule, got.raw.reason_codes] == [case.rule, case.codes]
	[got.raw.lane, got.raw.next_lane, got.raw.obligation, got.raw.must_attempt_work] == case.want
	got.raw.schema_version == "work_lane_contract_v1"
	got.raw.monitor_policy
	got.raw.action
	got.fired.work_lane_contract.rule == case.rule
	got.fired.work_lane_contract.value == case.want[2]
}

none_cases := {
	"no todo": {"todos": [], "change": {}},
	"all done": {"todos": [task({"status": "done"})], "change": {}},
	"only blocked advancement": {"todos": [task({"status": "blocked"})], "change": {}},
	"advancement of a watching agent": {"todos": [task({})], "change": watching},
}

test_lane_none[name] if {
	some name, case in none_cases
	got := {"winner": work_lane_contract.winner, "fired": work_lane_contract.fired, "runners": work_lane_contract.runners} with input as world(case)
	got.winner.rule == "lane.none"
	got.fired.work_lane_contract.value == "none"
	got.runners == {}
	not work_lane_contract.raw with input as world(case)
}

test_lane_advance_hidden if {
	got := {"winner": work_lane_contract.winner, "raw": work_lane_contract.raw, "fired": work_lane_contract.fired} with input as world({"todos": [watch(later)], "change": {}})
		with data.loopx.todos.hidden_count as 2
	got.winner.rule == "lane.advance.hidden"
	got.raw.reason_codes == ["open_agent_todo", "hidden_open_todo"]
	[got.raw.lane, got.raw.obligation, got.raw.must_attempt_work] == ["advancement_task", "advance_one_bounded_segment", true]
}

signal := {"todos": [], "change": {"request": {"agent_id": ""}, "state": {"next_actions": ["Poll the job result."]}}}

test_lane_external if {
	got := {"winner": work_lane_contract.winner, "raw": work_lane_contract.raw, "fired": work_lane_contract.fired} with input as world(signal)
	got.winner.rule == "lane.external"
	[got.raw.lane, got.raw.next_lane, got.raw.obligation, got.raw.must_attempt_work] == [
		"continuous_monitor",
		"continuous_monitor",
		"observe_external_evidence_or_blocker",
		true,
	]
	got.raw.monitor_kind == "external_evidence"
	got.raw.reason_codes == ["external_evidence_poll_signal"]
	not got.raw.selected_todo_id
}

test_lane_external_carries_the_due_monitor if {
	got := work_lane_contract.raw with input as world(object.union(signal, {"todos": [watch(soon)]}))
	[got.obligation, got.selected_todo_id, got.monitor_kind] == ["observe_external_evidence_or_blocker", "todo_m", "external_evidence"]
}

test_lane_external_of_a_watching_agent[name] if {
	some name, case in {"due": {"monitor": soon, "rule": "lane.external"}, "not due": {"monitor": later, "rule": "lane.monitor.quiet"}}
	got := {"winner": work_lane_contract.winner, "raw": work_lane_contract.raw, "fired": work_lane_contract.fired} with input as world({
		"todos": [watch(case.monitor)],
		"change": object.union(watching, {"state": {"next_actions": ["Poll the job result."]}}),
	})
		with data.loopx.external.live as true
	got.winner.rule == case.rule
}

test_lane_external_quiet_after_the_look if {
	got := {"winner": work_lane_contract.winner, "raw": work_lane_contract.raw, "fired": work_lane_contract.fired} with input as world(object.union(signal, {"change": object.union(signal.change, poll)}))
	got.winner.rule == "lane.external.quiet"
	[got.raw.obligation, got.raw.must_attempt_work] == ["quiet_until_material_monitor_transition", false]
	got.raw.reason_codes == ["external_evidence_poll_recent"]
}

test_lane_due_fields if {
	got := work_lane_contract.raw with input as world({
		"todos": [
			watch({"next_due_at": "2026-08-20T11:50:00+00:00", "next_due_ns": testing.now_ns - 1}),
			testing.monitor("todo_n", object.union(soon, {"index": 3})),
		],
		"change": {},
	})
	[got.monitor_due_count, got.selected_todo_id, got.selected_next_due_at, got.monitor_kind] == [
		2,
		"todo_m",
		"2026-08-20T11:50:00+00:00",
		"todo_monitor_due",
	]
	[item.todo_id | some item in got.monitor_due_items] == ["todo_m"]
}

test_lane_due_fields_without_a_due_time if {
	got := work_lane_contract.raw with input as world({"todos": [watch(soon)], "change": {}})
	not got.selected_next_due_at
}

kind_cases := {
	"lane.schedule_gap": {"todos": [watch({})], "change": {}, "want": ["todo_monitor_schedule_gap", "todo_m"]},
	"lane.monitor.quiet": {"todos": [watch(later)], "change": {}, "want": ["todo_monitor", null]},
	"lane.resume_gate": {"todos": [task({"resume_when": "todo_done:todo_m"}), watch(later)], "change": {}, "want": [null, "todo_a"]},
	"lane.dep.monitor_due": {
		"todos": [watch(object.union(soon, {"action_kind": "private_read"}))], "change": dependency,
		"want": ["dependency_observation", "todo_m"],
	},
	"lane.advance": {"todos": [task({})], "change": {}, "want": [null, null]},
}

test_lane_kind_and_selected_todo[rule] if {
	some rule, case in kind_cases
	got := work_lane_contract.raw with input as world(case)
	[object.get(got, "monitor_kind", null), object.get(got, "selected_todo_id", null)] == case.want
}

test_lane_cap_fallback_due if {
	got := {"winner": work_lane_contract.winner, "raw": work_lane_contract.raw, "fired": work_lane_contract.fired} with input as world({"todos": [watch(soon)], "change": {}})
		with data.loopx.capability_gate.monitor_fallback as {
			"mode": "due_monitor_attempt",
			"obligation": "attempt_due_monitor",
			"reason_code": "advancement_unavailable_by_capability",
		}
	got.winner.rule == "lane.cap_fallback"
	got.raw.selected_todo_id == "todo_m"
	got.raw.reason_codes == ["monitor_due", "advancement_unavailable_by_capability"]
}

needs_gpu(rank) := task({"rank": rank, "required_capabilities": ["gpu"]})

only_the_monitor_cases := {
	"of lower priority": {"rank": 0, "want": ["lane.cap_fallback", ["monitor_due", "advancement_unavailable_by_capability"]]},
	"of higher priority": {"rank": 4, "want": ["lane.due.preempt", ["monitor_due", "due_monitor_priority_preempts_advancement"]]},
}

test_lane_cap_fallback_of_the_only_monitor_that_can_run[name] if {
	some name, case in only_the_monitor_cases
	got := {"winner": work_lane_contract.winner, "raw": work_lane_contract.raw} with input as world({
		"todos": [needs_gpu(case.rank), watch(object.union(soon, {"rank": 2}))],
		"change": {},
	})
	[got.winner.rule, got.raw.reason_codes] == case.want
}

fallback_cases := {
	"due monitor beside advancement": {"id": "todo_m", "todos": [task({}), watch(soon)], "want": ["lane.gate_fallback", "advancement_task"]},
	"due monitor alone": {"id": "todo_m", "todos": [watch(soon)], "want": ["lane.gate_fallback", "continuous_monitor"]},
	"advancement keeps its lane": {"id": "todo_a", "todos": [task({}), watch(soon)], "want": ["lane.advance", "advancement_task"]},
}

test_lane_gate_fallback[name] if {
	some name, case in fallback_cases
	got := {"winner": work_lane_contract.winner, "raw": work_lane_contract.raw, "fired": work_lane_contract.fired} with input as world({"todos": case.todos, "change": {}})
		with data.loopx.agent_scope.gate_fallback as {"selected_executable": {"todo_id": case.id}}
	[got.winner.rule, got.raw.next_lane] == case.want
}

test_lane_gate_fallback_names_the_due_monitor if {
	got := work_lane_contract.raw with input as world({"todos": [task({}), watch(soon)], "change": {}})
		with data.loopx.agent_scope.gate_fallback as {"selected_executable": {"todo_id": "todo_m"}}
	[got.obligation, got.selected_todo_id, got.must_attempt_work] == ["attempt_due_monitor", "todo_m", true]
	got.reason_codes == ["monitor_due", "scoped_user_gate_fallback"]
}

test_lane_due_debt[name] if {
	some name, case in {
		"equal priority": {"rank": 1, "want": true},
		"higher priority advancement": {"rank": 0, "want": true},
		"lower priority advancement": {"rank": 2, "want": false},
	}
	got := work_lane_contract.debt_applies with input as world({"todos": [task({"rank": case.rank}), watch(soon)], "change": polls})
	got == case.want
}

package loopx.capability_gate_test

import data.loopx.capability_gate
import data.loopx.testing

task(id, index, rank, change) := testing.advancement(id, object.union({"index": index, "rank": rank}, change))

needs(list) := {"required_capabilities": list}

soon := {"cadence": "1m", "cadence_seconds": 60}

action_cases := {
	"no todos": {"todos": [], "want": ["cap.gate.absent", "none"]},
	"nobody declares": {"todos": [task("todo_a", 1, 1, {})], "want": ["cap.gate.absent", "none"]},
	"declared and there": {"todos": [task("todo_a", 1, 1, needs(["shell"]))], "want": ["cap.gate.run", "run"]},
	"target declared": {"todos": [task("todo_a", 1, 1, {"target_capabilities": ["network"]})], "want": ["cap.gate.run", "run"]},
	"one runs": {"todos": [task("todo_a", 1, 0, needs(["credentials"])), task("todo_b", 2, 1, {})], "want": ["cap.gate.run", "run"]},
	"owner holds it": {"todos": [task("todo_a", 1, 1, needs(["credentials"]))], "want": ["cap.gate.ask_owner", "ask_owner"]},
	"owner holds one of two": {
		"todos": [task("todo_a", 1, 0, needs(["network"])), task("todo_b", 2, 1, needs(["production_access"]))],
		"want": ["cap.gate.ask_owner", "ask_owner"],
	},
	"a bridge": {"todos": [task("todo_a", 1, 1, needs(["shell", "benchmark_runner"]))], "want": ["cap.gate.repair", "repair_bridge"]},
	"a bridge and an unknown": {"todos": [task("todo_a", 1, 1, needs(["gpu", "network"]))], "want": ["cap.gate.repair", "repair_bridge"]},
	"unknown only": {"todos": [task("todo_a", 1, 1, needs(["gpu"]))], "want": ["cap.gate.skip", "skip"]},
	"a due monitor can run": {"todos": [task("todo_a", 1, 1, needs(["gpu"])), testing.monitor("todo_m", soon)], "want": ["cap.gate.run", "run"]},
	"a due monitor lacks a bridge": {"todos": [testing.monitor("todo_m", object.union(soon, needs(["network"])))], "want": ["cap.gate.repair", "repair_bridge"]},
	"a future monitor is no candidate": {"todos": [testing.monitor("todo_m", needs(["network"]))], "want": ["cap.gate.absent", "none"]},
	"of another agent": {"todos": [task("todo_a", 1, 1, object.union(needs(["gpu"]), {"claimed_by": "agent-b"}))], "want": ["cap.gate.absent", "none"]},
}

test_gate[name] if {
	some name, case in action_cases
	got := capability_gate with input as testing.team({"todos": case.todos})
	[got.winner.rule, got.action] == case.want
	got.fired.capability_gate.rule == case.want[0]
	{row.rank | some row in got.runners} == {row.rank | row := sort(got.gate_row)[1]}
}

test_gate_of_a_watching_agent_ignores_advancement if {
	got := capability_gate.action with input as testing.team({
		"goal": {"work_modes": {"agent-a": "monitor_only"}},
		"todos": [task("todo_a", 1, 1, needs(["gpu"]))],
	})
	got == "none"
}

world := testing.team({"todos": [
	task("todo_docs", 4, 1, needs(["shell", "filesystem_write"])),
	task("todo_pub", 1, 0, needs(["credentials"])),
	task("todo_bench", 2, 0, needs(["shell", "benchmark_runner"])),
	task("todo_plot", 3, 1, needs(["benchmark_runner", "gpu"])),
	task("todo_bridge", 5, 50, {"required_capabilities": ["shell"], "target_capabilities": ["network", "gpu", "shell"]}),
]})

test_gate_run_lists_in_declared_and_projection_order if {
	got := capability_gate.gate with input as world
	object.filter(got, [
		"schema_version",
		"action",
		"decision_owner",
		"required",
		"missing",
		"selection_policy",
		"blocked_missing",
		"owner_missing",
		"repair_missing",
		"unsupported_missing",
		"repair_candidate_count",
		"runnable_count",
		"candidate_order_policy",
		"source",
		"owner_action",
		"available",
	]) == {
		"schema_version": "capability_gate_v0",
		"action": "run",
		"decision_owner": "agent",
		"required": ["shell", "filesystem_write"],
		"missing": [],
		"selection_policy": "agent_steering_audit_over_runnable_candidates",
		"blocked_missing": ["credentials", "benchmark_runner", "gpu"],
		"owner_missing": ["credentials"],
		"repair_missing": ["network", "benchmark_runner"],
		"unsupported_missing": ["gpu"],
		"repair_candidate_count": 1,
		"runnable_count": 2,
		"candidate_order_policy": "claim_then_priority_then_active_next_then_repair",
		"source": "agent_todo_summary.executable_backlog_items",
		"owner_action": "Provide or authorize credentials for todo_pub.",
		"available": ["shell", "filesystem_read", "filesystem_write"],
	}
	not got.resolution_steps
	not got.blocks_delivery
	[c.todo_id | some c in got.runnable_candidates] == ["todo_docs", "todo_bridge"]
	[[c.todo_id, c.missing_capabilities, c.capability_action] | some c in got.blocked_candidates] == [
		["todo_pub", ["credentials"], "ask_owner"],
		["todo_bench", ["benchmark_runner"], "repair_bridge"],
		["todo_plot", ["benchmark_runner", "gpu"], "repair_bridge"],
	]
}

test_cap_candidate_repair_mode_and_visible_targets if {
	got := capability_gate.runnable with input as world
	object.filter(got[1], ["todo_id", "capability_action", "capability_repair_mode", "missing_target_capabilities", "missing_capabilities"]) == {
		"todo_id": "todo_bridge",
		"capability_action": "repair_bridge",
		"capability_repair_mode": true,
		"missing_target_capabilities": ["network", "gpu"],
		"missing_capabilities": [],
	}
	got[0].capability_action == "run"
	not got[0].capability_repair_mode
	not got[0].missing_target_capabilities
}

test_cap_candidate_target_visible_without_repair if {
	got := capability_gate.runnable[0] with input as testing.team({"todos": [task("todo_a", 1, 1, {"target_capabilities": ["gpu"]})]})
	got.missing_target_capabilities == ["gpu"]
	got.capability_action == "run"
	not got.capability_repair_mode
}

test_cap_candidate_blocked_by_an_unknown_capability_only if {
	got := capability_gate.gate.blocked_candidates with input as testing.team({"todos": [task("todo_a", 1, 1, needs(["gpu"]))]})
	got[0].capability_action == "skip"
	got[0].text == "[P1] Implement the tokenizer."
	got[0].task_class == "advancement_task"
}

test_cap_binding if {
	got := capability_gate.bindings with input as world
	got == [
		{
			"owner": "user",
			"action": "provide_or_authorize",
			"capability": "credentials",
			"priority": "P0",
			"primary_blocked_todo_id": "todo_pub",
			"blocked_todo_ids": ["todo_pub"],
		},
		{
			"owner": "agent",
			"action": "repair_bridge",
			"capability": "benchmark_runner",
			"priority": "P0",
			"primary_blocked_todo_id": "todo_bench",
			"blocked_todo_ids": ["todo_bench", "todo_plot"],
		},
		{
			"owner": "capability_gate",
			"action": "unsupported",
			"capability": "gpu",
			"priority": "P1",
			"primary_blocked_todo_id": "todo_plot",
			"blocked_todo_ids": ["todo_plot"],
		},
	]
}

test_cap_binding_default_priority[name] if {
	some name, rank in {"none": 50, "P3": 3}
	got := capability_gate.bindings with input as testing.team({"todos": [task("todo_a", 1, rank, needs(["network"]))]})
	got[0].priority == "P1"
}

blocked_cases := {
	"ask_owner": {
		"needs": ["credentials", "network", "gpu"],
		"owner": "user",
		"steps": [
			{"owner": "user", "action": "provide_or_authorize", "capabilities": ["credentials"]},
			{"owner": "agent", "action": "repair_bridge", "capabilities": ["network"]},
			{"owner": "capability_gate", "action": "unsupported", "capabilities": ["gpu"]},
		],
	},
	"repair_bridge": {"needs": ["network"], "owner": "agent", "steps": [{"owner": "agent", "action": "repair_bridge", "capabilities": ["network"]}]},
	"skip": {"needs": ["gpu"], "owner": "capability_gate", "steps": [{"owner": "capability_gate", "action": "unsupported", "capabilities": ["gpu"]}]},
}

test_gate_blocked_variants[action] if {
	some action, case in blocked_cases
	got := capability_gate with input as testing.team({"todos": [task("todo_a", 1, 1, needs(array.concat(["shell"], case.needs)))]})
	gate := got.gate
	gate.action == action
	gate.decision_owner == case.owner
	gate.resolution_steps == case.steps
	gate.required == array.concat(["shell"], case.needs)
	gate.missing == case.needs
	gate.selection_policy == "no_runnable_candidate"
	gate.runnable_count == 0
	gate.blocks_delivery
	got.blocks
}

test_gate_owner_action_is_null_without_an_owner if {
	got := capability_gate.gate with input as testing.team({"todos": [task("todo_a", 1, 1, needs(["network"]))]})
	got.owner_action == null
}

test_gate_absent_has_no_object if {
	not capability_gate.gate with input as testing.team({})
	not capability_gate.blocks with input as testing.team({})
}

test_gate_of_the_next_action_names_its_source if {
	got := capability_gate.gate with input as testing.team({
		"state": {"next_action_todo_ids": ["todo_a"]},
		"todos": [task("todo_a", 1, 1, needs(["shell"]))],
	})
	got.source == "agent_todo_summary.active_next_action_executable_items"
}

test_cap_order_policy[name] if {
	some name, case in {
		"unscoped": {"change": {"request": {"agent_id": ""}}, "want": "projection_order"},
		"agent": {"change": {}, "want": "claim_then_priority_then_active_next_then_repair"},
		"profile": {
			"change": {"goal": {"agent_profiles": [{"agent_id": "agent-a", "preferred_action_kinds": [], "avoid_action_kinds": []}]}},
			"want": "claim_then_profile_then_priority_then_active_next_then_repair",
		},
	}
	got := capability_gate.gate with input as testing.team(object.union(
		case.change,
		{"todos": [task("todo_a", 1, 1, needs(["shell"]))]},
	))
	got.candidate_order_policy == case.want
}

test_operator_adds_a_class_and_changes_none if {
	got := capability_gate.action with input as testing.team({"todos": [task("todo_a", 1, 1, needs(["gpu"]))]})
		with data.operator.capability_classes as {"gpu": "ask_owner"}
	got == "ask_owner"
	kept := capability_gate.action with input as testing.team({"todos": [task("todo_a", 1, 1, needs(["credentials"]))]})
		with data.operator.capability_classes as {"credentials": "repair_bridge"}
	kept == "ask_owner"
}

later := {"cadence": "1h", "cadence_seconds": 3600, "last_checked_at": "x", "last_checked_ns": testing.now_ns}

fallback_cases := {
	"quiet": {"monitor": later, "want": ["lane.cap_fallback.quiet", "monitor_quiet_wait", "quiet_until_material_monitor_transition"]},
	"gap": {"monitor": {}, "want": ["lane.cap_fallback.gap", "monitor_schedule_metadata_repair", "repair_monitor_schedule_metadata"]},
}

test_lane_cap_fallback[name] if {
	some name, case in fallback_cases
	got := capability_gate with input as testing.team({"todos": [
		task("todo_a", 1, 1, needs(["gpu"])),
		testing.monitor("todo_m", object.union(case.monitor, {"index": 2})),
	]})
	fallback := got.monitor_fallback
	[fallback.rule, fallback.mode, fallback.obligation] == case.want
	fallback.reason_code == "advancement_unavailable_by_capability"
	fallback.blocked_todo_ids == ["todo_a"]
	not got.blocks
}

test_lane_cap_fallback_due_when_the_gate_skips_beside_it if {
	got := capability_gate.monitor_fallback with input as testing.team({"todos": [testing.monitor("todo_m", soon)]})
		with capability_gate.action as "skip"
	[got.rule, got.mode] == ["lane.cap_fallback.due", "due_monitor_attempt"]
}

test_lane_cap_fallback_due_when_only_the_monitor_can_run[capability] if {
	some capability in ["gpu", "network", "credentials"]
	got := capability_gate with input as testing.team({"todos": [
		task("todo_a", 1, 1, needs([capability])),
		testing.monitor("todo_m", object.union(soon, {"index": 2})),
	]})
	[got.action, got.blocks, got.monitor_fallback.mode] == ["run", false, "due_monitor_attempt"]
	got.monitor_fallback.reason_code == "advancement_unavailable_by_capability"
}

beside := {
	"a todo that can run": {"todos": [task("todo_a", 1, 1, needs(["gpu"])), task("todo_b", 3, 1, {}), testing.monitor("todo_m", soon)]},
	"a monitor alone": {"todos": [testing.monitor("todo_m", object.union(soon, needs(["shell"])))]},
}

test_lane_cap_fallback_is_not_needed[name] if {
	some name, facts in beside
	not capability_gate.monitor_fallback with input as testing.team(facts)
}

test_lane_cap_fallback_is_not_needed_beside_hidden_work if {
	facts := {"todos": [task("todo_a", 1, 1, needs(["gpu"])), testing.monitor("todo_m", soon)]}
	not capability_gate.monitor_fallback with input as testing.team(facts) with data.loopx.todos.hidden_count as 1
}

test_lane_cap_fallback_of_a_blocked_due_monitor if {
	got := capability_gate.monitor_fallback with input as testing.team({"todos": [testing.monitor("todo_m", object.union(soon, needs(["gpu"])))]})
	got.reason_code == "due_monitor_unavailable_by_capability"
	got.mode == "monitor_quiet_wait"
}

test_lane_cap_fallback_needs_skip_and_a_monitor[name] if {
	some name, todos in {
		"no monitor": [task("todo_a", 1, 1, needs(["gpu"]))],
		"no skip": [task("todo_a", 1, 1, needs(["network"])), testing.monitor("todo_m", later)],
	}
	not capability_gate.monitor_fallback with input as testing.team({"todos": todos})
}

test_gate_shows_the_first_candidates_and_counts_all if {
	list := [task(sprintf("todo_%02d", [i]), i, 1, needs(["shell"])) | some i in numbers.range(1, 20)]
	got := capability_gate.gate with input as testing.team({"todos": list})
	count(got.runnable_candidates) == 16
	[got.runnable_count, got.blocked_count] == [20, 0]
	got.runnable_candidates[15].todo_id == "todo_16"
}

package loopx.why_test

import data.loopx.testing
import data.loopx.why

now := testing.now_ns

A := testing.advancement("todo_a", {})

B := testing.advancement("todo_b", {"claimed_by": "agent-b", "excluded_agents": ["agent-a"], "required_capabilities": ["gpu"]})

W := testing.monitor("todo_w", {
	"cadence": "1h",
	"cadence_seconds": 3600,
	"next_due_at": "2026-08-20T13:00:00+00:00",
	"next_due_ns": now + testing.hour,
	"expires_ns": now + (3 * testing.hour),
})

V := testing.monitor("todo_v", {"cadence_seconds": 3600, "last_checked_at": "x", "last_checked_ns": now - (testing.hour / 2)})

gate := testing.user_todo("todo_g", "user_gate", {"bound_agent": "agent-a"})

loose := testing.user_todo("todo_u", "user_action", {})

own_finding := {"code": "c", "scope": "goal", "goal_id": "g1", "message": "m"}

spend := {"kind": "spend", "at": "x", "at_ns": now - testing.hour, "key": "k", "slots": 3}

# What is tried for which facts: kind, id and the first operation.
cases := {
	"a stopped goal": [
		testing.facts({"goal": {"activation": "stopped"}}),
		["goal_resumed", "", {"op": "set", "path": ["goal", "activation"], "value": "active"}],
	],
	"a running goal": [
		testing.base,
		["goal_stopped", "", {"op": "set", "path": ["goal", "activation"], "value": "stopped"}],
	],
	"an unknown agent": [
		testing.team({"request": {"agent_id": "agent-z"}}),
		["agent_registered", "agent-z", {"op": "append", "path": ["goal", "agents"], "value": "agent-z"}],
	],
	"a finding of the goal": [
		testing.facts({"findings": [{"code": "x", "scope": "goal", "goal_id": "g2", "message": "m"}, own_finding]}),
		["finding_mended", "", {"op": "remove", "path": ["findings", 1]}],
	],
	"a finding of several goals": [
		testing.facts({"findings": [{"code": "x", "scope": "goals", "goal_ids": ["g1", "g2"], "message": "m"}]}),
		["finding_mended", "", {"op": "remove", "path": ["findings", 0]}],
	],
	"a global finding": [
		testing.facts({"findings": [{"code": "x", "scope": "global", "message": "m"}]}),
		["finding_mended", "", {"op": "remove", "path": ["findings", 0]}],
	],
	"a todo with an error": [
		testing.facts({"todos": [A, testing.user_todo("todo_x", "odd", {})]}),
		["todo_mended", "todo_x", {"op": "remove", "path": ["todos", 1]}],
	],
	"an unbound user todo": [
		testing.team({"todos": [loose]}),
		["todo_bound", "todo_u", {"op": "set", "path": ["todos", 0, "bound_agent"], "value": "agent-a"}],
	],
	"the registry names an owner": [
		testing.facts({"goal": {"waiting_on": "controller"}}),
		["waiting_on_cleared", "", {"op": "remove", "path": ["goal", "waiting_on"]}],
	],
	"a run names an owner": [
		testing.facts({"status_run": testing.run(1, "blocked_by_safety", {})}),
		["waiting_on_cleared", "", {"op": "set", "path": ["goal", "waiting_on"], "value": "codex"}],
	],
	"a gate": [
		testing.team({"todos": [gate]}),
		["gate_resolved", "todo_g", {"op": "set", "path": ["todos", 0, "decision_outcome"], "value": "approve"}],
	],
	"a user action": [
		testing.team({"todos": [loose]}),
		["user_action_done", "todo_u", {"op": "set", "path": ["todos", 0, "status"], "value": "done"}],
	],
	"a focus marker": [
		testing.facts({"goal": {"lifecycle_phase": "focus_wait"}}),
		["focus_cleared", "", {"op": "remove", "path": ["goal", "lifecycle_phase"]}],
	],
	"no slots left": [
		testing.facts({"goal": {"quota": {"allowed_slots": 2}}, "ledger": {"rows": [spend]}}),
		["quota_raised", "", {"op": "set", "path": ["goal", "quota", "allowed_slots"], "value": 4}],
	],
	"a small share": [
		testing.facts({"goal": {"quota": {"compute": 0}}}),
		["compute_raised", "", {"op": "set", "path": ["goal", "quota", "compute"], "value": 1}],
	],
	"a missing capability": [
		testing.team({"todos": [B]}),
		["capability_available", "gpu", {"op": "append", "path": ["request", "available_capabilities"], "value": "gpu"}],
	],
	"a claim": [
		testing.team({"todos": [A, B]}),
		["claim_released", "todo_b", {"op": "remove", "path": ["todos", 1, "claimed_by"]}],
	],
	"an exclusion": [
		testing.team({"todos": [B]}),
		["exclusion_lifted", "todo_b", {"op": "remove", "path": ["todos", 0, "excluded_agents"]}],
	],
	"a monitor that is not due": [
		testing.facts({"todos": [W]}),
		["monitor_due", "todo_w", {"op": "set", "path": ["todos", 0, "next_due_ns"], "value": now}],
	],
	"an open todo": [
		testing.facts({"todos": [A]}),
		["todo_done", "todo_a", {"op": "set", "path": ["todos", 0, "status"], "value": "done"}],
	],
}

test_changes[name] if {
	some name, [facts, [kind, id, operation]] in cases
	got := why.questions.changes with input as facts
	some change in got
	change.kind == kind
	object.get(change, "id", "") == id
	operation in change.operations
	change.rule == concat(".", ["why", kind])
	change.text != ""
}

test_work_added_has_an_executable_todo if {
	got := why.questions.changes with input as testing.base
	some change in got
	change.kind == "work_added"
	change.operations[0].path == ["todos"]
	change.operations[0].value.task_class == "advancement_task"
}

# What is not tried, because it is so already or means nothing here.
absent := {
	"a healthy goal": [testing.base, [
		"goal_resumed", "agent_registered", "finding_mended", "todo_mended", "waiting_on_cleared", "focus_cleared",
		"quota_raised", "compute_raised",
	]],
	"a due monitor": [testing.facts({"todos": [object.union(W, {"next_due_ns": now})]}), ["monitor_due"]],
	"an own claim": [testing.team({"todos": [object.union(B, {"claimed_by": "agent-a", "excluded_agents": []})]}), ["claim_released", "exclusion_lifted"]],
	"a finding of another goal": [
		testing.facts({"findings": [{"code": "x", "scope": "goal", "goal_id": "g2", "message": "m"}]}),
		["finding_mended"],
	],
	"an unknown goal": [
		json.remove(testing.base, ["goal"]),
		["goal_stopped", "work_added", "waiting_on_cleared", "compute_raised", "agent_registered"],
	],
}

test_absent_changes[name] if {
	some name, [facts, kinds] in absent
	got := {change.kind | some change in why.questions.changes} with input as facts
	got & {kind | some kind in kinds} == set()
}

test_changes_come_in_the_order_of_the_settings if {
	got := [change.kind | some change in why.questions.changes] with input as testing.team({"todos": [gate, A, B]})
	got == ["waiting_on_cleared", "gate_resolved", "capability_available", "claim_released", "exclusion_lifted", "todo_done", "todo_done", "work_added", "goal_stopped"]
}

test_changes_are_bounded if {
	many := [testing.advancement(sprintf("todo_%d", [i]), {}) | some i in numbers.range(1, 60)]
	got := why.questions with input as testing.facts({"todos": many})
	count(got.changes) == 48
	got.left_out == 14
	few := why.questions with input as testing.base
	few.left_out == 0
}

edges := {
	"a throttled goal": [
		testing.facts({"goal": {"quota": {"allowed_slots": 2}}, "ledger": {"rows": [spend]}}),
		["next_eligible_at", "", "2026-08-21T11:00:01+00:00"],
	],
	"a spend": [
		testing.facts({"ledger": {"rows": [spend]}}),
		["spend_leaves_window", "", "2026-08-21T11:00:00+00:00"],
	],
	"a burst": [
		testing.facts({"goal": {"quota": {"burst": {"slots": 1, "expires_at": "x", "expires_ns": now + testing.hour}}}}),
		["burst_expires", "", "2026-08-20T13:00:00+00:00"],
	],
	"a monitor": [testing.facts({"todos": [W]}), ["monitor_due", "todo_w", "2026-08-20T13:00:00+00:00"]],
	"a monitor's end": [testing.facts({"todos": [W]}), ["monitor_expires", "todo_w", "2026-08-20T15:00:00+00:00"]],
	"a cadence": [testing.facts({"todos": [V]}), ["monitor_due", "todo_v", "2026-08-20T12:30:00+00:00"]],
	"an authority": [
		testing.facts({"goal": {"boundary_authority": [{"write_scope": [], "expires_ns": now + testing.hour}]}}),
		["authority_expires", "", "2026-08-20T13:00:00+00:00"],
	],
}

test_instants[name] if {
	some name, [facts, [cause, id, at]] in edges
	got := why.questions.instants with input as facts
	some instant in got
	instant.cause == cause
	object.get(instant, "id", "") == id
	instant.at == at
	instant.operations[1] == {"op": "set", "path": ["now"], "value": at}
}

test_instants_of_the_schedule if {
	got := why.questions.instants with input as testing.base
		with data.loopx.scheduler_hint.time_edges as {now - 1, now + testing.minute}
	[instant.at | some instant in got; instant.cause == "schedule"] == ["2026-08-20T12:01:00+00:00"]
}

test_burst_is_not_listed_twice if {
	facts := testing.facts({"goal": {"quota": {"burst": {"slots": 1, "expires_at": "x", "expires_ns": now + testing.hour}}}})
	got := why.questions.instants with input as facts
	[instant.cause | some instant in got] == ["burst_expires"]
}

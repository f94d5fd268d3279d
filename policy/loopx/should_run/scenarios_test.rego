package loopx.should_run_test

# The measured scenarios of decision.md 14 with their required results. Every document keeps every invariant.

import data.loopx.invariants
import data.loopx.should_run
import data.loopx.testing

now := testing.now_ns

hour := testing.hour

A := testing.advancement("todo_a", {"action_kind": "implement"})

schedule(due_in_hours) := {
	"action_kind": "monitor",
	"target_key": "ci",
	"cadence": "1h",
	"cadence_seconds": 3600,
	"next_due_at": "2026-08-20T13:00:00+00:00",
	"next_due_ns": now + (due_in_hours * hour),
	"index": 2,
	"text": "[P1] Watch the build.",
	"title": "Watch the build.",
}

M := testing.monitor("todo_m", schedule(10))

Md := testing.monitor("todo_m", schedule(-1))

needs(capability) := testing.advancement("todo_c", {
	"required_capabilities": [capability],
	"index": 3,
	"text": "[P1] Score the run.",
	"title": "Score the run.",
})

gate(change) := testing.user_todo("todo_g", "user_gate", change)

read := testing.user_todo("todo_u", "user_action", {"text": "Read the note.", "title": "Read the note."})

goal(change) := {"goal": change}

todos(list) := {"todos": list}

history(rows) := {"runs": rows, "status_run": rows[0]}

solo(parts) := testing.facts(object.union_n(parts))

scoped(parts) := testing.team(object.union_n(parts))

throttled := {"ledger": {"rows": [{
	"kind": "spend",
	"at": "2026-08-20T11:00:00+00:00",
	"at_ns": now - hour,
	"key": "k",
	"slots": 1440,
}]}}

gated := goal({"waiting_on": "user_or_controller"})

nobody := object.union(
	history([testing.run(60, "custom_label", {})]),
	goal({"adapter_status": "custom"}),
)

gap(n) := testing.run(n * 60, "custom_label", {"delivery_outcome": "outcome_gap"})

handed := testing.run(600, "operator_gate_approved", {})

watching := goal({"work_modes": {"agent-a": "monitor_only"}})

poll := testing.run(5, "quota_monitor_poll", {
	"material_change": false,
	"monitor_target": {"monitor_mode": "due_monitor_without_material_transition"},
})

stalled := [testing.run(n * 10, "quota_monitor_poll", {
	"agent_id": "agent-a",
	"todo_id": "todo_m",
	"material_change": false,
	"monitor_target": {"monitor_mode": "due_monitor_without_material_transition"},
}) |
	some n in numbers.range(1, 6)
]

deferred(change) := testing.advancement("todo_d", object.union(
	{
		"status": "deferred",
		"resume_when": "todo_done:todo_x",
		"index": 4,
		"claimed_by": "agent-a",
		"text": "[P1] Ship it.",
		"title": "Ship it.",
	},
	change,
))

done := testing.advancement("todo_x", {"status": "done", "index": 9, "no_followup": true, "text": "[P1] Base.", "title": "Base."})

mine(todo) := object.union(todo, {"claimed_by": "agent-a"})

theirs(todo) := object.union(todo, {"claimed_by": "agent-b"})

# Facts, [state, effective_action, mode, should_run], other values by path.
group_state := {
	"1 work": [solo([todos([A])]), ["eligible", "normal_run", "bounded_delivery", true], {"decision": "run"}],
	"2 compute 0": [
		solo([todos([A]), goal({"quota": {"compute": 0}})]),
		["paused", "quota_skip", "skip", false],
		{"scheduler_hint/action": "stop_until_explicit_resume", "pause_cause": "compute_quota_zero", "work_lane_contract": null},
	],
	"3 throttled": [
		solo([todos([A]), throttled]),
		["throttled", "throttled_skip", "quota_throttled", false],
		{"work_lane_contract/reason_codes": ["open_agent_todo", "stopped_by_throttled"]},
	],
	"4 allowed 0": [
		solo([todos([A]), goal({"quota": {"allowed_slots": 0}})]),
		["throttled", "throttled_skip", "quota_throttled", false],
		{"quota/next_eligible_at": null},
	],
	"5 severity high": [
		solo([todos([A]), history([testing.run(60, "blocked_by_safety", {})])]),
		["blocked_health", "blocked_health", "health_blocked", false],
		{"ok": true, "interaction_contract/user_channel/notify": "DONT_NOTIFY"},
	],
	"6 unhealthy": [
		solo([todos([A]), {"findings": [{"code": "x", "scope": "goal", "goal_id": "g1", "message": "broken"}]}]),
		["blocked_health", "blocked_health", "health_blocked", false],
		{"ok": false, "health_findings/0/code": "x"},
	],
	"6 a neighbour is unhealthy": [
		solo([todos([A]), {"findings": [{"code": "x", "scope": "goal", "goal_id": "g2", "message": "broken"}]}]),
		["eligible", "normal_run", "bounded_delivery", true],
		{"ok": true},
	],
	"7 gate": [
		solo([todos([A]), gated]),
		["operator_gate", "operator_gate_notify", "user_gate", false],
		{"safe_bypass_allowed": true, "safe_bypass_kind": null, "requires_user_action": true},
	],
	"8 unrelated gate": [
		solo([todos([A, gate({})]), gated]),
		["operator_gate", "operator_gate_notify", "scoped_user_gate_fallback", false],
		{
			"decision": "safe_bypass_user_gate_fallback",
			"safe_bypass_kind": "scoped_user_gate_fallback",
			"work_lane_contract/must_attempt_work": true,
		},
	],
	"9 gate on the todo": [
		solo([todos([A, gate({"unblocks_todo_id": "todo_a"})]), gated]),
		["operator_gate", "operator_gate_notify", "user_gate", false],
		{"work_lane_contract/must_attempt_work": false, "scoped_user_gate_fallback": null},
	],
}

group_wait := {
	"10 evidence without todos": [
		solo([goal({"waiting_on": "external_evidence"})]),
		["waiting", "blocked_wait", "blocked_wait", false],
		{},
	],
	"11 evidence with a monitor": [
		solo([todos([M]), goal({"waiting_on": "external_evidence"})]),
		["waiting", "external_evidence_observe", "external_evidence_observation", false],
		{"decision": "observe", "actionable_by_codex": true, "execution_obligation/must_attempt_work": true},
	],
	"12 evidence just observed": [
		solo([todos([M]), goal({"waiting_on": "external_evidence"}), {"runs": [poll]}]),
		["waiting", "blocked_wait", "blocked_wait", false],
		{"external_evidence_observation": null},
	],
	"13 nobody": [solo([nobody]), ["waiting", "blocked_wait", "blocked_wait", false], {"waiting_on": "none"}],
	"14 focus": [
		solo([todos([A]), goal({"lifecycle_phase": "focus_wait"})]),
		["focus_wait", "blocked_wait", "blocked_wait", false],
		{"blocked_action_scope": "delivery_focus"},
	],
	"15 focus with a user action": [
		solo([todos([A, read]), goal({"lifecycle_phase": "focus_wait"})]),
		["focus_wait", "blocked_wait", "user_todo_blocker_push", false],
		{"interaction_contract/user_channel/notify": "NOTIFY", "notify_user_on_open_todo": true},
	],
	"16 monitor": [
		solo([todos([M])]),
		["eligible", "monitor_quiet_skip", "monitor_quiet_skip", false],
		{"automation_liveness/automation_action": "keep_active_quiet"},
	],
	"16 monitor, scoped": [
		scoped([todos([mine(M)])]),
		["eligible", "autonomous_replan_required", "autonomous_replan", true],
		{"autonomous_replan_obligation/triggers/0/kind": "frontier_exhausted_monitor_lane"},
	],
	"17 monitor with a user action": [
		solo([todos([M, read])]),
		["eligible", "monitor_quiet_skip", "monitor_quiet_skip", false],
		{
			"interaction_contract/user_channel/notify": "DONT_NOTIFY",
			"requires_user_action": false,
			"user_todo_summary/open_count": 1,
		},
	],
}

group_lane := {
	"18 due monitor": [
		solo([todos([Md])]),
		["eligible", "normal_run", "bounded_delivery", true],
		{"work_lane_contract/obligation": "attempt_due_monitor", "selected_todo/todo_id": "todo_m"},
	],
	"19 due monitor preempts": [
		solo([todos([Md, object.union(A, {"rank": 2, "priority": "P2"})])]),
		["eligible", "normal_run", "bounded_delivery", true],
		{"work_lane_contract/obligation": "attempt_due_monitor"},
	],
	"20 after an unchanged poll": [
		solo([todos([Md, object.union(A, {"rank": 2, "priority": "P2"})]), {"runs": [poll]}]),
		["eligible", "normal_run", "bounded_delivery", true],
		{"work_lane_contract/obligation": "advance_one_bounded_segment"},
	],
	"21 monitor without schedule": [
		solo([todos([testing.monitor("todo_m", {"text": "Watch the build.", "title": "Watch the build."})])]),
		["eligible", "normal_run", "bounded_delivery", true],
		{"work_lane_contract/obligation": "repair_monitor_schedule_metadata"},
	],
	"22 executable next action": [
		solo([todos([M]), chain]),
		["eligible", "normal_run", "bounded_delivery", true],
		{"work_lane_contract/obligation": "materialize_advancement_todo_or_blocker"},
	],
	"22 executable next action, scoped": [
		scoped([todos([mine(M)]), chain]),
		["eligible", "normal_run", "bounded_delivery", true],
		{
			"work_lane_contract/obligation": "materialize_advancement_todo_or_blocker",
			"heartbeat_recommendation/recommended_mode": "follow_work_lane_contract",
		},
	],
	"53 waiting todo beside work": [
		solo([todos([
			testing.advancement("todo_w", {"resume_when": "todo_done:todo_none", "rank": 0, "priority": "P0", "index": 5}),
			A,
		])]),
		["eligible", "normal_run", "bounded_delivery", true],
		{"recommended_action": "[P1] Implement the tokenizer."},
	],
	"54 gated by a monitor": [
		solo([todos([M, object.union(A, {"resume_when": "todo_done:todo_m"})])]),
		["eligible", "normal_run", "bounded_delivery", true],
		{"work_lane_contract/obligation": "repair_resume_gate_or_close_standing_monitor"},
	],
}

chain := {"state": {"next_actions": ["Collect the repeats and then rebuild the labels."]}}

group_capability := {
	"24 bridge": [
		solo([todos([needs("benchmark_runner")])]),
		["eligible", "capability_bridge_repair", "capability_bridge_repair", true],
		{"capability_repair_allowed": true, "normal_delivery_allowed": false},
	],
	"25 bridge beside work": [
		solo([todos([A, needs("benchmark_runner")])]),
		["eligible", "normal_run", "bounded_delivery", true],
		{"interaction_contract/cli_channel/next_cli_actions/0/8": "materialize_capability"},
	],
	"26 credentials": [
		solo([todos([needs("credentials")])]),
		["eligible", "quota_skip", "user_action_required", false],
		{
			"notify_user_on_capability_gate": true,
			"heartbeat_recommendation/recommended_mode": "ask_owner_for_capability",
			"work_lane_contract/reason_codes": ["open_agent_todo", "stopped_by_ask_owner"],
		},
	],
	"27 credentials beside work": [
		solo([todos([A, needs("credentials")])]),
		["eligible", "normal_run", "bounded_delivery_with_user_notice", true],
		{"interaction_contract/cli_channel/next_cli_actions/0/8": "provide_capability"},
	],
	"28 unsupported": [
		solo([todos([needs("quantum_link")])]),
		["eligible", "quota_skip", "skip", false],
		{"capability_gate/action": "skip"},
	],
	"29 the bridge is the target": [
		solo([todos([testing.advancement("todo_t", {"target_capabilities": ["benchmark_runner"]})])]),
		["eligible", "normal_run", "bounded_delivery", true],
		{"capability_gate/runnable_candidates/0/capability_repair_mode": true},
	],
	"30 bridge while throttled": [
		solo([todos([needs("benchmark_runner")]), throttled]),
		["throttled", "throttled_skip", "quota_throttled", false],
		{"capability_repair_allowed": false},
	],
	"31 write scope": [
		solo([todos([object.union(A, {"required_write_scopes": ["runner/**"]})]), goal({"write_scope": ["src/**"], "has_boundary": true})]),
		["eligible", "boundary_projection_repair", "boundary_projection_repair", true],
		{"blocked_action_scope": "boundary_projection", "interaction_contract/agent_channel/delivery_allowed": false},
	],
	"32 waiting repair": [
		solo([nobody, goal({"self_repair": {"enabled": true}})]),
		["waiting", "control_plane_projection_repair", "control_plane_self_repair", true],
		{"decision": "self_repair", "ok": true},
	],
}

group_scope := {
	"33 another agent works": [
		scoped([todos([theirs(A)])]),
		["eligible", "reassignment_required", "reassignment_required", false],
		{"decision": "reassignment_required"},
	],
	"another agent's gate": [
		scoped([todos([mine(A), gate({"blocks_agent": "agent-b", "bound_agent": "agent-b"})])]),
		["eligible", "normal_run", "bounded_delivery", true],
		{
			"agent_scoped_user_gate_override/to_state": "eligible",
			"quota/state": "eligible",
			"quota/safe_bypass_allowed": false,
			"blocked_action_scope": null,
			"user_todo_summary/open_count": 0,
			"rules/reason": "route.reason.override",
		},
	],
	"another agent's action": [
		scoped([todos([mine(A), object.union(read, {"bound_agent": "agent-b"})]), gated]),
		["eligible", "normal_run", "bounded_delivery", true],
		{"agent_scoped_user_action_override/to_state": "eligible", "interaction_contract/user_channel/notify": "DONT_NOTIFY"},
	],
	"34 excluded": [
		scoped([todos([object.union(theirs(A), {"excluded_agents": ["agent-a"]})])]),
		["eligible", "agent_scope_wait", "agent_scope_wait", false],
		{},
	],
	"35 ready successor": [
		scoped([todos([done, deferred({})])]),
		["eligible", "successor_replan_required", "successor_replan_required", true],
		{
			"selected_todo/todo_id": "todo_d",
			"normal_delivery_allowed": false,
			"execution_obligation/contract": "deferred_resume_projection",
		},
	],
	"36 ready successor of higher priority": [
		scoped([todos([done, mine(A), deferred({"rank": 0, "priority": "P0"})])]),
		["eligible", "successor_replan_required", "successor_replan_required", true],
		{"selected_todo/todo_id": "todo_d", "agent_lane_next_action": null},
	],
	"37 ready successor of equal priority": [
		scoped([todos([done, mine(A), deferred({})])]),
		["eligible", "normal_run", "bounded_delivery", true],
		{"selected_todo/todo_id": "todo_a"},
	],
	"38 blocked successor": [
		scoped([todos([deferred({"resume_when": "todo_done:todo_none"})])]),
		["eligible", "agent_scope_wait", "agent_scope_wait", false],
		{"interaction_contract/agent_channel/must_attempt": false},
	],
	"39 blocked successor of a vision": [
		scoped([
			todos([
				deferred({"resume_when": "todo_done:todo_dep"}),
				theirs(testing.advancement("todo_dep", {"index": 8, "text": "[P1] Base.", "title": "Base."})),
			]),
			{"runs": [testing.run(30, "vision_patched", {
				"agent_id": "agent-a",
				"vision": {"state": "active", "acceptance_summary": "It ships.", "todo_delta": ["create:todo_d"]},
				"vision_checkpoint": {"required": true, "satisfied": true},
			})]},
		]),
		["eligible", "agent_scope_wait", "agent_scope_wait", false],
		{
			"vision_wait_state/state": "waiting",
			"vision_wait_state/selected_todo_id": "todo_d",
			"interaction_contract/agent_channel/must_attempt": false,
			"interaction_contract/agent_channel/quiet_noop_allowed": true,
		},
	],
	"40 ready successor while throttled": [
		scoped([todos([done, deferred({})]), throttled]),
		["throttled", "throttled_skip", "quota_throttled", false],
		{},
	],
	"55 capacity missing": [
		scoped([todos([deferred({"resume_when": "capacity_available:benchmark_runner"})])]),
		["eligible", "agent_scope_wait", "agent_scope_wait", false],
		{},
	],
	"55 capacity there": [
		scoped([
			todos([deferred({"resume_when": "capacity_available:benchmark_runner"})]),
			{"request": {"available_capabilities": ["benchmark_runner"]}},
		]),
		["eligible", "successor_replan_required", "successor_replan_required", true],
		{},
	],
}

group_replan := {
	"41 replan": [
		scoped([todos([mine(Md)]), {"runs": stalled}]),
		["eligible", "autonomous_replan_required", "autonomous_replan", true],
		{
			"interaction_contract/user_channel/notify": "DONT_NOTIFY",
			"heartbeat_recommendation/recommended_mode": "autonomous_replan_required",
			"autonomous_replan_obligation/triggers/0/kind": "dead_monitor_repeat",
		},
	],
	"42 replan at the gate": [
		scoped([todos([mine(Md)]), {"runs": stalled}, goal({"waiting_on": "user_or_controller", "operator_question": "May it?"})]),
		["operator_gate", "operator_gate_notify", "user_gate", false],
		{},
	],
	"43 replan while throttled": [
		scoped([todos([mine(Md)]), {"runs": stalled}, throttled]),
		["throttled", "throttled_skip", "quota_throttled", false],
		{},
	],
	"44 outcome gap": [
		solo([todos([A]), history([gap(1), gap(2), gap(3), handed])]),
		["focus_wait", "outcome_floor_recovery", "outcome_floor_recovery", true],
		{"safe_bypass_kind": "outcome_floor_recovery", "work_lane_contract": null, "decision": "safe_bypass_recovery"},
	],
	"45 outcome gap with its blocker": [
		solo([todos([testing.agent_todo("todo_b", {"task_class": "blocker"})]), history([gap(1), gap(2), gap(3), handed])]),
		["focus_wait", "blocked_wait", "blocked_wait", false],
		{"heartbeat_recommendation/recommended_mode": "outcome_floor_blocker_projected_noop", "safe_bypass_allowed": false},
	],
	"46 follow through": [
		solo([todos([A]), history([gap(1), gap(2), handed])]),
		["eligible", "normal_run", "bounded_delivery", true],
		{"work_lane_contract/obligation": "advance_primary_outcome_or_write_blocker"},
	],
	"47 mapped": [
		solo([history([testing.run(60, "read_only_project_map", {})])]),
		["eligible", "normal_run", "mapped_noop_if_unchanged", true],
		{"interaction_contract/agent_channel/must_attempt": false},
	],
	"48 closed": [
		solo([todos([done])]),
		["eligible", "terminal_no_followup", "terminal_no_followup", false],
		{"automation_liveness/automation_action": "stop_terminal_no_followup", "automation_liveness/keep_active": false},
	],
}

group_mode := {
	"49 watching, due": [
		scoped([todos([mine(Md)]), watching]),
		["eligible", "monitor_due", "monitor_due", true],
		{
			"blocked_action_scope": "advancement_work",
			"agent_work_mode": "monitor_only",
			"selected_todo/todo_id": "todo_m",
		},
	],
	"49 watching, quiet": [
		scoped([todos([mine(M)]), watching]),
		["eligible", "monitor_quiet_skip", "monitor_quiet_skip", false],
		{"decision": "skip"},
	],
	"49 watching nothing": [
		scoped([todos([mine(A)]), watching]),
		["eligible", "agent_monitor_only", "agent_monitor_only", false],
		{
			"automation_liveness/automation_action": "keep_active_monitor_only",
			"agent_lane_next_action": null,
			"selected_todo": null,
		},
	],
	"50 watching while throttled": [
		scoped([todos([mine(Md)]), watching, throttled]),
		["throttled", "throttled_skip", "quota_throttled", false],
		{"agent_work_mode": "monitor_only", "safe_bypass_allowed": false},
	],
	"51 no agent id": [
		solo([todos([A]), goal({"agents": ["agent-a", "agent-b"]})]),
		["eligible", "normal_run", "bounded_delivery", true],
		{"automation_prompt_upgrade/required": true},
	],
	"52 no scheduler context": [
		solo([todos([A]), {"request": {"codex_app": false}}]),
		["eligible", "normal_run", "bounded_delivery", true],
		{"scheduler_hint/action": "repair_scheduler_execution_context"},
	],
	"reply due": [
		solo([todos([A]), {"inbox": {"reply_due": true, "pending_count": 1}}]),
		["eligible", "lark_inbox_reply_due", "bounded_delivery", true],
		{"work_lane_contract/lane": "lark_event_inbox", "execution_obligation/kind": "work_lane_contract"},
	],
	"reply due while watching": [
		scoped([todos([mine(Md)]), watching, {"inbox": {"reply_due": true, "pending_count": 1}}]),
		["eligible", "lark_inbox_reply_due", "bounded_delivery", true],
		{"decision": "run"},
	],
	"reply due while throttled": [
		solo([todos([A]), throttled, {"inbox": {"reply_due": true, "pending_count": 1}}]),
		["throttled", "throttled_skip", "quota_throttled", false],
		{"work_lane_contract/must_attempt_work": false},
	],
}

failed(case) := problems if {
	[facts, want, more] := case
	doc := should_run.decision with input as facts
	broken := invariants.violations with input as {"decision": doc}
	got := [doc.state, doc.effective_action, doc.interaction_contract.mode, doc.should_run]
	problems := ({["got", got] | got != want} | {["broken", broken] | count(broken) > 0}) | {[path, found] |
		some path, value in more
		found := object.get(doc, [step(part) | some part in split(path, "/")], null)
		found != value
	}
}

step(part) := to_number(part) if regex.match(`^\d+$`, part)

step(part) := part if not regex.match(`^\d+$`, part)

test_scenario_state[name] if {
	some name, case in group_state
	failed(case) == set()
}

test_scenario_wait[name] if {
	some name, case in group_wait
	failed(case) == set()
}

test_scenario_lane[name] if {
	some name, case in group_lane
	failed(case) == set()
}

test_scenario_capability[name] if {
	some name, case in group_capability
	failed(case) == set()
}

test_scenario_scope[name] if {
	some name, case in group_scope
	failed(case) == set()
}

test_scenario_replan[name] if {
	some name, case in group_replan
	failed(case) == set()
}

test_scenario_mode[name] if {
	some name, case in group_mode
	failed(case) == set()
}

# INV-1 to INV-6 under stress: whatever is laid over a scenario, the document is whole and keeps every invariant.
stressors := {
	"throttled": throttled,
	"gated": gated,
	"evidence": goal({"waiting_on": "external_evidence"}),
	"focus": goal({"lifecycle_phase": "focus_wait"}),
	"broken": {"findings": [broken_todo]},
	"broken with opt-in": {"findings": [broken_todo], "goal": {"self_repair": {"enabled": true}}},
	"paused": goal({"quota": {"compute": 0}}),
	"reply due": {"inbox": {"reply_due": true, "pending_count": 1}},
	"watching": {"goal": {"agents": ["agent-a", "agent-b"], "work_modes": {"agent-a": "monitor_only"}}, "request": {"agent_id": "agent-a"}},
}

broken_todo := {"code": "todo_broken", "scope": "goal", "goal_id": "g1", "message": "A todo is broken."}

unsound([facts, _, _]) := {[stress, broken] |
	some stress, change in stressors
	doc := should_run.decision with input as object.union(facts, change)
	found := invariants.violations with input as {"decision": doc}
	broken := found | {"not whole" | not whole(doc)}
	count(broken) > 0
}

whole(doc) if {
	doc.interaction_contract.mode
	doc.scheduler_hint.action
	doc.rules.decision
}

test_invariants_work if unsound(group_state["1 work"]) == set()

test_invariants_gate if unsound(group_state["8 unrelated gate"]) == set()

test_invariants_evidence if unsound(group_wait["11 evidence with a monitor"]) == set()

test_invariants_user_action if unsound(group_wait["17 monitor with a user action"]) == set()

test_invariants_bridge if unsound(group_capability["24 bridge"]) == set()

test_invariants_owner if unsound(group_capability["27 credentials beside work"]) == set()

test_invariants_boundary if unsound(group_capability["31 write scope"]) == set()

test_invariants_scope if unsound(group_scope["33 another agent works"]) == set()

test_invariants_successor if unsound(group_scope["36 ready successor of higher priority"]) == set()

test_invariants_replan if unsound(group_replan["41 replan"]) == set()

test_invariants_recovery if unsound(group_replan["44 outcome gap"]) == set()

test_invariants_closed if unsound(group_replan["48 closed"]) == set()

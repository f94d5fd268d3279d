package loopx.should_run_test

import data.loopx.invariants
import data.loopx.should_run
import data.loopx.testing

decide(facts) := doc if {
	doc := should_run.decision with input as facts
}

sound(doc) if {
	broken := invariants.violations with input as {"decision": doc}
	broken == set()
}

unlisted := json.remove(testing.base, ["goal"])

finding := {"code": "goal_row_broken", "scope": "goal", "goal_id": "g1", "message": "The row of g1 is unreadable."}

kinds := {
	"doc.validation": {"facts": testing.facts({"request": {"dry_run": true, "execute": true}}), "state": "blocked_validation"},
	"doc.unknown_goal": {"facts": unlisted, "state": "unknown"},
	"doc.health_item": {"facts": object.union(unlisted, {"findings": [finding]}), "state": "blocked_health"},
	"doc.identity": {"facts": testing.team({"request": {"agent_id": "agent-z"}}), "state": "blocked_health"},
}

test_short_document[rule] if {
	some rule, case in kinds
	doc := decide(case.facts)
	doc.rules.decision == rule
	doc.state == case.state
	doc.ok == false
	doc.should_run == false
	doc.decision == "skip"
	doc.mode == "should-run"
	doc.goal_id == "g1"
	doc.reason != ""
	not doc.interaction_contract
	sound(doc)
}

test_doc_order[name] if {
	some name, [facts, rule] in {
		"bad arguments before an unknown goal": [
			object.union(unlisted, {"request": {"dry_run": true, "execute": true}}),
			"doc.validation",
		],
		"an unknown goal before an unknown agent": [object.union(unlisted, {"request": {"agent_id": "agent-z"}}), "doc.unknown_goal"],
		"an unknown agent before a pause": [
			testing.team({"request": {"agent_id": "agent-z"}, "goal": {"quota": {"compute": 0}}}),
			"doc.identity",
		],
		"a pause before the rest": [testing.facts({"goal": {"quota": {"compute": 0}}}), "doc.paused"],
		"the rest": [testing.base, "doc.normal"],
	}
	kind := should_run.kind with input as facts
	kind.rule == rule
}

test_doc_validation_names_the_error if {
	doc := decide(kinds["doc.validation"].facts)
	doc.error_code == "QUOTA_VALIDATION_FAILED"
	doc.status == "quota_validation_failed"
	doc.error.rule_id == "args.dry_run"
	doc.error.message == doc.reason
	not doc.plan_summary
}

test_doc_identity_names_the_roster if {
	doc := decide(kinds["doc.identity"].facts)
	doc.error_code == "quota_agent_not_registered"
	doc.status == "quota_identity_precondition_failed"
	doc.identity_precondition.registered_agents == ["agent-a", "agent-b"]
	doc.error.rule_id == "agent.unregistered"
	doc.error.message == doc.reason
}

test_doc_unknown_goal_shows_the_plan if {
	doc := decide(unlisted)
	doc.status == "goal_not_found"
	doc.waiting_on == null
	doc.source == "quota"
	doc.plan_summary.registered_goals == 0
}

test_doc_unknown_goal_shows_what_is_broken if {
	missing := {"code": "registry_missing", "scope": "global", "message": "There is no registry."}
	doc := decide(object.union(unlisted, {"findings": [missing]}))
	doc.rules.decision == "doc.unknown_goal"
	doc.health_findings == [missing]
}

test_doc_health_item_legacy_goal_is_not_unknown if {
	doc := decide(object.union(unlisted, {"legacy_goal": true}))
	doc.rules.decision == "doc.health_item"
	doc.state == "blocked_health"
	doc.status == "legacy_runtime_goal"
	doc.plan_summary.registered_goals == 0
	not doc.health_findings
	sound(doc)
}

test_repair_optin_declared_flags_are_shown[name] if {
	some name, [declared, shown] in {
		"all off": [{"enabled": false, "allow_health_blocker_repair": false}, [false]],
		"enabled": [{"enabled": true}, [true]],
		"nothing declared": [{}, []],
	}
	doc := decide(testing.facts({"goal": {"self_repair": declared}}))
	[flags.enabled | flags := doc.control_plane.self_repair] == shown
}

test_doc_health_item_shows_the_finding if {
	doc := decide(kinds["doc.health_item"].facts)
	doc.health_findings == [finding]
	doc.reason == finding.message
	doc.waiting_on == "codex"
}

pauses := {
	"compute 0": [{"quota": {"compute": 0}}, "compute_quota_zero", "quota_paused"],
	"stopped": [{"activation": "stopped"}, "goal_stopped", "goal_stopped"],
}

test_doc_paused[name] if {
	some name, [change, cause, mode] in pauses
	doc := decide(testing.facts({"goal": change, "findings": [finding]}))
	doc.pause_cause == cause
	doc.heartbeat_recommendation.recommended_mode == mode
	doc.health_findings == [finding]
	doc.ok == false
	doc.state == "paused"
	doc.quota.state == "paused"
	doc.scheduler_hint.action == "stop_until_explicit_resume"
	doc.todo_write_hint
	sound(doc)
}

test_doc_paused_and_healthy_is_ok if {
	doc := decide(testing.facts({"goal": {"quota": {"compute": 0}}}))
	doc.ok
	not doc.health_findings
}

# Every field that is always there (0.7), and those that appear only with a reason.
always_there := [
	"ok", "status_health_ok", "mode", "goal_id", "decision", "should_run", "normal_delivery_allowed",
	"recovery_delivery_allowed", "self_repair_allowed", "capability_repair_allowed", "workspace_repair_allowed",
	"effective_action", "actionable_by_codex", "reason", "quota", "state", "blocked_action_scope", "safe_bypass_allowed",
	"safe_bypass_kind", "waiting_on", "status", "source", "lifecycle_phase", "lifecycle_flags", "project_asset_source",
	"recommended_action", "active_state_next_action", "latest_run_recommended_action", "execution_profile",
	"long_task_cadence_hint", "handoff_readiness", "heartbeat_recommendation", "execution_obligation", "goal_boundary",
	"goal_frontier_projection", "plan_summary", "todo_write_hint", "automation_liveness", "interaction_contract",
	"scheduler_hint", "protocol_action_packet", "requires_user_action", "action_required", "open_count", "rules",
	"valid_until",
]

sometimes_there := [
	"agent_command", "agent_identity", "agent_work_mode", "control_plane", "explain", "health_findings", "operator_question",
	"pause_cause", "pending_user_action", "safe_bypass_policy", "stall_self_repair", "task_scope",
]

test_doc_normal_fields if {
	doc := decide(testing.base)
	every field in always_there { field in object.keys(doc) }
	every field in sometimes_there { not field in object.keys(doc) }
	doc.active_state_next_action == "Carry on with the parser work and run its unit tests."
	doc.latest_run_recommended_action == null
	doc.project_asset_source == "project_asset"
	bare := decide(testing.facts({"state": {"next_actions": []}}))
	bare.project_asset_source == "legacy_raw_fallback"
	bare.active_state_next_action == null
}

test_doc_normal_cuts_long_signals if {
	long := concat("", ["x" | some _ in numbers.range(1, 400)])
	count(decide(testing.facts({"state": {"next_actions": [long]}})).active_state_next_action) == 320
}

test_doc_normal_extras if {
	doc := decide(testing.team({
		"todos": [testing.advancement("todo_a", {})],
		"goal": {"self_repair": {"enabled": true}, "waiting_on": "codex", "agent_command": "make run"},
	}))
	doc.task_scope == "goal_all_read_claimed_run_global_read_v0"
	doc.agent_identity.agent_id == "agent-a"
	doc.agent_command == "make run"
	doc.control_plane.self_repair.enabled
}

test_doc_gated_extras if {
	doc := decide(testing.facts({"goal": {"waiting_on": "user_or_controller", "operator_question": "May it?", "agent_command": "make run"}}))
	doc.operator_question == "May it?"
	doc.safe_bypass_policy != ""
	not doc.agent_command
}

test_explain_rules if {
	doc := decide(testing.facts({"todos": [testing.advancement("todo_a", {})]}))
	doc.rules.state == "state.eligible"
	doc.rules.decision == "decision.turn"
	doc.rules.effective_action == "route.effective_action.normal"
	doc.rules.execution_obligation == "obl.lane"
	doc.rules.heartbeat_recommendation == "hb.default"
	doc.rules.automation_liveness == "live.work"
	doc.rules["interaction_contract.mode"] == "ic.mode.bounded_delivery"
}

test_explain_fields_only_on_request if {
	doc := decide(testing.facts({"request": {"explain": true}, "goal": {"waiting_on": "user_or_controller"}}))
	doc.explain.fields.state.rule == "state.gate"
	doc.explain.fields.state.value == "operator_gate"
	doc.explain.runners.state.rule != ""
}

spend := {
	"kind": "spend",
	"at": "2026-08-20T11:00:00+00:00",
	"at_ns": testing.now_ns - testing.hour,
	"key": "k",
	"slots": 1440,
}

peer(until) := {
	"goal_id": "g2",
	"health_ok": true,
	"terminal": false,
	"quota": {"state": "throttled", "compute": 1, "spent_slots": 1},
	"valid_until": until,
}

edge_cases := {
	"nothing changes by itself": [{}, null],
	"a spend leaves the window": [{"ledger": {"rows": [spend]}}, "2026-08-21T11:00:00+00:00"],
	"another goal's item changes": [
		{"peers": [peer("2026-08-20T13:00:00+00:00")]},
		"2026-08-20T13:00:00+00:00",
	],
	"a monitor becomes due": [{"todos": [A, M]}, "2026-08-20T22:00:00+00:00"],
	"a monitor expires": [
		{"todos": [A, object.union(M, {"expires_ns": now + (2 * hour)})]},
		"2026-08-20T14:00:00+00:00",
	],
	"a monitor's cadence runs out": [
		{"todos": [A, object.union(M, {"last_checked_ns": now})]},
		"2026-08-20T13:00:00+00:00",
	],
	"an authority expires": [
		{"goal": {"boundary_authority": [{"write_scope": [], "expires_ns": now + (3 * hour)}]}},
		"2026-08-20T15:00:00+00:00",
	],
	"a decision grows a day older": [
		{"decisions": [{
			"generated_at": "2026-08-20T11:00:00+00:00",
			"at_ns": now - hour,
			"classification": "operator_gate_approved",
			"kind": "operator_gate",
			"newer_events": 0,
		}]},
		"2026-08-21T11:00:00+00:00",
	],
	"a past instant of another goal": [{"peers": [peer("2026-08-20T11:00:00+00:00")]}, null],
}

test_explain_valid_until[name] if {
	some name, [change, want] in edge_cases
	facts := object.union(testing.facts({"promotion": {"generated_at": "x", "at_ns": 0, "legacy": false}}), change)
	got := should_run.valid_until with input as facts
	got == want
}

# The document of a paused goal: no lane, no gate, no signal (decision.md 1.5).
package loopx.should_run

import data.loopx.attention
import data.loopx.goal
import data.loopx.health
import data.loopx.hints
import data.loopx.interaction_contract
import data.loopx.liveness
import data.loopx.plan
import data.loopx.quota
import data.loopx.request
import data.loopx.scheduler_hint
import data.loopx.settings

# METADATA
# title: A paused goal is silent everywhere
# description: The pause is decided before any lane, so nothing below it can carry a signal.
# custom: {id: prec.pause, sets: [decision, should_run, state, pause_cause, effective_action]}
paused_document := object.union_n([
	{
		"ok": health.ok,
		"status_health_ok": health.ok,
		"mode": "should-run",
		"goal_id": goal.id,
		"decision": "skip",
		"should_run": false,
		"normal_delivery_allowed": false,
		"recovery_delivery_allowed": false,
		"self_repair_allowed": false,
		"capability_repair_allowed": false,
		"workspace_repair_allowed": false,
		"effective_action": "quota_skip",
		"actionable_by_codex": false,
		"reason": quota.object.reason,
		"quota": quota.object,
		"state": "paused",
		"pause_cause": quota.object.pause_cause,
		"blocked_action_scope": object.get(quota.object, "blocked_action_scope", null),
		"safe_bypass_allowed": false,
		"safe_bypass_kind": null,
		"waiting_on": attention.waiting_on,
		"status": attention.status,
		"source": attention.source,
		"recommended_action": null,
		"requires_user_action": false,
		"action_required": false,
		"heartbeat_recommendation": {
			"source": settings.heartbeat.source,
			"recommended_mode": interaction_contract.pause_mode,
			"notify": "DONT_NOTIFY",
			"spend_policy": settings.heartbeat.spend_policies[interaction_contract.pause_mode],
			"agent_must_attempt": false,
		},
		"execution_obligation": {
			"kind": "quota_skip",
			"must_attempt_work": false,
			"notify_is_execution_gate": false,
			"reason": settings.obligation.reason,
		},
		"automation_liveness": liveness.paused,
		"interaction_contract": interaction_contract.paused,
		"scheduler_hint": scheduler_hint.hint,
		"todo_write_hint": hints.todo_write_hint,
		"plan_summary": plan.summary,
		"rules": {"decision": kind.rule, "state": quota.fired.state.rule},
		"valid_until": paused_until,
	},
	{"health_findings": health.findings | count(health.findings) > 0},
	{"explain": {"fields": {"decision": kind, "state": quota.fired.state}} | request.explain},
])

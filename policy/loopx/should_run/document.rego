# The whole decision, one object per concern (decision.md 0.7).
package loopx.should_run

import data.loopx.agent_scope
import data.loopx.attention
import data.loopx.boundary
import data.loopx.capability_gate
import data.loopx.debt
import data.loopx.external
import data.loopx.frontier
import data.loopx.gates
import data.loopx.goal
import data.loopx.health
import data.loopx.hints
import data.loopx.history
import data.loopx.interaction_contract
import data.loopx.lib.compact
import data.loopx.liveness
import data.loopx.plan
import data.loopx.quota
import data.loopx.repair
import data.loopx.request
import data.loopx.route
import data.loopx.scheduler_hint
import data.loopx.scope_frontier
import data.loopx.settings
import data.loopx.todos
import data.loopx.verdict
import data.loopx.warnings
import data.loopx.work_mode

final := work_mode.final

contract := interaction_contract.contract

document := object.union_n([
	compact.present(object.remove(conditional, removed)),
	always,
	{"explain": explain | request.explain},
])

# Fields that an agent in monitor_only mode never shows; more of them when its mode decides the turn.
default removed := []

removed := settings.route.monitor_only.decided if work_mode.decides

removed := settings.route.monitor_only.stopped if {
	goal.monitor_only
	not work_mode.decides
}

always := object.union_n([verdict_fields, item_fields, {
	"heartbeat_recommendation": work_mode.heartbeat_recommendation,
	"execution_obligation": final.obligation,
	"goal_boundary": boundary.goal_boundary,
	"goal_frontier_projection": frontier_projection,
	"plan_summary": plan.summary,
	"todo_write_hint": hints.todo_write_hint,
	"automation_liveness": liveness.automation_liveness,
	"interaction_contract": contract,
	"scheduler_hint": scheduler_hint.hint,
	"protocol_action_packet": packet,
	"requires_user_action": contract.user_channel.action_required,
	"action_required": contract.user_channel.action_required,
	"open_count": todos.user_open_count,
	"rules": rules,
	"valid_until": valid_until,
}])

verdict_fields := {
	"ok": ok,
	"status_health_ok": health.ok,
	"mode": "should-run",
	"goal_id": goal.id,
	"decision": final.decision,
	"should_run": final.should_run,
	"normal_delivery_allowed": final.normal,
	"recovery_delivery_allowed": final.recovery,
	"self_repair_allowed": final.self_repair,
	"capability_repair_allowed": final.cap_repair,
	"workspace_repair_allowed": false,
	"effective_action": final.effective_action,
	"actionable_by_codex": final.actionable,
	"reason": final.reason,
	"quota": quota_fields,
	"state": route.state,
	"blocked_action_scope": final.bypass.blocked,
	"safe_bypass_allowed": final.bypass.allowed,
	"safe_bypass_kind": final.bypass.kind,
}

default ok := false

ok if health.ok

ok if final.self_repair

quota_fields := object.union_n([
	object.remove(quota.object, [key | some key in ["safe_bypass_policy"]; not final.bypass.allowed]),
	{
		"state": route.state,
		"blocked_action_scope": final.bypass.blocked,
		"safe_bypass_allowed": final.bypass.allowed,
		"safe_bypass_kind": final.bypass.kind,
	},
	{"reason": final.reason | count(agent_scope.override) > 0},
])

item_fields := {
	"waiting_on": agent_scope.waiting_on,
	"status": agent_scope.status,
	"source": attention.source,
	"lifecycle_phase": history.lifecycle_phase,
	"lifecycle_flags": history.lifecycle_flags,
	"project_asset_source": asset_source,
	"recommended_action": final.recommended_action,
	"active_state_next_action": signal("next_action"),
	"latest_run_recommended_action": signal("recommended_action"),
	"execution_profile": goal.profile,
	"long_task_cadence_hint": null,
	"handoff_readiness": history.handoff_readiness,
}

default asset_source := "legacy_raw_fallback"

asset_source := "project_asset" if count(attention.item.project_asset) > 0

signal(key) := substring(object.get(attention.item.project_asset, key, ""), 0, 320) if attention.item.project_asset[key]

signal(key) := null if not attention.item.project_asset[key]

frontier_projection := object.union(frontier.projection, {"autonomous_replan_decision": settings.route.replan_decision |
	route.replan
})

conditional := object.union_n([
	gates.fields,
	warnings.fields,
	hints.fields,
	agent_scope_fields,
	selected_fields,
	replan_fields,
	repair_fields,
	lane_fields,
	cooldown_fields,
	{"safe_bypass_policy": policy | policy := quota_fields.safe_bypass_policy},
	{"user_todo_summary": todos.user_summary, "agent_todo_summary": todos.agent_summary},
	{"health_findings": health.findings | count(health.findings) > 0},
	{"agent_command": command | final.should_run; command := attention.item.agent_command},
	{"control_plane": {"self_repair": goal.self_repair} | count(goal.opt_ins) > 0},
])

agent_scope_fields := object.union_n([
	{"agent_identity": identity | identity := request.identity},
	{"task_scope": settings.route.task_scope | request.identity},
	{"agent_work_mode": "monitor_only" | goal.monitor_only},
	{"agent_scoped_user_gate_override": override | override := agent_scope.override.gate},
	{"agent_scoped_user_action_override": override | override := agent_scope.override.action},
	{"scoped_user_gate_fallback": fallback | fallback := verdict.fallback},
])

selected_fields := object.union_n([
	{"agent_lane_next_action": action | not verdict.scope_action; action := agent_scope.next_action},
	{"selected_todo": todo | todo := interaction_contract.selected_todo},
	{"agent_scope_frontier": found | verdict.scope_action; found := scope_frontier.frontier},
	{"agent_lane_frontier_hint": hint | hint := scope_frontier.hint},
	{"goal_route_hint": hint | hint := scope_frontier.route_hint},
])

replan_fields := object.union_n([
	{"autonomous_replan_obligation": obligation | obligation := frontier.obligation},
	{"autonomous_replan_scope": scope | frontier.obligation; scope := frontier.scope},
	{"autonomous_replan_decision": settings.route.replan_decision | route.replan},
	{"replan_ack_feedback": feedback | feedback := frontier.feedback},
	{"vision_wait_state": wait | wait := frontier.vision_wait},
	{"autonomous_backlog_candidates": candidates(todos.advancement) | route.replan},
	{"autonomous_monitor_candidates": candidates(todos.monitors) | route.replan},
])

candidates(ids) := [todos.item(id) | some id in array.slice(todos.projection(ids), 0, 3)]

repair_fields := object.union_n([
	{"stall_self_repair": repair.hint | final.self_repair},
	{"state_projection_gap": gap | gap := repair.gap},
	{"boundary_projection_gap": hint | final.effective_action == "boundary_projection_repair"; hint := boundary.repair},
	{"todo_decision_scope_consistency": found | found := repair.hint.consistency},
])

lane_fields := object.union_n([
	{"work_lane_contract": lane | lane := final.lane},
	{"capability_gate": gate | gate := capability_gate.gate},
	{"capability_monitor_fallback": fallback | fallback := capability_gate.monitor_fallback},
	{"monitor_debt_arbitration": debt.arbitration | debt.active},
	{"external_evidence_observation": owed | owed := verdict.observation},
	{"external_evidence_observation_recent": recent | recent := external.recent},
])

cooldown_fields := object.union(
	{"user_gate_notification_cooldown": cooldown | cooldown := scheduler_hint.cooldown},
	{"pending_user_action": true | interaction_contract.cooling},
)

packet := {
	"schema_version": "protocol_action_packet_v0",
	"summary": sprintf(
		"goal=%s decision=%s should_run=%v state=%s action=%s mode=%s must_attempt=%v notify=%s",
		[
			goal.id, final.decision, final.should_run, route.state, final.effective_action, contract.mode,
			contract.agent_channel.must_attempt, contract.user_channel.notify,
		],
	),
}

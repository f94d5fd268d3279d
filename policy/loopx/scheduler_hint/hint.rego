package loopx.scheduler_hint

import data.loopx.interaction_contract
import data.loopx.lib.compact
import data.loopx.lib.hash
import data.loopx.lib.rank
import data.loopx.request
import data.loopx.settings.scheduler

# METADATA
# title: The scheduler hint
# description: Total; scheduler_hint_v0.
hint := object.union(base, rank.winner(hint_row).value)

base := {"schema_version": "scheduler_hint_v0", "execution_context": execution_context}

execution_context := object.union(context, {
	"valid": count(context_errors) == 0,
	"codex_app_applicability": codex_app_applicability,
})

default codex_app_applicability := "blocked_invalid_context"

codex_app_applicability := "applicable" if app == "codex_app"

codex_app_applicability := "not_applicable" if {
	context_valid
	surface != "codex_app"
}

# METADATA
# title: Without a valid execution context nothing is scheduled
# description: Comes before the pause; the quota decision itself is unaffected.
# custom:
#   id: sched.ctx.fail_closed
# labels:
#   rule: sched.ctx.fail_closed
hint_row contains {"rank": 10, "value": invalid_context, "rule": "sched.ctx.fail_closed"} if not context_valid

# METADATA
# title: A paused or stopped goal waits for an explicit resume
# custom:
#   id: sched.branch.pause
# labels:
#   rule: sched.branch.pause
hint_row contains {"rank": 20, "value": stop_hint(stop), "rule": "sched.branch.pause"} if {
	stop := scheduler.stops[interaction_contract.pause_mode]
}

# METADATA
# title: A closed goal waits for an explicit resume
# custom:
#   id: sched.branch.terminal
# labels:
#   rule: sched.branch.terminal
hint_row contains {"rank": 30, "value": stop_hint(stop), "rule": "sched.branch.terminal"} if {
	disposition.value == "stop"
	stop := scheduler.stops[contract_mode]
}

# METADATA
# title: Work or wait as the interaction contract says
# custom:
#   id: sched.branch.contract
# labels:
#   rule: sched.branch.contract
hint_row contains {"rank": 40, "value": wait_hint, "rule": "sched.branch.contract"}

invalid_context := {
	"action": "repair_scheduler_execution_context",
	"cadence_class": "control_plane_repair",
	"reason_code": "invalid_scheduler_execution_context",
	"execution_phase": {
		"disposition": "contract_error",
		"completed": false,
		"apply_needed": false,
		"ack_needed": false,
	},
	blocked_key: {
		"applicability": "blocked_invalid_context",
		"apply": "none",
		"host_action": "none",
		"ack_required": false,
	},
	"unchanged_poll": object.union(
		{runtime: scheduler.repair_poll | some runtime, _ in scheduler.after_limits},
		{"final_quota_replan_check_enabled": false},
	),
	"consistency_error": {"source": "scheduler_execution_context", "errors": sort(context_errors)},
}

# METADATA
# title: Where an app finds that it is blocked
# description: An app other than the Codex App is never spoken to as one.
default blocked_key := "codex_app"

blocked_key := "app_automation" if {
	scheduler.state_keys[surface]
	surface != "codex_app"
}

stop_hint(stop) := object.union_n([
	{
		"action": stop.action,
		"cadence_class": stop.cadence_class,
		"reason_code": stop.cadence_class,
		"unchanged_poll": object.union(scheduler.stop_polls, {
			"codex_app_ssh_goal": stop.host_goal,
			"final_quota_replan_check_enabled": false,
		}),
	},
	{key: {
		"applicability": "applicable",
		"apply": "pause_or_delete_current_heartbeat_if_possible",
		"host_tool": "automation_update",
		"host_action": "pause_or_delete_current_heartbeat",
		"host_action_required": true,
		"attempt_limit": 1,
		"verify_host_result": true,
		"ack_required": false,
		"resume_trigger": stop.resume_trigger,
		"no_spend_for_host_action": true,
	} |
		some key in packet_keys
	},
	not_for_apps,
	continuation(stop_continuation(stop)),
])

# METADATA
# title: What a goal runtime does next
# description: Only the runtime that owns its schedule is told; it continues, looks again later or is done.
# custom:
#   id: sched.runtime
continuation(found) := {"goal_runtime_continuation": found} if owner == "goal_runtime"

continuation(_) := {} if owner != "goal_runtime"

stop_continuation(stop) := {"decision": "complete"} if stop.host_goal == "complete_host_goal"

stop_continuation(stop) := deferred(scheduler.runtime_recheck_minutes) if stop.host_goal != "complete_host_goal"

default wait_continuation := {"decision": "continue_now"}

wait_continuation := deferred(local_progression[0]) if is_number(branch.limit)

deferred(minutes) := {"decision": "defer", "recheck_after_seconds": minutes * 60}

# METADATA
# title: The keys under which an app finds its packet
# description: The Codex App reads codex_app and a neutral copy, Trae only the neutral one.
# custom:
#   id: sched.packet.keys
packet_keys contains "app_automation" if app

packet_keys contains "codex_app" if app == "codex_app"

wait_hint := object.union_n([
	compact.present({
		"action": branch.action,
		"cadence_class": branch.cadence_class,
		"reason_code": reason_code,
		"unchanged_poll": unchanged_poll,
		"detail_ref": detail_ref,
		"reset_policy": reset_policy,
		"unchanged_identity_keys": identity_keys,
		"cold_path_detail": cold_path_detail,
		"consistency_error": consistency_error,
	}),
	{"user_gate_notification_cooldown": notice | notice := cooldown},
	packets,
	continuation(wait_continuation),
])

reason_codes := {
	"sched.arb.consistency": "interaction_contract_inconsistent",
	"sched.arb.stop": contract_mode,
	"sched.arb.monitor_only": contract_mode,
	"sched.arb.human_gate": "interaction_blocking_user_gate",
	"sched.arb.monitor_quiet": "interaction_monitor_quiet_wait",
	"sched.arb.successor": "interaction_successor_replan_required",
	"sched.arb.agent_scope": "interaction_agent_scope_wait",
	"sched.arb.unchanged": "interaction_unchanged_wait",
	"sched.arb.attempt": "interaction_agent_attempt_required",
	"sched.arb.quiet": "interaction_quiet_noop_allowed",
	"sched.arb.blocked": "interaction_delivery_not_allowed",
}

reason_code := reason_codes[disposition.rule]

default consistency_error := null

consistency_error := {
	"schema_version": "scheduler_arbitration_v0",
	"source": "interaction_contract",
	"errors": sort(contract_errors),
} if {
	count(contract_errors) > 0
}

# METADATA
# title: App packets of this owner
# custom:
#   id: sched.packets
packets := {"codex_app": packet, "app_automation": object.union(packet, {"host_surface": "codex_app"})} if app == "codex_app"

packets := {"app_automation": packet} if {
	app
	app != "codex_app"
}

packets := not_for_apps if not app

# METADATA
# title: No app is advised when another owner holds the schedule
# description: Said in waits and in stops alike.
# custom:
#   id: sched.packet.other_owner
default not_for_apps := {}

not_for_apps := {
	"codex_app": {
		"applicability": "not_applicable",
		"reason_code": sprintf("cadence_owned_by_%s", [owner]),
		"apply": "none",
		"host_action": "none",
		"ack_required": false,
		"no_spend_for_cadence_change": true,
	},
	"execution_phase": {"disposition": sprintf("%s_owned", [owner]), "completed": true},
} if {
	not app
}

reset_policy := object.union_n([
	{
		"reset_token": reset_token,
		"host_state_key": "scheduler_hint.reset_policy.reset_token",
		"identity_signature": identity_signature,
	},
	{key: value |
		some packet_name in packet_keys
		some suffix, value in {
			"initial_interval_minutes": app_progression[0],
			"initial_rrule": rrule(app_progression[0]),
		}
		key := sprintf("%s_%s", [packet_name, suffix])
	},
])

# METADATA
# title: How many unchanged polls a loop may make
# description: Active work has no limit; at the limit one final check comes before the after-limit action.
# custom:
#   id: sched.poll.limits
unchanged_poll := {
	"limits": poll_limits,
	"after_limits": after_limits,
	"final_quota_replan_check_enabled": limited,
	"final_quota_replan_check_action": final_check_action,
	"spend_policy": scheduler.text.final_check_spend,
}

default limited := false

limited if is_number(branch.limit)

poll_limits := {runtime: branch.limit | some runtime, _ in scheduler.after_limits} if limited

poll_limits := {runtime: null | some runtime in scheduler.unlimited_runtimes} if not limited

# METADATA
# title: What a loop does after its limit
# custom:
#   id: sched.poll.native_goal
after_limits := scheduler.after_limits if limited

after_limits := {runtime: "continue" | some runtime in scheduler.unlimited_runtimes} if not limited

default final_check_action := null

final_check_action := "rerun_quota_should_run_once" if limited

detail_ref := {
	"schema_version": "scheduler_hint_detail_v0",
	"omitted_by_default": true,
	"execution_required": false,
	"request": scheduler.text.detail_request,
	"hot_path_runtime_fields": [hot_packet, "unchanged_poll", "reset_policy"],
	"contains": array.flatten([
		["local_scheduler", "codex_cli_tui"],
		[runtime | some runtime in ["codex_app_ssh_goal"]; limited],
		["claude_code_loop", "final_quota_replan_check", "reset_policy_detail"],
		[detail | some detail in ["stateful_backoff_detail"]; app],
	]),
}

default hot_packet := "codex_app"

hot_packet := "app_automation" if {
	app
	app != "codex_app"
}

# METADATA
# title: The long form, on request only
# description: Diagnosis and migration; nothing a host needs is only here.
# custom:
#   id: sched.cold_path
default cold_path_detail := null

cold_path_detail := object.union_n([
	{"schema_version": "scheduler_hint_cold_path_detail_v0", "source": "quota.should-run"},
	{runtime: runtime_detail(runtime) | some runtime in object.keys(poll_limits)},
	{
		"final_quota_replan_check": final_check,
		"reset_policy_detail": {
			"schema_version": "scheduler_reset_policy_v0",
			"identity": identity,
			"identity_signature": identity_signature,
			"profile": profile_snapshot,
			"profile_signature": hash.short(profile_snapshot, 12),
			"reset_profile_signature": hash.short(reset_profile, 12),
			"reset_condition_summary": scheduler.text.reset_condition,
		},
	},
	backoff_detail,
]) if {
	"scheduler" in request.detail
}

default backoff_detail := {}

backoff_detail := {"stateful_backoff_detail": {"rule": index.rule, "host_rule": transition.rule, "retained_failures": count(failures)}} if app

final_check := {
	"enabled": limited,
	"trigger": "before_unchanged_poll_after_limit",
	"action": final_check_action,
	"if_changed": "follow_new_scheduler_hint",
	"if_run_now": "execute_new_quota_contract",
	"if_unchanged": "apply_after_limit_without_spend",
}

runtime_detail(runtime) := {
	"recommended_interval_minutes": local_progression[0],
	"max_interval_minutes": max(local_progression),
	"example_progression_minutes": local_progression,
	"unchanged_poll_limit": poll_limits[runtime],
	"after_limit": after_limits[runtime],
	"final_quota_replan_check": limited,
}

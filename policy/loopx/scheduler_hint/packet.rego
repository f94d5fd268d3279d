package loopx.scheduler_hint

import data.loopx.lib.compact
import data.loopx.request
import data.loopx.settings.scheduler

# METADATA
# title: What an app with its own timer is advised
# custom:
#   id: sched.packet
packet := compact.present({
	"applicability": "applicable",
	"host_surface": packet_surface,
	"recommended_interval_minutes": app_progression[index.value.index],
	"max_interval_minutes": app_max,
	"unchanged_poll_backoff_multiplier": scheduler.multiplier,
	"example_progression_minutes": app_progression,
	"apply": apply_word,
	"host_tool": "automation_update",
	"host_action": host_action,
	"host_action_contract": scheduler.text.host_action_contract,
	"rrule_source": "stateful_backoff.current_rrule",
	"recommended_rrule": recommended_rrule,
	"stateful_backoff": stateful_backoff,
	"ack_hint": ack_hint,
	"failure_hint": failure_hint,
	"no_spend_for_cadence_change": true,
})

default packet_surface := null

packet_surface := app if app != "codex_app"

# METADATA
# title: An interval is recommended only when the host has to be updated
# custom:
#   id: sched.apply.only_when_needed
default recommended_rrule := null

recommended_rrule := current_rrule if transition.value.apply

apply_word := "update_automation_cadence_if_possible" if transition.value.apply

apply_word := "none_recorded_host_failure" if suppressed

apply_word := "none_already_applied" if {
	not transition.value.apply
	not suppressed
}

suppressed if transition.rule == "sched.host.suppressed"

host_action := "update_current_heartbeat_rrule" if transition.value.apply

host_action := "none_recorded_host_failure" if suppressed

host_action := "ack_observed_rrule_without_update" if transition.rule == "sched.host.host_match"

host_action := "none" if transition.rule == "sched.host.settled"

stateful_backoff := compact.present({
	"schema_version": sprintf("%s_stateful_backoff_v0", [packet_key]),
	"state_key": state_key,
	"identity_signature": identity_signature,
	"reset_token": reset_token,
	"progression_index": index.value.index,
	"current_rrule": current_rrule,
	"apply_needed": transition.value.apply,
	"ack_needed": transition.value.ack,
	"state_status": transition.value.status,
	"host_update_failures": retained,
	"host_update_failure": newest_failure,
	"host_observation": host_observation,
})

packet_key := "codex_app" if app == "codex_app"

packet_key := "app_automation" if app != "codex_app"

default retained := null

retained := shown if {
	shown := [object.remove(failure, ["failed_ns"]) | some failure in failures]
	count(shown) > 0
}

# METADATA
# title: The newest failure once more for older hosts
# custom:
#   id: sched.fail.compat
default newest_failure := null

newest_failure := retained[count(retained) - 1] if is_array(retained)

# METADATA
# title: Whether the host runs what is recommended
# custom:
#   id: sched.host_observation
default host_observation := null

host_observation := {
	"source": "quota_should_run_host_observation",
	"current_rrule": observed_rrule,
	"status": observation_status,
} if {
	observed_rrule != ""
}

default observation_status := "drift_detected"

observation_status := "matches_recommended" if observed_rrule == current_rrule

# METADATA
# title: The command that records an applied interval
# description: Bound to the exact registry and runtime root; the complete vector must be run.
# custom:
#   id: sched.ack_hint
default ack_hint := null

ack_hint := {
	"cli_args": array.flatten([
		bound("scheduler-ack-current"),
		["--applied-rrule", current_rrule, "--host-match-observed"],
		["--reset-token", reset_token, "--identity-signature", identity_signature],
		matched_args,
		["--execute"],
	]),
	"no_spend": true,
} if {
	transition.value.ack
	request.agent_id
}

# METADATA
# title: The command that records a failed host update
# custom:
#   id: sched.failure_hint
default failure_hint := null

failure_hint := {
	"cli_args": array.flatten([
		bound("scheduler-fail-current"),
		["--failed-rrule", current_rrule],
		observed_args,
		["--execute"],
	]),
	"no_spend": true,
} if {
	transition.value.apply
	request.agent_id
}

# METADATA
# title: A neutral packet names what its host is seen to run
# description: Its acknowledgement comes after the host runs the target.
# custom:
#   id: ctx.trae-packet
default matched_args := []

matched_args := [observed_flag, current_rrule] if app != "codex_app"

default observed_args := []

observed_args := [observed_flag, observed_rrule] if observed_rrule != ""

observed_flag := "--codex-app-current-rrule" if app == "codex_app"

observed_flag := "--app-automation-current-rrule" if app != "codex_app"

context_args := ["-A"] if app == "codex_app"

context_args := ["--trae-app", "--surface", app, "--state-key", state_key] if app != "codex_app"

bound(command) := array.flatten([
	["--registry", input.route.registry, "--runtime-root", input.route.runtime_root, "quota", command],
	["--goal-id", request.goal_id, "--agent-id", request.agent_id],
	context_args,
	[arg | some capability in request.runtime_capabilities; some arg in ["--available-capability", capability]],
])

package loopx.scheduler_hint

import data.loopx.request
import data.loopx.settings.scheduler

# METADATA
# title: A gate that stays open and is not announced again yet
# description: |
#   Only while a human gate waits on a host that could not take the longer interval. The gate itself is untouched;
#   undefined when the conditions do not hold.
# custom:
#   id: sched.cooldown
cooldown := {
	"schema_version": "user_gate_notification_cooldown_v0",
	"active": true,
	"notification_due": due,
	"notification_suppressed": suppressed_notice,
	"policy": "one_host_sized_window_per_target_interval",
	"cooldown_minutes": target_minutes,
	"reminder_window_minutes": host_minutes,
	"failed_at": suppressing.failed_at,
	"next_reminder_at": time.format([next_reminder_ns, "UTC", "RFC3339"]),
} if {
	branch.cadence_class == "human_gate"
	suppressed
	failure_identity == identity_signature
	host_minutes < target_minutes
}

failure_identity := object.get(suppressing, "identity_signature", state.identity_signature)

host_minutes := interval(effective_host)

target_minutes := interval(current_rrule)

elapsed_ns := request.now_ns - suppressing.failed_ns

target_ns := target_minutes * minute_ns

cycle := floor(elapsed_ns / target_ns)

default due := false

due if {
	cycle >= 1
	elapsed_ns - (cycle * target_ns) < host_minutes * minute_ns
}

suppressed_notice := due == false

next_reminder_ns := suppressing.failed_ns + ((cycle + 1) * target_ns)

# METADATA
# title: Instants at which time alone changes the hint
# description: The next due time of a waited monitor, the end of the applied interval and the edges of the cooldown.
# custom:
#   id: sched.time_edges
time_edges contains edge if {
	app
	edge := state.updated_ns + (interval(last_applied) * minute_ns)
	edge > request.now_ns
}

time_edges contains next_reminder_ns if cooldown

time_edges contains edge if {
	cooldown
	due
	edge := (suppressing.failed_ns + (cycle * target_ns)) + (host_minutes * minute_ns)
}

time_edges contains edge if {
	some failure in failures
	edge := (failure.failed_ns + (scheduler.failure_retention_hours * hour_ns)) + 1
}

# minutes until a due time count down while a monitor is waited for
time_edges contains edge if {
	branch.cadence_class == "monitor_wait"
	some t in waited_monitors
	some minutes in until_due(t)
	edge := t.next_due_ns - ((minutes - 1) * minute_ns)
}

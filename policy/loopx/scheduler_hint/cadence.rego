package loopx.scheduler_hint

import data.loopx.request
import data.loopx.settings.scheduler
import data.loopx.todos

minute_ns := 60000000000

# METADATA
# title: What the disposition becomes
# description: Action, cadence class, local progression in minutes, unchanged-poll limit, and whether it backs off.
# custom:
#   id: sched.branch
branch := scheduler.branches[disposition.value]

# METADATA
# title: The cadence plan of the monitors that are waited for
# description: The smallest cap wins, then the nearer phase, then the identity. Undefined without a schedule.
# custom:
#   id: sched.monitor.plan
monitor_plan := plan if {
	branch.cadence_class == "monitor_wait"
	ranked := sort([[p.cap, scheduler.monitor.phase_rank[p.phase], p.identity, p] | some p in monitor_plans])
	plan := ranked[0][3]
}

# METADATA
# title: A checked monitor with an expiry is inside its window
# custom:
#   id: sched.monitor.active_window
monitor_plans contains object.union(plan_base(t), {
	"phase": "active_window",
	"cap": min(array.concat(until_due(t), cadence_minutes(t))),
	"floor": floor_of(cadence_minutes(t)),
}) if {
	some t in waited_monitors
	windowed(t)
}

# METADATA
# title: A future due time caps the wait
# custom:
#   id: sched.monitor.window
monitor_plans contains object.union(plan_base(t), {
	"phase": window_phase(minutes),
	"cap": minutes,
	"floor": scheduler.monitor.host_floor_minutes,
	"window_start": t.next_due_at,
}) if {
	some t in waited_monitors
	not windowed(t)
	some minutes in until_due(t)
}

# METADATA
# title: A cadence without a due time caps the wait
# custom:
#   id: sched.monitor.cadence
monitor_plans contains object.union(plan_base(t), {
	"phase": "cadence_only",
	"cap": minutes,
	"floor": floor_of([minutes]),
}) if {
	some t in waited_monitors
	not windowed(t)
	count(until_due(t)) == 0
	some minutes in cadence_minutes(t)
}

# METADATA
# title: Open monitors that have not expired
# custom:
#   id: sched.monitor.expired
waited_monitors := {todos.by_id[id] | some id in todos.mon} - {todos.by_id[id] | some id in todos.expired}

windowed(t) if {
	t.expires_ns
	t.last_checked_ns
}

plan_base(t) := {
	"identity": t.id,
	"cadence": object.get(t, "cadence", ""),
	"window_start": "",
	"window_end": object.get(t, "expires_at", ""),
}

# the shortest wait as far as the monitor itself sets it: what is left until a due time shrinks with every minute
floor_of(minutes) := min(array.concat([scheduler.monitor.host_floor_minutes], minutes))

window_phase(minutes) := "near_window" if minutes <= scheduler.monitor.near_window_minutes

window_phase(minutes) := "far_window" if minutes > scheduler.monitor.near_window_minutes

# minutes until the due time, begun ones too, so that a host wakes when the monitor is due and not just before; empty when
# none lies ahead
until_due(t) := [minutes |
	t.next_due_ns > request.now_ns
	minutes := floor(((t.next_due_ns - request.now_ns) + (minute_ns - 1)) / minute_ns)
]

cadence_minutes(t) := [max([1, floor(t.cadence_seconds / 60)]) | t.cadence_seconds > 0]

# METADATA
# title: The shortest wait of a host
host_floor := min([scheduler.monitor.host_floor_minutes, monitor_plan.cap])

# METADATA
# title: Minutes of the local scheduler, in order
# custom:
#   id: sched.monitor.progression
local_progression := branch.local if not monitor_plan

local_progression := steps if {
	monitor_plan
	steps := [max([host_floor, step]) | some step in branch.local; step <= monitor_plan.cap]
	count(steps) > 0
}

local_progression := [host_floor] if {
	monitor_plan
	count([step | some step in branch.local; step <= monitor_plan.cap]) == 0
}

# METADATA
# title: Minutes of an app timer
# description: The local progression clamped to the app's longest interval, without repeats.
# custom:
#   id: sched.cap.app60
app_progression := [step |
	some i, step in clamped
	not step in array.slice(clamped, 0, i)
]

clamped := [max([1, min([step, scheduler.app_max_minutes])]) | some step in local_progression]

# METADATA
# title: The longest interval an app may be sent to
app_max := scheduler.monitor.max_minutes if branch.cadence_class == "monitor_wait"

app_max := max(app_progression) if branch.cadence_class != "monitor_wait"

rrule(minutes) := sprintf("%s%d", [scheduler.initial_rrule_prefix, minutes])

package loopx.todos

import data.loopx.request

# --- monitors

expired := {id | some id in monitors; by_id[id].expires_ns <= request.now_ns}

fresh := mon - expired

timed := {id | some id in fresh; by_id[id].next_due_at}

# METADATA
# title: Monitors in scope whose time has come
# description: By next_due_at; else by the last check plus the cadence; with a cadence and no check at once.
# custom: {id: monitor.due}
due_time := union({
	{id | some id in timed; by_id[id].next_due_ns <= request.now_ns},
	{id |
		some id in (fresh - timed)
		by_id[id].last_checked_ns + (by_id[id].cadence_seconds * 1000000000) <= request.now_ns
	},
	{id |
		some id in (fresh - timed)
		by_id[id].cadence_seconds
		not by_id[id].last_checked_at
	},
})

# METADATA
# title: Capabilities that a todo lacks
# description: |
#   By id, for live todos that lack one, in declared order. A capability that the todo itself builds is no
#   requirement.
# custom: {id: cap.candidate.missing}
missing_capabilities := {id: missing |
	some id, list in unmet
	missing := [capability | some capability in list; not capability in object.get(by_id[id], "target_capabilities", [])]
	count(missing) > 0
}

unmet := {id: list |
	available := request.capabilities
	some id in (live & requiring)
	list := [capability | some capability in by_id[id].required_capabilities; not available[capability]]
	list != []
}

requiring := {id | some id; by_id[id].required_capabilities}

# METADATA
# title: Due monitors
# description: In scope, not expired, and with every capability they need.
due := due_time - object.keys(missing_capabilities)

due_order := projection(due)

# METADATA
# title: Due monitors that lack a capability
due_blocked := due_time - due

# METADATA
# title: The due monitor to attempt
# description: Undefined when none is due.
due_first := due_order[0]

# METADATA
# title: Monitors that can never become due
# description: Monitors by class or action kind with neither cadence nor due time. One by its text alone stays quiet.
# custom: {id: monitor.schedule_gap}
schedule_gap := {id |
	some id in ((fresh - timed) - text_mon)
	not by_id[id].cadence
}

# METADATA
# title: Instants at which time alone changes a monitor
time_edges contains by_id[id].next_due_ns if some id in monitors

time_edges contains by_id[id].expires_ns if some id in monitors

time_edges contains checked + (by_id[id].cadence_seconds * 1000000000) if {
	some id in monitors
	checked := by_id[id].last_checked_ns
}

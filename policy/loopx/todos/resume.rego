package loopx.todos

import data.loopx.request
import data.loopx.settings

# --- deferred todos and resume conditions

waiting := object.filter({id: when | when := by_id[id].resume_when}, live)

# METADATA
# title: Target of a resume condition on another todo
resume_target := {id: substring(condition, count(settings.todos.resume_kinds.done), -1) |
	some id, condition in waiting
	startswith(condition, settings.todos.resume_kinds.done)
}

# METADATA
# title: Resume conditions that can become true
# description: Any other word is kept and never satisfied.
# custom: {id: resume.kinds, settings: [resume_kinds]}
resume_supported := {id |
	some id, condition in waiting
	some prefix in settings.todos.resume_kinds
	startswith(condition, prefix)
}

# METADATA
# title: The todo that was waited for is done
# description: In an active section or, with an explicit id, in the archive.
# custom: {id: resume.todo_done}
ready_done := {id | some id, target in resume_target; target in (done | archived_done)}

archived_done := {t.id | some t in input.archived_done; t.status == "done"}

# METADATA
# title: The watch of the pull request was completed
# description: |
#   No file says that a pull request was merged but the todo that watched for it: same condition as target_key, done,
#   neither superseded nor closed without follow-up.
# custom: {id: resume.pr_merged}
ready_merged := {id |
	some id, condition in waiting
	startswith(condition, settings.todos.resume_kinds.merged)
	some watch in agent_done
	by_id[watch].target_key == condition
	not by_id[watch].superseded_by
	not by_id[watch].no_followup
}

# METADATA
# title: The capability is there in this call
# custom: {id: resume.capacity}
ready_capacity := {id |
	some id, condition in waiting
	startswith(condition, settings.todos.resume_kinds.capacity)
	replace(substring(condition, count(settings.todos.resume_kinds.capacity), -1), "-", "_") in request.capabilities
}

# METADATA
# title: Todos whose resume condition is met
resume_ready := (ready_done | ready_merged) | ready_capacity

# METADATA
# title: Open todos whose resume condition is unmet
# custom: {id: resume.open_gate}
resume_blocked_all := {id | some id, _ in waiting} - (resume_ready | deferred_ids)

resume_blocked := resume_blocked_all & selectable

# METADATA
# title: Advancement in scope that waits for an open monitor
# description: A standing monitor does not complete by itself, so the condition cannot come true.
resume_blocked_by_monitor := (resume_blocked & adv_class) & on_monitor

on_monitor := {id | some id, target in resume_target; target in open_monitors}

open_monitors := agent_open & mon_class

# METADATA
# title: Exact blocked successors
# description: Open or deferred advancement, own or unclaimed, that waits for a supported condition and no monitor.
# custom: {id: fact.blocked_successor}
blocked_successors := projection((((resume_supported - resume_ready) & adv_class) - out_of_scope) - on_monitor)

# METADATA
# title: Deferred agent todos
# description: All agents, in projection order.
# custom: {id: resume.visibility}
deferred := projection(live & deferred_ids)

deferred_ready := [id | some id in deferred; id in resume_ready]

# METADATA
# title: Ready deferred todos that may wake the caller
# description: Own or unclaimed and not excluded; of all agents for an unscoped call.
# custom: {id: resume.successor}
deferred_ready_mine := [id | some id in deferred_ready; not id in out_of_scope]

# --- handoff gates

# METADATA
# title: Advancement that hands work to a peer
# description: It excludes agents, or it unblocks a todo that another agent has claimed.
handoff := adv_class & (excluding | {id |
	some id, target in unblocks
	by_id[id].claimed_by != by_id[target].claimed_by
})

unblocks := {id: target | target := by_id[id].unblocks_todo_id}

# METADATA
# title: State of each handoff gate
# custom: {id: fact.handoff_gate}
handoff_gates := {id: state | some id in (handoff & agent); state := gate_state(by_id[id])}

gate_state(t) := "superseded" if t.superseded_by

gate_state(t) := "deferred" if {
	not t.superseded_by
	t.status == "deferred"
}

gate_state(t) := "blocking" if {
	not t.superseded_by
	not t.status in {"deferred", "done"}
}

# METADATA
# title: A closed gate without follow-up wakes nobody
# custom: {id: resume.exits}
gate_state(t) := "cleared_no_followup" if {
	finished(t)
	t.no_followup
}

gate_state(t) := "cleared_with_successor" if {
	finished(t)
	not t.no_followup
	t.id in succeeded
}

gate_state(t) := "cleared_without_successor" if {
	finished(t)
	not t.no_followup
	not t.id in succeeded
}

finished(t) if {
	not t.superseded_by
	t.status == "done"
}

# Todos that another todo unblocks, supersedes or resumes on, or that name a successor that exists.
succeeded := ({id | some id in unblocks} | {id | some id in resume_target}) | {id |
	some id
	some successor in by_id[id].successor_todo_ids
	by_id[successor]
}

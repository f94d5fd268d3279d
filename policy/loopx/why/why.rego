# METADATA
# title: What would change the answer
# description: |
#   The single changes of a fact, and the instants, that "quota why" tries one at a time. Each says how to change the input
#   document; the caller evaluates the whole decision again with that change. Reads what the other packages export, and the
#   input only for the place of a fact in it. Nothing is decided here.
# schemas:
#   - input: schema.facts.input
package loopx.why

import data.loopx.attention
import data.loopx.boundary
import data.loopx.goal
import data.loopx.quota
import data.loopx.request
import data.loopx.scheduler_hint
import data.loopx.settings
import data.loopx.share
import data.loopx.todos

why := settings.why

# METADATA
# title: What to try
# description: The changes in the order of the settings, then by place, cut to a limit; instants by time.
# entrypoint: true
# custom: {id: why.questions, settings: [why.limits, why.order]}
questions := {
	"changes": array.slice(changes, 0, why.limits.candidates),
	"instants": array.slice(instants, 0, why.limits.instants),
	"left_out": max([0, count(changes) - why.limits.candidates]),
}

changes := [row[3] |
	some row in sort({[place, object.get(c, "id", ""), c.text, c] |
		some c in candidate
		some place, kind in why.order
		kind == c.kind
	})
]

text(kind, id, name) := strings.replace_n({"{id}": id, "{name}": name}, why.texts[kind])

set_at(path, value) := {"op": "set", "path": path, "value": value}

removed(path) := {"op": "remove", "path": path}

appended(path, value) := {"op": "append", "path": path, "value": value}

# --- places in the input

todo_at := {t.id: i | some i, t in input.todos}

todo_set(id, change) := [set_at(["todos", todo_at[id], key], value) | some key, value in change]

# METADATA
# title: The owner resumes the goal
# custom: {id: why.goal_resumed, settings: [why.resumed]}
candidate contains {
	"kind": "goal_resumed",
	"rule": "why.goal_resumed",
	"text": text("goal_resumed", "", ""),
	"operations": [set_at(["goal", "activation"], why.resumed)],
} if {
	goal.stopped
}

# METADATA
# title: The owner stops the goal
# custom: {id: why.goal_stopped, settings: [why.stopped]}
candidate contains {
	"kind": "goal_stopped",
	"rule": "why.goal_stopped",
	"text": text("goal_stopped", "", ""),
	"operations": [set_at(["goal", "activation"], why.stopped)],
} if {
	goal.registered
	not goal.stopped
}

# METADATA
# title: The calling agent is registered
# custom: {id: why.agent_registered}
candidate contains {
	"kind": "agent_registered",
	"rule": "why.agent_registered",
	"id": request.agent_id,
	"text": text("agent_registered", "", request.agent_id),
	"operations": [appended(["goal", "agents"], request.agent_id)],
} if {
	goal.registered
	not request.agent_id in goal.agents
}

# METADATA
# title: A diagnostic goes away
# custom: {id: why.finding_mended}
candidate contains {
	"kind": "finding_mended",
	"rule": "why.finding_mended",
	"text": text("finding_mended", "", finding.message),
	"operations": [removed(["findings", i])],
} if {
	some i, finding in input.findings
	concerned(finding)
}

concerned(finding) if finding.scope == "global"

concerned(finding) if finding.goal_id == goal.id

concerned(finding) if goal.id in finding.goal_ids

# METADATA
# title: A todo with a contract error is corrected
# description: The todo is taken out, since only its owner knows how to correct it.
# custom: {id: why.todo_mended}
candidate contains {
	"kind": "todo_mended",
	"rule": "why.todo_mended",
	"id": finding.todo_id,
	"text": text("todo_mended", finding.todo_id, ""),
	"operations": [removed(["todos", todo_at[finding.todo_id]])],
} if {
	some finding in todos.contract_errors
}

# METADATA
# title: An unbound user todo is bound to the calling agent
# custom: {id: why.todo_bound}
candidate contains {
	"kind": "todo_bound",
	"rule": "why.todo_bound",
	"id": finding.todo_id,
	"text": text("todo_bound", finding.todo_id, ""),
	"operations": todo_set(finding.todo_id, {"bound_agent": request.agent_id}),
} if {
	some finding in todos.contract_errors
	finding.rule == "scope.unbound"
}

# METADATA
# title: The goal waits for nobody outside
# description: The registry's word goes, or where there is none the registry names the agent.
# custom: {id: why.waiting_on_cleared, settings: [why.owner]}
candidate contains {
	"kind": "waiting_on_cleared",
	"rule": "why.waiting_on_cleared",
	"text": text("waiting_on_cleared", "", attention.waiting_on),
	"operations": [operation],
} if {
	attention.waiting_on != why.owner
	operation := cleared
}

cleared := removed(["goal", "waiting_on"]) if input.goal.waiting_on

cleared := set_at(["goal", "waiting_on"], why.owner) if {
	goal.registered
	not input.goal.waiting_on
}

# METADATA
# title: A person approves a gate
# custom: {id: why.gate_resolved, settings: [why.done, why.approval]}
candidate contains {
	"kind": "gate_resolved",
	"rule": "why.gate_resolved",
	"id": id,
	"text": text("gate_resolved", id, ""),
	"operations": todo_set(id, {"status": why.done, "decision_outcome": why.approval}),
} if {
	some id in todos.gates
}

# METADATA
# title: A person finishes what was asked
# custom: {id: why.user_action_done, settings: [why.done]}
candidate contains {
	"kind": "user_action_done",
	"rule": "why.user_action_done",
	"id": id,
	"text": text("user_action_done", id, ""),
	"operations": todo_set(id, {"status": why.done}),
} if {
	some id in todos.actions
}

# METADATA
# title: The focus marker goes
# custom: {id: why.focus_cleared, settings: [why.focus_fields]}
candidate contains {
	"kind": "focus_cleared",
	"rule": "why.focus_cleared",
	"text": text("focus_cleared", "", concat(".", [part, field])),
	"operations": [removed([part, field])],
} if {
	quota.focus_marked
	some part in ["goal", "status_run"]
	some field in why.focus_fields
	input[part][field]
}

# METADATA
# title: More slots in the window
# custom: {id: why.quota_raised}
candidate contains {
	"kind": "quota_raised",
	"rule": "why.quota_raised",
	"text": text("quota_raised", "", sprintf("%d", [share.spent + 1])),
	"operations": [set_at(["goal", "quota", "allowed_slots"], share.spent + 1)],
} if {
	share.spent >= share.allowed
}

# METADATA
# title: A larger share
# custom: {id: why.compute_raised, settings: [why.compute]}
candidate contains {
	"kind": "compute_raised",
	"rule": "why.compute_raised",
	"text": text("compute_raised", "", sprintf("%d", [why.compute])),
	"operations": [set_at(["goal", "quota", "compute"], why.compute)],
} if {
	goal.registered
	share.hundredths < why.compute * 100
}

# METADATA
# title: The host offers a capability
# custom: {id: why.capability_available}
candidate contains {
	"kind": "capability_available",
	"rule": "why.capability_available",
	"id": capability,
	"text": text("capability_available", "", capability),
	"operations": [appended(["request", "available_capabilities"], capability)],
} if {
	some capability in todos.missing_capabilities[_]
}

# METADATA
# title: Another agent releases its claim
# custom: {id: why.claim_released}
candidate contains {
	"kind": "claim_released",
	"rule": "why.claim_released",
	"id": id,
	"text": text("claim_released", id, todos.by_id[id].claimed_by),
	"operations": [removed(["todos", todo_at[id], "claimed_by"])],
} if {
	some id in (todos.agent_open & todos.others)
}

# METADATA
# title: The calling agent may work on a todo that excludes it
# custom: {id: why.exclusion_lifted}
candidate contains {
	"kind": "exclusion_lifted",
	"rule": "why.exclusion_lifted",
	"id": id,
	"text": text("exclusion_lifted", id, request.agent_id),
	"operations": [removed(["todos", todo_at[id], "excluded_agents"])],
} if {
	some id in (todos.agent_open & todos.excluded_me)
}

# METADATA
# title: A monitor becomes due
# custom: {id: why.monitor_due}
candidate contains {
	"kind": "monitor_due",
	"rule": "why.monitor_due",
	"id": id,
	"text": text("monitor_due", id, ""),
	"operations": todo_set(id, {"next_due_at": request.now, "next_due_ns": request.now_ns}),
} if {
	some id in (todos.mon - todos.due)
}

# METADATA
# title: A todo is finished
# custom: {id: why.todo_done, settings: [why.done]}
candidate contains {
	"kind": "todo_done",
	"rule": "why.todo_done",
	"id": id,
	"text": text("todo_done", id, ""),
	"operations": todo_set(id, {"status": why.done}),
} if {
	some id in todos.agent_open
}

# METADATA
# title: Somebody writes an executable todo
# custom: {id: why.work_added, settings: [why.work]}
candidate contains {
	"kind": "work_added",
	"rule": "why.work_added",
	"text": text("work_added", "", ""),
	"operations": [appended(["todos"], why.work)],
} if {
	goal.registered
}

# --- time

# METADATA
# title: Instants at which time alone may change the answer
# description: "{at_ns, cause, id?} of quota, bursts, monitors, authorities and the schedule, the past left out."
# custom: {id: why.instants}
instants := [object.union_n([
	row[3],
	{
		"at": request.at(row[0]),
		"operations": [set_at(["now_ns"], row[0]), set_at(["now"], request.at(row[0]))],
	},
]) |
	some row in sort({[at, edge.cause, object.get(edge, "id", ""), edge] |
		some [at, edge] in instant
		at > request.now_ns
	})
]

instant contains [at, {"cause": "next_eligible_at"}] if {
	at := share.next_open_ns + (settings.quota.edge_seconds * share.second_ns)
}

instant contains [share.burst.expires_ns, {"cause": "burst_expires"}]

instant contains [at, {"cause": "spend_leaves_window"}] if some at in (share.time_edges - {at | at := share.burst.expires_ns})

instant contains [todos.by_id[id].next_due_ns, {"cause": "monitor_due", "id": id}] if some id in todos.monitors

instant contains [todos.by_id[id].expires_ns, {"cause": "monitor_expires", "id": id}] if some id in todos.monitors

instant contains [at, {"cause": "monitor_due", "id": id}] if {
	some id in todos.monitors
	not todos.by_id[id].next_due_ns
	at := todos.by_id[id].last_checked_ns + (todos.by_id[id].cadence_seconds * share.second_ns)
}

instant contains [at, {"cause": "authority_expires"}] if some at in boundary.time_edges

instant contains [at, {"cause": "schedule"}] if some at in scheduler_hint.time_edges

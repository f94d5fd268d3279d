# METADATA
# title: Capability gate
# description: |
#   Which executable todos this call can run with the capabilities it has, and who must act when it can run none. Reads
#   todos and the capabilities of the request; capability truth lives for one call. Quota, state and lanes may not enter,
#   and a missing capability never becomes a permission.
package loopx.capability_gate

import data.loopx.goal
import data.loopx.lib.rank
import data.loopx.request
import data.loopx.settings
import data.loopx.todos

# --- candidates

executable := todos.adv if not goal.monitor_only

executable := set() if goal.monitor_only

candidates := (executable | todos.due) | todos.due_blocked

declaring := todos.requiring | {id | some id; todos.by_id[id].target_capabilities}

# METADATA
# title: Candidates that lack a capability
# custom: {id: cap.candidate.blocked}
blocked_ids := candidates & object.keys(todos.missing_capabilities)

# METADATA
# title: Candidates that can run now
# custom: {id: cap.candidate.runnable}
runnable_ids := candidates - blocked_ids

blocked_order := todos.projection(blocked_ids)

runnable_order := todos.projection(runnable_ids)

# METADATA
# title: Capabilities to build that are not there yet
# description: By id of a runnable candidate, in declared order.
# custom: {id: cap.candidate.target_visible}
missing_targets := {id: missing |
	available := request.capabilities
	some id in (runnable_ids & declaring)
	missing := [c | some c in todos.by_id[id].target_capabilities; not c in available]
	count(missing) > 0
}

# METADATA
# title: Candidates that build a missing bridge
# description: Runnable although the bridge is missing, because the bridge is what they build.
# custom: {id: cap.candidate.repair_mode}
repairing := {id | some id, missing in missing_targets; class_of[missing[_]] == "repair_bridge"}

# --- classes

# METADATA
# title: Class of a capability
# description: Only listed capabilities have one; an operator may add to the list, never take a class away.
# custom: {id: cap.sets, settings: [classes]}
class_of := object.union(operator_classes, settings.capability.classes)

default operator_classes := {}

operator_classes := data.operator.capability_classes

of_class(list, class) := [c | some c in list; object.get(class_of, c, "unsupported") == class]

# Each entry of a list of lists once, in order of first appearance.
in_order(lists) := [list[i] |
	list := [entry | some entries in lists; some entry in entries]
	some i
	not list[i] in array.slice(list, 0, i)
]

required_of(ids) := in_order([list | some id in ids; list := todos.by_id[id].required_capabilities])

blocked_missing := in_order([todos.missing_capabilities[id] | some id in blocked_order])

# --- the gate

# METADATA
# title: Nothing to gate
# description: No candidate declares a capability, so none can lack one.
# custom: {id: cap.gate.absent, sets: [capability_gate]}
# labels: {rule: cap.gate.absent}
gate_row contains {"rank": 10, "value": "none", "rule": "cap.gate.absent"} if count(candidates & declaring) == 0

# METADATA
# title: Something can run
# description: At least one candidate has every capability it needs.
# custom: {id: cap.gate.run, sets: [capability_gate]}
# labels: {rule: cap.gate.run}
gate_row contains {"rank": 20, "value": "run", "rule": "cap.gate.run"} if count(runnable_ids) > 0

# METADATA
# title: Only the owner can help
# description: Every candidate is blocked and any of the missing capabilities is held by the owner.
# custom: {id: cap.gate.ask_owner, sets: [capability_gate], settings: [classes]}
# labels: {rule: cap.gate.ask_owner}
gate_row contains {"rank": 30, "value": "ask_owner", "rule": "cap.gate.ask_owner"} if {
	count(of_class(blocked_missing, "ask_owner")) > 0
}

# METADATA
# title: The agent can repair a bridge
# description: Every candidate is blocked and any of the missing capabilities is a bridge.
# custom: {id: cap.gate.repair, sets: [capability_gate], settings: [classes]}
# labels: {rule: cap.gate.repair}
gate_row contains {"rank": 40, "value": "repair_bridge", "rule": "cap.gate.repair"} if {
	count(of_class(blocked_missing, "repair_bridge")) > 0
}

# METADATA
# title: Nobody here can help
# description: Every candidate is blocked and only unsupported capabilities are missing.
# custom: {id: cap.gate.skip, sets: [capability_gate]}
# labels: {rule: cap.gate.skip}
gate_row contains {"rank": 50, "value": "skip", "rule": "cap.gate.skip"}

winner := rank.winner(gate_row)

action := winner.value

# METADATA
# title: The gate stops delivery
# description: Nothing can run and no monitor takes the turn instead.
default blocks := false

blocks if {
	not action in {"none", "run"}
	not monitor_fallback
}

fired := {"capability_gate": winner}

runners := {"capability_gate": row | row := rank.runner_up(gate_row)}

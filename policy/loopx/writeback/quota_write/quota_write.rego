# METADATA
# title: Operator writes of a goal's share and activation
# description: |
#   Answers quota set, pause, resume and burst, and goal-lifecycle: which keys of the registry row change, and the quota
#   before and after. They preview unless execution is asked for, write no run, spend nothing, and are never proposed as a
#   next command. Todos and runs enter only through the quota object.
# schemas:
#   - input: schema.facts.input
package loopx.writeback.quota_write

import data.loopx.goal
import data.loopx.lib.merge
import data.loopx.lib.rank
import data.loopx.quota
import data.loopx.request
import data.loopx.settings.quota_write as settings
import data.loopx.share
import data.loopx.writeback.answer
import data.loopx.writeback.registry

default asked := {}

asked := input.write.goal

outcome_row contains row if some row in registry.row

# --- compute

# METADATA
# title: Compute as a number
# description: Undefined for anything but a finite number from 0 to 1.
compute := value if {
	text := object.get(asked, "compute", "")
	text != ""
	regex.match(settings.number, text)
	value := to_number(leading(text))
	value <= 1
}

leading(text) := concat("", ["0", text]) if startswith(text, ".")

leading(text) := text if regex.match(`^[0-9]`, text)

# METADATA
# title: Compute is a share
# description: Anything but a finite number from 0 to 1 is refused before any write.
# custom: {id: quota_write.set.compute, settings: [number]}
# labels: {rule: quota_write.set.compute}
outcome_row contains {"rank": 100, "rule": "quota_write.set.compute", "value": answer.invalid(text)} if {
	request.command == "quota-set"
	not compute
	text := sprintf(settings.text.compute, [object.get(asked, "compute", "")])
}

# METADATA
# title: The share is set
# description: Zero pauses; the other keys of the quota block and a stop stay as they are.
# custom: {id: quota_write.set}
# labels: {rule: quota_write.set}
outcome_row contains {"rank": 190, "rule": "quota_write.set", "value": value} if {
	request.command == "quota-set"
	share.policy.compute != compute
	value := done(settings.text.set, [{"path": ["quota", "compute"], "value": compute}], [])
}

outcome_row contains {"rank": 190, "rule": "quota_write.set", "value": value} if {
	request.command == "quota-set"
	not share.policy.compute
	value := done(settings.text.set, [{"path": ["quota", "compute"], "value": compute}], [])
}

# METADATA
# title: The share is the present one
# custom: {id: quota_write.set.same}
# labels: {rule: quota_write.set.same}
outcome_row contains {"rank": 180, "rule": "quota_write.set.same", "value": done(settings.text.set_same, [], [])} if {
	request.command == "quota-set"
	share.policy.compute == compute
}

# --- stop and start

operation := settings.operations[request.command]

operation := object.get(asked, "operation", "") if request.command == "goal-lifecycle"

wanted := settings.activations[operation]

present := object.get(goal.row, "activation", settings.default_activation)

# METADATA
# title: Unknown operation
# custom: {id: goal_lifecycle.operation, settings: [activations]}
# labels: {rule: goal_lifecycle.operation}
outcome_row contains {"rank": 200, "rule": "goal_lifecycle.operation", "value": answer.invalid(text)} if {
	operation
	not wanted
	text := sprintf(settings.text.operation, [operation, concat(", ", sort(object.keys(settings.activations)))])
}

# METADATA
# title: The reason of a stop is short
# custom: {id: goal_lifecycle.reason, settings: [reason_limit]}
# labels: {rule: goal_lifecycle.reason}
outcome_row contains {"rank": 210, "rule": "goal_lifecycle.reason", "value": answer.invalid(text)} if {
	operation
	count(asked.reason) > settings.reason_limit
	text := sprintf(settings.text.reason, [settings.reason_limit])
}

# METADATA
# title: A goal without compute is not resumed
# description: It would stay paused; the refusal names quota set.
# custom: {id: quota_write.resume.compute}
# labels: {rule: quota_write.resume.compute}
outcome_row contains {
	"rank": 220,
	"rule": "quota_write.resume.compute",
	"value": answer.refused("quota_compute_zero", text),
} if {
	request.command == "quota-resume"
	share.hundredths == 0
	text := sprintf(settings.text.resume_zero, [request.goal_id, request.goal_id])
}

# METADATA
# title: The goal is in the wanted state
# custom: {id: goal_lifecycle.same}
# labels: {rule: goal_lifecycle.same}
outcome_row contains {"rank": 230, "rule": "goal_lifecycle.same", "value": done(settings.text.same, [], [])} if {
	present == wanted
}

# METADATA
# title: The goal is stopped
# description: The configured compute stays; the goal shows as paused with the cause goal_stopped.
# custom: {id: quota_write.pause}
# labels: {rule: quota_write.pause}
outcome_row contains {"rank": 240, "rule": "quota_write.pause", "value": value} if {
	operation == "stop"
	value := done(settings.text.stopped, activation_set, activation_unset)
}

# METADATA
# title: The stop is cleared
# custom: {id: quota_write.resume}
# labels: {rule: quota_write.resume}
outcome_row contains {"rank": 250, "rule": "quota_write.resume", "value": value} if {
	operation == "resume"
	value := done(settings.text.started, activation_set, activation_unset)
}

activation := object.union(
	{"schema_version": "loopx_goal_activation_v1", "state": wanted, "updated_at": answer.now},
	{"reason": asked.reason | asked.reason != ""},
)

# key by key, so that unknown keys of the block stay
activation_set := [{"path": ["activation", key], "value": activation[key]} |
	some key in ["schema_version", "state", "updated_at", "reason"]
	activation[key]
] if {
	block_readable
}

activation_set := [{"path": ["activation"], "value": activation}] if not block_readable

block_readable if is_object(registry.at(["activation"], {}))

default activation_unset := []

# an earlier reason belongs to the earlier change
activation_unset := [["activation", "reason"]] if {
	block_readable
	registry.at(["activation", "reason"], null) != null
	not activation.reason
}

# --- burst

slots := to_number(asked.slots) if regex.match(settings.whole, asked.slots)

# METADATA
# title: A burst gives slots
# custom: {id: quota_write.burst.slots, settings: [whole]}
# labels: {rule: quota_write.burst.slots}
outcome_row contains {"rank": 300, "rule": "quota_write.burst.slots", "value": answer.invalid(text)} if {
	request.command == "quota-burst"
	not slots
	text := sprintf(settings.text.slots, [object.get(asked, "slots", "")])
}

# METADATA
# title: A burst ends in the future
# custom: {id: quota_write.burst.expires}
# labels: {rule: quota_write.burst.expires}
outcome_row contains {"rank": 310, "rule": "quota_write.burst.expires", "value": answer.invalid(text)} if {
	request.command == "quota-burst"
	asked.expires_at
	object.get(asked, "expires_ns", 0) <= request.now_ns
	text := sprintf(settings.text.expires, [asked.expires_at])
}

# METADATA
# title: A paused goal takes no burst
# custom: {id: quota_write.burst.paused}
# labels: {rule: quota_write.burst.paused}
outcome_row contains {
	"rank": 320,
	"rule": "quota_write.burst.paused",
	"value": answer.refused("quota_goal_paused", text),
} if {
	request.command == "quota-burst"
	quota.state == "paused"
	text := sprintf(settings.text.burst_paused, [request.goal_id, request.goal_id])
}

# METADATA
# title: Extra slots until they expire
# description: One window from now unless a time is given; a new burst replaces the stored one.
# custom: {id: quota_write.burst}
# labels: {rule: quota_write.burst}
outcome_row contains {"rank": 330, "rule": "quota_write.burst", "value": value} if {
	request.command == "quota-burst"
	value := merge.all([
		done(settings.text.burst, [{"path": ["quota", "burst"], "value": burst}], []),
		{"burst": burst},
	])
}

burst := {"slots": slots, "granted_at": answer.now, "expires_at": expires_at}

expires_at := asked.expires_at

expires_at := request.at(expires_ns) if not asked.expires_at

expires_ns := asked.expires_ns

expires_ns := request.now_ns + (share.window_hours * 3600000000000) if not asked.expires_at

# --- the answer

done(reason, set, unset) := {"ok": true, "reason": reason, "set": set, "unset": unset}

outcome := rank.winner(outcome_row)

changes := object.get(outcome.value, "set", [])

effects := registry.effects(changes, object.get(outcome.value, "unset", []), sync) if outcome.value.ok

effects := [] if not outcome.value.ok

default sync := true

sync := false if asked.no_global_sync

# METADATA
# title: The answer and its effects
# description: "{ok, document, effects}. Effects are applied by the caller, and only when execution was asked for."
# entrypoint: true
# custom: {id: quota_write.result}
result := answer.result({"rule": outcome.rule, "value": shown}, effects, merge.all([fields, lifecycle]))

shown := {key: value | some key, value in outcome.value; not key in {"set", "unset"}}

default fields := {}

fields := {"before": view(quota.object), "after": view(quota_after)} if outcome.value.ok

view(numbers) := {key: numbers[key] | some key in ["state", "compute", "allowed_slots", "next_eligible_at"]}

quota_after := quota.object if count(effects) == 0

quota_after := after if {
	count(effects) > 0
	after := quota.object with input.goal as goal_after
}

goal_after := merge.all([goal.row, {"quota": {"compute": compute}}]) if request.command == "quota-set"

goal_after := merge.all([goal.row, {"activation": wanted}]) if operation

goal_after := merge.all([goal.row, {"quota": {"burst": object.union(burst, {"expires_ns": expires_ns})}}]) if {
	request.command == "quota-burst"
}

default lifecycle := {}

lifecycle := {"before_state": present, "after_state": wanted, "activation": activation_shown} if {
	outcome.value.ok
	operation
}

activation_shown := activation if count(effects) > 0

activation_shown := registry.at(["activation"], {"state": present}) if count(effects) == 0

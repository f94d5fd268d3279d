package loopx.scheduler_hint

import data.loopx.interaction_contract
import data.loopx.lib.hash
import data.loopx.settings.scheduler
import data.loopx.todos

# METADATA
# title: What makes two polls the same wait
# description: |
#   Goal, agent, action, modes and recommended action. A monitor wait leaves the recommended action out, a goal runtime
#   adds the selected todo, a human gate adds the gating todos.
# custom:
#   id: sched.reset.identity
identity := object.union_n([
	object.remove(interaction_contract.identity, dropped_identity_keys),
	goal_runtime_identity,
	gate_identity,
])

default dropped_identity_keys := []

dropped_identity_keys := ["recommended_action"] if branch.cadence_class == "monitor_wait"

default goal_runtime_identity := {}

goal_runtime_identity := {sprintf("selected_todo.%s", [key]): object.get(selected, key, null) |
	some key in ["todo_id", "action_kind", "target_key", "claimed_by", "capability_binding_ref"]
} if {
	owner == "goal_runtime"
}

selected := object.union_n([todo | todo := interaction_contract.selected_todo])

# METADATA
# title: Another gating todo is another identity
# custom:
#   id: sched.reset.gate
default gate_identity := {}

gate_identity := {"user_gate.todo_ids": sort(todos.gates_mine)} if {
	branch.cadence_class == "human_gate"
	count(todos.gates_mine) > 0
}

# METADATA
# title: The keys of the identity in reading order
identity_keys := [key |
	used := object.keys(identity)
	some key in array.concat(first_keys, ["recommended_action"])
	key in used
]

first_keys := [
	"goal_id",
	"agent_identity.agent_id",
	"effective_action",
	"heartbeat_recommendation.recommended_mode",
	"interaction_contract.mode",
	"selected_todo.todo_id",
	"selected_todo.action_kind",
	"selected_todo.target_key",
	"selected_todo.claimed_by",
	"selected_todo.capability_binding_ref",
	"user_gate.todo_ids",
]

# METADATA
# title: Short name of the identity
# custom:
#   id: sched.reset.signature
identity_signature := hash.short(identity, 12)

profile_snapshot := {
	"cadence_class": branch.cadence_class,
	"codex_app_initial_interval_minutes": app_progression[0],
	"codex_app_initial_rrule": rrule(app_progression[0]),
	"codex_app_max_interval_minutes": app_max,
	"codex_app_progression_minutes": app_progression,
	"unchanged_poll_backoff_multiplier": scheduler.multiplier,
	"local_scheduler_unchanged_poll_limit": branch.limit,
	"claude_code_loop_unchanged_poll_limit": branch.limit,
}

# METADATA
# title: The profile a reset goes back to
# description: |
#   In a monitor wait the phase and its window, and no wait that follows from the time left until a due time: a passing
#   minute, or a poll inside an active window, is not another profile, so that a host update can be acknowledged a little
#   later.
# custom:
#   id: sched.reset.profile
reset_profile := profile_snapshot if not monitor_plan

reset_profile := {
	"cadence_class": branch.cadence_class,
	"codex_app_initial_interval_minutes": monitor_plan.floor,
	"codex_app_initial_rrule": rrule(monitor_plan.floor),
	"codex_app_max_interval_minutes": app_max,
	"unchanged_poll_backoff_multiplier": scheduler.multiplier,
	"local_scheduler_unchanged_poll_limit": branch.limit,
	"claude_code_loop_unchanged_poll_limit": branch.limit,
	"phase": monitor_plan.phase,
	"host_floor_minutes": monitor_plan.floor,
	"selected_identity": monitor_plan.identity,
	"cadence": monitor_plan.cadence,
	"window_start": monitor_plan.window_start,
	"window_end": monitor_plan.window_end,
} if {
	monitor_plan
}

# METADATA
# title: Hosts restart their unchanged count when this changes
# custom:
#   id: sched.reset.token
reset_token := hash.short(
	{"action": branch.action, "identity_snapshot": identity, "profile_snapshot": reset_profile},
	16,
)

# METADATA
# title: The guard as write commands see it
# description: |
#   The decision of should-run in the compact form that ledger and poll records keep (state-files.md 4.6), without the
#   document around it: the rules behind the document are asked once. Also what a record says of its author and its
#   time. Whether something may be written is decided in the package of the command.
# schemas:
#   - input: schema.facts.input
package loopx.writeback.guard

import data.loopx.health
import data.loopx.quota
import data.loopx.request
import data.loopx.route
import data.loopx.should_run
import data.loopx.work_mode

kind := should_run.kind.value

# METADATA
# title: The turn that the guard offers
# description: Undefined for a paused goal, which has none, and for a request that gets no decision.
turn := work_mode.final if kind == "normal"

# METADATA
# title: The decision before the write
# description: Undefined for a request that gets no decision.
# custom: {id: write.before, sets: [before]}
before := object.union(permissions, allocation)

permissions := {
	"should_run": turn.should_run,
	"normal_delivery_allowed": turn.normal,
	"recovery_delivery_allowed": turn.recovery,
	"effective_action": turn.effective_action,
	"self_repair_allowed": turn.self_repair,
	"capability_repair_allowed": turn.cap_repair,
	"workspace_repair_allowed": false,
	"state": route.state,
	"safe_bypass_allowed": turn.bypass.allowed,
	"safe_bypass_kind": turn.bypass.kind,
	"blocked_action_scope": turn.bypass.blocked,
}

permissions := stopped(quota.state, "quota_skip", object.get(quota.object, "blocked_action_scope", null)) if kind == "paused"

allocation := {
	"compute": quota.object.compute,
	"window_hours": quota.object.window_hours,
	"slot_minutes": quota.object.slot_minutes,
	"spent_slots": quota.object.spent_slots,
	"allowed_slots": quota.object.allowed_slots,
}

# METADATA
# title: Permissions of a goal that may not run
stopped(state, action, scope) := {
	"should_run": false,
	"normal_delivery_allowed": false,
	"recovery_delivery_allowed": false,
	"effective_action": action,
	"self_repair_allowed": false,
	"capability_repair_allowed": false,
	"workspace_repair_allowed": false,
	"state": state,
	"safe_bypass_allowed": false,
	"safe_bypass_kind": null,
	"blocked_action_scope": scope,
}

# METADATA
# title: The guard could be answered in good health
default ok := false

ok if {
	kind == "normal"
	should_run.ok
}

ok if {
	kind == "paused"
	health.ok
}

# --- what records say

# METADATA
# title: Time of a record
# description: Whole seconds in the offset of the caller (state-files.md 4.1).
generated_at := request.at(request.now_ns)

# METADATA
# title: Author of a record
# description: Empty for a call without an agent.
default author := {}

author := {"agent_id": request.agent_id}

# METADATA
# title: Turn of a record
# description: Empty for a call without a turn id.
default turn_field := {}

turn_field := {"turn_instance_id": request.turn_id}

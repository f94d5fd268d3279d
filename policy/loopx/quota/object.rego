# The quota object: the numbers of the share beside the state and what the state adds.
package loopx.quota

import data.loopx.history
import data.loopx.lib.merge
import data.loopx.request
import data.loopx.settings
import data.loopx.share

spent := share.spent

allowed := share.allowed

time_edges := share.time_edges

clock_skew_warning := share.clock_skew_warning

# METADATA
# title: Next eligible time
# description: |
#   For a throttled goal the instant at which its share is open again, one second past the closed edge of the window.
#   Null while paused or without slots; in every other state the registry's own text.
# custom:
#   id: quota.next_eligible
#   sets: [next_eligible_at]
#   settings: [edge_seconds]
default next_eligible_at := null

next_eligible_at := request.at(share.next_open_ns + (settings.quota.edge_seconds * share.second_ns)) if {
	state == "throttled"
}

next_eligible_at := share.policy.next_eligible_at if {
	share.policy.next_eligible_at != ""
	allowed > 0
	not state in {"throttled", "paused"}
}

# METADATA
# title: Why the goal runs or rests
# description: Names compute, spent and allowed slots, and what holds the goal.
# custom:
#   id: quota.reason
#   sets: [reason]
#   settings: [usage, reasons]
reason := sprintf(settings.quota.usage, [
	share.compute,
	spent,
	allowed,
	share.slot_minutes,
	settings.quota.reasons[winner.rule],
])

# METADATA
# title: The quota object
# description: The numbers of the share, the state, and what the settings say that a state adds.
# custom:
#   id: quota.object
#   sets: [quota]
#   settings: [extras, recovery, projected]
object := merge.all([
	share.fields,
	{
		"next_eligible_at": next_eligible_at,
		"state": state,
		"reason": reason,
		"blocked_action_scope": null,
		"safe_bypass_allowed": false,
		"safe_bypass_kind": null,
	},
	{key: value | some key, value in settings.quota.extras[winner.rule]},
	{key: value | floor_block; some key, value in floor_numbers},
	{key: value | floor_recovery; some key, value in settings.quota.recovery},
	{key: value | floor_projected; some key, value in settings.quota.projected},
])

floor_numbers := {
	"post_handoff_outcome_gap_streak": history.post_handoff.streak,
	"outcome_gap_threshold": outcome_floor.surface_streak_threshold,
	"must_advance": outcome_floor.must_advance,
	"avoid": outcome_floor.avoid,
}

# METADATA
# title: The goal's share
# description: |
#   The numbers of the quota contract: compute, window, slots allowed by the registry and slots spent by the ledger.
#   A slot is one reserved unit of slot_minutes of automatic compute; tokens, cost and wall time are not counted.
#   Reads the registry's quota block and the ledger rows. States, owners and lanes may not enter.
# schemas:
#   - input: schema.facts.input
package loopx.share

import data.loopx.goal
import data.loopx.request
import data.loopx.settings

# METADATA
# title: The registry's quota block
# description: Readable values only. One that is present and unreadable is a diagnostic of the goal, never a default.
# custom:
#   id: quota.invalid
default policy := {}

policy := input.goal.quota

# METADATA
# title: Compute in hundredths
# description: |
#   The registry's share, 1 when the key is absent, at most 1, rounded half to even at two decimals. A present value
#   that is no such number never arrives here: it is a diagnostic of the goal (quota.invalid) and blocks it.
# custom:
#   id: quota.compute
#   sets: [compute]
#   settings: [defaults]
hundredths := round(min([two_decimals(object.get(policy, "compute", settings.share.defaults.compute)), 1]) * 100)

two_decimals(x) := x if x == floor(x)

two_decimals(x) := to_number(sprintf("%.2f", [x])) if x != floor(x)

# METADATA
# title: Window length in hours
# custom:
#   id: quota.window
#   sets: [window_hours]
#   settings: [defaults]
window_hours := object.get(policy, "window_hours", settings.share.defaults.window_hours)

# METADATA
# title: Minutes in a slot
# custom:
#   id: quota.slot_minutes
#   sets: [slot_minutes]
#   settings: [defaults]
slot_minutes := object.get(policy, "slot_minutes", settings.share.defaults.slot_minutes)

# METADATA
# title: Slots that the window and the share give
# description: window_hours * 60 / slot_minutes * compute, rounded half to even.
# custom:
#   id: quota.allowed
#   sets: [allowed_slots]
derived := half_even((window_hours * 60) * hundredths, slot_minutes * 100)

# Whole numbers only: a fraction of a share has no exact form.
half_even(n, d) := whole(n, d) if not rounds_up(n, d)

half_even(n, d) := whole(n, d) + 1 if rounds_up(n, d)

whole(n, d) := (n - (n % d)) / d

rounds_up(n, d) if (n % d) * 2 > d

rounds_up(n, d) if {
	(n % d) * 2 == d
	whole(n, d) % 2 == 1
}

burst := policy.burst if policy.burst.expires_ns > request.now_ns

default burst_slots := 0

burst_slots := burst.slots

configured := object.get(policy, "allowed_slots", derived) + burst_slots

# METADATA
# title: Allowed slots
# description: The derived number, or the registry's own one; an unexpired burst comes on top. Nothing when stopped.
# custom:
#   id: quota.allowed
#   sets: [allowed_slots]
allowed := 0 if goal.stopped

allowed := configured if not goal.stopped

# METADATA
# title: Effective compute
# description: Zero for a stopped goal; the plan ranks by it.
# custom:
#   id: quota.effective_compute
#   sets: [compute]
compute := 0 if goal.stopped

compute := hundredths / 100 if not goal.stopped

# METADATA
# title: The allowed slots are not the derived ones
# description: "{derived_allowed_slots, source: explicit or burst, expires_at?}. Undefined when they are, or when stopped."
# custom:
#   id: quota.override
#   sets: [allowed_slots_override]
override := {"derived_allowed_slots": derived, "source": "explicit"} if {
	allowed != derived
	not goal.stopped
	not burst
}

override := {"derived_allowed_slots": derived, "source": "burst", "expires_at": burst.expires_at} if {
	allowed != derived
	not goal.stopped
}

# METADATA
# title: The numbers of the quota object
# description: Spent slots come from the ledger only; without rows there are none.
# custom:
#   id: quota.spent
#   sets: [quota]
fields := object.union_n([
	{
		"compute": compute,
		"window_hours": window_hours,
		"slot_minutes": slot_minutes,
		"allowed_slots": allowed,
		"spent_slots": spent,
		"spend_source": "runtime_events",
		"spend_event_count": count(spends),
	},
	{"void_event_count": n | n := count(voids); n > 0},
	{"allowed_slots_override": override | override},
	{key: value |
		goal.stopped
		some key, value in {"configured_compute": hundredths / 100, "configured_allowed_slots": configured}
	},
])

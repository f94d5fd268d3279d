# METADATA
# title: Monitor debt
# description: |
#   How many turns in a row only watched and saw nothing, and whether advancement of the same or a higher priority
#   goes first now. Reads the run rows of the caller's lane and nothing else.
package loopx.debt

import data.loopx.history
import data.loopx.settings

unchanged := history.unchanged_polls

# METADATA
# title: Unchanged monitor turns in a row
# description: |
#   Newest first. Bookkeeping and refreshes do not count and do not end the streak; real work or a material
#   transition does.
# custom: {id: debt.streak}
default streak := 0

streak := sum([history.rows[i].count | some i in unchanged; i < end]) if count(unchanged) > 0

end := min({count(history.rows)} | ((history.everything - unchanged) - history.books))

# METADATA
# title: Advancement goes before another overdue monitor
# custom: {id: debt.active, settings: [debt]}
default active := false

active if streak >= settings.lane.debt.threshold

# METADATA
# title: The arbitration as shown
# custom: {id: debt.arbitration, sets: [monitor_debt_arbitration]}
arbitration := {
	"schema_version": "monitor_debt_arbitration_v0",
	"active": active,
	"consecutive_unchanged_monitor_turns": streak,
	"threshold": settings.lane.debt.threshold,
	"policy": settings.lane.debt.policy,
}

fired := {"monitor_debt_arbitration": {"rank": 10, "rule": "debt.active", "value": true} | active}

runners := {}

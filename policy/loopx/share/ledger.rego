# The spend ledger: what was spent in the rolling window and when it leaves.
package loopx.share

import data.loopx.request
import data.loopx.settings

second_ns := 1000000000

minute_ns := 60 * second_ns

window_ns := ((window_hours * 60) * 60) * second_ns

window_start := request.now_ns - window_ns

# METADATA
# title: Rows that count
# description: |
#   Both edges of the window belong to it. A later row does not count until its time; rows of other goals and rows
#   without a readable time never reach the facts.
# custom:
#   id: ledger.window
#   covers: [ledger.goal, ledger.unit]
counted := [row |
	some row in input.ledger.rows
	row.at_ns >= window_start
	row.at_ns <= request.now_ns
	row.slots > 0
]

# METADATA
# title: Spends in the window
# description: Every row counts, also two with one key; facts give the same row only once.
# custom:
#   id: ledger.spend
spends := [row | some row in counted; row.kind == "spend"]

# METADATA
# title: Voids in the window
# description: A void counts while it is itself inside, and takes back only from its own key.
# custom:
#   id: ledger.void
voids := [row | some row in counted; row.kind == "void"]

voided[key] := sum([row.slots | some row in voids; row.key == key]) if some key in {row.key | some row in voids}

key_spent[key] := sum([row.slots | some row in spends; row.key == key]) if some key, _ in voided

# METADATA
# title: Spent slots
# description: |
#   Per key never below zero. A rolling sum, so a later check may show fewer; the registry's spent_slots is never read.
# custom:
#   id: ledger.total
#   covers: [ledger.rolling, quota.spent]
#   sets: [spent_slots]
spent := sum([row.slots | some row in spends; not voided[row.key]]) + sum([left |
	some key, slots in voided
	left := max([0, key_spent[key] - slots])
])

# --- when time alone changes the total

# When a spend leaves the window and how many slots that frees, earliest first. A void covers the newest slots of its
# key.
leaving := sort([[row.at_ns + window_ns, slots] |
	some i, row in spends
	slots := freed(i, row)
	slots > 0
])

freed(_, row) := row.slots if not voided[row.key]

freed(i, row) := max([0, (newer + row.slots) - voided[row.key]]) - max([0, newer - voided[row.key]]) if {
	newer := sum([other.slots | some other in array.slice(spends, 0, i); other.key == row.key])
}

future := [row | some row in input.ledger.rows; row.at_ns > request.now_ns]

# METADATA
# title: When the share is open again
# description: |
#   The instant past which enough counted spends have left the window. Undefined when none has to leave or no slots
#   are allowed. A spend frees at least one slot, so no more rows than the excess are looked at.
# custom:
#   id: quota.next_eligible
next_open_ns := leaving[i][0] if {
	allowed > 0
	excess > 0
	i := min({i |
		some i in numbers.range(0, min([count(leaving), excess]) - 1)
		sum([slots | some [_, slots] in array.slice(leaving, 0, i + 1)]) >= excess
	})
}

excess := (spent - allowed) + 1

# METADATA
# title: Instants at which time alone changes quota
# description: The next row to leave or to arrive, the end of a clock-skew warning and the end of a burst.
time_edges contains (counted[count(counted) - 1].at_ns + window_ns) + 1

time_edges contains row.at_ns if some row in future

time_edges contains row.at_ns - skew_ns if some row in ahead

time_edges contains burst.expires_ns

skew_ns := settings.history.clock_skew_minutes * minute_ns

ahead := [row | some row in future; row.at_ns > request.now_ns + skew_ns]

# METADATA
# title: Ledger rows from the future
# description: Undefined when no row is further ahead than the tolerance.
# custom:
#   id: warn.clock_skew
#   sets: [clock_skew_warning]
#   settings: [history.clock_skew_minutes, clock_skew]
clock_skew_warning := {
	"schema_version": "clock_skew_warning_v0",
	"kind": "future_ledger_rows",
	"count": count(ahead),
	"latest_generated_at": ahead[0].at,
	"tolerance_minutes": settings.history.clock_skew_minutes,
	"message": sprintf(settings.share.clock_skew, [count(ahead), settings.history.clock_skew_minutes]),
}

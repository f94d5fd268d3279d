# The spend ledger: what was spent in the rolling window and when it leaves.
package loopx.share

import data.loopx.request
import data.loopx.settings

second_ns := 1000000000

minute_ns := 60 * second_ns

window_ns := ((window_hours * 60) * 60) * second_ns

# METADATA
# title: Start of the window
# description: A row counts from this instant, the edge included, to now; a later row not before its time.
# custom:
#   id: ledger.window
window_start := request.now_ns - window_ns

# METADATA
# title: Spends in the window
# description: |
#   Every row counts, also two with one key: facts give the same row only once, no rows of other goals and none without
#   a readable time.
# custom:
#   id: ledger.spend
spends := counting if count(voids) == 0

spends := [row | some row in counting; row.kind != "void"] if count(voids) > 0

# METADATA
# title: Voids in the window
# description: A void counts while it is itself inside, and takes back only from its own key.
# custom:
#   id: ledger.void
voids := [row | some row in counting; row.kind == "void"]

# facts give only rows that carry slots, newest first
rows := input.ledger.rows

counting := rows if all_inside

counting := [row |
	some row in rows
	row.at_ns >= window_start
	row.at_ns <= request.now_ns
] if {
	not all_inside
}

all_inside if {
	rows[0].at_ns <= request.now_ns
	rows[count(rows) - 1].at_ns >= window_start
}

default future := []

future := [row | some row in rows; row.at_ns > request.now_ns] if not all_inside

voided := {key: slots |
	some key in {row.key | some row in voids}
	slots := sum([row.slots | some row in voids; row.key == key])
}

key_spent := {key: slots |
	some key, _ in voided
	slots := sum([row.slots | some row in spends; row.key == key])
}

untouched := [row | some row in spends; not voided[row.key]] if count(voids) > 0

untouched := spends if count(voids) == 0

# METADATA
# title: Spent slots
# description: |
#   Per key never below zero. A rolling sum, so a later check may show fewer; the registry's spent_slots is never read.
# custom:
#   id: ledger.total
#   sets: [spent_slots]
spent := sum([slots | slots := untouched[_].slots]) + sum([left |
	some key, slots in voided
	left := max([0, key_spent[key] - slots])
])

# --- when time alone changes the total

# When a spend leaves the window and how many slots that frees, earliest first. Rows come newest first and every one
# frees a slot, so of the untouched ones only as many as the excess matter.
leaving := sort(array.concat(
	[[row.at_ns + window_ns, row.slots] |
		some row in array.slice(untouched, max([0, count(untouched) - excess]), count(untouched))
	],
	[[row.at_ns + window_ns, slots] |
		count(voids) > 0
		some i, row in spends
		slots := freed(i, row)
		slots > 0
	],
))

# A void covers the newest slots of its key.
freed(i, row) := max([0, (newer + row.slots) - taken]) - max([0, newer - taken]) if {
	taken := voided[row.key]
	newer := sum([other.slots | some other in array.slice(spends, 0, i); other.key == row.key])
}

# METADATA
# title: When the share is open again
# description: |
#   The instant past which enough counted spends have left the window. Undefined when none has to leave or no slots
#   are allowed. No more rows than the excess can have to leave.
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
# custom:
#   id: ledger.rolling
time_edges contains (min({rows[count(rows) - 1].at_ns | some rows in [spends, voids]}) + window_ns) + 1

time_edges contains row.at_ns if some row in future

time_edges contains row.at_ns - skew_ns if some row in ahead

time_edges contains burst.expires_ns

skew_ns := settings.history.clock_skew_minutes * minute_ns

ahead := [row |
	limit := request.now_ns + skew_ns
	some row in future
	row.at_ns > limit
]

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

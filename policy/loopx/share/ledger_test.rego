package loopx.share_test

import data.loopx.share
import data.loopx.testing

# Facts with these ledger rows, newest first, and this quota block.
with_ledger(rows, change) := object.union(quota(change), {"ledger": {"rows": rows}})

row(kind, minutes, key, slots) := {
	"kind": kind,
	"at": "2026-08-20T11:00:00+00:00",
	"at_ns": testing.now_ns - (minutes * testing.minute),
	"key": key,
	"slots": slots,
}

spend(minutes, slots) := row("spend", minutes, sprintf("k%d", [minutes]), slots)

void(minutes, key, slots) := row("void", minutes, key, slots)

day := 24 * 60

spent_cases := {
	"empty": {"rows": [], "want": 0},
	"one spend": {"rows": [spend(30, 3)], "want": 3},
	"several": {"rows": [spend(10, 1), spend(20, 2), spend(30, 3)], "want": 6},
	"on the old edge": {"rows": [spend(day, 3)], "want": 3},
	"past the old edge": {"rows": [spend(day + 1, 3)], "want": 0},
	"at this instant": {"rows": [spend(0, 3)], "want": 3},
	"in the future": {"rows": [spend(-1, 3)], "want": 0},
	"two rows with one key": {"rows": [row("spend", 30, "k", 1), row("spend", 30, "k", 2)], "want": 3},
	"taken back": {"rows": [void(10, "k30", 3), spend(30, 3)], "want": 0},
	"partly taken back": {"rows": [void(10, "k30", 1), spend(30, 3)], "want": 2},
	"never below zero": {"rows": [void(10, "k30", 5), spend(30, 3)], "want": 0},
	"another key keeps its slots": {"rows": [void(10, "k30", 5), spend(20, 2), spend(30, 3)], "want": 2},
	"void of an expired spend": {"rows": [void(10, "old", 5), spend(30, 3), row("spend", day + 5, "old", 5)], "want": 3},
	"void outside the window": {"rows": [spend(30, 3), void(day + 1, "k30", 3)], "want": 3},
	"two voids of one key": {"rows": [void(5, "k30", 1), void(10, "k30", 1), spend(30, 3)], "want": 1},
	"void without slots": {"rows": [void(5, "k30", 0), spend(30, 3)], "want": 3},
}

test_ledger_total[name] if {
	some name, case in spent_cases
	share.spent == case.want with input as with_ledger(case.rows, {})
}

test_ledger_window_follows_its_length if {
	rows := [spend(90, 3), spend(130, 4)]
	share.spent == 3 with input as with_ledger(rows, {"window_hours": 2})
	share.spent == 7 with input as with_ledger(rows, {"window_hours": 3})
}

# Minutes after now at which the share is open again.
open_cases := {
	"first spend is enough": {"rows": [spend(60, 1), spend(120, 1)], "allowed": 2, "want": [day - 120]},
	"two must leave": {"rows": [spend(60, 3), spend(90, 4), spend(120, 5)], "allowed": 6, "want": [day - 90]},
	"a cut allowance": {"rows": [spend(m, 1) | some m in numbers.range(1, 6)], "allowed": 1, "want": [day - 1]},
	"nothing must leave": {"rows": [spend(60, 1)], "allowed": 2, "want": []},
	"nothing is allowed": {"rows": [spend(60, 1)], "allowed": 0, "want": []},
	"voided spends free nothing": {
		"rows": [void(10, "k120", 2), spend(30, 1), spend(60, 1), spend(120, 2)],
		"allowed": 2,
		"want": [day - 60],
	},
	"a void covers the newest slots of its key": {
		"rows": [void(10, "k", 2), row("spend", 60, "k", 2), row("spend", 120, "k", 2)],
		"allowed": 2,
		"want": [day - 120],
	},
	"a void that covers one and a half rows": {
		"rows": [void(10, "k", 3), row("spend", 60, "k", 2), spend(90, 1), row("spend", 120, "k", 2)],
		"allowed": 2,
		"want": [day - 120],
	},
}

test_quota_next_eligible[name] if {
	some name, case in open_cases
	facts := with_ledger(case.rows, {"allowed_slots": case.allowed})
	got := [minutes | minutes := (share.next_open_ns - testing.now_ns) / testing.minute] with input as facts
	got == case.want
}

opening_cases := {name: case | some name, case in open_cases; count(case.want) > 0}

# At the named instant the goal is below its share, and an instant on the closed edge before it is not.
test_quota_next_eligible_is_true_at_that_instant[name] if {
	some name, case in opening_cases
	facts := with_ledger(case.rows, {"allowed_slots": case.allowed})
	at := share.next_open_ns with input as facts
	later := object.union(facts, {"now_ns": at + 1})
	share.spent < case.allowed with input as later
	share.spent >= case.allowed with input as object.union(facts, {"now_ns": at})
}

edge_cases := {
	"nothing": {"rows": [], "quota": {}, "want": set()},
	"oldest counted row leaves": {"rows": [spend(30, 1), spend(60, 1)], "quota": {}, "want": {(day - 60) * testing.minute}},
	"a later row arrives": {"rows": [spend(-3, 1)], "quota": {}, "want": {(3 * testing.minute) - 1}},
	"a warning ends": {
		"rows": [spend(-20, 1)],
		"quota": {},
		"want": {(20 * testing.minute) - 1, (15 * testing.minute) - 1},
	},
	"a burst ends": {"rows": [], "quota": {"burst": burst(60)}, "want": {(60 * testing.minute) - 1}},
	"a burst is over": {"rows": [], "quota": {"burst": burst(0)}, "want": set()},
}

test_time_edges[name] if {
	some name, case in edge_cases
	edges := share.time_edges with input as with_ledger(case.rows, case.quota)
	{after | some edge in edges; after := (edge - testing.now_ns) - 1} == case.want
}

test_warn_clock_skew if {
	rows := [spend(-20, 1), spend(-6, 2), spend(-5, 1), spend(10, 1)]
	got := share.clock_skew_warning with input as with_ledger(rows, {})
	got.count == 2
	got.tolerance_minutes == 5
	got.latest_generated_at == "2026-08-20T11:00:00+00:00"
	got.kind == "future_ledger_rows"
	got.message != ""
}

test_warn_clock_skew_within_the_tolerance if {
	not share.clock_skew_warning with input as with_ledger([spend(-5, 1)], {})
	not share.clock_skew_warning with input as with_ledger([], {})
}

package loopx.share_test

import data.loopx.share
import data.loopx.testing

quota(change) := json.patch(testing.base, [{"op": "replace", "path": "/goal/quota", "value": change}])

compute_cases := {
	"absent": {"given": {}, "want": 1},
	"half": {"given": {"compute": 0.5}, "want": 0.5},
	"rounds to two decimals": {"given": {"compute": 0.333}, "want": 0.33},
	"rounds down to a pause": {"given": {"compute": 0.004}, "want": 0},
	"half to even": {"given": {"compute": 0.125}, "want": 0.12},
	"and up to even": {"given": {"compute": 0.375}, "want": 0.38},
	"above 1 reads as 1": {"given": {"compute": 2}, "want": 1},
	"a little above 1": {"given": {"compute": 1.004}, "want": 1},
	"zero": {"given": {"compute": 0}, "want": 0},
}

test_quota_compute[name] if {
	some name, case in compute_cases
	share.compute == case.want with input as quota(case.given)
	share.hundredths == round(case.want * 100) with input as quota(case.given)
}

test_quota_compute_prints_short if {
	every hundredth in numbers.range(0, 100) {
		got := share.compute with input as quota({"compute": hundredth / 100})
		count(json.marshal(got)) <= 4
	}
}

allowed_cases := {
	"full day": {"given": {}, "want": 1440},
	"duty cycle": {"given": {"compute": 0.3}, "want": 432},
	"two decimals first": {"given": {"compute": 0.333}, "want": 475},
	"long slots": {"given": {"compute": 0.5, "slot_minutes": 7}, "want": 103},
	"half to even below": {"given": {"window_hours": 1, "slot_minutes": 24}, "want": 2},
	"half to even above": {"given": {"window_hours": 1, "slot_minutes": 40}, "want": 2},
	"half to even of an odd number": {"given": {"window_hours": 5, "slot_minutes": 40}, "want": 8},
	"below one half": {"given": {"window_hours": 1, "slot_minutes": 200}, "want": 0},
	"explicit": {"given": {"allowed_slots": 12}, "want": 12},
	"explicit zero": {"given": {"allowed_slots": 0}, "want": 0},
	"burst": {"given": {"allowed_slots": 12, "burst": burst(60)}, "want": 15},
	"burst over": {"given": {"allowed_slots": 12, "burst": burst(0)}, "want": 12},
	"week": {"given": {"window_hours": 168, "slot_minutes": 60, "compute": 0.07}, "want": 12},
}

burst(minutes) := {
	"slots": 3,
	"expires_at": "2026-08-20T13:00:00+00:00",
	"expires_ns": testing.now_ns + (minutes * testing.minute),
}

test_quota_allowed[name] if {
	some name, case in allowed_cases
	share.allowed == case.want with input as quota(case.given)
}

test_quota_window_and_slot_minutes if {
	[share.window_hours, share.slot_minutes] == [24, 1] with input as quota({})
	[share.window_hours, share.slot_minutes] == [6, 5] with input as quota({"window_hours": 6, "slot_minutes": 5})
}

override_cases := {
	"none": {"given": {"compute": 0.5}, "want": []},
	"explicit and equal": {"given": {"allowed_slots": 1440}, "want": []},
	"explicit": {
		"given": {"allowed_slots": 12},
		"want": [{"derived_allowed_slots": 1440, "source": "explicit"}],
	},
	"burst": {
		"given": {"burst": burst(60)},
		"want": [{
			"derived_allowed_slots": 1440,
			"source": "burst",
			"expires_at": "2026-08-20T13:00:00+00:00",
		}],
	},
	"burst over": {"given": {"burst": burst(0)}, "want": []},
}

test_quota_override[name] if {
	some name, case in override_cases
	got := [o | o := share.override] with input as quota(case.given)
	got == case.want
}

test_quota_effective_compute_of_a_stopped_goal if {
	facts := object.union(quota({"compute": 0.5, "burst": burst(60)}), {"goal": {"activation": "stopped"}})
	got := share.fields with input as facts
	got.compute == 0
	got.allowed_slots == 0
	got.configured_compute == 0.5
	got.configured_allowed_slots == 723
	not got.allowed_slots_override
}

test_quota_fields_of_a_running_goal if {
	got := share.fields with input as with_ledger([spend(30, 2), void(10, "k30", 1)], {"allowed_slots": 5})
	got == {
		"compute": 1,
		"window_hours": 24,
		"slot_minutes": 1,
		"allowed_slots": 5,
		"allowed_slots_override": {"derived_allowed_slots": 1440, "source": "explicit"},
		"spent_slots": 1,
		"spend_source": "runtime_events",
		"spend_event_count": 1,
		"void_event_count": 1,
	}
}

test_quota_fields_without_a_goal if {
	got := share.fields with input as json.remove(testing.base, ["goal"])
	got.compute == 1
	got.spent_slots == 0
	not got.void_event_count
}

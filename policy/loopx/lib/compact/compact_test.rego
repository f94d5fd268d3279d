package loopx.lib.compact_test

import data.loopx.lib.compact

test_object_drops_null_and_keeps_false if {
	compact.present({"a": null, "b": false, "c": 0, "d": {"e": null}}) == {"b": false, "c": 0, "d": {"e": null}}
}

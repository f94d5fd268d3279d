package loopx.should_run_test

import data.loopx.should_run
import data.loopx.testing

test_explain_fields_of_a_paused_goal if {
	doc := decide(testing.facts({"request": {"explain": true}, "goal": {"activation": "stopped"}}))
	doc.explain.fields.state.rule == "state.stopped"
	doc.explain.fields.decision.rule == "doc.paused"
	not decide(testing.facts({"goal": {"activation": "stopped"}})).explain
}

test_explain_fields_of_a_short_document if {
	asked := json.patch(testing.base, [{"op": "remove", "path": "goal"}, {"op": "replace", "path": "request/explain", "value": true}])
	decide(asked).explain.fields.decision.rule == "doc.unknown_goal"
	not decide(json.remove(testing.base, ["goal"])).explain
}

paused_cases := {
	"a spend leaves the window": [{"ledger": {"rows": [spend]}}, "2026-08-21T11:00:00+00:00"],
	"a row leaves the history": [{"runs_until_ns": now + hour}, "2026-08-20T13:00:00+00:00"],
	"another goal's item changes": [
		{"peers": [peer("2026-08-20T13:00:00+00:00")]},
		"2026-08-20T13:00:00+00:00",
	],
	"nothing": [{"runs_until_ns": now - hour}, null],
}

test_explain_valid_until_of_a_paused_goal[name] if {
	some name, [change, want] in paused_cases
	doc := decide(testing.facts(object.union({"goal": {"activation": "stopped"}}, change)))
	doc.valid_until == want
}

test_explain_valid_until_of_the_history if {
	got := should_run.valid_until with input as testing.facts({
		"promotion": {"generated_at": "x", "at_ns": 0, "legacy": false},
		"runs_until_ns": now + hour,
	})
	got == "2026-08-20T13:00:00+00:00"
}

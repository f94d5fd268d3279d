package loopx.should_run_test

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

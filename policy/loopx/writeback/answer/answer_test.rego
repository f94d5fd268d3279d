package loopx.writeback.answer_test

import data.loopx.testing
import data.loopx.writeback.answer

test_write_request_goal_and_identity if {
	rules({"request": {"dry_run": true, "execute": true}}) == {"write.request"}
	rules({"request": {"agent_id": "agent-z"}, "goal": {"agents": ["agent-a"]}}) == {"write.identity"}
	rules({}) == set()
	unknown := {row.rule | some row in answer.row} with input as object.remove(testing.base, ["goal"])
	unknown == {"write.goal"}
}

test_write_public_names_argument_and_class if {
	hits := [{"argument": "note", "class": "credential"}, {"argument": "text", "class": "local_absolute_path"}]
	rules({"write": {"private": hits}}) == {"write.public"}
	rules({"write": {"private": []}}) == set()
	why := "Text that may not be public would be written down: note (credential), text (local_absolute_path)."
	some row in answer.row with input as testing.facts({"write": {"private": hits}})
	row.value == {"ok": false, "error_code": "private_text", "reason": why}
}

rules(change) := found if {
	found := {row.rule | some row in answer.row} with input as testing.facts(change)
}

test_quota_write_preview_is_the_default if {
	without := object.union(object.remove(testing.base, ["request"]), {"request": {"command": "c", "goal_id": "g1"}})
	answer.previews with input as without
	not answer.executes with input as without
	answer.previews == false with input as testing.facts({"request": {"execute": true}})
}

test_write_request_answer_of_a_refusal if {
	outcome := {"rule": "r", "value": answer.invalid("why")}
	found := answer.result(outcome, [], {"extra": null}) with input as testing.facts({"request": {"execute": true}})
	found == {"ok": false, "effects": [], "document": {
		"ok": false,
		"error_code": "QUOTA_VALIDATION_FAILED",
		"reason": "why",
		"mode": "should-run",
		"goal_id": "g1",
		"dry_run": false,
		"changed": false,
		"written": false,
		"rule": "r",
		"effects": [],
		"error": {"code": "QUOTA_VALIDATION_FAILED", "rule_id": "r", "message": "why"},
	}}
}

test_quota_write_preview_answer_of_a_change if {
	outcome := {"rule": "r", "value": {"ok": true, "reason": "done"}}
	found := answer.result(outcome, [{"kind": "k"}], {}) with input as testing.facts({"request": {"command": "quota-set", "execute": true}})
	found.document.mode == "set"
	found.document.changed
	found.document.written
	found.document.effects == [{"kind": "k"}]
	not found.document.error
}

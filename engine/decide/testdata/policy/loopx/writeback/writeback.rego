# What a write entrypoint may answer, by the reason that the test gives.
package loopx.writeback

document(ok) := {"ok": ok, "mode": "record", "reason": "because", "runs": input.route.run_count}

effect := {
	"kind": "put_scheduler_state",
	"surface": "s",
	"state_key": "k",
	"digest": input.write.reset_token,
	"state": {"n": 1},
}

answers := {
	"write": {"ok": true, "document": document(true), "effects": [effect]},
	"receipt": {"ok": true, "document": object.union(document(true), {"poll": {"asked": true}}), "effects": [effect]},
	"event": {"ok": true, "document": document(true), "effects": [{"kind": "append_event", "goal_id": "g", "event": {}}]},
	"nothing": {"ok": true, "document": document(true), "effects": []},
	"refuse": {"ok": false, "document": document(false), "effects": []},
	"refuse and write": {"ok": false, "document": document(false), "effects": [effect]},
	"refuse beside the document": {"ok": false, "document": document(true), "effects": [effect]},
	"no verdict": {"document": document(true), "effects": [effect]},
	"unknown effect": {"ok": true, "document": document(true), "effects": [{"kind": "launch"}]},
	"no list": {"ok": true, "document": document(true), "effects": {}},
	"no effects": {"ok": true, "document": document(true)},
	"no document": {"ok": true, "effects": []},
	"bad document": {"ok": true, "document": {"ok": "yes"}, "effects": []},
	"text": "yes",
}

result := answers[input.write.reason_summary]

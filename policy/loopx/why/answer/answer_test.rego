package loopx.why.answer_test

import data.loopx.why.answer

row := {"rule": "r", "value": "v"}

decision(run) := {
	"ok": true,
	"goal_id": "g1",
	"decision": "run",
	"should_run": run,
	"state": "eligible",
	"effective_action": "normal_run",
	"waiting_on": "codex",
	"reason": "because",
	"rules": {"state": "r"},
	"quota": {"next_eligible_at": "later"},
	"valid_until": "soon",
	"explain": {"fields": {"state": row, "route": row}},
}

change(kind, outcome) := {"kind": kind, "rule": "x", "text": "t", "operations": [], "outcome": outcome}

turned := object.union(decision(false), {"effective_action": "quota_skip"})

instant(at, outcome) := {"at": at, "at_ns": 1, "cause": "c", "operations": [], "outcome": outcome}

asked(want, run) := {"want": want, "decision": decision(run), "questions": {
	"changes": [change("a", turned), change("b", decision(true)), change("c", {"refused": "code"})],
	"instants": [instant("one", decision(true)), instant("two", turned)],
	"left_out": 3,
}}

test_answer_names_the_rules if {
	got := answer.document with input as asked("", true)
	got.explain.fields == {"state": row}
	got.mode == "why"
	got.rules == {"state": "r"}
	got.tried == 3
	got.left_out == 3
	got.time.valid_until == "soon"
	got.time.next_eligible_at == "later"
	not got.valid_until
}

kinds(want, run) := got if {
	got := [c.kind | some c in answer.document.changes] with input as asked(want, run)
}

test_changes_give_what_is_wanted[name] if {
	some name, [want, run, expected, reached] in {
		"not to run": ["quiet", true, ["a", "c"], false],
		"the opposite of running": ["", true, ["a", "c"], false],
		"the opposite of resting": ["", false, ["b"], false],
		"to run": ["run", false, ["b"], false],
		"to run already": ["run", true, [], true],
		"to rest already": ["quiet", false, [], true],
	}
	kinds(want, run) == expected
	answer.document.reached == reached with input as asked(want, run)
}

test_a_change_shows_its_outcome if {
	got := answer.document.changes with input as asked("quiet", true)
	got[0].then.effective_action == "quota_skip"
	not got[0].then.reason
	not got[0].outcome
	got[1].then == {"decision": "skip", "should_run": false, "refused": "code"}
}

test_time_turns if {
	got := answer.document.time with input as asked("", true)
	got.turns_at == "two"
	[event.turns | some event in got.events] == [false, true]
	not got.events[0].operations
	not got.events[0].at_ns
	later := answer.document.time with input as json.patch(asked("", true), [{"op": "remove", "path": "questions/instants/1"}])
	later.turns_at == null
}

test_time_of_a_short_document if {
	short := json.remove(asked("", true), ["decision/quota", "decision/valid_until"])
	got := answer.document.time with input as short
	got.valid_until == null
	got.next_eligible_at == null
}

package loopx.writeback.void_test

import data.loopx.testing
import data.loopx.writeback.void

at := "2026-08-20T11:30:00+00:00"

spend(change) := object.union(
	{"generated_at": at, "at_ns": testing.now_ns - (30 * testing.minute), "classification": "quota_slot_spent", "slots": 7},
	change,
)

taken(slots) := {
	"generated_at": "2026-08-20T11:40:00+00:00",
	"at_ns": testing.now_ns - (20 * testing.minute),
	"classification": "quota_slot_voided",
	"slots": slots,
	"voids": at,
}

counts(slots) := {"kind": "spend", "at": at, "at_ns": testing.now_ns - (30 * testing.minute), "key": at, "slots": slots}

counted_back(slots) := {"kind": "void", "at": "x", "at_ns": testing.now_ns - testing.minute, "key": at, "slots": slots}

asked(change) := object.union(
	{
		"request": {"command": "void-slot", "execute": true, "run_generated_at": at},
		"write": {"void": {"reason_summary": "counted twice"}},
		"trace": {"rows": [spend({})], "events": []},
		"ledger": {"rows": [counts(7)]},
		"todos": [testing.advancement("todo_a", {})],
	},
	change,
)

facts(change) := testing.facts(asked(change))

team(change) := testing.team(asked(change))

cases := {
	"bad call": [facts({"request": {"dry_run": true}}), "write.request"],
	"unknown goal": [object.remove(facts({}), ["goal"]), "write.goal"],
	"no instant": [facts({"request": {"run_generated_at": ""}}), "void.missing"],
	"unknown source": [facts({"write": {"void": {"source": "cron"}}}), "void.source"],
	"no spend": [facts({"trace": {"rows": []}}), "void.target"],
	"no slots": [facts({"trace": {"rows": [object.remove(spend({}), ["slots"])]}}), "void.target"],
	"another run": [facts({"trace": {"rows": [spend({"classification": "parser_advanced"})]}}), "void.target"],
	"another instant": [facts({"trace": {"rows": [spend({"generated_at": "2026-08-20T11:31:00+00:00"})]}}), "void.target"],
	"taken back": [facts({"trace": {"rows": [taken(7), spend({})]}}), "void.replay"],
	"taken back by nobody in particular": [team({"trace": {"rows": [taken(7), spend({"agent_id": "agent-a"})]}}), "void.replay"],
	"taken back in its artifact": [facts({"ledger": {"rows": [counted_back(7), counts(7)]}}), "void.replay"],
	"private summary": [facts({"write": {"void": {"private": ["credential"]}}}), "void.event.public"],
	"long summary": [
		facts({"write": {"void": {"reason_summary": concat("", ["a" | some _ in numbers.range(1, 241)])}}}),
		"void.event.public",
	],
	"spend": [facts({}), "void.accepted"],
	"spend beside a void of another": [
		facts({"trace": {"rows": [object.union(taken(7), {"voids": "2026-08-20T10:00:00+00:00"}), spend({})]}}),
		"void.accepted",
	],
	"two spends of one second, one taken back": [
		team({"trace": {"rows": [object.union(taken(7), {"agent_id": "agent-b"}), spend({"agent_id": "agent-a"}), spend({"agent_id": "agent-b"})]}}),
		"void.accepted",
	],
	"two spends of one second, the own one taken back": [
		team({
			"trace": {"rows": [object.union(taken(7), {"agent_id": "agent-a"}), spend({"agent_id": "agent-a"}), spend({"agent_id": "agent-b"})]},
			"ledger": {"rows": [counted_back(7), counts(7), counts(7)]},
		}),
		"void.replay",
	],
}

test_void_rule[name] if {
	some name, case in cases
	void.outcome.rule == case[1] with input as case[0]
}

refusals := {name: case | some name, case in cases; not case[1] in {"void.accepted", "void.replay"}}

test_a_refusal_appends_nothing[name] if {
	some name, case in refusals
	got := void.result with input as case[0]
	got.ok == false
	got.effects == []
	got.document.appended == false
	got.document.error.rule_id == case[1]
	got.document.error.code == got.document.error_code
}

test_void_effects_append_one_run if {
	got := void.result with input as facts({})
	got.ok
	got.document.appended
	[effect.kind | some effect in got.effects] == ["append_run", "append_event"]
	run := got.effects[0]
	run.suffix == "quota-slot-voided"
	run.row == run.record
	event := run.record.quota_event
	object.keys(event) == {
		"event_type",
		"source",
		"slots",
		"reason_summary",
		"voided_run_generated_at",
		"voided_run_classification",
		"before",
		"after",
	}
	event.event_type == "quota_slot_voided"
	event.slots == 7
	event.reason_summary == "counted twice"
	event.voided_run_generated_at == at
	event.voided_run_classification == "quota_slot_spent"
	got.effects[1].event.event_kind == "quota_void"
	got.effects[1].event.details == {"slots": 7, "source": "heartbeat", "voided_run_generated_at": at}
	count([line | some line in run.markdown; contains(line, "7 -> 0 of 1440")]) == 1
}

test_void_summary_of_its_own if {
	got := void.summary with input as object.remove(facts({}), ["write"]) with input.write as {"void": {}}
	got != ""
}

test_void_preview_appends_nothing if {
	got := void.result with input as facts({"request": {"execute": false}})
	got.document.dry_run
	got.document.appended == false
	count(got.effects) == 2
}

after_cases := {
	"all of it": {"facts": {}, "want": [7, 0]},
	"what is left of it": {
		"facts": {"trace": {"rows": [taken(4), spend({})]}, "ledger": {"rows": [counted_back(4), counts(7)]}},
		"want": [3, 0],
	},
	"a spend that left the window": {"facts": {"ledger": {"rows": []}}, "want": [0, 0]},
	"beside other spends": {
		"facts": {"ledger": {"rows": [counts(7), object.union(counts(5), {"key": "other"})]}},
		"want": [12, 5],
	},
}

test_void_after[name] if {
	some name, case in after_cases
	got := void.result.document with input as facts(case.facts)
	[got.before.spent_slots, got.after.spent_slots] == case.want
}

test_void_after_opens_a_full_window if {
	got := void.result.document with input as facts({"goal": {"quota": {"allowed_slots": 7}}})
	[got.before.state, got.before.should_run] == ["throttled", false]
	[got.after.state, got.after.should_run, got.after.effective_action] == ["eligible", true, "normal_run"]
}

test_void_of_an_agent_takes_its_own_spend if {
	rows := [spend({"agent_id": "agent-b", "slots": 2}), spend({"agent_id": "agent-a", "slots": 3})]
	mine := void.result with input as team({"trace": {"rows": rows}})
	mine.document.slots == 3
	mine.document.agent_id == "agent-a"
	mine.effects[0].record.agent_id == "agent-a"
	newest := void.result.document with input as facts({"trace": {"rows": rows}})
	newest.slots == 2
}

test_void_replay_says_so if {
	got := void.result with input as facts({"trace": {"rows": [taken(7), spend({})]}})
	got.ok
	got.effects == []
	got.document.idempotent_replay
	got.document.appended == false
}

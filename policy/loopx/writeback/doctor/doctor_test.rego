package loopx.writeback.doctor_test

import data.loopx.testing
import data.loopx.writeback.doctor

trials := [
	{"name": "command", "subject": "todo-add", "ok": true},
	{"name": "answers", "subject": "g1", "ok": true},
	{"name": "healthy", "subject": "g1", "ok": false},
	{"name": "runtime_root", "ok": true},
	{"name": "shared_registry", "ok": false},
]

run(change, write) := found if {
	given := object.union_n([
		object.remove(testing.base, ["goal"]),
		{"request": {"command": "doctor", "goal_id": "", "execute": true}},
		change,
		{"write": {"doctor": object.union({"trials": trials, "version": "v1", "revision": "r", "digest": "d"}, write)}},
	])
	found := doctor.result with input as given
}

broken := [{"name": "answers", "subject": "g1", "ok": false, "detail": "broken bundle"}, {"name": "runtime_root", "ok": false}]

cases := {
	"preview and execution": [{"request": {"dry_run": true}}, {}, "doctor.request"],
	"broken": [{}, {"trials": broken, "promotion": true}, "doctor.failed"],
	"broken registry": [{"findings": [{"code": "c", "scope": "global", "message": "m"}]}, {}, "doctor.failed"],
	"readiness": [{}, {"promotion": true}, "doctor.evidence"],
	"readiness without evidence": [{}, {"promotion": true, "no_write_evidence": true}, "doctor.no_evidence"],
	"plain": [{}, {}, "doctor.sound"],
}

test_doctor_rule[name] if {
	some name, case in cases
	found := run(case[0], case[1])
	found.document.rule == case[2]
	ok := case[2] in {"doctor.evidence", "doctor.no_evidence", "doctor.sound"}
	found.ok == ok
	writes := case[2] == "doctor.evidence"
	found.document.written == writes
}

test_doctor_checks_say_what_must_hold if {
	checks := run({}, {}).document.checks
	checks[0] == {"name": "registry", "ok": true, "required": true}
	checks[3] == {"name": "healthy", "subject": "g1", "ok": false, "required": false, "detail": "The goal has contract errors; run loopx quota status."}
	failed := run({}, {"trials": broken}).document
	failed.checks[1].detail == "broken bundle"
	contains(failed.reason, "g1, runtime_root")
}

test_doctor_evidence_goes_to_the_release_ledger if {
	found := run({}, {"promotion": true})
	effect := found.effects[0]
	effect.kind == "append_release_row"
	effect.row.classification == "canary_promotion_readiness_smoke_group"
	effect.row.ready
	effect.row.check_count == 6
	effect.row.policy_digest == "d"
	not contains(json.marshal(effect), "g1")
	"- checks: 6" in effect.markdown
	found.document.promotion_readiness == {"freshness_status": "missing", "available": false}
	fresh := run({"promotion": {"generated_at": "x", "at_ns": testing.now_ns - testing.hour, "legacy": false}}, {})
	fresh.document.promotion_readiness == {"freshness_status": "fresh", "available": true, "generated_at": "x"}
}

test_doctor_sound_without_trials if {
	given := object.union(object.remove(testing.base, ["goal"]), {"request": {"command": "doctor", "goal_id": ""}})
	doctor.result.document.rule == "doctor.sound" with input as given
}

package loopx.writeback.quota_write_test

import data.loopx.testing
import data.loopx.writeback.quota_write

source(change) := {"registry": "registry.json", "digest": "d1", "row": object.union({"id": "g1", "quota": {"compute": 1}}, change)}

run(command, change, write) := found if {
	given := object.union_n([
		testing.facts({"request": {"command": command, "execute": true}}),
		{"source": source({})},
		change,
		{"write": {"goal": write}},
	])
	found := quota_write.result with input as given
}

stopped := {
	"goal": {"activation": "stopped"},
	"source": {"row": {"activation": {"schema_version": "loopx_goal_activation_v1", "state": "stopped", "reason": "Owner", "by": "ada"}}},
}

# command, facts, flags, rule
cases := {
	"preview and execution": ["quota-set", {"request": {"dry_run": true}}, {"compute": "1"}, "write.request"],
	"no goal id": ["quota-set", {"request": {"goal_id": ""}}, {"compute": "1"}, "write.request"],
	"unknown caller": ["quota-set", {"request": {"agent_id": "agent-z"}, "goal": {"agents": ["agent-a"]}}, {"compute": "1"}, "write.identity"],
	"source problem": ["quota-set", {"source": {"problem": "gone"}}, {"compute": "0.5"}, "write.source"],
	"duplicate key": [
		"quota-set",
		{"findings": [{"code": "registry_key_duplicate", "scope": "goal", "goal_id": "g1", "line": 4, "message": "key x appears twice"}]},
		{"compute": "0.5"},
		"write.registry",
	],
	"duplicate key at the top": [
		"quota-set",
		{"findings": [{"code": "registry_key_duplicate", "scope": "global", "message": "key x appears twice"}]},
		{"compute": "0.5"},
		"write.registry",
	],
	"duplicate key of another goal": [
		"quota-set",
		{"findings": [{"code": "registry_key_duplicate", "scope": "goal", "goal_id": "g2", "message": "m"}]},
		{"compute": "0.5"},
		"quota_write.set",
	],
	"half": ["quota-set", {}, {"compute": "half"}, "quota_write.set.compute"],
	"nothing": ["quota-set", {}, {}, "quota_write.set.compute"],
	"empty": ["quota-set", {}, {"compute": ""}, "quota_write.set.compute"],
	"negative": ["quota-set", {}, {"compute": "-0.5"}, "quota_write.set.compute"],
	"above one": ["quota-set", {}, {"compute": "1.01"}, "quota_write.set.compute"],
	"large": ["quota-set", {}, {"compute": "1e9"}, "quota_write.set.compute"],
	"not finite": ["quota-set", {}, {"compute": "NaN"}, "quota_write.set.compute"],
	"a bare exponent": ["quota-set", {}, {"compute": "e5"}, "quota_write.set.compute"],
	"set": ["quota-set", {}, {"compute": "0.5"}, "quota_write.set"],
	"set without zero": ["quota-set", {}, {"compute": ".5"}, "quota_write.set"],
	"set zero": ["quota-set", {}, {"compute": "0"}, "quota_write.set"],
	"set the same": ["quota-set", {}, {"compute": "1.0"}, "quota_write.set.same"],
	"operation": ["goal-lifecycle", {}, {"operation": "freeze"}, "goal_lifecycle.operation"],
	"no operation": ["goal-lifecycle", {}, {}, "goal_lifecycle.operation"],
	"long reason": ["quota-pause", {}, {"reason": concat("", ["x" | some _ in numbers.range(1, 601)])}, "goal_lifecycle.reason"],
	"resume nothing": ["quota-resume", object.union(stopped, {"goal": {"quota": {"compute": 0}}}), {}, "quota_write.resume.compute"],
	"resume nothing running": ["quota-resume", {"goal": {"quota": {"compute": 0}}}, {}, "quota_write.resume.compute"],
	"lifecycle resumes without compute": ["goal-lifecycle", object.union(stopped, {"goal": {"quota": {"compute": 0}}}), {"operation": "resume"}, "quota_write.resume"],
	"pause": ["quota-pause", {}, {}, "quota_write.pause"],
	"stop": ["goal-lifecycle", {}, {"operation": "stop"}, "quota_write.pause"],
	"pause twice": ["quota-pause", stopped, {}, "goal_lifecycle.same"],
	"resume": ["quota-resume", stopped, {}, "quota_write.resume"],
	"resume twice": ["quota-resume", {}, {}, "goal_lifecycle.same"],
	"no slots": ["quota-burst", {}, {}, "quota_write.burst.slots"],
	"zero slots": ["quota-burst", {}, {"slots": "0"}, "quota_write.burst.slots"],
	"negative slots": ["quota-burst", {}, {"slots": "-2"}, "quota_write.burst.slots"],
	"part of a slot": ["quota-burst", {}, {"slots": "1.5"}, "quota_write.burst.slots"],
	"unreadable expiry": ["quota-burst", {}, {"slots": "2", "expires_at": "soon"}, "quota_write.burst.expires"],
	"past expiry": [
		"quota-burst",
		{},
		{"slots": "2", "expires_at": "2026-08-20T12:00:00Z", "expires_ns": testing.now_ns},
		"quota_write.burst.expires",
	],
	"burst of a stopped goal": ["quota-burst", stopped, {"slots": "2"}, "quota_write.burst.paused"],
	"burst without compute": ["quota-burst", {"goal": {"quota": {"compute": 0}}}, {"slots": "2"}, "quota_write.burst.paused"],
	"burst": ["quota-burst", {}, {"slots": "2"}, "quota_write.burst"],
}

test_quota_write_rule[name] if {
	some name, case in cases
	run(case[0], case[1], case[2]).document.rule == case[3]
}

test_quota_write_goal_unknown if {
	given := object.remove(testing.facts({"request": {"command": "quota-set"}, "write": {"goal": {"compute": "1"}}}), ["goal"])
	quota_write.result.document.rule == "write.goal" with input as given
}

test_quota_write_set_first if {
	given := json.remove(
		object.union_n([testing.facts({"request": {"command": "quota-set"}}), {"source": source({}), "write": {"goal": {"compute": "1"}}}]),
		["goal/quota/compute"],
	)
	found := quota_write.result with input as given
	found.document.rule == "quota_write.set"
	found.document.before == found.document.after
}

test_write_source_without_facts if {
	given := object.union(testing.facts({"request": {"command": "quota-set"}}), {"write": {"goal": {"compute": "0.5"}}})
	found := quota_write.result with input as given
	found.document.error.rule_id == "write.source"
}

refusals := {name: case |
	some name, case in cases
	not case[3] in settled
}

settled := {
	"quota_write.set",
	"quota_write.set.same",
	"quota_write.pause",
	"quota_write.resume",
	"quota_write.burst",
	"goal_lifecycle.same",
}

test_refusals_change_nothing_and_name_their_rule[name] if {
	some name, case in refusals
	found := run(case[0], case[1], case[2])
	found.ok == false
	found.effects == []
	found.document.written == false
	found.document.changed == false
	found.document.error.rule_id == case[3]
	found.document.error.code == found.document.error_code
	not found.document.before
}

test_quota_write_preview_answers_like_execution if {
	preview := run("quota-set", {"request": {"execute": false}}, {"compute": "0.5"})
	done := run("quota-set", {}, {"compute": "0.5"})
	preview.effects == done.effects
	preview.document.dry_run
	preview.document.written == false
	done.document.dry_run == false
	done.document.written
	object.remove(preview.document, ["dry_run", "written"]) == object.remove(done.document, ["dry_run", "written"])
}

test_quota_write_set_shows_the_quota_before_and_after if {
	found := run("quota-set", {}, {"compute": "0.5"})
	found.document.mode == "set"
	found.document.before == {"state": "eligible", "compute": 1, "allowed_slots": 1440, "next_eligible_at": null}
	found.document.after == {"state": "eligible", "compute": 0.5, "allowed_slots": 720, "next_eligible_at": null}
	found.effects == [
		{
			"kind": "edit_registry",
			"goal_id": "g1",
			"digest": "d1",
			"set": [{"path": ["quota", "compute"], "value": 0.5}],
			"unset": [],
		},
		{"kind": "sync_global", "goal_id": "g1"},
	]
	run("quota-set", {}, {"compute": "0"}).document.after.state == "paused"
}

test_quota_write_set_may_leave_the_shared_registry if {
	[e.kind | some e in run("quota-set", {}, {"compute": "0.5", "no_global_sync": true}).effects] == ["edit_registry"]
}

test_quota_write_set_same_writes_nothing if {
	found := run("quota-set", {}, {"compute": "1"})
	found.ok
	found.effects == []
	found.document.changed == false
	found.document.before == found.document.after
}

test_quota_write_pause_keeps_compute if {
	found := run("quota-pause", {"goal": {"quota": {"compute": 0.5}}}, {"reason": "Owner"})
	found.document.before.compute == 0.5
	found.document.after.state == "paused"
	found.document.after.compute == 0
	found.effects[0].set == [
		{"path": ["activation", "schema_version"], "value": "loopx_goal_activation_v1"},
		{"path": ["activation", "state"], "value": "stopped"},
		{"path": ["activation", "updated_at"], "value": "2026-08-20T12:00:00+00:00"},
		{"path": ["activation", "reason"], "value": "Owner"},
	]
	found.effects[0].unset == []
	found.document.before_state == "active"
	found.document.after_state == "stopped"
	found.document.activation.state == "stopped"
}

test_quota_write_resume_drops_the_reason_of_the_stop if {
	found := run("quota-resume", stopped, {})
	found.document.before.state == "paused"
	found.document.after.state == "eligible"
	found.effects[0].unset == [["activation", "reason"]]
	count(found.effects[0].set) == 3
}

test_quota_write_pause_replaces_a_block_that_is_no_object if {
	found := run("quota-pause", {"source": {"row": {"activation": "off"}}}, {})
	found.effects[0].set[0].path == ["activation"]
	found.effects[0].set[0].value.state == "stopped"
	found.effects[0].unset == []
}

test_goal_lifecycle_same_shows_the_activation_as_it_is if {
	found := run("goal-lifecycle", stopped, {"operation": "stop"})
	found.document.mode == "goal-lifecycle"
	found.document.activation.by == "ada"
	found.document.changed == false
	run("goal-lifecycle", {}, {"operation": "resume"}).document.activation == {"state": "active"}
}

test_quota_write_burst_lasts_a_window_unless_told if {
	found := run("quota-burst", {}, {"slots": "2"})
	found.document.after.allowed_slots == 1442
	found.document.burst == {
		"slots": 2,
		"granted_at": "2026-08-20T12:00:00+00:00",
		"expires_at": "2026-08-21T12:00:00+00:00",
	}
	found.effects[0].set == [{"path": ["quota", "burst"], "value": found.document.burst}]
	told := run("quota-burst", {}, {"slots": "2", "expires_at": "2026-08-20T13:00:00Z", "expires_ns": testing.now_ns + testing.hour})
	told.document.burst.expires_at == "2026-08-20T13:00:00Z"
	told.document.after.allowed_slots == 1442
}

test_quota_write_burst_opens_a_throttled_goal if {
	spent := {
		"goal": {"quota": {"allowed_slots": 2}},
		"ledger": {"rows": [{"kind": "spend", "at": "x", "at_ns": testing.now_ns - testing.hour, "key": "k", "slots": 2}]},
	}
	found := run("quota-burst", spent, {"slots": "2"})
	found.document.before.state == "throttled"
	found.document.after.state == "eligible"
}

test_quota_write_set_compute_is_needed if {
	given := object.union(testing.facts({"request": {"command": "quota-set"}}), {"source": source({})})
	quota_write.result.document.rule == "quota_write.set.compute" with input as given
}

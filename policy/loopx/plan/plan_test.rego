package loopx.plan_test

import data.loopx.plan
import data.loopx.testing

member(id, change) := object.union(
	{
		"goal_id": id,
		"health_ok": true,
		"terminal": false,
		"quota": {"state": "eligible", "compute": 1, "spent_slots": 0},
	},
	change,
)

document(peers, change) := doc if {
	input_doc := object.union(
		object.remove(testing.base, ["goal"]),
		object.union({"request": {"command": "plan"}, "peers": peers}, change),
	)
	doc := plan.document with input as input_doc
}

ids(doc, group) := [entry.goal_id | some entry in doc.groups[group]]

test_plan_sort_by_compute_then_spent_then_id if {
	doc := document(
		[
			member("low", {"quota": {"compute": 0.2}}),
			member("zeta", {"quota": {"compute": 0.5}}),
			member("alpha", {"quota": {"compute": 0.5}}),
			member("busy", {"quota": {"compute": 0.5, "spent_slots": 3}}),
			member("full", {}),
		],
		{},
	)
	ids(doc, "eligible") == ["full", "alpha", "zeta", "busy", "low"]
	doc.next_automatic_turn.goal_id == "full"
	doc.summary.next_automatic_turn == "full"
}

test_plan_group_every_state_and_unknown if {
	doc := document([member("a", {"quota": {"state": "paused"}}), member("b", {"quota": {"state": "odd"}})], {})
	object.keys(doc.groups) == {
		"blocked_health", "operator_gate", "focus_wait", "eligible", "waiting", "throttled", "paused", "unknown",
	}
	ids(doc, "paused") == ["a"]
	ids(doc, "unknown") == ["b"]
	doc.summary.states == {
		"blocked_health": 0, "operator_gate": 0, "focus_wait": 0, "eligible": 0,
		"waiting": 0, "throttled": 0, "paused": 1, "unknown": 1,
	}
}

test_plan_next_skips_closed_goals if {
	doc := document([member("closed", {"terminal": true}), member("open", {"quota": {"compute": 0.1}})], {})
	doc.summary.next_automatic_turn == "open"
}

test_plan_next_none if {
	doc := document([member("a", {"quota": {"state": "waiting"}})], {})
	doc.next_automatic_turn == null
	doc.summary.next_automatic_turn == null
	doc.ok
}

test_plan_ok_needs_healthy_goals if {
	doc := document([member("sick", {"health_ok": false, "quota": {"state": "blocked_health"}})], {})
	not doc.ok
	doc.summary.health_blockers == 1
}

test_plan_health_items_are_the_global_findings if {
	finding := {"code": "registry_missing", "scope": "global", "message": "no registry"}
	doc := document([], {"findings": [finding, {"code": "x", "scope": "goal", "goal_id": "g", "message": "m"}]})
	not doc.ok
	doc.health_items == [finding]
	doc.summary.registered_goals == 0
}

test_plan_modes if {
	document([], {}).mode == "plan"
	document([], {"request": {"command": "status"}}).mode == "status"
}

test_plan_members_include_the_asked_goal if {
	summary := plan.summary with input as testing.facts({"peers": [member("other", {})]})
	summary.registered_goals == 2
}

test_plan_source_item_of_a_healthy_goal if {
	item := plan.item with input as testing.facts({
		"status_run": testing.run(30, "state_refreshed", {}),
		"runs": [testing.run(30, "state_refreshed", {})],
	})
	item.goal_id == "g1"
	item.health_ok
	item.quota.state == "eligible"
	item.latest_run_generated_at == "2026-08-20T11:00:00+00:00"
	item.active_state_next_action == "Carry on with the parser work and run its unit tests."
	item.repo == testing.base.goal.repo
	item.project_asset.next_action == item.active_state_next_action
	item.handoff_readiness == {"post_handoff_run_seen": false, "post_handoff_outcome_gap_streak": 0}
	object.get(item, "health_findings", "none") == "none"
}

test_plan_standing_is_a_part_of_the_item if {
	facts := testing.facts({
		"ledger": {"rows": [{"kind": "spend", "at": "2026-08-20T11:00:00+00:00", "at_ns": testing.now_ns - 3600000000000, "key": "k", "slots": 2}]},
	})
	standing := plan.standing with input as facts
	item := plan.item with input as facts
	standing == object.filter(object.union(object.remove(item, ["quota"]), {"quota": object.filter(item.quota, ["state", "compute", "spent_slots"])}), object.keys(standing))
	standing.quota == {"state": "eligible", "compute": 1, "spent_slots": 2}
	standing.valid_until == item.valid_until
}

test_plan_item_leaves_out_what_is_not_there if {
	item := plan.item with input as testing.facts({"ledger": {"rows": []}, "state": {"next_actions": []}})
	object.get(item, "valid_until", "none") == "none"
	object.get(item, "active_state_next_action", "none") == "none"
}

test_plan_source_item_names_its_own_findings if {
	item := plan.item with input as testing.facts({"findings": [{
		"code": "quota_invalid",
		"scope": "goal",
		"goal_id": "g1",
		"message": "compute is a word",
	}]})
	not item.health_ok
	item.quota.state == "blocked_health"
	count(item.health_findings) == 1
}

terminal(todo, change) := item.terminal if {
	item := plan.item with input as testing.facts({"todos": [object.union(todo, change)]})
		with data.loopx.frontier.terminal as true
}

test_plan_next_looks_for_closure_only_where_nothing_is_open if {
	terminal(testing.advancement("todo_a", {}), {"status": "done"})
	not terminal(testing.advancement("todo_a", {}), {})
	not terminal(testing.user_todo("todo_u", "user_action", {}), {})
}

item_edges := {
	"nothing": [{}, null],
	"a spend leaves the window": [
		{"ledger": {"rows": [{"kind": "spend", "at": "x", "at_ns": testing.now_ns - testing.hour, "key": "k", "slots": 1}]}},
		"2026-08-21T11:00:00+00:00",
	],
	"a row leaves the history": [{"runs_until_ns": testing.now_ns + testing.hour}, "2026-08-20T13:00:00+00:00"],
	"the past": [{"runs_until_ns": testing.now_ns - testing.hour}, null],
	"an authority ends": [
		{"goal": {"boundary_authority": [{"write_scope": [], "expires_ns": testing.now_ns + testing.hour}]}},
		"2026-08-20T13:00:00+00:00",
	],
}

test_plan_valid_until[name] if {
	some name, [change, want] in item_edges
	item := plan.item with input as testing.facts(change)
	object.get(item, "valid_until", null) == want
}

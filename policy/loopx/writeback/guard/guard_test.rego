package loopx.writeback.guard_test

import data.loopx.testing
import data.loopx.writeback.guard

keys := {
	"should_run",
	"normal_delivery_allowed",
	"recovery_delivery_allowed",
	"effective_action",
	"self_repair_allowed",
	"capability_repair_allowed",
	"workspace_repair_allowed",
	"state",
	"safe_bypass_allowed",
	"safe_bypass_kind",
	"blocked_action_scope",
	"compute",
	"window_hours",
	"slot_minutes",
	"spent_slots",
	"allowed_slots",
}

paused := {"goal": {"quota": {"compute": 0}}}

finding := {"findings": [{"code": "c", "scope": "goal", "goal_id": "g1", "message": "m"}]}

# the compact decision says what the document says
test_write_before_is_the_guard[name] if {
	cases := {
		"eligible": testing.facts({"todos": [testing.advancement("todo_a", {})]}),
		"gated": testing.facts({"goal": {"waiting_on": "controller"}}),
		"paused": testing.facts(paused),
		"stopped": testing.facts({"goal": {"activation": "stopped"}}),
		"throttled": testing.facts({"goal": {"quota": {"allowed_slots": 0}}}),
		"unhealthy": testing.facts(finding),
	}
	some name, facts in cases
	got := guard.before with input as facts
	object.keys(got) == keys
	document := data.loopx.should_run.decision with input as facts
	every key, value in got { value == object.get(document, key, object.get(document.quota, key, "")) }
	guard.ok == document.ok with input as facts
}

test_write_before_needs_a_decision if {
	facts := testing.facts({"request": {"agent_id": "Nobody?"}})
	not guard.before with input as facts
	guard.ok == false with input as facts
}

test_a_record_names_its_author_turn_and_time if {
	facts := testing.team({"now": "2026-08-20T20:00:00+08:00", "request": {"turn_instance_id": "turn-1"}})
	guard.author == {"agent_id": "agent-a"} with input as facts
	guard.turn_field == {"turn_instance_id": "turn-1"} with input as facts
	guard.generated_at == "2026-08-20T20:00:00+08:00" with input as facts
	guard.author == {} with input as testing.base
	guard.turn_field == {} with input as testing.base
}

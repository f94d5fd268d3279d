package loopx.writeback.spend_test

import data.loopx.testing
import data.loopx.writeback.spend

tok := testing.advancement("todo_tok", {"action_kind": "implement"})

work := {"todos": [tok]}

delivered := testing.run(5, "parser_advanced", {
	"generated_at": "2026-08-20T11:55:00+00:00",
	"delivery_outcome": "outcome_progress",
	"recommended_action": "Carry on.",
})

mine(row) := object.union(row, {"agent_id": "agent-a"})

with_turn(row, turn) := object.union(mine(row), {"turn_instance_id": turn, "todo_id": "todo_tok"})

surface := testing.run(4, "summary_written", {"delivery_outcome": "surface_only"})

refreshed := testing.run(3, "state_refreshed", {})

mapped := testing.run(3, "read_only_project_map", {})

spent := testing.run(2, "quota_slot_spent", {"generated_at": "2026-08-20T11:58:00+00:00"})

polled(change) := testing.run(2, "quota_monitor_poll", change)

material := polled({"material_change": true, "delivery_outcome": "outcome_progress"})

runs(rows) := {"runs": rows, "status_run": rows[0]}

slots(n) := {"slots": sprintf("%v", [n]), "slot_count": n}

one := slots(1)

full := {
	"goal": {"quota": {"allowed_slots": 12}},
	"ledger": {"rows": [{
		"kind": "spend",
		"at": "2026-08-20T11:00:00+00:00",
		"at_ns": testing.now_ns - testing.hour,
		"key": "k",
		"slots": 12,
	}]},
}

nearly_full := object.union(full, {"ledger": {"rows": [object.union(full.ledger.rows[0], {"slots": 11})]}})

gated := {"goal": {"waiting_on": "user_or_controller"}}

waits := {"goal": {"waiting_on": "external_evidence"}, "todos": []}

finding := {"findings": [{"code": "c", "scope": "goal", "goal_id": "g1", "message": "m"}]}

bench := {"todos": [testing.advancement("todo_bench", {"required_capabilities": ["benchmark_runner"]})]}

repairs_boundary := {
	"goal": {"has_boundary": true, "write_scope": ["docs/**"]},
	"todos": [testing.advancement("todo_src", {"required_write_scopes": ["src/**"]})],
}

watch := testing.monitor("todo_mon", {
	"target_key": "ci",
	"cadence": "1h",
	"cadence_seconds": 3600,
	"next_due_at": "2026-08-20T11:50:00+00:00",
	"next_due_ns": testing.now_ns - (10 * testing.minute),
})

watcher := {"goal": {"work_modes": {"agent-a": "monitor_only"}}, "todos": [watch], "request": {"agent_id": "agent-a"}}

stalled := {"runs": [
	testing.run(1, "no_progress_a", {}),
	testing.run(2, "no_progress_b", {}),
]}

# ask, facts
solo(ask, changes) := testing.facts(object.union_n(array.concat(
	[
		work,
		{"request": {"command": "spend-slot", "execute": true}, "write": {"spend": ask}},
	],
	changes,
)))

scoped(ask, changes) := testing.team(object.union_n(array.concat(
	[
		work,
		{"request": {"command": "spend-slot", "execute": true}, "write": {"spend": ask}},
	],
	changes,
)))

asks(change) := object.union(one, change)

# --- turns

receipt(details) := {"event_kind": "quota_should_run", "agent_id": "agent-a", "event_id": "e1", "details": details}

written_back := {
	"event_kind": "refresh_state",
	"agent_id": "agent-a",
	"details": {"settlement_effect_id": "g1:agent-a:todo_tok:turn-1"},
}

accounted := {
	"event_kind": "quota_spend",
	"agent_id": "agent-a",
	"details": {"settlement_effect_id": "g1:agent-a:todo_tok:turn-1"},
}

turn_row := with_turn(delivered, "turn-1")

same_second := object.filter(turn_row, ["generated_at", "at_ns"])

turn_spend := object.union(with_turn(spent, "turn-1"), {
	"effect_id": "g1:agent-a:todo_tok:turn-1",
	"slots": 1,
	"json_path": "/r/s.json",
	"markdown_path": "/r/s.md",
})

bound := receipt({"todo_id": "todo_tok"})

trace(rows, events) := {
	"trace": {"rows": rows, "events": events},
	"request": {"turn_instance_id": "turn-1"},
	"runs": [object.remove(row, ["slots", "json_path", "markdown_path"]) | some row in rows],
}

settled := trace([turn_row], [written_back, bound])

named := asks({"todo_id": "todo_tok"})

spent_turn := trace([turn_spend, turn_row], [accounted, written_back, bound])

nobody(run) := scoped(one, [runs([run]), {"request": {"agent_id": ""}}])

cases := {
	"bad call": [solo(one, [{"request": {"dry_run": true}}]), "write.request"],
	"unknown goal": [object.remove(solo(one, []), ["goal"]), "write.goal"],
	"unknown agent": [scoped(one, [{"request": {"agent_id": "agent-z"}}]), "write.identity"],
	"todo and obligation": [solo(asks({"todo_id": "todo_tok", "replan_obligation_id": "replan-1"}), []), "args.obligation"],
	"no slots": [solo(slots(0), [runs([delivered])]), "spend.slots"],
	"negative slots": [solo(slots(-3), [runs([delivered])]), "spend.slots"],
	"half a slot": [solo({"slots": "1.5"}, [runs([delivered])]), "spend.slots"],
	"more than the window": [solo(slots(13), [runs([delivered]), nearly_full]), "spend.slots"],
	"as many as the window": [solo(slots(12), [runs([delivered]), {"goal": {"quota": {"allowed_slots": 12}}}]), "spend.accepted"],
	"delivery of an agent and no caller": [nobody(object.union(delivered, {"agent_id": "agent-a"})), "spend.agent"],
	"delivery of nobody and no caller": [nobody(delivered), "spend.accepted"],
	"unknown source": [solo(asks({"source": "cron"}), [runs([delivered])]), "spend.source"],
	"turn of a controller": [scoped(asks({"source": "controller"}), [settled]), "spend.turn_source"],
	"turn without a runtime root": [scoped(named, [settled, {"route": {"runtime_root": ""}}]), "spend.turn_source"],
	"turn without receipt": [scoped(named, [trace([turn_row], [written_back])]), "spend.settlement"],
	"turn of another agent": [scoped(named, [trace([turn_row], [written_back, object.union(bound, {"agent_id": "agent-b"})])]), "spend.settlement"],
	"receipt of another todo": [scoped(named, [trace([turn_row], [written_back, receipt({"todo_id": "todo_b"})])]), "spend.settlement"],
	"receipt of a replan": [scoped(named, [trace([turn_row], [written_back, receipt({"replan_obligation_id": "replan-1"})])]), "spend.settlement"],
	"turn without writeback": [scoped(named, [trace([], [written_back, bound])]), "spend.settlement"],
	"writeback of another todo": [
		scoped(named, [trace([object.union(turn_row, {"todo_id": "todo_b"})], [written_back, bound])]),
		"spend.settlement",
	],
	"writeback without outcome": [
		scoped(named, [trace([object.union(turn_row, {"delivery_outcome": "surface_only"})], [written_back, bound])]),
		"spend.settlement",
	],
	"writeback without its event": [scoped(named, [trace([turn_row], [bound])]), "spend.settlement"],
	"an adapter needs no receipt": [scoped(asks({"todo_id": "todo_tok", "source": "adapter"}), [trace([turn_row], [])]), "spend.accepted"],
	"settled turn": [scoped(named, [settled]), "spend.accepted"],
	"unbound receipt": [scoped(named, [trace([turn_row], [written_back, receipt({})])]), "spend.accepted"],
	"turn spent before": [scoped(named, [spent_turn]), "spend.replay"],
	"turn spent by its row": [
		scoped(named, [runs([turn_spend, turn_row])]),
		"spend.replay",
	],
	"spend of the turn was voided": [
		scoped(named, [spent_turn, {"trace": {"rows": [
			{"generated_at": "2026-08-20T11:59:00+00:00", "classification": "quota_slot_voided", "voids": turn_spend.generated_at},
			turn_spend,
			turn_row,
		]}}]),
		"spend.accepted",
	],
	"spent without its turn, and worked on since": [
		scoped(named, [settled, {"runs": [mine(object.union(surface, {"at_ns": testing.now_ns - testing.minute})), mine(spent), turn_row]}]),
		"spend.duplicate",
	],
	"a spend of another agent in that second was voided": [
		scoped(named, [spent_turn, {"trace": {"rows": [
			{"generated_at": "2026-08-20T11:59:00+00:00", "agent_id": "agent-b", "classification": "quota_slot_voided", "voids": turn_spend.generated_at},
			turn_spend,
			turn_row,
		]}}]),
		"spend.replay",
	],
	"spent without its turn": [
		scoped(named, [settled, {"runs": [mine(spent), turn_row]}]),
		"spend.duplicate",
	],
	"spent without its turn in the second of the delivery": [
		scoped(named, [settled, {"runs": [object.union(mine(spent), same_second), turn_row]}]),
		"spend.duplicate",
	],
	"spent in that second before the delivery": [
		scoped(named, [settled, {"runs": [turn_row, object.union(mine(spent), same_second)]}]),
		"spend.accepted",
	],
	"another todo": [scoped(asks({"todo_id": "todo_b"}), [runs([mine(delivered)])]), "spend.todo_mismatch"],
	"the todo of the delivery": [
		scoped(asks({"todo_id": "todo_b"}), [runs([object.union(mine(delivered), {"todo_id": "todo_b"})])]),
		"spend.accepted",
	],
	"no todo": [scoped(one, [runs([mine(delivered)])]), "spend.todo_required"],
	"no todo of a replan": [
		scoped(asks({"replan_obligation_id": "replan-1"}), [runs([object.union(mine(delivered), {"replan_obligation_id": "replan-1"})])]),
		"spend.accepted",
	],
	"a replan that delivered nothing": [
		scoped(asks({"replan_obligation_id": "replan-1"}), [runs([mine(delivered)])]),
		"spend.todo_required",
	],
	"no todo of an adapter": [scoped(asks({"source": "adapter"}), [runs([mine(delivered)])]), "spend.accepted"],
	"gate without delivery": [solo(one, [gated, runs([refreshed])]), "spend.bypass_no_delivery"],
	"gate after surface work": [solo(one, [gated, runs([surface, delivered])]), "spend.bypass_no_delivery"],
	"bridge repair without delivery": [solo(one, [bench]), "spend.bypass_no_delivery"],
	"boundary repair without delivery": [solo(one, [repairs_boundary]), "spend.bypass_no_delivery"],
	"replan without delivery": [solo(one, [stalled]), "spend.bypass_no_delivery"],
	"due monitor without transition": [
		scoped(asks({"todo_id": "todo_mon"}), [watcher, {"runs": [mine(delivered)]}]),
		"spend.bypass_no_delivery",
	],
	"due monitor after an unchanged poll": [
		scoped(asks({"todo_id": "todo_mon"}), [watcher, {"runs": [mine(polled({}))]}]),
		"spend.bypass_no_delivery",
	],
	"spent already": [solo(one, [runs([spent, delivered])]), "spend.duplicate"],
	"spent already, then refreshed": [solo(one, [runs([refreshed, object.union(spent, {"at_ns": refreshed.at_ns - 1})])]), "spend.duplicate"],
	"only a refresh": [solo(one, [runs([refreshed])]), "spend.no_accountable_delivery"],
	"surface work": [solo(one, [runs([surface, delivered])]), "spend.no_accountable_delivery"],
	"an outcome gap": [solo(one, [runs([object.union(surface, {"delivery_outcome": "outcome_gap"})])]), "spend.no_accountable_delivery"],
	"no run, but an older status run": [solo(one, [{"status_run": refreshed}]), "spend.no_accountable_delivery"],
	"another workspace": [
		solo(
			asks({"workspace": {"task_repository": "git:host/other", "peer_independent_worktree_required": false}}),
			[runs([in_workspace({"task_repository": "git:host/repo"})])],
		),
		"spend.workspace",
	],
	"no workspace of the caller": [solo(one, [runs([in_workspace({"task_repository": "git:host/repo"})])]), "spend.workspace"],
	"workspace required and not named": [
		solo(one, [runs([in_workspace({"peer_independent_worktree_required": true})])]),
		"spend.workspace",
	],
	"workspace not required": [solo(one, [runs([in_workspace({})])]), "spend.accepted"],
	"own workspace": [solo(here, [runs([in_workspace({"task_repository": "git:host/repo"})])]), "spend.accepted"],
	"unhealthy": [solo(one, [finding, runs([delivered])]), "spend.not_ok"],
	"private summary": [solo(asks({"reason_summary": "x", "private": ["credential"]}), [runs([delivered])]), "spend.event.public"],
	"long summary": [
		solo(asks({"reason_summary": concat("", ["a" | some _ in numbers.range(1, 241)])}), [runs([delivered])]),
		"spend.event.public",
	],
	"throttled": [solo(one, [full, runs([delivered])]), "spend.not_allowed"],
	"paused": [solo(one, [{"goal": {"quota": {"compute": 0}}}, runs([delivered])]), "spend.not_allowed"],
	"stopped": [solo(named, [{"goal": {"activation": "stopped"}}, runs([delivered])]), "spend.not_allowed"],
	"waiting without delivery": [solo(one, [waits, runs([spent])]), "spend.not_allowed"],
	"quiet monitor in a new goal": [
		solo(one, [{"todos": [object.union(watch, {"next_due_ns": testing.now_ns + testing.hour})]}]),
		"spend.not_allowed",
	],
	"empty history": [solo(one, []), "spend.accepted"],
	"map is the newest": [solo(one, [runs([mapped])]), "spend.accepted"],
	"map and then a refresh": [solo(one, [runs([object.union(refreshed, {"at_ns": testing.now_ns}), mapped])]), "spend.no_accountable_delivery"],
	"reserved minutes": [solo(object.union(slots(30), {"source": "controller"}), [runs([spent])]), "spend.accepted"],
	"delivery": [solo(one, [runs([delivered])]), "spend.accepted"],
}

here := asks({"workspace": {"task_repository": "git:host/repo", "peer_independent_worktree_required": false}})

in_workspace(fields) := object.union(delivered, {"delivery_workspace": object.union({"peer_independent_worktree_required": false}, fields)})

test_spend_rule[name] if {
	some name, case in cases
	got := spend.outcome.rule with input as case[0]
	got == case[1]
}

refusals := {name: case | some name, case in cases; not case[1] in {"spend.accepted", "spend.replay"}}

test_a_refusal_appends_nothing_and_names_its_rule[name] if {
	some name, case in refusals
	got := spend.result with input as case[0]
	got.ok == false
	got.effects == []
	got.document.ok == false
	got.document.appended == false
	got.document.error.rule_id == case[1]
	got.document.error.code == got.document.error_code
	got.document.reason != ""
	not got.document.after
}

# --- accept classes

class_cases := {
	"spend.class.eligible": [solo(one, [runs([delivered])]), "spend.class.eligible", "eligible"],
	"spend.class.safe_bypass": [solo(one, [gated, runs([delivered])]), "spend.class.safe_bypass", "safe_bypass"],
	"recovery": [solo(one, [floor]), "spend.class.safe_bypass", "safe_bypass"],
	"spend.class.capability_repair": [solo(one, [bench, runs([delivered])]), "spend.class.capability_repair", "capability_repair"],
	"spend.class.self_repair": [solo(one, [repairs_boundary, runs([delivered])]), "spend.class.self_repair", "self_repair"],
	"spend.class.monitor_due": [
		scoped(asks({"todo_id": "todo_mon"}), [watcher, {"runs": [mine(material)]}]),
		"spend.class.monitor_due",
		"monitor_due",
	],
	"spend.class.delivery_completion": [solo(one, [waits, runs([delivered])]), "spend.class.delivery_completion", "delivery_completion"],
	"completion of a known turn": [scoped(named, [settled, waits]), "spend.class.delivery_completion", "delivery_completion"],
	"replan with delivery": [
		solo(one, [{"runs": [delivered], "todos": [], "archived_done": []}]),
		"spend.class.eligible",
		"eligible",
	],
}

# the floor holds the goal and its recovery delivered
floor := {
	"goal": {"execution_profile": {"outcome_floor": {"outcome_markers": [], "surface_only_hints": []}}},
	"runs": [mine(object.union(delivered, {"progress_scope": "agent_lane"})), surface, surface, surface],
}

test_spend_class[name] if {
	some name, case in class_cases
	got := spend.class with input as case[0]
	got == case[1]
	answer := spend.result.document with input as case[0]
	answer.accounting == case[2]
	answer.warnings == []
}

# without its delivery no class but the eligible one accepts
needy := object.remove(class_cases, ["spend.class.eligible", "replan with delivery", "recovery"])

test_spend_class_needs_delivery[name] if {
	some name, case in needy
	got := spend.outcome.value.ok with input as object.union(case[0], {"runs": [], "trace": {"rows": [], "events": []}})
	got == false
}

# --- settings

test_require_delivery_record_refuses_the_exemption[name] if {
	some name, rows in {"empty": {}, "map": runs([mapped])}
	got := spend.outcome.rule with input as solo(one, [rows])
		with data.loopx.settings.spend.require_delivery_record as true
	got == "spend.no_accountable_delivery"
}

# --- what is written

effect := found if {
	found := spend.result.effects with input as solo(asks({"slots": "2", "slot_count": 2}), [runs([delivered])])
}

test_spend_effects_append_one_run_and_its_event if {
	[effect[0].kind, effect[1].kind] == ["append_run", "append_event"]
	count(effect) == 2
	effect[0].suffix == "quota-slot-spent"
	effect[0].generated_at == "2026-08-20T12:00:00+00:00"
	effect[0].row == effect[0].record
	record := effect[0].record
	object.keys(record) == {"generated_at", "goal_id", "classification", "recommended_action", "health_check", "quota_event"}
	record.classification == "quota_slot_spent"
	record.recommended_action != ""
	event := record.quota_event
	object.keys(event) == {
		"event_type", "source", "slots", "todo_id", "replan_obligation_id", "turn_instance_id",
		"settlement_identity", "reason_summary", "delivery_run_generated_at", "delivery_run_classification",
		"delivery_run_agent_id", "delivery_run_recommended_action", "delivery_workspace", "delivery_workspace_causality",
		"delivery_workspace_validated", "before", "after",
	}
	event.event_type == "quota_slot_spent"
	event.source == "heartbeat"
	event.slots == 2
	event.delivery_run_generated_at == "2026-08-20T11:55:00+00:00"
	event.delivery_run_classification == "parser_advanced"
	event.delivery_run_recommended_action == "Carry on."
	event.before.spent_slots == 0
	event.after.spent_slots == 2
	event.after == object.union(event.before, {"spent_slots": 2})
	every key in ["todo_id", "replan_obligation_id", "turn_instance_id", "settlement_identity", "delivery_workspace"] {
		event[key] == null
	}
	effect[1].event.event_kind == "quota_spend"
	effect[1].required == false
	effect[1].unique == false
	effect[1].event.details == {
		"slots": 2,
		"source": "heartbeat",
		"delivery_run_generated_at": "2026-08-20T11:55:00+00:00",
	}
	count([line | some line in effect[0].markdown; contains(line, "0 -> 2 of 1440")]) == 1
}

test_spend_settlement_identity_binds_the_turn if {
	got := spend.result with input as scoped(named, [settled])
	identity := {
		"schema_version": "quota_settlement_identity_v0",
		"effect_id": "g1:agent-a:todo_tok:turn-1",
		"goal_id": "g1",
		"agent_id": "agent-a",
		"turn_instance_id": "turn-1",
		"todo_id": "todo_tok",
	}
	record := got.effects[0].record
	record.settlement_identity == identity
	record.turn_instance_id == "turn-1"
	record.todo_id == "todo_tok"
	record.agent_id == "agent-a"
	record.quota_event.settlement_identity == identity
	record.quota_event.agent_id == "agent-a"
	record.quota_event.turn_instance_id == "turn-1"
	got.document.settlement_identity == identity
	got.effects[1].unique
	got.effects[1].event.run_id == "turn-1"
	got.effects[1].event.todo_id == "todo_tok"
	got.effects[1].event.details.settlement_effect_id == identity.effect_id
}

effect_cases := {
	"obligation": {
		"facts": scoped(asks({"replan_obligation_id": "replan-1"}), [{
			"runs": [replan_row],
			"request": {"turn_instance_id": "turn-1"},
			"trace": {"rows": [replan_row], "events": []},
		}]),
		"want": "g1:agent-a:autonomous_replan:replan-1:turn-1",
	},
	"bound by the receipt": {
		"facts": scoped(asks({}), [settled]),
		"want": "g1:agent-a:todo_tok:turn-1",
	},
	"bound by a receipt with a todo of its own": {
		"facts": scoped(asks({}), [trace([turn_row], [object.union(receipt({}), {"todo_id": "todo_tok"})])]),
		"want": "g1:agent-a:todo_tok:turn-1",
	},
	"bound to nothing": {
		"facts": scoped(asks({"source": "adapter"}), [trace([turn_row], [])]),
		"want": "g1:agent-a:unbound:turn-1",
	},
	"turn of the delivery": {
		"facts": scoped(asks({}), [{"runs": [with_turn(delivered, "turn-9")]}]),
		"want": "g1:agent-a:todo_tok:turn-9",
	},
}

replan_row := object.remove(object.union(turn_row, {"replan_obligation_id": "replan-1"}), ["todo_id"])

test_spend_effect_id[name] if {
	some name, case in effect_cases
	spend.effect_id == case.want with input as case.facts
}

test_spend_without_turn_has_no_identity if {
	not spend.settlement_identity with input as scoped(one, [{"runs": [mine(delivered)]}])
	not spend.settlement_identity with input as scoped(one, [{"runs": [object.union(with_turn(delivered, "t"), {"agent_id": "agent-b"})]}])
}

test_spend_settlement_conflict_names_the_fields if {
	facts := scoped(named, [trace([turn_row], [written_back, receipt({"replan_obligation_id": "replan-1"})])])
	got := spend.result.document with input as facts
	got.settlement_failure == "spend.settlement.conflict"
	got.conflict_fields == ["todo_id", "replan_obligation_id"]
	missing := spend.result.document with input as scoped(named, [trace([turn_row], [written_back])])
	missing.settlement_failure == "spend.settlement.receipt"
	missing.conflict_fields == []
	row := spend.result.document with input as scoped(named, [trace([], [written_back, bound])])
	row.settlement_failure == "spend.settlement.writeback"
	event := spend.result.document with input as scoped(named, [trace([turn_row], [bound])])
	event.settlement_failure == "spend.settlement.event"
}

# --- replay

test_spend_replay_gives_the_first_receipt if {
	got := spend.result with input as scoped(named, [spent_turn])
	got.ok
	got.effects == []
	got.document.idempotent_replay
	got.document.receipt_repair_required == false
	got.document.appended == false
	got.document.generated_at == "2026-08-20T11:58:00+00:00"
	got.document.json_path == "/r/s.json"
	got.document.markdown_path == "/r/s.md"
	got.document.slots == 1
	got.document.delivery_run_generated_at == "2026-08-20T11:55:00+00:00"
	got.document.settlement_identity.effect_id == "g1:agent-a:todo_tok:turn-1"
}

test_spend_replay_appends_the_missing_event if {
	got := spend.result with input as scoped(named, [trace([turn_spend, turn_row], [written_back, bound])])
	got.document.receipt_repair_required
	got.document.appended == false
	count(got.effects) == 1
	got.effects[0].kind == "append_event"
	got.effects[0].unique
	got.effects[0].event.details.slots == 1
	got.effects[0].event.details.delivery_run_generated_at == "2026-08-20T11:55:00+00:00"
}

test_spend_replay_of_an_inferred_turn_knows_no_delivery if {
	got := spend.result.document with input as scoped(named, [{"runs": [object.remove(turn_spend, ["slots", "json_path", "markdown_path"])]}])
	got.idempotent_replay
	got.delivery_run_generated_at == null
	got.generated_at == "2026-08-20T11:58:00+00:00"
}

# --- the event rules

after_cases := {
	"room is left": {"facts": nearly_empty, "slots": 1, "want": ["eligible", true, "normal_run", 1]},
	"the last slot": {"facts": nearly_full, "slots": 1, "want": ["throttled", false, "throttled_skip", 12]},
	"beyond the last": {"facts": nearly_full, "slots": 3, "want": ["throttled", false, "throttled_skip", 14]},
	"the last slot of a gated goal": {
		"facts": object.union(nearly_full, {"goal": {"waiting_on": "controller"}}),
		"slots": 1,
		"want": ["throttled", false, "throttled_skip", 12],
	},
}

nearly_empty := {"goal": {"quota": {"allowed_slots": 12}}}

# spend.after.throttled, spend.after.stands
test_spend_after[name] if {
	some name, case in after_cases
	got := spend.result.document with input as solo(slots(case.slots), [runs([delivered]), case.facts])
	[got.after.state, got.after.should_run, got.after.effective_action, got.after.spent_slots] == case.want
	throttles := case.want[0] == "throttled"
	got.would_throttle == throttles
	got.before.allowed_slots == 12
	got.after.allowed_slots == 12
	got.after.safe_bypass_allowed == false
}

broken_cases := {
	"sum": {"spent_slots": 7},
	"not throttled": {"allowed_slots": 1},
	"runs on": {"allowed_slots": 1, "state": "throttled"},
	"other share": {"compute": 0.5},
	"other window": {"window_hours": 48},
}

test_spend_event_is_refused_when_it_breaks_the_ledger[name] if {
	some name, change in broken_cases
	facts := solo(one, [runs([delivered])])
	changed := object.union(data.loopx.writeback.spend.after, change) with input as facts
	got := spend.outcome.rule with input as facts with spend.after as changed
	got == "spend.event"
}

# --- preview

test_spend_preview_shows_effects_and_appends_nothing if {
	got := spend.result with input as solo(one, [runs([delivered]), {"request": {"execute": false}}])
	got.ok
	got.document.dry_run
	got.document.appended == false
	got.document.after.spent_slots == 1
	count(got.effects) == 2
	executed := spend.result with input as solo(one, [runs([delivered])])
	executed.document.appended
	executed.document.dry_run == false
	executed.effects == got.effects
}

test_spend_warn_no_record if {
	got := spend.result.document with input as solo(one, [])
	got.warnings == ["spend_without_delivery_record"]
	got.delivery_run_generated_at == null
	got.delivery_run_classification == null
}

test_spend_workspace_is_kept if {
	got := spend.quota_event with input as solo(here, [runs([in_workspace({"task_repository": "git:host/repo"})])])
	got.delivery_workspace.task_repository == "git:host/repo"
	got.delivery_workspace_validated
}

test_spend_summary_of_the_caller if {
	got := spend.result with input as solo(asks({"reason_summary": "Tokenizer done."}), [runs([delivered])])
	got.document.reason_summary == "Tokenizer done."
	got.effects[0].record.quota_event.reason_summary == "Tokenizer done."
}

test_spend_names_the_next_action_of_the_guard if {
	paused := solo(named, [{"goal": {"activation": "stopped"}}, runs([delivered])])
	spend.recommended_action == data.loopx.settings.spend.record.recommended_action with input as paused
	spend.recommended_action != data.loopx.settings.spend.record.recommended_action with input as solo(one, [runs([delivered])])
}

package loopx.writeback.refresh_test

import data.loopx.frontier
import data.loopx.testing
import data.loopx.writeback.refresh

state := {"state": {"sha256_16": "abcd", "front": {"updated_at": "2026-08-20T11:00:00+00:00", "status": "active"}}}

worktree := {"directory": true, "git": true, "linked": true, "canonical": false, "repository": "git:example.com/team/parser"}

tok := testing.advancement("todo_tok", {"updated_ns": testing.now_ns - testing.minute, "updated_at": "x"})

# One agent, no team.
run(change, write) := found if {
	given := object.union_n([
		testing.facts({"request": {"command": "refresh-state", "execute": true}, "todos": [tok]}),
		state,
		change,
		{"write": {"refresh": object.union({"checkout": worktree, "recent_feedback": [], "progress": []}, write)}},
	])
	found := refresh.result with input as given
}

team := {"goal": {"agents": ["agent-a", "agent-b"]}, "request": {"agent_id": "agent-a"}}

# Two turns that saw nothing new make an obligation.
stalled := {"runs": [testing.run(5, "no_progress_seen", {"generated_at": "2026-08-20T11:55:00+00:00"}), testing.run(10, "no_progress_seen", {})]}

obligation_id := id if {
	id := frontier.obligation.obligation_id with input as object.union_n([testing.facts({"todos": [tok]}), state, stalled])
}

progress := {"delivery_outcome": "outcome_progress"}

long_text := concat("", ["x" | some _ in numbers.range(1, 2001)])

cases := {
	"preview and execution": [{"request": {"dry_run": true}}, {}, "write.request"],
	"unknown caller": [object.union(team, {"request": {"agent_id": "agent-z"}}), {}, "write.identity"],
	"no state": [{"state": {"exists": false}}, {}, "refresh.state_file"],
	"team without agent": [object.union(team, {"request": {"agent_id": ""}}), {}, "refresh.agent"],
	"outcome": [{}, {"delivery_outcome": "great"}, "refresh.outcome_enum"],
	"classification": [{}, {"classification": "two words"}, "refresh.classification"],
	"spend in disguise": [{}, {"classification": "quota_slot_spent"}, "refresh.reserved"],
	"map in disguise": [{}, {"classification": "Read_only_project_map"}, "refresh.reserved"],
	"scale": [{}, {"delivery_batch_scale": "huge"}, "refresh.delivery"],
	"boundary": [{}, {"delivery_boundary": "somewhere"}, "refresh.delivery"],
	"scope": [{}, {"progress_scope": "world"}, "refresh.scope"],
	"lane without agent": [{}, {"progress_scope": "agent_lane"}, "refresh.scope"],
	"next action of a lane": [team, {"next_actions": ["Go on."]}, "refresh.next_action"],
	"next action as a heading": [{}, {"next_actions": ["# Go on."]}, "refresh.next_action"],
	"empty next action": [{}, {"next_actions": [" "]}, "refresh.next_action"],
	"long action": [{}, {"recommended_action": long_text}, "refresh.long"],
	"todo": [{}, {"todo_id": "todo_none"}, "refresh.todo"],
	"todo and obligation": [stalled, {"todo_id": "todo_tok", "replan_obligation_id": obligation_id}, "refresh.todo"],
	"archived todo": [{"archived_done": [{"id": "todo_arc", "status": "done", "no_followup": false}]}, {"todo_id": "todo_arc"}, "refresh.write"],
	"no obligation": [{}, {"replan_obligation_id": "replan-0123456789abcdef"}, "refresh.obligation"],
	"another obligation": [stalled, {"replan_obligation_id": "replan-0123456789abcdef"}, "refresh.obligation"],
	"turn id": [object.union(team, {"request": {"turn_instance_id": "a b"}}), {}, "write.request"],
	"progress": [{}, {"progress_result": "Not so good"}, "refresh.progress"],
	"vision": [{}, {"vision_text": "{"}, "refresh.progress"],
	"vision without state": [{}, {"vision_text": "{}"}, "refresh.progress"],
	"workspace missing": [{}, {"workspace_path": "/w", "checkout": {"directory": false, "git": false}}, "refresh.workspace_path"],
	"workspace without git": [{}, {"workspace_path": "/w", "checkout": {"git": false}}, "refresh.workspace_path"],
	"workspace of the goal": [team, {"workspace_path": "/w", "checkout": {"canonical": true}}, "refresh.workspace_path"],
	"workspace of the goal by place": [team, object.union(progress, {"checkout": {"canonical": true}}), "refresh.workspace_path"],
	"workspace without origin": [team, object.union(progress, {"checkout": {"repository": ""}}), "refresh.workspace_path"],
	"workspace of the goal alone": [{}, {"workspace_path": "/w", "checkout": {"canonical": true}}, "refresh.write"],
	"workspace of a team that shares one": [
		object.union(team, {"goal": {"independent_worktree": false}}),
		object.union(progress, {"checkout": {"canonical": true}}),
		"refresh.write",
	],
	"workspace of one agent that may not share": [
		{"goal": {"independent_worktree": true}},
		object.union(progress, {"checkout": {"canonical": true}}),
		"refresh.workspace_path",
	],
	"plain refresh anywhere": [team, {"checkout": {"directory": true, "git": false}}, "refresh.write"],
	"delta kind": [{}, {"delta_kinds": ["magic"]}, "refresh.delta_kind"],
	"bare flag": [{"todos": []}, {"replan_recorded": true}, "refresh.delta_evidence"],
	"claim without evidence": [{}, {"delta_kinds": ["blocker"]}, "refresh.delta_evidence"],
	"gap": [
		object.union(stalled, {"todos": [testing.user_todo("todo_g", "user_gate", {"updated_ns": testing.now_ns})]}),
		object.union(progress, {"replan_recorded": true, "delta_kinds": ["user_gate"]}),
		"refresh.replan_outcome",
	],
	"plain": [{}, {}, "refresh.write"],
	"delivery": [{}, progress, "refresh.write"],
	"team delivery": [team, progress, "refresh.write"],
}

test_refresh_rule[name] if {
	some name, case in cases
	run(case[0], case[1]).document.rule == case[2]
}

refusals := {name: case | some name, case in cases; not case[2] in {"refresh.write", "refresh.replan_outcome"}}

test_refusals_change_nothing_and_name_their_rule[name] if {
	some name, case in refusals
	found := run(case[0], case[1])
	found.ok == false
	found.effects == []
	found.document.written == false
	found.document.error.rule_id == case[2]
}

test_refresh_without_flags_is_plain if {
	given := object.union(testing.facts({"request": {"command": "refresh-state"}}), state)
	found := refresh.result with input as given
	found.document.rule == "refresh.write"
	found.document.classification == "state_refreshed"
	found.document.accountable == false
	not found.document.delivery_outcome
}

effect(found, kind) := [e | some e in found.effects; e.kind == kind][0]

test_refresh_writeback_is_one_run_its_event_and_the_projection if {
	found := run({}, {})
	[e.kind | some e in found.effects] == ["append_run", "append_event", "sync_global"]
	[e.kind | some e in run({}, {"no_global_sync": true}).effects] == ["append_run", "append_event"]
	row := effect(found, "append_run").row
	row == {
		"generated_at": "2026-08-20T12:00:00+00:00",
		"goal_id": "g1",
		"classification": "state_refreshed",
		"recommended_action": "Carry on with the parser work and run its unit tests.",
		"recommended_action_source": "active_state_next_action",
		"health_check": "state file read",
		"progress_scope": "goal",
		"runtime_projection_route": {"schema_version": "runtime_projection_route_v0", "status": "single_runtime"},
		"state": {"sha256_16": "abcd", "frontmatter": {"updated_at": "2026-08-20T11:00:00+00:00"}},
	}
	record := effect(found, "append_run").record
	record.state.path == "goals/g1/ACTIVE_GOAL_STATE.md"
	record.state.next_action == ["Carry on with the parser work and run its unit tests."]
	record.registry_goal.id == "g1"
	object.remove(record, ["state", "registry_goal"]) == object.remove(row, ["state"])
	effect(found, "append_run").suffix == ""
	"- outcome: -" in effect(found, "append_run").markdown
}

test_refresh_neutral_has_no_outcome_whatever_its_label if {
	found := run({}, {"classification": "x_outcome_progress"})
	not effect(found, "append_run").row.delivery_outcome
	found.document.accountable == false
}

test_refresh_outcome_enum_makes_a_row_accountable if {
	found := run({}, object.union(progress, {"classification": "tokenizer_done", "delivery_batch_scale": "single_segment", "delivery_boundary": "semantic_closeout"}))
	row := effect(found, "append_run").row
	row.delivery_outcome == "outcome_progress"
	row.delivery_batch_scale == "single_surface"
	row.delivery_boundary == "semantic_closeout"
	found.document.accountable
	run({}, {"delivery_outcome": "surface_only"}).document.accountable == false
	contains(run({}, {}).document.reason, "--delivery-outcome")
	not contains(found.document.reason, "--delivery-outcome")
}

test_refresh_source_of_the_action if {
	run({}, {"recommended_action": "Do."}).document.recommended_action_source == "explicit_arg"
	run({"state": {"next_actions": []}}, {}).document.recommended_action_source == "agent_todo_fallback"
	run({"state": {"next_actions": []}}, {}).document.recommended_action == "[P1] Implement the tokenizer."
	run({"state": {"next_actions": []}, "todos": []}, {}).document.recommended_action_source == "default_refresh_action"
	written := run({}, {"next_actions": ["Go  on."]})
	written.document.recommended_action == "Go on."
	written.document.recommended_action_source == "active_state_next_action"
}

test_refresh_next_action_is_written_without_a_binding if {
	found := run({}, {"next_actions": ["Go on.", "Then stop."]})
	found.effects[0] == {
		"kind": "edit_state",
		"goal_id": "g1",
		"digest": "abcd",
		"updated_at": "2026-08-20T12:00:00+00:00",
		"edits": [{"op": "next_action", "lines": ["Go on.", "Then stop."]}],
	}
	effect(found, "append_run").record.state.next_action == ["Go on.", "Then stop."]
}

test_refresh_scope_of_a_team_is_the_lane if {
	row := effect(run(team, {}), "append_run").row
	row.progress_scope == "agent_lane"
	row.agent_lane == "agent-a"
	row.agent_id == "agent-a"
	wide := effect(run(team, {"progress_scope": "goal", "agent_lane": "docs"}), "append_run").row
	wide.progress_scope == "goal"
	wide.agent_lane == "docs"
}

test_refresh_workspace_path_is_not_recorded if {
	found := run(team, object.union(progress, {"workspace_path": "/secret/place"}))
	not contains(json.marshal(found), "/secret/place")
	effect(found, "append_run").row.delivery_workspace == {
		"schema_version": "delivery_workspace_v0",
		"repository_source": "origin_remote",
		"task_repository": "git:example.com/team/parser",
		"workspace_kind": "independent_git_worktree",
		"peer_independent_worktree_required": true,
	}
	other := run(team, object.union(progress, {"checkout": {"linked": false}}))
	other.document.delivery_workspace.workspace_kind == "independent_git_checkout"
	canonical := run({}, object.union(progress, {"workspace_path": "/w", "checkout": {"canonical": true}}))
	canonical.document.delivery_workspace.workspace_kind == "canonical_git_checkout"
	not run({}, progress).document.delivery_workspace
}

test_refresh_turn_is_settled_by_its_binding if {
	turn := object.union(team, {"request": {"turn_instance_id": "t1"}})
	found := run(turn, object.union(progress, {"todo_id": "TODO_tok"}))
	found.document.settlement_identity == {
		"schema_version": "quota_settlement_identity_v0",
		"effect_id": "g1:agent-a:todo_tok:t1",
		"goal_id": "g1",
		"agent_id": "agent-a",
		"turn_instance_id": "t1",
		"todo_id": "todo_tok",
	}
	event := effect(found, "append_event").event
	event.run_id == "t1"
	event.todo_id == "todo_tok"
	event.details.settlement_effect_id == "g1:agent-a:todo_tok:t1"
	not run(turn, {}).document.settlement_identity
}

test_refresh_turn_of_a_replan if {
	turn := object.union_n([team, stalled, {"request": {"turn_instance_id": "t1"}}])
	id := frontier.obligation.obligation_id with input as object.union_n([testing.facts({"todos": [tok]}), state, team, stalled])
	found := run(turn, {"replan_obligation_id": id})
	found.document.rule == "refresh.obligation"
	mine := object.union(turn, {"runs": [
		testing.run(5, "no_progress_seen", {"agent_id": "agent-a"}),
		testing.run(10, "no_progress_seen", {"agent_id": "agent-a"}),
	]})
	own := frontier.obligation.obligation_id with input as object.union_n([testing.facts({"todos": [tok]}), state, mine])
	bound := run(mine, {"replan_obligation_id": own})
	bound.document.settlement_identity.effect_id == concat(":", ["g1:agent-a:autonomous_replan", own, "t1"])
	effect(bound, "append_event").event.details.replan_obligation_id == own
}

test_refresh_obligation_that_its_turn_gave_may_be_met_already if {
	receipt := {"event_kind": "quota_should_run", "agent_id": "agent-a", "details": {"replan_obligation_id": "replan-0123456789abcdef"}}
	named := {"replan_obligation_id": "replan-0123456789abcdef"}
	run(change(receipt), named).document.rule == "refresh.write"
	gated := object.union(change(receipt), {"todos": [testing.user_todo("todo_g", "user_gate", fresh)]})
	run(gated, object.union(named, progress)).document.delivery_outcome == "outcome_gap"
	run(change(object.union(receipt, {"agent_id": "agent-b"})), named).document.rule == "refresh.obligation"
	run(change(object.union(receipt, {"event_kind": "refresh_state"})), named).document.rule == "refresh.obligation"
}

change(event) := object.union(team, {"request": {"turn_instance_id": "t1"}, "trace": {"rows": [], "events": [event]}})

test_refresh_progress_and_vision_are_recorded if {
	row := effect(run({}, {"progress_result": "unchanged", "progress_fingerprint": "f", "vision_text": `{"state":"open"}`}), "append_run").row
	row.progress_observation == {"result": "unchanged", "fingerprint": "f"}
	row.agent_vision == {"state": "open"}
}

# --- order

test_refresh_order_warns if {
	unspent := {"runs": [testing.run(5, "x", {"delivery_outcome": "outcome_progress"})]}
	run(unspent, progress).document.warnings == ["unspent_delivery_exists"]
	run(unspent, {}).document.warnings == []
	spent := object.union(team, {
		"request": {"turn_instance_id": "t1"},
		"runs": [testing.run(5, "quota_slot_spent", {"turn_instance_id": "t1", "agent_id": "agent-a"})],
	})
	run(spent, progress).document.warnings == ["delivery_after_spend"]
	run(object.union(spent, {"request": {"turn_instance_id": "t2"}}), progress).document.warnings == []
}

# --- replan

fresh := {"updated_ns": testing.now_ns, "updated_at": "x"}

stale := {"updated_ns": testing.now_ns - (10 * testing.minute), "updated_at": "x"}

watched := {
	"target_key": "page",
	"cadence": "30m",
	"next_due_at": "x",
	"next_due_ns": testing.now_ns + testing.hour,
	"expires_at": "x",
	"expires_ns": testing.now_ns + testing.hour,
}

# facts, flags, kinds that the state shows
evidence := {
	"runnable": [{"todos": [testing.advancement("todo_n", fresh)]}, {}, ["runnable_todo_set"]],
	"before the obligation": [{"todos": [testing.advancement("todo_n", stale)]}, {}, []],
	"without a time": [{"todos": [testing.advancement("todo_n", {})]}, {}, []],
	"gate": [{"todos": [testing.user_todo("todo_g", "user_gate", fresh)]}, {}, ["user_gate"]],
	"blocker": [{"todos": [testing.agent_todo("todo_b", object.union(fresh, {"task_class": "blocker"}))]}, {}, ["blocker"]],
	"superseded": [
		{"todos": [testing.advancement("todo_s", object.union(fresh, {"status": "done", "superseded_by": "todo_n"}))]},
		{},
		["successor_or_supersede"],
	],
	"successor": [
		{"todos": [testing.agent_todo("todo_b", object.union(fresh, {"task_class": "blocker", "unblocks_todo_id": "todo_n"}))]},
		{},
		["blocker", "successor_or_supersede"],
	],
	"gate before a todo": [{"todos": [testing.user_todo("todo_g", "user_gate", object.union(fresh, {"unblocks_todo_id": "todo_n"}))]}, {}, ["user_gate"]],
	"watch before a todo": [
		{"todos": [testing.monitor("todo_m", object.union(fresh, {"target_key": "page", "unblocks_todo_id": "todo_n"}))]},
		{},
		["monitor_target"],
	],
	"capability": [
		{"todos": [testing.advancement("todo_c", object.union(fresh, {"status": "deferred", "target_capabilities": ["gpu"]}))]},
		{},
		["capability_gate"],
	],
	"target": [{"todos": [testing.monitor("todo_m", object.union(fresh, {"target_key": "page", "watch_only": true}))]}, {}, ["monitor_target"]],
	"next action": [{"todos": []}, {"next_actions": ["Another."]}, ["active_state_next_action"]],
	"same next action": [{"todos": []}, {"next_actions": ["Carry on with the parser work and run its unit tests."]}, []],
	"vision": [{"todos": []}, {"vision_text": `{"state":"open"}`}, ["goal_vision_patch"]],
	"boundary": [
		{"todos": [], "goal": {"boundary_authority": [{"write_scope": ["a"], "recorded_ns": testing.now_ns}]}},
		{},
		["goal_boundary_projection"],
	],
	"old boundary": [{"todos": [], "goal": {"boundary_authority": [{"write_scope": ["a"], "recorded_ns": 5}]}}, {}, []],
	"no follow-up": [
		{"todos": [testing.advancement("todo_d", object.union(fresh, {"status": "done", "no_followup": true}))]},
		{},
		["no_followup"],
	],
	"explored": [
		{"todos": [testing.advancement("todo_d", object.union(fresh, {"status": "done", "evidence": "e"}))]},
		{},
		["exploration_exhausted"],
	],
	"watch until it expires": [{"todos": [testing.monitor("todo_m", watched)]}, {}, ["watch_lane_continuation"]],
	"watch until a condition": [
		{"todos": [testing.monitor("todo_m", object.union(
			object.remove(watched, ["expires_at", "expires_ns"]),
			{"resume_when": "capacity_available:gpu"},
		))]},
		{},
		["watch_lane_continuation"],
	],
	"watch for ever": [{"todos": [testing.monitor("todo_m", object.remove(watched, ["expires_at", "expires_ns"]))]}, {}, []],
	"watch without cadence": [{"todos": [testing.monitor("todo_m", object.remove(watched, ["cadence"]))]}, {}, []],
}

test_refresh_delta_evidence_of_the_state[name] if {
	some name, case in evidence
	given := object.union_n([
		testing.facts({"request": {"command": "refresh-state"}}),
		state,
		stalled,
		case[0],
		{"write": {"refresh": object.union({"checkout": worktree}, case[1])}},
	])
	found := {kind | some kind, _ in refresh.shown} with input as given
	found == {kind | some kind in case[2]}
}

test_refresh_delta_evidence_without_an_obligation_counts_since_the_last_acknowledgement if {
	acknowledged := {"runs": [testing.run(5, "x", {"ack": {
		"schema_version": "autonomous_replan_ack_v0",
		"recorded": true,
		"delta_schema_version": "repair_delta_contract_v0",
		"delta_present": true,
		"delta_kinds": ["blocker"],
		"semantic_present": false,
		"semantic_accepted": false,
		"semantic_outcomes": [],
	}})]}
	refresh.since == testing.now_ns - (5 * testing.minute) with input as object.union_n([testing.facts({}), state, acknowledged])
	refresh.since == 0 with input as object.union(testing.facts({}), state)
}

test_refresh_delta_evidence_acknowledges if {
	found := run(stalled, {"replan_recorded": true})
	found.ok
	ack := effect(found, "append_run").row.autonomous_replan_ack
	ack.schema_version == "autonomous_replan_ack_v0"
	ack.recorded
	ack.requested_classification == "state_refreshed"
	ack.delta_contract == {
		"schema_version": "repair_delta_contract_v0",
		"required": true,
		"delta_present": true,
		"delta_kinds": ["runnable_todo_set"],
		"auto_evidence": ["runnable_todo_set"],
		"accepted_without_delta": false,
	}
	run({}, {"replan_recorded": true}).document.autonomous_replan_ack.delta_contract.required == false
	not run(stalled, {"delta_kinds": ["runnable_todo_set"]}).document.autonomous_replan_ack
}

test_refresh_delta_evidence_of_a_watch_is_said if {
	watch := {"todos": [testing.monitor("todo_m", watched)]}
	run(watch, {"replan_recorded": true}).document.rule == "refresh.delta_evidence"
	said := run(watch, {"replan_recorded": true, "delta_kinds": ["watch_lane_continuation"]})
	said.document.autonomous_replan_ack.delta_contract.delta_kinds == ["watch_lane_continuation"]
	retargeted := {"todos": [testing.monitor("todo_m", object.union(watched, fresh))]}
	contract := run(retargeted, {"replan_recorded": true}).document.autonomous_replan_ack.delta_contract
	contract.delta_kinds == ["monitor_target"]
	contract.auto_evidence == ["monitor_target", "watch_lane_continuation"]
}

test_refresh_replan_outcome_is_normalised if {
	case := cases.gap
	found := run(case[0], case[1])
	found.document.delivery_outcome == "outcome_gap"
	found.document.requested_delivery_outcome == "outcome_progress"
	found.document.accountable == false
	effect(found, "append_run").row.delivery_outcome == "outcome_gap"

	# a change of the executable frontier may be spent
	run(stalled, object.union(progress, {"replan_recorded": true})).document.delivery_outcome == "outcome_progress"

	# the gate that a replan adds leaves no obligation to stand; the outcome is still a gap
	gates := {"todos": [testing.user_todo("todo_g", "user_gate", {"updated_ns": testing.now_ns}), tok]}
	gated := object.union(progress, {"replan_recorded": true, "delta_kinds": ["user_gate"]})
	run(gates, gated).document.delivery_outcome == "outcome_gap"
	run(gates, object.union(progress, {"delta_kinds": ["user_gate"]})).document.delivery_outcome == "outcome_gap"

	# the work of a todo is no replan
	run(gates, object.union(gated, {"todo_id": "todo_tok"})).document.delivery_outcome == "outcome_progress"

	# naming the obligation alone is enough to be held to it
	named := run(object.union(stalled, {"todos": []}), object.union(progress, {"replan_obligation_id": obligation_of_nothing}))
	named.document.delivery_outcome == "outcome_gap"
}

obligation_of_nothing := id if {
	id := frontier.obligation.obligation_id with input as object.union_n([testing.facts({}), state, stalled])
}

ended := {"todos": [testing.advancement("todo_d", object.union(fresh, {"status": "done", "no_followup": true}))]}

test_refresh_replan_outcome_of_an_end_needs_a_terminal_frontier if {
	write := object.union(progress, {"replan_recorded": true, "delta_kinds": ["no_followup"]})
	given := object.union_n([
		testing.facts({"request": {"command": "refresh-state", "execute": true}}),
		state,
		stalled,
		ended,
		{"write": {"refresh": object.union({"checkout": worktree}, write)}},
	])
	closed := refresh.result with input as given with data.loopx.frontier.terminal as true
	closed.document.delivery_outcome == "outcome_progress"
	watching := refresh.result with input as given with data.loopx.frontier.terminal as false
	watching.document.delivery_outcome == "outcome_gap"
}

test_refresh_replan_outcome_of_an_unbound_refresh_under_an_obligation if {
	asked_to_replan := object.union(stalled, {"todos": [object.union(tok, {"updated_ns": 5})]})
	unbound := run(asked_to_replan, progress)
	unbound.document.delivery_outcome == "outcome_gap"
	bound := run(asked_to_replan, object.union(progress, {"todo_id": "todo_tok"}))
	bound.document.delivery_outcome == "outcome_progress"

	# what the state shows counts without being claimed
	run(stalled, progress).document.delivery_outcome == "outcome_progress"

	# a goal that may not run was asked for nothing
	paused := object.union(asked_to_replan, {"goal": {"quota": {"compute": 0}}})
	run(paused, progress).document.delivery_outcome == "outcome_progress"
}

test_refresh_replan_outcome_of_a_named_obligation_in_a_resting_goal if {
	resting := object.union(stalled, {"todos": [], "goal": {"quota": {"compute": 0}}})
	named := run(resting, object.union(progress, {"replan_obligation_id": obligation_of_nothing}))
	named.document.delivery_outcome == "outcome_gap"
}

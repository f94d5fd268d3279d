package loopx.writeback.todo_write_test

import data.loopx.testing
import data.loopx.writeback.todo_write

tok := testing.advancement("todo_tok", {"claimed_by": "agent-a", "action_kind": "implement", "updated_at": "2026-08-20T11:00:00+00:00"})

free := testing.advancement("todo_free", {"index": 2, "text": "[P2] Write the docs.", "excluded_agents": ["agent-b"]})

watch := testing.monitor("todo_watch", {
	"index": 3,
	"text": "Watch the page.",
	"target_key": "page",
	"cadence": "30m",
	"next_due_at": "2026-08-20T13:00:00+00:00",
	"next_due_ns": testing.now_ns + testing.hour,
	"watch_only": true,
})

closed := testing.advancement("todo_old", {"index": 4, "status": "done", "text": "Old.", "completed_at": "2026-08-19T12:00:00+00:00", "evidence": "e"})

gate := testing.user_todo("todo_gate", "user_gate", {"bound_agent": "agent-a"})

state := {"state": {"sha256_16": "abcd", "next_action_binding": "todo_tok", "user_section": "User Todo"}}

all := [tok, free, watch, closed, gate]

run(command, change, write) := found if {
	given := object.union_n([
		testing.team({"request": {"command": command, "execute": true}, "todos": all}),
		state,
		change,
		{"write": {"todo": write}},
	])
	found := todo_write.result with input as given
}

# One agent, no roster, no caller.
alone := {"goal": {"agents": []}, "request": {"agent_id": ""}}

agent_add(change) := object.union({"role": "agent", "text": "[P0] Fix the crash.", "fields": {"task_class": "advancement_task"}}, change)

user_add(change) := object.union({"role": "user", "text": "Read the note.", "fields": {"task_class": "user_action"}}, change)

nobody := {"request": {"agent_id": ""}}

long_text := concat("", ["x" | some _ in numbers.range(1, 501)])

# command, facts, flags, rule
cases := {
	"preview and execution": ["todo-add", {"request": {"dry_run": true}}, agent_add({}), "write.request"],
	"unknown caller": ["todo-add", {"request": {"agent_id": "agent-z"}}, agent_add({}), "write.identity"],
	"no state file": ["todo-add", {"state": {"exists": false}}, agent_add({}), "todo_write.state_file"],
	"event log": ["todo-add", {"state": {"event_sourced": true}}, agent_add({}), "todo_write.events"],
	"unknown todo": ["todo-update", {}, {"todo_id": "todo_none", "fields": {"note": "n"}}, "todo_write.unknown"],
	"no todo id": ["todo-claim", {}, {"fields": {"claimed_by": "agent-a"}}, "todo_write.unknown"],
	"twice in the file": [
		"todo-update",
		{"findings": [{"code": "todo_id_duplicate", "scope": "goal", "goal_id": "g1", "rule": "todo.id.duplicate", "message": "todo id todo_tok is used twice"}]},
		{"todo_id": "todo_tok", "fields": {"note": "n"}},
		"todo_write.duplicate",
	],
	"role": ["todo-add", {}, agent_add({"role": "boss"}), "todo_write.role"],
	"role of the todo": ["todo-claim", {}, {"todo_id": "todo_free", "role": "agent"}, "todo_write.write"],
	"role of another todo": ["todo-claim", {}, {"todo_id": "todo_free", "role": "user"}, "todo_write.role"],
	"text": ["todo-add", {}, agent_add({"text": " \n "}), "todo_write.text"],
	"status of a new one": ["todo-add", {}, agent_add({"status": "done"}), "todo_write.status"],
	"status": ["todo-update", {}, {"todo_id": "todo_tok", "status": "paused"}, "todo_write.status"],
	"bad field": ["todo-add", {}, agent_add({"fields": {"resume_when": "tomorrow"}}), "todo_write.field"],
	"bad time": ["todo-update", {}, {"todo_id": "todo_watch", "fields": {"next_due_at": "soon"}, "times_ns": {}}, "todo_write.field"],
	"blocked todo nobody has": ["todo-add", {}, agent_add({"fields": {"unblocks_todo_id": "todo_none"}}), "todo_write.target"],
	"condition nobody has": ["todo-add", {}, agent_add({"fields": {"resume_when": "todo_done:todo_none"}}), "todo_write.target"],
	"successor nobody has": ["todo-complete", {}, {"todo_id": "todo_tok", "lists": {"successor_todo_ids": ["todo_none"]}}, "todo_write.target"],
	"successor of itself": ["todo-complete", {}, {"todo_id": "todo_tok", "lists": {"successor_todo_ids": ["todo_tok"]}}, "todo_write.target"],
	"condition in the archive": [
		"todo-add",
		{"archived_done": [{"id": "todo_arc", "status": "done", "no_followup": false}]},
		agent_add({"fields": {"resume_when": "todo_done:todo_arc"}}),
		"todo_write.write",
	],
	"condition of another kind": ["todo-add", {}, agent_add({"fields": {"resume_when": "capacity_available:gpu"}}), "todo_write.write"],
	"complete by nobody": ["todo-complete", nobody, {"todo_id": "todo_tok"}, "todo_write.agent"],
	"update by nobody": ["todo-update", nobody, {"todo_id": "todo_tok", "fields": {"note": "n"}}, "todo_write.write"],
	"complete by another": ["todo-complete", {"request": {"agent_id": "agent-b"}}, {"todo_id": "todo_tok"}, "todo_write.holder"],
	"update by another": ["todo-update", {"request": {"agent_id": "agent-b"}}, {"todo_id": "todo_tok", "fields": {"note": "n"}}, "todo_write.holder"],
	"claim of a claimed one": ["todo-claim", {"request": {"agent_id": "agent-b"}}, {"todo_id": "todo_tok"}, "todo_write.holder"],
	"claim for another": ["todo-claim", {}, {"todo_id": "todo_tok", "fields": {"claimed_by": "agent-b"}}, "todo_write.holder"],
	"same text of another": ["todo-add", {"request": {"agent_id": "agent-b"}}, agent_add({"text": tok.text, "fields": {"action_kind": "fix"}}), "todo_write.holder"],
	"same text taken from another": ["todo-add", nobody, agent_add({"text": tok.text, "fields": {"claimed_by": "agent-b"}}), "todo_write.holder"],
	"same text handed over": ["todo-add", {}, agent_add({"text": tok.text, "fields": {"claimed_by": "agent-b"}}), "todo_write.exists"],
	"same text of another and nothing else": ["todo-add", {"request": {"agent_id": "agent-b"}}, agent_add({"text": tok.text}), "todo_write.exists"],
	"same text by an excluded": ["todo-add", {"request": {"agent_id": "agent-b"}}, agent_add({"text": free.text, "fields": {"action_kind": "fix"}}), "todo_write.excluded"],
	"projected for another": [
		"todo-add",
		{"request": {"agent_id": "agent-b"}, "todos": [object.union(tok, {"target_capabilities": ["gpu"], "unblocks_todo_id": "todo_free"}), free]},
		agent_add({"text": tok.text, "fields": {"unblocks_todo_id": "todo_free"}, "lists": {"target_capabilities": ["gpu"]}}),
		"todo_write.idempotent",
	],
	"claim by an excluded": ["todo-claim", {"request": {"agent_id": "agent-b"}}, {"todo_id": "todo_free"}, "todo_write.excluded"],
	"complete by an excluded": ["todo-complete", {"request": {"agent_id": "agent-b"}}, {"todo_id": "todo_free"}, "todo_write.excluded"],
	"claim by nobody": ["todo-claim", nobody, {"todo_id": "todo_free"}, "todo_write.claimant"],
	"claim of a gate": ["todo-claim", {}, {"todo_id": "todo_gate"}, "todo_write.claimant"],
	"user todo with a claim": ["todo-add", {}, user_add({"fields": {"task_class": "user_action", "claimed_by": "agent-a"}}), "todo_write.claimant"],
	"claim for a stranger": ["todo-claim", nobody, {"todo_id": "todo_free", "fields": {"claimed_by": "agent-z"}}, "todo_write.claimant"],
	"new one for a stranger": ["todo-add", {}, agent_add({"fields": {"claimed_by": "agent-z"}}), "todo_write.claimant"],
	"new one without a roster": ["todo-add", alone, agent_add({"fields": {"claimed_by": "agent-z"}}), "todo_write.write"],
	"claim without a roster": ["todo-claim", alone, {"todo_id": "todo_free", "fields": {"claimed_by": "agent-z"}}, "todo_write.claimant"],
	"claim of a closed one": ["todo-claim", {}, {"todo_id": "todo_old"}, "todo_write.claimant"],
	"user class missing": ["todo-add", alone, {"role": "user", "text": "Read."}, "todo_write.user_class"],
	"user class of an agent": ["todo-add", alone, user_add({"fields": {"task_class": "blocker"}}), "todo_write.user_class"],
	"user class changed away": ["todo-update", {}, {"todo_id": "todo_gate", "fields": {"task_class": "blocker"}}, "todo_write.user_class"],
	"unbound": ["todo-add", nobody, user_add({}), "todo_write.bind"],
	"bound to a stranger": ["todo-add", nobody, user_add({"fields": {"bound_agent": "agent-z"}}), "todo_write.bind"],
	"global action": ["todo-add", nobody, user_add({"fields": {"global_gate": "true"}}), "todo_write.bind"],
	"gate bound elsewhere": [
		"todo-add",
		nobody,
		user_add({"fields": {"task_class": "user_gate", "blocks_agent": "agent-a", "bound_agent": "agent-b"}}),
		"todo_write.bind",
	],
	"agent todo that is bound": ["todo-add", {}, agent_add({"fields": {"bound_agent": "agent-a"}}), "todo_write.bind"],
	"agent todo of the goal": ["todo-update", {}, {"todo_id": "todo_tok", "fields": {"goal_bound": "true"}}, "todo_write.bind"],
	"agent todo as a global gate": ["todo-add", {}, agent_add({"fields": {"global_gate": "true"}}), "todo_write.bind"],
	"agent todo that is not of the goal": ["todo-add", {}, agent_add({"fields": {"goal_bound": "false"}}), "todo_write.write"],
	"bound by the author": ["todo-add", {}, user_add({}), "todo_write.write"],
	"bound by name": ["todo-add", nobody, user_add({"fields": {"bound_agent": "agent-b"}}), "todo_write.write"],
	"bound to the goal": ["todo-add", nobody, user_add({"fields": {"goal_bound": "true"}}), "todo_write.write"],
	"bound by what it blocks": ["todo-add", nobody, user_add({"fields": {"task_class": "user_gate", "blocks_agent": "agent-b"}}), "todo_write.write"],
	"bound to all": ["todo-add", nobody, user_add({"fields": {"task_class": "user_gate", "global_gate": "true"}}), "todo_write.write"],
	"alone needs no binding": ["todo-add", alone, user_add({}), "todo_write.write"],
	"endless monitor": ["todo-add", {}, agent_add({"fields": {"task_class": "continuous_monitor"}}), "todo_write.monitor_bound"],
	"endless by update": ["todo-update", {}, {"todo_id": "todo_watch", "fields": {"watch_only": "false"}}, "todo_write.monitor_bound"],
	"deferred monitor": ["todo-add", {}, agent_add({"status": "deferred", "fields": {"task_class": "continuous_monitor"}}), "todo_write.write"],
	"monitor with an end": [
		"todo-add",
		{},
		agent_add({"fields": {"task_class": "continuous_monitor", "expires_at": "2026-09-01T00:00:00Z"}, "times_ns": {"expires_at": 1}}),
		"todo_write.write",
	],
	"monitor that only watches": ["todo-add", {}, agent_add({"fields": {"task_class": "continuous_monitor", "watch_only": "true"}}), "todo_write.write"],
	"end without words": ["todo-complete", {}, {"todo_id": "todo_tok", "no_followup": true}, "todo_write.no_followup"],
	"end with a reason": ["todo-complete", {}, {"todo_id": "todo_tok", "no_followup": true, "fields": {"reason": "r"}}, "todo_write.no_followup"],
	"end by update": ["todo-update", {}, {"todo_id": "todo_tok", "no_followup": true, "fields": {"reason": "r"}}, "todo_write.write"],
	"outcome of no gate": ["todo-complete", {}, {"todo_id": "todo_tok", "fields": {"decision_outcome": "approve"}}, "todo_write.outcome"],
	"merged without evidence": ["todo-complete", {}, {"todo_id": "todo_tok", "self_merged": true}, "todo_write.self_merged"],
	"end with a successor": [
		"todo-complete",
		{},
		{"todo_id": "todo_tok", "no_followup": true, "fields": {"note": "n"}, "lists": {"successor_todo_ids": ["todo_free"]}},
		"todo_write.continuation",
	],
	"superseded by nothing": ["todo-supersede", {}, {"todo_id": "todo_tok"}, "todo_write.continuation"],
	"user follow-up without class": ["todo-complete", {}, {"todo_id": "todo_tok", "next": {"user_text": "Read."}}, "todo_write.follow_up"],
	"class without user follow-up": ["todo-complete", {}, {"todo_id": "todo_tok", "next": {"user_class": "user_gate"}}, "todo_write.follow_up"],
	"routing of nothing": ["todo-complete", {}, {"todo_id": "todo_tok", "next": {"fields": {"action_kind": "fix"}}}, "todo_write.follow_up"],
	"bad routing": ["todo-complete", {}, {"todo_id": "todo_tok", "next": {"agent_text": "x", "fields": {"action_kind": "9"}}}, "todo_write.follow_up"],
	"follow-up of a stranger": ["todo-complete", {}, {"todo_id": "todo_tok", "next": {"agent_text": "x", "fields": {"claimed_by": "agent-z"}}}, "todo_write.follow_up"],
	"agent todo that blocks": ["todo-add", {}, agent_add({"fields": {"blocks_agent": "agent-b"}}), "todo_write.contract"],
	"excluded holder": ["todo-add", {}, agent_add({"fields": {"claimed_by": "agent-a"}, "lists": {"excluded_agents": ["agent-a"]}}), "todo_write.contract"],
	"excluded stranger by update": ["todo-update", {}, {"todo_id": "todo_free", "lists": {"excluded_agents": ["agent-z"]}}, "todo_write.contract"],
	"update of nothing": ["todo-update", {}, {"todo_id": "todo_tok"}, "todo_write.nothing"],
	"archive how many": ["todo-archive-completed", {}, {"max_active_done": "-1"}, "todo_write.max"],
	"projected": [
		"todo-add",
		{"todos": [testing.advancement("todo_cap", {"target_capabilities": ["gpu"], "unblocks_todo_id": "todo_tok"}), tok]},
		agent_add({"fields": {"unblocks_todo_id": "todo_tok"}, "lists": {"target_capabilities": ["gpu"]}}),
		"todo_write.idempotent",
	],
	"projected by kind": [
		"todo-add",
		{"todos": [testing.advancement("todo_cap", {"target_capabilities": ["gpu"], "action_kind": "materialize_capability"})]},
		agent_add({"fields": {"action_kind": "materialize_capability"}, "lists": {"target_capabilities": ["gpu"]}}),
		"todo_write.idempotent",
	],
	"another capability": [
		"todo-add",
		{"todos": [testing.advancement("todo_cap", {"target_capabilities": ["gpu"], "unblocks_todo_id": "todo_tok"}), tok]},
		agent_add({"fields": {"unblocks_todo_id": "todo_tok"}, "lists": {"target_capabilities": ["docker"]}}),
		"todo_write.write",
	],
	"projected and done": [
		"todo-add",
		{"todos": [testing.advancement("todo_cap", {"status": "done", "target_capabilities": ["gpu"], "unblocks_todo_id": "todo_tok"}), tok]},
		agent_add({"fields": {"unblocks_todo_id": "todo_tok"}, "lists": {"target_capabilities": ["gpu"]}}),
		"todo_write.write",
	],
	"same text": ["todo-add", {}, agent_add({"text": "[P1]  Implement the tokenizer."}), "todo_write.exists"],
	"same text of a done one": ["todo-add", {}, agent_add({"text": "Old."}), "todo_write.write"],
	"complete twice": ["todo-complete", {}, {"todo_id": "todo_old"}, "todo_write.closed"],
	"claim twice": ["todo-claim", {}, {"todo_id": "todo_tok"}, "todo_write.same"],
	"update to what is": ["todo-update", {}, {"todo_id": "todo_tok", "fields": {"action_kind": "implement"}}, "todo_write.same"],
	"add": ["todo-add", {}, agent_add({}), "todo_write.write"],
	"claim": ["todo-claim", {}, {"todo_id": "todo_free"}, "todo_write.write"],
	"update": ["todo-update", {}, {"todo_id": "todo_tok", "fields": {"action_kind": "fix"}}, "todo_write.write"],
	"complete": ["todo-complete", {}, {"todo_id": "todo_tok"}, "todo_write.write"],
	"supersede": ["todo-supersede", {}, {"todo_id": "todo_tok", "lists": {"successor_todo_ids": ["todo_free"]}}, "todo_write.write"],
	"archive": ["todo-archive-completed", {}, {"max_active_done": "0"}, "todo_write.archive"],
	"archive nothing": ["todo-archive-completed", {}, {}, "todo_write.archive.none"],
}

test_todo_write_rule[name] if {
	some name, case in cases
	run(case[0], case[1], case[2]).document.rule == case[3]
}

settled := {
	"todo_write.write",
	"todo_write.archive",
	"todo_write.archive.none",
	"todo_write.same",
	"todo_write.closed",
	"todo_write.exists",
	"todo_write.idempotent",
}

refusals := {name: case | some name, case in cases; not case[3] in settled}

test_refusals_change_nothing_and_name_their_rule[name] if {
	some name, case in refusals
	found := run(case[0], case[1], case[2])
	found.ok == false
	found.effects == []
	found.document.written == false
	found.document.error.rule_id == case[3]
}

unchanged := {"todo_write.archive.none", "todo_write.same", "todo_write.closed", "todo_write.idempotent"}

answers := {name: case | some name, case in cases; case[3] in settled; case[3] != "todo_write.exists"}

test_settled_calls_say_whether_they_change[name] if {
	some name, case in answers
	found := run(case[0], case[1], case[2])
	found.ok
	changes := ({case[3]} - unchanged) == {case[3]}
	found.document.changed == changes
}

test_write_goal_unknown if {
	given := object.remove(testing.facts({"request": {"command": "todo-add"}, "write": {"todo": agent_add({})}}), ["goal"])
	todo_write.result.document.rule == "write.goal" with input as given
}

test_todo_write_text_without_flags if {
	given := object.union(testing.facts({"request": {"command": "todo-add"}}), state)
	todo_write.result.document.rule == "todo_write.text" with input as given
}

edits(found) := found.effects[0].edits

test_todo_write_add_writes_one_block if {
	found := run("todo-add", {}, agent_add({"fields": {"task_class": "advancement_task", "action_kind": "fix"}, "lists": {"required_capabilities": ["GPU"]}}))
	id := found.document.todo_id
	regex.match(`^todo_[0-9a-f]{12}$`, id)
	edits(found) == [{
		"op": "add",
		"role": "agent",
		"text": "[P0] Fix the crash.",
		"marker": " ",
		"metadata": {
			"todo_id": id,
			"status": "open",
			"task_class": "advancement_task",
			"action_kind": "fix",
			"required_capabilities": "gpu",
			"updated_at": "2026-08-20T12:00:00+00:00",
		},
	}]
	found.effects[0].digest == "abcd"
	found.effects[0].updated_at == "2026-08-20T12:00:00+00:00"
	found.effects[1] == {
		"kind": "append_event",
		"goal_id": "g1",
		"required": false,
		"unique": false,
		"event": {
			"event_kind": "todo_add",
			"agent_id": "agent-a",
			"todo_id": id,
			"status": "open",
			"details": {"role": "agent"},
		},
	}
	found.effects[2] == {"kind": "sync_global", "goal_id": "g1"}
	found.document.after.action_kind == "fix"
	not found.document.before
}

# the id of state-files.md 3.6, and the next free place when it is taken
test_todo_write_add_id if {
	tokens := {"todos": [testing.advancement("todo_x", {"text": "x"})]}
	found := run("todo-add", tokens, {"role": "agent", "text": "[P0] Implement the widget parser"})
	found.document.todo_id == "todo_8d8660c7a262"
	taken := {"todos": [testing.advancement("todo_8d8660c7a262", {"text": "x"})]}
	run("todo-add", taken, {"role": "agent", "text": "[P0] Implement the widget parser"}).document.todo_id != "todo_8d8660c7a262"
}

test_todo_write_add_cuts_a_long_text if {
	text := edits(run("todo-add", {}, agent_add({"text": long_text})))[0].text
	count(text) == 500
	endswith(text, "…")
}

test_todo_write_add_deferred_has_its_marker if {
	edit := edits(run("todo-add", {}, agent_add({"status": "Deferred"})))[0]
	edit.marker == "-"
	edit.metadata.status == "deferred"
}

test_todo_write_bind_writes_the_binding if {
	edits(run("todo-add", {}, user_add({})))[0].metadata.bound_agent == "agent-a"
	blocked := user_add({"fields": {"task_class": "user_gate", "blocks_agent": "agent-b"}})
	edits(run("todo-add", {}, blocked))[0].metadata.bound_agent == "agent-b"
	goal_bound := user_add({"fields": {"task_class": "user_action", "goal_bound": "true"}})
	not edits(run("todo-add", {}, goal_bound))[0].metadata.bound_agent
}

test_todo_write_exists_brings_metadata_up_to_date if {
	found := run("todo-add", {}, agent_add({"text": "[P1] Implement the tokenizer.", "fields": {"action_kind": "fix"}}))
	found.document.already_exists
	found.document.todo_id == "todo_tok"
	edits(found)[0].op == "edit"
	edits(found)[0].set.action_kind == "fix"
	again := run("todo-add", {}, agent_add({"text": "[P1] Implement the tokenizer."}))
	again.document.already_exists
	again.effects == []
	again.document.todo_status == "open"
}

test_todo_write_exists_keeps_the_status if {
	blocked := {"todos": [object.union(tok, {"status": "blocked"}), free]}
	kept := run("todo-add", blocked, agent_add({"text": tok.text, "fields": {"action_kind": "fix"}}))
	kept.document.todo_status == "blocked"
	not edits(kept)[0].set.status
	not edits(kept)[0].marker
	opened := run("todo-add", blocked, agent_add({"text": tok.text, "status": "open"}))
	edits(opened)[0].set.status == "open"
	edits(opened)[0].marker == " "
}

test_todo_write_idempotent_names_the_todo_that_is_there if {
	case := cases.projected
	found := run(case[0], case[1], case[2])
	found.document.already_exists
	found.document.todo_id == "todo_cap"
	found.effects == []
}

test_todo_write_claim_writes_two_keys if {
	found := run("todo-claim", {}, {"todo_id": "TODO_free"})
	edits(found) == [{
		"op": "edit",
		"todo_id": "todo_free",
		"set": {"claimed_by": "agent-a", "updated_at": "2026-08-20T12:00:00+00:00"},
		"unset": [],
	}]
	found.document.before == {}
	found.document.after == {"claimed_by": "agent-a"}
	found.document.todo_status == "open"
}

test_todo_write_update_changes_marker_text_and_keys if {
	found := run("todo-update", {}, {"todo_id": "todo_tok", "status": "deferred", "text": "[P1] New.", "clear": ["claimed_by", "resume_when"]})
	edits(found) == [{
		"op": "edit",
		"todo_id": "todo_tok",
		"set": {"status": "deferred", "updated_at": "2026-08-20T12:00:00+00:00"},
		"unset": ["claimed_by"],
		"marker": "-",
		"text": "[P1] New.",
	}]
	found.document.before == {"status": "open", "claimed_by": "agent-a"}
	found.document.after == {"status": "deferred", "claimed_by": null}
}

test_todo_write_update_stamps_a_missing_id if {
	loose := {"todos": [testing.advancement("todo_0123456789ab", {"explicit_id": false})]}
	found := run("todo-update", loose, {"todo_id": "todo_0123456789ab", "fields": {"note": "n"}})
	edits(found)[0].set.todo_id == "todo_0123456789ab"
}

test_todo_write_update_moves_a_binding if {
	found := run("todo-update", {}, {"todo_id": "todo_gate", "fields": {"goal_bound": "true"}})
	edits(found)[0].unset == ["bound_agent"]
	kept := run("todo-update", {}, {"todo_id": "todo_gate", "fields": {"goal_bound": "false"}})
	edits(kept)[0].unset == []
}

test_todo_write_update_reopens if {
	found := run("todo-update", {}, {"todo_id": "todo_old", "status": "open"})
	edits(found)[0].unset == ["completed_at", "evidence"]
	edits(found)[0].marker == " "
}

test_todo_write_update_closes if {
	set := edits(run("todo-update", {}, {"todo_id": "todo_tok", "status": "done"}))[0].set
	set.completed_at == "2026-08-20T12:00:00+00:00"
	set.completion_continuation == "active_goal"
}

test_todo_write_contract_repairs_are_possible if {
	unbound := {"todos": [testing.user_todo("todo_u", "user_action", {})], "request": {"agent_id": ""}}
	run("todo-update", unbound, {"todo_id": "todo_u", "fields": {"bound_agent": "agent-a"}}).ok

	# an error that was there and that the call does not touch is not its fault
	run("todo-add", unbound, agent_add({})).ok
}

test_todo_write_complete_writes_the_end if {
	set := edits(run("todo-complete", {}, {"todo_id": "todo_tok", "fields": {"evidence": "PR 12"}}))[0].set
	set == {
		"status": "done",
		"evidence": "PR 12",
		"completed_at": "2026-08-20T12:00:00+00:00",
		"completion_continuation": "active_goal",
		"updated_at": "2026-08-20T12:00:00+00:00",
	}
	ended := edits(run("todo-complete", {}, {"todo_id": "todo_tok", "no_followup": true, "fields": {"note": "n"}}))[0].set
	ended.no_followup == "true"
	ended.completion_continuation == "no_followup"
}

test_todo_write_complete_of_a_gate_keeps_its_outcome if {
	set := edits(run("todo-complete", {}, {"todo_id": "todo_gate", "fields": {"decision_outcome": "Approve"}}))[0].set
	set.decision_outcome == "approve"
}

test_todo_write_complete_adds_follow_ups if {
	next := {
		"agent_text": "Implement the grammar.",
		"user_text": "Read the grammar.",
		"user_class": "user_action",
		"fields": {"action_kind": "implement", "claimed_by": "agent-b"},
	}
	found := run("todo-complete", {"request": {"turn_instance_id": "t1"}}, {"todo_id": "todo_tok", "next": next})
	[edit.op | some edit in edits(found)] == ["edit", "add", "add", "next_action"]
	agent_edit := edits(found)[1]
	agent_edit.text == "[P1] Implement the grammar."
	agent_edit.metadata.unblocks_todo_id == "todo_tok"
	agent_edit.metadata.task_class == "advancement_task"
	agent_edit.metadata.claimed_by == "agent-b"
	user_edit := edits(found)[2]
	user_edit.role == "user"
	user_edit.text == "[P1] Read the grammar."
	user_edit.metadata.bound_agent == "agent-a"
	edits(found)[3] == {"op": "next_action", "lines": [agent_edit.text], "todo_id": agent_edit.metadata.todo_id}
	set := edits(found)[0].set
	set.completion_continuation == "successor"
	found.document.successor_todo_ids == sort([agent_edit.metadata.todo_id, user_edit.metadata.todo_id])
	set.successor_todo_ids == concat(",", found.document.successor_todo_ids)
	found.effects[1].event.details.successor_todo_ids == set.successor_todo_ids
	found.effects[1].event.run_id == "t1"
}

test_todo_write_complete_with_a_successor_that_is_there if {
	found := run("todo-complete", {}, {"todo_id": "todo_tok", "lists": {"successor_todo_ids": ["todo_free"]}})
	edits(found)[1] == {"op": "next_action", "lines": ["[P2] Write the docs."], "todo_id": "todo_free"}
	[edit.op | some edit in edits(run("todo-complete", {"state": {"next_action_binding": "todo_x"}}, {"todo_id": "todo_tok", "lists": {"successor_todo_ids": ["todo_free"]}}))] == ["edit"]
}

test_todo_write_follow_up_keeps_its_own_priority if {
	own := edits(run("todo-complete", {}, {"todo_id": "todo_tok", "next": {"agent_text": "[p2] Later."}}))
	own[1].text == "[p2] Later."
	bare := {"todos": [object.remove(tok, ["priority"])]}
	edits(run("todo-complete", bare, {"todo_id": "todo_tok", "next": {"agent_text": "Later."}}))[1].text == "Later."
}

test_todo_write_supersede_names_what_follows if {
	found := run("todo-supersede", nobody, {"todo_id": "todo_free", "fields": {"reason": "r"}, "next": {"user_text": "Choose.", "user_class": "user_gate"}})
	set := edits(found)[0].set
	set.status == "done"
	set.superseded_by == edits(found)[1].metadata.todo_id
	set.reason == "r"
	not set.successor_todo_ids
	edits(found)[1].metadata.goal_bound == "true"
	single := run("todo-supersede", alone, {"todo_id": "todo_free", "next": {"user_text": "Choose.", "user_class": "user_gate"}})
	not edits(single)[1].metadata.goal_bound
}

test_todo_write_closed_keeps_its_successors if {
	again := {"todo_id": "todo_old", "next": {"agent_text": "Later."}}
	before := [{}, {"successor_todo_ids": ["todo_b", "todo_a"]}, {"superseded_by": "todo_free"}]
	followed := [run("todo-complete", {"todos": [object.union(closed, change)]}, again).document.successor_todo_ids |
		some change in before
	]
	followed == [[], ["todo_a", "todo_b"], ["todo_free"]]
}

terminals := [todo |
	some i in numbers.range(1, 12)
	todo := testing.advancement(sprintf("todo_n%02d", [i]), {"index": i, "status": ["done", "deferred"][i % 2]})
]

test_todo_write_archive_moves_the_oldest if {
	found := run("todo-archive-completed", {"todos": terminals}, {})
	edits(found) == [{"op": "archive", "todo_ids": ["todo_n01", "todo_n02"]}]
	found.document.archived_todo_ids == ["todo_n01", "todo_n02"]
	found.effects[1].event == {
		"event_kind": "todo_archive_completed",
		"agent_id": "agent-a",
		"details": {"role": "agent", "archived_count": 2},
	}
}

test_todo_write_archive_keeps_standing_decisions if {
	gates := [
		testing.user_todo("todo_g1", "user_gate", {"status": "done", "decision_outcome": "approve"}),
		testing.user_todo("todo_g2", "user_gate", {"status": "done", "index": 2}),
		testing.user_todo("todo_g3", "user_action", {"status": "done", "index": 3}),
	]
	found := run("todo-archive-completed", {"todos": gates}, {"role": "user", "max_active_done": "1"})
	found.document.archived_todo_ids == ["todo_g2", "todo_g3"]
}

test_todo_write_same_only_when_nothing_differs if {
	run("todo-update", {}, {"todo_id": "todo_tok", "clear": ["claimed_by"]}).document.rule == "todo_write.write"
	run("todo-update", {}, {"todo_id": "todo_tok", "text": "New."}).document.rule == "todo_write.write"
	run("todo-update", {}, {"todo_id": "todo_tok", "clear": ["resume_when"]}).document.rule == "todo_write.same"
}

test_todo_write_update_mends_a_status if {
	unknown := {"todos": [object.union(tok, {"status_unknown": "paused"})]}
	edits(run("todo-update", unknown, {"todo_id": "todo_tok", "status": "open"}))[0].set.status == "open"
	mismatch := {"todos": [object.union(tok, {"marker_mismatch": true})]}
	edits(run("todo-update", mismatch, {"todo_id": "todo_tok", "status": "open"}))[0].marker == " "
}

shell := {"validation": {"command": "make test"}}

words := {"validation": {"command": "", "argv": `["make","test"]`, "timeout_seconds": "5"}}

result_of(validation, change) := {"validated": object.union({"command": "make test", "exit_code": 0, "timed_out": false}, change), "validation": validation}

complete(change, write) := run("todo-complete", change, object.union({"todo_id": "todo_tok"}, write))

test_todo_write_validation_comes_first if {
	found := complete({}, shell)
	found.document.error.rule_id == "todo_write.validation"
	found.document.validation == {
		"argv": ["sh", "-c", "make test"],
		"timeout_seconds": 600,
		"pending": true,
		"stored": {"command": "make test"},
	}
	found.effects == []
	listed := complete({}, words).document
	listed.validation == {
		"argv": ["make", "test"],
		"timeout_seconds": 5,
		"pending": true,
		"stored": {"command": "", "argv": `["make","test"]`},
	}

	# a preview runs nothing
	complete({"request": {"execute": false}}, shell).ok

	# neither does a todo that is done
	run("todo-complete", {}, object.union({"todo_id": "todo_old"}, shell)).document.rule == "todo_write.closed"
}

# what came of it, and whether the todo is done
outcomes := {
	"passed": [result_of(shell.validation, {}), "todo_write.write"],
	"failed": [result_of(shell.validation, {"exit_code": 2}), "todo_write.validation"],
	"late": [result_of(shell.validation, {"exit_code": -1, "timed_out": true}), "todo_write.validation"],
	"not started": [result_of(shell.validation, {"exit_code": -1, "failure": "no such file"}), "todo_write.validation"],
	"another command": [result_of({"command": "make lint"}, {}), "todo_write.validation"],
	"no list": [{"validation": {"command": "", "argv": "make test"}}, "todo_write.validation"],
	"an empty list": [{"validation": {"command": "", "argv": "[]"}}, "todo_write.validation"],
	"passed as words": [
		{"validation": words.validation, "validated": {"command": "", "argv": words.validation.argv, "exit_code": 0, "timed_out": false}},
		"todo_write.write",
	],
}

test_todo_write_validation_outcome[name] if {
	some name, case in outcomes
	complete({}, case[0]).document.rule == case[1]
}

test_todo_write_validation_that_failed_is_not_pending if {
	complete({}, outcomes.failed[0]).document.validation.pending == false
	complete({}, outcomes["no list"][0]).document.error.rule_id == "todo_write.validation"
	odd := {"validation": {"command": "make test", "timeout_seconds": "soon"}}
	complete({}, odd).document.validation.timeout_seconds == 600
}

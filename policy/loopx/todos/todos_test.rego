package loopx.todos_test

import data.loopx.testing
import data.loopx.todos

having(list) := testing.facts({"todos": list})

bare(id, text) := testing.agent_todo(id, {"text": text, "title": text})

class_cases := {
	"task_class beats words": {"change": {"task_class": "advancement_task", "text": "watch the queue"}, "want": "advancement_task"},
	"task_class monitor": {"change": {"task_class": "continuous_monitor", "text": "Run it."}, "want": "continuous_monitor"},
	"task_class user_gate on an agent todo": {"change": {"task_class": "user_gate"}, "want": "user_gate"},
	"task_class beats action kind": {"change": {"task_class": "advancement_task", "action_kind": "poll"}, "want": "advancement_task"},
	"action kind of work beats words": {"change": {"action_kind": "implement", "text": "watch the queue"}, "want": "advancement_task"},
	"action kind of observation beats words": {"change": {"action_kind": "poll", "text": "Run it."}, "want": "continuous_monitor"},
	"unlisted action kind falls to words": {"change": {"action_kind": "review", "text": "watch the queue"}, "want": "continuous_monitor"},
	"nothing said": {"change": {"text": "The nightly thing."}, "want": "advancement_task"},
	"verb of observation at the start": {"change": {"text": "watch queue"}, "want": "continuous_monitor"},
	"verb of observation after a colon": {"change": {"text": "P0: observe job"}, "want": "continuous_monitor"},
	"tag and colon": {"change": {"text": "[P0] job: observe it"}, "want": "continuous_monitor"},
	"tag hides the start": {"change": {"text": "[P1] watch queue"}, "want": "advancement_task"},
	"tag hides the start of observe": {"change": {"text": "[P0] observe job"}, "want": "advancement_task"},
	"wide colon": {"change": {"text": "任务：poll the job"}, "want": "continuous_monitor"},
	"dependency monitor": {"change": {"text": "[P1] Observe the dependency monitor."}, "want": "continuous_monitor"},
	"blocked on the owner": {"change": {"text": "Blocked: the owner has to answer"}, "want": "continuous_monitor"},
	"verb of work beats blocked words": {"change": {"text": "Fix the blocked owner page"}, "want": "advancement_task"},
	"phrase of work beats blocked words": {"change": {"text": "A readiness scan while waiting for evidence"}, "want": "advancement_task"},
	"do not launch until": {"change": {"text": "[P1] Do not launch the evaluation until owner credentials are present."}, "want": "continuous_monitor"},
	"do not launch beats a verb of work": {"change": {"text": "Run prepared: do not start until Monday"}, "want": "continuous_monitor"},
	"only after approval": {"change": {"text": "Execute only after the owner approval"}, "want": "continuous_monitor"},
	"missing credentials": {"change": {"text": "GCP_PROJECT is required"}, "want": "continuous_monitor"},
	"bucket proof": {"change": {"text": "gs://bucket proof"}, "want": "continuous_monitor"},
	"proof before a formal run": {"change": {"text": "Proof of readiness before any formal eval run"}, "want": "continuous_monitor"},
	"remaining formal path": {"change": {"text": "The remaining formal review path"}, "want": "continuous_monitor"},
	"route absent": {"change": {"text": "The route is absent"}, "want": "continuous_monitor"},
	"no candidates": {"change": {"text": "0 runnable candidates"}, "want": "continuous_monitor"},
	"ten candidates": {"change": {"text": "10 runnable candidates"}, "want": "advancement_task"},
}

test_class[name] if {
	some name, case in class_cases
	got := todos.class.todo_x with input as having([testing.agent_todo("todo_x", case.change)])
	got == case.want
}

test_todo_class_explicit_lists_every_written_class if {
	got := todos.explicit with input as having([
		testing.advancement("todo_a", {}),
		testing.monitor("todo_m", {}),
		testing.user_todo("todo_u", "user_gate", {}),
		bare("todo_t", "watch"),
	])
	got == {"todo_a": "advancement_task", "todo_m": "continuous_monitor", "todo_u": "user_gate"}
}

test_todo_class_of_an_unknown_word_is_undefined if {
	got := todos with input as having([testing.agent_todo("todo_x", {"task_class": "chore", "action_kind": "run"})])
	not got.class.todo_x
	got.advancement == set()
	got.unknown_class == {"todo_x"}
}

test_todo_class_text_is_not_asked_for_done_todos if {
	got := todos.mon_class with input as having([testing.agent_todo("todo_x", {"text": "watch queue", "status": "done"})])
	got == set()
}

status_cases := {
	"open": {"change": {}, "open": true, "actionable": true},
	"blocked counts as open": {"change": {"status": "blocked"}, "open": true, "actionable": false},
	"deferred": {"change": {"status": "deferred"}, "open": false, "actionable": false},
	"done": {"change": {"status": "done"}, "open": false, "actionable": false},
	"open with an unmet condition": {"change": {"resume_when": "todo_done:todo_y"}, "open": true, "actionable": false},
	"open with a met condition": {"change": {"resume_when": "todo_done:todo_z"}, "open": true, "actionable": true},
}

test_todo_actionable_open[name] if {
	some name, case in status_cases
	got := todos with input as having([
		testing.advancement("todo_x", case.change),
		testing.advancement("todo_z", {"status": "done", "index": 2}),
	])
	["todo_x" in got.agent_open, "todo_x" in got.advancement] == [case.open, case.actionable]
	got.agent_all_open_count == count(got.agent_open)
	"todo_z" in got.agent_done
}

test_projection_sorts_by_rank_then_index if {
	got := todos.projection({"todo_a", "todo_b", "todo_c", "todo_d"}) with input as having([
		testing.advancement("todo_a", {"rank": 50, "index": 1}),
		testing.advancement("todo_b", {"rank": 1, "index": 10}),
		testing.advancement("todo_c", {"rank": 0, "index": 4}),
		testing.advancement("todo_d", {"rank": 1, "index": 3}),
	])
	got == ["todo_c", "todo_d", "todo_b", "todo_a"]
}

test_item_cuts_text_and_keeps_metadata if {
	long := concat("", [c | some i in numbers.range(1, 200); c := sprintf("%d", [i % 10])])
	got := todos.item("todo_x") with input as having([testing.advancement("todo_x", {
		"text": long,
		"claimed_by": "a",
		"resume_when": "other:thing",
	})])
	count(got.text) == 180
	object.filter(got, ["schema_version", "todo_id", "index", "status", "task_class", "claimed_by", "resume_ready"]) == {
		"schema_version": "todo_item_v0",
		"todo_id": "todo_x",
		"index": 1,
		"status": "open",
		"task_class": "advancement_task",
		"claimed_by": "a",
		"resume_ready": false,
	}
	not got.id
}

test_item_says_when_its_condition_is_met if {
	got := todos.item("todo_x") with input as having([
		testing.advancement("todo_x", {"resume_when": "todo_done:todo_y"}),
		testing.advancement("todo_y", {"status": "done"}),
	])
	got.resume_ready
}

test_next_action_executable_prefers_bound_ids if {
	got := todos.next_action_executable with input as testing.facts({
		"state": {"next_action_todo_ids": ["todo_b", "todo_gone", "todo_m"], "next_actions": ["Text of a", "Text of b"]},
		"todos": [
			testing.advancement("todo_a", {"text": "Text of a"}),
			testing.advancement("todo_b", {"text": "Text of b", "index": 2}),
			testing.advancement("todo_c", {"index": 3}),
			testing.monitor("todo_m", {"index": 4}),
		],
	})
	got == ["todo_b", "todo_a"]
}

test_marker_warning_names_the_command if {
	got := todos.marker_warning with input as having([
		testing.advancement("todo_x", {"marker_mismatch": true}),
		testing.advancement("todo_y", {"index": 2}),
	])
	got.count == 1
	got.items[0].todo_id == "todo_x"
	contains(got.items[0].message, "loopx todo --goal-id g1 update --todo-id todo_x --status open")
}

test_marker_warning_absent_when_all_agree if {
	not todos.marker_warning with input as having([testing.advancement("todo_x", {})])
}

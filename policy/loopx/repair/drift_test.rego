package loopx.repair_test

import data.loopx.repair
import data.loopx.testing

# The scopes that nothing answers, of a todo that needs the goal's api, with more todos and gates.
drift(todo, others, gates) := found if {
	all_todos := object.union(
		{"t1": object.union({"id": "t1", "status": "open", "required_decision_scopes": [scope("goal", "api")]}, todo)},
		others,
	)
	found := {entry.decision_scope | some entry in repair.drifting} with input as testing.team({})
		with data.loopx.todos as {"selectable": {"t1"}, "gates": gates, "by_id": all_todos}
}

decided(outcome, given) := {"u1": {"id": "u1", "status": "done", "decision_outcome": outcome, "decision_scope": given}}

open_gate(given) := {"u1": {"id": "u1", "status": "open", "decision_scope": given}}

missing := {"direction:goal:api"}

drift_cases := {
	"no answer": {"todo": {}, "others": {}, "gates": set(), "want": missing},
	"open gate": {"todo": {}, "others": open_gate(scope("goal", "api")), "gates": {"u1"}, "want": set()},
	"wider gate": {"todo": {}, "others": open_gate(scope("project", "*")), "gates": {"u1"}, "want": set()},
	"narrower gate": {"todo": {}, "others": open_gate(scope("lane", "api")), "gates": {"u1"}, "want": missing},
	"gate of another key": {"todo": {}, "others": open_gate(scope("goal", "ui")), "gates": {"u1"}, "want": missing},
	"gate of another kind": {
		"todo": {},
		"others": open_gate(object.union(scope("goal", "api"), {"kind": "resource"})),
		"gates": {"u1"},
		"want": missing,
	},
	"approved": {"todo": {}, "others": decided("approve", scope("goal", "api")), "gates": set(), "want": set()},
	"approved elsewhere": {"todo": {}, "others": decided("approve", scope("goal", "ui")), "gates": set(), "want": missing},
	"approved on record": {
		"todo": {"decision_scope_outcomes": ["approve|direction:goal:api|u9"]},
		"others": {},
		"gates": set(),
		"want": set(),
	},
	"another scope on record": {
		"todo": {"decision_scope_outcomes": ["approve|direction:goal:ui|u9"]},
		"others": {},
		"gates": set(),
		"want": missing,
	},
	"rejected and blocked": {
		"todo": {"status": "blocked"},
		"others": decided("reject", scope("goal", "api")),
		"gates": set(),
		"want": set(),
	},
	"rejected and still open": {"todo": {}, "others": decided("reject", scope("goal", "api")), "gates": set(), "want": missing},
	"cancelled on record and blocked": {
		"todo": {"status": "blocked", "decision_scope_outcomes": ["cancel|direction:goal:api|u9"]},
		"others": {},
		"gates": set(),
		"want": set(),
	},
	"blocked without a record": {"todo": {"status": "blocked"}, "others": {}, "gates": set(), "want": missing},
	"two records of one scope": {
		"todo": {"decision_scope_outcomes": ["reject|direction:goal:api|u8", "approve|direction:goal:api|u9"]},
		"others": {},
		"gates": set(),
		"want": set(),
	},
}

test_decision_drift[name] if {
	some name, case in drift_cases
	drift(case.todo, case.others, case.gates) == case.want
}

test_owner_held_capability_is_no_overreach if {
	change := gated({}, {"required_capabilities": ["credentials"]})
	got := repair.overreaching with input as testing.team({"request": {"available_capabilities": ["credentials"]}})
		with data.loopx.todos as change
		with data.loopx.capability_gate as {"class_of": {"credentials": "ask_owner"}}
	got == []
}

gap_of(actions, agent_open, user_open) := found if {
	found := [gap | gap := repair.gap] with data.loopx.attention as {"next_actions": actions}
		with data.loopx.todos as {"agent_open": agent_open, "user_open": user_open}
}

gap_cases := {
	"work without an agent todo": {
		"actions": ["Run the eval."],
		"agent": set(),
		"user": {"u1"},
		"want": [{"target_role": "agent", "text": "Run the eval."}],
	},
	"work with one": {"actions": ["Run the eval."], "agent": {"t1"}, "user": {"u1"}, "want": []},
	"a wait without a user todo": {
		"actions": ["Waiting for user approval."],
		"agent": {"t1"},
		"user": set(),
		"want": [{"target_role": "user", "text": "Waiting for user approval."}],
	},
	"a wait with one": {"actions": ["Waiting for user approval."], "agent": {"t1"}, "user": {"u1"}, "want": []},
	"both": {
		"actions": ["Blocked on owner evidence.", "Run the eval."],
		"agent": set(),
		"user": set(),
		"want": [
			{"target_role": "agent", "text": "Run the eval."},
			{"target_role": "user", "text": "Blocked on owner evidence."},
		],
	},
	"only the first three entries": {"actions": ["a", "b", "c", "Run the eval."], "agent": set(), "user": set(), "want": []},
	"neither": {"actions": ["Read the notes."], "agent": set(), "user": set(), "want": []},
}

test_projection_gap[name] if {
	some name, case in gap_cases
	got := gap_of(case.actions, case.agent, case.user)
	[entry | some entry in got[_].entries] == case.want
	every found in got {
		found.requires_todo_expansion
		found.schema_version == "state_projection_gap_v0"
		found.target_roles == sort({entry.target_role | some entry in case.want})
	}
}

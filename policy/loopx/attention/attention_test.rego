package loopx.attention_test

import data.loopx.attention
import data.loopx.testing

no_gates := {"gates": set()}

goal_with(change) := testing.facts({"goal": change})

# The goal with this status run and this adapter.
after(classification, adapter) := testing.facts({
	"runs": [testing.run(5, classification, {})],
	"status_run": testing.run(5, classification, {}),
	"goal": {"adapter_status": adapter},
})

row_cases := {
	"lost artifact": {
		"facts": object.union(after("blocked_by_safety", "connected"), {
			"status_run": {"artifacts_missing": true},
			"goal": {"waiting_on": "controller"},
		}),
		"want": ["attention.artifacts", "codex", "high", "run_artifact_missing"],
	},
	"registry owner before the run": {
		"facts": object.union(after("needs_human_reward", "connected"), {"goal": {"waiting_on": "external_evidence"}}),
		"want": ["attention.registry", "external_evidence", "watch", "needs_human_reward"],
	},
	"registry owner before a safety blocker": {
		"facts": object.union(after("blocked_by_safety", "connected"), {"goal": {"waiting_on": "codex"}}),
		"want": ["attention.registry", "codex", "info", "blocked_by_safety"],
	},
	"registry owner without a run": {
		"facts": goal_with({"waiting_on": "controller", "attention_status": "needs_owner"}),
		"want": ["attention.registry", "controller", "action", "needs_owner"],
	},
	"registry user": {
		"facts": goal_with({"waiting_on": "user_or_controller"}),
		"want": ["attention.registry", "user_or_controller", "action", "connected_without_run"],
	},
	"unknown registry owner": {
		"facts": goal_with({"waiting_on": "vendor", "attention_status": "x"}),
		"want": ["attention.first_run", "codex", "info", "connected_without_run"],
	},
	"safety blocker": {
		"facts": after("blocked_by_safety", "connected-delivery"),
		"want": ["attention.blocking", "user_or_controller", "high", "blocked_by_safety"],
	},
	"person": {
		"facts": after("operator_gate_deferred", "connected-delivery"),
		"want": ["attention.person", "user_or_controller", "action", "operator_gate_deferred"],
	},
	"ready for an agent on any adapter": {
		"facts": after("needs_validation", "draft"),
		"want": ["attention.codex_ready", "codex", "info", "needs_validation"],
	},
	"delivery before evidence": {
		"facts": after("await_vendor", "connected-delivery"),
		"want": ["attention.delivery", "codex", "info", "await_vendor"],
	},
	"evidence before connected": {
		"facts": after("await_vendor", "connected"),
		"want": ["attention.evidence", "external_evidence", "watch", "await_vendor"],
	},
	"connected": {
		"facts": after("odd_label", "connected-read-only"),
		"want": ["attention.connected", "codex", "info", "odd_label"],
	},
	"nobody": {"facts": after("odd_label", "draft"), "want": ["attention.nobody", "none", "info", "odd_label"]},
	"planned with a run names nobody": {
		"facts": object.union(after("odd_label", "planned"), {"goal": {"adapter_kind": "site_read_only_map_v0"}}),
		"want": ["attention.nobody", "none", "info", "odd_label"],
	},
	"first run of a delivery adapter": {
		"facts": testing.base,
		"want": ["attention.first_run", "codex", "info", "connected_without_run"],
	},
	"first run of a connected adapter": {
		"facts": goal_with({"adapter_status": "pre-tick-runnable"}),
		"want": ["attention.first_run", "codex", "info", "connected_without_run"],
	},
	"planned map": {
		"facts": goal_with({"adapter_status": "planned", "adapter_kind": "site_read_only_map_v0"}),
		"want": ["attention.planned", "user_or_controller", "action", "connected_without_run"],
	},
	"planned goal with a map": {
		"facts": goal_with({"status": "planned", "adapter_status": "draft", "adapter_kind": "site_read_only_map_v0"}),
		"want": ["attention.planned", "user_or_controller", "action", "connected_without_run"],
	},
	"planned without a map": {
		"facts": goal_with({"adapter_status": "planned", "adapter_kind": "x_v0"}),
		"want": ["attention.unconnected", "controller", "action", "connected_without_run"],
	},
	"not connected": {
		"facts": goal_with({"adapter_status": "draft"}),
		"want": ["attention.unconnected", "controller", "action", "connected_without_run"],
	},
}

test_attention[name] if {
	some name, case in row_cases
	got := [attention.base.rule, attention.waiting_on, attention.severity, attention.status] with input as case.facts
		with data.loopx.todos as no_gates
	got == case.want
}

test_attention_unknown_goal_is_total if {
	facts := json.remove(testing.base, ["goal"])
	attention.waiting_on == "controller" with input as facts with data.loopx.todos as no_gates
	attention.status == "connected_without_run" with input as facts with data.loopx.todos as no_gates
	got := attention.item with input as facts with data.loopx.todos as no_gates
	got.next_action == testing.base.state.next_actions[0]
}

gate_cases := {
	"over a free goal": {"facts": testing.base, "severity": "info"},
	"over a registry wait": {"facts": goal_with({"waiting_on": "external_evidence"}), "severity": "watch"},
	"severity stays": {"facts": after("blocked_by_safety", "connected"), "severity": "high"},
}

test_attention_user_gate[name] if {
	some name, case in gate_cases
	gates := {"gates": {"todo_gate"}}
	attention.waiting_on == "user_or_controller" with input as case.facts with data.loopx.todos as gates
	attention.severity == case.severity with input as case.facts with data.loopx.todos as gates
	attention.source == "active_state" with input as case.facts with data.loopx.todos as gates
	attention.fired.waiting_on.rule == "attention.user_gate" with input as case.facts with data.loopx.todos as gates
	attention.runners.waiting_on.rule == attention.base.rule with input as case.facts with data.loopx.todos as gates
}

test_attention_source_without_a_gate if {
	attention.source == "registry" with input as testing.base with data.loopx.todos as no_gates
	attention.source == "latest_run" with input as after("x", "connected") with data.loopx.todos as no_gates
	got := attention.fired with input as testing.base with data.loopx.todos as no_gates
	got.waiting_on.rule == "attention.first_run"
	got.severity.value == "info"
}

map_cases := {
	"by suffix": {"kind": "site_read_only_map_v0", "want": true},
	"the generic one": {"kind": "read_only_project_map_v0", "want": true},
	"other": {"kind": "oracle_adapter_v0", "want": false},
}

test_read_only_map[name] if {
	some name, case in map_cases
	attention.read_only_map == case.want with input as goal_with({"adapter_kind": case.kind})
}

gated_run := testing.run(5, "operator_gate_deferred", {
	"recommended_action": "Ask.",
	"operator_gate": {"operator_question": "May it run?", "agent_command": "loopx map", "decision": "defer"},
	"controller_readiness": {"missing_gates": ["reward"], "next_handoff_condition": "a reward"},
})

gated := testing.facts({"runs": [gated_run], "status_run": gated_run})

test_fact_gate_text_of_the_run if {
	got := attention.item with input as gated with data.loopx.todos as no_gates
	got.operator_question == "May it run?"
	got.agent_command == "loopx map"
	got.missing_gates == ["reward"]
	got.next_handoff_condition == "a reward"
	got.recommended_action == testing.base.state.next_actions[0]
	got.next_action == testing.base.state.next_actions[0]
	got.project_asset.recommended_action == "Ask."
}

registry_words := {
	"operator_question": "Registry?",
	"missing_gates": [],
	"next_handoff_condition": "registry condition",
	"agent_command": "registry command",
	"recommended_action": "Registry action.",
}

test_fact_gate_text_of_the_registry_needs_its_owner if {
	got := attention.item with input as object.union(gated, {"goal": registry_words}) with data.loopx.todos as no_gates
	got.operator_question == "May it run?"
}

test_fact_gate_text_of_the_registry_comes_first if {
	facts := object.union(gated, {"goal": object.union(registry_words, {"waiting_on": "controller"})})
	got := attention.item with input as facts with data.loopx.todos as no_gates
	got.operator_question == "Registry?"
	got.agent_command == "registry command"
	got.next_handoff_condition == "registry condition"
	not got.missing_gates
}

quiet := object.union(testing.base, {"state": {"next_actions": []}})

test_fact_project_asset_without_texts if {
	attention.project_asset == {} with input as quiet with data.loopx.todos as no_gates
	attention.texts == [] with input as quiet with data.loopx.todos as no_gates
	attention.item == {"project_asset": {}} with input as quiet with data.loopx.todos as no_gates
}

test_recommended_action_falls_back if {
	run := testing.run(5, "x", {"recommended_action": "Of the run."})
	facts := object.union(quiet, {"status_run": run, "runs": [run]})
	attention.item.recommended_action == "Of the run." with input as facts with data.loopx.todos as no_gates
	owned := object.union(facts, {"goal": {"waiting_on": "codex", "recommended_action": "Of the registry."}})
	attention.item.recommended_action == "Of the registry." with input as owned with data.loopx.todos as no_gates
	attention.texts == ["Of the registry.", "Of the run."] with input as owned with data.loopx.todos as no_gates
}

peer_gate := testing.user_todo("g", "user_gate", {"bound_agent": "agent-b"})

test_attention_user_gate_holds_only_whom_it_names if {
	attention.waiting_on == "user_or_controller" with input as testing.team({"todos": [peer_gate], "request": {"agent_id": "agent-b"}})
	attention.waiting_on == "user_or_controller" with input as testing.facts({"todos": [peer_gate], "goal": {"agents": ["agent-a", "agent-b"]}})
	attention.waiting_on == "codex" with input as testing.team({"todos": [peer_gate]})
	attention.waiting_on == "user_or_controller" with input as testing.team({"todos": [
		peer_gate,
		testing.user_todo("h", "user_gate", {"goal_bound": true}),
	]})
}

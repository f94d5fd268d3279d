package loopx.lib.hash_test

import data.loopx.lib.hash

texts := {
	"keys are sorted": {"value": {"b": 1, "a": [1, 2]}, "want": `{"a": [1, 2], "b": 1}`},
	"nothing inside": {"value": {"b": {}, "a": [], "n": null, "t": true}, "want": `{"a": [], "b": {}, "n": null, "t": true}`},
	"markup stays": {"value": ["<a> & b"], "want": `["<a> & b"]`},
	"a backslash before u003c stays": {"value": [`\u003c`], "want": `["\\u003c"]`},
	"line feed and comma": {"value": ["a,\nb"], "want": `["a,\nb"]`},
	"accents": {"value": ["é"], "want": `["\u00e9"]`},
	"emoji": {"value": ["a😀"], "want": `["a\ud83d\ude00"]`},
	"a line separator": {"value": [sprintf("%c", [8232])], "want": `["\u2028"]`},
}

test_text[name] if {
	some name, case in texts
	hash.text(case.value) == case.want
}

# decision.md 10.4
test_identity_signature if {
	hash.short(
		{
			"goal_id": "g",
			"agent_identity.agent_id": null,
			"effective_action": "operator_gate_notify",
			"heartbeat_recommendation.recommended_mode": "ask_operator_gate",
			"interaction_contract.mode": "user_gate",
			"recommended_action": "do x",
		},
		12,
	) == "7d9e65c4d171"
}

targets := {
	"62bd7eb5079c01d0": {
		"monitor_mode": "due_monitor_observed_without_material_transition",
		"effective_action": "external_evidence_observe",
		"action_summary": "Decide the release channel",
	},
	"356ac437478bf527": {
		"monitor_mode": "monitor_material_transition",
		"effective_action": "monitor_quiet_skip",
		"action_summary": "wait quietly for material monitor evidence",
	},
}

# state-files.md 4.8, written by the Python tools
test_monitor_target[want] if {
	some want, target in targets
	hash.short(object.union(target, {"agent_id": "codex-beta", "goal_id": "demo-goal", "frontier_identity": ""}), 16) == want
}

test_number if hash.number("01f600") == 128512

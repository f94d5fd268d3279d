package loopx.boundary_test

import data.loopx.boundary
import data.loopx.testing

match_cases := {
	"equal": {"allowed": ["runner/**"], "scope": "runner/**", "covered": true},
	"equal text with a class": {"allowed": ["v[12]/a"], "scope": "v[12]/a", "covered": true},
	"star crosses slashes": {"allowed": ["runner/*"], "scope": "runner/a/b.txt", "covered": true},
	"star covers the pattern text": {"allowed": ["runner/*"], "scope": "runner/**", "covered": true},
	"two stars": {"allowed": ["runner/**"], "scope": "runner/a/b", "covered": true},
	"everything": {"allowed": ["*"], "scope": "runner/**", "covered": true},
	"folder does not cover its files": {"allowed": ["runner"], "scope": "runner/a", "covered": false},
	"pattern does not cover everything": {"allowed": ["runner/**"], "scope": "**", "covered": false},
	"case counts": {"allowed": ["Runner/*"], "scope": "runner/a", "covered": false},
	"one character": {"allowed": ["v?/a"], "scope": "v1/a", "covered": true},
	"one character is not two": {"allowed": ["v?/a"], "scope": "v12/a", "covered": false},
	"class": {"allowed": ["v[12]/a"], "scope": "v2/a", "covered": true},
	"outside the class": {"allowed": ["v[12]/a"], "scope": "v3/a", "covered": false},
	"range": {"allowed": ["v[0-9]/a"], "scope": "v3/a", "covered": true},
	"negated class": {"allowed": ["v[!12]/a"], "scope": "v3/a", "covered": true},
	"two ranges": {"allowed": ["v[a-c0-9]/a"], "scope": "v3/a", "covered": true},
	"open bracket is text": {"allowed": ["v[1/*"], "scope": "v[1/a", "covered": true},
	"range upside down matches nothing": {"allowed": ["v[9-0]/*"], "scope": "v5/a", "covered": false},
	"dot is a dot": {"allowed": ["a.b*"], "scope": "axb", "covered": false},
	"braces are text": {"allowed": ["{a,b}/*"], "scope": "a/x", "covered": false},
	"whole string": {"allowed": ["src/*.go"], "scope": "src/a.go.bak", "covered": false},
	"suffix": {"allowed": ["*.md"], "scope": "docs/a.md", "covered": true},
	"nothing allowed": {"allowed": [], "scope": "src/a", "covered": false},
}

uncovered(allowed, scope) := testing.facts({
	"goal": {"write_scope": allowed, "has_boundary": true},
	"todos": [testing.advancement("todo_x", {"required_write_scopes": [scope]})],
})

test_boundary_match[name] if {
	some name, case in match_cases
	got := boundary.missing with input as uncovered(case.allowed, case.scope)
	got == [case.scope | not case.covered]
}

norm_cases := {
	"plain": {"scope": "src/**", "kept": true},
	"empty": {"scope": "", "kept": false},
	"absolute": {"scope": "/etc/*", "kept": false},
	"home": {"scope": "~/x", "kept": false},
	"parent": {"scope": "src/../x", "kept": false},
	"parent first": {"scope": "../x", "kept": false},
	"dots in a name": {"scope": "src/a..b", "kept": true},
	"space": {"scope": "src/a b", "kept": false},
	"angle": {"scope": "src/<x>", "kept": false},
	"160 characters": {"scope": concat("", ["a" | some i in numbers.range(1, 160); i]), "kept": true},
	"161 characters": {"scope": concat("", ["a" | some i in numbers.range(1, 161); i]), "kept": false},
}

test_boundary_scope_norm[name] if {
	some name, case in norm_cases
	["x" | boundary.normal([case.scope]) == {case.scope}] == ["x" | case.kept]
	got := boundary.allowed with input as testing.facts({"goal": {"write_scope": [case.scope]}})
	count(got) == count(["x" | case.kept])
}

authority := {
	"schema_version": "checkpointed_boundary_authority_v0",
	"status": "active",
	"decision": "approve",
	"write_scope": ["runner/**"],
	"source": "review",
	"recorded_at": "x",
	"recorded_ns": testing.now_ns - testing.hour,
}

authority_cases := {
	"active": {"entry": authority, "active": true},
	"approved": {"entry": object.union(authority, {"status": "approved"}), "active": true},
	"expires later": {"entry": object.union(authority, {"expires_at": "x", "expires_ns": testing.now_ns + 1}), "active": true},
	"expired": {"entry": object.union(authority, {"expires_at": "x", "expires_ns": testing.now_ns}), "active": false},
	"expiry unreadable": {"entry": object.union(authority, {"expires_at": "soon"}), "active": false},
	"other status": {"entry": object.union(authority, {"status": "draft"}), "active": false},
	"rejected": {"entry": object.union(authority, {"decision": "reject"}), "active": false},
	"no scopes": {"entry": object.union(authority, {"write_scope": []}), "active": false},
	"no source": {"entry": object.remove(authority, ["source"]), "active": false},
	"no record time": {"entry": object.remove(authority, ["recorded_ns"]), "active": false},
	"other schema": {"entry": object.union(authority, {"schema_version": "x"}), "active": false},
}

test_boundary_authority[name] if {
	some name, case in authority_cases
	got := boundary with input as testing.facts({"goal": {"boundary_authority": [case.entry], "has_boundary": true, "write_scope": ["src/**"]}})
	got.allowed == array.concat(["src/**"], [scope | case.active; some scope in case.entry.write_scope])
	got.goal_boundary.checkpointed_boundary_authority.active_count == count(["x" | case.active])
	got.goal_boundary.checkpointed_boundary_authority.inactive_count == 1 - count(["x" | case.active])
}

test_boundary_allowed_keeps_order_and_drops_repeats if {
	got := boundary.allowed with input as testing.facts({"goal": {
		"write_scope": ["src/**", "docs/**", "src/**", "/etc"],
		"boundary_authority": [object.union(authority, {"write_scope": ["docs/**", "runner/**"]})],
	}})
	got == ["src/**", "docs/**", "runner/**"]
}

test_boundary_allowed_has_the_scopes_of_a_summary if {
	compact := {"write_scope": ["src/**"], "boundary_authority_scope": ["runner/**"]}
	alone := boundary.allowed with input as testing.facts({"goal": compact})
	alone == ["src/**", "runner/**"]
	rejected := object.union(authority, {"decision": "reject"})
	none := boundary.allowed with input as testing.facts({"goal": object.union(compact, {"boundary_authority": [rejected]})})
	none == ["src/**"]
}

test_goal_boundary_null_without_boundary_data if {
	got := boundary.goal_boundary with input as testing.facts({})
	got == null
}

test_goal_boundary_null_without_a_goal if {
	got := boundary.goal_boundary with input as object.remove(testing.facts({}), ["goal"])
	got == null
}

test_goal_boundary_shape if {
	got := boundary.goal_boundary with input as testing.facts({"goal": {
		"has_boundary": true,
		"write_scope": ["src/**"],
		"requires_parent_approval": ["write"],
		"guards": ["read first"],
		"next_probe": "probe",
		"available_capabilities": ["network"],
		"spawn_policy": {"allowed": false, "max_children": 3, "allowed_domains": []},
	}})
	got == {
		"rule": "stay_in_scope_or_stop",
		"adapter": {"kind": "oracle_adapter_v0", "status": "connected-delivery"},
		"write_scope": ["src/**"],
		"available_capabilities": ["network"],
		"requires_parent_approval": ["write"],
		"guards": ["read first"],
		"next_probe": "probe",
		"stop_condition": "stop if the next action needs reward, gate approval, write control, or production access",
		"execution_profile": {"minimum_scale": "multi_surface_or_implementation"},
		"orchestration": {"mode": "default", "spawn_allowed": false, "max_children": 3},
	}
}

test_boundary_repair_names_the_missing_scope if {
	got := boundary.repair with input as testing.facts({
		"goal": {"write_scope": ["docs/**"], "has_boundary": true, "boundary_authority": [object.union(authority, {"status": "draft"})]},
		"todos": [testing.advancement("todo_x", {"required_write_scopes": ["docs/a.md", "runner/**"], "action_kind": "fix"})],
	})
	object.filter(got, [
		"trigger",
		"recommended_mode",
		"effective_action",
		"blocked_action_scope",
		"required_write_scopes",
		"allowed_write_scopes",
		"missing_write_scopes",
		"selected_todo",
		"selected_todo_text",
	]) == {
		"trigger": "required_write_scope_missing_from_goal_boundary",
		"recommended_mode": "repair_boundary_projection",
		"effective_action": "boundary_projection_repair",
		"blocked_action_scope": "boundary_projection",
		"required_write_scopes": ["docs/a.md", "runner/**"],
		"allowed_write_scopes": ["docs/**"],
		"missing_write_scopes": ["runner/**"],
		"selected_todo": {"todo_id": "todo_x", "index": 1, "priority": "P1", "task_class": "advancement_task", "action_kind": "fix"},
		"selected_todo_text": "[P1] Implement the tokenizer.",
	}
	got.checkpointed_boundary_authority.inactive_count == 1
	count(got.inactive_authority_candidates) == 1
}

first := testing.advancement("todo_a", {"rank": 0, "required_write_scopes": ["docs/a"]})

second := testing.advancement("todo_b", {"index": 2, "required_write_scopes": ["runner/a"]})

candidate_cases := {
	"first executable": {"change": {"todos": [second, first]}, "want": "todo_a"},
	"first runnable of the gate": {
		"change": {"todos": [object.union(first, {"required_capabilities": ["network"]}), second]},
		"want": "todo_b",
	},
	"gate stops": {"change": {"todos": [object.union(first, {"required_capabilities": ["network"]})]}, "want": null},
	"first open when none is executable": {
		"change": {"todos": [object.union(first, {"status": "blocked"}), object.union(second, {"resume_when": "weather:fine"})]},
		"want": "todo_a",
	},
	"no todo": {"change": {}, "want": null},
}

test_boundary_candidate[name] if {
	some name, case in candidate_cases
	got := {id | id := boundary.candidate with input as testing.facts(case.change)}
	got == {id | id := case.want; id != null}
}

test_boundary_candidate_of_a_scoped_call_is_its_selected_slice if {
	got := boundary.candidate with input as testing.team({"todos": [first, object.union(second, {"claimed_by": "agent-a"})]})
	got == "todo_b"
}

test_boundary_pre[name] if {
	some name, case in {
		"eligible and healthy": {"state": "eligible", "ok": true, "want": true},
		"throttled": {"state": "throttled", "ok": true, "want": false},
		"unhealthy": {"state": "eligible", "ok": false, "want": false},
	}
	got := boundary with input as uncovered(["docs/**"], "src/a")
		with data.loopx.agent_scope.state as case.state
		with data.loopx.health.ok as case.ok
	["x" | got.repair] == ["x" | case.want]
}

test_boundary_repair_absent_when_covered if {
	not boundary.repair with input as uncovered(["src/**"], "src/a")
}

test_time_edges_are_the_expiries_of_authorities if {
	got := boundary.time_edges with input as testing.facts({"goal": {"boundary_authority": [
		authority,
		object.union(authority, {"expires_at": "x", "expires_ns": 7}),
	]}})
	got == {7}
}

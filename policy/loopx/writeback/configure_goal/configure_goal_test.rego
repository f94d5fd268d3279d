package loopx.writeback.configure_goal_test

import data.loopx.testing
import data.loopx.writeback.configure_goal

row := {
	"id": "g1",
	"quota": {"compute": 1, "window_hours": 24, "note": "kept"},
	"coordination": {
		"registered_agents": ["agent-a"],
		"agent_model": "peer_v1",
		"agent_work_modes": {"agent-a": "active"},
		"agent_profiles": {"agent-a": {"agent_id": "agent-a"}},
		"write_scope": ["src/**"],
		"checkpointed_boundary_authority": [{"decision": "approve"}],
	},
}

run(write, change) := found if {
	given := object.union_n([
		testing.facts({"request": {"command": "configure-goal", "execute": true}}),
		{"goal": {"agents": ["agent-a"], "write_scope": ["src/**"]}, "source": {"registry": "r", "digest": "d", "row": row}},
		change,
		{"write": {"goal": write}},
	])
	found := configure_goal.result with input as given
}

profile(change) := json.marshal(object.union({"agent_id": "agent-a", "preferred_action_kinds": ["fix"]}, change))

authority(change) := {"authority": object.union({"write_scope": ["docs/**"], "source": "owner"}, change)}

cases := {
	"nothing": [{}, "configure.nothing"],
	"nothing but the sync": [{"no_global_sync": true}, "configure.nothing"],
	"clear what": [{"clear": ["everything"]}, "configure.clear"],
	"compute": [{"compute": "2"}, "configure.compute"],
	"compute word": [{"compute": "half"}, "configure.compute"],
	"window": [{"window_hours": "0"}, "configure.window"],
	"window below an hour": [{"window_hours": "0.5"}, "configure.window"],
	"granularity": [{"turn_granularity": "coarse"}, "configure.granularity"],
	"agent id": [{"agents": ["9"]}, "configure.agents"],
	"agent model": [{"agent_model": "boss"}, "configure.agent_model"],
	"mode form": [{"work_modes": ["agent-a"]}, "configure.work_mode"],
	"mode word": [{"work_modes": ["agent-a=asleep"]}, "configure.work_mode"],
	"mode of a stranger": [{"work_modes": ["agent-z=active"]}, "configure.work_mode"],
	"mode of a cleared agent": [{"work_modes": ["agent-a=active"], "clear": ["registered-agents"]}, "configure.work_mode"],
	"cleared mode of a stranger": [{"clear_work_modes": ["agent-z"]}, "configure.work_mode"],
	"profile text": [{"agent_profiles": ["{"]}, "configure.profile"],
	"profile list": [{"agent_profiles": ["[]"]}, "configure.profile"],
	"profile without agent": [{"agent_profiles": ["{}"]}, "configure.profile"],
	"profile of a stranger": [{"agent_profiles": [profile({"agent_id": "agent-z"})]}, "configure.profile"],
	"profile role": [{"agent_profiles": [profile({"profile_role": concat("", ["x" | some _ in numbers.range(1, 81)])})]}, "configure.profile"],
	"profile role is text": [{"agent_profiles": [profile({"profile_role": 3})]}, "configure.profile"],
	"profile vision": [{"agent_profiles": [profile({"vision_requirement": "maybe"})]}, "configure.profile"],
	"profile kinds": [{"agent_profiles": [profile({"avoid_action_kinds": [1]})]}, "configure.profile"],
	"profile kinds are a list": [{"agent_profiles": [profile({"avoid_action_kinds": "fix"})]}, "configure.profile"],
	"many kinds": [{"agent_profiles": [profile({"preferred_action_kinds": ["x" | some _ in numbers.range(1, 17)]})]}, "configure.profile"],
	"scope outside": [{"write_scope": ["../x"]}, "configure.write_scope"],
	"absolute scope": [{"write_scope": ["a,/etc"]}, "configure.write_scope"],
	"authority scope outside": [authority({"write_scope": ["~/x"]}), "configure.write_scope"],
	"owner": [{"waiting_on": "nobody"}, "configure.waiting_on"],
	"authority without scope": [{"authority": {"source": "owner"}}, "configure.authority"],
	"authority without source": [{"authority": {"write_scope": ["a"]}}, "configure.authority"],
	"authority time": [authority({"recorded_at": "then"}), "configure.authority"],
	"authority over": [authority({"expires_at": "2026-08-20T11:00:00Z", "expires_ns": testing.now_ns - testing.hour}), "configure.authority"],
	"orchestration": [{"orchestration_mode": "swarm"}, "configure.spawn"],
	"children": [{"max_children": "-1"}, "configure.spawn"],
	"domain": [{"allowed_domains": ["UPPER"]}, "configure.spawn"],
	"same": [{"compute": "1"}, "configure.same"],
	"compute set": [{"compute": "0.5"}, "configure.write"],
}

test_configure_rule[name] if {
	some name, case in cases
	found := run(case[0], {})
	found.document.rule == case[1]
	ok := case[1] in {"configure.same", "configure.write"}
	found.ok == ok
	writes := case[1] == "configure.write"
	found.document.written == writes
}

test_configure_nothing_without_flags if {
	given := object.union(testing.facts({"request": {"command": "configure-goal"}}), {"source": {"registry": "r", "row": row}})
	configure_goal.result.document.rule == "configure.nothing" with input as given
}

test_write_source_first if {
	run({"compute": "2"}, {"source": {"problem": "gone"}}).document.error.rule_id == "write.source"
}

test_configure_authority_summary_takes_no_entry if {
	summary := {"source": {"row": {"coordination": {"checkpointed_boundary_authority": {"active_count": 1}}}}}
	run(authority({}), summary).document.rule == "configure.authority"
	run(object.union(authority({}), {"clear": ["boundary-authority"]}), summary).ok
}

sets(write) := sets_of(run(write, {}))

sets_of(found) := {concat(".", change.path): change.value | some change in found.effects[0].set}

# flags and what they set
set_cases := {
	"quota": [
		{"compute": "0.5", "window_hours": "12.0"},
		{"quota.compute": 0.5, "quota.window_hours": 12},
	],
	"self repair": [
		{"self_repair": {"enabled": true, "allow_health_blocker_repair": false}},
		{"control_plane.self_repair.enabled": true, "control_plane.self_repair.allow_health_blocker_repair": false},
	],
	"granularity": [{"turn_granularity": "fine"}, {"execution_profile.turn_granularity": "fine"}],
	"agents": [{"agents": ["agent-b"]}, {"coordination.registered_agents": ["agent-a", "agent-b"]}],
	"agents anew": [{"agents": ["agent-b,agent-b"], "clear": ["registered-agents"]}, {"coordination.registered_agents": ["agent-b"]}],
	"work modes": [
		{"work_modes": ["Agent-A= monitor_only"]},
		{"coordination.agent_work_modes": {"agent-a": "monitor_only"}},
	],
	"work modes of a new agent": [
		{"agents": ["agent-b"], "work_modes": ["agent-b=active"]},
		{
			"coordination.registered_agents": ["agent-a", "agent-b"],
			"coordination.agent_work_modes": {"agent-a": "active", "agent-b": "active"},
		},
	],
	"work modes anew": [
		{"agents": ["agent-b"], "work_modes": ["agent-b=active"], "clear": ["agent-work-modes"]},
		{
			"coordination.registered_agents": ["agent-a", "agent-b"],
			"coordination.agent_work_modes": {"agent-b": "active"},
		},
	],
	"work mode cleared and another set": [
		{"agents": ["agent-b"], "work_modes": ["agent-b=active"], "clear_work_modes": ["Agent-A"]},
		{
			"coordination.registered_agents": ["agent-a", "agent-b"],
			"coordination.agent_work_modes": {"agent-b": "active"},
		},
	],
	"profile": [
		{"agent_profiles": [profile({})]},
		{"coordination.agent_profiles": {"agent-a": {"schema_version": "agent_profile_v1", "agent_id": "agent-a", "preferred_action_kinds": ["fix"]}}},
	],
	"write scope": [{"write_scope": ["docs/**,src/**"]}, {"coordination.write_scope": ["src/**", "docs/**"]}],
	"write scope replaced": [{"write_scope": ["docs/**"], "replace_write_scope": true}, {"coordination.write_scope": ["docs/**"]}],
	"write scope anew": [{"write_scope": ["docs/**"], "clear": ["write-scope"]}, {"coordination.write_scope": ["docs/**"]}],
	"owner": [{"waiting_on": "controller"}, {"waiting_on": "controller"}],
	"authority": [
		authority({"decision_id": "D1"}),
		{"coordination.checkpointed_boundary_authority": [
			{"decision": "approve"},
			{
				"schema_version": "checkpointed_boundary_authority_v0",
				"status": "active",
				"decision": "approve",
				"write_scope": ["docs/**"],
				"source": "owner",
				"recorded_at": "2026-08-20T12:00:00+00:00",
				"decision_id": "D1",
			},
		]},
	],
	"spawn": [
		{"orchestration_mode": "multi_subagent", "spawn_allowed": false, "max_children": "2", "allowed_domains": ["docs,docs"]},
		{
			"spawn_policy.mode": "multi_subagent",
			"spawn_policy.allowed": false,
			"spawn_policy.max_children": 2,
			"spawn_policy.allowed_domains": ["docs"],
		},
	],
	"migration": [
		{"ack_migration": true},
		{"coordination.completed_migrations.peer_agent_runtime_v1": {"status": "completed", "completed_at": "2026-08-20T12:00:00+00:00"}},
	],
}

test_configure_write_sets[name] if {
	some name, case in set_cases
	sets(case[0]) == case[1]
}

test_configure_write_agent_model if {
	bare := {"source": {"row": {"coordination": {"agent_model": null}}}}
	sets_of(run({"agent_model": "peer_v1"}, bare)) == {"coordination.agent_model": "peer_v1"}
	sets_of(run({"agents": ["agent-b"]}, bare))["coordination.agent_model"] == "peer_v1"
	sets_of(run({"agents": ["agent-b"], "agent_model": "peer_v1"}, bare)) == {
		"coordination.agent_model": "peer_v1",
		"coordination.registered_agents": ["agent-a", "agent-b"],
	}
	sets_of(run({"agents": ["agent-b"], "agent_model": "peer_v1", "clear": ["registered-agents"]}, bare)) == {
		"coordination.agent_model": "peer_v1",
		"coordination.registered_agents": ["agent-b"],
	}
}

test_configure_write_profiles_in_a_list_stay_one if {
	listed := {"source": {"row": {"coordination": {"agent_profiles": [{"agent_id": "agent-a", "old": 1}, {"agent_id": "agent-q"}]}}}}
	found := sets_of(run({"agent_profiles": [profile({})]}, listed))["coordination.agent_profiles"]
	[p.agent_id | some p in found] == ["agent-q", "agent-a"]
	not found[1].old
	anew := sets_of(run({"agent_profiles": [profile({})], "clear": ["agent-profiles"]}, listed))["coordination.agent_profiles"]
	[p.agent_id | some p in anew] == ["agent-a"]
}

test_configure_write_authority_entries_of_an_object if {
	object_form := {"source": {"row": {"coordination": {"checkpointed_boundary_authority": {"entries": [{"decision": "defer"}]}}}}}
	found := run(authority({"expires_at": "2026-08-20T13:00:00Z", "expires_ns": testing.now_ns + testing.hour}), object_form)
	count(sets_of(found)["coordination.checkpointed_boundary_authority.entries"]) == 2
}

test_configure_write_clears_one_work_mode if {
	two := {"goal": {"agents": ["agent-a"]}, "source": {"row": {"coordination": {"agent_work_modes": {"agent-a": "active", "agent-q": "active"}}}}}
	sets_of(run({"clear_work_modes": ["agent-a"]}, two)) == {"coordination.agent_work_modes": {"agent-q": "active"}}

	# the mode of an agent that has left the roster can be removed
	sets_of(run({"clear_work_modes": ["agent-q"]}, two)) == {"coordination.agent_work_modes": {"agent-a": "active"}}
	run({"clear_work_modes": ["agent-a"]}, {}).effects[0].unset == [["coordination", "agent_work_modes"]]
	none := {"source": {"row": {"coordination": {"agent_work_modes": null}}}}
	run({"clear_work_modes": ["agent-a"]}, none).document.rule == "configure.same"
}

test_configure_write_clears if {
	found := run({"clear": ["waiting-on", "agent-work-modes", "registered-agents"]}, {"goal": {"waiting_on": "controller"}, "source": {"row": {"waiting_on": "controller"}}})
	[concat(".", path) | some path in found.effects[0].unset] == [
		"coordination.agent_work_modes",
		"coordination.registered_agents",
		"waiting_on",
	]
	found.document.before.state == "operator_gate"
	found.document.after.state == "eligible"
	{"key": "waiting_on", "before": "controller"} in found.document.changes
	run({"clear": ["waiting-on"]}, {}).document.rule == "configure.same"
}

test_configure_write_shows_the_quota if {
	found := run({"compute": "0.5", "window_hours": "12", "waiting_on": "controller"}, {}).document
	found.before.allowed_slots == 1440
	found.after == {"state": "operator_gate", "compute": 0.5, "allowed_slots": 360, "next_eligible_at": null}
	found.changes == [
		{"key": "quota.compute", "before": 1, "after": 0.5},
		{"key": "quota.window_hours", "before": 24, "after": 12},
		{"key": "waiting_on", "after": "controller"},
	]
	count(run({"compute": "0.5", "no_global_sync": true}, {}).effects) == 1
}

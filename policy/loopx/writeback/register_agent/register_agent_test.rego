package loopx.writeback.register_agent_test

import data.loopx.testing
import data.loopx.writeback.register_agent

run(write, change) := found if {
	given := object.union_n([
		testing.facts({"request": {"command": "register-agent", "execute": true}}),
		{"goal": {"agents": ["agent-a"]}, "source": {"registry": "r", "digest": "d", "row": {"coordination": {"registered_agents": ["agent-a"]}}}},
		change,
		{"write": {"goal": write}},
	])
	found := register_agent.result with input as given
}

cases := {
	"nobody": [{}, "register_agent.none"],
	"no token": [{"agents": ["9"]}, "register_agent.token"],
	"taken": [{"agents": ["agent-a,agent-b"], "require_new": true}, "register_agent.taken"],
	"new is new": [{"agents": ["agent-b"], "require_new": true}, "register_agent.write"],
	"same": [{"agents": ["agent-a"]}, "register_agent.same"],
	"more": [{"agents": ["agent-b"]}, "register_agent.write"],
}

test_register_agent_rule[name] if {
	some name, case in cases
	found := run(case[0], {})
	found.document.rule == case[1]
	ok := case[1] in {"register_agent.same", "register_agent.write"}
	found.ok == ok
	writes := case[1] == "register_agent.write"
	found.document.written == writes
	found.document.changed == writes
}

test_write_goal_before_all if {
	found := run({"agents": ["agent-b"]}, {"source": {"problem": "gone"}})
	found.document.error.rule_id == "write.source"
	found.effects == []
	not found.document.before
}

test_register_agent_write_adds_to_the_row if {
	found := run({"agents": ["agent-b", "agent-b"]}, {})
	found.effects[0].set == [
		{"path": ["coordination", "registered_agents"], "value": ["agent-a", "agent-b"]},
		{"path": ["coordination", "agent_model"], "value": "peer_v1"},
	]
	found.effects[1].kind == "sync_global"
	found.document.added_agents == ["agent-b"]
	found.document.before == {"registered_agents": ["agent-a"]}
	found.document.after == {"registered_agents": ["agent-a", "agent-b"]}
	count(run({"agents": ["agent-b"], "no_global_sync": true}, {}).effects) == 1
}

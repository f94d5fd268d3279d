package loopx.writeback.roster_test

import data.loopx.testing
import data.loopx.writeback.roster

given(names, change) := object.union_n([
	testing.team({}),
	{"write": {"goal": {"agents": names}}, "source": {"registry": "r", "row": {"coordination": {"registered_agents": ["agent-a", {"id": "agent-b", "note": 1}], "agent_model": "peer_v1"}}}},
	change,
])

test_agent_token_in_normal_form if {
	names := ["Agent C, agent-a", "x y", "9z", "agent-c"]
	roster.named == ["agent-c", "agent-a", "x-y", "9z", "agent-c"] with input as given(names, {})
	roster.invalid == ["9z"] with input as given(names, {})
	roster.added == ["agent-c", "x-y", "9z"] with input as given(names, {})
	roster.known == {"agent-a", "agent-b"} with input as given(names, {})
}

test_roster_keeps_entries_as_written if {
	written := roster.written with input as given([], {})
	written == ["agent-a", {"id": "agent-b", "note": 1}]
	elsewhere := roster.written with input as given([], {"source": {"row": {"coordination": {"registered_agents": "agent-a,agent-b"}}}})
	elsewhere == ["agent-a", "agent-b"]
}

test_roster_grows if {
	found := roster.grow(["a"], ["b"]) with input as given([], {})
	found == [{"path": ["coordination", "registered_agents"], "value": ["a", "b"]}]
	first := roster.grow([], ["b"]) with input as testing.base
	first == [
		{"path": ["coordination", "registered_agents"], "value": ["b"]},
		{"path": ["coordination", "agent_model"], "value": "peer_v1"},
	]
	nothing := roster.grow(["a"], []) with input as testing.base
	nothing == []
}

# METADATA
# title: Input documents for tests
# description: |
#   A healthy, eligible goal g1 at a fixed instant, and builders that change one thing. Test files only; nothing
#   in the bundle may import this package.
package loopx.testing

# 2026-08-20T12:00:00Z
now_ns := 1787227200000000000

minute := 60000000000

hour := 3600000000000

base := {
	"now": "2026-08-20T12:00:00+00:00",
	"now_ns": now_ns,
	"request": {
		"command": "should-run",
		"goal_id": "g1",
		"available_capabilities": [],
		"include_detail": [],
		"codex_app": true,
		"dry_run": false,
		"execute": false,
		"explain": false,
		"record_host_poll": false,
	},
	"route": {
		"registry": "registry.json",
		"registry_exists": true,
		"global": false,
		"runtime_root": "runtime",
		"goal_count": 1,
		"run_count": 0,
	},
	"findings": [],
	"goal": {
		"id": "g1",
		"domain": "oracle",
		"status": "active",
		"repo": ".",
		"state_file": "goals/g1/ACTIVE_GOAL_STATE.md",
		"state_file_declared": true,
		"adapter_kind": "oracle_adapter_v0",
		"adapter_status": "connected-delivery",
		"quota": {"compute": 1, "window_hours": 24},
		"self_repair": {},
		"execution_profile": {},
		"agents": [],
		"work_modes": {},
		"write_scope": [],
		"has_boundary": false,
		"requires_parent_approval": [],
		"available_capabilities": [],
		"boundary_authority": [],
		"guards": [],
		"legacy_hierarchy": false,
		"migration_acknowledged": false,
		"authority_source_count": 0,
	},
	"legacy_goal": false,
	"state": {
		"file": "goals/g1/ACTIVE_GOAL_STATE.md",
		"exists": true,
		"event_sourced": false,
		"front": {"status": "active"},
		"next_actions": ["Carry on with the parser work and run its unit tests."],
		"next_action_todo_ids": [],
		"agent_section": "Agent Todo",
		"malformed": [],
	},
	"todos": [],
	"archived_done": [],
	"runs": [],
	"ledger": {"rows": []},
	"decisions": [],
	"scheduler_states": [],
	"host": {"automations": []},
	"inbox": {"reply_due": false, "pending_count": 0},
	"peers": [],
}

# The base document with parts changed: objects merge, everything else is replaced.
facts(change) := object.union(base, change)

# The base goal with two registered agents, asked for by the first.
team(change) := object.union(
	object.union(base, {"goal": {"agents": ["agent-a", "agent-b"], "agent_model": "peer_v1"}, "request": {"agent_id": "agent-a"}}),
	change,
)

# An open agent todo; index and line follow from the caller when they matter.
agent_todo(id, change) := object.union(
	{
		"id": id,
		"explicit_id": true,
		"role": "agent",
		"status": "open",
		"index": 1,
		"line": 20,
		"section": "Agent Todo",
		"text": "[P1] Implement the tokenizer.",
		"title": "Implement the tokenizer.",
		"priority": "P1",
		"rank": 1,
	},
	change,
)

advancement(id, change) := agent_todo(id, object.union({"task_class": "advancement_task"}, change))

monitor(id, change) := agent_todo(id, object.union({"task_class": "continuous_monitor"}, change))

user_todo(id, class, change) := object.union(
	{
		"id": id,
		"explicit_id": true,
		"role": "user",
		"status": "open",
		"index": 1,
		"line": 10,
		"section": "User Todo / Owner Review Reading Queue",
		"text": "Approve.",
		"title": "Approve.",
		"rank": 50,
		"task_class": class,
	},
	change,
)

# A run row some minutes before now.
run(minutes_ago, classification, change) := object.union(
	{
		"generated_at": "2026-08-20T11:00:00+00:00",
		"at_ns": now_ns - (minutes_ago * minute),
		"count": 1,
		"classification": classification,
		"refresh": false,
	},
	change,
)

# What is configured: each asked setting becomes one change of the row, and what a clear flag removes.
package loopx.writeback.configure_goal

import data.loopx.goal
import data.loopx.settings.configure_goal as own
import data.loopx.writeback.answer
import data.loopx.writeback.quota_write
import data.loopx.writeback.registry
import data.loopx.writeback.roster

# --- what is configured

# METADATA
# title: The roster after the call
agents_after := roster_before | {token | some token in roster.named}

roster_before := roster.known if not "registered-agents" in cleared

roster_before := set() if "registered-agents" in cleared

wanted contains {"path": ["quota", "compute"], "value": quota_write.compute}

wanted contains {"path": ["quota", "window_hours"], "value": window_hours}

wanted contains {"path": ["control_plane", "self_repair", key], "value": value} if {
	some key in own.self_repair
	value := asked.self_repair[key]
}

wanted contains {"path": ["execution_profile", "turn_granularity"], "value": asked.turn_granularity}

wanted contains {"path": ["coordination", "agent_model"], "value": asked.agent_model}

wanted contains change if {
	not "registered-agents" in cleared
	some change in roster.grow(roster.written, roster.added)
	not asked_model(change)
}

wanted contains change if {
	"registered-agents" in cleared
	some change in roster.grow([], unique(roster.named))
	not asked_model(change)
}

asked_model(change) if {
	asked.agent_model
	change.path == ["coordination", "agent_model"]
}

wanted contains {"path": modes_path, "value": modes_after} if {
	count(modes) + count(modes_cleared) > 0
	count(modes_after) > 0
}

modes_after := object.union(object.remove(kept_object("agent-work-modes", modes_path), modes_cleared), modes)

wanted contains {"path": ["coordination", "agent_profiles"], "value": object.union(kept, by_agent)} if {
	count(profiles) > 0
	not is_array(registry.at(["coordination", "agent_profiles"], {}))
	kept := kept_object("agent-profiles", ["coordination", "agent_profiles"])
	by_agent := {profile.agent_id: profile | some profile in profiles}
}

# profiles that are written as a list stay one
wanted contains {"path": ["coordination", "agent_profiles"], "value": array.concat(kept, given)} if {
	count(profiles) > 0
	written := registry.at(["coordination", "agent_profiles"], {})
	is_array(written)
	given := [profile | some profile in profiles]
	kept := [profile |
		some profile in written
		not "agent-profiles" in cleared
		not profile.agent_id in {other.agent_id | some other in given}
	]
}

wanted contains {"path": ["coordination", "write_scope"], "value": unique(array.concat(kept, scopes))} if {
	count(scopes) > 0
	kept := [scope | some scope in goal.row.write_scope; not replaces]
}

wanted contains {"path": ["waiting_on"], "value": asked.waiting_on}

wanted contains {"path": authority_path, "value": array.concat(authority_entries, [authority_entry])}

wanted contains {"path": ["spawn_policy", "mode"], "value": asked.orchestration_mode}

wanted contains {"path": ["spawn_policy", "allowed"], "value": asked.spawn_allowed}

wanted contains {"path": ["spawn_policy", "max_children"], "value": to_number(asked.max_children)} if {
	regex.match(own.whole, asked.max_children)
}

wanted contains {"path": ["spawn_policy", "allowed_domains"], "value": unique(domains)} if count(domains) > 0

wanted contains {
	"path": ["coordination", "completed_migrations", "peer_agent_runtime_v1"],
	"value": object.union(own.migration, {"completed_at": answer.now}),
} if {
	asked.ack_migration
	not goal.row.migration_acknowledged
}

replaces if asked.replace_write_scope

replaces if "write-scope" in cleared

default kept_object(_, _) := {}

kept_object(flag, path) := value if {
	value := registry.at(path, {})
	is_object(value)
	not flag in cleared
}

unique(list) := [item | some i, item in list; not item in array.slice(list, 0, i)]

# METADATA
# title: What differs from the row as written
sets := [{"path": change.path, "value": change.value} |
	some change in sort(wanted)
	registry.at(change.path, null) != change.value
]

unset := [path |
	some path in sort({path | some name in cleared; some path in clear_paths[name]} | {modes_path | count(modes_cleared) > 0})
	registry.at(path, null) != null
	not path in {change.path | some change in wanted}
]

# METADATA
# title: The goal is configured so already
# custom: {id: configure.same}
# labels: {rule: configure.same}
outcome_row contains {"rank": 300, "rule": "configure.same", "value": {"ok": true, "reason": own.text.same}} if {
	count(sets) + count(unset) == 0
}

# METADATA
# title: The asked settings change
# custom: {id: configure.write}
# labels: {rule: configure.write}
outcome_row contains {"rank": 310, "rule": "configure.write", "value": {"ok": true, "reason": own.text.written}} if {
	count(sets) + count(unset) > 0
}

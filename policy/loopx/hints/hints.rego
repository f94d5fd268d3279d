# METADATA
# title: Hints for writing and setting up
# description: |
#   How to write a todo, how to name the agent in an installed prompt, and which more important work is blocked.
#   Hints never change a decided field.
# schemas:
#   - input: schema.facts.input
package loopx.hints

import data.loopx.goal
import data.loopx.lib.compact
import data.loopx.request
import data.loopx.settings.hints
import data.loopx.todos

# METADATA
# title: Conditional hints of this decision
fields := compact.present({
	"automation_prompt_upgrade": prompt_upgrade,
	"blocked_priority_fallback": blocked_priority_fallback,
})

# METADATA
# title: Where newly found work is written
# description: On every registered goal, paused ones included.
# custom:
#   id: hint.todo_write
todo_write_hint := {
	"rule": hints.todo_write.rule,
	"section": hints.todo_write.section,
	"user_gate_command_template": sprintf(hints.todo_write.user_gate, [goal.id]),
	"user_action_command_template": sprintf(hints.todo_write.user_action, [goal.id, binding]),
	"agent_todo_command_template": sprintf(hints.todo_write.agent, [goal.id]),
}

binding := hints.todo_write.bind_team if goal.multi_agent

binding := hints.todo_write.bind_solo if not goal.multi_agent

# METADATA
# title: An installed prompt names no agent, or the registry still has the old hierarchy
# description: A migration acknowledgement hides the hierarchy but never a missing agent. It does not flip should_run.
# custom:
#   id: hint.prompt_upgrade
default prompt_upgrade := null

prompt_upgrade := {
	"contract": "peer_agent_heartbeat_prompt_v1",
	"required": true,
	"blocks_should_run": false,
	"reason": upgrade_reason,
	"agent_model": object.get(input.goal, "agent_model", "peer_v1"),
	"registered_agents": goal.agents,
	"recommended_action": hints.prompt_upgrade.recommended_action,
	"agent_example_commands": [{"agent_id": agent, "command": sprintf(hints.prompt_upgrade.command, [goal.id, agent])} |
		some agent in goal.agents
	],
	"registry_migration_required": migration_required,
	"migration_id": hints.prompt_upgrade.migration_id,
} if {
	count(goal.agents) > 0
	some _ in upgrade_reasons
}

upgrade_reasons contains [1, hints.prompt_upgrade.reason_missing_agent] if not request.scoped

upgrade_reasons contains [2, hints.prompt_upgrade.reason_legacy] if migration_required

upgrade_reason := sort(upgrade_reasons)[0][1]

default migration_required := false

migration_required if {
	input.goal.legacy_hierarchy
	not input.goal.migration_acknowledged
}

# METADATA
# title: More important work that cannot run stands before the selected todo
# custom:
#   id: hint.blocked_priority
default blocked_priority_fallback := null

blocked_priority_fallback := {
	"schema_version": "blocked_priority_fallback_v0",
	"blocked_items": [todos.item(id) | some id in array.slice(blocked_before, 0, hints.blocked_priority.max_items)],
	"selected_executable": todos.item(todos.first_adv),
	"notify_user": false,
	"requires_user_action": false,
} if {
	count(blocked_before) > 0
}

# advancement that is not open and stands before the first executable item in projection order
blocked_before := [id |
	first := todos.by_id[todos.first_adv]
	some id in todos.projection((todos.blocked | todos.deferred_ids) & (todos.agent & todos.adv_class))
	t := todos.by_id[id]
	[t.rank, t.index] < [first.rank, first.index]
]

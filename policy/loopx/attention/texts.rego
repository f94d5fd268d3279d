# Texts of the attention row: the question at the gate and the actions that later rules read.
package loopx.attention

import data.loopx.goal
import data.loopx.history

# Registry texts count only beside a registry owner; the run's texts fill what is missing.
registry_texts := {key: value |
	registry_owner
	some key, value in goal.row
	key in {"operator_question", "missing_gates", "next_handoff_condition", "agent_command", "recommended_action"}
}

run_texts := object.union(
	{key: value |
		some key, value in run.operator_gate
		key in {"operator_question", "agent_command"}
	},
	{key: value |
		some key, value in run.controller_readiness
		key in {"missing_gates", "next_handoff_condition"}
	},
)

# METADATA
# title: Next Action entries of the state file
next_actions := input.state.next_actions

# METADATA
# title: First Next Action entry of the state file
# description: Undefined when there is none.
active_next_action := next_actions[0]

# METADATA
# title: Texts of the project's own record
# custom:
#   id: fact.project_asset
project_asset := object.union(
	{"next_action": text | text := active_next_action},
	{"recommended_action": text | text := history.latest_run_recommended_action},
)

recommendations contains [1, active_next_action]

recommendations contains [2, registry_texts.recommended_action]

recommendations contains [3, history.latest_run_recommended_action]

# METADATA
# title: Texts of the attention row
# description: |
#   {operator_question?, missing_gates?, next_handoff_condition?, agent_command?, recommended_action?, next_action?,
#   project_asset}. Empty texts are left out.
# custom:
#   id: fact.gate_text
item := object.union_n([
	{key: value | some key, value in object.union(run_texts, registry_texts); count(value) > 0},
	{"recommended_action": text | text := sort(recommendations)[0][1]},
	{"next_action": text | text := active_next_action},
	{"project_asset": project_asset},
])

# METADATA
# title: Action texts
# description: What next-action detection and the poll signal read, each text once.
texts := sort({text | some text in project_asset} | {text | text := item.recommended_action})

# METADATA
# title: Changing a registry row
# description: |
#   Refusals that all changes of a goal's registry row share, and the effects of such a change: the row in the registry
#   that owns it, then its public copy in the shared registry. Which keys change is decided by the commands.
# schemas:
#   - input: schema.facts.input
package loopx.writeback.registry

import data.loopx.request
import data.loopx.settings.registry_write as settings
import data.loopx.writeback.answer

row contains shared if some shared in answer.row

# METADATA
# title: The owner of the row cannot be used
# description: The goal is known from the shared registry, and its own registry is missing, unreadable or lists no such goal.
# custom: {id: write.source}
# labels: {rule: write.source}
row contains {"rank": 40, "rule": "write.source", "value": answer.refused("registry_source_unusable", problem)}

problem := input.source.problem

problem := settings.text.unknown if not input.source

# METADATA
# title: The registry must be corrected by hand first
# description: A key or a goal id appears twice, so there is no one place to change.
# custom: {id: write.registry}
# labels: {rule: write.registry}
row contains {"rank": 50, "rule": "write.registry", "value": answer.refused("registry_invalid", text)} if {
	first := sort([[object.get(f, "line", 0), f.message] | some f in blocking])[0]
	text := sprintf(settings.text.blocked, first)
}

blocking contains finding if {
	some finding in input.findings
	finding.code in {"registry_key_duplicate", "registry_goal_id_duplicate"}
	concerns(finding)
}

concerns(finding) if finding.scope == "global"

concerns(finding) if finding.goal_id == request.goal_id

# METADATA
# title: The row as written
# description: Unknown keys included; an empty object when it could not be read.
default written := {}

written := input.source.row

# METADATA
# title: What a path of the row holds
# description: The fallback when the row has no such path.
at(path, fallback) := object.get(written, path, fallback)

default digest := ""

digest := input.source.digest

# METADATA
# title: The effects of a change
# description: |
#   set: a list of {path, value}; unset: a list of paths. The row first, then its copy, because the copy is only a view.
#   Without a change there is no effect.
# custom: {id: quota_write.effects}
effects(set, unset, sync) := array.concat(
	[{
		"kind": "edit_registry",
		"goal_id": request.goal_id,
		"digest": digest,
		"set": set,
		"unset": unset,
	}],
	[{"kind": "sync_global", "goal_id": request.goal_id} | sync],
) if {
	count(set) + count(unset) > 0
}

effects([], [], _) := []

# METADATA
# title: Who the goal waits for
# description: |
#   Owner, severity, status and texts of the goal's attention row, from the status run, the registry and the open
#   user gates. Reads the Next Action lines of the state file besides its earlier packages. Quota, lanes and the
#   ledger may not enter.
# schemas:
#   - input: schema.facts.input
package loopx.attention

import data.loopx.goal
import data.loopx.history
import data.loopx.lib.rank
import data.loopx.request
import data.loopx.settings
import data.loopx.todos

run := history.status_run

# METADATA
# title: The newest run lost an artifact
# description: The status run's JSON or Markdown file does not exist.
# custom:
#   id: attention.artifacts
#   sets: [waiting_on, severity, status]
# labels:
#   rule: attention.artifacts
row contains {"rank": 10, "value": value, "rule": "attention.artifacts"} if {
	run.artifacts_missing
	value := {"waiting_on": "codex", "severity": "high", "source": "latest_run"}
}

# METADATA
# title: The registry names the owner
# description: A known waiting_on in the registry; an unknown one is a contract error and names nobody.
# custom:
#   id: attention.registry
#   sets: [waiting_on]
#   settings: [goal.waiting_on]
# labels:
#   rule: attention.registry
row contains {"rank": 20, "value": value, "rule": "attention.registry"} if {
	registry_owner
	value := {"waiting_on": registry_owner, "severity": severity_of[registry_owner], "source": "registry"}
}

# METADATA
# title: A safety blocker
# description: Severity high, so it is a health state although a human must clear it.
# custom:
#   id: attention.blocking
#   sets: [waiting_on, severity]
#   settings: [history.blocking]
# labels:
#   rule: attention.blocking
row contains {"rank": 30, "value": value, "rule": "attention.blocking"} if {
	run.classification in settings.history.blocking
	value := {"waiting_on": "user_or_controller", "severity": "high", "source": "latest_run"}
}

# METADATA
# title: The run asks a person
# custom:
#   id: attention.person
#   sets: [waiting_on, severity]
#   settings: [history.user_or_controller]
# labels:
#   rule: attention.person
row contains {"rank": 40, "value": value, "rule": "attention.person"} if {
	run.classification in settings.history.user_or_controller
	value := {"waiting_on": "user_or_controller", "severity": "action", "source": "latest_run"}
}

# METADATA
# title: The run is ready for an agent
# custom:
#   id: attention.codex_ready
#   sets: [waiting_on]
#   settings: [history.codex_ready]
# labels:
#   rule: attention.codex_ready
row contains {"rank": 50, "value": value, "rule": "attention.codex_ready"} if {
	run.classification in settings.history.codex_ready
	value := {"waiting_on": "codex", "severity": "info", "source": "latest_run"}
}

# METADATA
# title: A delivery adapter with any other run
# custom:
#   id: attention.delivery
#   sets: [waiting_on]
#   settings: [goal.delivery_adapters]
# labels:
#   rule: attention.delivery
row contains {"rank": 60, "value": value, "rule": "attention.delivery"} if {
	run
	goal.adapter_status in settings.goal.delivery_adapters
	value := {"waiting_on": "codex", "severity": "info", "source": "latest_run"}
}

# METADATA
# title: The run waits for outside evidence
# description: A legacy label of the run says so.
# custom:
#   id: attention.evidence
#   sets: [waiting_on, severity]
#   settings: [history.external_evidence_prefixes]
# labels:
#   rule: attention.evidence
row contains {"rank": 70, "value": value, "rule": "attention.evidence"} if {
	run.classification in history.external_evidence
	value := {"waiting_on": "external_evidence", "severity": "watch", "source": "latest_run"}
}

# METADATA
# title: A connected adapter with any other run
# custom:
#   id: attention.connected
#   sets: [waiting_on]
#   settings: [connected_adapters]
# labels:
#   rule: attention.connected
row contains {"rank": 80, "value": value, "rule": "attention.connected"} if {
	run
	goal.adapter_status in settings.attention.connected_adapters
	value := {"waiting_on": "codex", "severity": "info", "source": "latest_run"}
}

# METADATA
# title: Any other run names nobody
# custom:
#   id: attention.nobody
#   sets: [waiting_on]
# labels:
#   rule: attention.nobody
row contains {"rank": 90, "value": value, "rule": "attention.nobody"} if {
	run
	value := {"waiting_on": "none", "severity": "info", "source": "latest_run"}
}

# METADATA
# title: Connected and not run yet
# custom:
#   id: attention.first_run
#   sets: [waiting_on]
#   settings: [connected_adapters, goal.delivery_adapters]
# labels:
#   rule: attention.first_run
row contains {"rank": 100, "value": value, "rule": "attention.first_run"} if {
	not run
	connected
	value := {"waiting_on": "codex", "severity": "info", "source": "registry"}
}

# METADATA
# title: A planned read-only map needs an opt-in
# custom:
#   id: attention.planned
#   sets: [waiting_on, severity]
#   settings: [planned_adapter, read_only_map_suffix]
# labels:
#   rule: attention.planned
row contains {"rank": 110, "value": value, "rule": "attention.planned"} if {
	not run
	planned
	endswith(goal.adapter_kind, settings.attention.read_only_map_suffix)
	value := {"waiting_on": "user_or_controller", "severity": "action", "source": "registry"}
}

# METADATA
# title: Not connected
# description: A goal without a run whose adapter is in no known class waits for the controller.
# custom:
#   id: attention.unconnected
#   sets: [waiting_on, severity]
# labels:
#   rule: attention.unconnected
row contains {"rank": 120, "value": value, "rule": "attention.unconnected"} if {
	not run
	value := {"waiting_on": "controller", "severity": "action", "source": "registry"}
}

severity_of := {"codex": "info", "external_evidence": "watch", "user_or_controller": "action", "controller": "action"}

registry_owner := goal.row.waiting_on if goal.row.waiting_on in settings.goal.waiting_on

connected if goal.adapter_status in settings.attention.connected_adapters

connected if goal.adapter_status in settings.goal.delivery_adapters

planned if goal.adapter_status == settings.attention.planned_adapter

planned if goal.row.status == settings.attention.planned_adapter

# METADATA
# title: The goal has a read-only map adapter
default read_only_map := false

read_only_map if endswith(goal.adapter_kind, settings.attention.read_only_map_suffix)

read_only_map if goal.adapter_kind == settings.attention.read_only_map_kind

base := rank.winner(row)

# METADATA
# title: A person must clear an open gate
# description: An open user_gate todo stands above the registry and the run, unless it names only other agents.
# custom:
#   id: attention.user_gate
#   sets: [waiting_on]
# labels:
#   rule: attention.user_gate
gate_row contains {"rank": 5, "value": {"waiting_on": "user_or_controller"}, "rule": "attention.user_gate"} if {
	count(holding) > 0
}

# A gate that is bound to another agent never holds the calling one.
holding := todos.gates if not request.scoped

holding := todos.gates - todos.gates_other if request.scoped

# Severity stays that of the row below, so a health finding still comes first.
owner := rank.winner(gate_row | row)

# METADATA
# title: Who the goal waits for
waiting_on := owner.value.waiting_on

severity := base.value.severity

# METADATA
# title: Where the attention row comes from
source := "active_state" if owner.rule == "attention.user_gate"

source := base.value.source if owner.rule != "attention.user_gate"

# METADATA
# title: Status of the attention row
status := settings.attention.no_artifact_status if base.rule == "attention.artifacts"

status := object.get(goal.row, "attention_status", history.status) if base.rule == "attention.registry"

status := history.status if not base.rule in {"attention.artifacts", "attention.registry"}

fired := {
	"waiting_on": object.union(owner, {"value": waiting_on}),
	"severity": object.union(base, {"value": severity}),
}

runners := {"waiting_on": object.union(below, {"value": below.value.waiting_on}) | below := rank.runner_up(gate_row | row)}

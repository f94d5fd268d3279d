# METADATA
# title: Registering agents
# description: |
#   Answers register-agent: the named agents join the roster in the registry that owns the goal. Nothing else of the row
#   changes but the agent model, which the first registration writes.
# schemas:
#   - input: schema.facts.input
package loopx.writeback.register_agent

import data.loopx.goal
import data.loopx.lib.rank
import data.loopx.request
import data.loopx.settings.roster_write as settings
import data.loopx.writeback.answer
import data.loopx.writeback.registry
import data.loopx.writeback.roster

outcome_row contains row if some row in registry.row

# METADATA
# title: No agent is named
# custom: {id: register_agent.none}
# labels: {rule: register_agent.none}
outcome_row contains {"rank": 100, "rule": "register_agent.none", "value": answer.invalid(settings.text.none)} if {
	count(roster.named) == 0
}

# METADATA
# title: An id that no agent can have
# custom: {id: register_agent.token}
# labels: {rule: register_agent.token}
outcome_row contains {"rank": 110, "rule": "register_agent.token", "value": answer.refused("quota_agent_id_invalid", text)} if {
	text := sprintf(settings.text.token, [roster.invalid[0]])
}

# METADATA
# title: An agent is registered already
# description: Only with --require-new, which asks for ids that nobody holds.
# custom: {id: register_agent.taken}
# labels: {rule: register_agent.taken}
outcome_row contains {"rank": 120, "rule": "register_agent.taken", "value": answer.refused("agent_registered", text)} if {
	input.write.goal.require_new
	taken := sort({token | some token in roster.named; token in roster.known})
	count(taken) > 0
	text := sprintf(settings.text.taken, [request.goal_id, concat(", ", taken)])
}

# METADATA
# title: Every agent is registered
# custom: {id: register_agent.same}
# labels: {rule: register_agent.same}
outcome_row contains {"rank": 130, "rule": "register_agent.same", "value": {"ok": true, "reason": settings.text.same}} if {
	count(roster.added) == 0
}

# METADATA
# title: The agents join the roster
# custom: {id: register_agent.write}
# labels: {rule: register_agent.write}
outcome_row contains {"rank": 140, "rule": "register_agent.write", "value": {"ok": true, "reason": settings.text.registered}} if {
	count(roster.added) > 0
}

outcome := rank.winner(outcome_row)

effects := registry.effects(roster.grow(roster.written, roster.added), [], sync) if outcome.rule == "register_agent.write"

effects := [] if outcome.rule != "register_agent.write"

default sync := true

sync := false if input.write.goal.no_global_sync

# METADATA
# title: The answer and its effects
# description: "{ok, document, effects}. Effects are applied by the caller, and only when execution was asked for."
# entrypoint: true
# custom: {id: register_agent.result}
result := answer.result(outcome, effects, fields)

default fields := {}

fields := {
	"before": {"registered_agents": goal.agents},
	"after": {"registered_agents": sort({agent | some agent in array.concat(goal.agents, roster.added)})},
	"added_agents": roster.added,
} if {
	outcome.value.ok
}

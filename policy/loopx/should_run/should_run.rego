# METADATA
# title: The answer of quota should-run
# description: |
#   Chooses which document answers the call and puts it together: short ones for a call that cannot be decided, the
#   paused one, and the whole decision. Every part comes from the package that decided it; nothing is decided here.
package loopx.should_run

import data.loopx.goal
import data.loopx.health
import data.loopx.lib.rank
import data.loopx.plan
import data.loopx.quota
import data.loopx.request
import data.loopx.settings

texts := settings.route.documents

# METADATA
# title: The call itself is wrong
# description: An argument is missing, malformed or contradicts another.
# custom: {id: doc.validation, covers: [pipe.args], sets: [decision, state, error_code]}
# labels: {rule: doc.validation}
kind_row contains {"rank": 10, "rule": "doc.validation", "value": "refusal"} if request.refusal

# METADATA
# title: No registry lists the goal and nothing is known of it
# description: The goal is not registered and no finding is about it.
# custom: {id: doc.unknown_goal, covers: [prec.unknown_goal], sets: [decision, state]}
# labels: {rule: doc.unknown_goal}
kind_row contains {"rank": 30, "rule": "doc.unknown_goal", "value": "unknown"} if not goal.registered

# METADATA
# title: Only a health finding knows the goal
# description: The goal is not registered, but a finding is about it.
# custom: {id: doc.health_item, sets: [decision, state]}
# labels: {rule: doc.health_item}
kind_row contains {"rank": 20, "rule": "doc.health_item", "value": "health"} if {
	not goal.registered
	count(health.own_findings) > 0
}

# METADATA
# title: Only the runtime root knows the goal
# description: No registry lists the goal, but it has a run history that an earlier installation left.
# custom: {id: doc.health_item, sets: [decision, state]}
# labels: {rule: doc.health_item}
kind_row contains {"rank": 25, "rule": "doc.health_item", "value": "legacy"} if {
	not goal.registered
	input.legacy_goal
}

# METADATA
# title: The caller is not known
# description: The agent id is malformed, has no roster or is not on it.
# custom: {id: doc.identity, covers: [pipe.identity], sets: [decision, state, error_code]}
# labels: {rule: doc.identity}
kind_row contains {"rank": 40, "rule": "doc.identity", "value": "identity"} if request.identity_error

# METADATA
# title: The goal is paused
# description: The compute is 0 or the goal is stopped; no lane is built.
# custom: {id: doc.paused, covers: [pipe.pause], sets: [decision, state]}
# labels: {rule: doc.paused}
kind_row contains {"rank": 50, "rule": "doc.paused", "value": "paused"} if quota.paused

# METADATA
# title: The whole decision
# description: No row above holds.
# custom: {id: doc.normal, sets: [decision]}
# labels: {rule: doc.normal}
kind_row contains {"rank": 90, "rule": "doc.normal", "value": "normal"}

kind := rank.winner(kind_row)

# METADATA
# title: The decision
# description: The document of quota should-run, always defined.
# entrypoint: true
# custom: {id: pipe.lookup, covers: [pipe.plan, pipe.packet, route.stages]}
decision := object.union(short, {"rules": {"decision": kind.rule}}) if kind.value in {"refusal", "unknown", "health", "legacy", "identity"}

decision := paused_document if kind.value == "paused"

decision := document if kind.value == "normal"

# --- short documents

short := object.union_n([
	{
		"ok": false,
		"mode": "should-run",
		"goal_id": request.goal_id,
		"decision": "skip",
		"should_run": false,
		"waiting_on": null,
		"recommended_action": null,
		"source": "quota",
	},
	short_fields,
	{"plan_summary": plan.summary | kind.value in {"unknown", "health", "legacy"}},
	{"health_findings": health.findings | kind.value in {"unknown", "health", "legacy"}; count(health.findings) > 0},
	{"explain": {"fields": {"decision": kind}} | request.explain},
])

short_fields := refused(request.refusal) if kind.value == "refusal"

short_fields := object.union(refused(request.identity_error), {
	"state": "blocked_health",
	"status": "quota_identity_precondition_failed",
	"identity_precondition": {"satisfied": false, "error_code": request.identity_error.error_code, "registered_agents": goal.agents},
	"reason": request.identity_error.message,
}) if {
	kind.value == "identity"
}

short_fields := {
	"state": "unknown",
	"status": "goal_not_found",
	"reason": sprintf(texts.unknown_goal, [request.goal_id]),
	"recommended_action": texts.unknown_goal_action,
} if {
	kind.value == "unknown"
}

short_fields := {
	"state": "blocked_health",
	"status": item.status,
	"source": item.source,
	"waiting_on": "codex",
	"reason": item.message,
	"recommended_action": texts.health_item_action,
} if {
	kind.value == "health"
	item := health.items[0]
}

short_fields := {
	"state": "blocked_health",
	"status": texts.legacy_status,
	"source": texts.legacy_source,
	"waiting_on": "codex",
	"reason": sprintf(texts.legacy_goal, [request.goal_id]),
	"recommended_action": texts.unknown_goal_action,
} if {
	kind.value == "legacy"
}

refused(problem) := object.union(object.remove(problem, ["rule", "message"]), {"error": {
	"code": problem.error_code,
	"message": object.get(problem, "reason", object.get(problem, "message", "")),
	"rule_id": problem.rule,
}})

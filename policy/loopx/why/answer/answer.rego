# METADATA
# title: The answer of quota why
# description: |
#   Puts the explained decision, what was tried and what came of it together. Reads an input of its own: the decision, the
#   questions of loopx.why with the outcome of each, and what the caller wants.
package loopx.why.answer

import data.loopx.settings

decision := input.decision

# METADATA
# title: What the caller wants to reach
# description: The opposite of the present answer when nothing was asked for.
# custom: {id: why.want, sets: [want]}
want := input.want if input.want != ""

want := opposite[decision.should_run] if input.want == ""

opposite := {true: "quiet", false: "run"}

wanted := want == "run"

# METADATA
# title: Why the answer is as it is, and which single changes would turn it
# description: A change is listed when the decision evaluated with it gives what is wanted.
# entrypoint: true
# custom: {id: why.document, sets: [changes, time, explain]}
document := object.union_n([
	object.filter(decision, array.concat(["ok", "goal_id", "agent_identity", "reason", "rules"], settings.why.outcome)),
	{
		"mode": "why",
		"want": want,
		"reached": decision.should_run == wanted,
		"explain": {"fields": fields},
		"time": {
			"valid_until": object.get(decision, "valid_until", null),
			"next_eligible_at": object.get(decision, ["quota", "next_eligible_at"], null),
			"turns_at": turns_at,
			"events": events,
		},
		"changes": changes,
		"tried": count(input.questions.changes),
		"left_out": input.questions.left_out,
	},
])

fields := {field: row | some field in settings.why.fields; row := decision.explain.fields[field]}

events := [object.union(object.remove(question, ["operations", "outcome", "at_ns"]), {
	"then": result(question),
	"turns": result(question).should_run != decision.should_run,
}) |
	some question in input.questions.instants
]

default turns_at := null

turns_at := [event.at | some event in events; event.turns][0]

# METADATA
# title: Changes that give what is wanted
# description: Each was evaluated as a whole decision. None is listed when the answer is already the wanted one.
# custom: {id: why.changes, sets: [changes]}
changes := [object.union(object.remove(question, ["outcome"]), {"then": result(question)}) |
	decision.should_run != wanted
	some question in input.questions.changes
	result(question).should_run == wanted
]

# A change whose decision would be refused leads to no run.
result(question) := object.filter(question.outcome, settings.why.outcome) if not question.outcome.refused

result(question) := {"decision": "skip", "should_run": false, "refused": question.outcome.refused} if {
	question.outcome.refused
}

# METADATA
# title: The run index of a goal
# description: |
#   Answers history, history check and history repair: the newest runs, the lines that are not as a writer leaves them, and
#   which of them can be taken out. Only lines that no reader can use and exact repeats are taken out, the original file
#   is kept, and nothing is written unless execution is asked for.
# schemas:
#   - input: schema.facts.input
package loopx.writeback.run_index

import data.loopx.lib.compact
import data.loopx.lib.rank
import data.loopx.request
import data.loopx.settings.run_index as settings
import data.loopx.writeback.answer

default asked := {}

asked := input.write.history

outcome_row contains row if some row in answer.row

# --- the newest runs

# METADATA
# title: The newest runs
# description: As far back as the reader goes; adjacent rows that differ in nothing a rule reads are one, with their number.
# custom: {id: history.list, settings: [limit, fields]}
# labels: {rule: history.list}
outcome_row contains {"rank": 60, "rule": "history.list", "value": value} if {
	request.command == "history"
	value := {
		"ok": true,
		"reason": sprintf(settings.text.listed, [count(listed)]),
		"run_count": input.route.run_count,
		"runs": listed,
	}
}

listed := [object.filter(run, settings.fields) | some run in array.slice(input.runs, 0, limit)]

limit := asked.limit

limit := settings.limit if not asked.limit

# --- faults

index := asked.check

# METADATA
# title: What is wrong with a line
# description: The first that holds; a cut end is more than an unreadable line.
kinds(fault) := [kind | some kind in ["torn", "unreadable", "duplicate", "open", "no_time", "other_goal", "missing"]; is_fault(kind, fault)]

is_fault("torn", fault) if {
	fault.torn
	fault.unreadable
}

is_fault("unreadable", fault) if fault.unreadable

is_fault("duplicate", fault) if fault.first

is_fault("open", fault) if fault.torn

is_fault("no_time", fault) if fault.no_time

is_fault("other_goal", fault) if fault.other_goal

is_fault("missing", fault) if fault.missing

words("duplicate", fault) := sprintf(settings.faults.duplicate.text, [fault.first])

words("other_goal", fault) := sprintf(settings.faults.other_goal.text, [fault.other_goal])

words("missing", fault) := sprintf(settings.faults.missing.text, [concat(", ", fault.missing)])

words(kind, _) := settings.faults[kind].text if not kind in ["duplicate", "other_goal", "missing"]

# METADATA
# title: Faults of the index
# description: "{line, kind, repair, text}, in line order. Those of the ledger that the reader found come after them."
# custom: {id: history.faults, settings: [faults]}
faults := array.concat(line_faults, ledger_faults)

line_faults := [{"line": fault.line, "kind": kind, "repair": settings.faults[kind].repair, "text": words(kind, fault)} |
	some fault in index.faults
	kind := kinds(fault)[0]
]

lines := {fault.line | some fault in index.faults}

# a spend whose event cannot be read hides what it cost, so only a human can mend it
ledger_faults := [{"line": finding.line, "kind": finding.code, "repair": "none", "text": finding.message} |
	some finding in input.findings
	finding.goal_id == request.goal_id
	endswith(finding.file, index.file)
	not finding.line in lines
]

droppable := [fault.line | some fault in faults; fault.repair == "drop"]

# METADATA
# title: The index is sound
# custom: {id: history.check.sound}
# labels: {rule: history.check.sound}
outcome_row contains {"rank": 70, "rule": "history.check.sound", "value": {"ok": true, "reason": sound_text}} if {
	request.command == "history-check"
	count(faults) == 0
}

sound_text := settings.text.none if index.exists

sound_text := settings.text.no_index if not index.exists

# METADATA
# title: The index has faults
# description: The answer is not ok, so that a script stops at it; nothing is changed.
# custom: {id: history.check.faults}
# labels: {rule: history.check.faults}
outcome_row contains {"rank": 80, "rule": "history.check.faults", "value": answer.refused("run_index_faults", text)} if {
	request.command == "history-check"
	count(faults) > 0
	text := sprintf(settings.text.faults, [count(faults), count(droppable)])
}

# --- repair

# METADATA
# title: Nothing can be taken out
# custom: {id: history.repair.nothing}
# labels: {rule: history.repair.nothing}
outcome_row contains {"rank": 90, "rule": "history.repair.nothing", "value": {"ok": true, "reason": settings.text.nothing}} if {
	request.command == "history-repair"
	count(droppable) == 0
}

# METADATA
# title: Unusable lines are taken out
# description: The original file is kept beside the index.
# custom: {id: history.repair}
# labels: {rule: history.repair}
outcome_row contains {"rank": 100, "rule": "history.repair", "value": {"ok": true, "reason": text}} if {
	request.command == "history-repair"
	count(droppable) > 0
	text := sprintf(settings.text.repaired, [count(droppable)])
}

outcome := rank.winner(outcome_row)

default effects := []

effects := [{
	"kind": "rewrite_index",
	"goal_id": request.goal_id,
	"digest": index.digest,
	"at": answer.now,
	"drop": droppable,
}] if {
	outcome.rule == "history.repair"
}

# METADATA
# title: The answer and its effects
# description: "{ok, document, effects}. Effects are applied by the caller, and only when execution was asked for."
# entrypoint: true
# custom: {id: history.result}
result := answer.result(outcome, effects, repair_fields) if request.command == "history-repair"

result := {"ok": outcome.value.ok, "effects": [], "document": compact.present(object.union_n([
	outcome.value,
	check_fields,
	{
		"mode": request.command,
		"goal_id": request.goal_id,
		"rule": outcome.rule,
		"error": answer.error(outcome),
	},
]))} if {
	request.command != "history-repair"
}

default check_fields := {}

check_fields := found if request.command == "history-check"

default found := {}

found := {
	"line_count": index.line_count,
	"row_count": index.row_count,
	"fault_count": count(faults),
	"faults": faults,
	"truncated": index.truncated,
}

default repair_fields := {}

repair_fields := object.union(found, {"dropped_lines": droppable, "warnings": warnings}) if outcome.value.ok

warnings := [settings.text.more | index.truncated]

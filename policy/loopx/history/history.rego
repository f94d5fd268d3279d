# METADATA
# title: Run history
# description: |
#   What the run rows say: the status run, the agent's lane, the hand-off and its outcome streak, the newest row that
#   counts, the delivery not yet spent. Reads run rows and decisions. Todos and the spend ledger may not enter.
# schemas:
#   - input: schema.facts.input
package loopx.history

import data.loopx.goal
import data.loopx.request
import data.loopx.settings

# METADATA
# title: Run rows of the goal
# description: |
#   Newest first. Sets of rows hold their places in this list, so of two places the smaller one is the newer row.
rows := input.runs

by_classification[c] contains i if c := rows[i].classification

by_outcome[o] contains i if o := rows[i].delivery_outcome

# METADATA
# title: Places of the rows with one of these classifications
of(kinds) := union({by_classification[c] | some c in kinds})

places := union({some_places | some some_places in by_classification})

# METADATA
# title: The run that sets the goal's status
# description: |
#   Newest row that is neither neutral nor of an agent lane. Spends, voids and polls are neutral: they never become
#   the current classification. Undefined when there is none.
# custom:
#   id: ledger.neutral
status_run := input.status_run

# METADATA
# title: Status of the goal
# custom:
#   id: fact.status_run
#   settings: [no_run]
status := status_run.classification

status := settings.history.no_run if not status_run

# METADATA
# title: Recommendation of the status run
# description: Undefined when there is none.
# custom:
#   id: select.signals
#   settings: [recommended_action_limit]
latest_run_recommended_action := substring(text, 0, settings.history.recommended_action_limit) if {
	text := trim_space(status_run.recommended_action)
	text != ""
}

# --- kinds of rows

neutral_classification := {c | some c in settings.history.neutral}

status_neutral := {c | some c in settings.history.status_neutral}

polls := {c | some c in settings.history.poll}

spends := {c | some c in settings.history.ledger.spend}

voids := {c | some c in settings.history.ledger.void}

outcomes := {o | some o in settings.history.outcomes}

accountable_outcomes := {o | some o in settings.history.accountable}

classifications := object.keys(by_classification)

bookkeeping contains c if {
	some c in classifications
	startswith(c, settings.history.bookkeeping_prefixes[_])
}

bookkeeping contains c if some c in settings.history.bookkeeping

# METADATA
# title: A poll that saw no change
is_unchanged_poll(row) if {
	row.classification in polls
	not row.material_change
	not accountable(row)
}

# METADATA
# title: A delivery that may be spent
accountable(row) if row.delivery_outcome in accountable_outcomes

# --- the agent's lane

# METADATA
# title: Rows of the calling agent
# description: None for an unscoped call.
own := {i |
	me := request.agent_id
	some i
	rows[i].agent_id == me
}

# METADATA
# title: Rows of other agents
# description: None for an unscoped call.
default foreign := set()

foreign := {i | some i in (places - own); rows[i].agent_id} if request.scoped

# METADATA
# title: Rows of the calling agent's lane
# description: Its own and those without an agent, newest first; every row for an unscoped call.
lane := rows if count(foreign) == 0

lane := [rows[i] | some i in everything] if count(foreign) > 0

# Rows of the lane by kind.
everything := places - foreign

polled := of(polls) - foreign

delivered := union({by_outcome[o] | some o in accountable_outcomes}) - foreign

# What is taken away from the lane, so that it may hold rows of other agents.
paid := of(spends)

booked := of(bookkeeping)

# METADATA
# title: Refreshes without an outcome
# description: |
#   Quota-neutral by their provenance, whatever their classification. An outcome that is no known word counts as absent.
neutral_refreshes := (of({settings.history.refresh}) | {i | rows[i].refresh == true}) - with_outcome

with_outcome := union({by_outcome[o] | some o in outcomes})

# METADATA
# title: Rows that only keep books
# description: Spends, scheduler rows and quota-neutral refreshes break no streak.
# custom:
#   id: debt.bookkeeping
#   settings: [bookkeeping_prefixes, bookkeeping, refresh]
books := booked | neutral_refreshes

unchanged_polls := {i | some i in polled; is_unchanged_poll(rows[i])}

# METADATA
# title: The newest real row of the lane is an unchanged poll
# description: Bookkeeping rows are skipped.
# custom:
#   id: fact.monitor_attempt_recorded
default lane_recent_poll_unchanged := false

lane_recent_poll_unchanged if min(everything - books) in unchanged_polls

# METADATA
# title: Newest lane row that a spend must look at
# description: |
#   Voids, scheduler rows, unchanged polls, neutral refreshes and spends that a void took back are skipped.
#   Undefined when no row is left.
newest_relevant := rows[min((((everything - (booked - paid)) - taken_back) - unchanged_polls) - neutral_refreshes)]

taken_back := {i |
	some [at, agent] in voided
	rows[i].generated_at == at
	agent in {"", object.get(rows[i], "agent_id", "")}
} & paid

# METADATA
# title: Spends that were taken back
# description: |
#   Pairs of the spend's time and agent. Two agents may spend in one second, so a void with an agent takes back that
#   agent's spend alone; one without takes back whatever was spent then.
voided := {[at, object.get(rows[i], "agent_id", "")] |
	some i in of(voids)
	at := rows[i].voids
}

# METADATA
# title: Latest accountable delivery that is not spent
# description: |
#   The newest relevant row of the lane when it carries an accountable outcome. A spend, an outcome that does not
#   count or any other event there means none. Undefined when there is none.
# custom:
#   id: spend.unspent
unspent_delivery := newest_relevant if {
	not newest_is_spend
	accountable(newest_relevant)
}

# METADATA
# title: The newest relevant row is a spend
default newest_is_spend := false

newest_is_spend if newest_relevant.classification in spends

# --- lifecycle

# METADATA
# title: Lifecycle phase
# description: The status run's field, else the registry's, else what its classification says; null without any.
# custom:
#   id: fact.item
#   settings: [lifecycle, custom_lifecycle]
default lifecycle_phase := null

lifecycle_phase := sort(phases)[0][1]

phases contains [1, status_run.lifecycle_phase]

phases contains [2, goal.row.lifecycle_phase]

phases contains [3, settings.history.lifecycle[status_run.classification]]

phases contains [4, settings.history.custom_lifecycle] if {
	status_run
	custom(status)
}

# METADATA
# title: Lifecycle flags
# description: Of the status run, else of the registry; null without any.
default lifecycle_flags := null

lifecycle_flags := status_run.lifecycle_flags

lifecycle_flags := goal.row.lifecycle_flags if not status_run.lifecycle_flags

special := {c |
	some words in [settings.history.codex_ready, settings.history.user_or_controller, settings.history.blocking]
	some c in words
}

# METADATA
# title: Classifications that wait for outside evidence
# description: Legacy labels by their beginning.
external_evidence contains c if {
	some c in (classifications | {status})
	startswith(c, settings.history.external_evidence_prefixes[_])
}

# METADATA
# title: A label of the project's own
# description: Neither neutral nor a label that routes the goal.
custom(classification) if {
	not classification in status_neutral
	not classification in special
	not classification in external_evidence
}

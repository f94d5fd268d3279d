# What came of the last hand-off: the rows after it, their outcomes, the streak without outcome.
package loopx.history

import data.loopx.goal
import data.loopx.settings

handoffs := {i | some i, row in rows; row.classification in settings.history.handoff_ready}

handed_off if count(handoffs) > 0

# Rows newer than the newest hand-off; without one, the project's own delivery runs.
after_handoff := [row | some row in array.slice(rows, 0, min(handoffs)); work(row)] if handed_off

after_handoff := [row | some row in rows; custom(row)] if not handed_off

# METADATA
# title: Outcome of a row
# description: |
#   The structured field when it is a known word. A row without the field may be read by the profile's markers and
#   hints; nothing else says what a run achieved, least of all the end of its classification.
# custom:
#   id: floor.outcome
#   settings: [outcomes]
outcome(row) := row.delivery_outcome if row.delivery_outcome in outcomes

outcome(row) := "surface_only" if {
	not row.delivery_outcome
	holds_any(row.classification, goal.profile.outcome_floor.surface_only_hints)
}

outcome(row) := "outcome_progress" if {
	not row.delivery_outcome
	holds_any(row.classification, goal.profile.outcome_floor.outcome_markers)
	not holds_any(row.classification, goal.profile.outcome_floor.surface_only_hints)
}

holds_any(text, parts) if contains(lower(text), lower(parts[_]))

# METADATA
# title: Streak of rows without an outcome
# description: Rows after the hand-off, newest first, up to the first accountable one or one without any outcome.
# custom:
#   id: floor.streak
#   settings: [follow_through]
streak := sum([row.count | some i, row in after_handoff; i < streak_end])

streak_end := min({count(after_handoff)} | {i |
	some i, row in after_handoff
	not gap(row)
})

gap(row) if outcome(row) in settings.history.follow_through

# METADATA
# title: What followed the hand-off
# description: "{seen, streak, latest?, outcome?}; latest is the newest row after it, outcome its outcome."
# custom:
#   id: fact.handoff
post_handoff := object.union_n([
	{"seen": count(after_handoff) > 0, "streak": streak},
	{"latest": row | row := after_handoff[0]},
	{"outcome": value | value := outcome(after_handoff[0])},
])

# METADATA
# title: The last turn asks for follow-through
# description: |
#   The newest run after the hand-off says so itself, or ended with surface work, a gap or only preparation, and
#   is neither the primary outcome nor the blocker.
# custom:
#   id: fact.outcome_followthrough
#   settings: [follow_through, follow_through_turns, blocker_turns]
default outcome_followthrough := false

outcome_followthrough if {
	follows_up
	not post_handoff.outcome == "primary_goal_outcome"
	not wrote_blocker
}

wrote_blocker if post_handoff.latest.turn_kind in settings.history.blocker_turns

follows_up if post_handoff.latest.outcome_followthrough

follows_up if post_handoff.outcome in settings.history.follow_through

follows_up if post_handoff.latest.turn_kind in settings.history.follow_through_turns

# METADATA
# title: The goal only observes a dependency
# description: |
#   The status run, after a hand-off the newest run since, has that progress scope, or has none and a classification
#   that says so. Every other scope counts as the primary goal.
# custom:
#   id: fact.progress_scope
#   settings: [dependency_scope, dependency_hints]
default dependency_scope := false

dependency_scope if scope_run.progress_scope == settings.history.dependency_scope

dependency_scope if {
	not scope_run.progress_scope
	contains(scope_run.classification, settings.history.dependency_hints[_])
}

scope_run := after_handoff[0] if handed_off

scope_run := status_run if not handed_off_runs

handed_off_runs if {
	handed_off
	count(after_handoff) > 0
}

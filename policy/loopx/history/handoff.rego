# What came of the last hand-off: the rows after it, their outcomes, the streak without outcome.
package loopx.history

import data.loopx.goal
import data.loopx.settings

handoffs := of(settings.history.handoff_ready)

handed_off if count(handoffs) > 0

# Rows of an agent lane never change the goal's status, so they count as neutral here.
agent_rows := {i | rows[i].progress_scope == settings.history.agent_lane_scope}

# Rows newer than the newest hand-off; without one, the project's own delivery runs.
after_handoff := [rows[i] |
	newest := min(handoffs)
	some i in ((places - agent_rows) - of(status_neutral))
	i < newest
] if {
	handed_off
}

after_handoff := [rows[i] | some i in (of(own_labels) - agent_rows)] if not handed_off

own_labels := {c | some c in classifications; custom(c)}

# METADATA
# title: Outcomes after the hand-off
# description: |
#   By index. The structured field when it is a known word. A row without the field may be read by the profile's
#   markers and hints; nothing else says what a run achieved, least of all the end of its classification.
# custom:
#   id: floor.outcome
#   settings: [outcomes]
outcome := object.union_n([
	marked(goal.profile.outcome_floor.outcome_markers, "outcome_progress"),
	marked(goal.profile.outcome_floor.surface_only_hints, "surface_only"),
	{i: word | some i, word in said; word in outcomes},
])

said := {i: word | word := after_handoff[i].delivery_outcome}

marked(parts, word) := {i: word |
	some part in parts
	some i, row in after_handoff
	not said[i]
	contains(lower(row.classification), lower(part))
}

# METADATA
# title: Streak of rows without an outcome
# description: Rows after the hand-off, newest first, up to the first accountable one or one without any outcome.
# custom:
#   id: floor.streak
#   settings: [follow_through]
streak := sum([row.count | some i, row in after_handoff; i < streak_end])

streak_end := min({count(after_handoff)} | {i | some i, _ in after_handoff; not i in gaps})

gaps := {i | some i, word in outcome; word in settings.history.follow_through}

# METADATA
# title: What followed the hand-off
# description: "{seen, streak, latest?, outcome?}; latest is the newest row after it, outcome its outcome."
# custom:
#   id: fact.handoff
post_handoff := object.union_n([
	{"seen": count(after_handoff) > 0, "streak": streak},
	{"latest": row | row := after_handoff[0]},
	{"outcome": word | word := outcome[0]},
])

# METADATA
# title: What followed the hand-off, as the answers show it
handoff_readiness := {
	"post_handoff_run_seen": post_handoff.seen,
	"post_handoff_outcome_gap_streak": post_handoff.streak,
}

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

scope_run := status_run if not handed_off

scope_run := status_run if {
	handed_off
	not post_handoff.seen
}

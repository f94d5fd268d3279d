# The outcome floor: delivery that keeps missing its outcome is held to recovery.
package loopx.quota

import data.loopx.attention
import data.loopx.goal
import data.loopx.history
import data.loopx.lib.rank
import data.loopx.settings
import data.loopx.todos

# METADATA
# title: Too many turns without an outcome
# description: |
#   An agent may work on a delivering goal, but the rows since the hand-off reach the threshold without an
#   accountable outcome, and no state above stops the turn already.
# custom:
#   id: floor.block
#   sets: [state, blocked_action_scope, focus_wait, handoff_outcome_floor_block]
#   settings: [floor_exempt, extras]
# labels:
#   rule: floor.block
floor_row contains {"rank": 10, "value": "focus_wait", "rule": "floor.block"} if {
	attention.waiting_on == "codex"
	goal.delivery
	history.post_handoff.streak > 0
	history.post_handoff.streak >= outcome_floor.surface_streak_threshold
	not base.value in settings.quota.floor_exempt
}

# METADATA
# title: The floor does not hold
# description: In every other case the state of the table stays.
# custom:
#   id: floor.none
#   sets: [state]
# labels:
#   rule: floor.none
floor_row contains {"rank": 20, "value": base.value, "rule": "floor.none"}

floor_winner := rank.winner(floor_row)

outcome_floor := goal.profile.outcome_floor

# METADATA
# title: Outcome floor
# description: "{block, recovery, projected}: it holds the goal, a recovery turn is allowed, its blocker is written."
floor := {"block": floor_block, "recovery": floor_recovery, "projected": floor_projected}

default floor_block := false

floor_block if floor_winner.rule == "floor.block"

# METADATA
# title: A recovery turn is possible
# description: The profile names what must advance; an emptied list leaves only the report of the blocker.
floor_bypass if {
	floor_block
	count(outcome_floor.must_advance) > 0
}

# METADATA
# title: One recovery turn
# description: It may only produce what must_advance names or write the blocker; what avoid names stays blocked.
# custom:
#   id: floor.recovery
#   sets: [safe_bypass_allowed, safe_bypass_kind, safe_bypass_policy]
#   settings: [recovery]
default floor_recovery := false

floor_recovery if {
	floor_bypass
	not floor_projected
}

# METADATA
# title: The blocker is already written
# description: |
#   The agent's open todos hold a blocker and no advancement, so recovery has nothing left to do and is withdrawn.
# custom:
#   id: floor.projected
#   sets: [safe_bypass_allowed, safe_bypass_kind, outcome_floor_blocker_projected]
#   settings: [blocker_class, projected]
default floor_projected := false

floor_projected if {
	floor_bypass
	not todos.first_adv
	settings.quota.blocker_class in open_classes
	not "advancement_task" in open_classes
}

open_classes contains todos.class[id] if {
	some id in todos.agent_open
	todos.selectable[id]
}

# METADATA
# title: Additive warnings
# description: |
#   Signals beside a decision. None of them changes should_run or any other decided field; a rule that would belongs
#   elsewhere. Reads the decision history and the release ledger from the input, the rest from earlier packages.
# schemas:
#   - input: schema.facts.input
package loopx.warnings

import data.loopx.agent_scope
import data.loopx.history
import data.loopx.lib.compact
import data.loopx.quota
import data.loopx.request
import data.loopx.settings.warnings
import data.loopx.todos
import data.loopx.work_lane_contract

hour_ns := 3600000000000

# METADATA
# title: All warnings of this decision
fields := compact.present({
	"decision_freshness_warning": freshness,
	"promotion_readiness_warning": promotion,
	"next_action_projection_warning": next_action,
	"state_action_projection_warning": state_action,
	"clock_skew_warning": clock_skew,
	"todo_marker_warning": todo_marker,
})

# METADATA
# title: A checkpointed decision is older than its window
# custom:
#   id: warn.freshness.stale
freshness_items contains item if {
	some decision in input.decisions
	is_stale(decision)
	item := freshness_item(decision, "stale_rebase_required", sprintf(
		warnings.text.stale_rebase_required,
		[warnings.freshness.window_days],
	))
}

# METADATA
# title: Newer events follow a checkpointed decision
# custom:
#   id: warn.freshness.rebase
freshness_items contains item if {
	some decision in input.decisions
	not is_stale(decision)
	decision.newer_events > 0
	item := freshness_item(decision, "rebase_required", sprintf(warnings.text.rebase_required, [decision.newer_events]))
}

is_stale(decision) if request.now_ns - decision.at_ns > (warnings.freshness.window_days * 24) * hour_ns

freshness_item(decision, state, reason) := {
	"decision_kind": decision.kind,
	"freshness_state": state,
	"decision_at": decision.generated_at,
	"classification": decision.classification,
	"age_days": floor((request.now_ns - decision.at_ns) / (24 * hour_ns)),
	"newer_event_count_7d": decision.newer_events,
	"reason": reason,
}

# METADATA
# title: Old decisions have to be rebased before they are reused
# custom:
#   id: warn.freshness
default freshness := null

freshness := {
	"source": "run_history",
	"window_days": warnings.freshness.window_days,
	"message": warnings.text.freshness_message,
	"rebase_required_count": count(freshness_items),
	"items": array.slice(newest_first, 0, warnings.freshness.max_items),
} if {
	count(freshness_items) > 0
}

newest_first := array.reverse([item | some [_, item] in sort([[item.decision_at, item] | some item in freshness_items])])

# METADATA
# title: Release readiness evidence is missing, stale or unknown
# description: Read from the shared release ledger; a run that wrote no evidence clears nothing.
# custom:
#   id: warn.promotion
default promotion := null

promotion := compact.present({
	"available": readiness_available,
	"freshness_status": readiness_status,
	"requires_readiness_run": true,
	"freshness_window_hours": warnings.promotion.window_hours,
	"age_hours": readiness_age,
	"generated_at": object.get(input, ["promotion", "generated_at"], null),
	"reason": readiness_reason,
	"message": warnings.text.promotion_message,
}) if {
	readiness_status != "fresh"
}

default readiness_available := false

readiness_available if input.promotion

default readiness_age := null

readiness_age := floor((request.now_ns - input.promotion.at_ns) / hour_ns) if input.promotion.at_ns > 0

readiness_status := "missing" if not input.promotion

readiness_status := "unknown" if input.promotion.at_ns <= 0

readiness_status := "stale" if {
	input.promotion.at_ns > 0
	request.now_ns - input.promotion.at_ns > warnings.promotion.window_hours * hour_ns
}

readiness_status := "fresh" if {
	input.promotion.at_ns > 0
	request.now_ns - input.promotion.at_ns <= warnings.promotion.window_hours * hour_ns
}

readiness_reason := warnings.text.promotion_missing if readiness_status == "missing"

readiness_reason := warnings.text.promotion_unknown if readiness_status == "unknown"

readiness_reason := sprintf(warnings.text.promotion_stale, [warnings.promotion.window_hours]) if readiness_status == "stale"

default active_text := ""

active_text := input.state.next_actions[0]

default run_text := ""

run_text := history.latest_run_recommended_action

default lane_action := {}

lane_action := agent_scope.next_action

default clock_skew := null

clock_skew := quota.clock_skew_warning

default todo_marker := null

todo_marker := todos.marker_warning

# METADATA
# title: The durable next action and the latest run disagree
# custom:
#   id: warn.next_action
default next_action := null

next_action := compact.present({
	"kind": "next_action_projection_mismatch",
	"severity": mismatch_severity,
	"requires_state_writeback": mismatch_writeback,
	"active_state_next_action": active_text,
	"latest_run_recommended_action": run_text,
	"agent_lane_next_action": object.get(lane_action, "text", null),
	"message": warnings.text.next_action,
}) if {
	active_text != ""
	run_text != ""
	not aligned(active_text, run_text)
}

default mismatch_severity := "warning"

mismatch_severity := "info" if lane_action.preserves_goal_next_action

default mismatch_writeback := true

mismatch_writeback := false if lane_action.preserves_goal_next_action

# METADATA
# title: The durable next action names other work than the selected todo
# custom:
#   id: warn.state_action
default state_action := null

state_action := {
	"kind": "state_action_projection_mismatch",
	"severity": "warning",
	"requires_state_writeback": true,
	"active_state_next_action": active_text,
	"selected_text": first_text,
	"message": warnings.text.state_action,
} if {
	work_lane_contract.raw.lane == "advancement_task"
	"open_agent_todo" in work_lane_contract.raw.reason_codes
	active_text != ""
	first_text := todos.by_id[todos.first_adv].text
	not todos.first_adv in todos.own
	not aligned(active_text, first_text)
}

# METADATA
# title: Two action texts mean the same
# description: Equal after normalisation, or one's label, long prefix or whole text is inside the other.
# custom:
#   id: warn.aligned
aligned(a, b) if plain(a) == plain(b)

aligned(a, b) if {
	some [one, other] in [[plain(a), plain(b)], [plain(b), plain(a)]]
	some part in distinctive_parts(one)
	contains(other, part)
}

plain(text) := regex.replace(lower(regex.replace(trim_space(text), `\s+`, " ")), warnings.alignment.noise, "")

distinctive_parts(text) := {part |
	some [part, least] in [
		[label(text), warnings.alignment.label],
		[concat(" ", array.slice(split(text, " "), 0, warnings.alignment.prefix_words)), warnings.alignment.prefix],
		[text, warnings.alignment.contained],
	]
	count(part) >= least
}

# the text before the first colon; none when there is no colon
label(text) := substring(text, 0, indexof(text, ":")) if contains(text, ":")

label(text) := "" if not contains(text, ":")

# METADATA
# title: Instants at which a warning changes by time alone
# custom:
#   id: warn.time_edges
time_edges contains edge if {
	some decision in input.decisions
	day_ns := 24 * hour_ns
	edge := (decision.at_ns + ((floor((request.now_ns - decision.at_ns) / day_ns) + 1) * day_ns)) + 1
}

time_edges contains edge if {
	readiness_status == "stale"
	edge := input.promotion.at_ns + ((readiness_age + 1) * hour_ns)
}

time_edges contains edge if {
	readiness_status == "fresh"
	edge := (input.promotion.at_ns + (warnings.promotion.window_hours * hour_ns)) + 1
}

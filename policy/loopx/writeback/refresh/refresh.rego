# METADATA
# title: Recording the state after work
# description: |
#   Answers refresh-state: one run record with the state, what the work came to, and what a replan changed. A delivery
#   outcome is one of four words and nothing else makes a row accountable. Rewards, gates and quota stay as they are; of
#   the state file only the next action changes, when asked.
# schemas:
#   - input: schema.facts.input
package loopx.writeback.refresh

import data.loopx.goal
import data.loopx.history
import data.loopx.lib.merge
import data.loopx.lib.rank
import data.loopx.request
import data.loopx.settings.refresh as settings
import data.loopx.todos
import data.loopx.writeback.answer

default asked := {}

asked := input.write.refresh

given(key) := object.get(asked, key, "")

outcome_row contains row if some row in answer.row

# --- refusals

# METADATA
# title: There is no state to record
# custom: {id: refresh.state_file}
# labels: {rule: refresh.state_file}
outcome_row contains {"rank": 60, "rule": "refresh.state_file", "value": answer.refused("state_file_unusable", why)} if {
	not input.state.exists
	why := sprintf(settings.text.state_file, [request.goal_id])
}

# METADATA
# title: Several agents, and none is named
# custom: {id: refresh.agent}
# labels: {rule: refresh.agent}
outcome_row contains {"rank": 70, "rule": "refresh.agent", "value": answer.invalid(why)} if {
	goal.multi_agent
	not request.scoped
	why := sprintf(settings.text.agent, [request.goal_id])
}

# METADATA
# title: An outcome is one of four words
# description: The classification beside it is a free label and decides nothing.
# custom: {id: refresh.outcome_enum, settings: [history.outcomes]}
# labels: {rule: refresh.outcome_enum}
outcome_row contains {"rank": 80, "rule": "refresh.outcome_enum", "value": answer.invalid(why)} if {
	given("delivery_outcome") != ""
	not asked.delivery_outcome in history.outcomes
	why := sprintf(settings.text.outcome, [asked.delivery_outcome, concat(", ", sort(history.outcomes))])
}

# METADATA
# title: A classification is a label
# custom: {id: refresh.classification, settings: [classification]}
# labels: {rule: refresh.classification}
outcome_row contains {"rank": 90, "rule": "refresh.classification", "value": answer.invalid(why)} if {
	not regex.match(settings.classification, classification)
	why := sprintf(settings.text.classification, [classification])
}

# METADATA
# title: A classification of another writer
# description: A row that looks like a spend, a poll or a map would be read as one.
# custom: {id: refresh.reserved, settings: [reserved]}
# labels: {rule: refresh.reserved}
outcome_row contains {"rank": 91, "rule": "refresh.reserved", "value": answer.invalid(why)} if {
	some start in settings.reserved
	startswith(lower(classification), start)
	why := sprintf(settings.text.reserved, [classification])
}

classification := given("classification") if given("classification") != ""

classification := settings.default_classification if given("classification") == ""

# METADATA
# title: Size and boundary of a delivery are known words
# custom: {id: refresh.delivery, settings: [batch_scales, batch_scale_aliases, boundaries]}
# labels: {rule: refresh.delivery}
outcome_row contains {"rank": 100, "rule": "refresh.delivery", "value": answer.invalid(why)} if {
	given("delivery_batch_scale") != ""
	not batch_scale in settings.batch_scales
	why := sprintf(settings.text.scale, [asked.delivery_batch_scale, concat(", ", settings.batch_scales)])
}

outcome_row contains {"rank": 101, "rule": "refresh.delivery", "value": answer.invalid(why)} if {
	given("delivery_boundary") != ""
	not asked.delivery_boundary in settings.boundaries
	why := sprintf(settings.text.boundary, [asked.delivery_boundary, concat(", ", settings.boundaries)])
}

batch_scale := object.get(settings.batch_scale_aliases, asked.delivery_batch_scale, asked.delivery_batch_scale)

# METADATA
# title: Whose progress it is
# description: The goal's or the calling agent's; a team's agent speaks for its lane unless it says otherwise.
# custom: {id: refresh.scope, settings: [scopes]}
# labels: {rule: refresh.scope}
outcome_row contains {"rank": 110, "rule": "refresh.scope", "value": answer.invalid(why)} if {
	not scope in settings.scopes
	why := sprintf(settings.text.scope, [scope, concat(", ", settings.scopes)])
}

outcome_row contains {"rank": 111, "rule": "refresh.scope", "value": answer.invalid(settings.text.lane_agent)} if {
	scope == "agent_lane"
	not request.scoped
}

default scope := "goal"

scope := given("progress_scope") if given("progress_scope") != ""

scope := "agent_lane" if {
	given("progress_scope") == ""
	goal.multi_agent
}

# METADATA
# title: The next action belongs to the goal
# description: A line of text, written under the scope of the goal.
# custom: {id: refresh.next_action}
# labels: {rule: refresh.next_action}
outcome_row contains {"rank": 120, "rule": "refresh.next_action", "value": answer.invalid(settings.text.next_scope)} if {
	count(next_actions) > 0
	scope != "goal"
}

outcome_row contains {"rank": 121, "rule": "refresh.next_action", "value": answer.invalid(settings.text.next_action)} if {
	some line in next_actions
	not regex.match(`^[^#\s]`, line)
}

next_actions := [trim_space(regex.replace(line, `\s+`, " ")) | some line in asked.next_actions]

# METADATA
# title: Texts have a limit
# custom: {id: refresh.long, settings: [text_limit]}
# labels: {rule: refresh.long}
outcome_row contains {"rank": 130, "rule": "refresh.long", "value": answer.invalid(why)} if {
	some name, text in {"--recommended-action": given("recommended_action"), "--next-action": concat(" ", next_actions)}
	count(text) > settings.text_limit
	why := sprintf(settings.text.long, [name, settings.text_limit])
}

# METADATA
# title: The named todo exists
# custom: {id: refresh.todo}
# labels: {rule: refresh.todo}
outcome_row contains {"rank": 140, "rule": "refresh.todo", "value": answer.refused("todo_not_found", why)} if {
	given("todo_id") != ""
	not todos.by_id[todo_id]
	not todo_id in {archived.id | some archived in input.archived_done}
	why := sprintf(settings.text.todo, [request.goal_id, asked.todo_id])
}

outcome_row contains {"rank": 141, "rule": "refresh.todo", "value": answer.invalid(settings.text.both)} if {
	given("todo_id") != ""
	given("replan_obligation_id") != ""
}

todo_id := lower(asked.todo_id)

# METADATA
# title: The named obligation stands
# description: |
#   It is the one that should-run gives to this caller now, or gave in the turn that the call names: a replan that makes
#   work executable has met its obligation, and is still acknowledged.
# custom: {id: refresh.obligation}
# labels: {rule: refresh.obligation}
outcome_row contains {"rank": 150, "rule": "refresh.obligation", "value": answer.refused("replan_obligation_mismatch", why)} if {
	given("replan_obligation_id") != ""
	standing := object.get(obligation_or_none, "obligation_id", settings.text.no_obligation)
	asked.replan_obligation_id != standing
	not asked.replan_obligation_id in given_in_turn
	why := sprintf(settings.text.obligation, [asked.replan_obligation_id, standing])
}

given_in_turn := {event.details.replan_obligation_id |
	some event in input.trace.events
	event.agent_id == request.agent_id
	event.event_kind == settings.guard_event
}

# METADATA
# title: Progress is a word, a vision an object
# custom: {id: refresh.progress, settings: [progress_result]}
# labels: {rule: refresh.progress}
outcome_row contains {"rank": 170, "rule": "refresh.progress", "value": answer.invalid(why)} if {
	given("progress_result") != ""
	not regex.match(settings.progress_result, asked.progress_result)
	why := sprintf(settings.text.progress, [asked.progress_result])
}

outcome_row contains {"rank": 171, "rule": "refresh.progress", "value": answer.invalid(settings.text.vision)} if {
	given("vision_text") != ""
	not vision
}

vision := value if {
	json.is_valid(asked.vision_text)
	value := json.unmarshal(asked.vision_text)
	is_object(value)
	is_string(value.state)
}

# --- the workspace of a delivery

checkout := asked.checkout

accountable_asked if asked.delivery_outcome in history.accountable_outcomes

default independent_required := false

# METADATA
# title: Peers deliver from worktrees of their own
# description: As the registry says, and without a word of it as soon as two agents are registered.
independent_required := goal.row.independent_worktree

independent_required if {
	not is_boolean(object.get(goal.row, "independent_worktree", null))
	goal.multi_agent
}

path_given if given("workspace_path") != ""

workspace_matters if path_given

workspace_matters if {
	accountable_asked
	independent_required
}

# METADATA
# title: The workspace of a delivery is checked and not recorded
# description: |
#   The named directory, else the one around the command: a git checkout whose origin may be shown, and for peer work
#   not the one that the goal is registered with. Only its repository and kind go into the record.
# custom: {id: refresh.workspace_path}
# labels: {rule: refresh.workspace_path}
outcome_row contains {
	"rank": 180,
	"rule": "refresh.workspace_path",
	"value": answer.refused("delivery_workspace_invalid", settings.text.workspace_missing),
} if {
	path_given
	not checkout.directory
}

outcome_row contains {
	"rank": 181,
	"rule": "refresh.workspace_path",
	"value": answer.refused("delivery_workspace_invalid", settings.text.workspace_git),
} if {
	workspace_matters
	not checkout.git
}

outcome_row contains {
	"rank": 182,
	"rule": "refresh.workspace_path",
	"value": answer.refused("delivery_workspace_invalid", settings.text.workspace_canonical),
} if {
	workspace_matters
	independent_required
	checkout.canonical
}

outcome_row contains {
	"rank": 183,
	"rule": "refresh.workspace_path",
	"value": answer.refused("delivery_workspace_invalid", settings.text.workspace_origin),
} if {
	workspace_matters
	object.get(checkout, "repository", "") == ""
}

workspace := object.union(settings.workspace, {
	"task_repository": checkout.repository,
	"workspace_kind": workspace_kind,
	"peer_independent_worktree_required": independent_required,
}) if {
	workspace_matters
}

workspace_kind := settings.workspace_kinds.canonical if checkout.canonical

workspace_kind := settings.workspace_kinds.linked if {
	not checkout.canonical
	checkout.linked
}

workspace_kind := settings.workspace_kinds.other if {
	not checkout.canonical
	not checkout.linked
}

# --- the answer

# METADATA
# title: The replan changed nothing that may be spent
# description: |
#   Its outcome is a gap, whatever was asked: gates, targets, watches and a next action alone move no executable, blocked
#   or terminal frontier.
# custom: {id: refresh.replan_outcome, settings: [delta_kinds, gap_outcome]}
# labels: {rule: refresh.replan_outcome}
outcome_row contains {
	"rank": 300,
	"rule": "refresh.replan_outcome",
	"value": {"ok": true, "reason": settings.text.normalised},
} if {
	gap
}

# METADATA
# title: The state is recorded
# custom: {id: refresh.write}
# labels: {rule: refresh.write}
outcome_row contains {"rank": 310, "rule": "refresh.write", "value": {"ok": true, "reason": said}}

said := settings.text.written if delivery_outcome

said := settings.text.neutral if not delivery_outcome

outcome := rank.winner(outcome_row)

delivery_outcome := settings.gap_outcome if gap

delivery_outcome := asked.delivery_outcome if {
	not gap
	given("delivery_outcome") != ""
}

# METADATA
# title: Warnings of an accountable refresh
# description: |
#   An earlier delivery of the lane is unspent, so one of the two can be spent; or this turn is spent already and only a
#   plain refresh belongs after that.
# custom: {id: refresh.order}
warnings := [code |
	some code in ["unspent_delivery_exists", "delivery_after_spend"]
	warned[code]
]

warned["unspent_delivery_exists"] if {
	delivery_outcome in history.accountable_outcomes
	history.unspent_delivery
}

warned["delivery_after_spend"] if {
	delivery_outcome in history.accountable_outcomes
	history.newest_is_spend
	history.newest_relevant.turn_instance_id == request.turn_id
}

# METADATA
# title: The answer and its effects
# description: "{ok, document, effects}. Effects are applied by the caller, and only when execution was asked for."
# entrypoint: true
# custom: {id: refresh.result, covers: [refresh.writeback, refresh.neutral]}
result := answer.result(outcome, effects, fields)

default fields := {}

fields := merge.all([
	{
		"agent_id": object.get(input.request, "agent_id", null),
		"appended": answer.executes,
		"classification": classification,
		"recommended_action": action.text,
		"recommended_action_source": action.source,
		"progress_scope": scope,
		"accountable": delivery_outcome_accountable,
		"warnings": warnings,
	},
	{"delivery_outcome": delivery_outcome | delivery_outcome},
	{"requested_delivery_outcome": asked.delivery_outcome | gap},
	{"delivery_workspace": workspace | workspace},
	{"autonomous_replan_ack": ack | ack},
	{"todo_id": todo_id | given("todo_id") != ""},
	{"turn_instance_id": request.turn_id | request.turn_id},
	{"settlement_identity": settlement | settlement},
]) if {
	outcome.value.ok
}

default delivery_outcome_accountable := false

delivery_outcome_accountable if delivery_outcome in history.accountable_outcomes

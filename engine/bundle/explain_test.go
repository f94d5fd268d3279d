package bundle

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tables is a bundle with two tables in packages of their own, one of which reads the other.
var tables = map[string]string{
	"loopx/lib/rank/rank.rego": "package loopx.lib.rank\n\nwinner(rows) := sort(rows)[0]\n",
	"loopx/facts/facts.rego":   "package loopx.facts\n\nrow := input.goal\n\nopen := {t.id | some t in input.todos}\n",
	"loopx/state/state.rego": `package loopx.state

import data.loopx.facts
import data.loopx.lib.rank
import data.loopx.settings

# METADATA
# title: The goal rests
# custom: {id: state.rest}
state_row contains {"rank": 10, "value": "rest", "rule": "state.rest"} if {
	facts.row.stopped
	settings.state.on
}

# METADATA
# title: The goal is free
# labels: {rule: state.free}
state_row contains {"rank": 20, "value": "free", "rule": "state.free"} if count(facts.open) > 0

winner := rank.winner(state_row)

state := winner.value

fired := {"state": winner}
`,
	"loopx/route/route.rego": `package loopx.route

import data.loopx.lib.rank
import data.loopx.state

turn_row contains {"rank": 10, "value": "run", "rule": "route.run"} if {
	state.state == "free"
	mine(input.request.agent)
}

mine(agent) if agent in input.roster.agents[_]

turn := rank.winner(turn_row)

fired["turn"] := turn
`,
	"loopx/answer/answer.rego":       "package loopx.answer\n\nimport data.loopx.route\n\ndecision := route.turn\n",
	"loopx/settings/state/data.yaml": "on: true\n",
}

func TestExplanationsNameTitleFactsAndDecidedFields(t *testing.T) {
	b, err := Load(Options{base: asFS(tables)})
	require.NoError(t, err)
	rules, err := b.Explanations()
	require.NoError(t, err)
	require.Len(t, rules, 3)
	rest := rules["state.rest"]
	assert.Equal(t, "The goal rests", rest.Title)
	assert.Equal(t, []string{"goal.stopped"}, rest.Facts, "through a rule that renames a part of the input")
	assert.Empty(t, rest.Decided)
	assert.Equal(t, "The goal is free", rules["state.free"].Title, "by label")
	assert.Equal(t, []string{"todos"}, rules["state.free"].Facts)
	run := rules["route.run"]
	assert.Empty(t, run.Title)
	assert.Equal(t, []string{"request.agent", "roster.agents"}, run.Facts)
	assert.Contains(t, run.Decided, "state")
	assert.Equal(t, "goal.stopped", rest.Facts[0])
}

// TestExplanationsOfTheSnapshotAreThoseOfTheSource compares the stored table with one that is worked out from the sources.
func TestExplanationsOfTheSnapshotAreThoseOfTheSource(t *testing.T) {
	stored, err := Load(Options{})
	require.NoError(t, err)
	source, err := Load(Options{measure: measure{source: true}})
	require.NoError(t, err)
	got, err := stored.Explanations()
	require.NoError(t, err)
	want, err := source.Explanations()
	require.NoError(t, err)
	require.Len(t, got, len(want))
	for id, e := range want {
		assert.Equal(t, e.Title, got[id].Title, id)
		assert.Equal(t, e.Facts, got[id].Facts, id)
		assert.Equal(t, e.Decided, got[id].Decided, id)
	}
}

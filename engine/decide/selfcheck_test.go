package decide

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/bundle"
	"github.com/loopx-dev/loopx-policy/engine/facts"
)

func TestSelfCheckOfTheBuiltInBundle(t *testing.T) {
	b, err := bundle.Load(bundle.Options{Entrypoints: Entrypoints})
	require.NoError(t, err)
	e, err := New(b, &fakeFacts{}, false)
	require.NoError(t, err)
	trials := e.SelfCheck(t.Context(), noon)
	byName := map[string]int{}
	for _, trial := range trials {
		byName[trial.Name]++
		assert.True(t, trial.OK, "%+v", trial)
	}
	assert.Equal(t, map[string]int{"command": len(authoring)}, byName)
	revision, digest := e.Rules()
	assert.NotEmpty(t, revision)
	assert.NotEmpty(t, digest)
}

func TestSelfCheckNamesWhatDoesNotAnswer(t *testing.T) {
	trials := engine(t, &fakeFacts{goals: []string{"g"}}).SelfCheck(t.Context(), noon)
	require.NotEmpty(t, trials)
	assert.Equal(t, "command", trials[0].Name)
	assert.False(t, trials[0].OK, "this bundle has no write commands")
	assert.NotEmpty(t, trials[0].Detail)

	broken := engine(t, &fakeFacts{goals: []string{"g"}, err: &facts.Error{Code: "c", Message: "no facts"}}).SelfCheck(t.Context(), noon)
	last := broken[len(broken)-1]
	assert.Equal(t, "answers", last.Name)
	assert.False(t, last.OK)
	assert.Contains(t, last.Detail, "no facts")
}

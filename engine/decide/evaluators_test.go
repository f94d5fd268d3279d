package decide

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/loopx-dev/loopx-policy/engine/bundle"
	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/vm"
)

// TestDrawnInputsHaveOneAnswerFromBothEvaluators holds the program of the embedded bundle against OPA's own evaluator on the
// same rules: what rules answer, and that they answer at all, does not depend on which of them runs.
func TestDrawnInputsHaveOneAnswerFromBothEvaluators(t *testing.T) {
	program, err := fast()
	require.NoError(t, err)
	source, err := bundle.Load(bundle.Options{Annotations: true})
	require.NoError(t, err)
	draws(t, 60)
	rapid.Check(t, func(rt *rapid.T) {
		in := wide(rt)
		in.Request.Explain = rapid.Bool().Draw(rt, "explain")
		value, err := facts.Value(in)
		require.NoError(rt, err)
		for _, entrypoint := range []string{EntryShouldRun, EntryItem, EntryStanding, EntryPlan, EntryWhyQuestions, EntryTurn} {
			want, wantErr := source.Eval(context.Background(), entrypoint, value)
			got, gotErr := program.Eval(context.Background(), entrypoint, value)
			require.Equal(rt, wantErr != nil, gotErr != nil, "%s: %v, %v", entrypoint, wantErr, gotErr)
			require.Equal(rt, string(vm.AppendJSON(nil, want)), string(vm.AppendJSON(nil, got)), entrypoint)
		}
	})
}

package decide

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/bundle"
	"github.com/loopx-dev/loopx-policy/engine/vm"
)

// TestGivenIsWhatIsDecidedOn: the rules give the answer of ShouldRun on the text of Given.
func TestGivenIsWhatIsDecidedOn(t *testing.T) {
	policy, err := bundle.Load(bundle.Options{})
	require.NoError(t, err)
	in := synthetic(20)
	e, err := New(policy, given{in}, true)
	require.NoError(t, err)
	want, err := e.ShouldRun(context.Background(), in.Request, noon)
	require.NoError(t, err)

	doc, err := e.Given(context.Background(), in.Request, noon)
	require.NoError(t, err)
	value, err := vm.FromJSON(doc.JSON())
	require.NoError(t, err)
	got, err := policy.Eval(context.Background(), EntryShouldRun, value)
	require.NoError(t, err)
	require.Equal(t, string(vm.AppendJSON(nil, want.Value)), string(vm.AppendJSON(nil, got)))
}

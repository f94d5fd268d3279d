package decide

import (
	"context"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/util"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/bundle"
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
	var plain any
	require.NoError(t, util.UnmarshalJSON(doc.JSON(), &plain))
	value, err := ast.InterfaceToValue(plain)
	require.NoError(t, err)
	got, err := policy.Eval(context.Background(), EntryShouldRun, value)
	require.NoError(t, err)
	require.Zero(t, want.Value.Compare(got), "want %s\ngot  %s", want.Value, got)
}

package decide

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/vm"
)

func explaining(in *facts.Input) *facts.Input {
	out := *in
	out.Request.Explain = true
	return &out
}

// BenchmarkExplain measures what --explain adds to a warm decision.
func BenchmarkExplain(b *testing.B) {
	policy, err := fast()
	require.NoError(b, err)
	for _, todos := range []int{20, 100} {
		for name, in := range map[string]*facts.Input{"plain": synthetic(todos), "explain": explaining(synthetic(todos))} {
			e, err := New(policy, given{in}, true)
			require.NoError(b, err)
			b.Run(fmt.Sprintf("%d todos, %s", todos, name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := e.ShouldRun(context.Background(), in.Request, noon); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// TestExplainCostsLittle bounds the cost of --explain by what it allocates, which other load on the machine does not change.
func TestExplainCostsLittle(t *testing.T) {
	policy, err := fast()
	require.NoError(t, err)
	allocations := func(in *facts.Input) float64 {
		e, err := New(policy, given{in}, true)
		require.NoError(t, err)
		return testing.AllocsPerRun(5, func() {
			_, err := e.ShouldRun(context.Background(), in.Request, noon)
			require.NoError(t, err)
		})
	}
	in := synthetic(20)
	plain, with := allocations(in), allocations(explaining(in))
	assert.LessOrEqual(t, with, plain*1.1, "plain %v, explained %v", plain, with)
}

// explanation asks for one and gives the explained fields.
func explanation(t *testing.T, in *facts.Input) map[string]any {
	t.Helper()
	policy, err := fast()
	require.NoError(t, err)
	in = explaining(in)
	e, err := New(policy, given{in}, true)
	require.NoError(t, err)
	doc, err := e.ShouldRun(context.Background(), in.Request, noon)
	require.NoError(t, err, "%s", doc.JSON())
	fields, err := doc.Fields()
	require.NoError(t, err)
	return fields["explain"].(map[string]any)["fields"].(map[string]any)
}

func TestExplainNamesRuleTitleFactsAndRunnerUp(t *testing.T) {
	in := synthetic(3)
	in.Goal.WaitingOn = "controller"
	fields := explanation(t, in)
	assert.Equal(t, map[string]any{
		"rule": "state.gate", "title": "A person must decide first", "value": "operator_gate", "facts": map[string]any{},
		"decided":   []any{"severity", "waiting_on"},
		"otherwise": map[string]any{"rule": "state.idle", "title": "Nobody is named, so nothing runs", "value": "waiting"},
	}, fields["state"])
	owner := fields["waiting_on"].(map[string]any)
	assert.Equal(t, "attention.registry", owner["rule"])
	assert.Equal(t, map[string]any{"goal.waiting_on": "controller"}, owner["facts"])
	for name, row := range fields {
		row := row.(map[string]any)
		assert.NotEmpty(t, row["title"], "%s: %s has no title", name, row["rule"])
		if next, ok := row["otherwise"].(map[string]any); ok {
			assert.NotEmpty(t, next["title"], "%s: %s has no title", name, next["rule"])
		}
	}
}

func TestExplainAPausedGoal(t *testing.T) {
	in := synthetic(3)
	in.Goal.Activation = "stopped"
	fields := explanation(t, in)
	assert.Equal(t, "state.stopped", fields["state"].(map[string]any)["rule"])
	assert.Equal(t, map[string]any{"goal.activation": "stopped"}, fields["state"].(map[string]any)["facts"])
}

func TestFactsAreShownCompactly(t *testing.T) {
	for text, want := range map[string]string{
		`"short"`: `"short"`, `3`: `3`, `null`: `null`, `true`: `true`, `["a", "b"]`: `["a","b"]`,
		`[]`: `"0 items"`, `["a", "b", "c", "d"]`: `"4 items"`, `[1]`: `"1 items"`, `[{"x": 1}]`: `"1 items"`,
	} {
		assert.Equal(t, want, string(vm.AppendJSON(nil, compact(vm.MustParse(text)))))
	}
	assert.Nil(t, compact(vm.MustParse(`{"x": 1}`)))
	assert.Nil(t, compact(nil))
	long := compact(vm.String(strings.Repeat("ä", 500)))
	assert.Equal(t, maxText+3, utf8.RuneCountInString(string(long.(vm.String))))
}

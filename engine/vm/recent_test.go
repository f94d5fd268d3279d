package vm_test

import (
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCallsAreRememberedOnlyForTheSameArguments calls functions more often than a program remembers, under other inputs, with
// equal and with the same collections, and where they are undefined.
func TestCallsAreRememberedOnlyForTheSameArguments(t *testing.T) {
	module := ast.MustParseModuleWithOpts(`package conformance

double(x) := x * 2 if x != 3

scaled(x, by) := object.union(x, {"n": x.n * by, "input": input.factor})

list := [{"n": n} | some n in numbers.range(1, 9)]

answers contains [d | some n in [1, 2, 3, 4, 5, 6, 1, 3, 2, 6, 1, 1]; d := double(n)]

answers contains [s | some round in [1, 2]; some x in list; s := scaled(x, 2)]

answers contains [s | some by in [1, 2, 1]; s := scaled({"n": 1}, by)]

answers contains [a, b, c] if {
	x := list[0]
	a := scaled(x, 3)
	b := scaled(x, 3) with input.factor as 7
	c := scaled(x, 3)
}
`, ast.ParserOptions{RegoVersion: ast.RegoV1})
	modules := map[string]*ast.Module{"m.rego": module}
	input := ast.MustParseTerm(`{"factor": 5}`).Value
	want, err := byOPA(modules, ast.NewObject(), input)
	require.NoError(t, err)
	got, err := byProgram(modules, ast.NewObject(), input)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	assert.Contains(t, got, `"input": 7`)
}

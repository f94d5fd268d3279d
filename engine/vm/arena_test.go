package vm_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/vm"
)

// TestAnswersOutliveTheirEvaluation keeps answers, made in every way that shares or grows a collection, while the machine that
// gave them evaluates other inputs. Rules that never look at the input are asked for the same things in the same room.
func TestAnswersOutliveTheirEvaluation(t *testing.T) {
	module := ast.MustParseModuleWithOpts(`package conformance

squares(list) := [object.union({"n": n}, {"square": {n * n}}) | some n in list]

fixed contains x if some x in squares(numbers.range(1, 20))

fixed contains array.slice(squares([1, 2, 3]), 1, 3)

table[n] := {"of": n, "all": squares(numbers.range(1, n))} if some n in numbers.range(1, 16)

given := squares(input.list)

answers["fixed"] := fixed

answers["shared"] := [array.slice(given, 1, 20), sort({x | some x in given}), object.keys({g: 1 | some g in given})]

answers["joined"] := array.concat([first | first := squares([1, 2, 3])], array.flatten([given, given]))

answers["sets"] := {"or": {1, 2} | {x | some x in input.list}, "and": {1, 2, 3} & {x | some x in input.list}, "minus": {x | some x in input.list} - {1}}

answers["table"] := table

answers["filtered"] := [object.filter(x, ["n"]) | some x in given]

answers["changed"] := later if later := given with input.list as [n | some n in numbers.range(1, 15)]

answers["input"] := input

answers["split"] := [split("a,b,c", ","), regex.find_n("[a-z]", "xyz", -1)]
`, ast.ParserOptions{RegoVersion: ast.RegoV1})
	program, err := planned(map[string]*ast.Module{"m.rego": module}, ast.NewObject())
	require.NoError(t, err)
	var answers []vm.Value
	var texts []string
	for i := range 20 {
		input := vm.MustParse(fmt.Sprintf(`{"list": [%d, %d, 3, 4, 5]}`, i, i*i))
		answer, err := program.Eval(context.Background(), "conformance/answers", input)
		require.NoError(t, err)
		want, err := byOPA(map[string]*ast.Module{"m.rego": module}, ast.NewObject(), vm.ToAST(input))
		require.NoError(t, err)
		require.Equal(t, want, vm.ToAST(answer).String())
		answers, texts = append(answers, answer), append(texts, want)
		for j := range answers {
			require.True(t, texts[j] == vm.ToAST(answers[j]).String(), "answer %d after evaluation %d", j, i)
		}
	}
}

package decide

import (
	"cmp"
	"slices"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/vm"
)

// inputValue is the input document with the plan items of the other goals in it.
func inputValue(input *facts.Input, peers []vm.Value) (*vm.Object, error) {
	if len(peers) == 0 {
		return facts.Value(input)
	}
	return facts.ValueWithPeers(input, vm.NewArray(peers...))
}

// addFindings joins two lists, drops what both hold and keeps the order by place and code.
func addFindings(a, b []facts.Finding) []facts.Finding {
	if len(b) == 0 {
		return a
	}
	out := slices.Concat(a, b)
	order := func(x, y facts.Finding) int {
		return cmp.Or(
			cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line), cmp.Compare(x.Code, y.Code),
			cmp.Compare(x.Scope, y.Scope), cmp.Compare(x.GoalID, y.GoalID), slices.Compare(x.GoalIDs, y.GoalIDs),
			cmp.Compare(x.Rule, y.Rule), cmp.Compare(x.Message, y.Message),
		)
	}
	slices.SortStableFunc(out, order)
	return slices.CompactFunc(out, func(x, y facts.Finding) bool { return order(x, y) == 0 })
}

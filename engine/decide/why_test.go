package decide

import (
	"context"
	"flag"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/vm"
)

func TestPatch(t *testing.T) {
	const doc = `{"a": {"b": [1, {"c": "x"}, 3]}, "d": true}`
	for operations, want := range map[string]string{
		`[]`: doc,
		`[{"op": "set", "path": ["d"], "value": false}]`:                     `{"a": {"b": [1, {"c": "x"}, 3]}, "d": false}`,
		`[{"op": "set", "path": ["a", "b", 1, "c"], "value": null}]`:         `{"a": {"b": [1, {"c": null}, 3]}, "d": true}`,
		`[{"op": "set", "path": ["n", "m"], "value": 1}]`:                    `{"a": {"b": [1, {"c": "x"}, 3]}, "d": true, "n": {"m": 1}}`,
		`[{"op": "remove", "path": ["d"]}]`:                                  `{"a": {"b": [1, {"c": "x"}, 3]}}`,
		`[{"op": "remove", "path": ["a", "b", 0]}]`:                          `{"a": {"b": [{"c": "x"}, 3]}, "d": true}`,
		`[{"op": "remove", "path": ["a", "b", 1, "c"]}]`:                     `{"a": {"b": [1, {}, 3]}, "d": true}`,
		`[{"op": "remove", "path": ["a", "b", 9]}]`:                          doc,
		`[{"op": "remove", "path": ["x", "y"]}]`:                             doc,
		`[{"op": "append", "path": ["a", "b"], "value": 4}]`:                 `{"a": {"b": [1, {"c": "x"}, 3, 4]}, "d": true}`,
		`[{"op": "append", "path": ["l"], "value": 4}]`:                      `{"a": {"b": [1, {"c": "x"}, 3]}, "d": true, "l": [4]}`,
		`[{"op": "remove", "path": ["a"]}, {"op": "remove", "path": ["d"]}]`: `{}`,
	} {
		base := vm.MustParse(doc)
		list, err := decodeOperations(vm.MustParse(operations))
		require.NoError(t, err, operations)
		got, err := patched(base, list)
		require.NoError(t, err, operations)
		assert.True(t, vm.Equal(vm.MustParse(want), got), "%s gives %s", operations, vm.AppendJSON(nil, got))
		assert.True(t, vm.Equal(vm.MustParse(doc), base), "%s changed the document", operations)
	}
}

func TestPatchRefusesWhatItDoesNotKnow(t *testing.T) {
	for _, operations := range []string{
		`{}`, `[1]`, `[{"op": "move", "path": ["a"]}]`, `[{"op": "remove"}]`, `[{"op": "remove", "path": []}]`, `[{"op": "set", "path": ["a"]}]`,
		`[{"path": ["a"], "value": 1}]`,
	} {
		_, err := decodeOperations(vm.MustParse(operations))
		require.Error(t, err, operations)
	}
	for _, operations := range []string{
		`[{"op": "set", "path": ["l", 5], "value": 1}]`, `[{"op": "set", "path": ["l", "k"], "value": 1}]`, `[{"op": "append", "path": ["s"], "value": 1}]`,
		`[{"op": "set", "path": ["s", "k"], "value": 1}]`, `[{"op": "append", "path": ["l", 0, "k"], "value": 1}]`,
	} {
		list, err := decodeOperations(vm.MustParse(operations))
		require.NoError(t, err)
		_, err = patched(vm.MustParse(`{"l": [1], "s": "text"}`), list)
		require.Error(t, err, operations)
	}
}

// asked gives the answer of why as plain values.
func asked(t require.TestingT, in *facts.Input, want string) map[string]any {
	policy, err := fast()
	require.NoError(t, err)
	e, err := New(policy, given{in}, true)
	require.NoError(t, err)
	doc, err := e.Why(context.Background(), in.Request, want, noon)
	require.NoError(t, err, "%s", doc.JSON())
	fields, err := doc.Fields()
	require.NoError(t, err)
	return fields
}

func kinds(doc map[string]any) map[string]any {
	out := map[string]any{}
	for _, change := range doc["changes"].([]any) {
		change := change.(map[string]any)
		out[change["kind"].(string)] = change["then"].(map[string]any)["effective_action"]
	}
	return out
}

func TestWhyListsTheChangesThatTurnTheAnswer(t *testing.T) {
	in := synthetic(3)
	in.Goal.WaitingOn = "controller"
	doc := asked(t, in, "")
	assert.Equal(t, "run", doc["want"])
	assert.Equal(t, "operator_gate", doc["state"])
	assert.Equal(t, map[string]any{"waiting_on_cleared": "autonomous_replan_required"}, kinds(doc))
	assert.Equal(t, "attention.registry", doc["explain"].(map[string]any)["fields"].(map[string]any)["waiting_on"].(map[string]any)["rule"])

	doc = asked(t, in, "quiet")
	assert.Equal(t, true, doc["reached"])
	assert.Empty(t, doc["changes"])
}

func TestWhyNamesSlotsAndTheTimeOfAThrottledGoal(t *testing.T) {
	in := synthetic(3)
	slots := int64(2)
	in.Goal.Quota.AllowedSlots = &slots
	doc := asked(t, in, "run")
	assert.Equal(t, map[string]any{"quota_raised": "autonomous_replan_required"}, kinds(doc))
	time := doc["time"].(map[string]any)
	assert.Equal(t, time["next_eligible_at"], time["turns_at"])
	assert.NotNil(t, time["turns_at"])
}

func TestWhyOfAGoalThatIsNotThereTriesNothingThatNeedsIt(t *testing.T) {
	in := synthetic(0)
	in.Goal = nil
	doc := asked(t, in, "")
	assert.Equal(t, "unknown", doc["state"])
	assert.Empty(t, doc["changes"])
	assert.Contains(t, doc["explain"].(map[string]any)["fields"], "decision")
}

func TestWhyDoesNotTakeABrokenAnswerForAChange(t *testing.T) {
	policy, err := fast()
	require.NoError(t, err)
	e, err := New(policy, given{synthetic(1)}, true)
	require.NoError(t, err)
	outcome, err := e.try(context.Background(), vm.MustParse(`{"request": {}}`),
		vm.MustParse(`{"operations": [{"op": "append", "path": ["request"], "value": 1}]}`))
	require.NoError(t, err)
	assert.Contains(t, string(vm.AppendJSON(nil, outcome)), `"refused"`)
}

// TestWhyAnswersWhateverIsAsked takes a share of the checks that other properties take: one answer is many decisions.
func TestWhyAnswersWhateverIsAsked(t *testing.T) {
	inputs := rapid.Custom(varied)
	checks, err := strconv.Atoi(flag.Lookup("rapid.checks").Value.String())
	require.NoError(t, err)
	for seed := range max(checks/8, 1) {
		in := inputs.Example(seed)
		want := []string{"", "run", "quiet"}[seed%3]
		doc := asked(t, in, want)
		wanted := doc["want"] == "run"
		assert.Equal(t, doc["should_run"] == wanted, doc["reached"])
		for _, change := range doc["changes"].([]any) {
			assert.Equal(t, wanted, change.(map[string]any)["then"].(map[string]any)["should_run"])
			assert.NotEqual(t, wanted, doc["should_run"])
		}
	}
}

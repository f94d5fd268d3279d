package decide

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/bundle"
	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/schema"
	"github.com/loopx-dev/loopx-policy/engine/vm"
)

var noon = time.Date(2026, 8, 20, 12, 0, 0, 0, time.UTC)

// fakeFacts serves inputs without files.
type fakeFacts struct {
	goals []string
	err   error
	fail  string // this peer cannot be read
	boom  string // reading this peer panics
}

func (f *fakeFacts) Goals() []string { return f.goals }

func (f *fakeFacts) Input(_ context.Context, request facts.Request, now time.Time) (*facts.Input, error) {
	if f.err != nil {
		return nil, f.err
	}
	in := &facts.Input{Now: now.Format(time.RFC3339), NowNS: now.UnixNano(), Request: request}
	in.Fill()
	return in, nil
}

func (f *fakeFacts) Peer(ctx context.Context, id string, now time.Time) (*facts.Input, error) {
	switch id {
	case f.fail:
		return nil, errors.New("broken disk at /private/place")
	case f.boom:
		panic("a fault in a reader")
	}
	in, err := f.Input(ctx, facts.Request{Command: "plan", GoalID: id}, now)
	if err == nil {
		in.Route.RunCount = 10
		in.Findings = []facts.Finding{{Code: "of-" + id, Scope: "goal", GoalID: id}, {Code: "shared", Scope: "global"}}
	}
	return in, err
}

var loadTestPolicy = sync.OnceValues(func() (*bundle.Bundle, error) {
	return bundle.Load(bundle.Options{Policy: "testdata/policy", Entrypoints: Entrypoints})
})

func engine(t *testing.T, f *fakeFacts) *Engine {
	t.Helper()
	b, err := loadTestPolicy()
	require.NoError(t, err)
	e, err := New(b, f, false)
	require.NoError(t, err)
	e.schemas = schema.NewSet(os.DirFS("testdata"), "schemas")
	return e
}

func ask(goal string) facts.Request { return facts.Request{Command: KindShouldRun, GoalID: goal} }

func TestShouldRunGivesTheBundlesAnswer(t *testing.T) {
	doc, err := engine(t, &fakeFacts{goals: []string{"z", "g", "a"}}).ShouldRun(context.Background(), ask("g"), noon)
	require.NoError(t, err)
	assert.True(t, doc.OK())
	assert.Equal(t, `{
  "mode": "should-run",
  "ok": true,
  "zeta": {
    "mode": {},
    "ok": 1,
    "alpha": []
  },
  "decision": "a",
  "findings": [
    "of-a",
    "of-z",
    "shared"
  ],
  "goal_id": "g",
  "peers": [
    "z",
    "a"
  ],
  "reason": "because",
  "should_run": true,
  "state": "s"
}
`, string(doc.JSON()))
	fields, err := doc.Fields()
	require.NoError(t, err)
	assert.Equal(t, "a", fields["decision"])
}

func TestTheSameInputGivesTheSameBytes(t *testing.T) {
	e := engine(t, &fakeFacts{goals: []string{"z", "g", "a", "b", "c"}})
	first, err := e.ShouldRun(context.Background(), ask("g"), noon)
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				doc, err := e.ShouldRun(context.Background(), ask("g"), noon)
				assert.NoError(t, err)
				assert.Equal(t, string(first.JSON()), string(doc.JSON()))
			}
		})
	}
	wg.Wait()
}

func TestPlan(t *testing.T) {
	e := engine(t, &fakeFacts{goals: []string{"z", "g"}})
	for _, kind := range []string{KindPlan, KindStatus} {
		doc, err := e.Plan(context.Background(), facts.Request{Command: kind}, noon)
		require.NoError(t, err)
		fields, err := doc.Fields()
		require.NoError(t, err)
		assert.Equal(t, kind, fields["mode"])
		assert.Equal(t, json.Number("2"), fields["goal_count"])
		assert.Equal(t, json.Number("20"), fields["run_count"])
	}
}

func TestEveryFailureIsARefusal(t *testing.T) {
	place := &facts.Error{Code: facts.CodeInvalidJSON, File: "registry.json", Line: 3, Message: "is not JSON", Err: errors.New("raw text"), Hint: "mend it"}
	for name, c := range map[string]struct {
		facts   fakeFacts
		goal    string
		code    string
		message string
		file    string
		line    int
		rule    string
	}{
		"collector, typed":     {facts: fakeFacts{err: place}, goal: "g", code: "quota_state_invalid_json", message: "registry.json:3: is not JSON", file: "registry.json", line: 3},
		"collector, untyped":   {facts: fakeFacts{err: errors.New("secret /home/x")}, goal: "g", code: "quota_unexpected_collection_error", message: "The answer could not be worked out"},
		"collector, file":      {facts: fakeFacts{err: &os.PathError{Op: "open", Path: "/home/x", Err: errors.New("too bad")}}, goal: "g", code: "quota_state_io_failed", message: "A file of the project could not be read."},
		"collector, forbidden": {facts: fakeFacts{err: fmt.Errorf("x: %w", os.ErrPermission)}, goal: "g", code: "quota_state_permission_denied", message: "may not be read"},
		"peer":                 {facts: fakeFacts{goals: []string{"a", "g"}, fail: "a"}, goal: "g", code: "quota_unexpected_collection_error", message: "The answer could not be worked out"},
		"panic in a peer":      {facts: fakeFacts{goals: []string{"a", "g"}, boom: "a"}, goal: "g", code: "quota_unexpected_collection_error", message: "The answer could not be worked out"},
		"undefined":            {goal: "undefined", code: "policy_undefined", message: "gives 0 answers"},
		"rule conflict":        {goal: "conflict", code: "policy_evaluation", message: "eval_conflict_error", file: "testdata/policy/loopx/should_run/should_run.rego"},
		"wrong shape":          {goal: "bad-shape", code: "decision_schema_violation", message: "/should_run: expected boolean"},
		"invariant":            {goal: "contradiction", code: "decision_invariant_violation", message: "an answer may not contradict itself", rule: "INV-T"},
	} {
		t.Run(name, func(t *testing.T) {
			doc, err := engine(t, &c.facts).ShouldRun(context.Background(), ask(c.goal), noon)
			require.Error(t, err)
			fields, ferr := doc.Fields()
			require.NoError(t, ferr)
			assert.Equal(t, false, fields["ok"])
			assert.False(t, doc.OK())
			assert.Equal(t, false, fields["should_run"])
			assert.Equal(t, "skip", fields["decision"])
			assert.Equal(t, "blocked_health", fields["state"])
			assert.Equal(t, c.goal, fields["goal_id"])
			assert.Equal(t, c.code, fields["error_code"])
			assert.Contains(t, fields["reason"], c.message)
			detail := fields["error"].(map[string]any)
			assert.Equal(t, c.code, detail["code"])
			if c.file != "" {
				assert.Equal(t, c.file, detail["file"])
			}
			if c.line > 0 {
				assert.Equal(t, json.Number(fmt.Sprint(c.line)), detail["line"])
			}
			if c.rule != "" {
				assert.Equal(t, c.rule, detail["rule_id"])
			}
			assert.NotContains(t, string(doc.JSON()), "secret")
			assert.NotContains(t, string(doc.JSON()), "/private/place")
			require.NoError(t, checkSchema(doc), "a refusal keeps the contract of its kind")
			assertErrorSchema(t, detail)
		})
	}
}

func assertErrorSchema(t *testing.T, detail any) {
	t.Helper()
	contract, err := embedded.Schema("error.json")
	require.NoError(t, err)
	value, err := vm.FromGo(detail)
	require.NoError(t, err)
	problems, err := contract.Validate(value)
	require.NoError(t, err)
	require.Empty(t, problems)
}

func TestVerboseShowsTheRawError(t *testing.T) {
	doc := Refuse(KindShouldRun, ask("g"), errors.New("raw text"), true)
	fields, err := doc.Fields()
	require.NoError(t, err)
	assert.Equal(t, "raw text", fields["error"].(map[string]any)["detail"])
}

func TestRefusalsOfEveryKindPermitNothing(t *testing.T) {
	for _, kind := range []string{KindShouldRun, KindPlan, KindStatus, KindUsage, KindPolicyCheck, "spend-slot"} {
		doc := Refuse(kind, facts.Request{}, UsageError(errors.New("unknown flag: --x")), false)
		assert.False(t, doc.OK(), kind)
		fields, err := doc.Fields()
		require.NoError(t, err)
		for key, value := range fields {
			if key == "should_run" || strings.HasSuffix(key, "_allowed") {
				assert.Equal(t, false, value, "%s %s", kind, key)
			}
		}
	}
}

func TestTheRefusalFileIsSound(t *testing.T) {
	r, err := templates()
	require.NoError(t, err)
	assert.NotEmpty(t, r.Documents[KindShouldRun])
	assert.NotEmpty(t, r.Default)
	for _, code := range []string{
		codeInternal, codeSchema, codeInvariant, bundle.CodeSource, bundle.CodeInvalid, bundle.CodeOverlay,
		bundle.CodeEntrypoint, bundle.CodeUndefined, bundle.CodeEvaluation, facts.CodePermission, facts.CodeIO,
	} {
		assert.Contains(t, r.Codes, code)
	}
}

func TestAnUnhealthyAnswerIsNoRefusal(t *testing.T) {
	doc, err := engine(t, &fakeFacts{}).ShouldRun(context.Background(), ask("unhealthy"), noon)
	require.NoError(t, err)
	assert.False(t, doc.OK())
}

func TestACancelledQuestionIsRefused(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	doc, err := engine(t, &fakeFacts{}).ShouldRun(ctx, ask("g"), noon)
	require.ErrorIs(t, err, context.Canceled)
	assert.False(t, doc.OK())
}

func TestAMissingSchemaIsAnError(t *testing.T) {
	doc := Refuse(KindShouldRun, ask("g"), errors.New("x"), false)
	doc.Kind = "no-such-kind"
	require.ErrorContains(t, checkSchema(doc), "schema no-such-kind.json")
}

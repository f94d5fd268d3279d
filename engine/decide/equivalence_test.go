package decide

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/loopx-dev/loopx-policy/engine/bundle"
	"github.com/loopx-dev/loopx-policy/engine/facts"
)

var (
	fast = sync.OnceValues(func() (*bundle.Bundle, error) { return bundle.Load(bundle.Options{Entrypoints: Entrypoints}) })
	full = sync.OnceValues(func() (*bundle.Bundle, error) {
		return bundle.Load(bundle.Options{Entrypoints: Entrypoints, Check: true})
	})
)

// varied draws an input that differs from the synthetic one in what the state table, the gates and the lanes look at.
func varied(t *rapid.T) *facts.Input {
	in := synthetic(rapid.IntRange(0, 12).Draw(t, "todos"))
	draw := func(name string, values ...string) string { return rapid.SampledFrom(values).Draw(t, name) }
	compute := rapid.SampledFrom([]float64{0, 0.01, 0.5, 1}).Draw(t, "compute")
	in.Goal.Quota.Compute = &compute
	slots := rapid.SampledFrom([]int64{0, 3, 24, 25, 1440}).Draw(t, "slots")
	in.Goal.Quota.AllowedSlots = &slots
	in.Goal.WaitingOn = draw("waiting on", "", "user_or_controller", "controller", "external_evidence", "codex", "none", "nonsense")
	in.Goal.LifecyclePhase = draw("phase", "", "focus_wait", "continuation_boundary")
	in.Goal.OperatorQuestion = draw("question", "", "May it ship?")
	in.Goal.Activation = draw("activation", "", "active", "stopped")
	in.Request.AgentID = draw("agent", "", "one", "two", "nobody", "Not An Id")
	in.Request.Explain = rapid.Bool().Draw(t, "explain")
	in.Request.RuntimeProfile = draw("profile", "", "claude_code", "nonsense")
	in.Request.CodexApp = in.Request.RuntimeProfile == ""
	if rapid.Bool().Draw(t, "monitor only") {
		in.Goal.WorkModes = map[string]string{"one": "monitor_only"}
	}
	for i, todo := range in.Todos {
		todo.Status = draw(fmt.Sprintf("status %d", i), "open", "open", "done", "deferred", "blocked")
		todo.TaskClass = draw(fmt.Sprintf("class %d", i), "advancement_task", "continuous_monitor", "user_gate", "user_action", "blocker", "")
		if rapid.Bool().Draw(t, fmt.Sprintf("due %d", i)) && todo.NextDueNS > 0 {
			todo.NextDueAt, todo.NextDueNS = noon.Add(-time.Hour).Format(time.RFC3339), noon.Add(-time.Hour).UnixNano()
		}
	}
	if rapid.Bool().Draw(t, "finding") {
		in.Findings = append(in.Findings, facts.Finding{Code: "c", Scope: draw("scope", "goal", "global"), GoalID: "g", Message: "m"})
	}
	in.Runs = in.Runs[:rapid.IntRange(0, len(in.Runs)).Draw(t, "runs")]
	for i := range in.Runs {
		in.Runs[i].Classification = draw(fmt.Sprintf("run %d", i), "state_refreshed", "quota_monitor_poll", "quota_slot_spent")
		in.Runs[i].DeliveryOutcome = draw(fmt.Sprintf("outcome %d", i), "", "outcome_progress", "surface_only", "outcome_gap")
	}
	return in
}

// TestTheSnapshotAnswersLikeTheSource asks the bundle as it starts fast and as it compiles with every check. Answers, refusals
// included, must be the same bytes, and every answer must keep its schema and the invariants.
func TestTheSnapshotAnswersLikeTheSource(t *testing.T) {
	quick, err := fast()
	require.NoError(t, err)
	slow, err := full()
	require.NoError(t, err)
	rapid.Check(t, func(rt *rapid.T) {
		in := varied(rt)
		var docs [2]string
		for i, b := range []*bundle.Bundle{quick, slow} {
			e, err := New(b, given{in}, false)
			require.NoError(rt, err)
			doc, err := e.ShouldRun(context.Background(), in.Request, noon)
			require.NoError(rt, err)
			docs[i] = string(doc.JSON())
		}
		assert.Equal(rt, docs[1], docs[0])
	})
}

package decide

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/bundle"
	"github.com/loopx-dev/loopx-policy/engine/facts"
)

// synthetic is a busy goal: two agents, todos of every class and role, and a day of runs.
func synthetic(todos int) *facts.Input {
	in := &facts.Input{
		Now: noon.Format(time.RFC3339), NowNS: noon.UnixNano(),
		Request: facts.Request{Command: KindShouldRun, GoalID: "g", AgentID: "one", CodexApp: true},
		Route:   facts.Route{Registry: "registry.json", RegistryExists: true, RuntimeRoot: "runtime", GoalCount: 1},
		Goal: &facts.Goal{
			ID: "g", Domain: "bench", Status: "active", Repo: ".", StateFile: "STATE.md", StateFileDeclared: true,
			AdapterKind: "generic_project_goal_v0", AdapterStatus: "connected", Agents: []string{"one", "two"}, AgentModel: "peer_v1",
		},
		State: facts.State{File: "STATE.md", Exists: true, NextActions: []string{"Carry on with the parser work."}, AgentSection: "Agent Todo"},
	}
	classes := []string{"advancement_task", "advancement_task", "advancement_task", "continuous_monitor", "advancement_task"}
	for i := range todos {
		todo := &facts.Todo{
			ID: fmt.Sprintf("todo_%03d", i), ExplicitID: true, Role: "agent", Status: "open", Index: i + 1, Line: 10 + 2*i, Section: "Agent Todo",
			Text: fmt.Sprintf("[P%d] Work on part %d of the parser.", i%4, i), Title: fmt.Sprintf("Work on part %d of the parser.", i),
			Priority: fmt.Sprintf("P%d", i%4), Rank: i % 4, TaskClass: classes[i%len(classes)], ActionKind: "implement",
			ClaimedBy: []string{"one", "", "two"}[i%3], RequiredWriteScopes: []string{"src/**"},
		}
		switch {
		case todo.TaskClass == "continuous_monitor":
			todo.ActionKind, todo.Cadence, todo.CadenceSeconds, todo.TargetKey = "monitor", "30m", 1800, fmt.Sprintf("target-%d", i)
			todo.NextDueAt, todo.NextDueNS = noon.Add(time.Hour).Format(time.RFC3339), noon.Add(time.Hour).UnixNano()
		case i%10 == 9:
			todo.Role, todo.TaskClass, todo.Section, todo.BoundAgent = "user", "user_action", "User Todo", "one"
		case i%7 == 6:
			todo.Status = "done"
		}
		in.Todos = append(in.Todos, todo)
	}
	for i := range 24 {
		at := noon.Add(-time.Duration(i+1) * time.Hour)
		in.Runs = append(in.Runs, facts.Run{
			GeneratedAt: at.Format(time.RFC3339), AtNS: at.UnixNano(), Count: 1, AgentID: "one",
			Classification: "state_refreshed", DeliveryOutcome: "outcome_progress", DeliveryBatchScale: "single_surface",
		})
		in.Ledger.Rows = append(in.Ledger.Rows, facts.LedgerRow{Kind: "spend", At: at.Format(time.RFC3339), AtNS: at.UnixNano(), Key: at.Format(time.RFC3339), Slots: 1})
	}
	in.Fill()
	return in
}

// given serves one prepared input.
type given struct{ in *facts.Input }

func (g given) Goals() []string { return nil }
func (g given) Input(context.Context, facts.Request, time.Time) (*facts.Input, error) {
	in := *g.in
	return &in, nil
}
func (g given) Peer(context.Context, string, time.Time) (*facts.Input, error) { return nil, nil }

// asTheBinary gives the collector the settings that cmd/loopx has, until the benchmark ends.
func asTheBinary(b *testing.B) {
	percent, limit := debug.SetGCPercent(-1), debug.SetMemoryLimit(96<<20)
	b.Cleanup(func() { debug.SetGCPercent(percent); debug.SetMemoryLimit(limit) })
}

// median times f over and over and reports the median beside the mean, which other work on the machine moves more.
func median(b *testing.B, f func() error) {
	b.ReportAllocs()
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		if err := f(); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-us/op")
}

// BenchmarkShouldRun measures a warm decision: the rules alone, which is what the budget is for, and input to checked document.
func BenchmarkShouldRun(b *testing.B) {
	asTheBinary(b)
	policy, err := bundle.Load(bundle.Options{Entrypoints: Entrypoints})
	require.NoError(b, err)
	for _, todos := range []int{1, 20, 100} {
		in := synthetic(todos)
		e, err := New(policy, given{in}, true)
		require.NoError(b, err)
		doc, err := e.ShouldRun(context.Background(), in.Request, noon)
		require.NoError(b, err, "%s", doc.JSON())
		b.Run(fmt.Sprintf("%d todos", todos), func(b *testing.B) {
			median(b, func() error {
				_, err := e.ShouldRun(context.Background(), in.Request, noon)
				return err
			})
		})
		value, err := facts.Value(in)
		require.NoError(b, err)
		b.Run(fmt.Sprintf("%d todos, rules only", todos), func(b *testing.B) {
			median(b, func() error {
				_, err := policy.Eval(context.Background(), EntryShouldRun, value)
				return err
			})
		})
	}
}

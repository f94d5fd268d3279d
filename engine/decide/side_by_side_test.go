package decide

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/collect"
	"github.com/loopx-dev/loopx-policy/engine/facts/registry"
	"github.com/loopx-dev/loopx-policy/engine/store"
)

const (
	sideAllowed  = 40
	sideRegistry = `{"schema_version": 1, "common_runtime_root": "rt", "goals": [{"id": "g1", "domain": "demo", "status": "active", "repo": ".",
 "state_file": "STATE.md", "adapter": {"kind": "demo_v0", "status": "connected-delivery"},
 "quota": {"compute": 1.0, "window_hours": 24, "allowed_slots": 40},
 "coordination": {"agent_model": "peer_v1", "registered_agents": ["a1", "a2"]}}]}`
	sideState = "## Agent Todo\n\n- [ ] [P1] Implement the tokenizer.\n" +
		"  <!-- loopx:todo todo_id=todo_tok status=open task_class=advancement_task claimed_by=a1 -->\n"
)

// sideBySide is a project that several callers use at once, each with an engine of its own, as processes do.
type sideBySide struct {
	t   *testing.T
	dir string
}

func (p *sideBySide) engine() *Engine {
	policy, err := fast()
	require.NoError(p.t, err)
	settings, err := collected()
	require.NoError(p.t, err)
	none := func(string) string { return "" }
	open := func() (Collector, error) {
		route, file, err := registry.Open(registry.Options{Registry: "registry.json", Dir: p.dir, Home: p.dir, Env: none})
		if err != nil {
			return nil, err
		}
		return collect.New(route, file, settings).WithEnv(none), nil
	}
	collector, err := open()
	require.NoError(p.t, err)
	e, err := New(policy, collector, true)
	require.NoError(p.t, err)
	return e.WithStore(store.New(), open)
}

// sideAsk is what a caller wants of the goal.
type sideAsk struct {
	kind  string
	slots int64
}

// sideTold is what it was told: whether it was done, and what was seen.
type sideTold struct {
	done   bool
	spent  int64
	paused bool
}

func (p *sideBySide) do(in sideAsk) sideTold {
	ctx := context.Background()
	request := facts.Request{Command: in.kind, GoalID: "g1", AgentID: "a1", CodexApp: true, Execute: true}
	var doc *Document
	var err error
	switch in.kind {
	case "spend-slot":
		doc, err = p.engine().Write(ctx, EntrySpend, request, facts.Write{Spend: &facts.SpendWrite{Source: "controller", SlotCount: &in.slots}}, time.Now())
	case "quota-pause", "quota-resume":
		request.AgentID, request.CodexApp = "", false
		doc, err = p.engine().Write(ctx, EntryQuotaWrite, request, facts.Write{Goal: &facts.GoalWrite{}}, time.Now())
	default:
		request.Command, request.Execute = KindShouldRun, false
		doc, err = p.engine().ShouldRun(ctx, request, time.Now())
	}
	require.NoError(p.t, err)
	fields, err := doc.Fields()
	require.NoError(p.t, err)
	out := sideTold{done: doc.OK(), paused: fields["state"] == "paused"}
	if quota, ok := fields["quota"].(map[string]any); ok {
		_, err = fmt.Sscan(fmt.Sprint(quota["spent_slots"]), &out.spent)
		require.NoError(p.t, err)
	}
	return out
}

type sideAccount struct {
	paused bool
	spent  int64
}

var sideModel = porcupine.Model{
	Init: func() any { return sideAccount{} },
	Step: func(state, input, output any) (bool, any) {
		s, in, out := state.(sideAccount), input.(sideAsk), output.(sideTold)
		switch in.kind {
		case "spend-slot":
			if fits := !s.paused && s.spent < sideAllowed; fits != out.done {
				return false, s
			}
			if out.done {
				s.spent += in.slots
			}
		case "quota-pause", "quota-resume":
			s.paused = in.kind == "quota-pause"
			return out.done, s
		case "look at the state":
			return out.paused == s.paused, s
		case "look at the ledger":
			return out.spent == s.spent, s
		}
		return true, s
	},
	DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v -> %+v", input, output) },
}

// TestCommandsSideBySide lets callers spend, pause, resume and ask at once, with the real rules and files. There must be an order
// of all that explains every answer: no spend is lost, none is accepted beyond the allowance or while the goal is paused. A
// reader takes no lock, so what it says of registry and ledger are two looks.
func TestCommandsSideBySide(t *testing.T) {
	const callers, commands = 8, 8
	p := &sideBySide{t, t.TempDir()}
	for name, text := range map[string]string{"registry.json": sideRegistry, "STATE.md": sideState} {
		require.NoError(t, os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600))
	}
	var mu sync.Mutex
	var history []porcupine.Operation
	start := time.Now()
	var wg sync.WaitGroup
	for id := range callers {
		wg.Go(func() {
			for range commands {
				in := sideAsk{kind: []string{"spend-slot", "spend-slot", "spend-slot", "should-run", "quota-pause", "quota-resume"}[rand.IntN(6)]}
				if in.kind == "spend-slot" {
					in.slots = 1 + rand.Int64N(5)
				}
				call := time.Since(start).Nanoseconds()
				out := p.do(in)
				done := time.Since(start).Nanoseconds()
				asks := []sideAsk{in}
				if in.kind == "should-run" {
					asks = []sideAsk{{kind: "look at the state"}, {kind: "look at the ledger"}}
				}
				mu.Lock()
				for _, one := range asks {
					history = append(history, porcupine.Operation{ClientId: id, Input: one, Call: call, Output: out, Return: done})
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	assert.Equal(t, porcupine.Ok, porcupine.CheckOperationsTimeout(sideModel, history, 30*time.Second), "%d operations", len(history))
	total, last := int64(0), p.do(sideAsk{kind: "should-run"})
	for _, one := range history {
		if in := one.Input.(sideAsk); in.kind == "spend-slot" && one.Output.(sideTold).done {
			total += in.slots
		}
	}
	if !last.paused {
		assert.Equal(t, total, last.spent, "the ledger is what the callers were told")
	}
	assert.Positive(t, total)
	assert.Less(t, total, int64(sideAllowed+5))
	t.Logf("%d operations, %d slots spent", len(history), total)
}

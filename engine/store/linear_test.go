package store

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/registry"
)

// ask is an operation on a goal: spend slots below the allowance, take a spend back, set the allowance, look at what is spent,
// look at the allowance.
type ask struct {
	kind string
	n    int64
	at   string // void: the time of the spend
}

// told is its answer: whether it was done, and what was seen.
type told struct {
	done bool
	n    int64
}

// account is what the operations are about, as one thing after another would leave it.
type account struct {
	allowed int64
	spent   int64
}

var accounts = porcupine.Model{
	Init: func() any { return account{allowed: 10} },
	Step: func(state, input, output any) (bool, any) {
		s, in, out := state.(account), input.(ask), output.(told)
		switch in.kind {
		case "spend":
			if fits := s.spent+in.n <= s.allowed; fits != out.done {
				return false, s
			}
			if out.done {
				s.spent += in.n
			}
		case "void":
			s.spent -= in.n
		case "set":
			s.allowed = in.n
		case "look at spent":
			return out.n == s.spent, s
		case "look at allowance":
			return out.n == s.allowed, s
		}
		return true, s
	},
	DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v -> %+v", input, output) },
}

// client does operations as commands do them: under the locks that they need, read, decide, commit.
type client struct {
	t       *testing.T
	targets facts.Targets
	id      int
	count   int
	mine    []ask // spends that were not taken back
}

func (c *client) spent() int64 {
	result, err := ledger(c.targets)
	require.NoError(c.t, err)
	require.Empty(c.t, result.Findings)
	spends, voids := map[string]int64{}, map[string]int64{}
	for _, row := range result.Ledger.Rows {
		if row.Kind == "spend" {
			spends[row.Key] += row.Slots
		} else {
			voids[row.Key] += row.Slots
		}
	}
	total := int64(0)
	for key, slots := range spends {
		total += max(0, slots-voids[key])
	}
	return total
}

func (c *client) allowed() int64 {
	file, err := registry.Load(c.targets.SourceRegistry)
	require.NoError(c.t, err)
	return *file.Goal(goal).Quota.AllowedSlots
}

func (c *client) begin(locks Locks) Tx {
	tx, err := New().Begin(ctx, c.targets, Options{Now: noon, Operation: "test", Locks: locks})
	require.NoError(c.t, err)
	return tx
}

func (c *client) commit(tx Tx, list string) {
	_, err := tx.Commit(ctx, noon, effects(c.t, list))
	require.NoError(c.t, err)
}

func (c *client) do(in ask) told {
	switch in.kind {
	case "spend":
		tx := c.begin(LockIndex)
		defer tx.End()
		if c.spent()+in.n > c.allowed() {
			return told{}
		}
		c.commit(tx, fmt.Sprintf(`[{"kind": "append_run", "goal_id": "demo-goal", "suffix": "quota-slot-spent", "generated_at": "2026-12-01T12:00:00+00:00",
			"record": {}, "row": {"classification": "quota_slot_spent", "quota_event": {"slots": %d, "run_generated_at": %q}}}, %s]`, in.n, in.at, eventEffect))
	case "void":
		tx := c.begin(LockIndex)
		defer tx.End()
		c.commit(tx, fmt.Sprintf(`[{"kind": "append_run", "goal_id": "demo-goal", "suffix": "quota-slot-voided", "generated_at": "2026-12-01T12:00:00+00:00",
			"record": {}, "row": {"classification": "quota_slot_voided", "quota_event": {"slots": %d, "voided_run_generated_at": %q}}}]`, in.n, in.at))
	case "set":
		tx := c.begin(LockIndex | LockRegistry)
		defer tx.End()
		data, err := os.ReadFile(c.targets.SourceRegistry)
		require.NoError(c.t, err)
		c.commit(tx, fmt.Sprintf(`[{"kind": "edit_registry", "goal_id": "demo-goal", "digest": %q, "set": [{"path": ["quota", "allowed_slots"], "value": %d}]}]`,
			digest(data), in.n))
	case "look at spent":
		return told{true, c.spent()}
	case "look at allowance":
		return told{true, c.allowed()}
	}
	return told{done: true}
}

func (c *client) next() ask {
	c.count++
	switch n := rand.IntN(10); {
	case n < 4:
		return ask{"spend", 1 + rand.Int64N(3), fmt.Sprintf("spend-%d-%d", c.id, c.count)}
	case n < 5 && len(c.mine) > 0:
		last := c.mine[len(c.mine)-1]
		c.mine = c.mine[:len(c.mine)-1]
		return ask{"void", last.n, last.at}
	case n < 6:
		return ask{kind: "set", n: rand.Int64N(20)}
	case n < 8:
		return ask{kind: "look at spent"}
	default:
		return ask{kind: "look at allowance"}
	}
}

// TestHistoriesAreLinearizable records what clients ask and are told while they run side by side, and looks for an order, one
// after the other, that explains all of it: no spend is lost or counted twice, none goes beyond the allowance, and what a
// reader saw stays.
func TestHistoriesAreLinearizable(t *testing.T) {
	const clients, operations = 4, 25
	rounds := 3
	if text := os.Getenv("LOOPX_STORE_RACE"); text != "" {
		var err error
		rounds, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	for range rounds {
		_, targets := sample(t)
		first := &client{t: t, targets: targets}
		first.do(ask{kind: "set", n: 10})
		require.NoError(t, os.WriteFile(targets.RuntimeRoot+"/goals/demo-goal/runs/index.jsonl", nil, 0o644))
		var mu sync.Mutex
		var history []porcupine.Operation
		start := time.Now()
		var wg sync.WaitGroup
		for id := range clients {
			wg.Go(func() {
				c := &client{t: t, targets: targets, id: id}
				for range operations {
					in := c.next()
					call := time.Since(start).Nanoseconds()
					out := c.do(in)
					end := time.Since(start).Nanoseconds()
					if in.kind == "spend" && out.done {
						c.mine = append(c.mine, in)
					}
					mu.Lock()
					history = append(history, porcupine.Operation{ClientId: id, Input: in, Call: call, Output: out, Return: end})
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		result := porcupine.CheckOperationsTimeout(accounts, history, 20*time.Second)
		assert.Equal(t, porcupine.Ok, result, "%d operations", len(history))
	}
}

// TestTheModelNoticesLostAndDoubleSpends makes sure that the check can fail.
func TestTheModelNoticesLostAndDoubleSpends(t *testing.T) {
	spend := func(at int64, out told) porcupine.Operation {
		return porcupine.Operation{Input: ask{kind: "spend", n: 6}, Call: at, Output: out, Return: at + 1}
	}
	look := func(at, n int64) porcupine.Operation {
		return porcupine.Operation{Input: ask{kind: "look at spent"}, Call: at, Output: told{true, n}, Return: at + 1}
	}
	for name, c := range map[string]struct {
		history []porcupine.Operation
		ok      bool
	}{
		"good":                 {[]porcupine.Operation{spend(0, told{done: true}), look(2, 6), spend(4, told{})}, true},
		"lost":                 {[]porcupine.Operation{spend(0, told{done: true}), look(2, 0)}, false},
		"double":               {[]porcupine.Operation{spend(0, told{done: true}), look(2, 12)}, false},
		"beyond the allowance": {[]porcupine.Operation{spend(0, told{done: true}), spend(2, told{done: true})}, false},
	} {
		assert.Equal(t, c.ok, porcupine.CheckOperations(accounts, c.history), name)
	}
}

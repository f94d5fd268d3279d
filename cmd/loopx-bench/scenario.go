package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/loopx-dev/loopx-policy/internal/benchdata"
)

// scenario is one command line and what was measured of it.
type scenario struct {
	name      string
	args      []string
	answers   bool          // prints a JSON document with ok=true
	budget    time.Duration // of the median, 0 when there is none
	memory    int64         // budget of the peak resident size in bytes, 0 when there is none
	share     int           // runs are divided by this
	ratioTo   *scenario     // the median may be ratioMax times that one's
	ratioMax  float64
	samples   []sample
	peakBytes int64
}

// sample is one run: the time from start to end, and the processor time it used, which other load does not change.
type sample struct{ wall, cpu time.Duration }

// The budgets of the design.
const (
	coldBudget   = 80 * time.Millisecond
	planBudget   = time.Second
	memoryBudget = 120 << 20
	historyRatio = 1.2
	spendRatio   = 1.5
)

func (s *scenario) wall() stats {
	return summarise(s.samples, func(one sample) time.Duration { return one.wall })
}

func (s *scenario) cpu() stats {
	return summarise(s.samples, func(one sample) time.Duration { return one.cpu })
}

type stats struct{ median, min, max time.Duration }

func summarise(samples []sample, of func(sample) time.Duration) stats {
	sorted := make([]time.Duration, 0, len(samples))
	for _, one := range samples {
		sorted = append(sorted, of(one))
	}
	slices.Sort(sorted)
	middle := len(sorted) / 2
	median := sorted[middle]
	if len(sorted)%2 == 0 {
		median = (sorted[middle-1] + median) / 2
	}
	return stats{median: median, min: sorted[0], max: sorted[len(sorted)-1]}
}

// scenarios writes the projects and says what to run on them.
func (c config) scenarios(dir string, now time.Time) ([]*scenario, error) {
	all := []*scenario{{name: "`version`", args: []string{"version"}, share: 1}}
	write := func(name string, goals, todos, rows int) (*benchdata.Layout, error) {
		return benchdata.Project(filepath.Join(dir, name), benchdata.Options{
			Goals: goals, Todos: todos, IndexRows: rows, Agents: 2, Seed: 1, Now: now,
		})
	}
	decision := func(todos, rows int) (*scenario, error) {
		layout, err := write(fmt.Sprintf("t%d-r%d", todos, rows), 1, todos, rows)
		if err != nil {
			return nil, err
		}
		return &scenario{
			name: fmt.Sprintf("`quota should-run`, %d todos, %s runs", todos, grouped(rows)), answers: true, share: 1,
			args: []string{
				"--format", "json", "--registry", layout.Registry, "quota", "should-run",
				"--goal-id", layout.Goals[0], "--agent-id", layout.Agents[0], "--codex-app",
			},
			budget: coldBudget, memory: memoryBudget,
		}, nil
	}
	reference, err := decision(20, c.rows[0])
	if err != nil {
		return nil, err
	}
	large, err := decision(100, c.rows[0])
	if err != nil {
		return nil, err
	}
	all = append(all, reference, large)
	for _, rows := range c.rows[1:] {
		long, err := decision(20, rows)
		if err != nil {
			return nil, err
		}
		long.ratioTo, long.ratioMax = reference, historyRatio
		all = append(all, long)
	}
	ledger, err := write("spend", 1, 20, c.rows[0])
	if err != nil {
		return nil, err
	}
	spend := &scenario{
		name: fmt.Sprintf("`quota spend-slot --execute`, 20 todos, %s runs", grouped(c.rows[0])), answers: true, share: 1, memory: memoryBudget,
		args: []string{ // a reservation needs no delivery, so every run spends
			"--format", "json", "--registry", ledger.Registry, "quota", "spend-slot", "--goal-id", ledger.Goals[0],
			"--agent-id", ledger.Agents[0], "--source", "controller", "--execute",
		},
		ratioTo: reference, ratioMax: spendRatio,
	}
	layout, err := write("plan", c.goals, 20, c.rows[0])
	if err != nil {
		return nil, err
	}
	return append(all, spend, &scenario{
		name: fmt.Sprintf("`quota plan`, %s goals, 20 todos, %s runs each", grouped(c.goals), grouped(c.rows[0])), answers: true, share: 4,
		args:   []string{"--format", "json", "--registry", layout.Registry, "quota", "plan"},
		budget: planBudget, memory: memoryBudget,
	}), nil
}

// grouped writes a number with commas between thousands.
func grouped(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}

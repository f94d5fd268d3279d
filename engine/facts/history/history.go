package history

import "github.com/loopx-dev/loopx-policy/engine/facts"

// indexName is the file of a runs directory that lists its rows.
const indexName = "index.jsonl"

// Read reads the run index in dir, as a Reader of the options' settings does.
func Read(dir string, options Options) (*Result, error) {
	return NewReader(options.Settings).Read(dir, options)
}

func empty() *Result {
	return &Result{
		Runs: []facts.Run{}, Ledger: facts.Ledger{Rows: []facts.LedgerRow{}},
		Decisions: []facts.DecisionRow{}, Findings: []facts.Finding{},
	}
}

// answer builds the result from the merged rows.
type answer struct {
	*walk
	view   view
	result *Result
}

// ledger hands out the spend and void rows that can count now or later.
func (a *answer) ledger() error {
	rows := a.keep.ledger[:0]
	for i := range a.marks {
		m := &a.marks[i]
		if m.at < a.bounds.window {
			break
		}
		if !m.has(isSpend | isVoid) {
			continue
		}
		r := &a.one
		if err := a.again.row(m, r); err != nil {
			return err
		}
		e, err := a.options.event(r)
		if err != nil {
			a.report(damage{off: m.first.off, kind: badEvent, reason: err.Error()})
			continue
		}
		if e.slots <= 0 {
			continue
		}
		at := r.string(keyGeneratedAt)
		row := facts.LedgerRow{Kind: kindVoid, At: at, AtNS: m.at, Key: e.voided, Slots: e.slots}
		if m.has(isSpend) {
			row.Kind, row.Key = kindSpend, firstText(e.run, at)
		}
		rows = append(rows, row)
	}
	a.result.Ledger.Rows = append(a.result.Ledger.Rows, rows...)
	a.keep.ledger = rows
	return nil
}

// runs hands out the rows of the lane and, as far as every lane's newest rows reach, those of the other agents. The
// newest vision of the lane is handed out as far back as the horizon, and so are the goal's own runs of a streak.
func (a *answer) runs() error {
	f := &a.folder
	f.limit = a.bounds.material
	seen := false // the newest vision of the lane
	for i := a.view.first; i < len(a.marks); i++ {
		m := &a.marks[i]
		if m.at < a.view.from {
			break
		}
		lane := !m.has(foreign)
		pinned := lane && m.has(vision) && !seen && m.at >= a.bounds.inner
		streak := m.goalRun() && a.view.streak.holds(i, m)
		if !a.view.goal.holds(i, m) && !(lane && a.view.lane.holds(i, m)) && !streak && !pinned {
			continue
		}
		seen = seen || lane && m.has(vision)
		if err := a.again.row(m, f.next()); err != nil {
			return err
		}
		f.add(m, a.run)
	}
	a.result.Runs = append(a.result.Runs, f.out...)
	return nil
}

// run decodes a row; a void row names the spend it takes back.
func (a *answer) run(m *mark, r *row) facts.Run {
	run := r.run(m)
	if m.has(isVoid) {
		if e, err := a.options.event(r); err == nil {
			run.Voids = e.voided
		}
	}
	return run
}

// status hands out the status run with the existence of its artifacts.
func (a *answer) status() error {
	if a.view.status < 0 {
		return nil
	}
	m := &a.marks[a.view.status]
	r := &a.one
	if err := a.again.row(m, r); err != nil {
		return err
	}
	run := a.run(m, r)
	run.ArtifactsMissing = !a.options.exists(r.string(keyJSONPath)) || !a.options.exists(r.string(keyMarkdownPath))
	a.result.StatusRun = &run
	return nil
}

// reached is true for the rows that a question of this request reaches: those of the longest window, those of the
// lane back to its edge, and the status run.
func (a *answer) reached(i int) bool {
	m := &a.marks[i]
	return m.at >= a.bounds.inner || !m.has(foreign) && m.at >= a.view.from || i == a.view.status
}

// decisions hands out checkpointed decisions with the number of newer rows inside the freshness window.
func (a *answer) decisions() error {
	newer := 0
	for i := a.view.first; i < len(a.marks); i++ {
		m := &a.marks[i]
		if m.decision() && a.reached(i) {
			r := &a.one
			if err := a.again.row(m, r); err != nil {
				return err
			}
			a.result.Decisions = append(a.result.Decisions, facts.DecisionRow{
				GeneratedAt: r.string(keyGeneratedAt), AtNS: m.at, Classification: r.string(keyClassification),
				Kind: a.kind(m.traits), NewerEvents: newer,
			})
		}
		if m.at >= a.bounds.fresh {
			newer++
		}
	}
	return nil
}

// kind names a checkpointed decision.
func (a *answer) kind(t traits) string {
	kinds := &a.options.Settings.DecisionKinds
	switch {
	case t.has(reward):
		return kinds.Reward
	case t.has(gate):
		return kinds.Gate
	case t.has(resume):
		return kinds.Resume
	default:
		return kinds.Classification
	}
}

// count counts the rows that are reached. It depends on times only, not on where the reading stopped.
func (a *answer) count() {
	for i := range a.marks {
		if a.reached(i) {
			a.result.RowCount++
		}
		at := a.marks[i].at
		if at > a.bounds.visible {
			a.result.NextNS = at - (a.bounds.visible - a.bounds.now)
		} else if leaves := a.leaves(i); leaves > 0 && (a.result.LeavesNS == 0 || leaves < a.result.LeavesNS) {
			a.result.LeavesNS = leaves
		}
	}
}

// leaves is the first instant at which a row passes a bound that matters for it, 0 when there is none. It may be too early,
// never too late.
func (a *answer) leaves(i int) int64 {
	m, b, first := &a.marks[i], &a.bounds, int64(0)
	edge := func(bound int64, matters bool) {
		if leaves := m.at + (b.now - bound) + 1; matters && m.at >= bound && (first == 0 || leaves < first) {
			first = leaves
		}
	}
	edge(b.inner, a.view.from == b.inner || a.view.sliding || m.has(foreign) || m.has(vision))
	edge(b.fresh, len(a.result.Decisions) > 0)
	// a row that is handed out leaves with the look-back, also where a material row ended its lane
	edge(b.lookback, a.view.lane.index < 0 || a.view.goal.index < 0 || a.view.lane.holds(i, m) || a.view.goal.holds(i, m))
	return first
}

package history

import (
	"bytes"
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/isotime"
	"github.com/loopx-dev/loopx-policy/engine/facts/mention"
)

// maxTrace is how many rows of one turn or instant are given, the newest ones.
const maxTrace = 256

// Trace gives the rows of a turn or of an instant, the given text of generated_at, and the void rows of spends among
// them, newest first, however old they are. Of turn and at one is given. Only a void row whose event stands in the index is
// found this way.
func Trace(dir string, options Options, turn, at string) ([]facts.TraceRow, error) {
	t := tracer{options: &options, path: filepath.Join(dir, indexName), rows: []facts.TraceRow{}}
	text := turn
	if text == "" {
		text = at
	}
	err := t.lines([]string{text}, func(row *facts.TraceRow) bool {
		return turn != "" && row.TurnInstanceID == turn || at != "" && (row.GeneratedAt == at || row.Voids == at)
	})
	if err != nil {
		return nil, err
	}
	if spends := t.spends(); turn != "" && len(spends) > 0 {
		err = t.lines(spends, func(row *facts.TraceRow) bool { return slices.Contains(spends, row.Voids) })
	}
	slices.SortStableFunc(t.rows, func(a, b facts.TraceRow) int { return cmp.Compare(a.AtNS, b.AtNS) })
	slices.Reverse(t.rows) // of equal times the later line is the newer row
	return t.rows[:min(len(t.rows), maxTrace)], err
}

type tracer struct {
	options *Options
	path    string
	rows    []facts.TraceRow
	cells   cells
}

// spends are the times of the ledger's spends among the rows.
func (t *tracer) spends() []string {
	var out []string
	for i := range t.rows {
		if slices.Contains(t.options.Settings.Ledger.Spend, t.rows[i].Classification) {
			out = append(out, t.rows[i].GeneratedAt)
		}
	}
	return out
}

// lines adds the rows that mention one of the texts and are wanted.
func (t *tracer) lines(texts []string, wanted func(*facts.TraceRow) bool) error {
	needles := make([][]byte, len(texts))
	for i, text := range texts {
		quoted, err := json.Marshal(text)
		if err != nil {
			return err
		}
		needles[i] = quoted
	}
	return mention.Lines(t.path, needles, func(line []byte) {
		if len(bytes.TrimSpace(line)) == 0 {
			return
		}
		seen, fault := object(line, rowKey, &t.cells)
		if fault == sound || fault == repeatedKey {
			r := row{cells: t.cells, seen: seen}
			if goal := r.string(keyGoalID); goal == "" || goal == t.options.GoalID {
				if found := t.row(&r); wanted(&found) {
					t.rows = append(t.rows, found)
				}
			}
		}
		t.cells.clear(seen)
	})
}

func (t *tracer) row(r *row) facts.TraceRow {
	run := r.run(&mark{})
	out := facts.TraceRow{
		GeneratedAt: run.GeneratedAt, Classification: run.Classification, AgentID: run.AgentID, TodoID: run.TodoID,
		ReplanObligationID: run.ReplanObligationID, TurnInstanceID: run.TurnInstanceID, EffectID: run.EffectID,
		DeliveryOutcome: run.DeliveryOutcome, RecommendedAction: run.RecommendedAction, TargetKey: run.TargetKey,
		ResultHash: run.ResultHash, MaterialChange: run.MaterialChange != nil && *run.MaterialChange,
		SuccessorTodoIDs: r.strings(keySuccessors),
		JSONPath:         r.string(keyJSONPath), MarkdownPath: r.string(keyMarkdownPath), Workspace: run.Workspace,
	}
	out.AtNS, _ = isotime.ParseNS(out.GeneratedAt)
	ledger := t.options.Settings.Ledger
	if slices.Contains(ledger.Spend, out.Classification) || slices.Contains(ledger.Void, out.Classification) {
		if e, err := t.options.event(r); err == nil {
			out.Slots, out.Voids = &e.slots, e.voided
		}
	}
	return out
}

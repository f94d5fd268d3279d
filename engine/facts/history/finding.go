package history

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/loopx-dev/loopx-policy/engine/facts"
)

type damageKind uint8

const (
	badLine damageKind = iota
	badTime
	badEvent
)

var damageCodes = [...]struct{ code, rule string }{
	badLine:  {"run_index_line_unreadable", "ledger.spend"},
	badTime:  {"run_index_time_unreadable", "ledger.window"},
	badEvent: {"ledger_event_unreadable", "ledger.spend"},
}

// findings turns damage into findings in file order. Only now the line ends before them are counted: the usual
// decision never reads the start of the file.
func (w *walk) findings(file string) ([]facts.Finding, error) {
	if w.more > 0 {
		w.damage = append(w.damage, damage{
			off: w.moreOff, kind: badLine, reason: fmt.Sprintf("is the first of %d more damaged lines", w.more),
		})
	}
	slices.SortStableFunc(w.damage, func(a, b damage) int { return cmp.Compare(a.off, b.off) })
	out := make([]facts.Finding, 0, len(w.damage))
	lines := lineCounter{src: w.src}
	if n := len(w.damage); n > 0 {
		lines.buf = make([]byte, min(w.damage[n-1].off, lastBlock))
	}
	for _, d := range w.damage {
		line, err := lines.at(d.off)
		if err != nil {
			return nil, err
		}
		if d.kind == badTime {
			d.reason = "has no readable generated_at, so it is not counted"
		}
		out = append(out, facts.Finding{
			Code: damageCodes[d.kind].code, Scope: "goal", GoalID: w.options.GoalID, File: file, Line: line,
			Rule: damageCodes[d.kind].rule, Message: "run index row " + d.reason,
		})
	}
	return out, nil
}

// lineCounter gives the line number of growing offsets.
type lineCounter struct {
	src  io.ReaderAt
	buf  []byte // not empty when a line before off is asked for
	off  int64
	seen int
}

func (c *lineCounter) at(off int64) (int, error) {
	for c.off < off {
		block := c.buf[:min(int64(len(c.buf)), off-c.off)]
		if err := readAt(c.src, block, c.off); err != nil {
			return 0, err
		}
		c.seen += bytes.Count(block, []byte{'\n'})
		c.off += int64(len(block))
	}
	return c.seen + 1, nil
}

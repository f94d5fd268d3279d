package history

import (
	"math/bits"
	"reflect"

	"github.com/loopx-dev/loopx-policy/engine/facts"
)

// folder compacts adjacent rows that differ in nothing a rule reads: they become the newest of them with a count.
//
// Rows of turns are kept apart although they differ in their turn only, since two turns are two observations and the
// same turn twice is one. After limit of them in a row every streak is decided, and the older ones are folded as well:
// a goal that was watched quietly for a month costs no more than one that was watched for a day.
type folder struct {
	limit int
	out   []facts.Run
	rows  [2]row // the newer and the older of two neighbours, in turn
	count int
	turns int // rows of turns that are kept apart since the rows began to be alike
	// voids says that a newer row takes a spend back: from there on a spend is told from the next one.
	voids bool
}

// reset gives an empty folder with the same buffers.
func (f *folder) reset(kept *kept) folder {
	clear(f.out)
	return folder{out: f.out[:0], rows: [2]row{f.rows[0].reset(kept), f.rows[1].reset(kept)}}
}

// next is where the next older row is to be read.
func (f *folder) next() *row { return &f.rows[f.count%2] }

// add takes the row that was read into next.
func (f *folder) add(m *mark, decode func(*mark, *row) facts.Run) {
	r, newer := f.next(), &f.rows[(f.count+1)%2]
	f.count++
	f.voids = f.voids || m.has(isVoid)
	apart := m.has(isVoid) || f.voids && m.has(isSpend)
	alike := len(f.out) > 0 && !apart && sameText(newer, r)
	var run facts.Run
	if !alike {
		run = decode(m, r)
		alike = len(f.out) > 0 && !apart && sameRun(&f.out[len(f.out)-1], &run)
	}
	if !alike {
		f.turns = 0
	}
	turn := r.string(keyTurnInstanceID) != ""
	if alike && (f.turns >= f.limit || !turn && f.out[len(f.out)-1].TurnInstanceID == "") {
		f.out[len(f.out)-1].Count++
		return
	}
	if run.Count == 0 {
		run = decode(m, r)
	}
	f.out = append(f.out, run)
	if turn {
		f.turns++
	}
}

// sameText compares what was written, which settles most cases without decoding.
func sameText(a, b *row) bool {
	const apart = 1<<keyGeneratedAt | 1<<keyGoalID | 1<<keyJSONPath | 1<<keyMarkdownPath | 1<<keyTurnInstanceID | 1<<keyQuotaEvent
	if (a.seen^b.seen)&^apart != 0 {
		return false
	}
	for rest := a.seen &^ apart; rest != 0; rest &= rest - 1 {
		if k := bits.TrailingZeros64(rest); string(a.cells[k]) != string(b.cells[k]) {
			return false
		}
	}
	return true
}

// sameRun compares everything but the times, the count and the turn.
func sameRun(a, b *facts.Run) bool {
	if a.Classification != b.Classification || a.AgentID != b.AgentID || a.RecommendedAction != b.RecommendedAction {
		return false
	}
	x, y := *a, *b
	x.GeneratedAt, x.AtNS, x.Count, x.TurnInstanceID = y.GeneratedAt, y.AtNS, y.Count, y.TurnInstanceID
	return reflect.DeepEqual(x, y)
}

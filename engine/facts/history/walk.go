package history

import (
	"bytes"
	"io"
	"math/bits"
	"slices"
	"unicode/utf8"
)

const (
	settle     = 64   // the newest of so many rows says how old the rows before them may be
	checkEvery = 32   // rows between two looks at the stop rule
	keepRows   = 4096 // rows kept before the irrelevant ones are dropped
	maxBad     = 32   // damaged lines that are named one by one
)

// damage is a line or row that becomes a finding.
type damage struct {
	off    int64
	kind   damageKind
	reason string
}

// walk reads the index backwards.
type walk struct {
	options *Options
	bounds  bounds
	known   known
	src     io.ReaderAt
	size    int64

	lines   tail
	notes   notes
	marks   []mark
	damage  []damage
	more    int // damaged lines beyond maxBad
	moreOff int64

	cells cells
	near  neighbour
	base  int64         // of the bytes that hold the neighbour
	ring  [settle]int64 // times of the rows read last
	timed int           // rows with a time, of any goal
	next  int           // timed at which the stop rule is looked at again

	far     bool // every window is passed
	open    questions
	kept    instants // times of rows that an earlier line may belong to
	skipped skipped
	again   page  // of lines that are read a second time
	floor   int64 // reading goes on at least to this offset

	one    row // that is looked at alone
	folder folder
	keep   *kept
}

// reset prepares for another index. What is left of the one before are the buffers.
func (w *walk) reset(src io.ReaderAt, size int64) {
	if w.keep == nil {
		w.keep = &kept{}
	}
	*w = walk{
		keep: w.keep,
		src:  src, size: size, moreOff: size, again: page{src: src}, marks: w.marks[:0], notes: notes{w.notes.words[:0]},
		lines: tail{buf: w.lines.buf, ends: w.lines.ends[:0]}, one: w.one.reset(w.keep), folder: w.folder.reset(w.keep),
	}
}

// questions are those that are not answered when every window is passed.
type questions struct{ status, lane, goal bool }

// view answers the questions of the stop rule from the rows read so far, merged and newest first.
type view struct {
	first  int   // index of the first row that is not held back
	status int   // index of the status run, -1 when there is none
	lane   edge  // of the request's lane
	goal   edge  // of all lanes
	streak edge  // of the goal's own runs without an outcome
	from   int64 // oldest instant of any question but the status run's
	// sliding says that rows are handed out because they are in the longest window, so that they leave with it.
	sliding bool
}

// edge is where a lane's rows end: at the row that is its last material one, or at the look-back. Rows that decide
// nothing do not count as long as they are in the longest window, which is read anyway: no number of them cuts a streak.
type edge struct {
	index int // -1 when the look-back comes first
	at    int64
	count int // material rows
	firm  int // those of them that decide something
}

// see takes a material row; decides says whether it decides something.
func (e *edge) see(i int, m *mark, b *bounds, decides bool) {
	if e.index >= 0 || m.at < b.lookback {
		return
	}
	e.count++
	if decides {
		e.firm++
	}
	if e.firm == b.material || e.count >= b.material && m.at < b.inner {
		e.index, e.at = i, m.at
	}
}

// seeStreak ends at the newest run of the goal that ends a streak, or at the longest window.
func (e *edge) seeStreak(i int, m *mark) {
	if e.index >= 0 || m.at < e.at || !m.goalRun() {
		return
	}
	if e.count++; !m.has(followOutcome) {
		e.index, e.at = i, m.at
	}
}

// holds is true for a row at index i that the edge keeps.
func (e *edge) holds(i int, m *mark) bool {
	if e.index >= 0 {
		return i <= e.index
	}
	return m.at >= e.at
}

// assess looks at merged rows.
func assess(marks []mark, b *bounds) view {
	open := edge{index: -1, at: b.lookback}
	v := view{first: len(marks), status: -1, lane: open, goal: open, streak: edge{index: -1, at: b.inner}}
	for i := range marks {
		m := &marks[i]
		if m.at > b.visible {
			continue
		}
		v.first = min(v.first, i)
		if v.status < 0 && m.goalRun() {
			v.status = i
		}
		if m.at < min(b.lookback, b.inner) && v.status >= 0 {
			break
		}
		v.streak.seeStreak(i, m)
		if m.has(isAccounting) {
			continue
		}
		v.goal.see(i, m, b, true)
		if !m.has(foreign) {
			v.lane.see(i, m, b, m.decides())
		}
	}
	v.from = min(b.inner, v.lane.at)
	v.sliding = v.lane.count > b.material || v.lane.count == b.material && v.lane.firm < b.material ||
		v.goal.index >= 0 && v.streak.count > 0 && (v.streak.index < 0 || v.streak.index > v.goal.index)
	return v
}

// run reads until the stop rule is met and leaves the rows merged and newest first.
func (w *walk) run(block int) (view, error) {
	lines := &w.lines
	lines.start(w.src, w.size, block)
	w.floor = w.size
	for {
		line, ok, err := lines.next()
		if err != nil {
			return view{}, err
		}
		if !ok {
			break
		}
		before := w.timed
		if err := w.line(line); err != nil {
			return view{}, err
		}
		if w.timed == before || w.timed%checkEvery != 0 || line.off > w.floor {
			continue
		}
		if w.settled() {
			deeper, err := w.probe(line.off)
			if err != nil {
				return view{}, err
			}
			if deeper < 0 {
				break
			}
			w.floor = deeper
		}
	}
	w.marks = merge(w.marks)
	w.again.buf, w.again.base = lines.buf, lines.base // a small index is read once
	w.again.whole = lines.base == 0 && int64(len(lines.buf)) == w.size
	w.again.notes = &w.notes
	return assess(w.marks, &w.bounds), nil
}

func (w *walk) line(line segment) error {
	if line.long {
		if !line.torn {
			w.report(damage{off: line.off, kind: badLine, reason: faultText[tooLong]})
		}
		return nil
	}
	place := ref{off: line.off, size: int32(len(line.data))}
	if w.far {
		if at, skip := w.glance(line.data); skip && at < w.bounds.inner && !w.kept.has(at) {
			w.time(at)
			w.skipped.add(at, place, w)
			return nil
		}
	}
	if len(bytes.TrimSpace(line.data)) == 0 {
		return nil
	}
	seen, fault := w.object(line.data)
	if fault != sound && (!line.torn || fault == repeatedKey) {
		w.report(damage{off: line.off, kind: badLine, reason: faultText[fault]})
	}
	if fault != sound && fault != repeatedKey {
		return nil
	}
	r := w.known.read(&w.cells, seen, place)
	if r.own && r.timed && r.at >= w.bounds.window { // most rows that are handed out are in the quota window
		r.mark.first.note = w.notes.add(line.data, &w.cells, seen)
	}
	w.leave(seen)
	if r.timed {
		w.time(r.at)
	}
	switch {
	case !r.own:
	case !r.timed:
		w.report(damage{off: line.off, kind: badTime})
	default:
		if len(w.marks) == cap(w.marks) {
			w.marks = slices.Grow(w.marks, max(settle, len(w.marks))) // append grows in smaller steps
		}
		w.marks = append(w.marks, r.mark)
		if w.far {
			return w.recall(r.at)
		}
	}
	return nil
}

// object reads a line into the cells. Most of what a row says was said by the row after it.
func (w *walk) object(line []byte) (uint64, fault) {
	if w.base != w.lines.base {
		w.near, w.base = neighbour{}, w.lines.base
	}
	if !utf8.Valid(line) {
		return 0, notUTF8
	}
	return members(line, rowKey, &w.near, &w.cells)
}

// leave empties the cells that were seen and remembers them.
func (w *walk) leave(seen uint64) {
	for ; seen != 0; seen &= seen - 1 {
		k := bits.TrailingZeros64(seen)
		w.near.values[k], w.cells[k] = w.cells[k], nil
	}
}

// recall reads the skipped lines of an instant after all: one of them may be an overlay on the row just found.
func (w *walk) recall(at int64) error {
	w.kept.add(at)
	for _, place := range w.skipped.take(at) {
		data, err := w.again.line(place)
		if err != nil {
			return err
		}
		seen, fault := object(data, rowKey, &w.cells)
		if fault == sound || fault == repeatedKey {
			if r := w.known.read(&w.cells, seen, place); r.own && r.timed {
				w.marks = append(w.marks, r.mark)
			}
		}
		w.cells.clear(seen)
	}
	return nil
}

func (w *walk) time(at int64) {
	w.ring[w.timed%settle] = at
	w.timed++
}

func (w *walk) report(d damage) {
	if len(w.damage) == maxBad {
		w.more++
		w.moreOff = min(w.moreOff, d.off)
		return
	}
	w.damage = append(w.damage, d)
}

// edge is the instant that no earlier row is expected to pass by more than the margin.
func (w *walk) edge() int64 {
	newest := w.ring[0]
	for _, at := range w.ring[1:] {
		newest = max(newest, at)
	}
	return newest
}

// passed is an instant that no earlier row is newer than.
func (w *walk) passed() int64 { return w.edge() + w.bounds.margin }

// settled is true when no earlier row can change what is handed out.
func (w *walk) settled() bool {
	if w.timed < max(settle, w.next) || w.edge() >= w.bounds.outer {
		return false
	}
	w.next = w.timed + min(max(w.timed/4, settle), keepRows)
	w.marks = merge(w.marks)
	v, passed := assess(w.marks, &w.bounds), w.passed()
	w.open = questions{
		status: v.status < 0 || passed >= w.marks[v.status].at,
		lane:   passed >= v.lane.at,
		goal:   passed >= v.goal.at,
	}
	if !w.open.status && !w.open.lane {
		return true
	}
	if !w.open.lane && len(w.marks) > w.options.keep {
		w.prune(&v, passed)
	}
	w.far, w.kept = true, instants{}
	for i := range w.marks {
		if at := w.marks[i].at; at <= passed {
			w.kept.add(at)
		}
	}
	return false
}

// prune drops complete rows that no question reaches; only the status run is still open.
func (w *walk) prune(v *view, passed int64) {
	kept := w.marks[:0]
	for i := range w.marks {
		if m := &w.marks[i]; m.at >= v.from || m.at <= passed || i == v.status {
			kept = append(kept, *m)
		}
	}
	w.marks = kept
}

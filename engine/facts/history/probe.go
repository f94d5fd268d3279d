package history

import (
	"bytes"
	"math"
)

const (
	probeStart = 64 << 10 // distance of the first sample, doubled for each further one
	probeSize  = 16 << 10
	probeRows  = 8
)

// probe samples the index at growing distances before off. It gives the offset of the earliest sample whose rows are
// all newer than the rows before off should be, -1 when there is none: then the file is not in time order here, and
// the reading has to go on.
func (w *walk) probe(off int64) (int64, error) {
	limit := w.passed()
	deepest := int64(-1)
	buf := make([]byte, probeSize)
	for distance := int64(probeStart); distance < off; distance *= 2 {
		at := off - distance
		sample := buf[:min(probeSize, off-at)]
		if err := readAt(w.src, sample, at); err != nil {
			return 0, err
		}
		if oldest, ok := w.oldest(sample); ok && oldest > limit {
			deepest = at
		}
	}
	return deepest, nil
}

// oldest is the earliest time of the first whole rows of a sample.
func (w *walk) oldest(sample []byte) (int64, bool) {
	oldest, rows := int64(math.MaxInt64), 0
	_, rest, _ := bytes.Cut(sample, []byte{'\n'})
	for rows < probeRows {
		line, after, whole := bytes.Cut(rest, []byte{'\n'})
		if !whole {
			break
		}
		rest = after
		seen, fault := object(line, rowKey, &w.cells)
		if fault == sound || fault == repeatedKey {
			if r := w.known.read(&w.cells, seen, ref{}); r.timed {
				oldest = min(oldest, r.at)
				rows++
			}
		}
		w.cells.clear(seen)
	}
	return oldest, rows > 0
}

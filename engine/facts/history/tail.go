package history

import (
	"bytes"
	"io"
)

const (
	firstBlock = 64 << 10
	lastBlock  = 256 << 10
	maxLine    = 4 << 20
)

// tail gives the lines of a file from the last to the first. One buffer serves all reads, so memory stays the same
// however far back it goes.
type tail struct {
	src   io.ReaderAt
	block int

	buf  []byte
	base int64 // file offset of buf[0]
	end  int   // buf[:end] is not given yet
	ends []int // places of the line ends in buf[:end]
	long bool  // the line at the end of buf is too long and its tail was dropped
	done bool
	torn bool // nothing was given yet: the first line has no line end
}

// segment is one line without its line end.
type segment struct {
	data []byte // valid until the next call
	off  int64
	torn bool // the last line of the file, without a line end
	long bool // data is missing
}

// start goes to the end of a file. A file of one block is read at once.
func (t *tail) start(src io.ReaderAt, size int64, block int) {
	if block <= 0 {
		block = firstBlock
		if size <= lastBlock {
			block = int(size)
		}
	}
	*t = tail{src: src, block: block, base: size, torn: true, done: size == 0, buf: t.buf, ends: t.ends[:0]}
}

// next gives the line before the one given last; false at the start of the file.
func (t *tail) next() (segment, bool, error) {
	for !t.done {
		if last := len(t.ends) - 1; last >= 0 {
			at := t.ends[last]
			t.ends = t.ends[:last]
			return t.give(at + 1), true, nil
		}
		if t.base == 0 {
			t.done = true
			return t.give(0), true, nil
		}
		if err := t.load(); err != nil {
			return segment{}, false, err
		}
	}
	return segment{}, false, nil
}

func (t *tail) give(start int) segment {
	s := segment{data: t.buf[start:t.end], off: t.base + int64(start), torn: t.torn, long: t.long}
	if s.long {
		s.data = nil
	}
	t.end = max(start-1, 0)
	t.long, t.torn = false, false
	return s
}

// load puts the block before base in front of what is not given yet, which holds no line end.
func (t *tail) load() error {
	if t.end > maxLine {
		t.long, t.end = true, 0
	}
	n := int(min(int64(t.block), t.base))
	if need := n + t.end; need > cap(t.buf) {
		room := (need + t.end + firstBlock - 1) / firstBlock * firstBlock
		if t.buf != nil {
			room = max(room, lastBlock+firstBlock)
		}
		grown := make([]byte, need, room)
		copy(grown[n:], t.buf[:t.end])
		t.buf = grown
	} else {
		t.buf = t.buf[:need]
		copy(t.buf[n:], t.buf[:t.end])
	}
	if err := readAt(t.src, t.buf[:n], t.base-int64(n)); err != nil {
		return err
	}
	t.base -= int64(n)
	t.end += n
	t.block = min(2*t.block, max(lastBlock, t.block))
	for at := 0; ; at++ { // bytes has no fast way to look backwards
		next := bytes.IndexByte(t.buf[at:n], '\n')
		if next < 0 {
			return nil
		}
		at += next
		t.ends = append(t.ends, at)
	}
}

// readAt fills p or fails: a file that became shorter while it was read is an error, not an answer.
func readAt(src io.ReaderAt, p []byte, off int64) error {
	n, err := src.ReadAt(p, off)
	if n == len(p) {
		return nil
	}
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}

package history

import "math/bits"

// maxNotes bounds the memory of notes: the cells of about two thousand rows.
const maxNotes = 1 << 15

// notes remember where the cells of lines are, so that a row that is handed out is not read a second time. A note is the
// bit set of the keys that were seen, then the start and the end of each value in its line.
type notes struct{ words []uint64 }

// add notes the cells that point into a line. It gives 0 when there is no more room.
func (n *notes) add(line []byte, c *cells, seen uint64) int32 {
	if len(n.words) >= maxNotes {
		return 0
	}
	if len(n.words) == 0 {
		n.words = append(n.words, 0) // 0 stands for no note
	}
	at := len(n.words)
	n.words = append(n.words, seen)
	for rest := seen; rest != 0; rest &= rest - 1 {
		value := c[bits.TrailingZeros64(rest)]
		start := cap(line) - cap(value) // both reach to the end of one buffer
		n.words = append(n.words, uint64(start)<<32|uint64(start+len(value)))
	}
	return int32(at)
}

// read puts the noted cells of a line over those that are there, and names the keys that the line has.
func (n *notes) read(note int32, line []byte, c *cells) uint64 {
	words := n.words[note:]
	for rest, i := words[0], 1; rest != 0; rest, i = rest&(rest-1), i+1 {
		c[bits.TrailingZeros64(rest)] = line[words[i]>>32 : words[i]&(1<<32-1)]
	}
	return words[0]
}

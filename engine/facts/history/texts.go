package history

import (
	"hash/maphash"

	"github.com/loopx-dev/loopx-policy/engine/facts"
)

// kept is what a reader keeps of the rows it decoded, because most of a row is said again by the next one.
type kept struct {
	texts texts
	parts [keyCount]keptPart
	event keptEvent

	ledger []facts.LedgerRow // only the room for them
}

// keptBytes is the longest part and quota event that is kept.
const keptBytes = 4 << 10

// keptPart is a nested object, decoded. Its value is not handed out, but copied.
type keptPart struct {
	raw   []byte
	value any
}

// keptEvent is a quota event.
type keptEvent struct {
	raw   []byte
	event event
}

// texts hands out strings. Most values of neighbouring rows are the same, so the latest ones are kept and given again; a
// nil one keeps none.
type texts [512]string

var textSeed = maphash.MakeSeed()

// maxKept is the longest text that is kept.
const maxKept = 256

// of gives the string of some bytes.
func (t *texts) of(text []byte) string {
	if t == nil || len(text) == 0 || len(text) > maxKept {
		return string(text)
	}
	place := &t[maphash.Bytes(textSeed, text)%uint64(len(t))]
	if *place != string(text) {
		*place = string(text)
	}
	return *place
}

package history

// kept is what a reader keeps of the rows it decoded, because most of a row is said again by the next one.
type kept struct {
	texts texts
	parts [keyCount]keptPart
	event keptEvent
}

// keptPart is a nested object, decoded. Its value is handed out as a copy.
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

// maxKept is the longest text that is kept.
const maxKept = 256

// of gives the string of some bytes.
func (t *texts) of(text []byte) string {
	n := len(text)
	if n == 0 {
		return ""
	}
	if t == nil || n > maxKept {
		return string(text)
	}
	hash := uint(n)
	for _, c := range text[max(0, n-8):] { // the ends of names, paths and times tell them apart
		hash = hash*31 + uint(c)
	}
	place := &t[(hash+uint(text[0]))%uint(len(t))]
	if *place != string(text) {
		*place = string(text)
	}
	return *place
}

package history

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

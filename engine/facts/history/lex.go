package history

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math/bits"
	"unicode/utf8"
)

// maxDepth is how deep a row may nest, the limit of encoding/json.
const maxDepth = 10000

// cells are the raw values of the known keys of one JSON object; nil where the key is absent.
type cells [keyCount][]byte

// fault says why a line cannot be used as written.
type fault uint8

const (
	sound fault = iota
	notJSON
	notUTF8
	notObject
	repeatedKey // still readable, the last value counts
	tooLong
)

var faultText = [...]string{
	notJSON:     "is not valid JSON",
	notUTF8:     "is not valid UTF-8",
	notObject:   "is not a JSON object",
	repeatedKey: "repeats a key",
	tooLong:     "is longer than 4 MiB",
}

// object reads data as one JSON object. Values of keys that lookup knows go to out, which must be empty; the result
// names the keys that were seen as a bit set. It copies nothing: a decision reads thousands of rows and decodes a few.
func object(data []byte, lookup func([]byte) key, out *cells) (uint64, fault) {
	if !utf8.Valid(data) {
		return 0, notUTF8
	}
	return members(data, lookup, nil, out)
}

// members is object for a text that is known to be UTF-8, and with a neighbour that may be known.
func members(data []byte, lookup func([]byte) key, near *neighbour, out *cells) (uint64, fault) {
	at := space(data, 0)
	if at == len(data) || data[at] != '{' {
		if end := skip(data, at, 0); end >= 0 && space(data, end) == len(data) {
			return 0, notObject
		}
		return 0, notJSON
	}
	var seen uint64
	result := sound
	m := memberWalk{data: data, at: at + 1, depth: 1, first: true}
	for place := opening; ; {
		k, ok := near.follow(&m, place)
		if !ok {
			from := m.at
			if !m.nextName() {
				break
			}
			if k = lookup(m.name); k == noKey {
				if !m.wholeName() {
					break
				}
				if bytes.IndexByte(m.name, '\\') >= 0 {
					k = lookup(plain(m.name))
				}
			}
			if !m.colon() {
				break
			}
			near.remember(place, k, data[from:m.at])
		}
		if !near.again(&m, k) && !m.readValue() {
			break
		}
		if place = unknown; k == noKey {
			continue
		}
		place = k
		if seen&(1<<k) != 0 {
			result = repeatedKey
		}
		seen |= 1 << k
		out[k] = m.value
	}
	if m.at < 0 || space(data, m.at) != len(data) {
		*out = cells{}
		return 0, notJSON
	}
	return seen, result
}

// clear empties the cells that were seen.
func (c *cells) clear(seen uint64) {
	for ; seen != 0; seen &= seen - 1 {
		c[bits.TrailingZeros64(seen)] = nil
	}
}

// memberWalk gives the members of an object one after the other.
type memberWalk struct {
	data  []byte
	at    int // of what is read next; behind the object at its end, -1 where the text is not JSON
	depth int // objects and lists that are open
	first bool
	name  []byte // as written, without quotes
	value []byte
}

// walkMembers starts at the brace that opens an object.
func walkMembers(data []byte, brace, depth int) memberWalk {
	return memberWalk{data: data, at: brace + 1, depth: depth, first: true}
}

// next is false at the end of the object, and where the text is not JSON.
func (m *memberWalk) next() bool { return m.nextName() && m.wholeName() && m.colon() && m.readValue() }

// nextName finds the next name, up to the first quote. Unless it is known as it stands, wholeName is to follow; then colon and
// a value. Each is false where the text is not JSON.
func (m *memberWalk) nextName() bool {
	var closed bool
	if m.first {
		m.at, m.first = space(m.data, m.at), false
		if m.at < len(m.data) && m.data[m.at] == '}' {
			m.at, closed = m.at+1, true
		}
	} else {
		m.at, closed = after(m.data, m.at, '}')
	}
	if closed {
		return false
	}
	if m.at >= len(m.data) || m.data[m.at] != '"' {
		return m.fail()
	}
	length := bytes.IndexByte(m.data[m.at+1:], '"')
	if length < 0 {
		return m.fail()
	}
	m.name = m.data[m.at+1 : m.at+1+length]
	return true
}

// wholeName looks at every character of the name. A quote may be a part of it.
func (m *memberWalk) wholeName() bool {
	end := skipText(m.data, m.at)
	if end < 0 {
		return m.fail()
	}
	m.name = m.data[m.at+1 : end-1]
	return true
}

func (m *memberWalk) colon() bool {
	if m.at = pastColon(m.data, m.at+len(m.name)+2); m.at < 0 {
		return m.fail()
	}
	return true
}

// readValue is false when there is no value.
func (m *memberWalk) readValue() bool {
	end := skip(m.data, m.at, m.depth)
	if end < 0 {
		return m.fail()
	}
	m.value, m.at = m.data[m.at:end], end
	return true
}

func (m *memberWalk) fail() bool {
	m.at = -1
	return false
}

// pastColon goes from the end of a name to its value.
func pastColon(data []byte, at int) int {
	at = space(data, at)
	if at == len(data) || data[at] != ':' {
		return -1
	}
	return space(data, at+1)
}

// after goes from the end of an item to the next one, or behind the bracket that closes their object or list.
func after(data []byte, at int, bracket byte) (next int, closed bool) {
	at = space(data, at)
	switch {
	case at == len(data):
		return -1, true
	case data[at] == ',':
		return space(data, at+1), false
	case data[at] == bracket:
		return at + 1, true
	}
	return -1, true
}

func space(data []byte, at int) int {
	const blanks = 1<<' ' | 1<<'\t' | 1<<'\r' | 1<<'\n'
	for at < len(data) && data[at] <= ' ' && blanks&(uint64(1)<<data[at]) != 0 {
		at++
	}
	return at
}

// skip checks the value at a place against the grammar and gives the place behind it, -1 when there is no value. depth
// objects and lists are open.
func skip(data []byte, at, depth int) int {
	if at >= len(data) {
		return -1
	}
	switch data[at] {
	case '"':
		return skipText(data, at)
	case '{':
		return skipObject(data, at, depth+1)
	case '[':
		return skipList(data, at, depth+1)
	case 't':
		return skipWord(data, at, "true")
	case 'f':
		return skipWord(data, at, "false")
	case 'n':
		return skipWord(data, at, "null")
	default:
		return skipNumber(data, at)
	}
}

func skipObject(data []byte, at, depth int) int {
	if depth > maxDepth {
		return -1
	}
	if at = space(data, at+1); at < len(data) && data[at] == '}' {
		return at + 1
	}
	for {
		if at = skipText(data, at); at < 0 {
			return -1
		}
		if at = pastColon(data, at); at < 0 {
			return -1
		}
		end := skip(data, at, depth)
		if end < 0 {
			return -1
		}
		var closed bool
		if at, closed = after(data, end, '}'); closed {
			return at
		}
	}
}

func skipList(data []byte, at, depth int) int {
	if depth > maxDepth {
		return -1
	}
	if at = space(data, at+1); at < len(data) && data[at] == ']' {
		return at + 1
	}
	for {
		end := skip(data, at, depth)
		if end < 0 {
			return -1
		}
		var closed bool
		if at, closed = after(data, end, ']'); closed {
			return at
		}
	}
}

func skipWord(data []byte, at int, w string) int {
	if end := at + len(w); end <= len(data) && string(data[at:end]) == w {
		return end
	}
	return -1
}

// skipText reads a string, quotes included.
func skipText(data []byte, at int) int {
	if at >= len(data) || data[at] != '"' {
		return -1
	}
	for i := at + 1; ; i++ {
		for i+8 <= len(data) {
			special := specials(binary.LittleEndian.Uint64(data[i:]))
			if special != 0 {
				i += bits.TrailingZeros64(special) / 8
				break
			}
			i += 8
		}
		if i >= len(data) {
			return -1
		}
		switch c := data[i]; {
		case c == '"':
			return i + 1
		case c == '\\':
			if i = skipEscape(data, i+1); i < 0 {
				return -1
			}
		case c < ' ':
			return -1
		}
	}
}

// skipEscape gives the place of the last character of an escape.
func skipEscape(data []byte, at int) int {
	if at >= len(data) {
		return -1
	}
	switch data[at] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return at
	case 'u':
		if at+4 < len(data) && hex4(data[at+1:at+5]) {
			return at + 4
		}
	}
	return -1
}

// specials sets the high bit of the first byte of eight that is a quote, a backslash or a control character, and
// perhaps of bytes after it.
func specials(x uint64) uint64 {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	slash := x ^ (ones * '\\')
	low := x ^ (ones * 2) // control characters change places, a quote comes right behind them
	return ((low-ones*('"'^2+1))&^low | (slash-ones)&^slash) & highs
}

func hex4(digits []byte) bool {
	for _, c := range digits {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
			return false
		}
	}
	return true
}

// skipNumber reads a number.
func skipNumber(data []byte, at int) int {
	if at < len(data) && data[at] == '-' {
		at++
	}
	if at < len(data) && data[at] == '0' {
		at++
	} else if at = skipDigits(data, at); at < 0 {
		return -1
	}
	if at < len(data) && data[at] == '.' {
		if at = skipDigits(data, at+1); at < 0 {
			return -1
		}
	}
	if at < len(data) && (data[at] == 'e' || data[at] == 'E') {
		if at++; at < len(data) && (data[at] == '+' || data[at] == '-') {
			at++
		}
		return skipDigits(data, at)
	}
	return at
}

// skipDigits reads at least one digit.
func skipDigits(data []byte, at int) int {
	start := at
	for at < len(data) && data[at] >= '0' && data[at] <= '9' {
		at++
	}
	if at == start {
		return -1
	}
	return at
}

// plain resolves the escapes of a string's inside.
func plain(inside []byte) []byte {
	if bytes.IndexByte(inside, '\\') < 0 {
		return inside
	}
	quoted := make([]byte, 0, len(inside)+2)
	quoted = append(append(append(quoted, '"'), inside...), '"')
	var out string
	if json.Unmarshal(quoted, &out) != nil {
		return inside
	}
	return []byte(out)
}

// str gives the text of a raw JSON string; false when the value is absent or no string.
func str(raw []byte) ([]byte, bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return nil, false
	}
	return plain(raw[1 : len(raw)-1]), true
}

// absent is true for a key that is missing or null.
func absent(raw []byte) bool { return len(raw) == 0 || raw[0] == 'n' }

// isObject is true for a JSON object.
func isObject(raw []byte) bool { return len(raw) > 0 && raw[0] == '{' }

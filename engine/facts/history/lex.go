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

// lexer checks one JSON text against the grammar and remembers where the values of the outermost object are. It
// copies nothing: a decision reads thousands of rows and decodes a few.
type lexer struct {
	data []byte
	at   int
}

// object reads data as one JSON object. Values of keys that lookup knows go to out, which must be empty; the result
// names the keys that were seen as a bit set.
func object(data []byte, lookup func([]byte) key, out *cells) (uint64, fault) {
	if !utf8.Valid(data) {
		return 0, notUTF8
	}
	l := lexer{data: data}
	l.space()
	if l.peek() != '{' {
		if l.value(0) && l.end() {
			return 0, notObject
		}
		return 0, notJSON
	}
	var seen uint64
	result := sound
	ok := l.members(1, func(name []byte, start, end int) {
		k := lookup(name)
		if k == noKey {
			return
		}
		if seen&(1<<k) != 0 {
			result = repeatedKey
		}
		seen |= 1 << k
		out[k] = data[start:end]
	})
	if !ok || !l.end() {
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

func (l *lexer) peek() byte {
	if l.at < len(l.data) {
		return l.data[l.at]
	}
	return 0
}

func (l *lexer) space() {
	for l.at < len(l.data) && l.data[l.at] <= ' ' {
		switch l.data[l.at] {
		case ' ', '\t', '\r', '\n':
			l.at++
		default:
			return
		}
	}
}

// end is true when only white space is left.
func (l *lexer) end() bool {
	l.space()
	return l.at == len(l.data)
}

// members reads an object; at its brace on entry, after the closing one when it returns true.
func (l *lexer) members(depth int, visit func(name []byte, start, end int)) bool {
	l.at++
	if l.space(); l.peek() == '}' {
		l.at++
		return true
	}
	for {
		start := l.at
		if !l.text() {
			return false
		}
		name := l.data[start+1 : l.at-1]
		if l.space(); l.peek() != ':' {
			return false
		}
		l.at++
		l.space()
		start = l.at
		if !l.value(depth) {
			return false
		}
		if visit != nil {
			visit(plain(name), start, l.at)
		}
		l.space()
		switch l.peek() {
		case ',':
			l.at++
			l.space()
		case '}':
			l.at++
			return true
		default:
			return false
		}
	}
}

func (l *lexer) items(depth int) bool {
	l.at++
	if l.space(); l.peek() == ']' {
		l.at++
		return true
	}
	for {
		if !l.value(depth) {
			return false
		}
		l.space()
		switch l.peek() {
		case ',':
			l.at++
			l.space()
		case ']':
			l.at++
			return true
		default:
			return false
		}
	}
}

// value reads the value at the cursor; depth objects and lists are open.
func (l *lexer) value(depth int) bool {
	switch c := l.peek(); c {
	case '"':
		return l.text()
	case '{':
		return depth < maxDepth && l.members(depth+1, nil)
	case '[':
		return depth < maxDepth && l.items(depth+1)
	case 't':
		return l.word("true")
	case 'f':
		return l.word("false")
	case 'n':
		return l.word("null")
	default:
		return l.number()
	}
}

func (l *lexer) word(w string) bool {
	if len(l.data)-l.at < len(w) || string(l.data[l.at:l.at+len(w)]) != w {
		return false
	}
	l.at += len(w)
	return true
}

// text reads a string, quotes included.
func (l *lexer) text() bool {
	if l.peek() != '"' {
		return false
	}
	data := l.data
	for i := l.at + 1; ; i++ {
		for ; i+8 <= len(data); i += 8 {
			if special := specials(binary.LittleEndian.Uint64(data[i:])); special != 0 {
				i += bits.TrailingZeros64(special) / 8
				break
			}
		}
		if i >= len(data) {
			return false
		}
		switch c := data[i]; {
		case c == '"':
			l.at = i + 1
			return true
		case c == '\\':
			i++
			if i >= len(data) {
				return false
			}
			switch data[i] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				if i+4 >= len(data) || !hex4(data[i+1:i+5]) {
					return false
				}
				i += 4
			default:
				return false
			}
		case c < ' ':
			return false
		}
	}
}

// specials sets the high bit of the first byte of eight that is a quote, a backslash or a control character, and
// perhaps of bytes after it.
func specials(x uint64) uint64 {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	quote, slash := x^(ones*'"'), x^(ones*'\\')
	return ((quote-ones)&^quote | (slash-ones)&^slash | (x-ones*' ')&^x) & highs
}

func hex4(digits []byte) bool {
	for _, c := range digits {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
			return false
		}
	}
	return true
}

func (l *lexer) number() bool {
	if l.peek() == '-' {
		l.at++
	}
	if l.peek() == '0' {
		l.at++
	} else if !l.digits() {
		return false
	}
	if l.peek() == '.' {
		l.at++
		if !l.digits() {
			return false
		}
	}
	if c := l.peek(); c == 'e' || c == 'E' {
		l.at++
		if c := l.peek(); c == '+' || c == '-' {
			l.at++
		}
		return l.digits()
	}
	return true
}

func (l *lexer) digits() bool {
	start := l.at
	for c := l.peek(); c >= '0' && c <= '9'; c = l.peek() {
		l.at++
	}
	return l.at > start
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

package safety

import "strings"

// decodeRounds bounds how often a text is decoded: what was encoded three times is still read.
const decodeRounds = 3

// decode undoes percent encoding and the escapes of JSON strings (safety.decode). Lines stay lines: an encoded line break
// becomes a space.
func decode(text string) string {
	for range decodeRounds {
		next := decodeOnce(text)
		if next == text {
			break
		}
		text = next
	}
	return text
}

func decodeOnce(text string) string {
	i := strings.IndexAny(text, `%\`)
	if i < 0 {
		return text
	}
	var out strings.Builder
	out.Grow(len(text))
	for i >= 0 {
		out.WriteString(text[:i])
		text = text[i:]
		c, n := unescape(text)
		if n == 0 {
			c, n = text[0], 1
		} else if c == '\n' || c == '\r' {
			c = ' '
		}
		out.WriteByte(c)
		text = text[n:]
		i = strings.IndexAny(text, `%\`)
	}
	out.WriteString(text)
	return out.String()
}

// unescape reads %XX, \/, \" and \u00XX at the start of text; n is 0 when there is none.
func unescape(text string) (c byte, n int) {
	switch {
	case text[0] == '%' && len(text) >= 3:
		if c, ok := hex(text[1:3]); ok {
			return c, 3
		}
	case len(text) >= 2 && (text[1] == '/' || text[1] == '"'):
		if text[0] == '\\' {
			return text[1], 2
		}
	case len(text) >= 6 && text[:4] == `\u00`:
		if c, ok := hex(text[4:6]); ok && c < 0x80 {
			return c, 6
		}
	}
	return 0, 0
}

func hex(two string) (byte, bool) {
	var out byte
	for i := range 2 {
		c := two[i]
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		out = out<<4 | c
	}
	return out, true
}

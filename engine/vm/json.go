package vm

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Find is what a value holds at a path of object keys, nil when there is nothing.
func Find(v Value, path ...string) Value {
	for _, key := range path {
		if v = get(v, String(key)); v == nil {
			return nil
		}
	}
	return v
}

// ToGo gives the value as encoding/json would decode it with numbers as json.Number. A set becomes a list in order, a key
// that is no text becomes the text that OPA writes for it.
func ToGo(v Value) any {
	switch v := v.(type) {
	case Bool:
		return bool(v)
	case Int:
		return json.Number(strconv.FormatInt(int64(v), 10))
	case Number:
		return json.Number(v)
	case String:
		return string(v)
	case *Object:
		v.settle()
		out := make(map[string]any, len(v.keys))
		for i, key := range v.keys {
			out[KeyText(key)] = ToGo(v.vals[i])
		}
		return out
	case *Array, *Set:
		elems, _ := elements(v)
		out := make([]any, len(elems))
		for i, elem := range elems {
			out[i] = ToGo(elem)
		}
		return out
	}
	return nil
}

// KeyText is a key of an object as JSON has to write it.
func KeyText(key Value) string {
	if s, ok := key.(String); ok {
		return string(s)
	}
	return ast.NewTerm(toAST(key)).String()
}

// AppendJSON writes the value as JSON in one line, keys in order, characters of HTML as they are.
func AppendJSON(out []byte, v Value) []byte {
	switch v := v.(type) {
	case Bool:
		return strconv.AppendBool(out, bool(v))
	case Int:
		return strconv.AppendInt(out, int64(v), 10)
	case Number:
		return append(out, v...)
	case String:
		return AppendText(out, string(v))
	case *Object:
		v.settle()
		out = append(out, '{')
		for i, key := range v.keys {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(AppendText(out, KeyText(key)), ':')
			out = AppendJSON(out, v.vals[i])
		}
		return append(out, '}')
	case *Array, *Set:
		elems, _ := elements(v)
		out = append(out, '[')
		for i, elem := range elems {
			if i > 0 {
				out = append(out, ',')
			}
			out = AppendJSON(out, elem)
		}
		return append(out, ']')
	}
	return append(out, "null"...)
}

const hexDigits = "0123456789abcdef"

// AppendText writes a JSON string, as encoding/json does without escaping HTML.
func AppendText(out []byte, s string) []byte {
	out = append(out, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= 0x20 && c != '"' && c != '\\' {
				i++
				continue
			}
			out = append(out, s[from:i]...)
			switch c {
			case '"', '\\':
				out = append(out, '\\', c)
			case '\b':
				out = append(out, '\\', 'b')
			case '\f':
				out = append(out, '\\', 'f')
			case '\n':
				out = append(out, '\\', 'n')
			case '\r':
				out = append(out, '\\', 'r')
			case '\t':
				out = append(out, '\\', 't')
			default:
				out = append(out, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
			}
			i++
			from = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			out = append(append(out, s[from:i]...), `\ufffd`...)
			i++
			from = i
			continue
		}
		if r == '\u2028' || r == '\u2029' {
			out = append(append(out, s[from:i]...), `\u202`...)
			out = append(out, hexDigits[r&15])
			i += size
			from = i
			continue
		}
		i += size
	}
	return append(append(out, s[from:]...), '"')
}

package vm

import (
	"encoding/json"
	"regexp"
	"regexp/syntax"
	"strconv"
	"unicode/utf8"
)

func regexMatch(m *machine, args []Value) (Value, bool) {
	re, s, ok := m.regexp(args)
	if !ok {
		return nil, false
	}
	return Bool(re.MatchString(s)), true
}

func regexFind(m *machine, args []Value) (Value, bool) {
	re, s, ok := m.regexp(args)
	n, isInt := args[2].(Int)
	if !ok || !isInt {
		return nil, false
	}
	if re.beyondASCII && ascii(s) {
		return emptyArray, true
	}
	found := re.FindAllString(s, int(n))
	elems := m.arena.room(len(found))
	for _, text := range found {
		elems = append(elems, String(text))
	}
	return m.arena.array(elems), true
}

// maxPatterns is how many regular expressions and how many replacers a program keeps. Rules have few; more come only from
// the input.
const maxPatterns = 256

// pattern is a compiled regular expression.
type pattern struct {
	*regexp.Regexp
	beyondASCII bool // matches single characters outside of ASCII and nothing else
}

// compile reads a regular expression.
func compile(text string) (*pattern, error) {
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	out := &pattern{Regexp: re}
	if tree, err := syntax.Parse(text, syntax.Perl); err == nil && tree.Op == syntax.OpCharClass && len(tree.Rune) > 0 {
		out.beyondASCII = tree.Rune[0] >= utf8.RuneSelf // the ranges of a class are in order
	}
	return out, nil
}

func (m *machine) regexp(args []Value) (*pattern, string, bool) {
	text, ok1 := args[0].(String)
	s, ok2 := args[1].(String)
	if !ok1 || !ok2 {
		return nil, "", false
	}
	if re, ok := m.p.patterns.Load(text); ok {
		return re.(*pattern), string(s), true
	}
	re, err := compile(string(text))
	if err != nil {
		return nil, "", false
	}
	if m.p.kept.Add(1) <= maxPatterns {
		m.p.patterns.Store(text, re)
	}
	return re, string(s), true
}

// marshal writes JSON with a line for each member and no indentation, as json.MarshalIndent does. It leaves every other
// form to OPA.
func marshal(_ *machine, args []Value) (Value, bool) {
	options, ok := args[1].(*Object)
	if !ok || len(options.keys) != 2 || options.Get(String("pretty")) != Bool(true) || options.Get(String("indent")) != String("") {
		return nil, false
	}
	out, ok := appendLines(nil, args[0])
	return String(out), ok
}

func appendLines(out []byte, v Value) ([]byte, bool) {
	ok := true
	switch v := v.(type) {
	case Null:
		return append(out, "null"...), true
	case Bool:
		return strconv.AppendBool(out, bool(v)), true
	case Int:
		return strconv.AppendInt(out, int64(v), 10), true
	case String:
		if plain(string(v)) {
			return append(append(append(out, '"'), v...), '"'), true
		}
		text, err := json.Marshal(string(v))
		return append(out, text...), err == nil
	case *Object:
		v.settle()
		if len(v.keys) == 0 {
			return append(out, "{}"...), true
		}
		for i, key := range v.keys {
			if _, text := key.(String); !text {
				return nil, false
			}
			out = append(out, separator("{\n", ",\n", i)...)
			if out, ok = appendLines(out, key); !ok {
				return nil, false
			}
			out = append(out, ": "...)
			if out, ok = appendLines(out, v.vals[i]); !ok {
				return nil, false
			}
		}
		return append(out, "\n}"...), true
	default:
		elems, ok := elements(v)
		if !ok {
			return nil, false
		}
		if len(elems) == 0 {
			return append(out, "[]"...), true
		}
		for i, elem := range elems {
			out = append(out, separator("[\n", ",\n", i)...)
			if out, ok = appendLines(out, elem); !ok {
				return nil, false
			}
		}
		return append(out, "\n]"...), true
	}
}

// plain says that JSON writes a text as it is.
func plain(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c < 0x20, c >= utf8.RuneSelf, c == '"', c == '\\', c == '<', c == '>', c == '&':
			return false
		}
	}
	return true
}

func separator(first, later string, i int) string {
	if i == 0 {
		return first
	}
	return later
}

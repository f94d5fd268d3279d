package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// maxTodos is how many open user todos a notice lists (user_todo.list).
const maxTodos = 3

type page struct {
	fields map[string]any
	rank   func(string) int
	out    bytes.Buffer
}

func (p *page) line(format string, args ...any) {
	fmt.Fprintf(&p.out, format+"\n", args...)
}

// text shows a scalar; null and a missing field read "none".
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return "none"
	case string:
		return clean(v)
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return v.String()
	case []any:
		parts := make([]string, len(v))
		for i, e := range v {
			parts[i] = text(e)
		}
		return strings.Join(parts, ", ")
	case map[string]any:
		out, _ := json.Marshal(v) // plain values always encode
		return clean(string(out))
	default:
		return fmt.Sprint(v)
	}
}

// clean keeps a text on one line and takes out control characters, so that a todo cannot move the cursor of a terminal
// or turn the direction of the line.
func clean(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || unicode.IsSpace(r) || unicode.Is(unicode.Bidi_Control, r)
	}), " ")
}

// at reads a nested field.
func (p *page) at(path ...string) any { return at(p.fields, path...) }

func at(v any, path ...string) any {
	for _, key := range path {
		object, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = object[key]
	}
	return v
}

func str(v any) string {
	s, _ := v.(string)
	return s
}

// texts reads a list of texts, of objects with a text, or of argument vectors.
func texts(v any) []string {
	list, _ := v.([]any)
	var out []string
	for _, e := range list {
		switch e := e.(type) {
		case string:
			out = append(out, clean(e))
		case []any:
			out = append(out, command(e))
		case map[string]any:
			if s := str(e["text"]); s != "" {
				out = append(out, clean(s))
			}
		}
	}
	return out
}

// command shows an argument vector as a shell reads it.
func command(argv []any) string {
	words := make([]string, len(argv))
	for i, arg := range argv {
		word := text(arg)
		if word == "" || strings.ContainsFunc(word, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_./:=@+,", r)
		}) {
			word = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
		words[i] = word
	}
	return strings.Join(words, " ")
}

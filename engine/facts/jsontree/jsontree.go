// Package jsontree reads strict JSON into a tree that keeps line numbers, byte ranges and duplicate keys, so that a
// finding can name the line of a value and a writer can replace one value without touching the rest of the file.
//
// It accepts exactly what encoding/json accepts, with two differences: invalid UTF-8 is refused, and so is a byte
// order mark. Nesting deeper than MaxDepth is an error, never a crash.
package jsontree

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// MaxDepth is how many levels of arrays and objects may be open at once (state-files.md 1.1).
const MaxDepth = 10000

// Kind is the JSON type of a node.
type Kind uint8

// The JSON types.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// String names the type as an operator would.
func (k Kind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "a list", "an object"}[k]
}

// Node is one JSON value.
type Node struct {
	Kind       Kind
	Bool       bool
	Line       int    // 1-based line of the first byte
	Start, End int    // byte range in the file
	Text       string // the string, or the number as written
	Items      []*Node
	Members    []Member
}

// Member is one key of an object with its value.
type Member struct {
	Key       string
	Line      int
	Duplicate bool // an earlier member of the object has this key
	Value     *Node
}

// Get gives the value of a key, the last one when the key is repeated, nil when there is none or n is no object.
func (n *Node) Get(key string) *Node {
	if n == nil {
		return nil
	}
	for i := len(n.Members) - 1; i >= 0; i-- {
		if n.Members[i].Key == key {
			return n.Members[i].Value
		}
	}
	return nil
}

// Str gives the string under a key, "" when there is none.
func (n *Node) Str(key string) string {
	if value := n.Get(key); value != nil && value.Kind == String {
		return value.Text
	}
	return ""
}

// Walk calls visit for every object member below n, in file order.
func (n *Node) Walk(visit func(m *Member)) {
	for _, item := range n.Items {
		item.Walk(visit)
	}
	for i := range n.Members {
		visit(&n.Members[i])
		n.Members[i].Value.Walk(visit)
	}
}

// Any gives the value as encoding/json would with UseNumber.
func (n *Node) Any() any {
	switch n.Kind {
	case Bool:
		return n.Bool
	case Number:
		return json.Number(n.Text)
	case String:
		return n.Text
	case Array:
		out := make([]any, len(n.Items))
		for i, item := range n.Items {
			out[i] = item.Any()
		}
		return out
	case Object:
		out := make(map[string]any, len(n.Members))
		for i := range n.Members {
			out[n.Members[i].Key] = n.Members[i].Value.Any()
		}
		return out
	default:
		return nil
	}
}

// Error is a syntax error with its line.
type Error struct {
	Line    int
	Message string
}

func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Message) }

// Parse reads one JSON document. Nothing but white space may follow it.
func Parse(data []byte) (*Node, error) {
	if bytes.HasPrefix(data, []byte("\xef\xbb\xbf")) {
		return nil, &Error{1, "starts with a byte order mark, which JSON does not allow"}
	}
	if at := firstInvalid(data); at >= 0 {
		return nil, &Error{1 + bytes.Count(data[:at], []byte{'\n'}), "is not valid UTF-8"}
	}
	p := &parser{data: data, line: 1}
	p.space()
	if p.at == len(data) {
		return nil, &Error{p.line, "holds no JSON value"}
	}
	root, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if p.space(); p.at < len(data) {
		return nil, p.fail("unexpected %s after the end of the JSON value", p.seen())
	}
	return root, nil
}

func firstInvalid(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	for at := 0; at < len(data); {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

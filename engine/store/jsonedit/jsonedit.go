// Package jsonedit changes single values of a JSON file as text, so that key order, unknown keys, number formats and the
// layout of everything else stay byte for byte. What it writes looks like what Python's json module writes with an indent
// of two: the same separators, characters beyond ASCII as they are.
package jsonedit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/loopx-dev/loopx-policy/engine/facts/jsontree"
)

// ErrDuplicate says that a key on the way to a value is there twice, so that nobody can say which one counts.
var ErrDuplicate = errors.New("a key is there twice")

// Step finds the value below a node at which editing starts.
type Step func(root *jsontree.Node) *jsontree.Node

// Set gives the file with the value at a path of keys below a node set; objects that are missing on the way are made.
func Set(data []byte, at Step, path []string, value json.RawMessage) ([]byte, error) {
	node, err := find(data, at)
	if err != nil {
		return nil, err
	}
	if len(path) == 0 {
		return nil, errors.New("a path needs a key")
	}
	for i, key := range path {
		if node.Kind != jsontree.Object {
			return nil, fmt.Errorf("%s is no object", strings.Join(path[:i], "."))
		}
		member, err := memberOf(node, key)
		if err != nil {
			return nil, err
		}
		if member == nil {
			for j := len(path) - 1; j > i; j-- { // {"next": {... value}}
				name, err := json.Marshal(path[j])
				if err != nil {
					return nil, err
				}
				value = slices.Concat([]byte("{"), name, []byte(":"), value, []byte("}"))
			}
			return appendTo(data, node, key, value)
		}
		node = member.Value
	}
	text, err := format(value, layoutOf(data, node))
	if err != nil {
		return nil, err
	}
	return splice(data, node.Start, node.End, text), nil
}

// Unset gives the file without the value at a path. A path that leads nowhere changes nothing.
func Unset(data []byte, at Step, path []string) ([]byte, error) {
	node, err := find(data, at)
	if err != nil {
		return nil, err
	}
	if len(path) == 0 {
		return nil, errors.New("a path needs a key")
	}
	for _, key := range path[:len(path)-1] {
		member, err := memberOf(node, key)
		if err != nil {
			return nil, err
		}
		if member == nil {
			return data, nil
		}
		node = member.Value
	}
	key := path[len(path)-1]
	member, err := memberOf(node, key)
	if err != nil || member == nil {
		return data, err
	}
	i := slices.IndexFunc(node.Members, func(m jsontree.Member) bool { return m.Key == key })
	ends := make([]int, len(node.Members))
	for j := range node.Members {
		ends[j] = node.Members[j].Value.End
	}
	start, end := removal(data, node, i, ends)
	return splice(data, start, end, nil), nil
}

// RemoveItem gives the file without one item of a list.
func RemoveItem(data []byte, list *jsontree.Node, i int) []byte {
	ends := make([]int, len(list.Items))
	for j := range list.Items {
		ends[j] = list.Items[j].End
	}
	start, end := removal(data, list, i, ends)
	return splice(data, start, end, nil)
}

// AppendItem gives the file with an item at the end of a list.
func AppendItem(data []byte, list *jsontree.Node, value json.RawMessage) ([]byte, error) {
	return appendTo(data, list, "", value)
}

// removal is the text of child i of a container with its comma: the one before it, or after it when it is the first.
func removal(data []byte, container *jsontree.Node, i int, ends []int) (start, end int) {
	switch {
	case i > 0:
		return ends[i-1], ends[i]
	case len(ends) > 1:
		start = container.Start + 1
		end = ends[0]
		for data[end] != ',' {
			end++
		}
		return start, end + 1
	default:
		return container.Start + 1, container.End - 1
	}
}

func find(data []byte, at Step) (*jsontree.Node, error) {
	root, err := jsontree.Parse(data)
	if err != nil {
		return nil, err
	}
	if at == nil {
		return root, nil
	}
	node := at(root)
	if node == nil {
		return nil, errors.New("the value to change is not there")
	}
	return node, nil
}

func memberOf(node *jsontree.Node, key string) (*jsontree.Member, error) {
	var found *jsontree.Member
	for i := range node.Members {
		if node.Members[i].Key != key {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("%q: %w", key, ErrDuplicate)
		}
		found = &node.Members[i]
	}
	return found, nil
}

// appendTo adds a child at the end of an object or a list.
func appendTo(data []byte, node *jsontree.Node, key string, value json.RawMessage) ([]byte, error) {
	style := layoutOf(data, node)
	if len(node.Members)+len(node.Items) > 0 && bytes.IndexByte(data[node.Start:node.End], '\n') < 0 {
		style.indent = "" // its children are on its own line, and so is another one
	}
	inner := style
	inner.depth++
	text, err := format(value, inner)
	if err != nil {
		return nil, err
	}
	if key != "" {
		text = slices.Concat(quoted(key), []byte(": "), text)
	}
	last := node.Start + 1
	if n := len(node.Members); n > 0 {
		last = node.Members[n-1].Value.End
	} else if n := len(node.Items); n > 0 {
		last = node.Items[n-1].End
	}
	empty := last == node.Start+1
	var out []byte
	switch {
	case style.indent == "" && empty:
		out = text
	case style.indent == "":
		out = slices.Concat([]byte(", "), text)
	case empty:
		out = slices.Concat(inner.newline(), text, style.newline())
		return splice(data, last, node.End-1, out), nil
	default:
		out = slices.Concat([]byte(","), inner.newline(), text)
	}
	return splice(data, last, last, out), nil
}

func splice(data []byte, start, end int, text []byte) []byte {
	return slices.Concat(data[:start], text, data[end:])
}

// layout is how a file is indented: by nothing when it is on one line.
type layout struct {
	indent string // of one level
	prefix string // in front of the container's own line
	line   string // line end
	depth  int    // levels below prefix
}

func (l layout) newline() []byte {
	return []byte(l.line + l.prefix + strings.Repeat(l.indent, l.depth))
}

// layoutOf finds how the lines around a node are indented. The prefix of the node's own line stands for its depth.
func layoutOf(data []byte, node *jsontree.Node) layout {
	line := "\n"
	if at := bytes.IndexByte(data, '\n'); at > 0 && data[at-1] == '\r' {
		line = "\r\n"
	}
	indent := indentOf(data)
	start := bytes.LastIndexByte(data[:node.Start], '\n') + 1
	end := start
	for end < len(data) && (data[end] == ' ' || data[end] == '\t') {
		end++
	}
	return layout{indent: indent, prefix: string(data[start:end]), line: line}
}

// indentOf is the indentation of the first key, "" when the file is on one line.
func indentOf(data []byte) string {
	at := bytes.IndexByte(data, '\n')
	if at < 0 || at == len(data)-1 {
		return ""
	}
	end := at + 1
	for end < len(data) && (data[end] == ' ' || data[end] == '\t') {
		end++
	}
	return string(data[at+1 : end])
}

func quoted(text string) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a string can always be encoded
	return bytes.TrimRight(unescape(out.Bytes()), "\n")
}

// unescape undoes the two escapes that encoding/json makes and Python's json module does not.
func unescape(text []byte) []byte {
	if !bytes.Contains(text, []byte(`\u202`)) {
		return text
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+5 < len(text) {
			switch string(text[i : i+6]) {
			case `\u2028`:
				out, i = append(out, "\u2028"...), i+5
				continue
			case `\u2029`:
				out, i = append(out, "\u2029"...), i+5
				continue
			}
			out = append(out, text[i], text[i+1])
			i++
			continue
		}
		out = append(out, text[i])
	}
	return out
}

// format writes a value for a place in a file.
func format(value json.RawMessage, l layout) ([]byte, error) {
	node, err := jsontree.Parse(value)
	if err != nil {
		return nil, fmt.Errorf("value: %w", err)
	}
	var out bytes.Buffer
	write(&out, node, l)
	return out.Bytes(), nil
}

func write(out *bytes.Buffer, n *jsontree.Node, l layout) {
	switch n.Kind {
	case jsontree.Null:
		out.WriteString("null")
	case jsontree.Bool:
		fmt.Fprint(out, n.Bool)
	case jsontree.Number:
		out.WriteString(n.Text)
	case jsontree.String:
		out.Write(quoted(n.Text))
	case jsontree.Array:
		children(out, "[]", len(n.Items), l, func(i int, inner layout) { write(out, n.Items[i], inner) })
	case jsontree.Object:
		children(out, "{}", len(n.Members), l, func(i int, inner layout) {
			out.Write(quoted(n.Members[i].Key))
			out.WriteString(": ")
			write(out, n.Members[i].Value, inner)
		})
	}
}

func children(out *bytes.Buffer, brackets string, n int, l layout, each func(int, layout)) {
	out.WriteByte(brackets[0])
	inner := l
	inner.depth++
	for i := range n {
		switch {
		case l.indent != "":
			if i > 0 {
				out.WriteByte(',')
			}
			out.Write(inner.newline())
		case i > 0:
			out.WriteString(", ")
		}
		each(i, inner)
	}
	if n > 0 && l.indent != "" {
		out.Write(l.newline())
	}
	out.WriteByte(brackets[1])
}

// Line writes a value on one line, as Python's json.dumps does. Keys keep their order.
func Line(value json.RawMessage) ([]byte, error) { return format(value, layout{}) }

// Pretty writes a value with an indent of two and a final newline. Keys keep their order.
func Pretty(value json.RawMessage) ([]byte, error) {
	text, err := format(value, layout{indent: "  ", line: "\n"})
	return append(text, '\n'), err
}

// Sort gives a value with the keys of every object in an order: those of first as they stand there, then the others by name.
func Sort(value json.RawMessage, first []string) (json.RawMessage, error) {
	node, err := jsontree.Parse(value)
	if err != nil {
		return nil, err
	}
	rank := make(map[string]int, len(first))
	for i, key := range first {
		rank[key] = i - len(first)
	}
	sortKeys(node, rank)
	var out bytes.Buffer
	write(&out, node, layout{})
	return out.Bytes(), nil
}

func sortKeys(n *jsontree.Node, rank map[string]int) {
	for _, item := range n.Items {
		sortKeys(item, rank)
	}
	slices.SortStableFunc(n.Members, func(a, b jsontree.Member) int {
		if d := rank[a.Key] - rank[b.Key]; d != 0 {
			return d
		}
		return strings.Compare(a.Key, b.Key)
	})
	for i := range n.Members {
		sortKeys(n.Members[i].Value, rank)
	}
}

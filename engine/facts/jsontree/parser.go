package jsontree

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

type parser struct {
	data []byte
	at   int
	line int
	slab []Node // nodes are allocated in blocks
}

func (p *parser) node() *Node {
	if len(p.slab) == 0 {
		p.slab = make([]Node, min(256, 8+len(p.data)/32))
	}
	n := &p.slab[0]
	p.slab = p.slab[1:]
	n.Line, n.Start = p.line, p.at
	return n
}

func (p *parser) fail(format string, args ...any) error {
	return &Error{p.line, "is not valid JSON: " + fmt.Sprintf(format, args...)}
}

// seen describes the next byte for a message.
func (p *parser) seen() string {
	if p.at >= len(p.data) {
		return "end of file"
	}
	r, _ := utf8.DecodeRune(p.data[p.at:])
	return fmt.Sprintf("%q", r)
}

func (p *parser) space() {
	for p.at < len(p.data) {
		switch p.data[p.at] {
		case '\n':
			p.line++
		case ' ', '\t', '\r':
		default:
			return
		}
		p.at++
	}
}

func (p *parser) value(depth int) (*Node, error) {
	if p.at >= len(p.data) {
		return nil, p.fail("unexpected end of file, the file is cut off")
	}
	n := p.node()
	var err error
	switch c := p.data[p.at]; {
	case c == '{':
		err = p.object(n, depth+1)
	case c == '[':
		err = p.array(n, depth+1)
	case c == '"':
		n.Kind = String
		n.Text, err = p.text()
	case c == '-' || c >= '0' && c <= '9':
		err = p.number(n)
	case p.word("true"):
		n.Kind, n.Bool = Bool, true
	case p.word("false"):
		n.Kind = Bool
	case p.word("null"):
	default:
		err = p.fail("unexpected %s, want a value", p.seen())
	}
	n.End = p.at
	return n, err
}

func (p *parser) word(w string) bool {
	if len(p.data)-p.at < len(w) || string(p.data[p.at:p.at+len(w)]) != w {
		return false
	}
	p.at += len(w)
	return true
}

func (p *parser) open(depth int) error {
	if depth > MaxDepth {
		return p.fail("nested deeper than %d levels", MaxDepth)
	}
	p.at++
	p.space()
	return nil
}

func (p *parser) closes(c byte) bool {
	if p.at < len(p.data) && p.data[p.at] == c {
		p.at++
		return true
	}
	return false
}

// next steps over the comma between two elements; done is true at the closing byte.
func (p *parser) next(end byte) (done bool, err error) {
	p.space()
	if p.closes(end) {
		return true, nil
	}
	if !p.closes(',') {
		return false, p.fail("unexpected %s, want a comma or %q", p.seen(), rune(end))
	}
	p.space()
	return false, nil
}

func (p *parser) array(n *Node, depth int) error {
	n.Kind = Array
	if err := p.open(depth); err != nil {
		return err
	}
	if p.closes(']') {
		return nil
	}
	for {
		item, err := p.value(depth)
		if err != nil {
			return err
		}
		n.Items = append(n.Items, item)
		if done, err := p.next(']'); done || err != nil {
			return err
		}
	}
}

func (p *parser) object(n *Node, depth int) error {
	n.Kind = Object
	if err := p.open(depth); err != nil {
		return err
	}
	if p.closes('}') {
		return nil
	}
	var keys keySet
	for {
		if p.at >= len(p.data) || p.data[p.at] != '"' {
			return p.fail("unexpected %s, want a key", p.seen())
		}
		m := Member{Line: p.line}
		var err error
		if m.Key, err = p.text(); err != nil {
			return err
		}
		m.Duplicate = keys.add(n.Members, m.Key)
		if p.space(); !p.closes(':') {
			return p.fail("unexpected %s, want a colon", p.seen())
		}
		p.space()
		if m.Value, err = p.value(depth); err != nil {
			return err
		}
		n.Members = append(n.Members, m)
		if done, err := p.next('}'); done || err != nil {
			return err
		}
	}
}

// text reads a string. The common string without escapes is copied once; others go through encoding/json.
func (p *parser) text() (string, error) {
	start := p.at
	escaped := false
	for p.at++; p.at < len(p.data); p.at++ {
		switch c := p.data[p.at]; {
		case c == '"':
			p.at++
			if !escaped {
				return string(p.data[start+1 : p.at-1]), nil
			}
			var out string
			if err := json.Unmarshal(p.data[start:p.at], &out); err != nil {
				return "", p.fail("bad escape in a string")
			}
			return out, nil
		case c == '\\':
			escaped = true
			p.at++
		case c < ' ':
			return "", p.fail("line break or control character in a string")
		}
	}
	p.at = len(p.data)
	return "", p.fail("unexpected end of file in a string, the file is cut off")
}

func (p *parser) number(n *Node) error {
	start := p.at
	p.closes('-')
	if !p.closes('0') && p.digits() == 0 {
		return p.fail("unexpected %s in a number", p.seen())
	}
	if p.closes('.') && p.digits() == 0 {
		return p.fail("unexpected %s in a number", p.seen())
	}
	if p.closes('e') || p.closes('E') {
		_ = p.closes('+') || p.closes('-')
		if p.digits() == 0 {
			return p.fail("unexpected %s in a number", p.seen())
		}
	}
	n.Kind, n.Text = Number, string(p.data[start:p.at])
	return nil
}

func (p *parser) digits() int {
	start := p.at
	for p.at < len(p.data) && p.data[p.at] >= '0' && p.data[p.at] <= '9' {
		p.at++
	}
	return p.at - start
}

// keySet finds repeated keys: by looking at the members of a small object, by a map in a large one.
type keySet map[string]bool

func (k *keySet) add(members []Member, key string) bool {
	if len(members) < 24 {
		for i := range members {
			if members[i].Key == key {
				return true
			}
		}
		return false
	}
	if *k == nil {
		*k = make(keySet, 2*len(members))
		for i := range members {
			(*k)[members[i].Key] = true
		}
	}
	seen := (*k)[key]
	(*k)[key] = true
	return seen
}

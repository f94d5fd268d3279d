package registry

import (
	"fmt"
	"strings"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/jsontree"
)

// row reads one goal and collects its findings.
type row struct {
	file *File
	node *jsontree.Node
	goal Goal
}

func (r *row) finding(code, rule string, line int, format string, args ...any) {
	r.file.Findings = append(r.file.Findings, facts.Finding{
		Code: code, Scope: "goal", GoalID: r.goal.ID, File: r.file.Name, Line: line, Rule: rule,
		Message: fmt.Sprintf(format, args...),
	})
}

// invalid reports a value that is present but cannot be read.
func (r *row) invalid(n *jsontree.Node, path, want string) {
	r.finding("registry_value_invalid", "", n.Line, "%s is %s, want %s", path, describe(n), want)
}

// describe shows a scalar and names anything longer.
func describe(n *jsontree.Node) string {
	switch {
	case n.Kind == jsontree.Bool:
		return fmt.Sprint(n.Bool)
	case n.Kind == jsontree.Number && len(n.Text) <= 40:
		return n.Text
	case n.Kind == jsontree.String && len(n.Text) <= 40:
		return fmt.Sprintf("%q", n.Text)
	default:
		return n.Kind.String()
	}
}

// child gives the value of a key, nil when it is absent or null.
func child(parent *jsontree.Node, key string) *jsontree.Node {
	if n := parent.Get(key); n != nil && n.Kind != jsontree.Null {
		return n
	}
	return nil
}

// object gives an object value; anything else that is present is a finding.
func (r *row) object(parent *jsontree.Node, key, path string) *jsontree.Node {
	n := child(parent, key)
	if n == nil || n.Kind == jsontree.Object {
		return n
	}
	r.invalid(n, path, "an object")
	return nil
}

// text gives a string value, trimmed; anything else that is present is a finding.
func (r *row) text(parent *jsontree.Node, key, path string) string {
	n := child(parent, key)
	if n == nil {
		return ""
	}
	if n.Kind != jsontree.String {
		r.invalid(n, path, "text")
		return ""
	}
	return strings.TrimSpace(n.Text)
}

// word is text whose line the rules may need.
func (r *row) word(parent *jsontree.Node, key, path string) string {
	text := r.text(parent, key, path)
	if text != "" {
		r.line(path, child(parent, key))
	}
	return text
}

func (r *row) line(path string, n *jsontree.Node) {
	if r.goal.Lines == nil {
		r.goal.Lines = map[string]int{}
	}
	r.goal.Lines[path] = n.Line
}

// list gives the strings of a list, or of one string cut at commas, semicolons and bars.
func (r *row) list(parent *jsontree.Node, key, path string) []string {
	out := []string{}
	n := child(parent, key)
	switch {
	case n == nil:
	case n.Kind == jsontree.Array:
		for _, item := range n.Items {
			if item.Kind != jsontree.String {
				r.invalid(item, path, "a list of strings")
				continue
			}
			if text := strings.TrimSpace(item.Text); text != "" {
				out = append(out, text)
			}
		}
	case n.Kind == jsontree.String:
		out = splitList(n.Text)
	default:
		r.invalid(n, path, "a list of strings")
	}
	return out
}

// sentences gives a list whose strings are prose: one string is one sentence.
func (r *row) sentences(parent *jsontree.Node, key, path string) []string {
	if n := child(parent, key); n != nil && n.Kind == jsontree.String {
		if text := strings.TrimSpace(n.Text); text != "" {
			return []string{text}
		}
		return []string{}
	}
	return r.list(parent, key, path)
}

func splitList(text string) []string {
	out := []string{}
	for part := range strings.FieldsFuncSeq(text, func(c rune) bool { return c == ',' || c == ';' || c == '|' }) {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// flag gives a boolean; a value that is no boolean counts as absent (state-files.md 2.4).
func flag(parent *jsontree.Node, key string) *bool {
	if n := parent.Get(key); n != nil && n.Kind == jsontree.Bool {
		return &n.Bool
	}
	return nil
}

func isTrue(parent *jsontree.Node, key string) bool {
	value := flag(parent, key)
	return value != nil && *value
}

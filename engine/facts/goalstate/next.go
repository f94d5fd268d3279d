package goalstate

import "strings"

const (
	nextActionLimit = 3
	nextActionRunes = 220
	nextBinding     = "loopx_next_action_binding_v0"
)

// nextAction collects the entries of the first Next Action section.
type nextAction struct {
	reading, seen bool
	comment       bool // inside an HTML comment of several lines
	entries       [][]string
	indent        int // of the last entry's list marker; a marker further in continues the entry
	binding       string
}

func (n *nextAction) heading(level int, title string) {
	n.reading = !n.seen && level >= 2 && strings.EqualFold(title, "next action")
	n.seen = n.seen || n.reading
	n.comment = false
}

func (n *nextAction) read(line string, indented bool) {
	if !n.reading {
		return
	}
	text := strings.TrimSpace(line)
	switch {
	case n.comment:
		n.comment = !strings.Contains(text, "-->")
	case strings.HasPrefix(text, "<!--"):
		n.comment = !strings.Contains(text, "-->")
		if !indented && n.binding == "" {
			n.binding = bindingID(text)
		}
	default:
		continued := indented && len(n.entries) > 0
		if rest := afterListMarker(line); rest != "" && text[0] != '+' {
			indent := indentOf(line)
			if continued = continued && indent > n.indent; !continued {
				n.indent = indent
			}
			text = rest
		}
		n.add(text, continued)
	}
}

// fenced takes a line of fenced code as text.
func (n *nextAction) fenced(line string) {
	if text := strings.TrimSpace(line); n.reading && text != "" {
		n.add(text, len(n.entries) > 0)
	}
}

func (n *nextAction) add(text string, continued bool) {
	switch {
	case continued && len(n.entries) <= nextActionLimit:
		last := len(n.entries) - 1
		n.entries[last] = append(n.entries[last], text)
	case !continued && len(n.entries) <= nextActionLimit: // one more than kept, so that its continuations stay apart
		n.entries = append(n.entries, []string{text})
	}
}

// bindingID reads <!-- loopx:next-action schema=loopx_next_action_binding_v0 todo_id=… -->.
func bindingID(comment string) string {
	body, ok := strings.CutPrefix(strings.TrimSpace(comment[len("<!--"):]), "loopx:next-action")
	if body, ok2 := strings.CutSuffix(body, "-->"); ok && ok2 && startsWithSpace(body) {
		schema, id := "", ""
		for token := range strings.FieldsSeq(body) {
			switch key, value, _ := strings.Cut(token, "="); key {
			case "schema":
				schema = value
			case "todo_id":
				id = todoID(decode(value))
			}
		}
		if schema == nextBinding {
			return id
		}
	}
	return ""
}

func (n *nextAction) finish() (actions, ids []string, binding string) {
	actions, ids = []string{}, []string{}
	seen := map[string]bool{}
	for _, entry := range n.entries[:min(len(n.entries), nextActionLimit)] {
		text := collapse(strings.Join(entry, " "))
		if text == "" {
			continue
		}
		ids = mentioned(text, ids, seen)
		actions = append(actions, cut(text, nextActionRunes))
	}
	return actions, ids, n.binding
}

// mentioned appends the todo ids that a text names and that were not seen before.
func mentioned(text string, ids []string, seen map[string]bool) []string {
	text = strings.ToLower(text)
	for {
		at := strings.Index(text, "todo_")
		if at < 0 {
			return ids
		}
		inWord := at > 0 && isIDByte(text[at-1])
		text = text[at:]
		end := 0
		for end < len(text) && isIDByte(text[end]) {
			end++
		}
		if id := todoID(text[:end]); !inWord && id != "" && !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
		text = text[end:]
	}
}

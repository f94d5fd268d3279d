package statefile

import (
	"bytes"
	"slices"
	"strings"

	"github.com/loopx-dev/loopx-policy/engine/facts/goalstate"
)

// file is a state file as lines with their ends. Line numbers count from 1, as those of goalstate do.
type file struct {
	lines  []string
	layout *goalstate.Layout
}

func open(data []byte) *file {
	_, layout := goalstate.Map("", data)
	return &file{lines: split(string(data)), layout: layout}
}

// split cuts after LF, CRLF and CR.
func split(text string) []string {
	var lines []string
	for text != "" {
		at := strings.IndexAny(text, "\r\n")
		if at < 0 {
			return append(lines, text)
		}
		at++
		if text[at-1] == '\r' && at < len(text) && text[at] == '\n' {
			at++
		}
		lines = append(lines, text[:at])
		text = text[at:]
	}
	return lines
}

func (f *file) bytes() []byte { return []byte(strings.Join(f.lines, "")) }

// text is a line without its end.
func (f *file) text(line int) string { return strings.TrimRight(f.lines[line-1], "\r\n") }

func (f *file) end(line int) string { return f.lines[line-1][len(f.text(line)):] }

func (f *file) blank(line int) bool { return strings.TrimSpace(f.text(line)) == "" }

func (f *file) set(line int, text string) { f.lines[line-1] = text + f.end(line) }

// newline is the line end of the file around a line: that of the nearest line above, else of the first line that has one.
func (f *file) newline(line int) string {
	for ; line >= 1; line-- {
		if end := f.end(line); end != "" {
			return end
		}
	}
	for i := range f.lines {
		if end := f.end(i + 1); end != "" {
			return end
		}
	}
	return "\n"
}

// insert puts lines after a line, 0 for the start. At the end of a file without a final line end the new last line has none.
func (f *file) insert(after int, texts []string) {
	newline := f.newline(after)
	open := after == len(f.lines) && after > 0 && f.end(after) == ""
	if open {
		f.lines[after-1] += newline
	}
	fresh := make([]string, len(texts))
	for i, text := range texts {
		fresh[i] = text + newline
	}
	if open {
		fresh[len(fresh)-1] = texts[len(texts)-1]
	}
	f.lines = slices.Insert(f.lines, after, fresh...)
}

// cut removes lines and gives their texts.
func (f *file) cut(first, last int) []string {
	texts := make([]string, 0, last-first+1)
	for line := first; line <= last; line++ {
		texts = append(texts, f.text(line))
	}
	if last == len(f.lines) && f.end(last) == "" && first > 1 {
		f.lines[first-2] = f.text(first - 1) // the file still ends without a line end
	}
	f.lines = slices.Delete(f.lines, first-1, last)
	return texts
}

func (f *file) replace(first, last int, texts []string) {
	newline, end := f.newline(first), f.end(last)
	fresh := make([]string, len(texts))
	for i, text := range texts {
		fresh[i] = text + newline
	}
	if len(fresh) > 0 && end == "" {
		fresh[len(fresh)-1] = texts[len(texts)-1]
	}
	f.lines = slices.Replace(f.lines, first-1, last, fresh...)
}

// block finds an active todo.
func (f *file) block(id string) *goalstate.Block {
	for i := range f.layout.Blocks {
		if b := &f.layout.Blocks[i]; !b.Archived && b.Todo.ID == id && id != "" {
			return b
		}
	}
	return nil
}

// has tells whether any block, archived ones included, has an id.
func (f *file) has(id string) bool {
	return id != "" && slices.ContainsFunc(f.layout.Blocks, func(b goalstate.Block) bool { return b.Todo.ID == id })
}

// blockAt finds the block that starts on a line.
func (f *file) blockAt(line int) *goalstate.Block {
	i := slices.IndexFunc(f.layout.Blocks, func(b goalstate.Block) bool { return b.Line == line })
	return &f.layout.Blocks[i]
}

// retext replaces the text of a block: that of its first line, and the lines that continue it.
func (f *file) retext(block *goalstate.Block, text string) {
	for line := block.Last; line > block.Line; line-- {
		if !slices.Contains(block.Metadata, line) && !f.blank(line) {
			f.cut(line, line)
		}
	}
	first := f.text(block.Line)
	f.set(block.Line, first[:strings.IndexByte(first, ']')+1]+" "+text)
}

func (f *file) mark(line int, marker string) {
	text := f.text(line)
	at := strings.IndexByte(text, '[') + 1
	f.set(line, text[:at]+marker+text[at+1:])
}

// sectionEnd is the last line of the role's first section that is not blank. A missing section is added.
func (f *file) sectionEnd(role string) int {
	for i, h := range f.layout.Headings {
		if h.Role != role {
			continue
		}
		last := len(f.lines)
		for _, next := range f.layout.Headings[i+1:] {
			if next.Section {
				last = next.Line - 1
				break
			}
		}
		for last > h.Line && f.blank(last) {
			last--
		}
		if last == h.Line { // an empty section keeps a blank line below its heading
			f.insert(last, []string{""})
			last++
		}
		return last
	}
	return f.newSection(role)
}

// newSection adds a section and gives the line after which its content goes.
func (f *file) newSection(name string) int {
	section := sections[name]
	at := len(f.lines) + 1
	for _, before := range section.before {
		i := slices.IndexFunc(f.layout.Headings, func(h goalstate.Heading) bool {
			return h.Section && (h.Role == before || strings.EqualFold(h.Title, before))
		})
		if i < 0 {
			continue
		}
		if line := f.layout.Headings[i].Line; line < at {
			at = line
		}
		if name == "user" || name == "agent" {
			break // the first that there is, wherever it stands
		}
	}
	heading := []string{"## " + section.heading, ""}
	if at <= len(f.lines) {
		f.insert(at-1, append(heading, ""))
		if at > 1 && !f.blank(at-1) {
			f.insert(at-1, []string{""})
			at++
		}
		return at + 1
	}
	if n := len(f.lines); n > 0 && !f.blank(n) {
		heading = append([]string{""}, heading...)
	}
	f.insert(len(f.lines), heading)
	if last := len(f.lines); f.end(last) == "" {
		return last
	}
	return len(f.lines)
}

// comments gives the comment lines of a region that bind nothing and belong to whoever wrote them.
func (f *file) comments(first, last int) []string {
	var out []string
	inside := false
	for line := first; line <= last; line++ {
		text := strings.TrimSpace(f.text(line))
		starts := strings.HasPrefix(text, "<!--")
		if !inside && (!starts || strings.HasPrefix(strings.TrimSpace(strings.TrimPrefix(text, "<!--")), "loopx:next-action")) {
			continue
		}
		out = append(out, f.text(line))
		inside = !strings.Contains(text, "-->")
	}
	return out
}

// touch sets updated_at in the front matter, adding the line when there is none. Text without front matter stays.
func touch(data []byte, updatedAt string) []byte {
	body := bytes.TrimPrefix(data, []byte("\uFEFF"))
	if !bytes.HasPrefix(body, []byte("---")) {
		return data
	}
	length := bytes.Index(body[3:], []byte("---"))
	if length < 0 {
		return data
	}
	stop := len(data) - len(body) + 3 + length // where the front matter ends
	f := &file{lines: split(string(data))}
	offset, last := 0, 0
	for i := range f.lines {
		offset += len(f.lines[i])
		if offset > stop {
			break
		}
		last = i + 1
	}
	for line := last; line > 1; line-- {
		key, value, found := strings.Cut(f.text(line), ":")
		if !found || strings.TrimSpace(key) != "updated_at" {
			continue
		}
		text := updatedAt
		if strings.HasPrefix(strings.TrimSpace(value), `"`) {
			text = `"` + updatedAt + `"`
		}
		f.set(line, key+": "+text)
		return f.bytes()
	}
	if last == 0 {
		return data // both rules on one line
	}
	f.insert(last, []string{"updated_at: " + updatedAt})
	return f.bytes()
}

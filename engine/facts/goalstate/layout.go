package goalstate

import "github.com/loopx-dev/loopx-policy/engine/facts"

// Layout says on which lines the parts of a state file are, for a writer that changes one of them and keeps the rest. Lines
// count from 1 and end at LF, CRLF or CR, as in the document.
type Layout struct {
	Headings []Heading // those outside of code fences, in file order
	Blocks   []Block   // todo blocks in file order, archived ones included
}

// Heading is a heading of any level.
type Heading struct {
	Line  int
	Level int
	Title string
	// Section says that the heading starts a section of todos, and so ends the one before.
	Section bool
	// Role is that of the todo section which the heading starts: "user", "agent", "archive", else "".
	Role string
}

// Block is a todo block: its first line, and the indented lines that belong to it.
type Block struct {
	Todo     *facts.Todo
	Archived bool
	Line     int
	Last     int
	Metadata []int // its metadata comments
}

// Map parses a state file and says where its parts are.
func Map(name string, data []byte) (*Document, *Layout) {
	layout := &Layout{}
	doc := parse(name, data, layout)
	return doc, layout
}

// Metadata gives the tokens of a metadata comment, as written. It is false for any other line.
func Metadata(line string) (body string, ok bool) {
	if body, ok = metadata(line); body == "" {
		return "", false
	}
	return body, ok
}

func (l *Layout) heading(p *parser, level int, title string, section bool) {
	if l == nil {
		return
	}
	h := Heading{Line: p.line, Level: level, Title: title, Section: section}
	if section {
		h.Role = sectionRole(title)
	}
	l.Headings = append(l.Headings, h)
}

func (l *Layout) start(p *parser) {
	if l != nil {
		l.Blocks = append(l.Blocks, Block{
			Todo: p.block.todo, Archived: p.role == roleArchive, Line: p.line, Last: p.line,
		})
	}
}

// extend gives the line to the open block, which is always the newest one.
func (l *Layout) extend(p *parser) {
	if l != nil {
		l.Blocks[len(l.Blocks)-1].Last = p.line
	}
}

func (l *Layout) metadata(p *parser) {
	if l != nil {
		b := &l.Blocks[len(l.Blocks)-1]
		b.Metadata = append(b.Metadata, p.line)
	}
}

package goalstate

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/loopx-dev/loopx-policy/engine/facts"
)

// Document is what a state file says.
type Document struct {
	State    facts.State
	Todos    []*facts.Todo        // the active sections in file order
	Archived []facts.ArchivedTodo // terminal, with an explicit id
	Findings []facts.Finding      // scope "goal", goal id left to the caller
}

const (
	roleUser    = "user"
	roleAgent   = "agent"
	roleArchive = "archive"
)

// Parse reads a state file's bytes. The name is the file in State and Findings.
func Parse(name string, data []byte) *Document {
	return parse(name, data, nil)
}

func parse(name string, data []byte, layout *Layout) *Document {
	sum := sha256.Sum256(data)
	p := &parser{layout: layout, doc: &Document{
		State: facts.State{
			File: name, Exists: true, Front: map[string]string{},
			NextActions: []string{}, NextActionTodoIDs: []string{}, Malformed: []string{},
			SHA256: hex.EncodeToString(sum[:8]),
		},
		Todos: []*facts.Todo{},
	}}
	text := valid(string(data))
	text = strings.TrimPrefix(text, "\uFEFF")
	if strings.IndexByte(text, '\r') >= 0 {
		text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	}
	p.front(text)
	for rest := text; rest != ""; {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		p.line++
		p.read(line)
	}
	p.finish()
	return p.doc
}

type parser struct {
	doc     *Document
	line    int
	role    string // of the section being read, "" outside todo sections
	user    int    // blocks seen per role
	agent   int
	block   *block
	blocks  []*block
	inList  bool // the last unindented line that is not blank is a list item
	fence   fence
	next    nextAction
	badUser bool
	badTeam bool
	layout  *Layout // nil unless a writer wants to know where things are
}

// front reads `key: value` lines between the first two "---". The whole text is read for todos all the same, so that
// a horizontal rule on the first line cannot hide any.
func (p *parser) front(text string) {
	body, ok := strings.CutPrefix(text, "---")
	if !ok {
		return
	}
	body, _, ok = strings.Cut(body, "---")
	if !ok {
		return
	}
	for line := range strings.SplitSeq(body, "\n") {
		key, value, ok := strings.Cut(line, ":")
		if key = strings.TrimSpace(key); ok && key != "" {
			p.doc.State.Front[key] = strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
}

func (p *parser) read(line string) {
	indented := line != "" && (line[0] == ' ' || line[0] == '\t')
	blank := strings.TrimSpace(line) == ""
	if p.fence.open() && p.fence.inList && !indented && !blank {
		p.fence = fence{}
	}
	switch {
	case p.fence.open():
		p.inFence(line, indented)
	case p.fence.start(line, p.line, p.inList):
		if !indented {
			p.block, p.inList = nil, false
		}
		p.extend(line, indented)
	case blank:
	default:
		p.plain(line, indented)
	}
}

func (p *parser) inFence(line string, indented bool) {
	closed := p.fence.ends(line)
	if !closed && p.fence.hidden == 0 && p.hides(line) {
		p.fence.hidden = p.line
	}
	p.extend(line, indented)
	if closed {
		p.fence = fence{}
		return
	}
	p.next.fenced(line)
}

// hides says that a line means something to a reader that does not see the fence.
func (p *parser) hides(line string) bool {
	if title, ok := strings.CutPrefix(line, "## "); ok {
		return sectionRole(title) != ""
	}
	_, _, ok := task(line)
	return ok && p.role != ""
}

func (p *parser) plain(line string, indented bool) {
	if !indented {
		p.inList = isListItem(line)
		if line[0] == '#' && p.heading(line) {
			return
		}
	}
	p.next.read(line, indented)
	if p.role == "" {
		return
	}
	if marker, text, ok := task(line); ok {
		p.start(marker, text)
		return
	}
	if todoLike(line) {
		p.malformed(p.role)
	}
	switch {
	case indented:
		p.extend(line, true)
	case !strings.HasPrefix(line, "<!-- loopx:"): // in column 0 such a comment is ignored
		p.block = nil
	}
}

// heading handles a line that starts with '#' and says whether it was a heading.
func (p *parser) heading(line string) bool {
	level := len(line) - len(strings.TrimLeft(line, "#"))
	title := strings.TrimSpace(line[level:])
	if title != "" && !startsWithSpace(line[level:]) {
		return false
	}
	p.block = nil
	p.next.heading(level, title)
	p.layout.heading(p, level, title, strings.HasPrefix(line, "## "))
	if !strings.HasPrefix(line, "## ") {
		return true
	}
	p.role = sectionRole(title)
	section := &p.doc.State.UserSection
	switch p.role {
	case roleUser:
	case roleAgent:
		section = &p.doc.State.AgentSection
	default:
		return true
	}
	if *section == "" {
		*section = title
	}
	return true
}

// start opens a block in the section being read.
func (p *parser) start(marker byte, text string) {
	b := newBlock(marker, text, facts.Todo{Role: p.role, Line: p.line})
	switch p.role {
	case roleUser:
		p.user++
		b.todo.Index, b.todo.Section = p.user, p.doc.State.UserSection
	case roleAgent:
		p.agent++
		b.todo.Index, b.todo.Section = p.agent, p.doc.State.AgentSection
	}
	p.block = b
	p.blocks = append(p.blocks, b)
	p.layout.start(p)
}

// extend gives an indented line to the open block: metadata, or more text.
func (p *parser) extend(line string, indented bool) {
	if p.block == nil || !indented {
		return
	}
	line = strings.TrimSpace(line)
	if line == "" {
		return
	}
	p.layout.extend(p)
	if p.fence.open() {
		p.block.parts = append(p.block.parts, line)
		return
	}
	if strings.HasPrefix(line, "<!--") {
		if body, ok := metadata(line); ok {
			p.block.apply(body)
			p.layout.metadata(p)
			return
		}
		if strings.HasPrefix(strings.TrimSpace(line[len("<!--"):]), "loopx:") {
			p.malformed(p.role) // a metadata comment that is not closed on its line
		}
	}
	p.block.parts = append(p.block.parts, line)
}

func (p *parser) malformed(role string) {
	p.badUser = p.badUser || role == roleUser
	p.badTeam = p.badTeam || role == roleAgent
}

func (p *parser) finish() {
	if p.fence.open() && !p.fence.inList && p.fence.hidden > 0 {
		p.badUser, p.badTeam = true, true
		p.finding("state_fence_unclosed", "state.fence", p.fence.hidden,
			fmt.Sprintf("the code fence opened in line %d is never closed and hides todos from line %d on",
				p.fence.line, p.fence.hidden))
	}
	for _, b := range p.blocks {
		b.finish()
	}
	p.identify()
	state := &p.doc.State
	state.NextActions, state.NextActionTodoIDs, state.NextActionBinding = p.next.finish()
	if p.badTeam {
		state.Malformed = append(state.Malformed, roleAgent)
	}
	if p.badUser {
		state.Malformed = append(state.Malformed, roleUser)
	}
	slices.SortStableFunc(p.doc.Findings, func(a, b facts.Finding) int { return a.Line - b.Line })
}

func (p *parser) finding(code, rule string, line int, message string) {
	p.doc.Findings = append(p.doc.Findings, facts.Finding{
		Code: code, Scope: "goal", File: p.doc.State.File, Line: line, Rule: rule, Message: message,
	})
}

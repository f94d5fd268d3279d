package goalstate

import (
	"crypto/sha1" //nolint:gosec // the id format of LoopX, not a signature
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/loopx-dev/loopx-policy/engine/facts"
)

const (
	textRunes = 500
	rankNone  = 50
)

// block is one todo while it is being read.
type block struct {
	marker byte
	todo   *facts.Todo
	text   string   // the first line
	parts  []string // the lines that continue it
	full   string   // the text before it is cut; ids are made from it
	bad    badTimes
}

func newBlock(marker byte, text string, todo facts.Todo) *block {
	both := &struct {
		block
		todo facts.Todo
	}{block{marker: marker, text: text}, todo}
	both.block.todo = &both.todo
	return &both.block
}

// finish derives what depends on the whole block.
func (b *block) finish() {
	todo := b.todo
	if b.full = b.text; len(b.parts) > 0 {
		b.full += " " + strings.Join(b.parts, " ")
		b.parts = nil
	}
	b.full = collapse(b.full)
	todo.Text = cut(b.full, textRunes)
	todo.Title, todo.Priority, todo.Rank = priority(todo.Text)
	if todo.Status == "" {
		todo.Status = markerStatus(b.marker)
	} else if todo.StatusWritten == "" {
		expected := todo.Status
		if expected == "blocked" {
			expected = "open"
		}
		todo.MarkerMismatch = expected != markerStatus(b.marker)
	}
	todo.BadTimes = b.bad.names()
}

func markerStatus(marker byte) string {
	switch marker {
	case 'x', 'X':
		return "done"
	case '-':
		return "deferred"
	default:
		return "open"
	}
}

// priority splits a strict prefix [P0]…[P4], suffix allowed, from a text. Without one only the rank is known, from
// the first P0…P4 that stands alone.
func priority(text string) (title, label string, rank int) {
	if len(text) > 3 && text[0] == '[' && (text[1] == 'P' || text[1] == 'p') && isPriority(text[2]) && !isWordByte(text[3]) {
		if end := strings.IndexByte(text, ']'); end > 0 {
			label = collapse("P" + text[2:end])
			if title = strings.TrimSpace(text[end+1:]); title == "" {
				title = text
			}
			return title, label, int(text[2] - '0')
		}
	}
	for at := 0; at+1 < len(text); at++ {
		if text[at] == 'P' && isPriority(text[at+1]) && (at == 0 || !isWordByte(text[at-1])) &&
			(at+2 == len(text) || !isWordByte(text[at+2])) {
			return text, "", int(text[at+1] - '0')
		}
	}
	return text, "", rankNone
}

func isPriority(c byte) bool { return c >= '0' && c <= '4' }

// isWordByte takes every byte of a character beyond ASCII as part of a word.
func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// identify gives every block its id and sorts the blocks into active and archived todos.
func (p *parser) identify() {
	owner := make(map[string]*block, len(p.blocks))
	for _, b := range p.blocks { // active todos first: an archived copy never takes an id away
		if b.todo.Role != roleArchive && b.todo.ID != "" {
			p.claim(owner, b)
		}
	}
	for _, b := range p.blocks {
		if b.todo.Role == roleArchive {
			p.archive(owner, b)
			continue
		}
		if b.todo.ID == "" {
			p.generate(owner, b)
		}
		p.doc.Todos = append(p.doc.Todos, b.todo)
	}
}

func (p *parser) claim(owner map[string]*block, b *block) {
	if first := owner[b.todo.ID]; first != nil {
		p.duplicate(first, b, b.todo.ID)
		b.todo.ID = ""
		return
	}
	b.todo.ExplicitID = true
	owner[b.todo.ID] = b
}

func (p *parser) archive(owner map[string]*block, b *block) {
	todo := b.todo
	first := owner[todo.ID]
	switch {
	case todo.ID == "" || todo.Status != "done" && todo.Status != "deferred" || todo.StatusWritten != "":
		return
	case first == nil:
		owner[todo.ID] = b
	case first.todo.Role == roleArchive:
		return // the same terminal todo archived twice says nothing new
	default:
		p.duplicate(first, b, todo.ID)
		return
	}
	p.doc.Archived = append(p.doc.Archived, facts.ArchivedTodo{
		ID: todo.ID, Status: todo.Status, NoFollowup: todo.NoFollowup != nil && *todo.NoFollowup,
	})
}

// generate makes the id of a block without one (state-files.md 3.6). A copy of a block that was stamped with the same
// id is a duplicate; it gets another id, so that ids stay unique.
func (p *parser) generate(owner map[string]*block, b *block) {
	todo := b.todo
	seed := todo.Role + "|" + todo.Section + "|" + strconv.Itoa(todo.Index) + "|" + b.full
	for copies := 1; ; copies++ {
		sum := sha1.Sum([]byte(seed)) //nolint:gosec // see the import
		id := "todo_" + hex.EncodeToString(sum[:6])
		first := owner[id]
		if first == nil {
			todo.ID = id
			owner[id] = b
			return
		}
		if copies == 1 && first.todo.Role != roleArchive {
			p.duplicate(first, b, id)
		}
		seed += "|" + strconv.Itoa(copies)
	}
}

func (p *parser) duplicate(first, again *block, id string) {
	p.malformed(first.todo.Role)
	p.malformed(again.todo.Role)
	p.finding("todo_id_duplicate", "todo.id.duplicate", again.todo.Line,
		fmt.Sprintf("todo id %s of line %d is used again", id, first.todo.Line))
}

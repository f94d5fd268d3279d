package statefile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/loopx-dev/loopx-policy/engine/facts/goalstate"
)

// Edit is one change of a state file. Values are plain text; they are encoded when they are written.
type Edit struct {
	Op string `json:"op"` // "add", "edit", "archive" or "next_action"

	// add: a new block at the end of the role's first section.
	Role     string            `json:"role,omitempty"`
	Text     string            `json:"text,omitempty"` // edit: replaces the text when it is not empty
	Marker   string            `json:"marker,omitempty"`
	Metadata map[string]string `json:"metadata,omitempty"`

	// edit: changes of one block.
	TodoID string            `json:"todo_id,omitempty"` // next_action: the todo that the section is bound to
	Set    map[string]string `json:"set,omitempty"`
	Unset  []string          `json:"unset,omitempty"`

	// archive: blocks that move to the archive section, in this order.
	TodoIDs []string `json:"todo_ids,omitempty"`

	// next_action: the new entries of the section.
	Lines []string `json:"lines,omitempty"`
}

// ErrNoTodo says that no block has the id that an edit names.
var ErrNoTodo = errors.New("no todo has this id")

// ErrTaken says that a new todo has an id that another block has, which would stop the goal.
var ErrTaken = errors.New("another todo has this id")

// ErrHidden says that the file would not show what was written, such as below a code fence that nobody closed.
var ErrHidden = errors.New("the structure of the file would hide the change")

// Apply gives the bytes of a state file after the edits, in order. UpdatedAt goes into the front matter unless it is empty.
func Apply(data []byte, edits []Edit, updatedAt string) ([]byte, error) {
	for i, edit := range edits {
		next, err := apply(data, edit)
		if err == nil {
			err = verify(data, next, edit)
		}
		if err != nil {
			return nil, fmt.Errorf("edit %d (%s): %w", i+1, edit.Op, err)
		}
		data = next
	}
	if updatedAt == "" || len(edits) == 0 {
		return data, nil
	}
	return touch(data, updatedAt), nil
}

// verify reads the file as a reader will: every todo that had an id of its own must still be there, and so must a new one.
func verify(before, after []byte, edit Edit) error {
	was, _ := goalstate.Map("", before)
	is, _ := goalstate.Map("", after)
	want := len(was.Todos)
	switch edit.Op {
	case "add":
		want++
	case "archive":
		want -= len(edit.TodoIDs)
	}
	if len(is.Todos) != want {
		return ErrHidden
	}
	ids := make(map[string]bool, len(is.Todos))
	for _, todo := range is.Todos {
		ids[todo.ID] = true
	}
	for _, todo := range was.Todos {
		if todo.ExplicitID && !ids[todo.ID] && !slices.Contains(edit.TodoIDs, todo.ID) {
			return ErrHidden
		}
	}
	if id := edit.Metadata["todo_id"]; edit.Op == "add" && id != "" && !ids[id] {
		return ErrHidden
	}
	return nil
}

func apply(data []byte, edit Edit) ([]byte, error) {
	switch edit.Op {
	case "add":
		return add(data, edit)
	case "edit":
		return change(data, edit)
	case "archive":
		return archive(data, edit.TodoIDs)
	case "next_action":
		return nextAction(data, edit)
	default:
		return nil, errors.New("unknown operation")
	}
}

// sections are the headings that are written and where a missing section goes: before the first of these, else at the end.
var sections = map[string]struct {
	heading string
	before  []string
}{
	"user":    {"User Todo / Owner Review Reading Queue", []string{"agent", nextHeading}},
	"agent":   {"Agent Todo", []string{nextHeading}},
	"archive": {"Completed Work Archive", nil},
	"next":    {nextHeading, []string{"Recent User Feedback", "Progress Ledger", "Operating Lessons", "archive"}},
}

const nextHeading = "Next Action"

func add(data []byte, edit Edit) ([]byte, error) {
	if edit.Role != "user" && edit.Role != "agent" {
		return nil, fmt.Errorf("role %q has no section", edit.Role)
	}
	text := collapse(edit.Text)
	if text == "" {
		return nil, errors.New("a todo needs a text")
	}
	marker, err := markerOf(edit.Marker)
	if err != nil {
		return nil, err
	}
	comment, err := comment(edit.Metadata)
	if err != nil {
		return nil, err
	}
	block := []string{"- [" + marker + "] " + text}
	if comment != "" {
		block = append(block, "  "+comment)
	}
	f := open(data)
	if id := edit.Metadata["todo_id"]; f.has(id) {
		return nil, fmt.Errorf("%s: %w", id, ErrTaken)
	}
	f.insert(f.sectionEnd(edit.Role), block)
	return f.bytes(), nil
}

func markerOf(marker string) (string, error) {
	switch marker {
	case "", " ":
		return " ", nil
	case "x", "X", "-":
		return marker, nil
	default:
		return "", fmt.Errorf("%q is no marker of a todo", marker)
	}
}

func change(data []byte, edit Edit) ([]byte, error) {
	f := open(data)
	block := f.block(edit.TodoID)
	if block == nil {
		return nil, fmt.Errorf("%s: %w", edit.TodoID, ErrNoTodo)
	}
	set := map[string]string{}
	unset := slices.Clone(edit.Unset)
	for key, value := range edit.Set {
		if collapse(value) == "" {
			unset = append(unset, key) // readers take an empty value as absent
			continue
		}
		set[key] = value
	}
	if !block.Todo.ExplicitID {
		set["todo_id"] = block.Todo.ID // a generated id would change with the text
	}
	line := block.Line // whatever changes is on it or below
	if edit.Marker != "" {
		marker, err := markerOf(edit.Marker)
		if err != nil {
			return nil, err
		}
		f.mark(line, marker)
	}
	if err := f.metadata(block, set, unset); err != nil {
		return nil, err
	}
	if text := collapse(edit.Text); text != "" {
		f = open(f.bytes())
		f.retext(f.blockAt(line), text)
	}
	return f.bytes(), nil
}

// archive moves blocks to the archive section. An id that nobody wrote down is written down first: elsewhere the generated
// one would be another.
func archive(data []byte, ids []string) ([]byte, error) {
	for _, id := range ids {
		f := open(data)
		block := f.block(id)
		if block == nil {
			return nil, fmt.Errorf("%s: %w", id, ErrNoTodo)
		}
		if !block.Todo.ExplicitID {
			before := len(f.lines)
			if err := f.metadata(block, map[string]string{"todo_id": id}, nil); err != nil {
				return nil, err
			}
			block.Last += len(f.lines) - before
		}
		moved := f.cut(block.Line, block.Last)
		f = open(f.bytes())
		f.insert(f.sectionEnd("archive"), moved)
		data = f.bytes()
	}
	return data, nil
}

// nextAction replaces the entries of the Next Action section. Comments that do not bind it to a todo stay.
func nextAction(data []byte, edit Edit) ([]byte, error) {
	var body []string
	for _, line := range edit.Lines {
		line = strings.TrimRight(line, " \t\r\n")
		if strings.ContainsAny(line, "\r\n") {
			return nil, errors.New("an entry is one line")
		}
		if strings.HasPrefix(strings.TrimLeft(line, " \t"), "#") {
			return nil, errors.New("an entry is no heading")
		}
		if line != "" && !isItem(line) {
			line = "- " + line
		}
		body = append(body, line)
	}
	if edit.TodoID != "" {
		body = append(body, "<!-- loopx:next-action schema=loopx_next_action_binding_v0 todo_id="+encode(edit.TodoID)+" -->")
	}
	f := open(data)
	at := slices.IndexFunc(f.layout.Headings, func(h goalstate.Heading) bool {
		return h.Level >= 2 && strings.EqualFold(h.Title, nextHeading)
	})
	if at < 0 {
		f.insert(f.newSection("next"), body)
		return f.bytes(), nil
	}
	first, last := f.layout.Headings[at].Line+1, len(f.lines)
	if at+1 < len(f.layout.Headings) {
		last = f.layout.Headings[at+1].Line - 1
	}
	for first <= last && f.blank(first) {
		first++
	}
	for last >= first && f.blank(last) {
		last--
	}
	if first > last { // an empty section
		f.insert(f.layout.Headings[at].Line, append([]string{""}, body...))
		return f.bytes(), nil
	}
	f.replace(first, last, append(body, f.comments(first, last)...))
	return f.bytes(), nil
}

// isItem tells whether a line is a list item or the continuation of one.
func isItem(line string) bool {
	switch line[0] {
	case ' ', '\t':
		return true
	case '-', '*':
		return len(line) > 1 && (line[1] == ' ' || line[1] == '\t')
	}
	digits := 0
	for digits < len(line) && line[digits] >= '0' && line[digits] <= '9' {
		digits++
	}
	return digits > 0 && digits+1 < len(line) && (line[digits] == '.' || line[digits] == ')') && line[digits+1] == ' '
}

func collapse(text string) string { return strings.Join(strings.Fields(text), " ") }

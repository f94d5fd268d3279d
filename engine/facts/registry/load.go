package registry

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/jsontree"
	"github.com/loopx-dev/loopx-policy/engine/facts/safefile"
)

// MaxBytes is the largest registry that is read. A thousand goals with full profiles take about 3 MB.
const MaxBytes = 64 << 20

// globalRole marks the shared projection (state-files.md 1.4).
const globalRole = "global-local"

// File is a registry as read.
type File struct {
	Name              string // as given
	Exists            bool
	Global            bool // the shared projection, not a project's own registry
	CommonRuntimeRoot string
	// Goals holds one row for every readable id, in file order. Of two rows with one id the first is kept.
	Goals []Goal
	// Findings are contract errors of the registry, in file order.
	Findings []facts.Finding
	// Raw and Tree are the file itself, for a writer that changes one value and keeps the rest. Nil when missing.
	Raw  []byte
	Tree *jsontree.Node

	byID map[string]int
}

// Goal is a registry row with what only readers of the files need.
type Goal struct {
	facts.Goal
	Line int
	// StateFileLine is the line of state_file, 0 when it is missing.
	StateFileLine int
	BadID         bool   // the id is not one path segment: no path may be built from it
	EventLog      string // state_event_log or one of its aliases
	Node          *jsontree.Node
}

// Goal looks a row up by id; nil when the registry does not list it.
func (f *File) Goal(id string) *Goal {
	if i, ok := f.byID[id]; ok {
		return &f.Goals[i]
	}
	return nil
}

// ValidGoalID tells whether id is one path segment (state-files.md 1.3).
func ValidGoalID(id string) bool {
	return id != "" && id != "." && id != ".." &&
		!strings.ContainsFunc(id, func(r rune) bool { return r == '/' || r == '\\' || r < ' ' || r == 0x7f })
}

// Load reads the registry at path. A missing file is an empty registry with one finding of scope global.
func Load(path string) (*File, error) { return load(path, path) }

func load(name, path string) (*File, error) {
	data, err := safefile.Read(path, MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return &File{Name: name, Findings: []facts.Finding{{
			Code: "registry_missing", Scope: "global", File: name,
			Message: fmt.Sprintf("registry %s does not exist", name),
		}}}, nil
	}
	if err != nil {
		return nil, facts.ReadError(name, err)
	}
	return Parse(name, data)
}

// Check tells why the registry at path cannot be used; a missing one can.
func Check(path string) error {
	data, err := safefile.Read(path, MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return facts.ReadError(path, err)
	}
	_, _, err = root(path, data)
	return err
}

// Parse reads a registry from memory; name stands in findings and errors.
func Parse(name string, data []byte) (*File, error) {
	tree, goals, err := root(name, data)
	if err != nil {
		return nil, err
	}
	f := &File{Name: name, Exists: true, Raw: data, Tree: tree, byID: map[string]int{}}
	f.Global = textOf(tree.Get("registry_role")) == globalRole
	if err := f.readRoot(tree.Get("common_runtime_root")); err != nil {
		return nil, err
	}
	f.duplicateTopKeys(tree)
	if goals != nil {
		f.Goals = make([]Goal, 0, len(goals.Items))
		for i, item := range goals.Items {
			f.addRow(i, item)
		}
	}
	f.sharedStateFiles()
	slices.SortStableFunc(f.Findings, func(a, b facts.Finding) int { return a.Line - b.Line })
	return f, nil
}

// root reads the tree and its list of goals, nil when there is none.
func root(name string, data []byte) (tree, goals *jsontree.Node, err error) {
	if tree, err = jsontree.Parse(data); err != nil {
		return nil, nil, syntaxError(name, err)
	}
	if tree.Kind != jsontree.Object {
		return nil, nil, &facts.Error{
			Code: facts.CodeShape, File: name, Line: tree.Line,
			Message: fmt.Sprintf("a registry is an object, this file holds %s", tree.Kind),
		}
	}
	if goals = tree.Get("goals"); goals != nil && goals.Kind != jsontree.Array {
		return nil, nil, &facts.Error{
			Code: facts.CodeShape, File: name, Line: goals.Line,
			Message: fmt.Sprintf("goals must be a list, not %s", goals.Kind),
		}
	}
	return tree, goals, nil
}

func syntaxError(name string, err error) error {
	var syntax *jsontree.Error
	if errors.As(err, &syntax) {
		return &facts.Error{
			Code: facts.CodeInvalidJSON, File: name, Line: syntax.Line, Message: syntax.Message,
			Hint: "repair the file; nothing is decided from a registry that cannot be read",
		}
	}
	return &facts.Error{Code: facts.CodeInvalidJSON, File: name, Message: "is not valid JSON", Err: err}
}

func (f *File) readRoot(n *jsontree.Node) error {
	if n == nil || n.Kind == jsontree.Null {
		return nil
	}
	if n.Kind != jsontree.String || strings.ContainsRune(n.Text, 0) {
		return &facts.Error{
			Code: facts.CodeShape, File: f.Name, Line: n.Line,
			Message: fmt.Sprintf("common_runtime_root must be a path, not %s", n.Kind),
		}
	}
	f.CommonRuntimeRoot = strings.TrimSpace(n.Text)
	return nil
}

// duplicateTopKeys reports repeated keys outside the goal rows; they belong to nobody, so they stop every goal.
func (f *File) duplicateTopKeys(tree *jsontree.Node) {
	report := func(m *jsontree.Member) {
		if m.Duplicate {
			f.global("registry_key_duplicate", m.Line, "key %q appears twice", m.Key)
		}
	}
	for i := range tree.Members {
		m := &tree.Members[i]
		report(m)
		if m.Key != "goals" {
			m.Value.Walk(report)
		}
	}
}

func (f *File) global(code string, line int, format string, args ...any) {
	f.Findings = append(f.Findings, facts.Finding{
		Code: code, Scope: "global", File: f.Name, Line: line, Message: fmt.Sprintf(format, args...),
	})
}

// addRow reads one entry of goals.
func (f *File) addRow(index int, item *jsontree.Node) {
	if item.Kind != jsontree.Object {
		f.global("registry_goal_not_object", item.Line, "goal %d is %s, want an object", index+1, item.Kind)
		return
	}
	id := item.Get("id")
	if id == nil || id.Kind != jsontree.String || id.Text == "" {
		f.global("registry_goal_id_missing", item.Line, "goal %d has no id", index+1)
		return
	}
	r := &row{file: f, node: item, goal: Goal{Line: item.Line, Node: item}}
	r.goal.ID = id.Text
	if first, ok := f.byID[id.Text]; ok {
		r.finding("registry_goal_id_duplicate", "", id.Line,
			"goal id %q is used twice, first on line %d", id.Text, f.Goals[first].Line)
		return
	}
	if !ValidGoalID(id.Text) {
		r.goal.BadID = true
		r.finding("registry_goal_id_invalid", "", id.Line, "goal id %q is not one path segment", id.Text)
	}
	r.read()
	f.byID[id.Text] = len(f.Goals)
	f.Goals = append(f.Goals, r.goal)
}

// sharedStateFiles reports a state file that two goals use.
func (f *File) sharedStateFiles() {
	users := map[string][]int{}
	for i := range f.Goals {
		if g := &f.Goals[i]; g.StateFile != "" {
			at := g.StateFile
			if !filepath.IsAbs(at) {
				at = filepath.Join(g.Repo, at)
			}
			users[filepath.Clean(at)] = append(users[filepath.Clean(at)], i)
		}
	}
	for _, rows := range users {
		if len(rows) < 2 {
			continue
		}
		ids := make([]string, len(rows))
		for i, row := range rows {
			ids[i] = f.Goals[row].ID
		}
		slices.Sort(ids)
		last := &f.Goals[rows[len(rows)-1]]
		f.Findings = append(f.Findings, facts.Finding{
			Code: "registry_state_file_shared", Scope: "goals", GoalIDs: ids, File: f.Name, Line: last.StateFileLine,
			Message: fmt.Sprintf("state file %s is used by goals %s", last.StateFile, strings.Join(ids, ", ")),
		})
	}
}

func textOf(n *jsontree.Node) string {
	if n == nil || n.Kind != jsontree.String {
		return ""
	}
	return n.Text
}

package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/jsontree"
	"github.com/loopx-dev/loopx-policy/engine/facts/registry"
	"github.com/loopx-dev/loopx-policy/engine/store/jsonedit"
)

const maxRegistryBytes = registry.MaxBytes

// goalOrder is the order of the keys of a goal row as bootstrap writes them. Others follow by name.
var goalOrder = []string{
	"id", "domain", "display_name", "status", "role", "parent_goal_id", "repo", "state_file", "authority_sources", "adapter",
	"kind", "spawn_policy", "coordination", "execution_profile", "next_probe", "guards", "quota",
}

// local is how runs, todos and registries write a time: whole seconds with the offset.
func local(t time.Time) string { return t.Format("2006-01-02T15:04:05-07:00") }

// rowOf finds the row of a goal, nil when there is none.
func rowOf(root *jsontree.Node, goal string) (row *jsontree.Node, index int) {
	goals := root.Get("goals")
	if goals == nil {
		return nil, -1
	}
	index = slices.IndexFunc(goals.Items, func(n *jsontree.Node) bool { return n.Str("id") == goal })
	if index < 0 {
		return nil, -1
	}
	return goals.Items[index], index
}

func (b *batch) editRegistry(e *EditRegistry) error {
	return b.own(e.GoalID, func() error {
		if b.tx.targets.SourceRegistry == "" {
			return &facts.Error{Code: codeSource, Message: b.tx.sourceProblem()}
		}
		data, o, err := b.load(b.tx.targets.SourceRegistry, maxRegistryBytes)
		if err != nil {
			return fmt.Errorf("registry: %w", err)
		}
		row := digest(nil)
		if root, err := jsontree.Parse(data); err == nil && o.next == nil {
			if n, _ := rowOf(root, e.GoalID); n != nil {
				row = digest(data[n.Start:n.End])
			}
		}
		if e.Digest == "" || e.Digest != o.Before && e.Digest != row {
			return fmt.Errorf("registry: %w", ErrChanged)
		}
		at := local(b.tx.options.Now)
		next, err := editRow(data, e.GoalID, e.Set, e.Unset, at)
		if err != nil {
			return fmt.Errorf("registry: %w", err)
		}
		b.receipt.add("registry_digest", digest(next))
		if digest(next) != digest(data) {
			b.keep("registry", o, next, redo{GoalID: e.GoalID, Set: e.Set, Unset: e.Unset, At: at})
		}
		return nil
	})
}

// editRow changes values of a goal's row, and updated_at of the registry when it has one.
func editRow(data []byte, goal string, set []SetValue, unset [][]string, at string) ([]byte, error) {
	row := func(root *jsontree.Node) *jsontree.Node { n, _ := rowOf(root, goal); return n }
	start := data
	var err error
	for _, s := range set {
		if len(s.Path) > 0 && s.Path[0] == "id" {
			return nil, errors.New("the id of a goal stays")
		}
		if data, err = jsonedit.Set(data, row, s.Path, s.Value); err != nil {
			return nil, fmt.Errorf("%s: %w", strings.Join(s.Path, "."), err)
		}
	}
	for _, path := range unset {
		if data, err = jsonedit.Unset(data, row, path); err != nil {
			return nil, fmt.Errorf("%s: %w", strings.Join(path, "."), err)
		}
	}
	if digest(start) == digest(data) {
		return data, nil
	}
	return touch(data, at)
}

// touch brings updated_at of a registry up to date when it has one.
func touch(data []byte, at string) ([]byte, error) {
	root, err := jsontree.Parse(data)
	if err != nil {
		return nil, err
	}
	if root.Get("updated_at") == nil {
		return data, nil
	}
	text, err := json.Marshal(at)
	if err != nil {
		return nil, err
	}
	return jsonedit.Set(data, nil, []string{"updated_at"}, text)
}

func (b *batch) addGoal(e *AddGoal) error {
	t := b.tx
	node, err := jsontree.Parse(e.Row)
	if err != nil || node.Kind != jsontree.Object {
		return errors.New("goal: the row is no object")
	}
	return b.own(node.Str("id"), func() error {
		if t.targets.SourceRegistry == "" {
			return &facts.Error{Code: codeSource, Message: t.sourceProblem()}
		}
		place, err := t.newStateFile(node.Str("repo"), e.StateFile)
		if err != nil {
			return err
		}
		if exists(place) {
			return fmt.Errorf("state file: %w", ErrChanged) // the rules refuse a file that is there
		}
		data, o, err := b.load(t.targets.SourceRegistry, maxRegistryBytes)
		if err != nil {
			return fmt.Errorf("registry: %w", err)
		}
		row, err := jsonedit.Sort(e.Row, goalOrder)
		if err != nil {
			return err
		}
		if o.Before == "" {
			if data, err = t.newRegistry(); err != nil {
				return err
			}
		}
		next, err := withRow(data, node.Str("id"), row)
		if err == nil {
			next, err = touch(next, local(t.options.Now))
		}
		if err != nil {
			return fmt.Errorf("registry: %w", err)
		}
		b.creates = append(b.creates, &op{Kind: opCreate, Step: "state", Path: place, Data: []byte(e.StateFileText), mode: newFile})
		b.keep("registry", o, next, redo{})
		b.receipt.add("state_file_digest", digest([]byte(e.StateFileText)))
		return nil
	})
}

// withRow adds a row for a goal that has none.
func withRow(data []byte, goal string, row json.RawMessage) ([]byte, error) {
	root, err := jsontree.Parse(data)
	if err != nil {
		return nil, err
	}
	if have, _ := rowOf(root, goal); have != nil {
		return nil, ErrChanged
	}
	if root.Get("goals") == nil {
		if data, err = jsonedit.Set(data, nil, []string{"goals"}, json.RawMessage("[]")); err != nil {
			return nil, err
		}
		if root, err = jsontree.Parse(data); err != nil {
			return nil, err
		}
	}
	goals := root.Get("goals")
	if goals.Kind != jsontree.Array {
		return nil, errors.New("goals is no list")
	}
	return jsonedit.AppendItem(data, goals, row)
}

func (t *tx) newRegistry() ([]byte, error) {
	root, err := json.Marshal(t.targets.RuntimeRoot)
	if err != nil {
		return nil, err
	}
	return jsonedit.Pretty(fmt.Appendf(nil, `{"schema_version":"0.1","updated_at":%q,"common_runtime_root":%s,"goals":[]}`,
		local(t.options.Now), root))
}

// newStateFile is where the state file of a new goal goes: inside its project.
func (t *tx) newStateFile(repo, name string) (string, error) {
	root := t.absolute(repo)
	if name == "" || filepath.IsAbs(name) || !filepath.IsLocal(name) || !filepath.IsAbs(root) {
		return "", errors.New("state file: must lie inside the project")
	}
	return filepath.Join(root, name), nil
}

// absolute gives a path of a row as the readers of this program open it.
func (t *tx) absolute(path string) string {
	if path == "~" || strings.HasPrefix(path, "~/") {
		path = filepath.Join(t.targets.Home, path[1:])
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(t.targets.Dir, path)
	}
	return path
}

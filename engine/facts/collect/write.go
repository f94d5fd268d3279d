package collect

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/goalstate"
	"github.com/loopx-dev/loopx-policy/engine/facts/history"
	"github.com/loopx-dev/loopx-policy/engine/facts/projectmap"
	"github.com/loopx-dev/loopx-policy/engine/facts/registry"
	"github.com/loopx-dev/loopx-policy/engine/facts/workspace"
)

// WriteFacts reads what only a writing command needs to know, as input.write says. It judges nothing and writes nothing.
func (c *Collector) WriteFacts(ctx context.Context, in *facts.Input, _ time.Time) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if in.Write == nil {
		return nil
	}
	if err := c.ledgerFacts(in.Write); err != nil {
		return err
	}
	private, err := c.privateArguments(in.Write)
	if err != nil {
		return err
	}
	in.Write.Private = private
	if in.Write.Goal != nil && in.Goal != nil {
		in.Source = c.source(in.Goal)
	}
	if init := in.Write.Init; init != nil {
		in.Write.Init = c.initFacts(*init, in.Request.GoalID)
	}
	if todo := in.Write.Todo; todo != nil && todo.TodoID != "" && in.Goal != nil {
		asked := *todo
		asked.Validation = c.validation(in.Goal, strings.ToLower(strings.TrimSpace(todo.TodoID)))
		in.Write.Todo = &asked
	}
	if doctor := in.Write.Doctor; doctor != nil {
		tried := *doctor
		tried.Trials = append(slices.Clip(doctor.Trials), c.writable()...)
		in.Write.Doctor = &tried
	}
	if asked := in.Write.History; asked != nil && asked.Check != nil && in.Goal != nil {
		check, err := history.Inspect(ctx, filepath.Join(c.root, "goals", in.Goal.ID, "runs"), in.Goal.ID, c.route.Path(in.Goal.Repo))
		if err != nil {
			return err
		}
		in.Write.History = &facts.HistoryWrite{Limit: asked.Limit, Check: check}
	}
	if refresh := in.Write.Refresh; refresh != nil {
		if in.Write.Refresh, err = c.refreshFacts(ctx, *refresh, in); err != nil {
			return err
		}
	}
	in.Fill()
	return nil
}

// sectionLines is how much of a section of the state file goes into a record (state-files.md 3.2).
const sectionLines = 8

// refreshFacts reads what a refresh or a map records besides the state.
func (c *Collector) refreshFacts(ctx context.Context, refresh facts.RefreshWrite, in *facts.Input) (*facts.RefreshWrite, error) {
	if in.Goal == nil {
		return &refresh, nil
	}
	project := c.route.Path(in.Goal.Repo)
	file := c.route.Expand(in.Goal.StateFile)
	refresh.Feedback = goalstate.Section(project, file, "Recent User Feedback", sectionLines)
	refresh.Progress = goalstate.Section(project, file, "Progress Ledger", sectionLines)
	refresh.Checkout = checkout(c.route.Path(cmp.Or(refresh.WorkspacePath, ".")), project)
	if refresh.Map == nil {
		return &refresh, nil
	}
	outline, err := projectmap.Read(ctx, project)
	refresh.Map = outline
	return &refresh, err
}

// checkout says what a directory is to git, beside the checkout that the goal is registered with.
func checkout(dir, project string) facts.Checkout {
	info, err := os.Stat(dir)
	out := facts.Checkout{Directory: err == nil && info.IsDir()}
	found, ok := workspace.Read(dir)
	if !out.Directory || !ok {
		return out
	}
	registered, _ := workspace.Read(project)
	out.Git, out.Linked, out.Repository = true, found.Linked, found.Repository
	out.Canonical = found.Root == registered.Root
	return out
}

// validation is the stored validation of a todo, nil when it has none.
func (c *Collector) validation(goal *facts.Goal, todoID string) *facts.Validation {
	keys := goalstate.Lookup(c.route.Path(goal.Repo), c.route.Expand(goal.StateFile), todoID)
	out := &facts.Validation{
		Command: keys["validation_command"], Argv: keys["validation_command_argv"], TimeoutSeconds: keys["validation_timeout_seconds"],
	}
	if out.Command == "" && out.Argv == "" {
		return nil
	}
	return out
}

// writeAccess asks whether a path may be written (W_OK).
const writeAccess = 2

// writable tries whether commands could write where they have to. It makes no file.
func (c *Collector) writable() []facts.Trial {
	trial := func(name, path string) facts.Trial {
		for {
			if _, err := os.Lstat(path); err == nil || filepath.Dir(path) == path {
				break
			}
			path = filepath.Dir(path) // what would have to be made
		}
		return facts.Trial{Name: name, OK: syscall.Access(path, writeAccess) == nil}
	}
	return []facts.Trial{
		trial("runtime_root", c.root),
		trial("shared_registry", filepath.Join(c.root, registry.GlobalName)),
	}
}

// initFacts looks at the place where a new goal goes.
func (c *Collector) initFacts(init facts.InitWrite, goalID string) *facts.InitWrite {
	project := c.route.Path(cmp.Or(init.Project, "."))
	init.Repo = absolute(project)
	info, err := os.Stat(project)
	init.ProjectExists = err == nil && info.IsDir()
	init.StateFile = filepath.Join(".codex", "goals", goalID, "ACTIVE_GOAL_STATE.md")
	_, err = os.Lstat(filepath.Join(project, init.StateFile))
	init.StateFileExists = !errors.Is(err, fs.ErrNotExist)
	if shared, err := registry.Load(filepath.Join(c.root, registry.GlobalName)); err == nil {
		if row := shared.Goal(goalID); row != nil && row.SourceRegistry != absolute(c.route.Path(c.file.Name)) {
			init.SharedSource = cmp.Or(row.SourceRegistry, shared.Name)
		}
	}
	return &init
}

func absolute(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}

// source reads the row of a goal where it is owned: in the opened registry, or in the one that the shared projection
// names.
func (c *Collector) source(goal *facts.Goal) *facts.Source {
	file := c.file
	out := &facts.Source{Registry: file.Name, Row: map[string]any{}}
	if file.Global {
		if goal.SourceRegistry == "" {
			out.Problem = fmt.Sprintf("the shared registry does not say which registry owns goal %s", goal.ID)
			return out
		}
		out.Registry = goal.SourceRegistry
		owner, err := registry.Load(c.route.Path(goal.SourceRegistry))
		switch {
		case err != nil:
			out.Problem = err.Error()
			return out
		case owner.Goal(goal.ID) == nil:
			out.Problem = fmt.Sprintf("registry %s does not list goal %s", goal.SourceRegistry, goal.ID)
			return out
		}
		file = owner
	}
	out.Digest = digest(file.Raw)
	out.Row = rawRow(file.Raw, goal.ID)
	return out
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// rawRow gives the row of a goal as written. The registry was read before, so its text is valid.
func rawRow(data []byte, id string) map[string]any {
	var file struct {
		Goals []json.RawMessage `json:"goals"`
	}
	_ = json.Unmarshal(data, &file) // valid, see above
	for _, text := range file.Goals {
		row := map[string]any{}
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		if decoder.Decode(&row) == nil && row["id"] == id {
			return row
		}
	}
	return map[string]any{}
}

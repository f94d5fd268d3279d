package collect

import (
	"fmt"
	"path/filepath"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/registry"
)

// Targets names the files that a write for the goal of a request may change.
func (c *Collector) Targets(request facts.Request) (facts.Targets, error) {
	t := facts.Targets{GoalID: request.GoalID, AgentID: registry.AgentToken(request.AgentID), Home: c.route.Home}
	opened := ""
	for _, place := range []struct {
		to   *string
		path string
	}{
		{&t.RuntimeRoot, c.root}, {&t.Dir, c.route.Dir}, {&opened, c.route.Path(c.file.Name)},
		{&t.GlobalRegistry, filepath.Join(c.root, registry.GlobalName)},
	} {
		absolute, err := filepath.Abs(place.path)
		if err != nil {
			return t, fmt.Errorf("files of goal %s: %w", request.GoalID, err)
		}
		*place.to = absolute
	}
	row := c.file.Goal(request.GoalID)
	if !c.file.Global {
		t.SourceRegistry = opened
	}
	if row == nil || row.BadID {
		if c.file.Global {
			t.SourceProblem = "the shared registry does not list this goal"
		}
		return t, nil
	}
	t.Registered = true
	if row.StateFile != "" {
		if state := c.stateFile(row); filepath.IsAbs(state) {
			t.StateFile = state
		}
	}
	if c.file.Global {
		source := c.source(&row.Goal)
		if t.SourceProblem = source.Problem; t.SourceProblem == "" {
			t.SourceRegistry = filepath.Join(t.Dir, source.Registry)
			if path := c.route.Path(source.Registry); filepath.IsAbs(path) {
				t.SourceRegistry = path
			}
		}
	}
	return t, nil
}

// stateFile is the place of a goal's state file, "" when it would lie outside of the project.
func (c *Collector) stateFile(row *registry.Goal) string {
	path := c.route.Expand(row.StateFile)
	if filepath.IsAbs(path) {
		return path
	}
	if row.Repo == "" || !filepath.IsLocal(path) {
		return ""
	}
	project, err := filepath.Abs(c.route.Path(row.Repo))
	if err != nil {
		return ""
	}
	return filepath.Join(project, path)
}

// Again gives a collector that reads the registry anew, as a writer must once it holds the locks.
func (c *Collector) Again() (*Collector, error) {
	file, err := registry.Reload(c.route)
	if err != nil {
		return nil, err
	}
	return New(c.route, file, c.settings).WithEnv(c.env).WithFindings(c.extra), nil
}

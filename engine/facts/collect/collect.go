package collect

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/eventlog"
	"github.com/loopx-dev/loopx-policy/engine/facts/goalstate"
	"github.com/loopx-dev/loopx-policy/engine/facts/history"
	"github.com/loopx-dev/loopx-policy/engine/facts/host"
	"github.com/loopx-dev/loopx-policy/engine/facts/inbox"
	"github.com/loopx-dev/loopx-policy/engine/facts/promotion"
	"github.com/loopx-dev/loopx-policy/engine/facts/registry"
	"github.com/loopx-dev/loopx-policy/engine/facts/scheduler"
)

// Collector reads the facts of one opened registry. Its methods may be called from several goroutines at once. What
// all goals share is read once, so a collector serves one decision or plan, not a running server.
type Collector struct {
	route    registry.Route
	file     *registry.File
	root     string // the runtime root as it is opened
	settings Settings
	env      func(string) string

	shared    []facts.Finding // of the registries
	extra     []facts.Finding // of what else was read
	promotion func() *facts.Promotion
	history   *history.Reader
}

// New makes a collector for an opened registry.
func New(route registry.Route, file *registry.File, settings Settings) *Collector {
	c := &Collector{
		route: route, file: file, root: route.Path(route.RuntimeRoot), settings: settings, env: os.Getenv,
		history: history.NewReader(settings.History),
	}
	c.shared = slices.Clip(file.Findings)
	if finding, ok := c.globalHealth(); ok {
		c.shared = append(c.shared, finding)
	}
	c.promotion = sync.OnceValue(func() *facts.Promotion {
		return promotion.Read(c.root, settings.Release)
	})
	return c
}

// WithEnv replaces the environment that names the host's directories.
func (c *Collector) WithEnv(env func(string) string) *Collector {
	c.env = env
	return c
}

// WithFindings adds findings that concern more than one goal, such as those of a scan.
func (c *Collector) WithFindings(findings []facts.Finding) *Collector {
	c.extra = append(c.extra, findings...)
	c.shared = append(c.shared, findings...)
	return c
}

// Goals lists the registered goals in registry order.
func (c *Collector) Goals() []string {
	ids := make([]string, len(c.file.Goals))
	for i := range c.file.Goals {
		ids[i] = c.file.Goals[i].ID
	}
	return ids
}

// Input reads what the rules need for a request. Without a goal id it gives the route and the registry's findings.
func (c *Collector) Input(ctx context.Context, request facts.Request, now time.Time) (*facts.Input, error) {
	in := c.base(request, now)
	in.Findings = slices.Clone(c.shared)
	if id := request.GoalID; id != "" {
		if !registry.ValidGoalID(id) {
			return nil, &facts.Error{
				Code: facts.CodeArguments, Message: fmt.Sprintf("goal id %q is not one path segment", id),
				Hint: "a goal id has no slash, no backslash, no control character, and is neither . nor ..",
			}
		}
		if err := c.addGoal(ctx, in, now); err != nil {
			return nil, err
		}
	}
	in.Fill()
	return in, nil
}

// Peer reads what the rules need for the plan item of a goal, with the findings that concern it.
func (c *Collector) Peer(ctx context.Context, goalID string, now time.Time) (*facts.Input, error) {
	in := c.base(facts.Request{Command: "plan", GoalID: goalID}, now)
	for i := range c.shared {
		if f := &c.shared[i]; f.Scope == "global" || f.GoalID == goalID || slices.Contains(f.GoalIDs, goalID) {
			in.Findings = append(in.Findings, *f)
		}
	}
	if err := c.addGoal(ctx, in, now); err != nil {
		return nil, err
	}
	in.Fill()
	return in, nil
}

func (c *Collector) base(request facts.Request, now time.Time) *facts.Input {
	return &facts.Input{
		Now: now.Format(time.RFC3339), NowNS: now.UnixNano(), Request: request,
		Route: facts.Route{
			Registry: c.file.Name, RegistryExists: c.file.Exists, Global: c.file.Global,
			RuntimeRoot: c.route.RuntimeRoot, Bound: c.route.Bound, GoalCount: len(c.file.Goals),
		},
		Promotion: c.promotion(),
	}
}

// globalHealth reports a shared projection that exists beside a project registry and cannot be read
// (decision.md health.global_registry).
func (c *Collector) globalHealth() (facts.Finding, bool) {
	if c.file.Global || c.route.RuntimeRoot == "" {
		return facts.Finding{}, false
	}
	name := filepath.Join(c.route.RuntimeRoot, registry.GlobalName)
	err := registry.Check(c.route.Path(name))
	if err == nil {
		return facts.Finding{}, false
	}
	f := facts.Finding{
		Code: "registry_global_unreadable", Scope: "global", File: name, Rule: "health.global_registry",
		Message: "the shared registry cannot be used: " + err.Error(),
	}
	var place *facts.Error
	if errors.As(err, &place) {
		f.Line, f.Message = place.Line, "the shared registry cannot be used: "+place.Message
		if place.Err != nil {
			f.Message += ": " + place.Err.Error()
		}
	}
	return f, true
}

// addGoal fills in the goal that the request names.
func (c *Collector) addGoal(ctx context.Context, in *facts.Input, now time.Time) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	id := in.Request.GoalID
	row := c.file.Goal(id)
	if row == nil {
		info, err := os.Stat(filepath.Join(c.root, "goals", id))
		in.LegacyGoal = err == nil && info.IsDir()
		return nil
	}
	goal := row.Goal
	in.Goal = &goal
	c.addState(in, row)
	if row.BadID {
		return nil
	}
	if err := c.addHistory(in, row, now); err != nil {
		return err
	}
	if err := c.addTrace(in, row, now); err != nil {
		return err
	}
	agent := registry.AgentToken(in.Request.AgentID)
	in.SchedulerStates = scheduler.Read(c.root, id, agent, c.settings.Surfaces)
	in.Inbox = inbox.Read(c.root, id)
	if agent != "" {
		in.Host.Automations = host.Automations(host.Home(c.env, c.route.Home), host.Scope{
			GoalID: id, AgentID: agent, Thread: c.env("CODEX_THREAD_ID"),
		})
	}
	return nil
}

// addState reads the goal's state file. Without a declared one there is nothing to read: the missing key is the
// registry's finding.
func (c *Collector) addState(in *facts.Input, row *registry.Goal) {
	in.State.File = row.StateFile
	if row.StateFile == "" || row.Repo == "" && !filepath.IsAbs(c.route.Expand(row.StateFile)) {
		return
	}
	project := c.route.Path(row.Repo)
	doc, err := goalstate.Read(project, c.route.Expand(row.StateFile))
	if err != nil {
		in.Findings = append(in.Findings, c.stateFinding(row, err))
		return
	}
	in.State, in.Todos, in.ArchivedDone = doc.State, doc.Todos, doc.Archived
	in.State.File = row.StateFile
	c.own(in, row.ID, doc.Findings)
	if mode := doc.State.Front["handoff_mode"]; mode != "" {
		in.Goal.HandoffMode = mode
	}
	in.State.EventSourced = row.EventLog != "" || c.hasEvents(project, row.StateFile)
}

func (c *Collector) stateFinding(row *registry.Goal, err error) facts.Finding {
	f := facts.Finding{Code: "state_file_unreadable", File: row.StateFile, Message: err.Error()}
	var bad *goalstate.Error
	if errors.As(err, &bad) {
		f = bad.Finding()
	}
	f.Scope, f.GoalID = "goal", row.ID
	return f
}

// hasEvents tells whether an event log stands beside the state file (state-files.md 1.5).
func (c *Collector) hasEvents(project, stateFile string) bool {
	path := c.route.Expand(stateFile)
	if !filepath.IsAbs(path) {
		path = filepath.Join(project, path)
	}
	info, err := os.Stat(filepath.Join(filepath.Dir(path), "events.jsonl"))
	return err == nil && info.Mode().IsRegular() && info.Size() > 0
}

// own gives findings without an owner to the goal.
func (c *Collector) own(in *facts.Input, id string, findings []facts.Finding) {
	for _, f := range findings {
		f.Scope, f.GoalID = "goal", id
		in.Findings = append(in.Findings, f)
	}
}

// addTrace adds what is on disk of the turn or the run that the request names, for a request that may write.
func (c *Collector) addTrace(in *facts.Input, row *registry.Goal, now time.Time) error {
	turn, at := in.Request.TurnInstanceID, in.Request.RunGeneratedAt
	if turn == "" && at == "" {
		return nil
	}
	rows, err := history.Trace(c.runs(row), c.historyOptions(in, row, now), turn, at)
	if err != nil {
		return err
	}
	in.Trace = &facts.Trace{Rows: rows}
	if turn != "" {
		in.Trace.Events, err = eventlog.Read(filepath.Dir(c.runs(row)), row.ID, turn)
	}
	return err
}

func (c *Collector) runs(row *registry.Goal) string {
	return filepath.Join(c.root, "goals", row.ID, "runs")
}

func (c *Collector) historyOptions(in *facts.Input, row *registry.Goal, now time.Time) history.Options {
	window := c.settings.WindowHours
	if row.Quota.WindowHours != nil {
		window = *row.Quota.WindowHours
	}
	return history.Options{
		Now: now, GoalID: row.ID, AgentID: registry.AgentToken(in.Request.AgentID), WindowHours: window,
		ProjectRoot: c.route.Path(row.Repo), Settings: c.settings.History,
	}
}

func (c *Collector) addHistory(in *facts.Input, row *registry.Goal, now time.Time) error {
	result, err := c.history.Read(c.runs(row), c.historyOptions(in, row, now))
	if err != nil {
		finding, ok := c.historyFinding(row.ID, err)
		if !ok {
			return err
		}
		in.Findings = append(in.Findings, finding)
		return nil
	}
	in.Runs, in.StatusRun, in.Ledger, in.Decisions = result.Runs, result.StatusRun, result.Ledger, result.Decisions
	in.Route.RunCount = result.RowCount
	in.RunsUntilNS = facts.Earliest(result.NextNS, result.LeavesNS)
	c.own(in, row.ID, c.shown(result.Findings))
	if in.Promotion == nil {
		in.Promotion = promotion.Legacy(in.Runs, c.settings.Release)
	}
	return nil
}

// historyFinding turns a failed read of the index into a finding; other errors, such as unusable settings, are not
// the goal's.
func (c *Collector) historyFinding(id string, err error) (facts.Finding, bool) {
	var bad *facts.Error
	if !errors.As(err, &bad) {
		return facts.Finding{}, false
	}
	f := facts.Finding{
		Code: "run_index_unreadable", Scope: "goal", GoalID: id, Rule: "ledger.spend", File: c.shownPath(bad.File), Line: bad.Line,
		Message: "the run index cannot be used: " + bad.Message,
	}
	if bad.Err != nil {
		f.Message += ": " + facts.BareCause(bad.Err).Error()
	}
	return f, true
}

// shown names files below the runtime root as they are given, not as they were opened.
func (c *Collector) shown(findings []facts.Finding) []facts.Finding {
	for i := range findings {
		findings[i].File = c.shownPath(findings[i].File)
	}
	return findings
}

func (c *Collector) shownPath(path string) string {
	if rest, ok := strings.CutPrefix(path, c.root+string(filepath.Separator)); ok {
		return filepath.Join(c.route.RuntimeRoot, rest)
	}
	return path
}

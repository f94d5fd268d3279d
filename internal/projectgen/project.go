package projectgen

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/loopx-dev/loopx-policy/engine/facts"
)

// Now is the instant at which every drawn project is asked.
var Now = time.Date(2026, 8, 20, 12, 0, 0, 0, time.UTC)

// Project is the model of a project.
type Project struct {
	Goals   []*Goal
	Request facts.Request
}

// Goal is a registered goal with its state file, its run index and its scheduler state.
type Goal struct {
	ID        string
	Row       map[string]any // keys of the registry row besides id and state_file
	Next      []string
	Todos     []*Todo
	Runs      []map[string]any // oldest first
	Scheduler map[string]map[string]any
}

// Todo is one todo block.
type Todo struct {
	User bool
	Text string
	Keys map[string]string // todo_id, status and the rest, as text
}

// ID is the todo's id.
func (t *Todo) ID() string { return t.Keys["todo_id"] }

// Agents are the agents that the goal registers.
func (g *Goal) Agents() []string {
	team, _ := g.Row["coordination"].(map[string]any)
	agents, _ := team["registered_agents"].([]string)
	return agents
}

// Selected is the goal that the request names.
func (p *Project) Selected() *Goal { return p.Goals[0] }

// drawer draws with labels that say where a value belongs.
type drawer struct {
	t    *rapid.T
	path string
}

func (d drawer) at(format string, args ...any) drawer {
	return drawer{d.t, d.path + fmt.Sprintf(format, args...) + " "}
}

func (d drawer) one(label string, values []string) string {
	return rapid.SampledFrom(values).Draw(d.t, d.path+label)
}

func (d drawer) number(label string, low, high int) int {
	return rapid.IntRange(low, high).Draw(d.t, d.path+label)
}

// chance is true in one of n draws.
func (d drawer) chance(label string, n int) bool {
	return rapid.IntRange(1, n).Draw(d.t, d.path+label) == n
}

// Draw draws a project and a request to it.
func Draw(t *rapid.T) *Project {
	d := drawer{t: t}
	p := &Project{}
	for i := range d.number("goals", 1, 2) {
		p.Goals = append(p.Goals, d.at("goal %d", i).goal(fmt.Sprintf("goal-%d", i)))
	}
	r := &p.Request
	*r = facts.Request{GoalID: p.Selected().ID, AvailableCapabilities: []string{}, IncludeDetail: []string{}, CodexApp: true}
	if agents := p.Selected().Agents(); len(agents) > 0 && !d.chance("unscoped", 5) {
		r.AgentID = d.one("agent", agents)
	}
	if d.chance("capability", 3) {
		r.AvailableCapabilities = append(r.AvailableCapabilities, d.one("offered", words.Capabilities))
	}
	if profile := d.one("profile", words.Profiles); profile != "" {
		r.RuntimeProfile, r.CodexApp = profile, false
	} else {
		r.CurrentRRULE = d.one("rrule", words.RRULEs)
	}
	return p
}

func (d drawer) goal(id string) *Goal {
	g := &Goal{ID: id, Scheduler: map[string]map[string]any{}}
	agents := slices.Clone(words.Agents[:d.number("agents", 0, len(words.Agents))])
	g.Row = d.row(agents)
	for i := range d.number("todos", 0, 7) {
		g.Todos = append(g.Todos, d.at("todo %d", i).todo(g, i, agents))
	}
	if d.chance("next action", 2) {
		g.Next = append(g.Next, "Carry on with the parser work and run its unit tests.")
	}
	at := Now.Add(-time.Duration(d.number("silence", 1, 90)) * time.Minute)
	for i := range d.number("runs", 0, 8) {
		g.Runs = append(g.Runs, d.at("run %d", i).run(g, at, agents))
		at = at.Add(-time.Duration(d.number(fmt.Sprintf("gap %d", i), 1, 600)) * time.Minute)
	}
	slices.Reverse(g.Runs)
	for _, agent := range agents {
		if d.chance("scheduler of "+agent, 3) {
			state := maps.Clone(words.Scheduler.State)
			state["goal_id"], state["agent_id"] = id, agent
			state["updated_at"] = stamp(Now.Add(-time.Duration(d.number("applied", 1, 90)) * time.Minute))
			g.Scheduler[agent] = state
		}
	}
	return g
}

// row draws the registry row.
func (d drawer) row(agents []string) map[string]any {
	quota := map[string]any{"compute": []float64{1, 1, 1, 0.5, 0.01, 0}[d.number("compute", 0, 5)], "window_hours": 24}
	if d.chance("own slots", 4) {
		quota["allowed_slots"] = d.number("slots", 0, 6)
	}
	if d.chance("burst", 6) {
		quota["burst"] = map[string]any{"slots": d.number("extra", 1, 3), "expires_at": stamp(d.instant("burst end"))}
	}
	team := map[string]any{"write_scope": []string{"src/**", "docs/**"}, "registered_agents": agents, "agent_model": words.AgentModel}
	modes := map[string]any{}
	for _, agent := range agents {
		if mode := d.one("mode of "+agent, words.WorkModes); mode != "" {
			modes[agent] = mode
		}
	}
	if len(modes) > 0 {
		team["agent_work_modes"] = modes
	}
	row := map[string]any{
		"domain": "sample", "status": "active", "repo": ".", "coordination": team, "quota": quota,
		"adapter":    map[string]any{"kind": "generic_project_goal_v0", "status": d.one("adapter", words.Adapters)},
		"guards":     []string{"read-only by default"},
		"waiting_on": d.one("owner", words.Owners), "lifecycle_phase": d.one("phase", words.Phases),
	}
	for _, key := range []string{"waiting_on", "lifecycle_phase"} {
		if row[key] == "" {
			delete(row, key)
		}
	}
	if d.chance("stopped", 12) {
		Stop(row)
	}
	if d.chance("self repair", 4) {
		row["control_plane"] = map[string]any{"self_repair": map[string]any{"enabled": true, "allow_health_blocker_repair": true}}
	}
	return row
}

// Stop makes a registry row that of a stopped goal.
func Stop(row map[string]any) {
	row["activation"] = map[string]any{"schema_version": words.Activation.Schema, "state": words.Activation.Stopped}
}

// instant is within a day of now.
func (d drawer) instant(label string) time.Time {
	return Now.Add(time.Duration(d.number(label, -24*60, 24*60)) * time.Minute)
}

func (d drawer) todo(g *Goal, i int, agents []string) *Todo {
	if d.chance("user", 5) {
		return d.userTodo(i, agents)
	}
	keys := map[string]string{"todo_id": fmt.Sprintf("todo_%d", i), "status": d.one("status", words.AgentStatuses)}
	class := d.one("class", words.AgentClasses)
	keys["task_class"], keys["action_kind"] = class, d.one("kind", words.Kinds[class])
	if len(agents) > 0 && d.chance("claimed", 2) {
		keys["claimed_by"] = d.one("holder", agents)
	} else if len(agents) > 0 && d.chance("excluded", 6) {
		keys["excluded_agents"] = d.one("outsider", agents)
	}
	if d.chance("needs", 5) {
		keys["required_capabilities"] = d.one("needed", words.Capabilities)
	}
	if d.chance("scoped", 3) {
		keys["required_write_scopes"] = d.one("scope", words.Scopes)
	}
	if i > 0 && d.chance("resumes", 5) {
		keys["resume_when"] = words.Resume + g.Todos[d.number("after", 0, i-1)].ID()
	}
	if class == words.Monitor {
		keys["target_key"], keys["cadence"] = fmt.Sprintf("target-%d", i), "30m"
		if d.chance("timed", 2) {
			keys["next_due_at"] = stamp(d.instant("due"))
		} else if d.chance("checked", 2) {
			keys["last_checked_at"] = stamp(Now.Add(-time.Duration(d.number("since", 0, 90)) * time.Minute))
		}
		if d.chance("ends", 3) {
			keys["expires_at"] = stamp(d.instant("end"))
		}
	}
	for key, value := range keys {
		if value == "" {
			delete(keys, key)
		}
	}
	return &Todo{Text: d.priority() + d.one("text", words.Texts) + fmt.Sprintf(", part %d", i), Keys: keys}
}

func (d drawer) priority() string {
	if p := d.number("priority", 0, 4); p < 4 {
		return fmt.Sprintf("[P%d] ", p)
	}
	return ""
}

// userTodo is always bound when the goal has several agents: an unbound one is a contract error.
func (d drawer) userTodo(i int, agents []string) *Todo {
	keys := map[string]string{
		"todo_id": fmt.Sprintf("todo_%d", i), "status": d.one("status", words.UserStatuses), "task_class": d.one("class", words.UserClasses),
	}
	switch {
	case len(agents) > 0 && d.chance("bound", 2):
		keys["bound_agent"] = d.one("binding", agents)
	case len(agents) > 1 || d.chance("goal bound", 2):
		keys["goal_bound"] = "true"
	}
	return &Todo{User: true, Text: d.priority() + "Decide about the release channel", Keys: keys}
}

// run draws a row of the run index.
func (d drawer) run(g *Goal, at time.Time, agents []string) map[string]any {
	kind := d.one("classification", words.Rows)
	row := map[string]any{"generated_at": stamp(at), "goal_id": g.ID, "classification": kind}
	if len(agents) > 0 && !d.chance("of the goal", 3) {
		row["agent_id"] = d.one("agent", agents)
	}
	if len(g.Todos) > 0 && d.chance("names a todo", 2) {
		row["todo_id"] = g.Todos[d.number("todo", 0, len(g.Todos)-1)].ID()
	}
	switch kind {
	case words.Spend:
		row["quota_event"] = map[string]any{"event_type": kind, "source": "heartbeat", "slots": d.number("slots", 1, 3)}
	case words.Poll:
		row["material_change"], row["turn_instance_id"] = false, "turn-"+stamp(at)
	default:
		if outcome := d.one("outcome", words.Outcomes); outcome != "" {
			row["delivery_outcome"], row["delivery_batch_scale"] = outcome, words.Scale
		}
	}
	return row
}

func stamp(at time.Time) string { return at.Format("2006-01-02T15:04:05-07:00") }

package projectgen

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// Clone copies a project so that a change of the copy leaves the original alone.
func (p *Project) Clone() *Project {
	out := &Project{Request: p.Request}
	out.Request.AvailableCapabilities = slices.Clone(p.Request.AvailableCapabilities)
	for _, g := range p.Goals {
		copied := &Goal{
			ID: g.ID, Row: maps.Clone(g.Row), Next: slices.Clone(g.Next), Runs: slices.Clone(g.Runs), Scheduler: maps.Clone(g.Scheduler),
		}
		for _, t := range g.Todos {
			copied.Todos = append(copied.Todos, &Todo{User: t.User, Text: t.Text, Keys: maps.Clone(t.Keys)})
		}
		out.Goals = append(out.Goals, copied)
	}
	return out
}

// AddGate adds an open gate that only one agent waits for.
func (g *Goal) AddGate(agent string) {
	g.Todos = append(g.Todos, &Todo{User: true, Text: "Approve the move", Keys: map[string]string{
		"todo_id": "todo_added_gate", "status": words.Open, "task_class": words.Gate, "bound_agent": agent,
	}})
}

// AddDone adds a finished todo behind all others. It says that nothing follows: without that it asks for a successor.
func (g *Goal) AddDone() {
	g.Todos = append(g.Todos, &Todo{Text: "Implement what is finished", Keys: map[string]string{
		"todo_id": "todo_added_done", "status": words.Done, "task_class": words.Work, "action_kind": words.WorkKind,
		"completion_continuation": words.NoFollowup, words.NoFollowup: "true",
	}})
}

// AddOldSpend adds a spend before every other row and outside of every window.
func (g *Goal) AddOldSpend() {
	at := Now.Add(-400 * 24 * time.Hour)
	g.Runs = slices.Insert(g.Runs, 0, map[string]any{
		"generated_at": stamp(at), "goal_id": g.ID, "classification": words.Spend,
		"quota_event": map[string]any{"event_type": words.Spend, "source": "heartbeat", "slots": 1},
	})
}

// AddGoal registers another goal that shares nothing with the rest.
func (p *Project) AddGoal() {
	p.Goals = append(p.Goals, &Goal{ID: "goal-added", Row: map[string]any{
		"domain": "sample", "status": "active", "repo": ".", "quota": map[string]any{"compute": 1, "window_hours": 24},
		"adapter": map[string]any{"kind": "generic_project_goal_v0", "status": words.Adapters[0]},
	}, Todos: []*Todo{{Text: "Implement something else", Keys: map[string]string{
		"todo_id": fmt.Sprintf("todo_of_%s", "another"), "status": words.Open, "task_class": words.Work, "action_kind": words.WorkKind,
	}}}})
}

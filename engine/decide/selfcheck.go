package decide

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/loopx-dev/loopx-policy/engine/facts"
)

// maxTried bounds the goals that a self-check decides on.
const maxTried = 200

// authoring are the write commands and their entrypoints, for the self-check.
var authoring = map[string]string{
	"quota-set": EntryQuotaWrite, "goal-lifecycle": EntryQuotaWrite, "configure-goal": EntryConfigureGoal,
	"register-agent": EntryRegisterAgent, "init": EntryInit, "todo-add": EntryTodoWrite, "todo-list": EntryTodoList,
	"refresh-state": EntryRefresh, "read-only-map": EntryProjectMap, "history-check": EntryRunIndex, "scheduler-ack": EntrySchedulerWrite,
}

// SelfCheck tries the engine on this project: whether every write command answers a call without a goal, and every goal gets
// a decision that keeps its schema and the invariants. It writes nothing.
func (e *Engine) SelfCheck(ctx context.Context, now time.Time) []facts.Trial {
	var out []facts.Trial
	for _, command := range slices.Sorted(maps.Keys(authoring)) {
		request := facts.Request{Command: command, AvailableCapabilities: []string{}, IncludeDetail: []string{}}
		_, err := e.answer(ctx, command, request, func() (*Document, error) {
			v, err := e.decide(ctx, &writeQuestion{entrypoint: authoring[command], request: request}, now, nil)
			if err != nil {
				return nil, err
			}
			if len(v.effects) > 0 {
				return nil, fmt.Errorf("%s without a goal has effects", command)
			}
			return v.doc, nil
		})
		out = append(out, trial("command", command, err))
	}
	goals := e.facts.Goals()
	for _, goal := range goals[:min(len(goals), maxTried)] {
		request := facts.Request{Command: KindShouldRun, GoalID: goal, AvailableCapabilities: []string{}, IncludeDetail: []string{}}
		doc, err := e.ShouldRun(ctx, request, now)
		out = append(out, trial("answers", goal, err))
		if err == nil {
			out = append(out, facts.Trial{Name: "healthy", Subject: goal, OK: doc.OK()})
		}
	}
	return out
}

func trial(name, subject string, err error) facts.Trial {
	t := facts.Trial{Name: name, Subject: subject, OK: err == nil}
	if err != nil {
		t.Detail = describe(err).public
	}
	return t
}

// Rules names the bundle that answers.
func (e *Engine) Rules() (revision, digest string) { return e.bundle.Revision(), e.bundle.Digest() }

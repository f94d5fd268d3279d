package decide

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/collect"
	"github.com/loopx-dev/loopx-policy/engine/facts/registry"
	"github.com/loopx-dev/loopx-policy/internal/projectgen"
)

// project is a drawn project on disk.
type project struct {
	dir     string
	request facts.Request
}

var collected = sync.OnceValues(func() (collect.Settings, error) {
	policy, err := fast()
	if err != nil {
		return collect.Settings{}, err
	}
	return collect.DecodeSettings(policy.DecodeSettings)
})

func laid(t *rapid.T, p *projectgen.Project, seed uint64) project {
	dir, err := os.MkdirTemp("", "loopx-property")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	require.NoError(t, projectgen.Write(dir, p.Files(seed)))
	return project{dir, p.Request}
}

// decide asks the project at an instant. The answer keeps its schema and the bundle's invariants, or this fails.
func (p project) decide(t *rapid.T, now time.Time) *Document {
	policy, err := fast()
	require.NoError(t, err)
	settings, err := collected()
	require.NoError(t, err)
	env := func(string) string { return "" }
	route, file, err := registry.Open(registry.Options{Dir: p.dir, Home: p.dir, Env: env})
	require.NoError(t, err)
	e, err := New(policy, collect.New(route, file, settings).WithEnv(env), true)
	require.NoError(t, err)
	p.request.Command = KindShouldRun
	doc, err := e.ShouldRun(context.Background(), p.request, now)
	require.NoError(t, err, "%s", doc.JSON())
	return doc
}

func answer(t *rapid.T, p *projectgen.Project) map[string]any {
	return plain(t, laid(t, p, 0).decide(t, projectgen.Now))
}

func plain(t require.TestingT, doc *Document) map[string]any {
	var out map[string]any
	require.NoError(t, json.Unmarshal(doc.JSON(), &out))
	return out
}

// at reads a nested field; nil when there is none.
func at(v any, path ...string) any {
	for _, key := range path {
		object, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = object[key]
	}
	return v
}

func yes(v any, path ...string) bool { return at(v, path...) == true }

// walk visits every field of a document but the summary of the other goals.
func walk(v any, path string, f func(path, key string, value any)) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if path == "" && key == "plan_summary" {
				continue
			}
			f(path+"/"+key, key, value)
			walk(value, path+"/"+key, f)
		}
	case []any:
		for i, value := range v {
			walk(value, fmt.Sprintf("%s/%d", path, i), f)
		}
	}
}

// differences lists the fields in which two documents differ, at the deepest object that both have.
func differences(a, b any, path string) []string {
	x, isX := a.(map[string]any)
	y, isY := b.(map[string]any)
	if !isX || !isY {
		if reflect.DeepEqual(a, b) {
			return nil
		}
		return []string{path}
	}
	var out []string
	keys := map[string]bool{}
	for key := range x {
		keys[key] = true
	}
	for key := range y {
		keys[key] = true
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		_, inX := x[key]
		_, inY := y[key]
		if inX != inY {
			out = append(out, path+"/"+key)
			continue
		}
		out = append(out, differences(x[key], y[key], path+"/"+key)...)
	}
	return out
}

// same fails when two documents differ anywhere but below the given paths.
func same(t *rapid.T, a, b map[string]any, but ...string) {
	var wrong []string
	for _, path := range differences(a, b, "") {
		if !slices.ContainsFunc(but, func(prefix string) bool { return path == prefix || strings.HasPrefix(path, prefix+"/") }) {
			wrong = append(wrong, path)
		}
	}
	sort.Strings(wrong)
	shown := ""
	for _, path := range wrong {
		steps := strings.Split(path[1:], "/")
		shown += fmt.Sprintf("%s: %v | %v\n", path, at(a, steps...), at(b, steps...))
	}
	assert.Empty(t, wrong, "%s", shown)
}

func property(t *testing.T, f func(t *rapid.T, p *projectgen.Project)) {
	t.Helper()
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) { f(rt, projectgen.Draw(rt)) })
}

var stoppedStates = []string{"blocked_health", "operator_gate", "paused", "throttled", "waiting"}

// TestPropertyInvariants holds what the specification calls INV-1 to INV-6 against the document, in other words than the
// bundle's own check, and that there is one lane.
func TestPropertyInvariants(t *testing.T) {
	property(t, func(t *rapid.T, p *projectgen.Project) {
		doc := answer(t, p)
		agent, user := at(doc, "interaction_contract", "agent_channel"), at(doc, "interaction_contract", "user_channel")
		if yes(doc, "should_run") {
			assert.True(t, doc["state"] == "eligible" || yes(doc, "recovery_delivery_allowed") || yes(doc, "self_repair_allowed"), "INV-1 in %v", doc["state"])
		}
		if yes(agent, "delivery_allowed") {
			assert.True(t, yes(agent, "must_attempt"), "INV-2: delivery without an attempt")
		}
		if yes(agent, "quiet_noop_allowed") {
			assert.False(t, yes(agent, "must_attempt") || yes(agent, "delivery_allowed") || yes(user, "action_required"), "INV-2: quiet beside an act")
		}
		if yes(user, "non_blocking") {
			assert.False(t, yes(user, "action_required"), "INV-2: non-blocking")
		}
		beside := yes(doc, "recovery_delivery_allowed") || yes(doc, "self_repair_allowed") || doc["scoped_user_gate_fallback"] != nil
		if slices.Contains(stoppedStates, doc["state"].(string)) && !beside {
			assert.False(t, yes(doc, "normal_delivery_allowed"), "INV-5: delivery")
			assert.False(t, yes(agent, "delivery_allowed"), "INV-5: delivery in the contract")
			if doc["external_evidence_observation"] == nil {
				assert.False(t, yes(doc, "work_lane_contract", "must_attempt_work"), "INV-5: lane")
				assert.False(t, yes(doc, "execution_obligation", "must_attempt_work"), "INV-5: obligation")
				assert.False(t, yes(agent, "must_attempt"), "INV-5: contract")
				assert.NotEqual(t, "run_now", at(doc, "scheduler_hint", "action"), "INV-5: schedule")
			}
		}
		assert.Equal(t, at(doc, "heartbeat_recommendation", "agent_must_attempt") == true, yes(doc, "execution_obligation", "must_attempt_work"), "INV-5: heartbeat")
		oneLane(t, doc)
		walk(doc, "", func(path, key string, value any) {
			if key == "spend_allowed_now" {
				assert.Equal(t, false, value, "INV-4 at %s", path)
			}
			assert.NotContains(t, []string{"gate_approved", "human_reward", "production_permission", "write_approved"}, key, "INV-6 at %s", path)
		})
	})
}

// oneLane: there is one mode, and one lane or none; what says that work must be attempted says it alike.
func oneLane(t *rapid.T, doc map[string]any) {
	assert.NotEmpty(t, at(doc, "interaction_contract", "mode"))
	lanes := 0
	walk(doc, "", func(path, key string, value any) {
		if key == "lane" {
			lanes++
			assert.IsType(t, "", value, path)
		}
	})
	if doc["work_lane_contract"] == nil {
		assert.Zero(t, lanes, "a lane outside of the contract")
	} else {
		assert.NotEmpty(t, at(doc, "work_lane_contract", "lane"))
	}
	if yes(doc, "work_lane_contract", "must_attempt_work") {
		assert.True(t, yes(doc, "execution_obligation", "must_attempt_work"), "the lane asks for work, the obligation does not")
	}
	if yes(doc, "should_run") && !yes(doc, "requires_user_action") {
		assert.True(t, yes(doc, "execution_obligation", "must_attempt_work"), "a turn without an obligation")
	}
	assert.Equal(t, doc["requires_user_action"], at(doc, "interaction_contract", "user_channel", "action_required"))
}

// silent fails when a document carries an execution signal anywhere.
func silent(t *rapid.T, doc map[string]any) {
	walk(doc, "", func(path, key string, value any) {
		signal := strings.HasPrefix(key, "must_attempt") || strings.HasSuffix(key, "_allowed") && key != "quiet_noop_allowed" && key != "pause_allowed" ||
			slices.Contains([]string{"agent_must_attempt", "should_run", "spend_allowed_now", "actionable_by_codex", "action_required", "requires_user_action"}, key)
		if signal {
			assert.NotEqual(t, true, value, path)
		}
		if key == "notify" {
			assert.NotEqual(t, "NOTIFY", value, path)
		}
	})
	assert.Equal(t, "skip", doc["decision"])
	assert.NotEqual(t, "run_now", at(doc, "scheduler_hint", "action"))
}

// TestPropertyAPausedGoalIsSilent: whatever else a project holds, a stopped goal and one without a share ask for nothing.
func TestPropertyAPausedGoalIsSilent(t *testing.T) {
	property(t, func(t *rapid.T, p *projectgen.Project) {
		if rapid.Bool().Draw(t, "stopped by the owner") {
			projectgen.Stop(p.Selected().Row)
		} else {
			p.Selected().Row["quota"] = map[string]any{"compute": 0}
		}
		doc := answer(t, p)
		assert.Equal(t, "paused", doc["state"])
		silent(t, doc)
		for _, key := range []string{"work_lane_contract", "capability_gate", "goal_frontier_projection", "selected_todo", "user_todo_summary", "agent_todo_summary"} {
			assert.NotContains(t, doc, key)
		}
	})
}

// TestPropertyAClosedGoalIsSilent draws goals that may be closed.
func TestPropertyAClosedGoalIsSilent(t *testing.T) {
	closed := 0
	property(t, func(t *rapid.T, p *projectgen.Project) {
		g := p.Selected()
		for _, todo := range g.Todos {
			todo.Keys = map[string]string{"todo_id": todo.ID(), "status": "done", "task_class": map[bool]string{false: "advancement_task", true: "user_action"}[todo.User]}
			if !todo.User {
				todo.Keys["completion_continuation"], todo.Keys["no_followup"] = "no_followup", "true"
			} else if len(g.Agents()) > 0 {
				todo.Keys["bound_agent"] = g.Agents()[0]
			}
		}
		g.Next = nil
		delete(g.Row, "waiting_on")
		doc := answer(t, p)
		if doc["effective_action"] == "terminal_no_followup" {
			closed++
			silent(t, doc)
		}
	})
	assert.Positive(t, closed, "no drawn goal was closed")
}

// TestPropertyAGateOfAnotherAgentChangesNoDecision: what may differ is the lists of user todos, the line numbers of the todos
// below, and the note that a gate of another agent was passed, with the rule and the sentence that say so. That note takes the
// place of the one about user actions of others (scope.override.action is for goals without such gates). A goal that waits for a person anyway is left out: with a gate in
// the file the agent knows that it is not the one who waits, and may go on (compute-quota: "must not preserve an inherited
// operator_gate").
func TestPropertyAGateOfAnotherAgentChangesNoDecision(t *testing.T) {
	property(t, func(t *rapid.T, p *projectgen.Project) {
		agents := p.Selected().Agents()
		if len(agents) < 2 || p.Request.AgentID == "" {
			return
		}
		other := agents[0]
		if other == p.Request.AgentID {
			other = agents[1]
		}
		before := answer(t, p)
		if before["state"] == "operator_gate" {
			return
		}
		p.Selected().AddGate(other)
		after := answer(t, p)
		dropLines(before)
		dropLines(after)
		same(t, before, after, "/user_todo_summary", "/agent_scoped_user_gate_override", "/agent_scoped_user_action_override",
			"/rules/state", "/rules/waiting_on", "/reason", "/rules/reason", "/quota/reason", "/interaction_contract/user_channel/reason")
	})
}

// TestPropertyAnotherGoalChangesNoDecision: only the summary of the plan counts it, and the answer may have to be asked for
// again when that summary changes.
func TestPropertyAnotherGoalChangesNoDecision(t *testing.T) {
	property(t, func(t *rapid.T, p *projectgen.Project) {
		before := answer(t, p)
		p.AddGoal()
		same(t, before, answer(t, p), "/plan_summary")
	})
}

// TestPropertyADoneTodoChangesNoDecision: only the counts of todos and the closing intent show it, unless it is what closes the goal.
func TestPropertyADoneTodoChangesNoDecision(t *testing.T) {
	property(t, func(t *rapid.T, p *projectgen.Project) {
		before := answer(t, p)
		p.Selected().AddDone()
		after := answer(t, p)
		if closed := []string{"goal_frontier_projection", "terminal_state"}; at(after, closed...) != nil && at(before, closed...) == nil {
			return
		}
		same(t, before, after, "/agent_todo_summary/done_count", "/agent_todo_summary/total_count", "/agent_todo_summary/closure_intent")
	})
}

// TestPropertyAnOldSpendChangesNoDecision: only the count of the rows that were read shows it.
func TestPropertyAnOldSpendChangesNoDecision(t *testing.T) {
	property(t, func(t *rapid.T, p *projectgen.Project) {
		before := answer(t, p)
		p.Selected().AddOldSpend()
		same(t, before, answer(t, p), "/plan_summary/run_count")
	})
}

// TestPropertyOrderChangesNothing permutes keys, agents, sections and goals. Only line numbers may differ.
func TestPropertyOrderChangesNothing(t *testing.T) {
	property(t, func(t *rapid.T, p *projectgen.Project) {
		before, after := answer(t, p), plain(t, laid(t, p, rapid.Uint64Min(1).Draw(t, "order")).decide(t, projectgen.Now))
		for _, doc := range []map[string]any{before, after} {
			dropLines(doc)
		}
		same(t, before, after)
	})
}

func dropLines(v any) {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "line")
		for _, value := range v {
			dropLines(value)
		}
	case []any:
		for _, value := range v {
			dropLines(value)
		}
	}
}

// TestPropertyAnAnswerHoldsUntilItSays asks again at instants before valid_until: the same bytes.
func TestPropertyAnAnswerHoldsUntilItSays(t *testing.T) {
	property(t, func(t *rapid.T, p *projectgen.Project) {
		files := laid(t, p, 0)
		first := files.decide(t, projectgen.Now)
		doc := plain(t, first)
		until := projectgen.Now.Add(30 * 24 * time.Hour)
		if text, ok := doc["valid_until"].(string); ok {
			var err error
			until, err = time.Parse(time.RFC3339, text)
			require.NoError(t, err)
			require.False(t, until.Before(projectgen.Now), "%s is past", text)
		}
		span := int64(until.Sub(projectgen.Now))
		for _, share := range []int64{rapid.Int64Range(0, 999).Draw(t, "instant"), 1000} {
			now := projectgen.Now.Add(time.Duration(span / 1000 * share)).Add(-1)
			if now.Before(projectgen.Now) {
				continue
			}
			same(t, doc, plain(t, files.decide(t, now)))
		}
	})
}

// TestPropertyTheSameFactsGiveTheSameBytes asks twice.
func TestPropertyTheSameFactsGiveTheSameBytes(t *testing.T) {
	property(t, func(t *rapid.T, p *projectgen.Project) {
		p.Request.Explain = rapid.Bool().Draw(t, "explain")
		files := laid(t, p, 0)
		assert.Equal(t, string(files.decide(t, projectgen.Now).JSON()), string(files.decide(t, projectgen.Now).JSON()))
	})
}

package decide

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	_ "time/tzdata" // hosts live where clocks change

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/loopx-dev/loopx-policy/engine/bundle"
	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/scheduler"
	"github.com/loopx-dev/loopx-policy/engine/rrule"
	"github.com/loopx-dev/loopx-policy/engine/vm"
	"github.com/loopx-dev/loopx-policy/policy"
)

// The simulated hosts ask the wait policy alone: the packages below, compiled without anything that finds out what there is to
// do. That side is a contract which the test writes, so a poll costs no project on disk. That the rules compile and answer like
// this shows what they read; TestTheWaitPolicyReadsTheContractAlone compares them with whole decisions.
var waitPackages = []string{"loopx/lib/", "loopx/request/", "loopx/scheduler_hint/", "loopx/writeback/scheduler/"}

const waitStubs = `package loopx.interaction_contract

first := input.sim.contract
identity := input.sim.identity
pause_mode := input.sim.pause_mode
selected_todo := input.sim.selected_todo
---
package loopx.todos

by_id := input.sim.todos
mon := {id | some id in input.sim.monitors}
expired := set()
gates_mine := {id | some id in input.sim.gates}
---
package loopx.goal

registered := true
`

// What a host reads of a hint, from the rules that decide it. A whole hint costs twice as much, so only some polls ask for one.
const (
	simApp = `{"action": h.branch.action, "cadence_class": h.branch.cadence_class, "reset_policy": {"reset_token": h.reset_token}, "app_automation": {
	"recommended_rrule": h.recommended_rrule, "recommended_interval_minutes": h.app_progression[h.index.value.index],
	"example_progression_minutes": h.app_progression, "ack_hint": h.ack_hint, "failure_hint": h.failure_hint,
	"stateful_backoff": {
		"reset_token": h.reset_token, "progression_index": h.index.value.index, "current_rrule": h.current_rrule,
		"apply_needed": h.transition.value.apply, "ack_needed": h.transition.value.ack, "state_status": h.transition.value.status,
	}}}`
	simLoop = `{"action": h.branch.action, "cadence_class": h.branch.cadence_class, "reset_policy": {"reset_token": h.reset_token}, "codex_app": h.packets.codex_app,
	"unchanged_poll": {"limits": h.poll_limits, "after_limits": h.after_limits, "final_quota_replan_check_enabled": h.limited}}`
	simHint = `object.union(h.hint, {"cooldown": c | c := h.cooldown})`
)

var simRule = regexp.MustCompile(`\bh\.`)

type waitPolicy struct{ app, loop, hint, record rego.PreparedEvalQuery }

var loadWaitPolicy = sync.OnceValues(func() (out waitPolicy, err error) {
	modules := map[string]string{}
	for i, text := range strings.Split(waitStubs, "---\n") {
		modules[fmt.Sprintf("stub%d.rego", i)] = text
	}
	err = fs.WalkDir(policy.FS, "loopx", func(path string, _ fs.DirEntry, err error) error {
		ours := func(prefix string) bool { return strings.HasPrefix(path, prefix) }
		if err != nil || !slices.ContainsFunc(waitPackages, ours) || !strings.HasSuffix(path, ".rego") || strings.HasSuffix(path, "_test.rego") {
			return err
		}
		text, err := fs.ReadFile(policy.FS, path)
		modules[path] = string(text)
		return err
	})
	if err != nil {
		return out, err
	}
	compiler, err := ast.CompileModules(modules)
	if err != nil {
		return out, err
	}
	whole, err := fast()
	if err != nil {
		return out, err
	}
	settings, err := whole.Settings()
	if err != nil {
		return out, err
	}
	tree, err := ast.InterfaceToValue(map[string]any{"loopx": map[string]any{"settings": settings}})
	if err != nil {
		return out, err
	}
	data := inmem.NewFromASTObject(tree.(ast.Object))
	for query, prepared := range map[string]*rego.PreparedEvalQuery{simApp: &out.app, simLoop: &out.loop, simHint: &out.hint, EntrySchedulerWrite: &out.record} {
		*prepared, err = rego.New(
			rego.Query(simRule.ReplaceAllString(query, "data.loopx.scheduler_hint.")), rego.Compiler(compiler), rego.Store(data), rego.StrictBuiltinErrors(true),
			rego.GenerateJSON(func(t *ast.Term, _ *rego.EvalContext) (any, error) { return t.Value, nil }),
		).PrepareForEval(context.Background())
		if err != nil {
			return out, err
		}
	}
	return out, err
})

// situation is what the rest of the rules may find for an agent, with the answer that the wait policy must give.
type situation struct {
	mode             string
	asks, must, rest bool // a person must act; the agent must work; it may be quiet
	action, cadence  string
	app              []int // minutes that an app timer goes through
	limit            int   // unchanged polls of a visible loop; none for work
	gates            []string
	monitor          bool
	holds            bool // goes back to the first interval while the work goes on
}

var situations = map[string]situation{
	"work":       {mode: "bounded_delivery", must: true, action: "run_now", cadence: "active_work", app: []int{3, 6, 10}, holds: true},
	"bridge":     {mode: "capability_bridge_repair", must: true, action: "run_now", cadence: "active_work", app: []int{3, 6, 10}},
	"gate":       {mode: "user_gate", asks: true, action: "backoff_waiting_for_user", cadence: "human_gate", app: []int{30, 60}, limit: 3, gates: []string{"todo_gate"}},
	"other gate": {mode: "user_gate", asks: true, action: "backoff_waiting_for_user", cadence: "human_gate", app: []int{30, 60}, limit: 3, gates: []string{"todo_gate", "todo_more"}},
	"scope":      {mode: "agent_scope_wait", rest: true, action: "backoff_until_reassigned", cadence: "agent_scope_wait", app: []int{10, 20, 30, 60}, limit: 3},
	"monitor":    {mode: "monitor_quiet_skip", rest: true, action: "backoff_until_material_transition", cadence: "monitor_wait", app: []int{15, 30, 60}, limit: 3, monitor: true},
	"unchanged":  {mode: "mapped_noop_if_unchanged", rest: true, action: "backoff_until_fresh_evidence", cadence: "unchanged_noop", app: []int{60}, limit: 3},
	"quiet":      {mode: "quota_throttled", rest: true, action: "backoff_until_state_change", cadence: "quiet_wait", app: []int{30, 60}, limit: 3},
}

var situationNames = slices.Sorted(maps.Keys(situations))

// world is one goal of several agents under a clock that the test moves.
type world struct {
	rules     waitPolicy
	now       time.Time
	situation string
	feedback  int               // changes what is recommended
	states    map[string]string // text of the stored scheduler state by agent and surface
	polls     *atomic.Int64
}

func newWorld(t require.TestingT, first string, polls *atomic.Int64) *world {
	rules, err := loadWaitPolicy()
	require.NoError(t, err)
	return &world{rules: rules, now: noon, situation: first, states: map[string]string{}, polls: polls}
}

func (w *world) text(h *simHost) string {
	return w.states[h.agent+"/"+h.surface().Surface]
}

// input is what an agent's call sees.
func (w *world) input(t require.TestingT, h *simHost, r facts.Request, write *facts.Write) vm.Value {
	in := &facts.Input{
		Now: w.now.Format(time.RFC3339), NowNS: w.now.UnixNano(), Request: r, Write: write,
		Route: facts.Route{Registry: "registry.json", RegistryExists: true, RuntimeRoot: "runtime", Bound: true, GoalCount: 1},
		Goal:  &facts.Goal{ID: "g1", Agents: []string{"a1", "a2", "a3"}, AgentModel: "peer_v1"},
	}
	if surface := h.surface(); surface.Surface != "" {
		if state, ok := scheduler.Parse([]byte(w.text(h)), "g1", h.agent, surface); ok {
			in.SchedulerStates = append(in.SchedulerStates, state)
		}
	}
	in.Fill()
	value, err := facts.Value(in)
	require.NoError(t, err)
	s := situations[w.situation]
	sim := map[string]any{
		"contract": map[string]any{
			"schema_version": "loopx_interaction_contract_v0", "mode": s.mode,
			"user_channel":  map[string]any{"action_required": s.asks, "notify": "DONT_NOTIFY"},
			"agent_channel": map[string]any{"must_attempt": s.must, "delivery_allowed": s.must, "quiet_noop_allowed": s.rest},
			"cli_channel":   map[string]any{},
		},
		"identity": map[string]any{
			"goal_id": "g1", "agent_identity.agent_id": h.agent, "effective_action": s.mode, "heartbeat_recommendation.recommended_mode": s.mode,
			"interaction_contract.mode": s.mode, "recommended_action": fmt.Sprintf("Do step %d.", w.feedback),
		},
		"gates": s.gates, "monitors": []string{}, "todos": map[string]any{},
	}
	if s.monitor {
		due := noon.Add(365 * 24 * time.Hour)
		sim["monitors"] = []string{"todo_watch"}
		sim["todos"] = map[string]any{"todo_watch": map[string]any{
			"id": "todo_watch", "cadence": "10h", "cadence_seconds": 36000, "next_due_at": due.Format(time.RFC3339), "next_due_ns": due.UnixNano(),
		}}
	}
	extra, err := vm.FromGo(sim)
	require.NoError(t, err)
	return value.With(vm.String("sim"), extra)
}

func evaluate(t require.TestingT, query rego.PreparedEvalQuery, input vm.Value) *vm.Object {
	results, err := query.Eval(context.Background(), rego.EvalParsedInput(vm.ToAST(input)))
	require.NoError(t, err)
	require.Len(t, results, 1)
	value, err := vm.FromAST(results[0].Expressions[0].Value.(ast.Value))
	require.NoError(t, err)
	object, ok := value.(*vm.Object)
	require.True(t, ok)
	return object
}

// decoded reads the part of an answer that a host reads.
func decoded(t require.TestingT, value vm.Value, out any) {
	require.NoError(t, json.Unmarshal(vm.AppendJSON(nil, value), out))
}

// pair is a target that a host did not take, and the interval that it had.
type pair struct {
	target, host string
	at           time.Time
}

// simHost is a host that polls for one agent: an app with a timer, or a visible loop.
type simHost struct {
	agent   string
	profile string
	silent  bool // does not say which interval it has
	fails   bool // cannot change its interval
	loses   bool // forgets to acknowledge
	whole   bool // asks for whole hints each time
	rrule   string
	failed  []pair // what must be known of its failures, newest last
}

func (h *simHost) surface() scheduler.Surface {
	switch h.profile {
	case "codex_app_heartbeat":
		return scheduler.Surface{Surface: "codex_app", StateKey: "scheduler_hint.codex_app.stateful_backoff"}
	case "trae_app":
		return scheduler.Surface{Surface: "trae_app", StateKey: "scheduler_hint.app_automation.stateful_backoff"}
	}
	return scheduler.Surface{}
}

// reading is what a host reads.
type reading struct {
	Action  string  `json:"action"`
	Cadence string  `json:"cadence_class"`
	Codex   *packet `json:"codex_app"`
	App     *packet `json:"app_automation"`
	Reset   struct {
		Token string `json:"reset_token"`
	} `json:"reset_policy"`
	Poll struct {
		Limits map[string]*int   `json:"limits"`
		After  map[string]string `json:"after_limits"`
		Check  bool              `json:"final_quota_replan_check_enabled"`
	} `json:"unchanged_poll"`
	Cooldown struct {
		Active bool `json:"active"`
		Due    bool `json:"notification_due"`
	} `json:"cooldown"`
}

// packet is what an app reads.
type packet struct {
	Applicability string `json:"applicability"`
	RRULE         string `json:"recommended_rrule"`
	Minutes       int    `json:"recommended_interval_minutes"`
	Progression   []int  `json:"example_progression_minutes"`
	Backoff       struct {
		Token  string `json:"reset_token"`
		Index  int    `json:"progression_index"`
		Target string `json:"current_rrule"`
		Apply  bool   `json:"apply_needed"`
		Ack    bool   `json:"ack_needed"`
		Status string `json:"state_status"`
	} `json:"stateful_backoff"`
	AckHint struct {
		Args []string `json:"cli_args"`
	} `json:"ack_hint"`
	FailHint struct {
		Args []string `json:"cli_args"`
	} `json:"failure_hint"`
}

// stored is what an agent's scheduler state says, zero when there is none.
type stored struct {
	Token   string `json:"reset_token"`
	Index   int    `json:"progression_index"`
	Applied string `json:"last_applied_rrule"`
	Updated string `json:"updated_at"`
}

func (w *world) stored(t require.TestingT, h *simHost) (out stored) {
	if text := w.text(h); text != "" {
		require.NoError(t, json.Unmarshal([]byte(text), &out))
	}
	return out
}

// ask is one poll. What holds of every answer is checked here.
func (h *simHost) ask(t require.TestingT, w *world) reading {
	w.polls.Add(1)
	r := facts.Request{Command: KindShouldRun, GoalID: "g1", AgentID: h.agent, RuntimeProfile: h.profile}
	if !h.silent && h.surface().Surface != "" {
		r.CurrentRRULE = h.rrule
	}
	input := w.input(t, h, r, nil)
	var a, whole reading
	timed := h.surface().Surface != ""
	if timed {
		decoded(t, evaluate(t, w.rules.app, input), &a)
	} else {
		decoded(t, evaluate(t, w.rules.loop, input), &a)
	}
	if h.whole || w.polls.Load()%20 == 1 { // the hint holds what its rules decide
		decoded(t, evaluate(t, w.rules.hint, input), &whole)
		assert.Equal(t, h.profile == "trae_app", whole.Codex == nil)
		if h.profile == "codex_app_heartbeat" {
			assert.Equal(t, whole.Codex.Backoff, whole.App.Backoff, "one stored state")
		}
		if timed {
			a.Poll, a.Codex, whole.App.Applicability = whole.Poll, whole.Codex, ""
			assert.Equal(t, situations[w.situation].limit > 0, whole.Poll.Check)
		}
		a.Cooldown = whole.Cooldown
		assert.Equal(t, whole, a)
	}
	s := situations[w.situation]
	assert.Equal(t, []string{s.action, s.cadence}, []string{a.Action, a.Cadence})
	if !timed {
		assert.Equal(t, s.limit > 0, a.Poll.Check)
		assert.Equal(t, "not_applicable", a.Codex.Applicability)
		assert.Nil(t, a.App)
		return a
	}
	p := a.App
	assert.Equal(t, s.app, p.Progression)
	assert.Equal(t, s.app[p.Backoff.Index], p.Minutes)
	assert.LessOrEqual(t, p.Minutes, 60)
	assert.Equal(t, p.Backoff.Apply, p.RRULE != "", "an interval is recommended only when it is to be applied")
	before := w.stored(t, h)
	if before.Token != p.Backoff.Token {
		assert.Zero(t, p.Backoff.Index, "another token starts over at the next poll")
	} else if p.Backoff.Index > before.Index {
		updated, err := time.Parse(time.RFC3339, before.Updated)
		require.NoError(t, err)
		assert.False(t, w.now.Before(updated.Add(minutes(t, before.Applied))), "advanced before the applied interval had run")
	}
	host := h.rrule
	if h.silent {
		host = before.Applied
	}
	known := slices.ContainsFunc(h.failed, func(p pair) bool {
		return p.host == host && w.now.Sub(p.at) <= 24*time.Hour && p.target == a.App.Backoff.Target
	})
	if p.Backoff.Apply {
		assert.False(t, known, "%s was asked of a host at %s that failed before", p.Backoff.Target, host)
	}
	if p.Backoff.Status == "host_update_failure_suppressed" {
		assert.True(t, known, "%s was never tried by a host at %s", p.Backoff.Target, host)
	}
	return a
}

// poll is one turn of an app: it asks, changes its timer when it is told to and reports what came of it.
func (h *simHost) poll(t require.TestingT, w *world) reading {
	a := h.ask(t, w)
	switch p := a.App; {
	case p.Backoff.Apply && h.fails:
		h.fail(t, w, p)
	case p.Backoff.Apply:
		h.rrule = p.RRULE
		h.ack(t, w, p)
	case p.Backoff.Ack:
		h.ack(t, w, p)
	}
	return a
}

func (h *simHost) fail(t require.TestingT, w *world, p *packet) {
	host := h.rrule
	if h.silent {
		host = w.stored(t, h).Applied
	}
	w.record(t, h, p.FailHint.Args)
	kept := slices.DeleteFunc(h.failed, func(old pair) bool {
		return w.now.Sub(old.at) > 24*time.Hour || !h.silent && old.host != host || old.host == host && old.target == p.Backoff.Target
	})
	h.failed = append(kept, pair{p.Backoff.Target, host, w.now})
	h.failed = h.failed[max(0, len(h.failed)-4):]
}

func (h *simHost) ack(t require.TestingT, w *world, p *packet) {
	if h.loses {
		return
	}
	w.record(t, h, p.AckHint.Args)
	h.failed = slices.DeleteFunc(h.failed, func(old pair) bool { return old.target == p.Backoff.Target })
	again := h.ask(t, w).App
	assert.False(t, again.Backoff.Apply, "an acknowledgement is followed by no other target")
	assert.False(t, again.Backoff.Ack)
	assert.Equal(t, p.Backoff.Target, again.Backoff.Target)
}

// record runs the argv of a hint as it is. The only thing that it may do is to put the state of this agent and app.
func (w *world) record(t require.TestingT, h *simHost, argv []string) {
	r, write := parsedHint(t, argv)
	others := maps.Clone(w.states)
	var result struct {
		OK       bool `json:"ok"`
		Document struct {
			NoSpend  bool   `json:"no_spend"`
			Appended bool   `json:"appended"`
			Written  bool   `json:"written"`
			Already  bool   `json:"already_applied"`
			Reason   string `json:"reason"`
		} `json:"document"`
		Effects []struct {
			Kind    string         `json:"kind"`
			Surface string         `json:"surface"`
			State   map[string]any `json:"state"`
		} `json:"effects"`
	}
	decoded(t, evaluate(t, w.rules.record, w.input(t, h, r, &write)), &result)
	require.True(t, result.OK, result.Document.Reason)
	assert.True(t, result.Document.NoSpend && !result.Document.Appended)
	assert.Equal(t, result.Document.Written, len(result.Effects) == 1)
	if len(result.Effects) == 0 {
		assert.True(t, result.Document.Already, "what a host went back to is recorded already")
		return
	}
	assert.Equal(t, "put_scheduler_state", result.Effects[0].Kind, "nothing is ever spent")
	text, err := json.Marshal(result.Effects[0].State)
	require.NoError(t, err)
	surface := h.surface()
	assert.Equal(t, surface.Surface, result.Effects[0].Surface)
	state, ok := scheduler.Parse(text, "g1", h.agent, surface)
	require.True(t, ok, "a reader accepts what is written")
	assert.LessOrEqual(t, len(state.Failures), 4)
	w.states[h.agent+"/"+surface.Surface] = string(text)
	for scope, before := range others {
		if scope != h.agent+"/"+surface.Surface {
			assert.Equal(t, before, w.states[scope], "the state of another agent is left alone")
		}
	}
}

// parsedHint reads the argv of a hint, which must be bound to this project.
func parsedHint(t require.TestingT, argv []string) (facts.Request, facts.Write) {
	r := facts.Request{AvailableCapabilities: []string{}, IncludeDetail: []string{}}
	var (
		write            facts.Write
		registry, root   string
		codexRRULE, trae string
	)
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.StringVar(&registry, "registry", "", "")
	f.StringVar(&root, "runtime-root", "", "")
	f.StringVar(&r.GoalID, "goal-id", "", "")
	f.StringVar(&r.AgentID, "agent-id", "", "")
	f.BoolVarP(&r.CodexApp, "codex-app", "A", false, "")
	f.BoolVar(&r.TraeApp, "trae-app", false, "")
	f.StringVar(&write.Surface, "surface", "", "")
	f.StringVar(&write.StateKey, "state-key", "", "")
	f.StringVar(&write.AppliedRRULE, "applied-rrule", "", "")
	f.BoolVar(&write.HostMatchObserved, "host-match-observed", false, "")
	f.StringVar(&write.ResetToken, "reset-token", "", "")
	f.StringVar(&write.IdentitySignature, "identity-signature", "", "")
	f.StringVar(&write.FailedRRULE, "failed-rrule", "", "")
	f.StringVar(&codexRRULE, "codex-app-current-rrule", "", "")
	f.StringVar(&trae, "app-automation-current-rrule", "", "")
	f.BoolVar(&r.Execute, "execute", false, "")
	require.NoError(t, f.Parse(argv), argv)
	require.Len(t, f.Args(), 2)
	require.Equal(t, "quota", f.Arg(0))
	assert.Equal(t, []string{"registry.json", "runtime"}, []string{registry, root}, "the vector is bound to this project")
	r.Command, r.CurrentRRULE = f.Arg(1), codexRRULE+trae
	return r, write
}

func minutes(t require.TestingT, text string) time.Duration {
	rule, err := rrule.Parse(text)
	require.NoError(t, err)
	return time.Duration(rule.Interval) * time.Minute
}

// simulatedPolls is how many polls the simulations make together. With the race detector it is less (race_test.go).
var simulatedPolls = 10000

// simPolls is the number of polls; LOOPX_SIM_POLLS asks for another one.
func simPolls(t *testing.T) int {
	text := os.Getenv("LOOPX_SIM_POLLS")
	if text == "" {
		return simulatedPolls
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err)
	return n
}

// draws sets how often rapid draws until the test ends.
func draws(t *testing.T, n int) {
	checks := flag.Lookup("rapid.checks")
	before := checks.Value.String()
	require.NoError(t, checks.Value.Set(strconv.Itoa(n)))
	t.Cleanup(func() { _ = checks.Value.Set(before) }) // it was this before
}

// apps are the kinds of hosts that have a timer.
var apps = map[string]simHost{
	"obedient":         {profile: "codex_app_heartbeat"},
	"obedient in Trae": {profile: "trae_app"},
	"silent":           {profile: "codex_app_heartbeat", silent: true},
	"loses every ack":  {profile: "codex_app_heartbeat", loses: true},
	"fails":            {profile: "codex_app_heartbeat", fails: true},
	"fails in Trae":    {profile: "trae_app", fails: true},
	"fails in silence": {profile: "codex_app_heartbeat", fails: true, silent: true},
}

// TestSimulationHostsSettle runs every kind of app through every situation: the cadence reaches its cap and stays there, a failing
// host is never asked for the same twice, and another situation starts at its own initial interval with the next poll.
func TestSimulationHostsSettle(t *testing.T) {
	var polls atomic.Int64
	share := simPolls(t) * 7 / 10 / (len(apps) * len(situations))
	t.Run("table", func(t *testing.T) {
		for name, kind := range apps {
			for first, s := range situations {
				t.Run(name+" "+first, func(t *testing.T) {
					t.Parallel()
					h := kind
					h.agent, h.rrule = "a1", "FREQ=MINUTELY;INTERVAL=5"
					var mine atomic.Int64
					w := newWorld(t, first, &mine)
					var seen []int
					for len(seen) <= len(s.app) || int(mine.Load()) < share {
						seen = append(seen, h.poll(t, w).App.Minutes)
						w.now = w.now.Add(minutes(t, h.rrule))
					}
					want := slices.Clone(s.app)
					if h.fails || h.loses || s.holds { // nothing is known to be applied, or work goes on
						want = want[:1]
					}
					for len(want) < len(seen) {
						want = append(want, want[len(want)-1])
					}
					assert.Equal(t, want, seen)
					next := situationNames[(slices.Index(situationNames, first)+1)%len(situationNames)]
					w.situation = next
					assert.Equal(t, situations[next].app[0], h.poll(t, w).App.Minutes, "%s to %s", first, next)
					polls.Add(mine.Load())
				})
			}
		}
	})
	t.Logf("%d polls", polls.Load())
	assert.GreaterOrEqual(t, int(polls.Load()), share*len(apps)*len(situations))
}

// TestSimulationLoopsStop lets loops without a timer poll: the third unchanged poll asks once more, the loop stops after it, work
// never stops, and an app timer is never spoken of.
func TestSimulationLoopsStop(t *testing.T) {
	loops := map[string][2]string{ // the key of the host in the hint, and what it does after the limit
		"claude_code":        {"claude_code_loop", "stop_loop"},
		"codex_cli":          {"codex_cli_tui", "update_goal_blocked_keep_loopx_active"},
		"codex_app_ssh_goal": {"codex_app_ssh_goal", "update_goal_blocked_keep_loopx_active"},
		"generic_cli":        {"local_scheduler", "stop_tick_loop"},
		"outer_controller":   {"local_scheduler", "stop_tick_loop"},
	}
	var polls atomic.Int64
	share := max(8, simPolls(t)/10/(len(loops)*len(situations)))
	for profile, loop := range loops {
		for first, s := range situations {
			t.Run(profile+" "+first, func(t *testing.T) {
				t.Parallel()
				h := simHost{agent: "a1", profile: profile}
				w := newWorld(t, first, &polls)
				unchanged, token, stopped := 0, "", 0
				for n := 0; n < share; n++ {
					a := h.ask(t, w)
					limit := a.Poll.Limits[loop[0]]
					if a.Reset.Token != token {
						unchanged, token = 0, a.Reset.Token
					}
					unchanged++
					if limit == nil {
						assert.Zero(t, s.limit)
						assert.NotContains(t, a.Poll.After[loop[0]], "stop")
					} else if unchanged == *limit {
						assert.Equal(t, 3, *limit)
						n++
						require.Equal(t, token, h.ask(t, w).Reset.Token, "the final check finds the same")
						assert.Equal(t, loop[1], a.Poll.After[loop[0]])
						stopped++
						unchanged = 0 // the user resumes the loop
					}
					w.now = w.now.Add(10 * time.Minute)
				}
				assert.Equal(t, s.limit > 0, stopped > 0)
				assert.Empty(t, w.states, "nothing is written")
				w.feedback++
				if changed := h.ask(t, w).Reset.Token; s.monitor {
					assert.Equal(t, token, changed, "a monitor wait does not depend on the words of the recommendation")
				} else {
					assert.NotEqual(t, token, changed)
				}
			})
		}
	}
}

// TestSimulationRemindsOfAGateInWindows: while a host at five minutes cannot take the thirty of a gate, the person is
// told once in thirty minutes.
func TestSimulationRemindsOfAGateInWindows(t *testing.T) {
	var polls atomic.Int64
	w := newWorld(t, "gate", &polls)
	h := simHost{agent: "a1", profile: "codex_app_heartbeat", fails: true, rrule: "FREQ=MINUTELY;INTERVAL=5"}
	var due []int
	h.whole = true
	assert.False(t, h.poll(t, w).Cooldown.Active, "the first notice is the turn before the failure")
	for minute := 5; minute <= 120; minute += 5 {
		w.now = noon.Add(time.Duration(minute) * time.Minute)
		a := h.poll(t, w)
		assert.True(t, a.Cooldown.Active)
		if a.Cooldown.Due {
			due = append(due, minute)
		}
	}
	assert.Equal(t, []int{30, 60, 90, 120}, due)
	w.situation = "other gate"
	assert.False(t, h.poll(t, w).Cooldown.Active, "another gate is told at once")
}

// TestSimulationUnderRandomEvents drives three hosts of one goal through what can happen to them.
func TestSimulationUnderRandomEvents(t *testing.T) {
	const events = 25
	draws(t, max(1, simPolls(t)/5/events))
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	spring, autumn := time.Date(2026, 3, 29, 1, 50, 0, 0, berlin), time.Date(2026, 10, 25, 2, 50, 0, 0, berlin)
	var polls atomic.Int64
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t, rapid.SampledFrom(situationNames).Draw(t, "first"), &polls)
		hosts := []*simHost{
			{agent: "a1", profile: "codex_app_heartbeat", rrule: "FREQ=MINUTELY;INTERVAL=5"},
			{agent: "a2", profile: rapid.SampledFrom([]string{"codex_app_heartbeat", "trae_app"}).Draw(t, "app"), rrule: "FREQ=MINUTELY;INTERVAL=5"},
			{agent: "a1", profile: "trae_app", rrule: "FREQ=MINUTELY;INTERVAL=5"},
		}
		kinds := []string{"poll", "poll", "poll", "feedback", "reassigned", "edit", "fail", "lose", "silent", "jump", "clocks"}
		for i := range rapid.IntRange(events-10, events+5).Draw(t, "events") {
			h := rapid.SampledFrom(hosts).Draw(t, fmt.Sprintf("host %d", i))
			switch rapid.SampledFrom(kinds).Draw(t, fmt.Sprintf("event %d", i)) {
			case "feedback":
				w.feedback++
			case "reassigned": // or a resolved gate, or news of a monitor
				w.situation = rapid.SampledFrom(situationNames).Draw(t, "situation")
			case "edit":
				h.rrule = fmt.Sprintf("FREQ=MINUTELY;INTERVAL=%d", rapid.IntRange(1, 90).Draw(t, "minutes"))
			case "fail":
				h.fails = !h.fails
			case "lose":
				h.loses = !h.loses
			case "silent":
				h.silent = !h.silent
			case "jump":
				w.now = w.now.Add(time.Duration(rapid.IntRange(-180, 26*60).Draw(t, "jump")) * time.Minute)
			case "clocks":
				w.now = rapid.SampledFrom([]time.Time{spring, autumn, w.now.UTC(), w.now.In(berlin)}).Draw(t, "clock")
			}
			h.poll(t, w)
			w.now = w.now.Add(minutes(t, h.rrule))
		}
	})
	t.Logf("%d polls", polls.Load())
}

// TestTheWaitPolicyReadsTheContractAlone gives the wait policy nothing but the contract and the identity of whole decisions:
// its hint is the one that the decision holds.
func TestTheWaitPolicyReadsTheContractAlone(t *testing.T) {
	rules, err := loadWaitPolicy()
	require.NoError(t, err)
	whole, err := bundle.Load(bundle.Options{Annotations: true}) // from source, since these rules are no entrypoints
	require.NoError(t, err)
	compared := 0
	draws(t, max(5, simPolls(t)/300)) // seven whole decisions each
	rapid.Check(t, func(t *rapid.T) {
		in := wide(t)
		value, err := facts.Value(in)
		require.NoError(t, err)
		sim := vm.NewObject(8)
		for key, entry := range map[string]string{
			"contract": "data.loopx.interaction_contract.first", "identity": "data.loopx.interaction_contract.identity",
			"todos": "data.loopx.todos.by_id", "gates": "data.loopx.todos.gates_mine", "monitors": "data.loopx.todos.mon",
		} {
			part, err := whole.Eval(context.Background(), entry, value)
			if err != nil {
				return // paused or refused: there is no contract to wait on
			}
			sim.Put(vm.String(key), part)
		}
		want, err := whole.Eval(context.Background(), "data.loopx.scheduler_hint.hint", value)
		require.NoError(t, err)
		if selected, err := whole.Eval(context.Background(), "data.loopx.interaction_contract.selected_todo", value); err == nil {
			sim.Put(vm.String("selected_todo"), selected)
		}
		input := vm.NewObject(8)
		input.Put(vm.String("sim"), sim)
		input.Put(vm.String("now"), vm.String(in.Now))
		input.Put(vm.String("now_ns"), vm.Int(in.NowNS))
		for _, key := range []string{"request", "route", "scheduler_states", "host"} {
			if part := value.Get(vm.String(key)); part != nil {
				input.Put(vm.String(key), part)
			}
		}
		got := evaluate(t, rules.hint, input)
		assert.Equal(t, string(vm.AppendJSON(nil, want)), string(vm.AppendJSON(nil, got.Without(vm.String("cooldown")))))
		compared++
	})
	assert.Positive(t, compared)
}

package decide

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/loopx-dev/loopx-policy/engine/bundle"
	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/collect"
	"github.com/loopx-dev/loopx-policy/engine/facts/registry"
	"github.com/loopx-dev/loopx-policy/engine/rrule"
	"github.com/loopx-dev/loopx-policy/engine/store"
	"github.com/loopx-dev/loopx-policy/internal/casetest"
)

// situation is a state of the goal with the intervals that it leads agent a1 through.
type situation struct {
	user, agent string
	progression []int // minutes; work that goes on holds the first one
}

var situations = map[string]situation{
	"work":  {"", todo("todo_mine", "task_class=advancement_task claimed_by=a1"), []int{3}},
	"gate":  {todo("todo_gate", "task_class=user_gate global_gate=true goal_bound=true"), todo("todo_mine", "task_class=advancement_task claimed_by=a1"), []int{30, 60}},
	"scope": {"", todo("todo_theirs", "task_class=advancement_task claimed_by=a3"), []int{10, 20, 30, 60}},
	"monitor": {"", todo("todo_theirs", "task_class=advancement_task claimed_by=a3") +
		todo("todo_watch", "task_class=continuous_monitor target_key=ci cadence=10h next_due_at=2036-08-21T12:00:00+00:00 claimed_by=a1"), []int{15, 30, 60}},
}

func todo(id, rest string) string {
	return fmt.Sprintf("- [ ] [P1] Deal with %s.\n  <!-- loopx:todo todo_id=%s status=open %s -->\n", id, id, rest)
}

// world is one goal of three agents under a clock that the test moves.
type world struct {
	dir    string
	now    time.Time
	polls  int
	engine func() *Engine
}

type simRules struct {
	policy   *bundle.Bundle
	settings collect.Settings
}

var loadSimRules = sync.OnceValues(func() (out simRules, err error) {
	if out.policy, err = bundle.Load(bundle.Options{Entrypoints: Entrypoints}); err == nil {
		out.settings, err = collect.DecodeSettings(out.policy.DecodeSettings)
	}
	return out, err
})

func newWorld(t require.TestingT, dir, first string) *world {
	rules, err := loadSimRules()
	require.NoError(t, err)
	w := &world{dir: dir, now: noon}
	require.NoError(t, writeFile(dir, "registry.json", map[string]any{
		"schema_version": 1, "common_runtime_root": "runtime",
		"goals": []any{map[string]any{
			"id": "g1", "domain": "demo", "status": "active", "repo": ".", "state_file": "STATE.md",
			"adapter":      map[string]any{"kind": "fixture_adapter_v0", "status": "connected"},
			"quota":        map[string]any{"compute": 1.0, "window_hours": 24},
			"coordination": map[string]any{"agent_model": "peer_v1", "registered_agents": []any{"a1", "a2", "a3"}},
		}},
	}))
	w.enter(t, first)
	w.engine = func() *Engine {
		none := func(string) string { return "" }
		route, file, err := registry.Open(registry.Options{
			Registry: "registry.json", RuntimeRoot: "runtime", Dir: dir, Home: filepath.Join(dir, "home"), Env: none,
		})
		require.NoError(t, err)
		e, err := New(rules.policy, collect.New(route, file, rules.settings).WithEnv(none), false)
		require.NoError(t, err)
		return e.WithStore(store.New(route.Path(route.RuntimeRoot)))
	}
	return w
}

// enter puts the goal into a situation.
func (w *world) enter(t require.TestingT, name string) {
	s, known := situations[name]
	require.True(t, known, name)
	require.NoError(t, writeFile(w.dir, "STATE.md", "---\nstatus: active\nupdated_at: 2026-08-20T11:00:00+00:00\n---\n\n## Objective\n\nShip it.\n\n## Next Action\n\n"+
		"- Do the next bounded step.\n\n## User Todo / Owner Review Reading Queue\n\n"+s.user+"\n## Agent Todo\n\n"+s.agent))
}

// writeFile writes text, or a value as JSON.
func writeFile(dir, name string, content any) error {
	text, err := json.Marshal(content)
	if err != nil {
		return err
	}
	return casetest.Write(dir, map[string]json.RawMessage{name: text})
}

// stored is the text of an agent's scheduler state, empty when there is none.
func (w *world) stored(t require.TestingT, agent string) string {
	paths, err := filepath.Glob(filepath.Join(w.dir, "runtime/goals/g1/scheduler-state", agent, "*/*.json"))
	require.NoError(t, err)
	require.LessOrEqual(t, len(paths), 1)
	if len(paths) == 0 {
		return ""
	}
	text, err := os.ReadFile(paths[0])
	require.NoError(t, err)
	return string(text)
}

// simHost is an app with a timer that polls for one agent.
type simHost struct {
	agent    string
	trae     bool
	silent   bool // does not say which interval it has
	fails    bool // cannot change its interval
	loses    bool // forgets to acknowledge
	rrule    string
	failedAt time.Time // of the newest recorded failure, zero when something else was recorded since
	failed   [2]string // its target and interval
}

// packet is what the host reads in an answer.
type packet struct {
	RRULE   string `json:"recommended_rrule"`
	Minutes int    `json:"recommended_interval_minutes"`
	Backoff struct {
		Token  string `json:"reset_token"`
		Index  int    `json:"progression_index"`
		Target string `json:"current_rrule"`
		Apply  bool   `json:"apply_needed"`
		Ack    bool   `json:"ack_needed"`
	} `json:"stateful_backoff"`
	AckHint struct {
		Args []string `json:"cli_args"`
	} `json:"ack_hint"`
	FailHint struct {
		Args []string `json:"cli_args"`
	} `json:"failure_hint"`
}

func (h *simHost) ask(t require.TestingT, w *world) packet {
	request := facts.Request{Command: KindShouldRun, GoalID: "g1", AgentID: h.agent, CodexApp: !h.trae, TraeApp: h.trae}
	if !h.silent {
		request.CurrentRRULE = h.rrule
	}
	doc, err := w.engine().ShouldRun(context.Background(), request, w.now)
	require.NoError(t, err)
	w.polls++
	var answer struct {
		Quota struct {
			Spent int `json:"spent_slots"`
		} `json:"quota"`
		Hint struct {
			Codex *packet `json:"codex_app"`
			App   packet  `json:"app_automation"`
		} `json:"scheduler_hint"`
	}
	require.NoError(t, json.Unmarshal(doc.JSON(), &answer))
	assert.Zero(t, answer.Quota.Spent)
	assert.NoDirExists(t, filepath.Join(w.dir, "runtime/goals/g1/runs"), "no run is ever written")
	assert.Equal(t, h.trae, answer.Hint.Codex == nil)
	p := answer.Hint.App
	assert.Equal(t, p.Backoff.Apply, p.RRULE != "")
	assert.LessOrEqual(t, p.Minutes, 60)
	return p
}

// poll is one turn of the host: it asks, changes its timer when it is told to and reports what came of it.
func (h *simHost) poll(t require.TestingT, w *world) packet {
	p := h.ask(t, w)
	switch {
	case p.Backoff.Apply && h.fails:
		repeated := h.failed == [2]string{p.Backoff.Target, h.rrule} && !h.failedAt.IsZero() && w.now.Sub(h.failedAt) <= 24*time.Hour
		assert.False(t, repeated, "%s was asked of a host at %s that failed before", p.Backoff.Target, h.rrule)
		w.record(t, p.FailHint.Args)
		h.failed, h.failedAt = [2]string{p.Backoff.Target, h.rrule}, w.now
	case p.Backoff.Apply:
		h.rrule = p.RRULE
		h.ack(t, w, p)
	case p.Backoff.Ack:
		h.ack(t, w, p)
	}
	return p
}

func (h *simHost) ack(t require.TestingT, w *world, p packet) {
	if h.loses {
		return
	}
	w.record(t, p.AckHint.Args)
	h.failedAt = time.Time{}
	again := h.ask(t, w)
	assert.False(t, again.Backoff.Apply, "an acknowledgement is followed by no other target")
	assert.False(t, again.Backoff.Ack)
	assert.Equal(t, p.Backoff.Target, again.Backoff.Target)
}

// record runs the argv of a hint as it is.
func (w *world) record(t require.TestingT, argv []string) {
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
	doc, err := w.engine().Write(context.Background(), EntrySchedulerWrite, r, write, w.now)
	require.NoError(t, err)
	require.True(t, doc.OK(), string(doc.JSON()))
}

func minutes(t require.TestingT, text string) time.Duration {
	rule, err := rrule.Parse(text)
	require.NoError(t, err)
	return time.Duration(rule.Interval) * time.Minute
}

// simPolls is how many polls the table makes; LOOPX_SIM_POLLS asks for more.
func simPolls(t *testing.T) int {
	text := os.Getenv("LOOPX_SIM_POLLS")
	if text == "" {
		return 300
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err)
	return n
}

// TestHostsSettle runs every kind of host through every situation: the cadence reaches its cap and stays there, a failing
// host is never asked for the same twice, and another situation starts at its own initial interval with the next poll.
func TestHostsSettle(t *testing.T) {
	hosts := map[string]simHost{
		"obedient":         {},
		"obedient in Trae": {trae: true},
		"silent":           {silent: true},
		"loses every ack":  {loses: true},
		"fails":            {fails: true},
		"fails in silence": {fails: true, silent: true},
	}
	names := slices.Sorted(maps.Keys(situations))
	each := max(6, simPolls(t)/(len(hosts)*len(situations)*2))
	for name, kind := range hosts {
		for first, s := range situations {
			t.Run(name+" "+first, func(t *testing.T) {
				t.Parallel()
				h := kind
				h.agent, h.rrule = "a1", "FREQ=MINUTELY;INTERVAL=5"
				w := newWorld(t, t.TempDir(), first)
				var seen []int
				for range each {
					seen = append(seen, h.poll(t, w).Minutes)
					w.now = w.now.Add(minutes(t, h.rrule))
				}
				want := slices.Clone(s.progression)
				if h.fails || h.loses { // nothing is known to be applied, so nothing advances
					want = want[:1]
				}
				for len(want) < each {
					want = append(want, want[len(want)-1])
				}
				assert.Equal(t, want, seen)
				next := names[(slices.Index(names, first)+1)%len(names)]
				w.enter(t, next)
				assert.Equal(t, situations[next].progression[0], h.poll(t, w).Minutes, "%s to %s", first, next)
			})
		}
	}
}

// TestHostsUnderRandomEvents drives two hosts of one goal through what can happen to them.
func TestHostsUnderRandomEvents(t *testing.T) {
	checks := flag.Lookup("rapid.checks")
	before := checks.Value.String()
	require.NoError(t, checks.Value.Set(strconv.Itoa(simPolls(t)/50)))
	t.Cleanup(func() { _ = checks.Value.Set(before) }) // it was this before
	root, run := t.TempDir(), 0
	names := slices.Sorted(maps.Keys(situations))
	zones := []*time.Location{time.UTC, time.FixedZone("winter", 3600), time.FixedZone("summer", 7200)}
	rapid.Check(t, func(t *rapid.T) {
		run++
		w := newWorld(t, filepath.Join(root, strconv.Itoa(run)), rapid.SampledFrom(names).Draw(t, "first"))
		hosts := []*simHost{
			{agent: "a1", rrule: "FREQ=MINUTELY;INTERVAL=5"},
			{agent: "a2", trae: rapid.Bool().Draw(t, "trae"), rrule: "FREQ=MINUTELY;INTERVAL=5"},
		}
		for i := range rapid.IntRange(1, 6).Draw(t, "events") {
			n := rapid.IntRange(0, 1).Draw(t, fmt.Sprintf("host %d", i))
			h, other := hosts[n], hosts[1-n]
			switch event := rapid.SampledFrom([]string{"poll", "poll", "move on", "edit", "fail", "lose", "jump", "zone"}).Draw(t, fmt.Sprintf("event %d", i)); event {
			case "move on": // feedback, a reassignment, a resolved gate
				w.enter(t, rapid.SampledFrom(names).Draw(t, "situation"))
			case "edit":
				h.rrule = fmt.Sprintf("FREQ=MINUTELY;INTERVAL=%d", rapid.IntRange(1, 90).Draw(t, "minutes"))
			case "fail":
				h.fails = !h.fails
			case "lose":
				h.loses = !h.loses
			case "jump":
				w.now = w.now.Add(time.Duration(rapid.IntRange(-180, 26*60).Draw(t, "jump")) * time.Minute)
			case "zone":
				w.now = w.now.In(rapid.SampledFrom(zones).Draw(t, "offset"))
			}
			mine, theirs := w.stored(t, h.agent), w.stored(t, other.agent)
			p := h.poll(t, w)
			assert.Equal(t, theirs, w.stored(t, other.agent), "the state of another agent is left alone")
			var before struct {
				Token string `json:"reset_token"`
			}
			if mine != "" {
				require.NoError(t, json.Unmarshal([]byte(mine), &before))
			}
			if before.Token != p.Backoff.Token {
				assert.Zero(t, p.Backoff.Index, "another token starts over")
			}
			w.now = w.now.Add(minutes(t, h.rrule))
		}
	})
}

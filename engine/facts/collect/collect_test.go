package collect_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	yaml "go.yaml.in/yaml/v3"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/collect"
	"github.com/loopx-dev/loopx-policy/engine/facts/registry"
)

var now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// decode reads the settings that ship with the bundle.
func decode(topic string, out any) error {
	text, err := os.ReadFile("../../../policy/loopx/settings/" + topic + "/data.yaml")
	if err != nil {
		return err
	}
	var tree any
	if err := yaml.Unmarshal(text, &tree); err != nil {
		return err
	}
	if text, err = json.Marshal(tree); err != nil {
		return err
	}
	return json.Unmarshal(text, out)
}

var shipped = sync.OnceValues(func() (collect.Settings, error) { return collect.DecodeSettings(decode) })

// project is a directory with a registry, opened with a fixed environment.
type project struct {
	dir string
	env map[string]string
}

func newProject(t testing.TB, files map[string]string) *project {
	t.Helper()
	p := &project{dir: t.TempDir(), env: map[string]string{}}
	p.write(t, files)
	return p
}

func (p *project) write(t testing.TB, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(p.dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
}

func (p *project) open(t testing.TB) *collect.Collector {
	t.Helper()
	c, err := p.openWith(t, registry.Options{Registry: "registry.json"})
	require.NoError(t, err)
	return c
}

func (p *project) openWith(t testing.TB, o registry.Options) (*collect.Collector, error) {
	t.Helper()
	settings, err := shipped()
	require.NoError(t, err)
	o.Home, o.Dir, o.Env = filepath.Join(p.dir, "home"), p.dir, func(key string) string { return p.env[key] }
	route, file, err := registry.Open(o)
	if err != nil {
		return nil, err
	}
	return collect.New(route, file, settings).WithEnv(o.Env), nil
}

func (p *project) input(t testing.TB, goal, agent string) *facts.Input {
	t.Helper()
	in, err := p.open(t).Input(t.Context(), facts.Request{Command: "should-run", GoalID: goal, AgentID: agent}, now)
	require.NoError(t, err)
	checkSchema(t, in)
	return in
}

var compile = sync.OnceValues(func() (*jsonschema.Schema, error) {
	return jsonschema.Compile("../../../schemas/facts/input.json")
})

// checkSchema holds an input document against its schema.
func checkSchema(t testing.TB, in *facts.Input) {
	t.Helper()
	schema, err := compile()
	require.NoError(t, err)
	text, err := json.Marshal(in)
	require.NoError(t, err)
	var doc any
	require.NoError(t, json.Unmarshal(text, &doc))
	require.NoError(t, schema.Validate(doc))
}

func row(id, more string) string {
	return fmt.Sprintf(`{"id": %q, "domain": "d", "repo": ".", "state_file": "goals/%s.md", "adapter": {"kind": "k", "status": "connected"}%s}`,
		id, id, more)
}

func listing(rows ...string) string {
	return "{\"common_runtime_root\": \"rt\", \"goals\": [\n" + strings.Join(rows, ",\n") + "\n]}\n"
}

const state = "---\nstatus: active\nhandoff_mode: soft_claim\n---\n\n## Agent Todo\n\n- [ ] [P1] Write the parser.\n  <!-- loopx:todo todo_id=todo_aaaaaaaaaaaa status=open task_class=advancement_task -->\n"

const run = `{"generated_at": "2026-11-30T11:00:00+00:00", "goal_id": "g1", "classification": "widget_done"}` + "\n"

func TestInputOfAGoal(t *testing.T) {
	p := newProject(t, map[string]string{
		"registry.json":                                   listing(row("g1", `, "coordination": {"registered_agents": ["codex-a"]}`)),
		"goals/g1.md":                                     state,
		"rt/goals/g1/runs/index.jsonl":                    run,
		"rt/goals/g1/inbox-fact.json":                     `{"schema_version": "loopx_inbox_fact_v0", "goal_id": "g1", "reply_due": true, "pending_count": 2}`,
		"rt/release/promotion-readiness/runs/index.jsonl": `{"generated_at": "2026-11-30T10:00:00Z", "classification": "canary_promotion_readiness_smoke_group"}` + "\n",
		"codex/automations/one/automation.toml":           "kind = \"heartbeat\"\nprompt = \"loopx --goal-id g1 --agent-id codex-a\"\nrrule = \"FREQ=MINUTELY;INTERVAL=3\"\n",
		"rt/goals/g1/scheduler-state/codex-a/codex_app/d9ad89d416adc9b2.json": `{"schema_version": "loopx_scheduler_state_v0", "goal_id": "g1",
			"agent_id": "codex-a", "surface": "codex_app", "state_key": "scheduler_hint.codex_app.stateful_backoff", "reset_token": "r",
			"identity_signature": "s", "progression_index": 0, "progression_minutes": [3], "last_applied_rrule": "FREQ=MINUTELY;INTERVAL=3"}`,
	})
	p.env["CODEX_HOME"] = filepath.Join(p.dir, "codex")
	in := p.input(t, "g1", "Codex A")

	assert.Equal(t, facts.Route{Registry: "registry.json", RegistryExists: true, RuntimeRoot: "rt", GoalCount: 1, RunCount: 1}, in.Route)
	assert.Empty(t, in.Findings)
	assert.Equal(t, "g1", in.Goal.ID)
	assert.Equal(t, "soft_claim", in.Goal.HandoffMode)
	assert.True(t, in.State.Exists)
	assert.Equal(t, "goals/g1.md", in.State.File)
	require.Len(t, in.Todos, 1)
	assert.Equal(t, "todo_aaaaaaaaaaaa", in.Todos[0].ID)
	require.Len(t, in.Runs, 1)
	assert.Equal(t, "widget_done", in.StatusRun.Classification)
	assert.Equal(t, facts.Inbox{ReplyDue: true, PendingCount: 2}, in.Inbox)
	assert.Equal(t, "2026-11-30T10:00:00Z", in.Promotion.GeneratedAt)
	assert.Equal(t, []facts.Automation{{ID: "one", RRULE: "FREQ=MINUTELY;INTERVAL=3"}}, in.Host.Automations)
	require.Len(t, in.SchedulerStates, 1)
	assert.Equal(t, "2026-11-30T12:00:00Z", in.Now)
	assert.Equal(t, now.UnixNano(), in.NowNS)

	unscoped := p.input(t, "g1", "")
	assert.Empty(t, unscoped.SchedulerStates)
	assert.Empty(t, unscoped.Host.Automations)
}

func TestUnknownGoal(t *testing.T) {
	p := newProject(t, map[string]string{"registry.json": listing(), "rt/goals/old/x": ""})
	in := p.input(t, "nope", "")
	assert.Nil(t, in.Goal)
	assert.False(t, in.LegacyGoal)
	assert.True(t, p.input(t, "old", "").LegacyGoal)
	assert.False(t, p.input(t, "", "").LegacyGoal)
	assert.NoDirExists(t, filepath.Join(p.dir, "rt/goals/nope"))
}

func TestGoalIDThatIsNoPathSegment(t *testing.T) {
	p := newProject(t, map[string]string{"registry.json": listing(row("a/b", "")), "rt/goals/a/b/runs/index.jsonl": run})
	for _, id := range []string{"a/b", "..", `a\b`, "../../etc"} {
		_, err := p.open(t).Input(t.Context(), facts.Request{GoalID: id}, now)
		var refusal *facts.Error
		require.ErrorAs(t, err, &refusal, id)
		assert.Equal(t, facts.CodeArguments, refusal.Code)
	}
	peer, err := p.open(t).Peer(t.Context(), "a/b", now)
	require.NoError(t, err)
	assert.Equal(t, "a/b", peer.Goal.ID)
	assert.Empty(t, peer.Runs, "no path is built from the id")
}

func TestMissingRegistry(t *testing.T) {
	in := newProject(t, nil).input(t, "g1", "")
	assert.False(t, in.Route.RegistryExists)
	require.Len(t, in.Findings, 1)
	assert.Equal(t, "registry_missing", in.Findings[0].Code)
	assert.Equal(t, "global", in.Findings[0].Scope)
}

func TestStateFileProblemsAreFindingsOfTheGoal(t *testing.T) {
	cases := map[string]struct {
		prepare func(t *testing.T, dir string)
		code    string
	}{
		"missing":   {func(*testing.T, string) {}, "state_file_missing"},
		"directory": {func(t *testing.T, path string) { require.NoError(t, os.Mkdir(path, 0o755)) }, "state_file_is_directory"},
		"pipe":      {func(t *testing.T, path string) { require.NoError(t, syscall.Mkfifo(path, 0o644)) }, "state_file_not_regular"},
		"not UTF-8": {func(t *testing.T, path string) { require.NoError(t, os.WriteFile(path, []byte("a\xff"), 0o644)) }, "state_file_not_utf8"},
		"50 MB": {func(t *testing.T, path string) {
			require.NoError(t, os.WriteFile(path, nil, 0o644))
			require.NoError(t, os.Truncate(path, 50<<20))
		}, "state_file_too_large"},
		"symlink loop": {func(t *testing.T, path string) { require.NoError(t, os.Symlink(path, path)) }, "state_file_symlink_loop"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p := newProject(t, map[string]string{"registry.json": listing(row("bad", ""), row("good", "")), "goals/good.md": state})
			c.prepare(t, filepath.Join(p.dir, "goals/bad.md"))
			in := p.input(t, "bad", "")
			assert.False(t, in.State.Exists)
			require.Len(t, in.Findings, 1)
			f := in.Findings[0]
			assert.Equal(t, []string{c.code, "goal", "bad", "goals/bad.md"}, []string{f.Code, f.Scope, f.GoalID, f.File})
			assert.NotContains(t, f.Message, p.dir, "no absolute path")
			assert.Empty(t, p.input(t, "good", "").Findings, "the neighbour is not touched")
		})
	}
}

func TestStateFileOutsideTheProject(t *testing.T) {
	p := newProject(t, map[string]string{
		"registry.json": listing(strings.ReplaceAll(row("g", ""), "goals/g.md", "../outside.md")),
	})
	in := p.input(t, "g", "")
	require.Len(t, in.Findings, 1)
	assert.Equal(t, "state_file_escapes_root", in.Findings[0].Code)
}

func TestUndeclaredStateFileIsOneFinding(t *testing.T) {
	p := newProject(t, map[string]string{
		"registry.json": listing(`{"id": "g", "domain": "d", "repo": ".", "adapter": {"kind": "k"}}`),
	})
	in := p.input(t, "g", "")
	require.Len(t, in.Findings, 1)
	assert.Equal(t, "registry_field_missing", in.Findings[0].Code)
	assert.False(t, in.Goal.StateFileDeclared)
}

func TestAbsoluteAndHomePaths(t *testing.T) {
	p := newProject(t, map[string]string{"home/work/goals/g.md": state, "elsewhere/s.md": state})
	p.write(t, map[string]string{"registry.json": listing(
		strings.ReplaceAll(row("g", ""), `"repo": "."`, `"repo": "~/work"`),
		strings.ReplaceAll(row("h", ""), "goals/h.md", filepath.Join(p.dir, "elsewhere/s.md")),
	)})
	assert.True(t, p.input(t, "g", "").State.Exists)
	assert.True(t, p.input(t, "h", "").State.Exists)
}

func TestUnreadableHistoryIsAFinding(t *testing.T) {
	p := newProject(t, map[string]string{"registry.json": listing(row("g", "")), "goals/g.md": state})
	index := filepath.Join(p.dir, "rt/goals/g/runs/index.jsonl")
	require.NoError(t, os.MkdirAll(index, 0o755))
	in := p.input(t, "g", "")
	require.Len(t, in.Findings, 1)
	f := in.Findings[0]
	assert.Equal(t, []string{"goal", "g", "rt/goals/g/runs/index.jsonl"}, []string{f.Scope, f.GoalID, f.File})
	assert.NotContains(t, f.Message, p.dir)
}

func TestDamagedHistoryNamesFileAndLine(t *testing.T) {
	p := newProject(t, map[string]string{
		"registry.json": listing(row("g1", "")), "goals/g1.md": state,
		"rt/goals/g1/runs/index.jsonl": run + "{ broken\n" + run,
	})
	in := p.input(t, "g1", "")
	require.Len(t, in.Findings, 1)
	f := in.Findings[0]
	assert.Equal(t, []any{"goal", "g1", "rt/goals/g1/runs/index.jsonl", 2}, []any{f.Scope, f.GoalID, f.File, f.Line})
}

func TestEventLogIsNoticed(t *testing.T) {
	p := newProject(t, map[string]string{"registry.json": listing(row("g", "")), "goals/g.md": state})
	assert.False(t, p.input(t, "g", "").State.EventSourced)
	p.write(t, map[string]string{"goals/events.jsonl": "{}\n"})
	assert.True(t, p.input(t, "g", "").State.EventSourced)
}

func TestBrokenSharedRegistryConcernsEveryGoal(t *testing.T) {
	for name, text := range map[string]string{"not JSON": "{\n", "a list": "\n[]"} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t, map[string]string{
				"registry.json": listing(row("g", "")), "goals/g.md": state, "rt/registry.global.json": text,
			})
			in := p.input(t, "g", "")
			require.Len(t, in.Findings, 1)
			f := in.Findings[0]
			assert.Equal(t, []any{"global", "rt/registry.global.json", 2}, []any{f.Scope, f.File, f.Line})
			assert.Equal(t, "health.global_registry", f.Rule)
			assert.NotContains(t, f.Message, p.dir)
			peer, err := p.open(t).Peer(t.Context(), "g", now)
			require.NoError(t, err)
			assert.Equal(t, in.Findings, peer.Findings)
		})
	}
}

func TestPeerSeesOnlyFindingsThatConcernIt(t *testing.T) {
	p := newProject(t, map[string]string{
		"registry.json": listing(row("a", `, "quota": {"compute": -1}`), row("b", ""), row("c", `, "quota": {"compute": -1}`), "7"),
		"goals/a.md":    state, "goals/b.md": state,
	})
	c := p.open(t)
	assert.Equal(t, []string{"a", "b", "c"}, c.Goals())
	codes := func(id string) (out []string) {
		peer, err := c.Peer(t.Context(), id, now)
		require.NoError(t, err)
		checkSchema(t, peer)
		for _, f := range peer.Findings {
			out = append(out, f.Code)
		}
		return out
	}
	assert.Equal(t, []string{"quota_value_invalid", "registry_goal_not_object"}, codes("a"))
	assert.Equal(t, []string{"registry_goal_not_object"}, codes("b"))
	assert.Equal(t, []string{"quota_value_invalid", "registry_goal_not_object", "state_file_missing"}, codes("c"))

	in := p.input(t, "b", "")
	assert.Len(t, in.Findings, 3, "the selected goal's input keeps every registry finding")
}

func TestLegacyPromotionRow(t *testing.T) {
	p := newProject(t, map[string]string{
		"registry.json": listing(row("g1", "")), "goals/g1.md": state,
		"rt/goals/g1/runs/index.jsonl": strings.ReplaceAll(run, "widget_done", "canary_promotion_readiness_smoke_group"),
	})
	in := p.input(t, "g1", "")
	require.NotNil(t, in.Promotion)
	assert.True(t, in.Promotion.Legacy)
}

func TestNothingIsWritten(t *testing.T) {
	p := newProject(t, map[string]string{"registry.json": listing(row("g", ""), row("h", "")), "goals/g.md": state})
	before := tree(t, p.dir)
	for _, id := range []string{"g", "h", "unknown", ""} {
		p.input(t, id, "codex-a")
	}
	assert.Equal(t, before, tree(t, p.dir))
}

func tree(t *testing.T, dir string) map[string]time.Time {
	t.Helper()
	out := map[string]time.Time{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		out[path] = info.ModTime()
		return err
	}))
	return out
}

func TestCancelledContext(t *testing.T) {
	p := newProject(t, map[string]string{"registry.json": listing(row("g", ""))})
	c := p.open(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := c.Input(ctx, facts.Request{GoalID: "g"}, now)
	assert.ErrorIs(t, err, ctx.Err())
}

func TestUnusableSettings(t *testing.T) {
	_, err := collect.DecodeSettings(func(string, any) error { return fs.ErrNotExist })
	assert.ErrorIs(t, err, fs.ErrNotExist)

	p := newProject(t, map[string]string{"registry.json": listing(row("g", "")), "rt/goals/g/runs/index.jsonl": run})
	route, file, err := registry.Open(registry.Options{Registry: "registry.json", Home: p.dir, Dir: p.dir})
	require.NoError(t, err)
	_, err = collect.New(route, file, collect.Settings{}).Peer(t.Context(), "g", now)
	assert.ErrorContains(t, err, "settings", "unusable settings are not the goal's fault")
}

// BenchmarkThousandGoals opens a registry of 1,000 goals and reads them all on all cores, as a plan does.
func BenchmarkThousandGoals(b *testing.B) {
	files := map[string]string{}
	rows := make([]string, 1000)
	for i := range rows {
		id := fmt.Sprintf("goal-%04d", i)
		rows[i] = row(id, `, "coordination": {"registered_agents": ["codex-a", "codex-b"], "write_scope": ["src/**"]}`)
		files["goals/"+id+".md"] = state
		files["rt/goals/"+id+"/runs/index.jsonl"] = strings.Repeat(strings.ReplaceAll(run, "g1", id), 5)
	}
	files["registry.json"] = listing(rows...)
	p := newProject(b, files)
	for b.Loop() {
		c := p.open(b)
		var wg sync.WaitGroup
		ids := make(chan string)
		for range 2 {
			wg.Go(func() {
				for id := range ids {
					if _, err := c.Peer(b.Context(), id, now); err != nil {
						b.Error(err)
					}
				}
			})
		}
		for _, id := range c.Goals() {
			ids <- id
		}
		close(ids)
		wg.Wait()
	}
}

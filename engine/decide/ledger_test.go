package decide

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/loopx-dev/loopx-policy/engine/bundle"
	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/collect"
	"github.com/loopx-dev/loopx-policy/engine/facts/registry"
	"github.com/loopx-dev/loopx-policy/engine/schema"
	"github.com/loopx-dev/loopx-policy/engine/store"
	"github.com/loopx-dev/loopx-policy/engine/vm"
	"github.com/loopx-dev/loopx-policy/schemas"
)

const ledgerRegistry = `{"schema_version": 1, "goals": [{"id": "g1", "domain": "demo", "status": "active", "repo": ".",
 "state_file": "STATE.md", "adapter": {"kind": "demo_v0", "status": "connected-delivery"},
 "quota": {"compute": 1.0, "window_hours": 24, "allowed_slots": 9},
 "coordination": {"agent_model": "peer_v1", "registered_agents": ["a1", "a2"]}}]}
`

const ledgerState = `---
status: active
updated_at: 2026-08-20T11:00:00+00:00
---

# Goal

## Next Action

- Carry on with the parser.

## Agent Todo

- [ ] [P1] Implement the tokenizer.
  <!-- loopx:todo todo_id=todo_tok status=open task_class=advancement_task claimed_by=a1 -->
- [ ] [P1] Implement the printer.
  <!-- loopx:todo todo_id=todo_prn status=open task_class=advancement_task claimed_by=a2 -->
`

// quietState has nothing but a monitor whose time has not come.
const quietState = `---
status: active
updated_at: 2026-08-20T11:00:00+00:00
---

# Goal

## Agent Todo

- [ ] [P1] Watch the build.
  <!-- loopx:todo todo_id=todo_mon status=open task_class=continuous_monitor target_key=ci cadence=3h next_due_at=2026-08-21T15:00:00+00:00 claimed_by=a1 -->
- [ ] [P1] Implement the printer.
  <!-- loopx:todo todo_id=todo_prn status=open task_class=advancement_task claimed_by=a2 -->
`

// books is a project whose ledger is kept by the real rules and the real store.
type books struct {
	t   require.TestingT
	dir string
	now time.Time
	// store replaces the real one.
	store store.Store
	runs  int // that another tool wrote
}

func openBooks(t require.TestingT, dir, state string) *books {
	b := &books{t: t, dir: dir, now: time.Date(2026, 8, 20, 12, 0, 0, 0, time.UTC), store: store.New()}
	b.write(".loopx/registry.json", ledgerRegistry)
	b.write("STATE.md", state)
	b.append("index.jsonl", map[string]any{"classification": "state_refreshed"})
	return b
}

func (b *books) write(name, text string) {
	path := filepath.Join(b.dir, name)
	require.NoError(b.t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(b.t, os.WriteFile(path, []byte(text), 0o600))
}

func (b *books) runtime(name string) string {
	return filepath.Join(b.dir, ".loopx", "goals", "g1", name)
}

// append adds a line that another tool wrote: a run of the index, or an event.
func (b *books) append(name string, fields map[string]any) {
	path := b.runtime(name)
	if name == "index.jsonl" {
		path = b.runtime("runs/index.jsonl")
		fields["generated_at"] = b.now.Format("2006-01-02T15:04:05-07:00")
		fields["recommended_action"], fields["health_check"] = "carry on", "ok"
		b.runs++ // rows of one time and one artifact would be one row
		name := fmt.Sprintf("run-%d", b.runs)
		fields["json_path"], fields["markdown_path"] = filepath.Join(b.dir, name+".json"), filepath.Join(b.dir, name+".md")
		b.write(name+".json", "{}")
		b.write(name+".md", "# run\n")
	}
	fields["goal_id"] = "g1"
	line, err := json.Marshal(fields)
	require.NoError(b.t, err)
	require.NoError(b.t, os.MkdirAll(filepath.Dir(path), 0o700))
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(b.t, err)
	_, err = file.Write(append(line, '\n'))
	require.NoError(b.t, err)
	require.NoError(b.t, file.Close())
}

func (b *books) engine() *Engine {
	policy, err := fast()
	require.NoError(b.t, err)
	settings, err := collected()
	require.NoError(b.t, err)
	env := func(string) string { return "" }
	open := func() (Collector, error) {
		route, file, err := registry.Open(registry.Options{Dir: b.dir, Home: b.dir, Env: env})
		if err != nil {
			return nil, err
		}
		return collect.New(route, file, settings).WithEnv(env), nil
	}
	collector, err := open()
	require.NoError(b.t, err)
	e, err := New(policy, collector, true)
	require.NoError(b.t, err)
	return e.WithStore(b.store, open)
}

func (b *books) request(command, agent string) facts.Request {
	return facts.Request{
		Command: command, GoalID: "g1", AgentID: agent, CodexApp: true, AvailableCapabilities: []string{}, IncludeDetail: []string{},
	}
}

// guard asks should-run.
func (b *books) guard(agent, turn string) map[string]any {
	r := b.request(KindShouldRun, agent)
	r.TurnInstanceID = turn
	doc, _ := b.engine().ShouldRun(context.Background(), r, b.now) // a refusal is a document
	require.NoError(b.t, checkSchema(doc), "what the writing added belongs to the contract")
	return plain(b.t, doc)
}

func (b *books) ask(entry string, r facts.Request, w facts.Write) map[string]any {
	doc, err := b.engine().Write(context.Background(), entry, r, w, b.now)
	require.NoError(b.t, err, "%s", doc.JSON())
	require.NoError(b.t, checkSchema(doc), "what the writing added belongs to the contract")
	return plain(b.t, doc)
}

func (b *books) spend(agent, turn string, execute bool, w facts.SpendWrite) map[string]any {
	r := b.request("spend-slot", agent)
	r.TurnInstanceID, r.Execute = turn, execute
	if w.SlotCount == nil {
		one := int64(1)
		w.SlotCount = &one
	}
	return b.ask(EntrySpend, r, facts.Write{Spend: &w})
}

func (b *books) void(at string) map[string]any {
	r := b.request("void-slot", "")
	r.RunGeneratedAt, r.Execute = at, true
	return b.ask(EntryVoid, r, facts.Write{Void: &facts.VoidWrite{}})
}

func (b *books) poll(agent, turn string, w facts.PollWrite) map[string]any {
	r := b.request("monitor-poll", agent)
	r.TurnInstanceID, r.Execute = turn, true
	return b.ask(EntryMonitorPoll, r, facts.Write{Poll: &w})
}

// deliver records an accountable refresh of a turn, or of none.
func (b *books) deliver(agent, turn, todo string) {
	row := map[string]any{"classification": "step_done", "delivery_outcome": "outcome_progress", "agent_id": agent, "todo_id": todo}
	if turn != "" {
		row["turn_instance_id"] = turn
		b.append("rollout-event-log.jsonl", map[string]any{
			"event_kind": "refresh_state", "agent_id": agent, "run_id": turn,
			"details": map[string]any{"settlement_effect_id": fmt.Sprintf("g1:%s:%s:%s", agent, todo, turn)},
		})
	}
	b.append("index.jsonl", row)
}

// rows reads the index.
func (b *books) rows(classification string) (out []map[string]any) {
	text, err := os.ReadFile(b.runtime("runs/index.jsonl"))
	require.NoError(b.t, err)
	for line := range strings.Lines(string(text)) {
		row := map[string]any{}
		require.NoError(b.t, json.Unmarshal([]byte(line), &row), line)
		if row["classification"] == classification {
			out = append(out, row)
		}
	}
	return out
}

// events reads the event log.
func (b *books) events(kind string) (n int) {
	text, _ := os.ReadFile(b.runtime("rollout-event-log.jsonl")) // none yet
	return strings.Count(string(text), `"event_kind": "`+kind+`"`) + strings.Count(string(text), `"event_kind":"`+kind+`"`)
}

// files lists every file with its bytes.
func (b *books) files() map[string]string {
	out := map[string]string{}
	require.NoError(b.t, filepath.WalkDir(b.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		out[path] = string(text)
		return err
	}))
	return out
}

var eventSchemas = schema.NewSet(schemas.FS, "events")

// fits holds a record against the public schema of quota events and the sums of the ledger.
func (b *books) fits(path string) map[string]any {
	text, err := os.ReadFile(path)
	require.NoError(b.t, err)
	record := map[string]any{}
	require.NoError(b.t, json.Unmarshal(text, &record))
	contract, err := eventSchemas.Schema("quota-event.json")
	require.NoError(b.t, err)
	value, err := vm.FromGo(record)
	require.NoError(b.t, err)
	problems, err := contract.Validate(value)
	require.NoError(b.t, err)
	require.Empty(b.t, problems, "%s", text)
	event := record["quota_event"].(map[string]any)
	if record["classification"] == "quota_slot_spent" {
		before, after := event["before"].(map[string]any), event["after"].(map[string]any)
		require.EqualValues(b.t, before["spent_slots"].(float64)+event["slots"].(float64), after["spent_slots"])
		if after["spent_slots"].(float64) >= after["allowed_slots"].(float64) {
			require.Equal(b.t, "throttled", after["state"])
			require.Equal(b.t, false, after["should_run"])
		}
	}
	return record
}

// atMost lowers how often rapid draws until the test ends: a draw here is many commands.
func atMost(t *testing.T, n int) {
	checks, err := strconv.Atoi(flag.Lookup("rapid.checks").Value.String())
	require.NoError(t, err)
	draws(t, min(n, checks))
}

func spentSlots(doc map[string]any) string { return fmt.Sprint(at(doc, "quota", "spent_slots")) }

// TestPropertyNoDeliveryIsSpentTwice draws histories of turns, deliveries, spends, repeats and voids of two agents and of calls
// without one. Whatever is asked in whatever order: no delivery and no effect has two spends that were not taken back, the
// ledger counts exactly what was acknowledged, and a refusal or a preview changes no byte.
func TestPropertyNoDeliveryIsSpentTwice(t *testing.T) {
	atMost(t, 30)
	rapid.Check(t, func(r *rapid.T) {
		dir, err := os.MkdirTemp("", "loopx-ledger")
		require.NoError(r, err)
		defer os.RemoveAll(dir)
		b := openBooks(r, dir, ledgerState)
		todos := map[string]string{"a1": "todo_tok", "a2": "todo_prn"}
		agent := func() string { return rapid.SampledFrom([]string{"a1", "a2"}).Draw(r, "agent") }
		turn := func() string { return rapid.SampledFrom([]string{"", "t1", "t2", "t3"}).Draw(r, "turn") }
		deliveries := map[string]int{} // by time and agent
		for range rapid.IntRange(3, 16).Draw(r, "steps") {
			b.now = b.now.Add(time.Duration(rapid.SampledFrom([]int{0, 1, 60}).Draw(r, "seconds")) * time.Second)
			switch rapid.SampledFrom([]string{"guard", "deliver", "spend", "spend", "spend", "preview", "void", "refresh", "surface"}).Draw(r, "step") {
			case "guard":
				b.guard(agent(), turn())
			case "deliver":
				a := agent()
				b.deliver(a, turn(), todos[a])
				deliveries[b.now.Format("2006-01-02T15:04:05-07:00")+" "+a]++
			case "refresh":
				b.append("index.jsonl", map[string]any{"classification": "state_refreshed", "agent_id": agent()})
			case "surface":
				b.append("index.jsonl", map[string]any{"classification": "notes", "delivery_outcome": "surface_only", "agent_id": agent()})
			case "void":
				if spends := b.rows("quota_slot_spent"); len(spends) > 0 {
					row := rapid.SampledFrom(spends).Draw(r, "voided")
					b.changesOnlyWhenAppended(func() map[string]any { return b.void(row["generated_at"].(string)) }, "quota_slot_voided")
				}
			default:
				b.spendAny(r, agent, turn, todos)
			}
			b.balanced(r, deliveries)
		}
	})
}

// spendAny spends in one of the ways in which a caller may.
func (b *books) spendAny(r *rapid.T, agent, turn func() string, todos map[string]string) {
	a := rapid.SampledFrom([]string{"a1", "a2", ""}).Draw(r, "caller")
	id := ""
	if a != "" {
		id = turn()
	}
	w := facts.SpendWrite{Source: rapid.SampledFrom([]string{"", "heartbeat", "adapter", "controller"}).Draw(r, "source")}
	if a != "" && rapid.Bool().Draw(r, "names its todo") {
		w.TodoID = todos[a]
	}
	slots := rapid.SampledFrom([]int64{1, 1, 1, 2, 0, 10}).Draw(r, "slots")
	w.Slots, w.SlotCount = fmt.Sprint(slots), &slots
	execute := rapid.IntRange(0, 3).Draw(r, "execute") > 0
	for range rapid.SampledFrom([]int{1, 1, 2}).Draw(r, "times") {
		b.changesOnlyWhenAppended(func() map[string]any { return b.spend(a, id, execute, w) }, "quota_slot_spent")
	}
}

// changesOnlyWhenAppended holds an answer against what the files say.
func (b *books) changesOnlyWhenAppended(ask func() map[string]any, classification string) {
	files, rows := b.files(), len(b.rows(classification))
	doc := ask()
	grown := len(b.rows(classification)) - rows
	if yes(doc, "appended") {
		require.Equal(b.t, 1, grown)
		b.fits(doc["json_path"].(string))
		return
	}
	require.Zero(b.t, grown)
	if yes(doc, "ok") && yes(doc, "receipt_repair_required") {
		return // the event of the first spend is appended
	}
	require.Equal(b.t, files, b.files(), "%v", doc)
}

// balanced holds the ledger against the index.
func (b *books) balanced(r *rapid.T, deliveries map[string]int) {
	voided := map[string]int{} // slots by time and agent
	lane := func(row map[string]any) string { agent, _ := row["agent_id"].(string); return agent }
	for _, row := range b.rows("quota_slot_voided") {
		when := at(row, "quota_event", "voided_run_generated_at").(string)
		voided[when+" "+lane(row)] += int(at(row, "quota_event", "slots").(float64))
	}
	effects, spent := map[string]bool{}, map[string]int{}
	slots := 0
	for _, row := range b.rows("quota_slot_spent") {
		when, n := row["generated_at"].(string)+" "+lane(row), int(at(row, "quota_event", "slots").(float64))
		if voided[when] > 0 {
			back := min(voided[when], n)
			voided[when] -= back
			slots += n - back
			continue
		}
		slots += n
		if delivery, ok := at(row, "quota_event", "delivery_run_generated_at").(string); ok {
			agent, _ := at(row, "quota_event", "delivery_run_agent_id").(string)
			spent[delivery+" "+agent]++
		}
		if effect, ok := at(row, "settlement_identity", "effect_id").(string); ok {
			require.False(r, effects[effect], "%s is spent twice", effect)
			effects[effect] = true
		}
	}
	for delivery, n := range spent {
		require.LessOrEqual(r, n, deliveries[delivery], "delivery %s", delivery)
	}
	require.Equal(r, fmt.Sprint(slots), spentSlots(b.guard("", "")), "the ledger counts what was acknowledged")
}

// TestSpendsRepeatTheirReceipt follows one turn from its guard to its second spend.
func TestSpendsRepeatTheirReceipt(t *testing.T) {
	b := openBooks(t, t.TempDir(), ledgerState)
	receipt := at(b.guard("a1", "turn-1"), "heartbeat_receipt").(map[string]any)
	require.Equal(t, "committed", receipt["status"])
	require.NotEmpty(t, receipt["event_id"])
	require.Equal(t, "g1:a1:todo_tok:turn-1", at(receipt, "settlement_identity", "effect_id"))

	b.now = b.now.Add(time.Minute)
	refused := b.spend("a1", "turn-1", true, facts.SpendWrite{TodoID: "todo_tok"})
	require.Equal(t, "spend.settlement", at(refused, "error", "rule_id"), "nothing was delivered yet")

	b.deliver("a1", "turn-1", "todo_tok")
	b.now = b.now.Add(time.Minute)
	first := b.spend("a1", "turn-1", true, facts.SpendWrite{TodoID: "todo_tok"})
	require.True(t, yes(first, "appended"), "%v", first)
	require.Equal(t, "step_done", first["delivery_run_classification"])
	record := b.fits(first["json_path"].(string))
	require.Equal(t, "g1:a1:todo_tok:turn-1", at(record, "settlement_identity", "effect_id"))
	require.Equal(t, 1, b.events("quota_spend"))

	b.now = b.now.Add(time.Hour)
	again := b.spend("a1", "turn-1", true, facts.SpendWrite{TodoID: "todo_tok"})
	require.True(t, yes(again, "ok"))
	require.True(t, yes(again, "idempotent_replay"))
	require.False(t, yes(again, "appended"))
	for _, field := range []string{"generated_at", "json_path", "markdown_path", "slots"} {
		require.Equal(t, fmt.Sprint(first[field]), fmt.Sprint(again[field]), field)
	}
	require.Len(t, b.rows("quota_slot_spent"), 1)

	inferred := b.spend("a1", "", true, facts.SpendWrite{TodoID: "todo_tok"})
	require.True(t, yes(inferred, "idempotent_replay"), "the turn is that of the newest run")
	require.Len(t, b.rows("quota_slot_spent"), 1)
}

// TestASpendWithoutItsEventIsRepaired removes the event that a crash would have lost.
func TestASpendWithoutItsEventIsRepaired(t *testing.T) {
	b := openBooks(t, t.TempDir(), ledgerState)
	b.guard("a1", "turn-1")
	b.deliver("a1", "turn-1", "todo_tok")
	require.True(t, yes(b.spend("a1", "turn-1", true, facts.SpendWrite{TodoID: "todo_tok"}), "appended"))
	log := b.runtime("rollout-event-log.jsonl")
	text, err := os.ReadFile(log)
	require.NoError(t, err)
	lines := slices.DeleteFunc(strings.SplitAfter(string(text), "\n"), func(l string) bool { return strings.Contains(l, "quota_spend") })
	require.NoError(t, os.WriteFile(log, []byte(strings.Join(lines, "")), 0o600))

	repaired := b.spend("a1", "turn-1", true, facts.SpendWrite{TodoID: "todo_tok"})
	require.True(t, yes(repaired, "receipt_repair_required"))
	require.Equal(t, 1, b.events("quota_spend"))
	require.Len(t, b.rows("quota_slot_spent"), 1)
	require.False(t, yes(b.spend("a1", "turn-1", true, facts.SpendWrite{TodoID: "todo_tok"}), "receipt_repair_required"))
}

// TestAVoidGivesTheSlotsBackOnce takes a spend back twice.
func TestAVoidGivesTheSlotsBackOnce(t *testing.T) {
	b := openBooks(t, t.TempDir(), ledgerState)
	b.deliver("a1", "", "todo_tok")
	spent := b.spend("a1", "", true, facts.SpendWrite{TodoID: "todo_tok"})
	require.Equal(t, "1", spentSlots(b.guard("a1", "")))
	b.now = b.now.Add(time.Minute)
	first := b.void(spent["generated_at"].(string))
	require.True(t, yes(first, "appended"))
	b.fits(first["json_path"].(string))
	require.Equal(t, "0", spentSlots(b.guard("a1", "")))
	require.Equal(t, 1, b.events("quota_void"))
	again := b.void(spent["generated_at"].(string))
	require.True(t, yes(again, "ok") && yes(again, "idempotent_replay") && !yes(again, "appended"))
	require.True(t, yes(b.spend("a1", "", true, facts.SpendWrite{TodoID: "todo_tok"}), "appended"), "the delivery is unspent again")
	require.Equal(t, "void.target", at(b.void("2026-08-20T09:00:00+00:00"), "error", "rule_id"))
}

// TestATurnIsRecordedOnce asks the guard of one quiet turn twice and of a second one.
func TestATurnIsRecordedOnce(t *testing.T) {
	b := openBooks(t, t.TempDir(), quietState)
	first := b.guard("a1", "turn-1")
	require.Equal(t, "monitor_quiet_skip", first["effective_action"])
	require.Equal(t, "committed", at(first, "heartbeat_receipt", "status"))
	require.Equal(t, "appended", at(first, "heartbeat_receipt", "stall_observation"))
	require.Equal(t, "appended", at(first, "heartbeat_stall_writeback", "status"))
	require.NotEmpty(t, at(first, "heartbeat_receipt", "event_id"))
	require.Nil(t, first["rollout_event"])

	files := b.files()
	replay := b.guard("a1", "turn-1")
	require.Equal(t, "replayed", at(replay, "heartbeat_receipt", "status"))
	require.Equal(t, "replayed", at(replay, "heartbeat_receipt", "stall_observation"))
	require.Equal(t, at(first, "heartbeat_receipt", "event_id"), at(replay, "heartbeat_receipt", "event_id"))
	require.Equal(t, files, b.files(), "a repeat changes no byte")
	require.Len(t, b.rows("quota_monitor_poll"), 1)

	b.now = b.now.Add(2 * time.Minute)
	second := b.guard("a1", "turn-2")
	require.Equal(t, "autonomous_replan_required", second["effective_action"], "two turns that saw nothing new are a stall")
	require.NotEmpty(t, at(second, "heartbeat_receipt", "replan_obligation_id"))
	require.Len(t, b.rows("quota_monitor_poll"), 2)
	require.Equal(t, 2, b.events("quota_should_run"))

	again := b.guard("a1", "turn-2")
	require.Equal(t, "replayed", at(again, "heartbeat_receipt", "status"))
	require.Equal(t, at(second, "heartbeat_receipt", "replan_obligation_id"), at(again, "heartbeat_receipt", "replan_obligation_id"))
}

// TestATurnKeepsItsBinding asks the guard of one turn while the selected todo changes.
func TestATurnKeepsItsBinding(t *testing.T) {
	b := openBooks(t, t.TempDir(), ledgerState)
	require.Equal(t, "committed", at(b.guard("a1", "turn-1"), "heartbeat_receipt", "status"))
	b.write("STATE.md", strings.Replace(ledgerState, "todo_id=todo_tok", "todo_id=todo_new", 1))
	files := b.files()
	conflict := b.guard("a1", "turn-1")
	require.False(t, yes(conflict, "ok"))
	require.Equal(t, "heartbeat_receipt_identity_conflict", conflict["error_code"])
	require.Equal(t, []any{"todo_id"}, conflict["conflict_fields"])
	require.Equal(t, files, b.files())
	require.Equal(t, "committed", at(b.guard("a1", "turn-2"), "heartbeat_receipt", "status"), "another turn is free")
}

// TestATurnGetsItsBindingLater binds a turn whose first receipt named nothing.
func TestATurnGetsItsBindingLater(t *testing.T) {
	b := openBooks(t, t.TempDir(), quietState)
	require.Nil(t, at(b.guard("a1", "turn-1"), "heartbeat_receipt", "settlement_identity"))
	b.write("STATE.md", ledgerState)
	upgraded := b.guard("a1", "turn-1")
	require.Equal(t, "committed", at(upgraded, "heartbeat_receipt", "status"), "%v", upgraded)
	require.Equal(t, "identity_upgrade", at(upgraded, "heartbeat_receipt", "settlement_receipt_revision"))
	require.Equal(t, 2, b.events("quota_should_run"))
	require.Equal(t, "replayed", at(b.guard("a1", "turn-1"), "heartbeat_receipt", "status"))
}

// TestATurnWithoutItsReceiptMayNotRun fails the write of the receipt.
func TestATurnWithoutItsReceiptMayNotRun(t *testing.T) {
	b := openBooks(t, t.TempDir(), ledgerState)
	b.store = &fakeStore{errs: []error{os.ErrPermission}}
	failed := b.guard("a1", "turn-1")
	require.False(t, yes(failed, "ok"))
	require.False(t, yes(failed, "should_run"))
	require.Equal(t, "heartbeat_receipt_write_failed", failed["effective_action"])
	require.Equal(t, "blocked_health", failed["state"])
	require.Equal(t, "write_failed", at(failed, "heartbeat_receipt", "status"))
	require.Equal(t, "turn.write_failed", at(failed, "error", "rule_id"))
}

// TestNoTurnNoTrace asks every question that may leave no trace.
func TestNoTurnNoTrace(t *testing.T) {
	b := openBooks(t, t.TempDir(), quietState)
	files := b.files()
	b.guard("a1", "")
	b.guard("nobody", "turn-1")
	b.guard("a1", "turn 1")
	unknown := b.request(KindShouldRun, "a1")
	unknown.GoalID, unknown.TurnInstanceID = "other", "turn-1"
	doc, err := b.engine().ShouldRun(context.Background(), unknown, b.now)
	require.NoError(t, err)
	require.False(t, doc.OK())
	require.Equal(t, files, b.files())
}

// TestAHostPollIsCounted asks twice, then over a receipt that cannot be read.
func TestAHostPollIsCounted(t *testing.T) {
	b := openBooks(t, t.TempDir(), ledgerState)
	poll := func() map[string]any {
		r := b.request(KindShouldRun, "a1")
		r.RecordHostPoll = true
		doc, err := b.engine().ShouldRun(context.Background(), r, b.now)
		require.NoError(t, err)
		require.NoError(t, checkSchema(doc))
		return plain(t, doc)
	}
	require.Equal(t, "1", fmt.Sprint(at(poll(), "host_poll_receipt", "poll_count")))
	second := poll()
	require.Equal(t, "2", fmt.Sprint(at(second, "host_poll_receipt", "poll_count")))
	require.True(t, yes(second, "should_run"))
	name := filepath.Join(b.dir, ".loopx-host-poll-receipts", "g1.json")
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Contains(t, string(text), `"last_decision_action": "normal_run"`)
	require.Contains(t, string(text), `"last_poll_at": "2026-08-20T12:00:00.000000+00:00"`)

	require.NoError(t, os.WriteFile(name, []byte("garbage"), 0o600))
	third := poll()
	require.False(t, yes(third, "host_poll_receipt", "recorded"))
	require.True(t, yes(third, "ok") && yes(third, "should_run"), "a failure changes no decision")
	text, err = os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, "garbage", string(text))
}

// TestPollsOfATurnAreRecordedOnce polls a due monitor twice in one turn, and then with another result.
func TestPollsOfATurnAreRecordedOnce(t *testing.T) {
	due := strings.Replace(quietState, "next_due_at=2026-08-21T15:00:00+00:00", "next_due_at=2026-08-20T11:00:00+00:00", 1)
	b := openBooks(t, t.TempDir(), due)
	require.Equal(t, "poll.receipt", at(b.poll("a1", "turn-1", facts.PollWrite{TodoID: "todo_mon", ResultHash: "h1"}), "error", "rule_id"))
	b.guard("a1", "turn-1")
	first := b.poll("a1", "turn-1", facts.PollWrite{TodoID: "todo_mon", ResultHash: "h1"})
	require.True(t, yes(first, "appended"), "%v", first)
	state, err := os.ReadFile(filepath.Join(b.dir, "STATE.md"))
	require.NoError(t, err)
	require.Contains(t, string(state), "consecutive_no_change=1")
	require.Contains(t, string(state), "next_due_at=2026-08-20T15:00:00")

	files := b.files()
	again := b.poll("a1", "turn-1", facts.PollWrite{TodoID: "todo_mon", ResultHash: "h1"})
	require.True(t, yes(again, "ok") && yes(again, "replayed") && !yes(again, "appended"))
	require.Equal(t, first["json_path"], again["json_path"])
	other := b.poll("a1", "turn-1", facts.PollWrite{TodoID: "todo_mon", ResultHash: "h2"})
	require.Equal(t, "heartbeat_receipt_identity_conflict", other["error_code"])
	require.Equal(t, []any{"result_hash"}, other["conflict_fields"])
	require.Equal(t, files, b.files())
	require.Empty(t, b.rows("quota_slot_spent"))
}

// BenchmarkSpend measures the rules of a spend beside those of the guard that it asks.
func BenchmarkSpend(b *testing.B) {
	policy, err := bundle.Load(bundle.Options{Entrypoints: Entrypoints})
	require.NoError(b, err)
	one := int64(1)
	for _, todos := range []int{20, 100} {
		in := synthetic(todos)
		in.Request.Command, in.Request.Execute = "spend-slot", true
		in.Write = &facts.Write{Spend: &facts.SpendWrite{Slots: "1", SlotCount: &one, Source: "adapter"}}
		value, err := facts.Value(in)
		require.NoError(b, err)
		for _, entry := range []string{EntryShouldRun, EntrySpend} {
			b.Run(fmt.Sprintf("%s, %d todos", entry, todos), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := policy.Eval(context.Background(), entry, value); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

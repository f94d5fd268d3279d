// Package storetest holds what every store must do, whatever it keeps its records in. A store passes when Run passes with it.
package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/store"
)

// Subject is a store with one registered goal and a way to look at its records. The goal is called Goal, its state file has the
// todo Todo, its registry row has quota.compute, and the opened registry is not the shared one.
type Subject struct {
	Store   store.Store
	Targets facts.Targets

	// Rows and Events give the run index and the event log, oldest first.
	Rows   func() []map[string]any
	Events func() []map[string]any
	// Artifact gives what a path of a receipt leads to.
	Artifact func(path string) string
	// State is the text of the state file and its digest.
	State func() (text, digest string)
	// Row is the registry row of the goal and its digest, Projection its row in the shared registry.
	Row        func() (row map[string]any, digest string)
	Projection func() map[string]any
}

// Names that a subject has.
const (
	Goal = "demo-goal"
	Todo = "todo_8d8660c7a262"
)

// Noon is when everything happens.
var Noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

const stamp = "2026-12-01T12:00:00+00:00"

// Run tests a store. Open gives a new subject for each test.
func Run(t *testing.T, open func(t *testing.T) *Subject) {
	for _, test := range []struct {
		name string
		run  func(t *testing.T, s *suite)
	}{
		{"a run has a record, a rendering and a row", run},
		{"runs of one instant keep their order and their names", order},
		{"a unique event is written once", unique},
		{"an event has the fields that every event has", event},
		{"an edit changes its block and nothing else", edit},
		{"an edit of something newer changes nothing", stale},
		{"a change of the row reaches the projection", row},
		{"all effects or none", atomic},
		{"a goal has one writer at a time", exclusive},
		{"another goal does not wait", independent},
		{"who gives up waiting holds nothing", cancelled},
		{"writers side by side lose nothing", concurrent},
		{"a goal that no registry lists gets nothing", unregistered},
		{"an effect of another goal is refused", foreign},
		{"a run needs a time", timeless},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, &suite{t, open(t)}) })
	}
}

type suite struct {
	*testing.T
	*Subject
}

// apply commits effects given as a bundle writes them.
func (s *suite) apply(format string, args ...any) (store.Receipt, error) {
	s.Helper()
	effects, err := store.Decode(fmt.Appendf(nil, "["+format+"]", args...))
	require.NoError(s, err)
	return store.Apply(context.Background(), s.Store, s.Targets, store.Options{Now: Noon, Operation: "test"}, effects)
}

func (s *suite) must(format string, args ...any) store.Receipt {
	s.Helper()
	receipt, err := s.apply(format, args...)
	require.NoError(s, err)
	return receipt
}

func spend(n int) string {
	return fmt.Sprintf(`{"kind": "append_run", "goal_id": %q, "suffix": "test", "generated_at": %q, "record": {"quota_event": {"slots": %d}},
		"row": {"classification": "test", "n": %d, "note": "ü"}, "markdown": ["# Run"]}`, Goal, stamp, n, n)
}

func add(text, digest string) string {
	return fmt.Sprintf(`{"kind": "edit_state", "goal_id": %q, "digest": %q, "updated_at": %q, "edits": [{"op": "add", "role": "agent", "text": %q}]}`,
		Goal, digest, stamp, text)
}

func happened(extra string) string {
	return fmt.Sprintf(`{"kind": "append_event", "goal_id": %q, "event": {"event_kind": "k", "agent_id": "a", "run_id": "r"}%s}`, Goal, extra)
}

func compute(value, digest string) string {
	return fmt.Sprintf(`{"kind": "edit_registry", "goal_id": %q, "digest": %q, "set": [{"path": ["quota", "compute"], "value": %s}]},
		{"kind": "sync_global", "goal_id": %q}`, Goal, digest, value, Goal)
}

func run(_ *testing.T, s *suite) {
	before := len(s.Rows())
	receipt := s.must(spend(2))
	assert.Equal(s, stamp, receipt["generated_at"])
	var record map[string]any
	require.NoError(s, json.Unmarshal([]byte(s.Artifact(receipt["json_path"].(string))), &record))
	assert.Equal(s, map[string]any{"generated_at": stamp, "goal_id": Goal, "quota_event": map[string]any{"slots": 2.0}}, record)
	assert.Equal(s, "# Run\n", s.Artifact(receipt["markdown_path"].(string)))
	rows := s.Rows()
	require.Len(s, rows, before+1)
	assert.Equal(s, map[string]any{
		"generated_at": stamp, "goal_id": Goal, "classification": "test", "n": 2.0, "note": "ü",
		"json_path": receipt["json_path"], "markdown_path": receipt["markdown_path"],
	}, rows[before])
}

func order(_ *testing.T, s *suite) {
	before := len(s.Rows())
	paths := map[any]bool{}
	for n := range 3 {
		paths[s.must(spend(n))["json_path"]] = true
	}
	assert.Len(s, paths, 3)
	for n, row := range s.Rows()[before:] {
		assert.Equal(s, float64(n), row["n"])
	}
	receipt := s.must(spend(3) + "," + spend(4))
	assert.NotContains(s, paths, receipt["json_path"])
	assert.Equal(s, 4.0, s.Rows()[before+4]["n"])
}

func unique(_ *testing.T, s *suite) {
	before := len(s.Events())
	first := s.must(happened(`, "unique": true, "required": true`))["rollout_event"].(map[string]any)
	second := s.must(happened(`, "unique": true, "required": true`))["rollout_event"].(map[string]any)
	assert.Equal(s, []any{true, false, false, true}, []any{first["appended"], first["replayed"], second["appended"], second["replayed"]})
	assert.Len(s, s.Events(), before+1)
	s.must(happened(""))
	assert.Len(s, s.Events(), before+2, "others are not compared")
	s.must(strings.Replace(happened(`, "unique": true`), `"agent_id": "a"`, `"agent_id": "b"`, 1))
	assert.Len(s, s.Events(), before+3)
}

func event(_ *testing.T, s *suite) {
	receipt := s.must(happened(""))
	events := s.Events()
	last := events[len(events)-1]
	assert.Equal(s, []any{"loopx_rollout_event_v0", Goal, "k", "2026-12-01T12:00:00.000000Z"},
		[]any{last["schema_version"], last["goal_id"], last["event_kind"], last["recorded_at"]})
	assert.Equal(s, receipt["rollout_event"].(map[string]any)["event_id"], last["event_id"])
	assert.Len(s, last["boundary"], 6)
	_, err := s.apply(strings.Replace(happened(`, "required": true`), `"run_id"`, `"summary": "/home/me", "run_id"`, 1))
	assert.Error(s, err)
	receipt = s.must(strings.Replace(happened(""), `"run_id"`, `"summary": "/home/me", "run_id"`, 1))
	assert.NotEmpty(s, receipt["rollout_event_log_error"], "a failed event is no failed command")
	assert.Len(s, s.Events(), len(events))
}

func edit(_ *testing.T, s *suite) {
	before, digest := s.State()
	receipt := s.must(`{"kind": "edit_state", "goal_id": %q, "digest": %q, "updated_at": "", "edits": [
		{"op": "edit", "todo_id": %q, "set": {"note": "a b"}}]}`, Goal, digest, Todo)
	after, digest := s.State()
	assert.Equal(s, digest, receipt["state_file_digest"])
	was, is := strings.Split(before, "\n"), strings.Split(after, "\n")
	require.Len(s, is, len(was))
	changed := 0
	for i := range was {
		if was[i] != is[i] {
			changed++
			assert.Contains(s, is[i], " note=a%20b ")
		}
	}
	assert.Equal(s, 1, changed)
}

func stale(_ *testing.T, s *suite) {
	_, old := s.State()
	s.must(add("first", old))
	text, _ := s.State()
	_, err := s.apply(add("second", old))
	assert.ErrorIs(s, err, store.ErrChanged)
	_, err = s.apply(add("second", ""))
	assert.ErrorIs(s, err, store.ErrChanged)
	now, _ := s.State()
	assert.Equal(s, text, now)
	_, err = s.apply(compute("0.1", "0123456789abcdef"))
	assert.ErrorIs(s, err, store.ErrChanged)
}

func row(_ *testing.T, s *suite) {
	before, digest := s.Row()
	receipt := s.must(compute("0.125", digest))
	assert.Equal(s, true, receipt["global_sync"].(map[string]any)["ok"])
	after, _ := s.Row()
	for key, value := range before {
		if key != "quota" {
			assert.Equal(s, value, after[key], key)
		}
	}
	assert.Equal(s, 0.125, after["quota"].(map[string]any)["compute"])
	projection := s.Projection()
	assert.Equal(s, after["quota"], projection["quota"])
	assert.NotContains(s, projection, "authority_sources")
}

// atomic commits lists of effects of which one cannot be applied.
func atomic(_ *testing.T, s *suite) {
	_, state := s.State()
	_, registry := s.Row()
	look := func() []any {
		text, _ := s.State()
		row, _ := s.Row()
		return []any{len(s.Rows()), len(s.Events()), text, row, s.Projection()}
	}
	before := look()
	bad := strings.Replace(happened(`, "required": true`), `"event_kind": "k", `, "", 1)
	for _, list := range []string{
		spend(1) + "," + add("x", "old"), add("x", state) + "," + compute("0.1", "old"), spend(1) + "," + happened("") + "," + bad,
		add("x", state) + "," + compute("0.1", registry) + "," + bad,
	} {
		_, err := s.apply(list)
		assert.Error(s, err, list)
		assert.Equal(s, before, look(), list)
	}
	s.must(spend(1) + "," + add("x", state) + "," + compute("0.1", registry) + "," + happened(""))
	after := look()
	assert.Equal(s, []any{before[0].(int) + 1, before[1].(int) + 1}, after[:2])
	assert.Contains(s, after[2], "- [ ] x\n")
	assert.NotEqual(s, before[3], after[3])
	assert.NotEqual(s, before[4], after[4])
}

func (s *suite) begin(ctx context.Context, targets facts.Targets) (store.Tx, error) {
	return s.Store.Begin(ctx, targets, store.Options{Now: Noon, Operation: "test", Locks: store.LockIndex})
}

func exclusive(_ *testing.T, s *suite) {
	tx, err := s.begin(context.Background(), s.Targets)
	require.NoError(s, err)
	assert.False(s, tx.Waited())
	second := make(chan store.Tx)
	go func() {
		tx, err := s.begin(context.Background(), s.Targets)
		assert.NoError(s, err)
		second <- tx
	}()
	select {
	case <-second:
		assert.Fail(s, "two writers at a time")
	case <-time.After(100 * time.Millisecond):
	}
	tx.End()
	tx.End() // twice is once
	next := <-second
	assert.True(s, next.Waited())
	next.End()
}

func independent(_ *testing.T, s *suite) {
	tx, err := s.begin(context.Background(), s.Targets)
	require.NoError(s, err)
	defer tx.End()
	other := s.Targets
	other.GoalID = "another-goal"
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	second, err := s.begin(ctx, other)
	require.NoError(s, err)
	second.End()
}

func cancelled(_ *testing.T, s *suite) {
	tx, err := s.begin(context.Background(), s.Targets)
	require.NoError(s, err)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	_, err = s.begin(ctx, s.Targets)
	assert.ErrorIs(s, err, context.DeadlineExceeded)
	tx.End()
	again, err := s.begin(context.Background(), s.Targets)
	require.NoError(s, err)
	again.End()
}

func concurrent(_ *testing.T, s *suite) {
	const writers, each = 8, 4
	before := len(s.Rows())
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for done := 0; done < each; {
				_, digest := s.State()
				_, err := s.apply(spend(1) + "," + add("one more", digest))
				switch {
				case err == nil:
					done++
				case !errors.Is(err, store.ErrChanged):
					assert.NoError(s, err)
					return
				}
			}
		})
	}
	wg.Wait()
	assert.Len(s, s.Rows(), before+writers*each)
	text, _ := s.State()
	assert.Equal(s, writers*each, strings.Count(text, "- [ ] one more\n"))
}

func unregistered(_ *testing.T, s *suite) {
	s.Targets.Registered = false
	_, err := s.apply(spend(1))
	assert.Error(s, err)
	_, err = s.apply(happened(""))
	assert.Error(s, err)
}

// timeless: readers sort runs by their time, and a spend without one would count nowhere.
func timeless(_ *testing.T, s *suite) {
	for _, at := range []string{"", "../../x", "yesterday", "2026-12-01"} {
		_, err := s.apply(fmt.Sprintf(`{"kind": "append_run", "goal_id": %q, "generated_at": %q, "record": {}, "row": {}, "markdown": []}`, Goal, at))
		assert.Error(s, err, at)
	}
}

func foreign(_ *testing.T, s *suite) {
	for _, list := range []string{spend(1), happened(""), add("x", "")} {
		_, err := s.apply(strings.Replace(list, `"`+Goal+`"`, `"another-goal"`, 1))
		assert.Error(s, err)
	}
}

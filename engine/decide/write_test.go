package decide

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/store"
)

const entryRecord = "data.loopx.writeback.result"

// fakeStore keeps what it is asked to commit.
type fakeStore struct {
	applied []store.Effect
	errs    []error // of the first commits
	calls   int
	begun   []store.Options
	open    int
	waited  bool
	newest  time.Time
	at      []time.Time // of the commits
	receipt store.Receipt
}

func (s *fakeStore) Begin(_ context.Context, _ facts.Targets, options store.Options) (store.Tx, error) {
	s.begun = append(s.begun, options)
	s.open++
	return &fakeTx{s}, nil
}

type fakeTx struct{ *fakeStore }

func (t *fakeTx) Waited() bool { return t.waited }

func (t *fakeTx) Newest() time.Time { return t.newest }

func (t *fakeTx) Commit(_ context.Context, now time.Time, effects []store.Effect) (store.Receipt, error) {
	t.at = append(t.at, now)
	t.calls++
	if t.calls <= len(t.errs) {
		return nil, t.errs[t.calls-1]
	}
	t.applied = append(t.applied, effects...)
	return t.receipt, nil
}

func (t *fakeTx) End() { t.open-- }

func (f *fakeFacts) Targets(request facts.Request) (facts.Targets, error) {
	return facts.Targets{GoalID: request.GoalID}, f.err
}

func record(t *testing.T, s *fakeStore, answer string, execute bool) (*Document, error) {
	t.Helper()
	return recordAgain(t, s, answer, execute, func() (Collector, error) { return &fakeFacts{goals: []string{"g", "h"}}, nil })
}

// recordAgain is record with other facts once the locks are held.
func recordAgain(
	t *testing.T, s *fakeStore, answer string, execute bool, again func() (Collector, error),
) (*Document, error) {
	t.Helper()
	e := engine(t, &fakeFacts{goals: []string{"g", "h"}})
	if s != nil {
		e = e.WithStore(s, again)
		defer func() { assert.Zero(t, s.open, "every transaction ends") }()
	}
	request := facts.Request{Command: "record", GoalID: "g", Execute: execute}
	return e.Write(context.Background(), entryRecord, request, facts.Write{ReasonSummary: answer, ResetToken: "d1"}, noon)
}

func TestWriteAppliesEffectsOnlyWithExecute(t *testing.T) {
	s := &fakeStore{}
	doc, err := record(t, s, "write", false)
	require.NoError(t, err)
	assert.True(t, doc.OK())
	assert.Zero(t, s.calls)

	doc, err = record(t, s, "write", true)
	require.NoError(t, err)
	assert.True(t, doc.OK())
	require.Len(t, s.applied, 1)
	put, ok := s.applied[0].(*store.PutSchedulerState)
	require.True(t, ok)
	assert.Equal(t, "d1", put.Digest)
	assert.JSONEq(t, `{"n": 1}`, string(put.State))
	fields, err := doc.Fields()
	require.NoError(t, err)
	assert.Equal(t, "10", fmt.Sprint(fields["runs"]), "the plan of the other goals is read as for a question")
}

func TestWriteLeavesTheStoreAloneWithoutEffects(t *testing.T) {
	for answer, ok := range map[string]bool{"nothing": true, "refuse": false} {
		s := &fakeStore{}
		doc, err := record(t, s, answer, true)
		require.NoError(t, err)
		assert.Equal(t, ok, doc.OK(), answer)
		assert.Zero(t, s.calls, answer)
	}
}

func TestWriteDecidesAgainWhenTheRecordChanged(t *testing.T) {
	changed := fmt.Errorf("state: %w", store.ErrChanged)
	s := &fakeStore{errs: []error{changed, changed}}
	doc, err := record(t, s, "write", true)
	require.NoError(t, err)
	assert.True(t, doc.OK())
	assert.Equal(t, 3, s.calls)

	s = &fakeStore{errs: []error{changed, changed, changed, changed, changed}}
	doc, err = record(t, s, "write", true)
	assert.ErrorIs(t, err, store.ErrChanged)
	assert.False(t, doc.OK())
	assert.Equal(t, attempts, s.calls)
}

func TestAWriteThatFailsIsARefusal(t *testing.T) {
	doc, err := record(t, &fakeStore{errs: []error{errors.New("disk full")}}, "write", true)
	assert.ErrorContains(t, err, "disk full")
	assert.False(t, doc.OK())
	_, err = record(t, nil, "write", true)
	assert.ErrorContains(t, err, "no store")
}

func TestAWriteAnswerOfTheWrongShapeWritesNothing(t *testing.T) {
	for _, answer := range []string{
		"refuse and write", "refuse beside the document", "no verdict", "unknown effect", "no list", "no effects", "no document", "bad document", "text", "undefined",
	} {
		s := &fakeStore{}
		doc, err := record(t, s, answer, true)
		assert.Error(t, err, answer)
		assert.False(t, doc.OK(), answer)
		assert.Zero(t, s.calls, answer)
	}
}

// staleFacts are facts of which another writer changed something meanwhile.
type staleFacts struct{ fakeFacts }

func (f *staleFacts) WriteFacts(_ context.Context, input *facts.Input, _ time.Time) error {
	input.Write.ReasonSummary = "nothing"
	return nil
}

func TestWriteDecidesAgainUnderTheLocks(t *testing.T) {
	s := &fakeStore{}
	doc, err := recordAgain(t, s, "write", true, func() (Collector, error) {
		return &staleFacts{fakeFacts{goals: []string{"g", "h"}}}, nil
	})
	require.NoError(t, err)
	assert.True(t, doc.OK())
	assert.Len(t, s.begun, 1)
	assert.Zero(t, s.calls, "the second decision found nothing to write")

	_, err = recordAgain(t, &fakeStore{}, "write", true, func() (Collector, error) { return nil, errors.New("gone") })
	assert.ErrorContains(t, err, "gone")
}

func TestWriteAddsTheReceiptToTheAnswer(t *testing.T) {
	s := &fakeStore{receipt: store.Receipt{"json_path": "/p", "poll": map[string]any{"recorded": true}}}
	doc, err := record(t, s, "receipt", true)
	require.NoError(t, err)
	fields, err := doc.Fields()
	require.NoError(t, err)
	assert.Equal(t, "/p", fields["json_path"])
	assert.Equal(t, map[string]any{"recorded": true, "asked": true}, fields["poll"])
	assert.Equal(t, "record", fields["mode"])
}

// TestWriteTakesTheLocksThatTheLastDecisionNeeds begins again when the decision under the locks has other effects.
func TestWriteTakesTheLocksThatTheLastDecisionNeeds(t *testing.T) {
	s := &fakeStore{}
	_, err := recordAgain(t, s, "write", true, func() (Collector, error) {
		return &growingFacts{fakeFacts{goals: []string{"g", "h"}}}, nil
	})
	require.NoError(t, err)
	require.Len(t, s.begun, 2)
	assert.Zero(t, s.begun[0].Locks)
	assert.Equal(t, store.LockIndex, s.begun[1].Locks)
	assert.Equal(t, 1, s.calls)
}

type growingFacts struct{ fakeFacts }

func (f *growingFacts) WriteFacts(_ context.Context, input *facts.Input, _ time.Time) error {
	input.Write.ReasonSummary = "event"
	return nil
}

// TestTheTimeOfAWrite follows the clock under the locks, never behind the newest record; a time that was given stays.
func TestTheTimeOfAWrite(t *testing.T) {
	again := func() (Collector, error) { return &fakeFacts{goals: []string{"g", "h"}}, nil }
	at := func(s *fakeStore, now time.Time) time.Time {
		e := engine(t, &fakeFacts{goals: []string{"g", "h"}}).WithStore(s, again)
		request := facts.Request{Command: "record", GoalID: "g", Execute: true}
		_, err := e.Write(context.Background(), entryRecord, request, facts.Write{ReasonSummary: "write", ResetToken: "d1"}, now)
		require.NoError(t, err)
		require.Len(t, s.at, 1)
		return s.at[0]
	}
	assert.Equal(t, noon, at(&fakeStore{waited: true, newest: noon.Add(time.Minute)}, noon), "a time that was given")
	now := time.Now().UTC().Add(-10 * time.Second)
	assert.WithinDuration(t, time.Now(), at(&fakeStore{waited: true}, now), 5*time.Second, "the wait is over")
	ahead := time.Now().UTC().Add(time.Minute)
	assert.True(t, ahead.Equal(at(&fakeStore{newest: ahead}, time.Now().UTC())), "the clock was set back")
	assert.WithinDuration(t, time.Now(), at(&fakeStore{newest: ahead.Add(time.Hour)}, time.Now().UTC()), 5*time.Second, "the record is wrong")
}

package decide

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/store"
)

const entryRecord = "data.loopx.writeback.result"

// fakeStore keeps what it is asked to apply.
type fakeStore struct {
	applied []store.Effect
	errs    []error // of the first calls
	calls   int
}

func (s *fakeStore) Apply(_ context.Context, effects []store.Effect) error {
	s.calls++
	if s.calls <= len(s.errs) {
		return s.errs[s.calls-1]
	}
	s.applied = append(s.applied, effects...)
	return nil
}

func record(t *testing.T, s *fakeStore, answer string, execute bool) (*Document, error) {
	t.Helper()
	e := engine(t, &fakeFacts{goals: []string{"g", "h"}})
	if s != nil {
		e = e.WithStore(s)
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
		"refuse and write", "unknown effect", "no list", "no effects", "no document", "bad document", "text", "undefined",
	} {
		s := &fakeStore{}
		doc, err := record(t, s, answer, true)
		assert.Error(t, err, answer)
		assert.False(t, doc.OK(), answer)
		assert.Zero(t, s.calls, answer)
	}
}

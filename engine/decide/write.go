package decide

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/loopx-dev/loopx-policy/engine/bundle"
	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/store"
	"github.com/loopx-dev/loopx-policy/engine/vm"
)

// EntrySchedulerWrite answers what an acknowledgement or a failed host update may record. Like every entrypoint behind
// Write it gives {ok, document, effects}. A bundle without it answers every question.
const EntrySchedulerWrite = "data.loopx.writeback.scheduler.result"

// attempts is how often a write is decided again because its record changed in the meantime.
const attempts = 4

// codeChanged says that a write was given up because its record kept changing.
const codeChanged = "record_changed"

// liveClock is how near to the clock the instant of a request is when it comes from the clock.
const liveClock = time.Minute

// maxSetBack is how far a clock may have been set back. A record from further ahead is wrong itself, and readers warn of it.
const maxSetBack = 5 * time.Minute

var (
	keyDocument vm.Value = vm.String("document")
	keyEffects  vm.Value = vm.String("effects")
	keyOK       vm.Value = vm.String("ok")
)

// writeFacts is a collector that reads what only a writing command needs, as input.Write says.
type writeFacts interface {
	WriteFacts(ctx context.Context, input *facts.Input, now time.Time) error
}

// targeter is a collector that names the files which a write may change.
type targeter interface {
	Targets(request facts.Request) (facts.Targets, error)
}

// WithStore lets the engine write. Again opens the same facts anew, for a decision under the locks. Without a store every
// write is refused.
func (e *Engine) WithStore(s store.Store, again func() (Collector, error)) *Engine {
	e.store, e.again = s, again
	return e
}

// Write asks an entrypoint whether something may be written and, when the request says execute, has the store commit what
// the entrypoint answers. The kind of the document is the command.
//
// The first decision holds no lock, so a refusal and a preview leave no trace. When there is something to write, the locks
// that its effects need are taken, what a crash left is finished, the facts are read again and, unless they are the same,
// decided on again. So of two writers the second one decides on what the first one wrote. Writers that take no lock, such as a
// person with an editor, are noticed by the digests in the effects, and the write is decided again.
func (e *Engine) Write(
	ctx context.Context, entrypoint string, request facts.Request, write facts.Write, now time.Time,
) (*Document, error) {
	return e.answer(ctx, request.Command, request, func() (*Document, error) {
		q := &writeQuestion{entrypoint: entrypoint, request: request, write: write}
		first, err := e.decide(ctx, q, now, nil)
		if err != nil {
			return nil, err
		}
		if !request.Execute || len(first.effects) == 0 {
			return first.doc, nil
		}
		if e.store == nil {
			return nil, errors.New("this engine has no store")
		}
		return e.commit(ctx, q, first, now)
	})
}

// writeQuestion is what a write asks.
type writeQuestion struct {
	entrypoint string
	request    facts.Request
	write      facts.Write
	// inspect looks at an answer before anything is made of it, and may replace it. Nil for none.
	inspect func(value, input vm.Value) (vm.Value, error)
}

// writeVerdict is an answer with the facts that it stands on.
type writeVerdict struct {
	facts   facts.Input // of the goal alone
	others  *others
	doc     *Document
	effects []store.Effect
}

// commit decides again under the locks and writes. Locks grow when a later decision needs more of them.
func (e *Engine) commit(ctx context.Context, q *writeQuestion, v *writeVerdict, now time.Time) (*Document, error) {
	files, ok := e.facts.(targeter)
	if !ok {
		return nil, errors.New("the collector of this engine names no files")
	}
	targets, err := files.Targets(q.request)
	if err != nil {
		return nil, err
	}
	options := store.Options{Operation: q.request.Command}
	live := time.Since(now).Abs() < liveClock
	for try := 1; ; try++ {
		options.Now = now
		options.Locks |= store.LocksOf(v.effects)
		doc, done, err := e.attempt(ctx, q, &v, targets, options, live)
		switch {
		case errors.Is(err, store.ErrChanged) && try >= attempts:
			return nil, &facts.Error{
				Code: codeChanged, Err: err, Message: "another writer keeps changing this record; nothing was written",
				Hint: "run the command again",
			}
		case done || err != nil && !errors.Is(err, store.ErrChanged):
			return doc, err
		}
	}
}

// attempt decides and writes once. It is not done when the decision came to need more locks or a record changed.
func (e *Engine) attempt(
	ctx context.Context, q *writeQuestion, v **writeVerdict, targets facts.Targets, options store.Options, live bool,
) (*Document, bool, error) {
	tx, err := e.store.Begin(ctx, targets, options)
	if err != nil {
		return nil, false, err
	}
	defer tx.End()
	now := options.Now
	if live { // the time that was spent waiting is over
		if clock := time.Now().In(now.Location()); tx.Waited() || clock.Unix() != now.Unix() {
			now = clock
		}
		// A clock that was set back would sort this write below what it follows.
		if newest := tx.Newest(); newest.After(now) && newest.Sub(now) < maxSetBack {
			now = newest.In(now.Location())
		}
	}
	again, err := e.again()
	if err != nil {
		return nil, false, err
	}
	under := *e
	under.facts = again
	if *v, err = under.decide(ctx, q, now, *v); err != nil {
		return nil, false, err
	}
	if len((*v).effects) == 0 {
		return (*v).doc, true, nil
	}
	if store.LocksOf((*v).effects)&^options.Locks != 0 {
		return nil, false, nil
	}
	receipt, err := tx.Commit(ctx, now, (*v).effects)
	if err != nil {
		return nil, false, err
	}
	doc, err := withReceipt((*v).doc, receipt)
	return doc, true, err
}

// decide answers a question. Facts that are those of an earlier writeVerdict have its answer, since rules are pure. What the other
// goals add is read once: no lock of this goal keeps them from changing.
func (e *Engine) decide(ctx context.Context, q *writeQuestion, now time.Time, before *writeVerdict) (*writeVerdict, error) {
	input, err := e.facts.Input(ctx, q.request, now)
	if err != nil {
		return nil, err
	}
	write := q.write
	input.Write = &write
	if reader, ok := e.facts.(writeFacts); ok {
		if err := reader.WriteFacts(ctx, input, now); err != nil {
			return nil, err
		}
	}
	v := &writeVerdict{facts: *input}
	if before != nil {
		if reflect.DeepEqual(before.facts, v.facts) {
			return before, nil
		}
		v.others = before.others
	} else if v.others, err = e.others(ctx, EntryStanding, q.request.GoalID, now); err != nil {
		return nil, err
	}
	v.others.add(input)
	given, err := inputValue(input, v.others.items)
	if err != nil {
		return nil, err
	}
	value, err := e.bundle.Eval(ctx, q.entrypoint, given)
	if err == nil && q.inspect != nil {
		value, err = q.inspect(value, given)
	}
	if err != nil {
		return nil, err
	}
	v.doc, v.effects, err = e.written(q.request.Command, q.entrypoint, value)
	return v, err
}

// withReceipt adds to an answer what the writing found out.
func withReceipt(doc *Document, receipt store.Receipt) (*Document, error) {
	if len(receipt) == 0 {
		return doc, nil
	}
	value, err := vm.FromGo(map[string]any(receipt))
	if err != nil {
		return nil, fmt.Errorf("receipt: %w", err)
	}
	more, ok := value.(*vm.Object)
	if !ok {
		return nil, errors.New("receipt: not an object")
	}
	out := doc.Value
	for i := range more.Len() {
		key, value := more.Member(i)
		have, isObject := member(out, key)
		if fresh, ok := value.(*vm.Object); ok && isObject {
			for i := range fresh.Len() {
				have = have.With(fresh.Member(i))
			}
			value = have
		}
		out = out.With(key, value)
	}
	return newDocument(doc.Kind, out, doc.order), nil
}

// written takes an answer of a write entrypoint apart. An answer that is not ok may have no effects, but for a decision, which
// is not ok in an unhealthy goal and recorded all the same.
func (e *Engine) written(kind, entrypoint string, value vm.Value) (*Document, []store.Effect, error) {
	result, _ := value.(*vm.Object)
	if result == nil {
		result = vm.NewObject(0)
	}
	object, found := member(result, keyDocument)
	list := result.Get(keyEffects)
	if !found || list == nil {
		return nil, nil, &bundle.Error{Code: bundle.CodeUndefined, Message: entrypoint + " gives no document with effects"}
	}
	doc := newDocument(kind, object, e.order)
	if err := checkSchemaOf(e.schemas, doc); err != nil {
		return nil, nil, err
	}
	effects, err := store.Decode(vm.AppendJSON(nil, list))
	if err != nil {
		return nil, nil, &bundle.Error{Code: bundle.CodeEvaluation, Message: entrypoint + ": " + err.Error()}
	}
	if len(effects) > 0 && kind != KindShouldRun && !(doc.OK() && isTrue(result, keyOK)) {
		return nil, nil, &bundle.Error{Code: bundle.CodeEvaluation, Message: entrypoint + " refuses and writes at once"}
	}
	return doc, effects, nil
}

package decide

import (
	"context"
	"errors"
	"time"

	"github.com/loopx-dev/loopx-policy/engine/bundle"
	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/vm"
)

// Entrypoints behind Why. A bundle without them answers every other question.
const (
	EntryWhyQuestions = "data.loopx.why.questions"
	EntryWhyAnswer    = "data.loopx.why.answer.document"
)

// KindWhy is the document that says why an answer is as it is.
const KindWhy = "why"

var (
	keyOperations vm.Value = vm.String("operations")
	keyOutcome    vm.Value = vm.String("outcome")
	keyRefused    vm.Value = vm.String("refused")
)

// Why says why the agent may or may not run now, when time alone changes that, and which single changes of a fact would.
// The bundle says what to try; each try is one more evaluation of the whole decision. An empty want is the opposite of the
// present answer. Nothing is written.
func (e *Engine) Why(ctx context.Context, request facts.Request, want string, now time.Time) (*Document, error) {
	return e.answer(ctx, KindWhy, request, func() (*Document, error) {
		input, peers, err := e.gathered(ctx, EntryStanding, request, now)
		if err != nil {
			return nil, err
		}
		input.Request.Explain = true
		decision, err := e.evaluate(ctx, KindShouldRun, EntryShouldRun, input, peers)
		if err != nil {
			return nil, err
		}
		if err := e.checkInvariants(ctx, decision); err != nil {
			return nil, err
		}
		input.Request.Explain = false
		base, err := inputValue(input, peers)
		if err != nil {
			return nil, err
		}
		questions, err := e.tried(ctx, base)
		if err != nil {
			return nil, err
		}
		given := vm.NewObject(3)
		given.Put(vm.String("decision"), decision.Value)
		given.Put(vm.String("questions"), questions)
		given.Put(vm.String("want"), vm.String(want))
		value, err := e.bundle.Eval(ctx, EntryWhyAnswer, given)
		if err != nil {
			return nil, err
		}
		object, ok := value.(*vm.Object)
		if !ok {
			return nil, &bundle.Error{Code: bundle.CodeUndefined, Message: EntryWhyAnswer + " gives no object"}
		}
		doc := newDocument(KindWhy, object, e.order)
		return doc, checkSchemaOf(e.schemas, doc)
	})
}

// tried asks the bundle what to try, tries everything that has operations, and adds the outcome to it.
func (e *Engine) tried(ctx context.Context, base vm.Value) (vm.Value, error) {
	value, err := e.bundle.Eval(ctx, EntryWhyQuestions, base)
	if err != nil {
		return nil, err
	}
	questions, ok := value.(*vm.Object)
	if !ok {
		return nil, &bundle.Error{Code: bundle.CodeUndefined, Message: EntryWhyQuestions + " gives no object"}
	}
	vm.Settle(base) // the tries read both side by side
	vm.Settle(questions)
	out := questions
	for i := range questions.Len() {
		group, list := questions.Member(i)
		array, ok := list.(*vm.Array)
		if !ok {
			continue
		}
		items, errs := make([]vm.Value, array.Len()), make([]error, array.Len())
		parallel(array.Len(), func(i int) { items[i], errs[i] = e.try(ctx, base, array.Elem(i)) })
		if err := errors.Join(errs...); err != nil {
			return nil, err
		}
		out = out.With(group, vm.NewArray(items...))
	}
	return out, nil
}

// try evaluates the decision with one change. An answer that would be refused is an outcome too.
func (e *Engine) try(ctx context.Context, base vm.Value, question vm.Value) (vm.Value, error) {
	object, ok := question.(*vm.Object)
	if !ok || object.Get(keyOperations) == nil {
		return question, nil
	}
	operations, err := decodeOperations(object.Get(keyOperations))
	if err != nil {
		return nil, &bundle.Error{Code: bundle.CodeEvaluation, Message: EntryWhyQuestions + ": " + err.Error()}
	}
	outcome, err := e.outcome(ctx, base, operations)
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		outcome = vm.NewObject(1)
		outcome.Put(keyRefused, vm.String(describe(err).code))
	}
	return object.With(keyOutcome, outcome), nil
}

func (e *Engine) outcome(ctx context.Context, base vm.Value, operations []operation) (*vm.Object, error) {
	input, err := patched(base, operations)
	if err != nil {
		return nil, err
	}
	value, err := e.bundle.Eval(ctx, EntryShouldRun, input)
	if err != nil {
		return nil, err
	}
	object, ok := value.(*vm.Object)
	if !ok {
		return nil, &bundle.Error{Code: bundle.CodeUndefined, Message: EntryShouldRun + " gives no object"}
	}
	doc := newDocument(KindShouldRun, object, e.order)
	if err := checkSchemaOf(e.schemas, doc); err != nil {
		return nil, err
	}
	return object, e.checkInvariants(ctx, doc)
}

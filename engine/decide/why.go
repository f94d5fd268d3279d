package decide

import (
	"context"
	"errors"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/loopx-dev/loopx-policy/engine/bundle"
	"github.com/loopx-dev/loopx-policy/engine/facts"
)

// Entrypoints behind Why. A bundle without them answers every other question.
const (
	EntryWhyQuestions = "data.loopx.why.questions"
	EntryWhyAnswer    = "data.loopx.why.answer.document"
)

// KindWhy is the document that says why an answer is as it is.
const KindWhy = "why"

var (
	keyOperations = ast.InternedTerm("operations")
	keyOutcome    = ast.InternedTerm("outcome")
	keyRefused    = ast.InternedTerm("refused")
)

// Why says why the agent may or may not run now, when time alone changes that, and which single changes of a fact would.
// The bundle says what to try; each try is one more evaluation of the whole decision. An empty want is the opposite of the
// present answer. Nothing is written.
func (e *Engine) Why(ctx context.Context, request facts.Request, want string, now time.Time) (*Document, error) {
	return e.answer(ctx, KindWhy, request, func() (*Document, error) {
		input, err := e.facts.Input(ctx, request, now)
		if err != nil {
			return nil, err
		}
		peers, err := e.items(ctx, EntryStanding, request.GoalID, input, now)
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
		value, err := e.bundle.Eval(ctx, EntryWhyAnswer, ast.NewObject(
			ast.Item(ast.InternedTerm("decision"), ast.NewTerm(decision.Value)),
			ast.Item(ast.InternedTerm("questions"), ast.NewTerm(questions)),
			ast.Item(ast.InternedTerm("want"), ast.StringTerm(want)),
		))
		if err != nil {
			return nil, err
		}
		object, ok := value.(ast.Object)
		if !ok {
			return nil, &bundle.Error{Code: bundle.CodeUndefined, Message: EntryWhyAnswer + " gives no object"}
		}
		doc := newDocument(KindWhy, object, e.order)
		return doc, checkSchemaOf(e.schemas, doc)
	})
}

// tried asks the bundle what to try, tries everything that has operations, and adds the outcome to it.
func (e *Engine) tried(ctx context.Context, base ast.Value) (ast.Value, error) {
	value, err := e.bundle.Eval(ctx, EntryWhyQuestions, base)
	if err != nil {
		return nil, err
	}
	questions, ok := value.(ast.Object)
	if !ok {
		return nil, &bundle.Error{Code: bundle.CodeUndefined, Message: EntryWhyQuestions + " gives no object"}
	}
	out := questions
	err = questions.Iter(func(group, list *ast.Term) error {
		array, ok := list.Value.(*ast.Array)
		if !ok {
			return nil
		}
		items, errs := make([]*ast.Term, array.Len()), make([]error, array.Len())
		parallel(array.Len(), func(i int) { items[i], errs[i] = e.try(ctx, base, array.Elem(i)) })
		out = with(out, group, ast.ArrayTerm(items...))
		return errors.Join(errs...)
	})
	return out, err
}

// try evaluates the decision with one change. An answer that would be refused is an outcome too.
func (e *Engine) try(ctx context.Context, base ast.Value, question *ast.Term) (*ast.Term, error) {
	object, ok := question.Value.(ast.Object)
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
		outcome = ast.NewObject(ast.Item(keyRefused, ast.StringTerm(describe(err).code)))
	}
	return ast.NewTerm(with(object, keyOutcome, ast.NewTerm(outcome))), nil
}

func (e *Engine) outcome(ctx context.Context, base ast.Value, operations []operation) (ast.Object, error) {
	input, err := patched(base, operations)
	if err != nil {
		return nil, err
	}
	value, err := e.bundle.Eval(ctx, EntryShouldRun, input)
	if err != nil {
		return nil, err
	}
	object, ok := value.(ast.Object)
	if !ok {
		return nil, &bundle.Error{Code: bundle.CodeUndefined, Message: EntryShouldRun + " gives no object"}
	}
	doc := newDocument(KindShouldRun, object, e.order)
	if err := checkSchemaOf(e.schemas, doc); err != nil {
		return nil, err
	}
	return object, e.checkInvariants(ctx, doc)
}

package decide

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/loopx-dev/loopx-policy/engine/bundle"
	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/store"
)

// EntrySchedulerWrite answers what an acknowledgement or a failed host update may record. Like every entrypoint behind
// Write it gives {ok, document, effects}. A bundle without it answers every question.
const EntrySchedulerWrite = "data.loopx.writeback.scheduler.result"

// attempts is how often a write is decided again because its record changed in the meantime.
const attempts = 4

var (
	keyDocument = ast.InternedTerm("document")
	keyEffects  = ast.InternedTerm("effects")
)

// WithStore lets the engine write. Without a store every write is refused.
func (e *Engine) WithStore(applier store.Applier) *Engine {
	e.store = applier
	return e
}

// Write asks an entrypoint whether something may be written and, when the request says execute, has the store apply what
// the entrypoint answers. The kind of the document is the command. A record that changes between reading and writing is
// decided on again, so that no other writer's record is lost.
func (e *Engine) Write(
	ctx context.Context, entrypoint string, request facts.Request, write facts.Write, now time.Time,
) (*Document, error) {
	return e.answer(ctx, request.Command, request, func() (*Document, error) {
		for try := 1; ; try++ {
			doc, err := e.write(ctx, entrypoint, request, write, now)
			if !errors.Is(err, store.ErrChanged) || try == attempts {
				return doc, err
			}
		}
	})
}

func (e *Engine) write(
	ctx context.Context, entrypoint string, request facts.Request, write facts.Write, now time.Time,
) (*Document, error) {
	input, err := e.facts.Input(ctx, request, now)
	if err != nil {
		return nil, err
	}
	peers, err := e.items(ctx, EntryStanding, request.GoalID, input, now)
	if err != nil {
		return nil, err
	}
	input.Write = &write
	value, err := inputValue(input, peers)
	if err != nil {
		return nil, err
	}
	if value, err = e.bundle.Eval(ctx, entrypoint, value); err != nil {
		return nil, err
	}
	doc, effects, err := e.written(request.Command, entrypoint, value)
	if err != nil {
		return nil, err
	}
	if !request.Execute || len(effects) == 0 {
		return doc, nil
	}
	if e.store == nil {
		return nil, errors.New("this engine has no store")
	}
	return doc, e.store.Apply(ctx, effects)
}

// written takes an answer of a write entrypoint apart. An answer that is not ok may have no effects.
func (e *Engine) written(kind, entrypoint string, value ast.Value) (*Document, []store.Effect, error) {
	result, _ := value.(ast.Object)
	if result == nil {
		result = ast.NewObject()
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
	plain, err := ast.JSON(list.Value)
	if err != nil {
		return nil, nil, fmt.Errorf("effects of %s: %w", entrypoint, err)
	}
	text, err := json.Marshal(plain)
	if err != nil {
		return nil, nil, fmt.Errorf("effects of %s: %w", entrypoint, err)
	}
	effects, err := store.Decode(text)
	if err != nil {
		return nil, nil, &bundle.Error{Code: bundle.CodeEvaluation, Message: entrypoint + ": " + err.Error()}
	}
	if len(effects) > 0 && !doc.OK() {
		return nil, nil, &bundle.Error{Code: bundle.CodeEvaluation, Message: entrypoint + " refuses and writes at once"}
	}
	return doc, effects, nil
}

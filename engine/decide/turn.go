package decide

import (
	"context"
	"errors"
	"time"

	"github.com/loopx-dev/loopx-policy/engine/bundle"
	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/vm"
)

// EntryTurn answers should-run for a caller that names its turn or asks for a host poll receipt:
// {ok, document, effects, again}. When again holds, the effects are committed and the question is asked once more.
const EntryTurn = "data.loopx.writeback.receipt.result"

var (
	keyAgain   vm.Value = vm.String("again")
	keyReceipt vm.Value = vm.String("heartbeat_receipt")
	keyEvent   vm.Value = vm.String("rollout_event")
	keyEventID vm.Value = vm.String("event_id")
)

// turn answers should-run and commits what the bundle says of the turn: the observation of a quiet turn, then the receipt
// with the answer that is decided after it. An answer whose receipt cannot be written is replaced by one that says so.
func (e *Engine) turn(ctx context.Context, request facts.Request, now time.Time) (*Document, error) {
	request.Command = KindShouldRun
	doc, again, err := e.turnStep(ctx, request, facts.ReceiptWrite{}, now)
	if err != nil || !again {
		return doc, err
	}
	fresh, err := e.again()
	if err != nil {
		return nil, err
	}
	second := *e
	second.facts = fresh
	doc, again, err = second.turnStep(ctx, request, facts.ReceiptWrite{Observed: true}, now)
	if err == nil && again {
		return nil, &bundle.Error{Code: bundle.CodeEvaluation, Message: EntryTurn + " asks for a third decision"}
	}
	return doc, err
}

// turnStep decides once and commits.
func (e *Engine) turnStep(
	ctx context.Context, request facts.Request, receipt facts.ReceiptWrite, now time.Time,
) (doc *Document, again bool, err error) {
	q := &writeQuestion{entrypoint: EntryTurn, request: request}
	q.write.Poll, q.write.Receipt = &facts.PollWrite{}, &receipt
	q.inspect = func(value, input vm.Value) (vm.Value, error) {
		value, err := e.inspectTurn(ctx, value, input)
		again = isTrue(value, keyAgain)
		return value, err
	}
	first, err := e.decide(ctx, q, now, nil)
	if err != nil || len(first.effects) == 0 {
		if first != nil {
			doc = first.doc
		}
		return doc, again, err
	}
	if e.store == nil {
		return nil, false, errors.New("this engine has no store")
	}
	if doc, err = e.commit(ctx, q, first, now); err == nil {
		return withEventID(doc), again, nil
	}
	if isPolicy(err) || ctx.Err() != nil {
		return nil, false, err
	}
	receipt.Failure = publicReason(err)
	failed, broken := e.decide(ctx, q, now, nil)
	if broken != nil || len(failed.effects) > 0 {
		return nil, false, err
	}
	return failed.doc, false, nil
}

// inspectTurn explains an answer and holds it against the invariants before anything is committed.
func (e *Engine) inspectTurn(ctx context.Context, value, input vm.Value) (vm.Value, error) {
	result, ok := value.(*vm.Object)
	if !ok {
		return value, nil
	}
	document, ok := member(result, keyDocument)
	if !ok {
		return value, nil
	}
	shown, err := explained(e.bundle, document, input)
	if err != nil {
		return value, err
	}
	if err := e.checkInvariants(ctx, newDocument(KindShouldRun, document, e.order)); err != nil {
		return value, err
	}
	return result.With(keyDocument, shown), nil
}

// withEventID names the committed event in the receipt of the turn.
func withEventID(doc *Document) *Document {
	event, ok := member(doc.Value, keyEvent)
	if !ok {
		return doc
	}
	out := doc.Value.Without(keyEvent)
	receipt, ok := member(out, keyReceipt)
	if id := event.Get(keyEventID); ok && id != nil {
		out = out.With(keyReceipt, receipt.With(keyEventID, id))
	}
	return newDocument(doc.Kind, out, doc.order)
}

func isTrue(value vm.Value, key vm.Value) bool {
	object, ok := value.(*vm.Object)
	return ok && object.Get(key) == vm.Bool(true)
}

// isPolicy tells that an answer itself was at fault and not the writing of it.
func isPolicy(err error) bool {
	var (
		broken    *bundle.Error
		schema    *SchemaError
		invariant *InvariantError
	)
	return errors.As(err, &broken) || errors.As(err, &schema) || errors.As(err, &invariant)
}

// publicReason is what a refusal would say of an error.
func publicReason(err error) string {
	p := describe(err)
	if p.public != "" {
		return p.public
	}
	if t, broken := templates(); broken == nil && t.Codes[p.code].Reason != "" {
		return t.Codes[p.code].Reason
	}
	return p.code
}

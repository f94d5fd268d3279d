package decide

import (
	"context"
	"time"

	"github.com/loopx-dev/loopx-policy/engine/facts"
)

// KindPolicyInput is the kind of a refusal to give the input document.
const KindPolicyInput = "policy-input"

// Given gives the input document that ShouldRun evaluates for a request, for people who evaluate rules themselves. It holds
// to schemas/facts/input.json, and to nothing else: it is no answer and has no verdict.
func (e *Engine) Given(ctx context.Context, request facts.Request, now time.Time) (*Document, error) {
	return e.answer(ctx, KindPolicyInput, request, func() (*Document, error) {
		input, peers, err := e.gathered(ctx, EntryStanding, request, now)
		if err != nil {
			return nil, err
		}
		value, err := inputValue(input, peers)
		if err != nil {
			return nil, err
		}
		return newDocument(KindPolicyInput, value, nil), nil
	})
}

package decide

import (
	"context"
	"time"

	"github.com/loopx-dev/loopx-policy/engine/facts"
)

// EntryHeartbeatPrompt writes the text that a host gives its agent. A bundle without it answers every question.
const EntryHeartbeatPrompt = "data.loopx.heartbeat_prompt.result"

// KindHeartbeatPrompt is the kind of its document.
const KindHeartbeatPrompt = "heartbeat-prompt"

// HeartbeatPrompt gives the prompt of an agent. It asks for no decision and writes nothing.
func (e *Engine) HeartbeatPrompt(ctx context.Context, request facts.Request, prompt facts.Prompt, now time.Time) (*Document, error) {
	return e.answer(ctx, KindHeartbeatPrompt, request, func() (*Document, error) {
		input, err := e.facts.Input(ctx, request, now)
		if err != nil {
			return nil, err
		}
		input.Prompt = &prompt
		return e.evaluate(ctx, KindHeartbeatPrompt, EntryHeartbeatPrompt, input, nil)
	})
}

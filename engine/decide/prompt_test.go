package decide

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/loopx-dev/loopx-policy/engine/facts"
)

// promptSettings are the names that the tests go through.
type promptSettings struct {
	Forms    []string       `json:"forms"`
	Profiles map[string]any `json:"profiles"`
}

func namesOfPrompts(t require.TestingT) (out promptSettings) {
	b, err := fast()
	require.NoError(t, err)
	require.NoError(t, b.DecodeSettings("heartbeat_prompt", &out))
	require.NoError(t, b.DecodeSettings("scheduler", &out))
	return out
}

func promptOf(t require.TestingT, in *facts.Input, prompt facts.Prompt) map[string]any {
	b, err := fast()
	require.NoError(t, err)
	in.Request.Command = KindHeartbeatPrompt
	e, err := New(b, given{in}, true)
	require.NoError(t, err)
	doc, err := e.HeartbeatPrompt(context.Background(), in.Request, prompt, noon)
	require.NoError(t, err, "%s", doc.JSON())
	return plain(t, doc)
}

// TestHeartbeatPromptOfEveryProfile: each profile in each form names the agent, the bound guard, the token and what is free.
func TestHeartbeatPromptOfEveryProfile(t *testing.T) {
	names := namesOfPrompts(t)
	require.Len(t, names.Profiles, 9)
	require.Len(t, names.Forms, 4)
	for profile := range names.Profiles {
		for _, form := range names.Forms {
			in := synthetic(3)
			in.Request.CodexApp, in.Request.RuntimeProfile = false, profile
			doc := promptOf(t, in, facts.Prompt{Forms: []string{form}})
			require.Equal(t, true, doc["ok"], "%s %s", profile, form)
			text, ok := doc["text"].(string)
			require.True(t, ok)
			for _, phrase := range []string{"agent one of LoopX goal g", "loopx --registry registry.json --runtime-root runtime", "--agent-id one --runtime-profile " + profile, "reset_token", "spend nothing"} {
				assert.Contains(t, text, phrase, "%s %s", profile, form)
			}
			app := slices.Contains([]string{"codex_app_heartbeat", "trae_app"}, profile)
			assert.Equal(t, app, strings.Contains(text, "automation_update"), profile)
			assert.NotContains(t, text, "LOOPX_TURN")
			assert.Less(t, len(text), 4000)
		}
	}
}

// TestPropertyThePromptHasNoProjectBranch draws two projects: but for their ids they get the same text, whatever they hold.
func TestPropertyThePromptHasNoProjectBranch(t *testing.T) {
	names := namesOfPrompts(t)
	rapid.Check(t, func(t *rapid.T) {
		forms := []string{rapid.SampledFrom(names.Forms).Draw(t, "form")}
		var texts [2]string
		for i := range texts {
			in := wide(t)
			in.Request = facts.Request{GoalID: "g", AgentID: "one", TraeApp: true}
			in.Fill()
			texts[i], _ = promptOf(t, in, facts.Prompt{Forms: forms})["text"].(string)
		}
		assert.NotEmpty(t, texts[0])
		assert.Equal(t, texts[0], texts[1])
	})
}

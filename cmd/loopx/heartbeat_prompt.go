package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/loopx-dev/loopx-policy/engine/decide"
	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/render"
)

// promptForms are the lengths of a prompt, with what the help says of them.
var promptForms = [][2]string{
	{"thin", "who, the guard, and obey it (the default)"},
	{"brief", "and gates and boundaries"},
	{"compact", "and how work is written back"},
	{"full", "everything"},
}

func newHeartbeatPrompt(g *globals) *cobra.Command {
	o := &shouldRunOptions{request: g.request(decide.KindHeartbeatPrompt)}
	var prompt facts.Prompt
	asked := make([]bool, len(promptForms))
	cmd := &cobra.Command{
		Use:   decide.KindHeartbeatPrompt,
		Short: "Write the prompt that a host gives its agent at every wake-up",
		Long: `Write the prompt that a host gives its agent at every wake-up: who it is, the guard that it asks first, how it obeys the
answer and the scheduler hint, and what is free. The text depends on the kind of host and on the ids, never on the
project; what a project allows stays in the answer of the guard. The call writes nothing.`,
		Example: `  loopx heartbeat-prompt --goal-id parser --agent-id codex-1 --codex-app
  loopx heartbeat-prompt --goal-id parser --agent-id codex-1 --agent-scope "the tokenizer" --runtime-profile claude_code --compact
  loopx --format json heartbeat-prompt --goal-id parser --agent-id codex-1 --runtime-profile codex_app_ssh_goal --full`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			prompt.Forms = []string{}
			for i, form := range promptForms {
				if asked[i] {
					prompt.Forms = append(prompt.Forms, form[0])
				}
			}
			write := func(e *decide.Engine, ctx context.Context, r facts.Request, now time.Time) (*decide.Document, error) {
				return e.HeartbeatPrompt(ctx, r, prompt, now)
			}
			doc, err := g.ask(cmd.Context(), o.finished(), write)
			if err != nil {
				return err
			}
			return g.print(render.Prompt, doc)
		},
	}
	o.addCaller(g, cmd)
	f := cmd.Flags()
	for i, form := range promptForms {
		f.BoolVar(&asked[i], form[0], false, form[1])
	}
	f.StringVar(&prompt.AgentScope, "agent-scope", "", "what the agent is there for, in `words`")
	f.StringVar(&prompt.MaterialRule, "material-rule", "", "what counts as a material change, in `words`")
	f.StringVar(&prompt.PermissionRule, "permission-rule", "", "what needs permission, in `words`")
	f.StringVar(&prompt.ActiveState, "active-state", "", "state `file` to name in the prompt (default that of the registry, with --full)")
	f.StringVar(&prompt.CLIBin, "cli-bin", "", "`program` that the prompt calls (default loopx)")
	f.StringVar(&o.request.TurnInstanceID, "turn-instance-id", "", "turn `id` that the guard of the prompt is given")
	return cmd
}

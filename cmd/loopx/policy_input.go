package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/loopx-dev/loopx-policy/engine/decide"
	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/render"
)

func newPolicyInput(g *globals) *cobra.Command {
	o := &shouldRunOptions{request: g.request(decide.KindShouldRun)}
	cmd := &cobra.Command{
		Use:   "input",
		Short: "Print the input document that should-run decides on",
		Long: `Print the facts that should-run would decide on now, as the JSON that the rules see as input. Save it to evaluate, trace and
test rules with stock opa; schemas/facts/input.json describes it. The flags are those of should-run. The call writes nothing.
The document holds texts of the project, so look at it before you share it.`,
		Example: `  loopx policy input --goal-id parser --agent-id codex-1 --codex-app > input.json
  opa eval -b policy -i input.json -f pretty data.loopx.should_run.decision
  opa eval -b policy -i input.json --explain notes data.loopx.quota.state`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var refused error
			given := func(e *decide.Engine, ctx context.Context, r facts.Request, now time.Time) (*decide.Document, error) {
				doc, err := e.Given(ctx, r, now)
				refused = err
				return doc, err
			}
			doc, err := g.ask(cmd.Context(), o.finished(), given)
			if err != nil {
				return err
			}
			if refused != nil || doc.Kind != decide.KindPolicyInput {
				return g.print(render.Report, doc)
			}
			_, err = cmd.OutOrStdout().Write(doc.JSON())
			return err
		},
	}
	o.addTo(g, cmd)
	return cmd
}

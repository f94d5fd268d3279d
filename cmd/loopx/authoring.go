package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/loopx-dev/loopx-policy/engine/decide"
	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/isotime"
	"github.com/loopx-dev/loopx-policy/engine/render"
)

// authorOptions are what every command has that changes goals, todos or records.
type authorOptions struct {
	request facts.Request
	write   facts.Write
	entry   string
	// writes says that the command writes unless --dry-run is given; else it previews unless --execute is.
	writes bool
}

// addTo adds the flags about the goal and about writing.
func (o *authorOptions) addTo(g *globals, cmd *cobra.Command) {
	o.addGoal(g, cmd)
	o.addModes(cmd)
}

// addGoal adds the flag for the goal.
func (o *authorOptions) addGoal(g *globals, cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.request.GoalID, "goal-id", "", "registered `goal` that is meant (required)")
	complete(cmd, "goal-id", list(g.goalIDs))
}

func (o *authorOptions) addModes(cmd *cobra.Command) {
	preview, execute := "only say what would be written (the default)", "write it"
	if o.writes {
		preview, execute = "only say what would be written", "write it (the default)"
	}
	f := cmd.Flags()
	f.BoolVar(&o.request.DryRun, "dry-run", false, preview)
	f.BoolVar(&o.request.Execute, "execute", false, execute)
}

// addAgent adds the flag for the agent that calls.
func (o *authorOptions) addAgent(g *globals, cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.request.AgentID, "agent-id", "", "registered `agent` that calls")
	goal := cmd.Flags().Lookup("goal-id")
	complete(cmd, "agent-id", list(func() []string { return g.agentIDs(goal.Value.String()) }))
}

// finished is the request once the flags are read.
func (o *authorOptions) finished() facts.Request {
	request := o.request
	if o.writes && !request.DryRun {
		request.Execute = true
	}
	return request
}

// run asks for the write and prints the answer.
func (o *authorOptions) run(g *globals, cmd *cobra.Command) error {
	doc, err := o.ask(g, cmd, o.finished())
	if err != nil {
		return err
	}
	return g.print(render.Report, doc)
}

func (o *authorOptions) ask(g *globals, cmd *cobra.Command, request facts.Request) (*decide.Document, error) {
	return g.record(cmd.Context(), o.entry, request, o.write)
}

// record asks a write entrypoint.
func (g *globals) record(ctx context.Context, entry string, request facts.Request, write facts.Write) (*decide.Document, error) {
	return g.ask(ctx, request, func(e *decide.Engine, ctx context.Context, r facts.Request, now time.Time) (*decide.Document, error) {
		return e.Write(ctx, entry, r, write, now)
	})
}

// instantOf is the instant that a flag names, 0 when it names none.
func instantOf(text string) int64 {
	at, ok := isotime.ParseNS(text)
	if !ok {
		return 0
	}
	return at
}

package main

import (
	"github.com/spf13/cobra"

	"github.com/loopx-dev/loopx-policy/engine/decide"
	"github.com/loopx-dev/loopx-policy/engine/facts"
)

// historyOptions are the flags of the history commands.
type historyOptions struct {
	authorOptions
	history facts.HistoryWrite
}

func (g *globals) newHistoryOptions(command string) *historyOptions {
	o := &historyOptions{authorOptions: authorOptions{request: g.request(command), entry: decide.EntryRunIndex}}
	o.write.History = &o.history
	return o
}

func newHistory(g *globals) *cobra.Command {
	o := g.newHistoryOptions("history")
	cmd := &cobra.Command{
		Use:   "history",
		Short: "Show the newest runs of a goal, check and repair its run index",
		Example: `  loopx history --goal-id parser --limit 50
  loopx history check --goal-id parser
  loopx history repair --goal-id parser`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(g, cmd) },
	}
	f := cmd.Flags()
	f.Int64Var(&o.history.Limit, "limit", 0, "`number` of runs (default 20)")
	o.addGoal(g, cmd)
	cmd.AddCommand(newHistoryCheck(g), newHistoryRepair(g))
	return cmd
}

func newHistoryCheck(g *globals) *cobra.Command {
	o := g.newHistoryOptions("history-check")
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Report every line of a run index that is not as a writer leaves it",
		Long: `Read the whole run index of a goal and report every line that is not as a writer leaves it. Exit code 1 says that
there are faults. Nothing is changed.`,
		Example: "  loopx history check --goal-id parser --format json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.history.Check = &facts.IndexCheck{}
			return o.run(g, cmd)
		},
	}
	o.addGoal(g, cmd)
	return cmd
}

func newHistoryRepair(g *globals) *cobra.Command {
	o := g.newHistoryOptions("history-repair")
	cmd := &cobra.Command{
		Use:   "repair",
		Short: "Take unusable lines and exact repeats out of a run index",
		Long: `Take the lines out of a run index that no reader can use, and exact repeats of others. The original file stays beside
the index. The command previews unless --execute is given.`,
		Example: "  loopx history repair --goal-id parser\n  loopx history repair --goal-id parser --execute",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.history.Check = &facts.IndexCheck{}
			return o.run(g, cmd)
		},
	}
	o.addTo(g, cmd)
	return cmd
}

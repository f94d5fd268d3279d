package main

import (
	"github.com/spf13/cobra"

	"github.com/loopx-dev/loopx-policy/engine/decide"
	"github.com/loopx-dev/loopx-policy/engine/facts"
)

// goalOptions are the flags of the commands that change a goal's registry row.
type goalOptions struct {
	authorOptions
	goal facts.GoalWrite
}

const operatorNote = ` An operator decides this, so the command
previews unless --execute is given. It writes no run and spends nothing.`

func (g *globals) newGoalOptions(command, entry string) *goalOptions {
	o := &goalOptions{authorOptions: authorOptions{request: g.request(command), entry: entry}}
	o.write.Goal = &o.goal
	return o
}

func (o *goalOptions) command(g *globals, use, short, long, example string) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Long: long, Example: example, Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.goal.ExpiresNS = instantOf(o.goal.ExpiresAt)
			return o.run(g, cmd)
		},
	}
	o.addTo(g, cmd)
	cmd.Flags().BoolVar(&o.goal.NoGlobalSync, "no-global-sync", false, "leave the shared registry as it is")
	return cmd
}

// newQuotaSet sets the share of compute.
func newQuotaSet(g *globals) *cobra.Command {
	o := g.newGoalOptions("quota-set", decide.EntryQuotaWrite)
	cmd := o.command(g, "set", "Set a goal's share of compute",
		"Set a goal's share of compute, a number from 0 to 1; 0 pauses the goal."+operatorNote,
		"  loopx quota set --goal-id parser --compute 0.5\n  loopx quota set --goal-id parser --compute 0.5 --execute")
	cmd.Flags().StringVar(&o.goal.Compute, "compute", "", "`share` of compute, 0 to 1 (required)")
	return cmd
}

// newQuotaPause stops a goal and keeps its share.
func newQuotaPause(g *globals) *cobra.Command {
	o := g.newGoalOptions("quota-pause", decide.EntryQuotaWrite)
	cmd := o.command(g, "pause", "Stop a goal and keep its configured compute",
		"Stop a goal: every lane rests until quota resume. The configured compute stays."+operatorNote,
		"  loopx quota pause --goal-id parser --reason 'Freeze before the release' --execute")
	cmd.Flags().StringVar(&o.goal.Reason, "reason", "", "short `reason`, kept in the registry")
	return cmd
}

// newQuotaResume clears a stop.
func newQuotaResume(g *globals) *cobra.Command {
	o := g.newGoalOptions("quota-resume", decide.EntryQuotaWrite)
	cmd := o.command(g, "resume", "Clear the stop of a goal",
		"Clear the stop of a goal. A goal with compute 0 is not resumed but set (quota set)."+operatorNote,
		"  loopx quota resume --goal-id parser --execute")
	cmd.Flags().StringVar(&o.goal.Reason, "reason", "", "short `reason`, kept in the registry")
	return cmd
}

// newQuotaBurst grants extra slots for some time.
func newQuotaBurst(g *globals) *cobra.Command {
	o := g.newGoalOptions("quota-burst", decide.EntryQuotaWrite)
	cmd := o.command(g, "burst", "Grant extra slots for some time",
		"Grant extra slots on top of the allowed ones until they expire. A new burst replaces the last one."+operatorNote,
		"  loopx quota burst --goal-id parser --slots 20\n  loopx quota burst --goal-id parser --slots 20 --expires-at 2026-08-21T06:00:00Z --execute")
	f := cmd.Flags()
	f.StringVar(&o.goal.Slots, "slots", "", "`number` of extra slots, at least 1 (required)")
	f.StringVar(&o.goal.ExpiresAt, "expires-at", "", "ISO 8601 `time` at which they end (default one window from now)")
	return cmd
}

// newGoalLifecycle stops or resumes a goal.
func newGoalLifecycle(g *globals) *cobra.Command {
	o := g.newGoalOptions("goal-lifecycle", decide.EntryQuotaWrite)
	cmd := o.command(g, "goal-lifecycle", "Stop or resume a goal",
		"Stop or resume a goal. A stopped goal is paused and launches nothing."+operatorNote,
		"  loopx goal-lifecycle --goal-id parser --operation stop --reason 'Owner stopped it' --execute")
	f := cmd.Flags()
	f.StringVar(&o.goal.Operation, "operation", "", "`operation`: stop or resume (required)")
	f.StringVar(&o.goal.Reason, "reason", "", "short `reason`, kept in the registry")
	complete(cmd, "operation", list(func() []string { return keys(g.settings("quota_write")["activations"]) }))
	return cmd
}

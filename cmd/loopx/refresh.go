package main

import (
	"github.com/spf13/cobra"

	"github.com/loopx-dev/loopx-policy/engine/decide"
	"github.com/loopx-dev/loopx-policy/engine/facts"
)

// refreshOptions are the flags of the commands that record the state of a goal.
type refreshOptions struct {
	authorOptions
	refresh facts.RefreshWrite
}

func (g *globals) newRefreshOptions(command, entry string) *refreshOptions {
	o := &refreshOptions{authorOptions: authorOptions{request: g.request(command), entry: entry, writes: true}}
	o.write.Refresh = &o.refresh
	return o
}

func newRefreshState(g *globals) *cobra.Command {
	o := g.newRefreshOptions("refresh-state", decide.EntryRefresh)
	cmd := &cobra.Command{
		Use:   "refresh-state",
		Short: "Record the state of a goal after work",
		Long: `Record the state of a goal after work: one run with what the work came to. Only --delivery-outcome makes it
accountable, so that one slot can be spent for it; without one the refresh is neutral. After a replan, say what it
changed: each claimed change must show in the state.`,
		Example: `  loopx refresh-state --goal-id parser --agent-id codex-1
  loopx refresh-state --goal-id parser --agent-id codex-1 --classification tokenizer_done --delivery-outcome outcome_progress --delivery-batch-scale implementation --todo-id todo_tok
  loopx refresh-state --goal-id parser --agent-id codex-1 --autonomous-replan-recorded --repair-delta-kind successor_or_supersede --dry-run`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(g, cmd) },
	}
	r, f := &o.refresh, cmd.Flags()
	o.addTo(g, cmd)
	o.addAgent(g, cmd)
	f.StringArrayVar(&o.request.AvailableCapabilities, "available-capability", []string{}, "`capability` that this host offers now; may be repeated")
	f.StringVar(&o.request.TurnInstanceID, "turn-instance-id", "", "`id` of the heartbeat turn that did the work")
	f.StringVar(&r.Classification, "classification", "", "free `label` of the run; it decides nothing")
	f.StringVar(&r.RecommendedAction, "recommended-action", "", "what to do next, in one `sentence` (default from the state)")
	f.StringArrayVar(&r.NextActions, "next-action", nil, "`entry` that replaces the Next Action section; may be repeated")
	f.StringVar(&r.Outcome, "delivery-outcome", "", "`outcome`: surface_only, outcome_gap, outcome_progress or primary_goal_outcome")
	f.StringVar(&r.BatchScale, "delivery-batch-scale", "", "`size` of the delivery")
	f.StringVar(&r.Boundary, "delivery-boundary", "", "`boundary`: in_flight_continuation or semantic_closeout")
	f.StringVar(&r.WorkspacePath, "delivery-workspace-path", "", "`directory` of the worktree that produced the work; checked and never recorded")
	f.StringVar(&r.TodoID, "todo-id", "", "`todo` that the work belongs to")
	f.StringVar(&r.ObligationID, "replan-obligation-id", "", "`obligation` that the work answers")
	f.BoolVar(&r.ReplanRecorded, "autonomous-replan-recorded", false, "record that the replan is done; needs a change that the state shows")
	f.StringArrayVar(&r.DeltaKinds, "repair-delta-kind", nil, "`kind` of change that the replan made; may be repeated")
	f.StringVar(&r.ProgressResult, "progress-result", "", "`result` of a progress observation, such as advanced or unchanged")
	f.StringVar(&r.ProgressFingerprint, "progress-fingerprint", "", "`fingerprint` of what was observed")
	f.StringVar(&r.VisionText, "agent-vision-json", "", "agent vision as `JSON`, an object with a state")
	f.StringVar(&r.AgentLane, "agent-lane", "", "`lane` of the agent (default its id)")
	f.StringVar(&r.ProgressScope, "progress-scope", "", "`scope` of the progress: goal or agent_lane")
	f.BoolVar(&r.NoGlobalSync, "no-global-sync", false, "leave the shared registry as it is")
	f.Bool("suppress-external-sinks", false, "accepted for older callers; nothing is sent anywhere")
	complete(cmd, "delivery-outcome", list(func() []string { return words(g.settings("history")["outcomes"]) }))
	complete(cmd, "delivery-batch-scale", list(func() []string { return words(g.settings("refresh")["batch_scales"]) }))
	complete(cmd, "delivery-boundary", list(func() []string { return words(g.settings("refresh")["boundaries"]) }))
	complete(cmd, "progress-scope", list(func() []string { return words(g.settings("refresh")["scopes"]) }))
	complete(cmd, "repair-delta-kind", list(func() []string { return keys(g.settings("refresh")["delta_kinds"]) }))
	return cmd
}

func newReadOnlyMap(g *globals) *cobra.Command {
	o := g.newRefreshOptions("read-only-map", decide.EntryProjectMap)
	o.refresh.Map = &facts.ProjectMap{}
	cmd := &cobra.Command{
		Use:   "read-only-map",
		Short: "Record the outline of a goal's project",
		Long: `Record the outline of a goal's project: how many files of which kind, and the names at its top. No file is opened
and none is changed. The goal's adapter must be one that maps.`,
		Example: `  loopx read-only-map --goal-id parser
  loopx read-only-map --goal-id parser --dry-run --format json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(g, cmd) },
	}
	r, f := &o.refresh, cmd.Flags()
	o.addTo(g, cmd)
	o.addAgent(g, cmd)
	f.StringVar(&r.Classification, "classification", "", "`label` of the run")
	f.StringVar(&r.RecommendedAction, "recommended-action", "", "what to do next, in one `sentence`")
	f.BoolVar(&r.NoGlobalSync, "no-global-sync", false, "leave the shared registry as it is")
	return cmd
}

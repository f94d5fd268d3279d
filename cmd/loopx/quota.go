package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loopx-dev/loopx-policy/engine/decide"
	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/render"
	"github.com/loopx-dev/loopx-policy/engine/rrule"
)

func newQuota(g *globals) *cobra.Command {
	quota := &cobra.Command{
		Use:   "quota",
		Short: "Ask for permission to run and see how turns are shared",
		Args:  noArgs,
		RunE:  needSubcommand,
	}
	quota.AddCommand(
		newShouldRun(g),
		newWhy(g),
		newSpendSlot(g),
		newVoidSlot(g),
		newMonitorPoll(g),
		newSchedulerAck(g),
		newSchedulerAckCurrent(g),
		newSchedulerFailCurrent(g),
		newQuotaSet(g),
		newQuotaPause(g),
		newQuotaResume(g),
		newQuotaBurst(g),
		newPlan(g, decide.KindPlan, render.Plan, "Rank the goals and name the one for the next automatic turn", "  loopx quota plan\n  loopx quota plan --format table"),
		newPlan(g, decide.KindStatus, render.Status, "List every registered goal with its state and the reason for it", "  loopx quota status\n  loopx --format json quota status"),
	)
	addReading(quota)
	return quota
}

// addReading accepts the flags by which hosts bounded and cached the reading of older tools (state-files.md 7), so that
// their command lines stay valid. A decision reads what its windows need, whatever the history, and keeps no cache.
func addReading(cmd *cobra.Command) {
	flags := cmd.PersistentFlags()
	flags.Int64("limit", 5, "accepted and not needed: a decision reads what its windows need")
	flags.Bool("use-projection-cache", false, "accepted and not needed: no cache is kept")
	flags.Bool("write-projection-cache", false, "accepted and not needed: no cache is kept")
	flags.Int64("projection-cache-ttl-seconds", 120, "accepted and not needed: no cache is kept")
	for _, name := range []string{"limit", "use-projection-cache", "write-projection-cache", "projection-cache-ttl-seconds"} {
		cobra.CheckErr(flags.MarkHidden(name))
	}
}

// newStatus is the top-level form of `quota status`.
func newStatus(g *globals) *cobra.Command {
	cmd := newPlan(g, decide.KindStatus, render.Status, "Same as quota status", "  loopx status\n  loopx status --format json")
	addReading(cmd)
	return cmd
}

func newPlan(g *globals, kind string, view render.View, short, example string) *cobra.Command {
	cmd := &cobra.Command{
		Use:     kind,
		Short:   short,
		Example: example,
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			doc, err := g.ask(cmd.Context(), g.request(kind), (*decide.Engine).Plan)
			if err != nil {
				return err
			}
			return g.print(view, doc)
		},
	}
	g.addScan(cmd)
	return cmd
}

// shouldRunOptions are the flags of `quota should-run`.
type shouldRunOptions struct {
	request facts.Request
	// The two spellings of the RRULE that the host has now.
	codexRRULE, appRRULE string
}

func newShouldRun(g *globals) *cobra.Command {
	o := &shouldRunOptions{request: g.request(decide.KindShouldRun)}
	cmd := &cobra.Command{
		Use:   "should-run",
		Short: "Decide whether an agent may take its turn now",
		Long: `Decide whether an agent may take its turn now and what it should do: work, ask the operator, watch quietly,
replan, repair, wait or stop. The call spends nothing, and without --turn-instance-id or --record-host-poll it writes nothing.
With a turn id it commits one receipt for the turn; a quiet turn is observed first, and two that saw nothing new are a stall.`,
		Example: `  loopx quota should-run --goal-id parser --agent-id codex-1 --codex-app
  loopx quota should-run --goal-id parser --runtime-profile claude_code --format json
  loopx quota should-run --goal-id parser --available-capability docker --include-detail scheduler`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			request := o.finished()
			doc, err := g.ask(cmd.Context(), request, (*decide.Engine).ShouldRun)
			if err != nil {
				return err
			}
			return g.print(render.Decision, doc)
		},
	}
	o.addTo(g, cmd)
	o.addRecords(cmd)
	return cmd
}

// wants are what `quota why` can be asked to reach.
var wants = []string{"run", "quiet"}

func newWhy(g *globals) *cobra.Command {
	o := &shouldRunOptions{request: g.request(decide.KindShouldRun)}
	var want string
	cmd := &cobra.Command{
		Use:   decide.KindWhy,
		Short: "Say why the answer is as it is and what would change it",
		Long: `Say which rules give the answer of should-run and on which facts they rest, when time alone changes it, and which
single changes of a fact would turn it. Each listed change was tried by deciding again with it. The call writes nothing.`,
		Example: `  loopx quota why --goal-id parser --agent-id codex-1 --codex-app
  loopx quota why --goal-id parser --want run --format json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if want != "" && !slices.Contains(wants, want) {
				return usagef("--want %q is not one of %s", want, strings.Join(wants, ", "))
			}
			why := func(e *decide.Engine, ctx context.Context, r facts.Request, now time.Time) (*decide.Document, error) {
				return e.Why(ctx, r, want, now)
			}
			doc, err := g.ask(cmd.Context(), o.finished(), why)
			if err != nil {
				return err
			}
			return g.print(render.Why, doc)
		},
	}
	o.addTo(g, cmd)
	cmd.Flags().StringVar(&want, "want", "", "the `answer` to reach: "+strings.Join(wants, " or ")+" (default the opposite of the present one)")
	completeFixed(cmd, "want", wants)
	return cmd
}

// finished is the request once the flags are read.
func (o *shouldRunOptions) finished() facts.Request {
	o.request.CurrentRRULE, o.request.CodexRRULE = observed(o.codexRRULE), o.codexRRULE != ""
	if o.request.CurrentRRULE == "" {
		o.request.CurrentRRULE = observed(o.appRRULE)
	}
	return o.request
}

// observed brings the rule that a host shows into the form of the recommended ones. Text that no rule can be made of stays
// as it is: it is what the host has, and it matches no recommendation.
func observed(text string) string {
	rule, err := rrule.Parse(text)
	if err != nil {
		return text
	}
	return rule.String()
}

// addTo adds the flags to a command.
func (o *shouldRunOptions) addTo(g *globals, cmd *cobra.Command) {
	r, f := &o.request, cmd.Flags()
	o.addCaller(g, cmd)
	f.StringArrayVar(&r.IncludeDetail, "include-detail", []string{}, "`section` to give in full, such as scheduler or all; may be repeated")
	f.BoolVar(&r.DryRun, "dry-run", false, "state that nothing is to be written (the default here)")
	f.BoolVar(&r.Execute, "execute", false, "accepted for symmetry with writing commands; not together with --dry-run")
	f.BoolVar(&r.Explain, "explain", false, "name the rule behind every decided field")
	completeShouldRun(g, cmd)
}

// addRecords adds the flags by which a call leaves a record.
func (o *shouldRunOptions) addRecords(cmd *cobra.Command) {
	o.addTurn(cmd)
	cmd.Flags().BoolVar(&o.request.RecordHostPoll, "record-host-poll", false, "count this call in the host poll receipt beside the state file")
}

// addCaller adds the flags that say who calls, from which host and with which capabilities.
func (o *shouldRunOptions) addCaller(g *globals, cmd *cobra.Command) {
	r, f := &o.request, cmd.Flags()
	f.StringVar(&r.GoalID, "goal-id", "", "registered `goal` that the call is about (required)")
	f.StringVar(&r.AgentID, "agent-id", "", "registered `agent` that calls")
	f.StringArrayVar(&r.AvailableCapabilities, "available-capability", []string{}, "`capability` that this host offers now; may be repeated")
	f.StringVar(&r.RuntimeProfile, "runtime-profile", "", "scheduler `profile` of the calling host, such as codex_cli or claude_code")
	f.BoolVarP(&r.CodexApp, "codex-app", "A", false, "the caller is a Codex App heartbeat")
	f.BoolVar(&r.TraeApp, "trae-app", false, "the caller is a Trae App heartbeat")
	f.BoolVar(&r.TraeApp, "trae_app", false, "as --trae-app, in the spelling of other LoopX tools")
	_ = f.MarkHidden("trae_app")
	f.StringVarP(&r.HostSurface, "host-surface", "H", "", "`surface` the host runs on (with -O and -M, instead of a profile)")
	f.StringVarP(&r.SchedulerOwner, "scheduler-owner", "O", "", "`owner` of the schedule")
	f.StringVarP(&r.ExecutionMode, "execution-mode", "M", "", "execution `mode` of the host")
	f.StringVar(&o.codexRRULE, "codex-app-current-rrule", "", "`RRULE` that the Codex App automation has now")
	f.StringVar(&o.appRRULE, "app-automation-current-rrule", "", "`RRULE` that the app automation has now")
	cmd.MarkFlagsMutuallyExclusive("codex-app-current-rrule", "app-automation-current-rrule")
	g.addScan(cmd)
	completeCaller(g, cmd)
}

// request starts a request for a command.
func (g *globals) request(command string) facts.Request {
	return facts.Request{Command: command, AvailableCapabilities: []string{}, IncludeDetail: []string{}}
}

// deadline ends a question that a faulty bundle would never answer. A plan over a thousand goals takes about a second.
const deadline = time.Minute

// ask loads the bundle, reads the facts and gets the answer. The error is a usage error; every other failure is a refusal.
func (g *globals) ask(ctx context.Context, request facts.Request,
	question func(*decide.Engine, context.Context, facts.Request, time.Time) (*decide.Document, error),
) (*decide.Document, error) {
	now, err := g.instant()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	decide.Prepare(request.Command)
	engine, err := g.engine()
	if err != nil {
		return decide.Refuse(request.Command, request, err, g.verbose), nil
	}
	doc, _ := question(engine, ctx, request, now) // a refusal is a document that says why
	return doc, nil
}

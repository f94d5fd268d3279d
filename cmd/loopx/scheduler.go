package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/loopx-dev/loopx-policy/engine/decide"
	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/render"
	"github.com/loopx-dev/loopx-policy/engine/rrule"
)

// schedulerOptions are the flags of the commands that record what a host did with a recommended interval.
type schedulerOptions struct {
	shouldRunOptions
	write facts.Write
}

func newSchedulerAck(g *globals) *cobra.Command {
	return newAck(g, "scheduler-ack", "Record the interval that a host applied",
		"Record the interval that a host applied, by the token and signature of the hint that recommended it.")
}

func newSchedulerAckCurrent(g *globals) *cobra.Command {
	return newAck(g, "scheduler-ack-current", "Record the interval that a host applied, as the present hint recommends it",
		"Record the interval that a host applied. Token and signature come from the present hint unless they are given.")
}

const schedulerNote = ` The call
writes no run and spends nothing. Without --execute it only says what it would write.`

func newAck(g *globals, name, short, long string) *cobra.Command {
	o, cmd := newSchedulerCommand(g, name, short, long,
		"  loopx quota "+name+" --goal-id parser --agent-id codex-1 -A --applied-rrule 'FREQ=MINUTELY;INTERVAL=30' --execute")
	w, f := &o.write, cmd.Flags()
	f.StringVar(&w.AppliedRRULE, "applied-rrule", "", "`RRULE` that the host runs now")
	f.StringVar(&w.ResetToken, "reset-token", "", "reset `token` of the hint")
	f.StringVar(&w.IdentitySignature, "identity-signature", "", "identity `signature` of the hint")
	f.BoolVar(&w.HostMatchObserved, "host-match-observed", false, "the host was seen to run the RRULE; needs RRULE, token and signature")
	f.BoolVar(&w.UseCurrentHint, "use-current-hint", false, "take token and signature from the present hint")
	return cmd
}

func newSchedulerFailCurrent(g *globals) *cobra.Command {
	o, cmd := newSchedulerCommand(g, "scheduler-fail-current", "Record that a host could not apply the recommended interval",
		"Record that a host could not apply the recommended interval, so that it is not asked for the same again for a day.",
		"  loopx quota scheduler-fail-current --goal-id parser --agent-id codex-1 -A --failed-rrule 'FREQ=MINUTELY;INTERVAL=30' --execute")
	w, f := &o.write, cmd.Flags()
	f.StringVar(&w.FailedRRULE, "failed-rrule", "", "`RRULE` that the host did not take")
	f.StringVar(&w.FailureKind, "failure-kind", "", "`kind` of failure, such as timeout or rejected")
	return cmd
}

func newSchedulerCommand(g *globals, name, short, long, example string) (*schedulerOptions, *cobra.Command) {
	o := &schedulerOptions{}
	o.request = g.request(name)
	cmd := &cobra.Command{
		Use:     name,
		Short:   short,
		Long:    long + schedulerNote,
		Example: example,
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			request, bad := o.finished(), o.normalise()
			record := func(e *decide.Engine, ctx context.Context, r facts.Request, now time.Time) (*decide.Document, error) {
				if bad != nil {
					return decide.Refuse(name, r, bad, g.verbose), bad
				}
				return e.Write(ctx, decide.EntrySchedulerWrite, r, o.write, now)
			}
			doc, err := g.ask(cmd.Context(), request, record)
			if err != nil {
				return err
			}
			return g.print(render.Report, doc)
		},
	}
	f := cmd.Flags()
	o.addCaller(g, cmd)
	f.StringVar(&o.write.Surface, "surface", "", "host `surface` whose state is meant (default that of the calling host)")
	f.StringVar(&o.write.StateKey, "state-key", "", "`key` of the state (default that of the calling host)")
	f.StringVar(&o.write.ReasonSummary, "reason-summary", "", "short `reason`, given back in the answer")
	f.BoolVar(&o.request.DryRun, "dry-run", false, "only say what would be written (the default)")
	f.BoolVar(&o.request.Execute, "execute", false, "write it")
	return o, cmd
}

// normalise brings the reported rules into the form in which they are compared. A rule that no host timer can have is
// an error.
func (o *schedulerOptions) normalise() error {
	for _, text := range []*string{&o.write.AppliedRRULE, &o.write.FailedRRULE} {
		if *text == "" {
			continue
		}
		rule, err := rrule.Parse(*text)
		if err != nil {
			return &facts.Error{Code: facts.CodeArguments, Message: err.Error()}
		}
		*text = rule.String()
	}
	return nil
}

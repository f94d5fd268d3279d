package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/loopx-dev/loopx-policy/engine/decide"
	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/render"
)

func newDoctor(g *globals) *cobra.Command {
	var doctor facts.DoctorWrite
	o := authorOptions{request: g.request("doctor"), entry: decide.EntryDoctor}
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check this installation, and record release readiness",
		Long: `Check this installation: the registry, the places that are written, whether every command and every goal gets an
answer. Exit code 1 says that a check failed which must pass.

With --promotion-readiness the checks are a readiness run, and when they pass the evidence is stored in the shared release
ledger, so that the warning about missing evidence ends. --no-write-evidence stores nothing and ends no warning.`,
		Example: `  loopx doctor
  loopx doctor --promotion-readiness
  loopx doctor --promotion-readiness --no-write-evidence --format json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			g.setUp = true
			doctor.Promotion = doctor.Promotion || doctor.NoWriteEvidence
			request := o.request
			if !request.DryRun {
				request.Execute = true
			}
			check := func(e *decide.Engine, ctx context.Context, r facts.Request, now time.Time) (*decide.Document, error) {
				doctor.Version = release
				doctor.Revision, doctor.Digest = e.Rules()
				doctor.Trials = e.SelfCheck(ctx, now)
				return e.Write(ctx, o.entry, r, facts.Write{Doctor: &doctor}, now)
			}
			doc, err := g.ask(cmd.Context(), request, check)
			if err != nil {
				return err
			}
			return g.print(render.Report, doc)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&doctor.Promotion, "promotion-readiness", false, "make the checks a readiness run and store its evidence")
	f.BoolVar(&doctor.NoWriteEvidence, "no-write-evidence", false, "make the readiness run and store nothing")
	f.BoolVar(&o.request.DryRun, "dry-run", false, "only say what would be stored")
	f.BoolVar(&o.request.Execute, "execute", false, "store it (the default)")
	return cmd
}

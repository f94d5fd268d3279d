package main

import (
	"github.com/spf13/cobra"

	"github.com/loopx-dev/loopx-policy/engine/bundle"
	"github.com/loopx-dev/loopx-policy/engine/decide"
	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/render"
)

func newPolicy(g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "policy",
		Short: "Work with the rules that decide",
		Args:  noArgs,
		RunE:  needSubcommand,
	}
	cmd.AddCommand(newPolicyCheck(g), newPolicyRules(g), newPolicyInput(g))
	return cmd
}

func newPolicyCheck(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "check [BUNDLE]",
		Short: "Check that a bundle parses, compiles, fits the input schema and has every entrypoint",
		Long: `Check the bundle that a decision would use: the built-in one or the one named by BUNDLE, --policy or LOOPX_POLICY,
with the overlay of this project on top. A rule that reads an input field which does not exist is an error.`,
		Example: `  loopx policy check
  loopx policy check ./my-policy
  loopx policy check bundle.tar.gz --format json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return noArgs(cmd, args[1:])
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			opts := g.bundleOptions()
			if len(args) == 1 {
				opts.Policy = args[0]
			}
			opts.Check = true
			b, err := bundle.Load(opts)
			if err != nil {
				return g.print(render.Report, decide.Refuse(decide.KindPolicyCheck, facts.Request{}, err, g.verbose))
			}
			doc, err := decide.PolicyReport(b)
			if err != nil {
				return err
			}
			return g.print(render.Report, doc)
		},
	}
}

// bundleOptions says which bundle the command line and the environment ask for.
func (g *globals) bundleOptions() bundle.Options {
	name := g.policy
	if name == "" {
		name = g.env.getenv("LOOPX_POLICY")
	}
	dir := g.env.dir
	if dir == "" {
		dir = "."
	}
	return bundle.Options{Policy: name, ProjectDir: dir, Entrypoints: decide.Entrypoints}
}

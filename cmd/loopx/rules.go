package main

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/loopx-dev/loopx-policy/engine/bundle"
	"github.com/loopx-dev/loopx-policy/engine/decide"
	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/render"
)

func newPolicyRules(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "rules",
		Short: "List every rule: id, title, when it applies, what it sets, which settings it reads",
		Long: `List the rules of the bundle that a decision would use, from their METADATA. docs/rules.md is this list of the
built-in bundle.`,
		Example: `  loopx policy rules > rules.md
  loopx --format json policy rules
  loopx --policy ./my-policy policy rules`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			opts := g.bundleOptions()
			opts.Annotations = true
			b, err := bundle.Load(opts)
			if err != nil {
				return g.print(render.Report, decide.Refuse(decide.KindPolicyCheck, facts.Request{}, err, g.verbose))
			}
			if g.format == "json" {
				out := json.NewEncoder(cmd.OutOrStdout())
				out.SetIndent("", "  ")
				return out.Encode(map[string]any{"ok": true, "revision": b.Revision(), "rules": b.Catalog()})
			}
			return b.WriteCatalog(cmd.OutOrStdout())
		},
	}
}

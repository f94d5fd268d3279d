package main

import (
	"fmt"
	"runtime"

	"github.com/open-policy-agent/opa/v1/version"
	"github.com/spf13/cobra"

	"github.com/loopx-dev/loopx-policy/engine/bundle"
)

// release is set by the linker (-X main.release=...).
var release = "dev"

func newVersion(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the versions of the binary and of its rules",
		Example: "  loopx version",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			revision, err := bundle.EmbeddedRevision()
			if err != nil {
				return fmt.Errorf("embedded policy: %w", err)
			}
			_, err = fmt.Fprintf(g.env.stdout, "loopx %s\npolicy %s\nopa %s\n%s\n", release, revision, version.Version, runtime.Version())
			return err
		},
	}
}

package main

import (
	"github.com/spf13/cobra"

	"github.com/loopx-dev/loopx-policy/engine/bundle"
	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/registry"
	"github.com/loopx-dev/loopx-policy/engine/safety"
)

// addScan adds the flags that ask for a scan of public files.
func (g *globals) addScan(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&g.scan.Root, "scan-root", "", "`directory` of public files that is scanned for private text, or only its --scan-path")
	f.StringArrayVar(&g.scan.Paths, "scan-path", nil, "public `file or directory` to scan for private text; may be repeated")
	for _, name := range []string{"scan-root", "scan-path"} {
		complete(cmd, name, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault
		})
	}
}

// scanned gives the findings of the scan that the command line asks for.
func (g *globals) scanned(b *bundle.Bundle, route registry.Route) ([]facts.Finding, error) {
	if !g.scan.Asked() {
		return nil, nil
	}
	var settings safety.Settings
	if err := b.DecodeSettings(safety.Topic, &settings); err != nil {
		return nil, err
	}
	detector, err := safety.New(settings, safety.ProfileScan)
	if err != nil {
		return nil, &bundle.Error{Code: bundle.CodeInvalid, Message: err.Error()}
	}
	files := g.scan
	files.Open = route.Path
	return detector.Scan(files), nil
}

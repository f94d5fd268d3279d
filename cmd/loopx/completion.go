package main

import (
	"github.com/spf13/cobra"

	"github.com/loopx-dev/loopx-policy/engine/bundle"
)

type completer = cobra.CompletionFunc

// completeFixed offers a fixed list for a flag.
func completeFixed(cmd *cobra.Command, flag string, values []string) {
	complete(cmd, flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return values, cobra.ShellCompDirectiveNoFileComp
	})
}

func complete(cmd *cobra.Command, flag string, f completer) {
	if err := cmd.RegisterFlagCompletionFunc(flag, f); err != nil {
		panic(err) // the flag does not exist: a mistake in this package
	}
}

// completeShouldRun offers goals, agents and profiles as they are registered and configured.
func completeShouldRun(g *globals, cmd *cobra.Command) {
	list := func(f func() []string) completer {
		return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return f(), cobra.ShellCompDirectiveNoFileComp
		}
	}
	goal := cmd.Flags().Lookup("goal-id")
	complete(cmd, "goal-id", list(func() []string { return g.goalIDs() }))
	complete(cmd, "agent-id", list(func() []string { return g.agentIDs(goal.Value.String()) }))
	complete(cmd, "runtime-profile", list(func() []string { return g.settingList("runtime_profiles") }))
	complete(cmd, "include-detail", list(func() []string { return g.settingList("include_detail") }))
}

// goalIDs gives nothing when the registry cannot be read: a completion has no place for an error.
func (g *globals) goalIDs() []string {
	_, file, err := g.open()
	if err != nil {
		return nil
	}
	var ids []string
	for i := range file.Goals {
		ids = append(ids, file.Goals[i].ID)
	}
	return ids
}

func (g *globals) agentIDs(goalID string) []string {
	_, file, err := g.open()
	if err != nil {
		return nil
	}
	var ids []string
	for i := range file.Goals {
		if goalID == "" || file.Goals[i].ID == goalID {
			ids = append(ids, file.Goals[i].Agents...)
		}
	}
	return ids
}

// settingList reads settings.output.completion.<name>.
func (g *globals) settingList(name string) []string {
	b, err := bundle.Load(g.bundleOptions())
	if err != nil {
		return nil
	}
	var output struct {
		Completion map[string][]string `json:"completion"`
	}
	if err := b.DecodeSettings("output", &output); err != nil {
		return nil
	}
	return output.Completion[name]
}

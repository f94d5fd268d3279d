package main

import (
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/loopx-dev/loopx-policy/engine/bundle"
	"github.com/loopx-dev/loopx-policy/engine/decide"
	"github.com/loopx-dev/loopx-policy/engine/facts/goalstate"
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

// list offers what f gives at the time.
func list(f func() []string) completer {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return f(), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeCaller offers goals, agents and profiles as they are registered and configured.
func completeCaller(g *globals, cmd *cobra.Command) {
	goal := cmd.Flags().Lookup("goal-id")
	complete(cmd, "goal-id", list(g.goalIDs))
	complete(cmd, "agent-id", list(func() []string { return g.agentIDs(goal.Value.String()) }))
	complete(cmd, "runtime-profile", list(g.profiles))
}

func completeShouldRun(g *globals, cmd *cobra.Command) {
	complete(cmd, "include-detail", list(func() []string { return g.details(decide.KindShouldRun) }))
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

// completeTodos offers the todos of the named goal wherever a command takes one.
func completeTodos(g *globals, cmd *cobra.Command) {
	if cmd.Flags().Lookup("todo-id") != nil {
		complete(cmd, "todo-id", func(called *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			return g.todoIDs(called.Flag("goal-id").Value.String()), cobra.ShellCompDirectiveNoFileComp
		})
	}
	for _, sub := range cmd.Commands() {
		completeTodos(g, sub)
	}
}

// todoIDs gives the todos of the active sections of a goal, each with its text.
func (g *globals) todoIDs(goalID string) []string {
	route, file, err := g.open()
	if err != nil {
		return nil
	}
	var ids []string
	for i := range file.Goals {
		row := &file.Goals[i]
		if row.ID != goalID {
			continue
		}
		doc, err := goalstate.Read(route.Path(row.Repo), route.Expand(row.StateFile))
		if err != nil {
			return nil
		}
		for _, todo := range doc.Todos {
			ids = append(ids, cobra.CompletionWithDesc(todo.ID, todo.Text))
		}
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

// settings gives one topic, or nothing when the bundle cannot be loaded.
func (g *globals) settings(topic string) map[string]any {
	b, err := bundle.Load(g.bundleOptions())
	if err != nil {
		return nil
	}
	var out map[string]any
	if err := b.DecodeSettings(topic, &out); err != nil {
		return nil
	}
	return out
}

func (g *globals) profiles() []string {
	profiles, _ := g.settings("scheduler")["profiles"].(map[string]any)
	return slices.Sorted(maps.Keys(profiles))
}

func (g *globals) details(command string) []string {
	request := g.settings("request")
	byCommand, _ := request["details"].(map[string]any)
	list, _ := byCommand[command].([]any)
	var out []string
	for _, e := range append(list[:len(list):len(list)], request["all_details"]) {
		if s, ok := e.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// keys gives the sorted keys of a settings object.
func keys(v any) []string {
	object, _ := v.(map[string]any)
	return slices.Sorted(maps.Keys(object))
}

// words gives the texts of a settings list.
func words(v any) []string {
	list, _ := v.([]any)
	var out []string
	for _, e := range list {
		if s, ok := e.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

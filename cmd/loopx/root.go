package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loopx-dev/loopx-policy/engine/decide"
	"github.com/loopx-dev/loopx-policy/engine/render"
	"github.com/loopx-dev/loopx-policy/engine/safety"
)

// environment is what a command may reach outside of its flags.
type environment struct {
	stdout, stderr io.Writer
	getenv         func(string) string
	clock          func() time.Time
	dir            string // empty: the current directory
	home           string // empty: the user's home directory
}

func process() *environment {
	return &environment{stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, clock: time.Now}
}

// globals are the options of every command; they may stand before or after its name.
type globals struct {
	env         *environment
	registry    string
	runtimeRoot string
	format      string
	now         string
	policy      string
	verbose     bool
	scan        safety.Files
	setUp       bool // the command makes a project: no other registry stands in for its own
}

// exitError carries an exit code out of a command whose output is already written.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// usageError is a wrong command line.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// run executes one command line and gives its exit code.
func run(args []string, env *environment) int {
	g := &globals{env: env}
	root := newRoot(g)
	root.SetArgs(args)
	root.SetOut(env.stdout)
	root.SetErr(env.stderr)
	cmd, err := root.ExecuteC()
	var exit exitError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &exit):
		return int(exit)
	}
	if wantsJSON(args) {
		doc := decide.Refuse(decide.KindUsage, g.request(""), decide.UsageError(err), g.verbose)
		_, _ = env.stdout.Write(doc.JSON()) // the exit code already says that it failed
	}
	fmt.Fprintf(env.stderr, "%s: %v\nRun '%s --help' for usage.\n", root.Name(), err, cmd.CommandPath()) //nolint:errcheck // same
	return exitUsage
}

// wantsJSON looks for the format on a command line that could not be parsed.
func wantsJSON(args []string) bool {
	for i, arg := range args {
		if arg == "--" {
			return false
		}
		value, found := strings.CutPrefix(arg, "--format=")
		if arg == "--format" && i+1 < len(args) {
			value, found = args[i+1], true
		}
		if found && value == render.JSON {
			return true
		}
	}
	return false
}

func newRoot(g *globals) *cobra.Command {
	root := &cobra.Command{
		Use:   "loopx",
		Short: "Decide whether a long-running agent may run now",
		Long: `loopx answers one question before each turn of a long-running agent: may it run now, and what should it do?
The answer comes from rules that you can read, test and change (loopx policy --help).

Exit codes: 0 answered (a skip is an answer), 1 refused or unhealthy (the document is still printed),
2 wrong command line, 3 not executable now.`,
		Example: `  loopx quota should-run --goal-id parser --agent-id codex-1 --codex-app
  loopx --format json quota should-run --goal-id parser
  loopx quota plan
  loopx quota should-run --goal-id parser --now 2026-08-20T12:00:00Z --policy ./my-policy`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          noArgs,
		RunE:          needSubcommand,
		Version:       release,
	}
	root.SetVersionTemplate("loopx {{.Version}}\n")
	flags := root.PersistentFlags()
	flags.StringVar(&g.registry, "registry", "", "registry `file` (default $LOOPX_REGISTRY, ./.loopx/registry.json, then the global registry)")
	flags.StringVar(&g.runtimeRoot, "runtime-root", "", "runtime `directory` with run history and scheduler state (default from the registry)")
	flags.StringVar(&g.format, "format", render.Markdown, "output `format`: "+strings.Join(render.Formats, ", "))
	flags.StringVar(&g.now, "now", "", "decide as of this RFC 3339 `time` (default $LOOPX_NOW, then the clock)")
	flags.StringVar(&g.policy, "policy", "", "rules bundle, a `directory or tar.gz` that replaces the built-in one (default $LOOPX_POLICY)")
	flags.BoolVar(&g.verbose, "verbose", false, "show the raw text of unexpected errors")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	completeFixed(root, "format", render.Formats)
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		// a host whose variable is unset means a turn, and an answer without one would leave no receipt
		if turn := cmd.Flags().Lookup("turn-instance-id"); turn != nil && turn.Changed && strings.TrimSpace(turn.Value.String()) == "" {
			return usagef("--turn-instance-id is empty: name the turn or leave the flag out")
		}
		return g.check()
	}
	root.AddCommand(newQuota(g), newStatus(g), newHeartbeatPrompt(g), newGoalLifecycle(g), newConfigureGoal(g), newTodo(g), newRefreshState(g), newReadOnlyMap(g), newHistory(g), newDoctor(g), newRegisterAgent(g), newInit(g), newPolicy(g), newVersion(g))
	completeTodos(g, root)
	return root
}

func (g *globals) check() error {
	for _, format := range render.Formats {
		if g.format == format {
			return nil
		}
	}
	return usagef("--format %q is not one of %s", g.format, strings.Join(render.Formats, ", "))
}

// instant is the time of the decision.
func (g *globals) instant() (time.Time, error) {
	text, source := g.now, "--now"
	if text == "" {
		text, source = g.env.getenv("LOOPX_NOW"), "LOOPX_NOW"
	}
	if text == "" {
		return g.env.clock(), nil
	}
	now, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}, usagef("%s %q is not an RFC 3339 time such as 2026-08-20T12:00:00Z", source, text)
	}
	return now, nil
}

// needSubcommand is the action of a command that only groups others.
func needSubcommand(cmd *cobra.Command, _ []string) error {
	return usagef("%s needs a subcommand: %s", cmd.CommandPath(), strings.Join(subcommands(cmd), ", "))
}

func subcommands(cmd *cobra.Command) []string {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

// noArgs refuses words that are neither a subcommand nor a flag.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if !cmd.HasSubCommands() {
		return usagef("%s takes no argument %q", cmd.CommandPath(), args[0])
	}
	message := fmt.Sprintf("unknown command %q for %s", args[0], cmd.CommandPath())
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		message += "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return usagef("%s", message)
}

// print writes a document and turns its verdict into the exit code.
func (g *globals) print(view render.View, doc *decide.Document) error {
	if err := render.Write(g.env.stdout, g.format, view, doc); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	if !doc.OK() {
		return exitError(exitRefused)
	}
	return nil
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/loopx-dev/loopx-policy/engine/decide"
	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/render"
)

// validationOf is what an answer wants to be run before it is asked again.
type validationOf struct {
	Argv           []string `json:"argv"`
	TimeoutSeconds int64    `json:"timeout_seconds"`
	Pending        bool     `json:"pending"`
	// Stored is given back, so that the answer knows what was run.
	Stored struct {
		Command string `json:"command"`
		Argv    string `json:"argv"`
	} `json:"stored"`
}

// runValidated asks for the write, runs what the answer wants to be run, and asks again with what that came to.
func (o *todoOptions) runValidated(g *globals, cmd *cobra.Command) error {
	request := o.finished()
	doc, err := o.ask(g, cmd, request)
	if err != nil {
		return err
	}
	if wanted := wantedBy(doc); wanted.Pending && len(wanted.Argv) > 0 {
		ran, err := g.validate(cmd.Context(), request.GoalID, wanted)
		if err != nil {
			return err
		}
		o.todo.Validated = ran
		if doc, err = o.ask(g, cmd, request); err != nil {
			return err
		}
	}
	return g.print(render.Report, doc)
}

func wantedBy(doc *decide.Document) (out validationOf) {
	fields, err := doc.Fields()
	if err != nil {
		return out
	}
	text, err := json.Marshal(fields["validation"])
	if err != nil {
		return out
	}
	_ = json.Unmarshal(text, &out) // an answer without one has nothing to run
	return out
}

// validate runs a validation in the project of a goal. What it prints goes to standard error.
func (g *globals) validate(ctx context.Context, goalID string, wanted validationOf) (*facts.Validated, error) {
	route, file, err := g.open()
	if err != nil {
		return nil, err
	}
	out := &facts.Validated{Command: wanted.Stored.Command, Argv: wanted.Stored.Argv, ExitCode: -1}
	goal := file.Goal(goalID)
	if goal == nil { // gone since it was asked for; the next answer says so
		return out, nil
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(wanted.TimeoutSeconds)*time.Second)
	defer cancel()
	run := exec.CommandContext(ctx, wanted.Argv[0], wanted.Argv[1:]...)
	run.Dir, run.Stdout, run.Stderr = route.Path(goal.Repo), g.env.stderr, g.env.stderr
	run.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that what it started ends with it
	run.Cancel = func() error { return syscall.Kill(-run.Process.Pid, syscall.SIGKILL) }
	run.WaitDelay = time.Second
	err = run.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		out.TimedOut = true
	case err == nil:
		out.ExitCode = 0
	case errors.As(err, &exit):
		out.ExitCode = int64(exit.ExitCode())
	default:
		out.Failure = err.Error()
	}
	return out, nil
}

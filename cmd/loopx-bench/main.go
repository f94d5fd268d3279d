// Command loopx-bench measures a loopx binary as its callers meet it: whole processes on synthetic projects, from
// start to answer. It prints a Markdown table with the budgets of the design and whether each one is met.
//
//	loopx-bench bin/loopx
//	loopx-bench -runs 50 -rows 100,1000000 -goals 200 bin/loopx
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "loopx-bench:", err)
		}
		os.Exit(1)
	}
}

// config is what the command line asks for.
type config struct {
	binary string
	runs   int
	warmUp int
	rows   []int
	goals  int
	strict bool
}

func run(args []string, out, progress io.Writer) error {
	c, err := parseArgs(args, progress)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "loopx-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	began := time.Now()
	scenarios, err := c.scenarios(dir, began)
	if err != nil {
		return err
	}
	fmt.Fprintf(progress, "projects written in %.1f s\n", time.Since(began).Seconds())
	process := &process{binary: c.binary, home: dir}
	if err := measure(process, scenarios, c.warmUp, c.runs); err != nil {
		return err
	}
	missed := report(out, machine(process.version()), c.runs, scenarios)
	if c.strict && missed > 0 {
		return fmt.Errorf("%d budgets missed", missed)
	}
	return nil
}

func parseArgs(args []string, output io.Writer) (config, error) {
	flags := flag.NewFlagSet("loopx-bench", flag.ContinueOnError)
	flags.SetOutput(output)
	flags.Usage = func() {
		fmt.Fprintln(output, "usage: loopx-bench [flags] LOOPX-BINARY")
		flags.PrintDefaults()
	}
	c := config{}
	rows := ""
	flags.IntVar(&c.runs, "runs", 20, "measured `runs` of each command; the plan gets a quarter of them")
	flags.IntVar(&c.warmUp, "warm-up", 2, "`runs` of each command before that")
	flags.StringVar(&rows, "rows", "100,100000,1000000", "`sizes` of the run index, the first is the reference")
	flags.IntVar(&c.goals, "goals", 1000, "`goals` of the plan")
	flags.BoolVar(&c.strict, "strict", false, "exit with 1 when a budget is missed")
	if err := flags.Parse(args); err != nil {
		return c, err
	}
	for _, text := range strings.Split(rows, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < 1 {
			return c, fmt.Errorf("-rows: %q is no number of rows", text)
		}
		c.rows = append(c.rows, n)
	}
	if flags.NArg() != 1 || c.runs < 1 || c.warmUp < 0 || c.goals < 1 {
		flags.Usage()
		return c, errors.New("needs one binary and positive numbers")
	}
	path, err := exec.LookPath(flags.Arg(0))
	if err != nil {
		return c, err
	}
	c.binary, err = filepath.Abs(path)
	return c, err
}

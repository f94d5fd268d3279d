package main

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"loopx": main})
}

// TestScripts runs the command line as a user does. Every script starts in a small healthy project whose clock stands at
// noon; `unchanged` fails when a command left a trace in it.
func TestScripts(t *testing.T) {
	bundle, err := filepath.Abs("../../policy")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireUniqueNames:  true,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("LOOPX_NOW", "2026-08-20T12:00:00Z")
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("TZ", "UTC")
			env.Setenv("BUNDLE", bundle)
			return os.CopyFS(env.WorkDir, os.DirFS("testdata/project"))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"snapshot":  func(ts *testscript.TestScript, _ bool, _ []string) { setBefore(ts) },
			"unchanged": unchanged,
			"copy":      func(ts *testscript.TestScript, _ bool, args []string) { copyDir(ts, args) },
			"replace":   func(ts *testscript.TestScript, _ bool, args []string) { replace(ts, args) },
			"repeat":    func(ts *testscript.TestScript, _ bool, args []string) { repeat(ts, args) },
		},
	})
}

// snapshots holds the listing that unchanged compares with, by script.
var snapshots sync.Map

func setBefore(ts *testscript.TestScript) {
	snapshots.Store(ts.Getenv("WORK"), listing(ts.Getenv("WORK")))
}

func unchanged(ts *testscript.TestScript, _ bool, _ []string) {
	work := ts.Getenv("WORK")
	before, ok := snapshots.Load(work)
	if !ok {
		ts.Fatalf("no snapshot was taken")
	}
	if after := listing(work); after != before {
		ts.Fatalf("the project changed:\n--- before\n%s--- after\n%s", before, after)
	}
}

// listing names every file with its content and mode.
func listing(dir string) string {
	var b strings.Builder
	_ = filepath.Walk(dir, func(p string, info os.FileInfo, err error) error {
		if err != nil || strings.Contains(p, "/.tmp") {
			return nil
		}
		rel, _ := filepath.Rel(dir, p)
		b.WriteString(rel + " " + info.Mode().String())
		if info.Mode().IsRegular() && info.Size() < 1<<20 {
			text, _ := os.ReadFile(p)
			b.WriteString(" " + string(text))
		}
		b.WriteString("\n")
		return nil
	})
	return b.String()
}

// copyDir copies a directory tree: copy FROM TO.
func copyDir(ts *testscript.TestScript, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: copy FROM TO")
	}
	ts.Check(os.CopyFS(ts.MkAbs(args[1]), os.DirFS(ts.MkAbs(args[0]))))
}

// replace changes the one place in a file: replace FILE OLD NEW.
func replace(ts *testscript.TestScript, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: replace FILE OLD NEW")
	}
	name := ts.MkAbs(args[0])
	text, err := os.ReadFile(name)
	ts.Check(err)
	if strings.Count(string(text), args[1]) != 1 {
		ts.Fatalf("%s holds %q %d times, not once", args[0], args[1], strings.Count(string(text), args[1]))
	}
	ts.Check(os.WriteFile(name, []byte(strings.Replace(string(text), args[1], args[2], 1)), 0o644))
}

// repeat fills a file with a text: repeat FILE COUNT TEXT.
func repeat(ts *testscript.TestScript, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: repeat FILE COUNT TEXT")
	}
	count := 0
	for _, d := range args[1] {
		count = count*10 + int(d-'0')
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Repeat(args[2], count)), 0o644))
}

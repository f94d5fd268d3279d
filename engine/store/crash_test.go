package store

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/goalstate"
	"github.com/loopx-dev/loopx-policy/engine/facts/registry"
)

var (
	ctx    = context.Background()
	update = flag.Bool("update", false, "rewrite the tables of docs/reliability.md")
)

const reliability = "../../docs/reliability.md"

// child runs a scenario in a process of its own: name of the mode, then its arguments.
func child(args []string) error {
	switch args[0] {
	case "crash":
		return crashChild(args[1:])
	case "race":
		return raceChild(args[1:])
	default:
		return fmt.Errorf("no mode %q", args[0])
	}
}

// crashChild runs a scenario and ends at a point: scenario, call, half, targets.
func crashChild(args []string) error {
	var targets facts.Targets
	at, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(args[3]), &targets); err != nil {
		return err
	}
	for _, s := range scenarios {
		if s.name == args[0] {
			_, err := s.run(on(&seam{at: at, half: args[2] == "true", act: killSelf}), targets)
			return err
		}
	}
	return errors.New("no such scenario")
}

// killed runs a scenario in a child that ends at a point.
func killed(t testing.TB, s scenario, p point, targets facts.Targets) {
	t.Helper()
	text, err := json.Marshal(targets)
	require.NoError(t, err)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "LOOPX_STORE_TEST_CHILD="+strings.Join([]string{"crash", s.name, strconv.Itoa(p.at), strconv.FormatBool(p.half), string(text)}, "\n"))
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit, "%s", out)
	status, ok := exit.Sys().(syscall.WaitStatus)
	require.True(t, ok)
	require.Equal(t, syscall.SIGKILL, status.Signal(), "%s: %s", p.name, out)
}

// TestCrashPoints ends a process at every point of every commit and looks at what the next one finds. The table of points and
// outcomes is part of docs/reliability.md; -update rewrites it.
func TestCrashPoints(t *testing.T) {
	t.Parallel()
	var table strings.Builder
	for _, s := range scenarios {
		fmt.Fprintf(&table, "\n### %s\n\n| # | the process ends before | a reader finds | the next writer |\n| --- | --- | --- | --- |\n", s.name)
		points, after := s.points(t), afterwards(t, s)
		rows := make([]string, len(points))
		var wg sync.WaitGroup
		slots := make(chan struct{}, 4)
		for i, p := range points {
			wg.Go(func() {
				slots <- struct{}{}
				defer func() { <-slots }()
				rows[i] = crashed(t, s, p, after)
			})
		}
		wg.Wait()
		kept := false
		for i, row := range rows {
			fmt.Fprintf(&table, "| %d | %s | %s\n", i+1, points[i].name, row)
			now := strings.Contains(row, "finish") || strings.Contains(row, "complete")
			assert.False(t, kept && !now, "%s: what was committed stays committed: %s", s.name, points[i].name)
			kept = kept || now
		}
	}
	t.Log(table.String())
	golden(t, "crash points", table.String())
}

// crashed lets a child end at a point and gives what was found, as the cells of a table.
func crashed(t testing.TB, s scenario, p point, after map[string]string) string {
	dir, targets := s.setUp(t)
	before := tree(t, dir)
	killed(t, s, p, targets)

	left := tree(t, dir)
	readable(t, s, p, targets)
	found := "the old state"
	seen := shown(left)
	switch {
	case same(seen, shown(after)):
		found = "the new state"
	case !same(seen, shown(before)):
		found = "the new state in part" // the commit point is passed, the rest is in the intent
	}
	require.NoError(t, recovered(New(), s, targets), p.name)
	now, left := settled(tree(t, dir)), settled(left)
	before = settled(before)
	done := ""
	switch {
	case same(now, after):
		done = "finishes it"
		if same(left, after) {
			done = "finds it complete"
		}
	case same(now, before):
		done = "drops it"
		if same(left, before) {
			done = "finds nothing"
		}
		// The caller was never told that it is done, so it runs again, and then it is done once.
		_, err := s.run(New(), targets)
		require.NoError(t, err, p.name)
		assert.Equal(t, after, settled(tree(t, dir)), "%s: again", p.name)
	default:
		assert.Equal(t, after, now, "%s %s: neither the old nor the new state", s.name, p.name)
	}
	if found == "the new state" || found == "the new state in part" {
		assert.NotContains(t, done, "drops", "%s: what a reader saw is gone", p.name)
	}
	require.NoError(t, os.RemoveAll(dir))
	return found + " | " + done + " |"
}

// afterwards is the tree of a scenario that nothing interrupts, for a project in dir.
func afterwards(t testing.TB, s scenario) map[string]string {
	t.Helper()
	dir, targets := s.setUp(t)
	_, err := s.run(New(), targets)
	require.NoError(t, err)
	return settled(tree(t, dir))
}

// settled leaves out what is no state: a line that was set aside or that its writer did not end, an index without a line, and
// the staged bytes of a scheduler state, which the next one overwrites.
func settled(files map[string]string) map[string]string {
	out := map[string]string{}
	for name, text := range files {
		if strings.HasSuffix(name, ".torn") || strings.HasSuffix(name, ".tmp") && strings.Contains(name, "scheduler-state/") {
			continue
		}
		if strings.HasSuffix(name, ".jsonl") {
			if text = text[:strings.LastIndexByte(text, '\n')+1]; text == "" {
				continue
			}
		}
		out[name] = text
	}
	return out
}

func same(a, b map[string]string) bool { return assert.ObjectsAreEqual(a, b) }

// shown are the files that a reader opens: no staged bytes and no intents; of an index and an event log the complete lines; of
// runs those that the index lists.
func shown(files map[string]string) map[string]string {
	out := map[string]string{}
	for name, text := range files {
		if base := filepath.Base(name); strings.HasSuffix(base, ".tmp") || strings.HasPrefix(base, ".loopx-intent") {
			continue
		}
		if strings.HasSuffix(name, ".jsonl") {
			text = text[:strings.LastIndexByte(text, '\n')+1]
			if text == "" {
				continue
			}
		}
		out[name] = text
	}
	for name := range out {
		dir, base := filepath.Split(name)
		if index, ok := files[dir+"index.jsonl"]; strings.HasSuffix(strings.TrimSuffix(dir, "/"), "runs") && base != "index.jsonl" && (!ok || !strings.Contains(index[:strings.LastIndexByte(index, '\n')+1], base+`"`)) {
			delete(out, name)
		}
		if files["project/.loopx/registry.json"] == "" && base == "S.md" {
			delete(out, name)
		}
	}
	return out
}

// readable makes sure that the readers of this program can use what a crash left.
func readable(t testing.TB, s scenario, p point, targets facts.Targets) {
	t.Helper()
	if s.blank {
		return
	}
	file, err := registry.Load(targets.SourceRegistry)
	require.NoError(t, err, p.name)
	assert.Empty(t, file.Findings, p.name)
	require.NoError(t, registry.Check(targets.GlobalRegistry), p.name)
	doc, err := goalstate.Read("/", targets.StateFile)
	require.NoError(t, err, p.name)
	assert.Empty(t, doc.Findings, p.name)
	result, err := ledger(targets)
	require.NoError(t, err, p.name)
	assert.Empty(t, result.Findings, p.name)
}

// golden compares a part of docs/reliability.md, between two comments that name it.
func golden(t *testing.T, part, want string) {
	t.Helper()
	data, err := os.ReadFile(reliability)
	require.NoError(t, err)
	open, end := "<!-- "+part+" -->\n", "<!-- end of "+part+" -->"
	head, rest, found := strings.Cut(string(data), open)
	require.True(t, found, "docs/reliability.md has no %s", open)
	have, tail, found := strings.Cut(rest, end)
	require.True(t, found, "docs/reliability.md has no %s", end)
	if *update {
		require.NoError(t, os.WriteFile(reliability, []byte(head+open+want+"\n"+end+tail), 0o644))
		return
	}
	assert.Equal(t, want+"\n", have, "run go test ./engine/store -run TestCrashPoints -update")
}

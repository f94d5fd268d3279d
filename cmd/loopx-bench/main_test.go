package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The test binary stands in for loopx: a link to it with a telling name answers and ends.
func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case "loopx-good":
		fmt.Println(`{"ok": true}`)
	case "loopx-refuses":
		fmt.Println(`{"ok": false}`)
	case "loopx-text":
		fmt.Println("not a document")
	case "loopx-fails":
		fmt.Fprintln(os.Stderr, "broken")
		os.Exit(1)
	default:
		os.Exit(m.Run())
	}
}

func fake(t *testing.T, name string) string {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.Symlink(self, path))
	return path
}

func TestRunPrintsTheTable(t *testing.T) {
	var out, progress bytes.Buffer
	require.NoError(t, run([]string{"-runs", "1", "-warm-up", "0", "-rows", "10,2000", "-goals", "2", fake(t, "loopx-good")}, &out, &progress))
	table := out.String()
	assert.Contains(t, table, "Machine: ")
	for _, name := range []string{
		"| `version` |", "| `quota should-run`, 20 todos, 10 runs |", "| `quota should-run`, 100 todos, 10 runs |",
		"| `quota should-run`, 20 todos, 2,000 runs |", "| `quota spend-slot --execute`, 20 todos, 10 runs |", "| `quota plan`, 2 goals, 20 todos, 10 runs each |", "2,000 runs, as a ratio |",
	} {
		assert.Contains(t, table, name)
	}
	assert.Contains(t, progress.String(), "projects written")
}

func TestARefusalIsNoMeasurement(t *testing.T) {
	for name, want := range map[string]string{
		"loopx-refuses": "ok=false", "loopx-text": "answer is not JSON", "loopx-fails": "broken",
	} {
		err := run([]string{"-runs", "1", "-warm-up", "0", "-rows", "1", "-goals", "1", fake(t, name)}, &bytes.Buffer{}, &bytes.Buffer{})
		require.ErrorContains(t, err, want)
	}
}

func TestCommandLine(t *testing.T) {
	for _, args := range [][]string{
		{}, {"a", "b"}, {"-rows", "x", "true"}, {"-rows", "0", "true"}, {"-runs", "0", "true"}, {"-goals", "0", "true"}, {"no-such-binary-here"}, {"-what"},
	} {
		require.Error(t, run(args, &bytes.Buffer{}, &bytes.Buffer{}), strings.Join(args, " "))
	}
}

func TestReportJudgesBudgets(t *testing.T) {
	reference := &scenario{name: "short", samples: []sample{{50e6, 30e6}, {40e6, 20e6}}, budget: 80e6, memory: 100 << 20, peakBytes: 90 << 20, share: 1}
	long := &scenario{name: "long", samples: []sample{{90e6, 50e6}, {80e6, 50e6}, {100e6, 50e6}}, budget: 80e6, memory: 100 << 20, peakBytes: 110 << 20, ratioTo: reference, ratioMax: 1.2, share: 1}
	var out bytes.Buffer
	assert.Equal(t, 3, report(&out, "here", 3, []*scenario{reference, long}))
	assert.Contains(t, out.String(), "| short | 45.0 | 40.0 | 50.0 | 25.0 | 90 | 80.0 ms, 100 MB | met, met |")
	assert.Contains(t, out.String(), "| long | 90.0 | 80.0 | 100.0 | 50.0 | 110 | 80.0 ms, 100 MB | **missed**, **missed** |")
	assert.Contains(t, out.String(), "| long, as a ratio | 2.00 | 2.00 | | 2.00 | | 1.2 | **missed** |")
}

func TestMeasureSharesRuns(t *testing.T) {
	often, seldom := &scenario{share: 1}, &scenario{share: 4}
	require.NoError(t, measure(&process{binary: fake(t, "loopx-good"), home: t.TempDir()}, []*scenario{often, seldom}, 1, 8))
	assert.Len(t, often.samples, 8)
	assert.Len(t, seldom.samples, 3)
	assert.Positive(t, often.peakBytes)
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int]string{7: "7", 1000: "1,000", 100000: "100,000", 1000000: "1,000,000"} {
		assert.Equal(t, want, grouped(n))
	}
}

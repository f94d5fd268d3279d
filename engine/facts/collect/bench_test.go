package collect_test

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts/collect"
	"github.com/loopx-dev/loopx-policy/engine/facts/registry"
	"github.com/loopx-dev/loopx-policy/internal/benchdata"
)

// BenchmarkPeer reads the goals of a plan one by one; cpu-us/goal is what one of them costs, the kernel's part included.
func BenchmarkPeer(b *testing.B) {
	const goals = 64
	layout, err := benchdata.Project(b.TempDir(), benchdata.Options{
		Goals: goals, Todos: 20, IndexRows: 100, Agents: 2, Seed: 1, Now: now,
	})
	require.NoError(b, err)
	settings, err := shipped()
	require.NoError(b, err)
	route, file, err := registry.Open(registry.Options{Registry: layout.Registry, Home: layout.Dir})
	require.NoError(b, err)
	c := collect.New(route, file, settings)
	b.ReportAllocs()
	start, i := processor(b), 0
	for b.Loop() {
		_, err := c.Peer(b.Context(), layout.Goals[i%goals], now)
		require.NoError(b, err)
		i++
	}
	b.ReportMetric(float64(processor(b)-start)/float64(b.N)/1000, "cpu-us/goal")
}

// processor is the processor time of this process in nanoseconds.
func processor(b *testing.B) int64 {
	b.Helper()
	var usage syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return usage.Utime.Nano() + usage.Stime.Nano()
}

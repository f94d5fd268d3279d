package history

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// benchRows is how many rows the long benchmark index has; set LOOPX_BENCH_ROWS=1000000 for the full claim.
func benchRows(b *testing.B) int {
	text := os.Getenv("LOOPX_BENCH_ROWS")
	if text == "" {
		return 50_000
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// writeIndex writes n rows 5 minutes apart, the newest at testNow. Of three rows one is a spend, one a poll and one a
// refresh; a refresh of the goal stands every `goalEvery` rows, the others belong to two agents in turn.
func writeIndex(b *testing.B, n, goalEvery int) string {
	b.Helper()
	dir := b.TempDir()
	file, err := os.Create(filepath.Join(dir, indexName))
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(file)
	for i := n - 1; i >= 0; i-- {
		agent := []string{"agent-a", "agent-b"}[i/3%2]
		class, extra := "quota_slot_spent", `"quota_event": {"event_type": "quota_slot_spent", "source": "heartbeat", "slots": 5, "reason_summary": "one automatic turn under an eligible guard", "before": {"state": "eligible"}, "after": {"state": "eligible"}}`
		switch {
		case i == n-1 || i%goalEvery == 1 && goalEvery < n:
			class, extra = "state_refreshed", `"progress_scope": "goal"`
		case i%3 == 1:
			class, extra = "parser_progress", `"delivery_outcome": "outcome_progress", "delivery_batch_scale": "implementation", "progress_scope": "agent_lane", "state": {"sha256_16": "910865c7ce35beb0", "frontmatter": {"updated_at": "2026-08-20T11:00:00+00:00"}}`
		case i%3 == 2:
			class, extra = "quota_monitor_poll", `"delivery_outcome": "surface_only", "monitor_target": {"schema_version": "quota_monitor_target_v0", "target_id": "62bd7eb5079c01d0", "monitor_mode": "monitor_quiet_until_material_transition", "effective_action": "monitor_quiet_skip", "action_summary": "watch the release page"}`
		}
		at := ago(time.Duration(i) * 5 * time.Minute)
		fmt.Fprintf(w, `{"generated_at": %q, "goal_id": "g1", "classification": %q, "recommended_action": "Continue the parser", "health_check": "state_file 1/1; registry_goal 1/1; authority_sources 0", "json_path": "/srv/loopx/goals/g1/runs/%s.json", "markdown_path": "/srv/loopx/goals/g1/runs/%s.md", %s, "agent_id": %q}`+"\n", at, class, at, at, extra, agent)
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := file.Close(); err != nil {
		b.Fatal(err)
	}
	return dir
}

// cpu is the processor time of this process, which says more than the clock on a busy machine.
func cpu(b *testing.B) int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}

func BenchmarkRead(b *testing.B) {
	n := benchRows(b)
	for _, bench := range []struct {
		name      string
		rows      int
		goalEvery int
		agent     string
	}{
		{"10 rows", 10, 10, "agent-a"},
		{"100 rows", 100, 10, "agent-a"},
		{"2000 rows", 2000, 10, "agent-a"},
		{"long", n, 10, "agent-a"},
		{"long, unscoped", n, 10, ""},
		{"long, agent without rows", n, 10, "agent-c"},
		{"long, status run at the start", n, n, "agent-a"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			dir := writeIndex(b, bench.rows, bench.goalEvery)
			o := options(b)
			o.AgentID = bench.agent
			b.ReportAllocs()
			start := cpu(b)
			for b.Loop() {
				if _, err := Read(dir, o); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(cpu(b)-start)/float64(b.N), "cpu-ns/op")
		})
	}
}

func BenchmarkLine(b *testing.B) {
	data := []byte(`{"generated_at": "2026-11-30T19:03:48+00:00", "goal_id": "demo-goal", "classification": "quota_slot_spent", "recommended_action": "Continue the widget parser", "health_check": "quota validated delivery completion; quota slot spend event public-safe", "json_path": "/srv/loopx/goals/demo-goal/runs/2026-11-30T19-03-48-00-00-quota-slot-spent.json", "markdown_path": "/srv/loopx/goals/demo-goal/runs/2026-11-30T19-03-48-00-00-quota-slot-spent.md", "agent_id": "codex-alpha", "turn_instance_id": "turn-alpha-0001", "todo_id": "todo_8d8660c7a262", "settlement_identity": {"schema_version": "quota_settlement_identity_v0", "goal_id": "demo-goal", "agent_id": "codex-alpha"}}`)
	o := options(b)
	k := &known{options: &o, classes: classBits(&o.Settings), outcomes: outcomeBits(&o.Settings)}
	var c cells
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		seen, fault := object(data, rowKey, &c)
		if fault != sound || !k.read(&c, seen, ref{}).timed {
			b.Fatal("unreadable")
		}
		c.clear(seen)
	}
}

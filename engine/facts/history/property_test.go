package history

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// shape is the kind of history that is generated; it is drawn so that every stop condition comes last in some case.
type shape struct {
	rows, spacing, goalEvery, overlays, garbage int
	agents                                      []string
	classes                                     []string
}

func drawShape(t *rapid.T) shape {
	classes := []string{"quota_slot_spent", "quota_slot_voided", "quota_monitor_poll", "state_refreshed", "parser_progress",
		"operator_gate_approved", "human_reward_given"}
	return shape{
		rows:      rapid.IntRange(0, 900).Draw(t, "rows"),
		spacing:   rapid.SampledFrom([]int{0, 1, 5, 30, 120, 600}).Draw(t, "spacing"),
		goalEvery: rapid.SampledFrom([]int{1, 3, 50, 800}).Draw(t, "goal every"),
		overlays:  rapid.SampledFrom([]int{0, 5, 30}).Draw(t, "overlays"),
		garbage:   rapid.SampledFrom([]int{0, 0, 2, 20}).Draw(t, "garbage"),
		agents:    rapid.SampledFrom([][]string{{""}, {"agent-a"}, {"agent-b"}, {"agent-a", "agent-b", ""}, {"Agent A", "agent-b"}}).Draw(t, "agents"),
		classes:   classes[:rapid.IntRange(1, len(classes)).Draw(t, "classes")],
	}
}

// generate writes an index in time order, with rows moved by up to margin, overlays on earlier rows at any distance,
// copies, rows of other goals, damaged lines and the line ends that files have.
func generate(s shape, seed uint64, margin time.Duration) string {
	r := rand.New(rand.NewPCG(seed, 7))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	var lines []string
	var rows []fields
	emit := func(row fields) {
		lines = append(lines, ordered(row, r)+pick("", "", "", "\r", " "))
	}
	for i := s.rows - 1; i >= 0; i-- {
		at := testNow.Add(-time.Duration(i*s.spacing)*time.Minute - time.Duration(r.IntN(30))*time.Second)
		at = at.Add(15*time.Second + time.Duration(r.Int64N(int64(margin)))/2).Truncate(time.Second)
		row := fields{"generated_at": at.Format(pick("2006-01-02T15:04:05-07:00", "2006-01-02T15:04:05", "2006-01-02T15:04:05Z")),
			"classification": pick(s.classes...)}
		if r.IntN(10) > 0 {
			row["json_path"], row["markdown_path"] = fmt.Sprintf("r%d.json", r.IntN(3)), fmt.Sprintf("r%d.md", r.IntN(3))
		}
		if r.IntN(2) == 0 {
			row["goal_id"] = pick("g1", "g1", "g1", "g1", "g2")
		}
		if agent := pick(s.agents...); agent != "" {
			row["agent_id"] = agent
		}
		if r.IntN(s.goalEvery) > 0 {
			row["progress_scope"] = "agent_lane"
		}
		if r.IntN(5) > 0 {
			row["quota_event"] = fields{"slots": r.IntN(4), "before": fields{"progress_scope": "agent_lane", "agent_id": "agent-b"}}
		}
		switch r.IntN(12) {
		case 0:
			row["turn_instance_id"] = fmt.Sprintf("turn-%d", r.IntN(5))
		case 1:
			row["agent_vision"] = fields{"state": pick("open", "closed"), "todo_delta": []string{"create:todo_x"}}
		case 2:
			row["delivery_outcome"] = pick("outcome_gap", "outcome_progress")
		case 3:
			row["recommended_actions"] = `}"progress_scope": "agent_lane"` // an unknown key
		case 4, 5:
			row["delivery_outcome"] = pick("surface_only", "unheard_of")
		}
		rows = append(rows, row)
		emit(row)
		if len(rows) > 1 && s.overlays > 0 && r.IntN(s.overlays) == 0 {
			back := rows[max(0, len(rows)-1-r.IntN(1<<r.IntN(11)))]
			over := fields{"generated_at": back["generated_at"], "json_path": back["json_path"], "markdown_path": back["markdown_path"]}
			switch r.IntN(6) {
			case 0:
				over = back
			case 1:
				over["human_reward"] = fields{"score": 1}
			case 2:
				over["progress_scope"] = pick("agent_lane", "goal")
			case 3:
				over["agent_id"] = pick("agent-a", "agent-b")
			case 4:
				over["classification"] = nil
			case 5:
				over["delivery_outcome"] = pick("surface_only", "outcome_progress")
			}
			emit(over)
		}
		if s.garbage > 0 && r.IntN(s.garbage) == 0 {
			lines = append(lines, pick("", "  ", "garbage", "[1, 2]", `{"generated_at": `, "null", "\xff", `{"classification": "x"}`, "\x00"))
		}
	}
	text := strings.Join(lines, "\n")
	return text + pick("\n", "\n", "\n\n", "", "\n{\"generated_at\": \"2026", "\r\n")
}

// ordered writes a row with its fields in any order, mostly with its time in front as upstream does.
func ordered(row fields, r *rand.Rand) string {
	names := slices.Collect(maps.Keys(row))
	slices.Sort(names)
	r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	if first := slices.Index(names, "generated_at"); r.IntN(20) > 0 {
		names[0], names[first] = names[first], names[0]
	}
	parts := make([]string, len(names))
	for i, name := range names {
		value, _ := json.Marshal(row[name])
		parts[i] = fmt.Sprintf("%q:%s%s", name, []string{"", " "}[r.IntN(2)], value)
	}
	return "{" + strings.Join(parts, []string{",", ", "}[r.IntN(2)]) + "}"
}

// TestSameAsFullScan holds the reader against a reference that reads everything, for every handed-out value.
func TestSameAsFullScan(t *testing.T) {
	base := options(t)
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		o := base
		o.ProjectRoot = dir
		o.AgentID = rapid.SampledFrom([]string{"", "agent-a", "agent-c"}).Draw(t, "agent")
		o.WindowHours = rapid.Int64Range(1, 48).Draw(t, "window")
		o.Settings.HorizonHours = rapid.Int64Range(1, 60).Draw(t, "horizon")
		o.Settings.MarginHours = rapid.Int64Range(1, 3).Draw(t, "margin")
		o.Settings.LookbackDays = rapid.Int64Range(1, 6).Draw(t, "lookback")
		o.Settings.MaterialRows = rapid.SampledFrom([]int64{1, 3, 24, 100}).Draw(t, "material")
		o.Settings.FreshnessDays = 1
		o.Now = testNow.Add(-time.Duration(rapid.IntRange(-60, 120).Draw(t, "later")) * time.Minute)
		o.block = rapid.SampledFrom([]int{0, 1, 64, 1000, 1 << 20}).Draw(t, "block")
		o.keep = rapid.SampledFrom([]int{0, 1, 50}).Draw(t, "keep")
		s := drawShape(t)
		text := generate(s, rapid.Uint64().Draw(t, "seed"), time.Duration(o.Settings.MarginHours)*time.Hour)
		require.NoError(t, os.WriteFile(filepath.Join(dir, indexName), []byte(text), 0o600))

		got := read(t, dir, o)
		ref := newReference(text, o)
		want := ref.result()
		require.Equal(t, want.Ledger, got.Ledger)
		require.Equal(t, want.StatusRun, got.StatusRun)
		require.Equal(t, want.Runs, got.Runs)
		require.Equal(t, want.Decisions, got.Decisions)
		require.Equal(t, want.RowCount, got.RowCount)
		require.Equal(t, want.NextNS, got.NextNS)

		// just before the instant at which a row enters or leaves, nothing but the quota window has moved
		until := o.Now.Add(60 * 24 * time.Hour).UnixNano()
		for _, at := range []int64{got.NextNS, got.LeavesNS} {
			if at > 0 {
				until = min(until, at)
			}
		}
		later := o
		later.Now = time.Unix(0, until-1)
		if held := newReference(text, later).result(); later.Now.After(o.Now) {
			require.Equal(t, held.StatusRun, got.StatusRun)
			require.Equal(t, held.Runs, got.Runs)
			require.Equal(t, held.Decisions, got.Decisions)
			require.Equal(t, held.RowCount, got.RowCount)
		}

		found := map[string]map[int]bool{}
		for _, f := range got.Findings {
			if found[f.Code] == nil {
				found[f.Code] = map[int]bool{}
			}
			found[f.Code][f.Line] = true
		}
		if len(got.Findings) > maxBad {
			return // the rest is counted in one finding
		}
		require.Subset(t, ref.damaged, keys(found["run_index_line_unreadable"]))
		require.Subset(t, keys(found["run_index_line_unreadable"]), ref.near())
		require.Subset(t, ref.untimed, keys(found["run_index_time_unreadable"]))
		require.ElementsMatch(t, ref.events, keys(found["ledger_event_unreadable"]))
	})
}

func keys(set map[int]bool) []int {
	out := []int{}
	for k := range set {
		out = append(out, k)
	}
	return out
}

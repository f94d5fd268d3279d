package history

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// counted adds up the bytes that were read.
type counted struct {
	io.ReaderAt
	bytes int
}

func (c *counted) ReadAt(p []byte, off int64) (int, error) {
	c.bytes += len(p)
	return c.ReaderAt.ReadAt(p, off)
}

func scan(t testing.TB, text string, o Options) (*Result, int) {
	t.Helper()
	b, err := o.bounds()
	require.NoError(t, err)
	src := &counted{ReaderAt: strings.NewReader(text)}
	result, err := NewReader(o.Settings).index(src, int64(len(text)), indexName, &o, b)
	require.NoError(t, err)
	return result, src.bytes
}

// TestCostFollowsTheWindow: twenty times the history adds a few samples and nothing else, and the same answer comes out.
func TestCostFollowsTheWindow(t *testing.T) {
	long := manyRows(t, 60_000, 5*time.Minute)
	cut := 0
	for range 57_000 {
		cut += strings.IndexByte(long[cut:], '\n') + 1
	}
	for _, agent := range []string{"", "agent-a"} {
		o := options(t)
		o.AgentID = agent
		short, few := scan(t, long[cut:], o)
		whole, many := scan(t, long, o)
		assert.Equal(t, short, whole)
		assert.Less(t, many, few+few/3)
	}
}

// TestStatusRunHasNoLimit: it is found at the very start of the index, and an overlay that was written today counts.
func TestStatusRunHasNoLimit(t *testing.T) {
	month := 30 * 24 * time.Hour
	first := line(t, 12*month, "read_only_project_map", fields{"json_path": "map.json", "markdown_path": "map.md"})
	lane := []string{}
	for i := 8000; i > 0; i-- {
		lane = append(lane, upstreamLine(time.Duration(i)*time.Hour, "parser_progress", "agent-a", `"progress_scope": "agent_lane"`))
	}
	over := `{"generated_at": "` + ago(12*month) + `", "json_path": "map.json", "markdown_path": "map.md", "operator_gate": {"decision": "approve"}}`
	text := first + "\n" + strings.Join(lane, "\n") + "\n" + over + "\n"
	o := options(t)
	o.keep = 100
	r, _ := scan(t, text, o)
	require.NotNil(t, r.StatusRun)
	assert.Equal(t, "read_only_project_map", r.StatusRun.Classification)
	assert.Equal(t, "approve", r.StatusRun.OperatorGate.Decision)
	require.Len(t, r.Decisions, 1)
	assert.Equal(t, newReference(text, o).result().Runs, r.Runs)
}

// TestNoNumberOfRowsCutsAStreak: rows that decide nothing, or that belong to a streak, do not use up what is handed out.
func TestNoNumberOfRowsCutsAStreak(t *testing.T) {
	outcome := func(word string) fields { return fields{"delivery_outcome": word, "agent_id": "agent-a"} }
	for name, c := range map[string]struct {
		agent, class string
		extra        fields
	}{
		"refreshes of the lane": {"agent-a", "state_refreshed", fields{"agent_id": "agent-a", "progress_scope": "agent_lane"}},
		"canaries":              {"agent-b", "quota_scheduler_ack", fields{}},
		"a streak of the goal":  {"agent-b", "parser_progress", outcome("surface_only")},
		"lanes beside a streak": {"agent-b", "parser_progress", fields{"agent_id": "agent-a", "progress_scope": "agent_lane"}},
	} {
		t.Run(name, func(t *testing.T) {
			lines := []string{line(t, 80*time.Hour, "parser_progress", outcome("outcome_progress"))}
			for i := 60; i > 0; i-- {
				lines = append(lines, line(t, time.Duration(i)*time.Hour, c.class, c.extra))
			}
			text := strings.Join(lines, "\n") + "\n"
			o := options(t)
			o.AgentID = c.agent
			got, _ := scan(t, text, o)
			assert.Equal(t, newReference(text, o).result().Runs, got.Runs)
			require.NotEmpty(t, got.Runs)
			assert.Equal(t, "outcome_progress", got.Runs[len(got.Runs)-1].DeliveryOutcome)
		})
	}
}

// TestRowsOfAStreakLeaveWithTheWindow: what is handed out for the longest window's sake is not said to stay longer.
func TestRowsOfAStreakLeaveWithTheWindow(t *testing.T) {
	surface := fields{"delivery_outcome": "surface_only", "agent_id": "agent-b"}
	refresh := fields{"agent_id": "agent-a", "progress_scope": "agent_lane"}
	for name, c := range map[string]struct {
		rows  int
		row   func(hours int) string
		agent string
	}{
		"a streak that is decided": {40, func(h int) string {
			if h == 160 {
				return line(t, 160*time.Hour, "parser_progress", fields{"delivery_outcome": "outcome_progress"})
			}
			return line(t, time.Duration(h)*time.Hour, "parser_progress", surface)
		}, "agent-a"},
		"a lane whose last row decides": {43, func(h int) string {
			if h > 4*19 { // the 24th of them is the first row beyond the window
				return line(t, time.Duration(h)*time.Hour, "parser_progress", refresh)
			}
			return line(t, time.Duration(h)*time.Hour, "state_refreshed", refresh)
		}, "agent-a"},
	} {
		t.Run(name, func(t *testing.T) {
			var lines []string
			for i := c.rows; i > 0; i-- {
				lines = append(lines, c.row(4*i))
			}
			text := strings.Join(lines, "\n") + "\n"
			o := options(t)
			o.AgentID = c.agent
			got, _ := scan(t, text, o)
			require.Positive(t, got.LeavesNS)
			later := o
			later.Now = time.Unix(0, got.LeavesNS-1)
			assert.Equal(t, newReference(text, later).result().Runs, got.Runs)
		})
	}
}

// TestAgentWithFewRows: other agents' rows beyond the horizon are passed over, and nothing is lost by it.
func TestAgentWithFewRows(t *testing.T) {
	lines := []string{}
	for i := 5000; i > 0; i-- {
		agent, extra := "agent-b", `"progress_scope": "agent_lane"`
		switch {
		case i%500 == 0:
			agent = "Agent C"
		case i%700 == 0:
			extra = `"human_reward": {"score": 1}`
		case i%900 == 0:
			extra = `"state": {"agent_id": "agent-c"}, "progress_scope": "agent_lane"`
		}
		lines = append(lines, upstreamLine(time.Duration(i)*10*time.Minute, "parser_progress", agent, extra))
		if i%997 == 0 {
			lines = append(lines, upstreamLine(time.Duration(i)*10*time.Minute, "parser_progress", "agent-c", `"human_reward": {}`))
		}
	}
	text := strings.Join(lines, "\n") + "\n"
	o := options(t)
	o.AgentID = "agent-c"
	got, _ := scan(t, text, o)
	want := newReference(text, o).result()
	rows := 0
	for _, run := range got.Runs {
		rows += run.Count
	}
	assert.Equal(t, 24+8+4+1, rows, "the newest rows of agent-b, eight rows of its own, four by overlay, the goal's newest run")
	got.StatusRun.ArtifactsMissing = false
	want.StatusRun.ArtifactsMissing = false
	want.LeavesNS = got.LeavesNS // TestSameAsFullScan holds it
	assert.Equal(t, want, got)
}

// upstreamLine writes the fields in upstream's order.
func upstreamLine(d time.Duration, class, agent, extra string) string {
	return fmt.Sprintf(`{"generated_at": %q, "goal_id": "g1", "classification": %q, "json_path": "%d.json", "markdown_path": "%d.md", %s, "agent_id": %q}`,
		ago(d), class, d, d, extra, agent)
}

// TestEarlyOverlay: a line that was passed over, or dropped, turns out to be an overlay on an earlier row.
func TestEarlyOverlay(t *testing.T) {
	day := 24 * time.Hour
	paths := `"json_path": "a.json", "markdown_path": "a.md"`
	lane := `"progress_scope": "agent_lane"`
	base := fmt.Sprintf(`{"generated_at": %q, "classification": "work", %s}`, ago(60*day), paths)
	for name, c := range map[string]struct{ over, want string }{
		"passed over":         {fmt.Sprintf(`{"generated_at": %q, %s, %s}`, ago(60*day), paths, lane), "older status"},
		"read in full":        {fmt.Sprintf(`{%s, "generated_at": %q, %s}`, paths, ago(60*day), lane), "older status"},
		"not of the same row": {fmt.Sprintf(`{"generated_at": %q, %s}`, ago(60*day), lane), "work"},
	} {
		t.Run(name, func(t *testing.T) {
			lines := []string{line(t, 61*day, "older status"), base}
			for i := 200; i > 0; i-- {
				lines = append(lines, upstreamLine(60*day-time.Duration(201-i)*time.Second, "parser_progress", "agent-a", lane))
			}
			lines = append(lines, c.over)
			for i := 300; i > 0; i-- {
				lines = append(lines, upstreamLine(time.Duration(i)*4*time.Hour, "parser_progress", "agent-a", lane))
			}
			o := options(t)
			o.keep = 1
			r, _ := scan(t, strings.Join(lines, "\n")+"\n", o)
			require.NotNil(t, r.StatusRun)
			assert.Equal(t, c.want, r.StatusRun.Classification)
		})
	}
}

// TestMargin: rows that were written late by less than the margin are found behind any number of older ones.
func TestMargin(t *testing.T) {
	hour := time.Hour
	block := func(n int, at time.Duration) []string {
		out := []string{}
		for i := range n {
			out = append(out, line(t, at+time.Duration(n-i)*time.Second, "parser_progress", fields{"progress_scope": "agent_lane"}))
		}
		return out
	}
	o := options(t)
	o.WindowHours = 300
	old, older := block(100, 301*hour), block(100, 800*hour)
	recent := append(block(30, 2*hour), line(t, hour, "state_refreshed"))
	text := strings.Join(append(append(append(older, line(t, 299*hour, "quota_slot_spent", spend(7))), old...), recent...), "\n") + "\n"
	r, _ := scan(t, text, o)
	assert.Len(t, r.Ledger.Rows, 1, "at the edge of the window")

	o.WindowHours = 24
	lines := append(append(block(100, 900*hour), line(t, 781*hour, "late, but newer")), block(100, 801*hour)...)
	lines = append(append(lines, line(t, 800*hour, "status")), block(100, hour)...)
	r, _ = scan(t, strings.Join(lines, "\n")+"\n", o)
	assert.Equal(t, "late, but newer", r.StatusRun.Classification)
}

// TestBackdatedRows: rows out of order by more than the margin do not hide the window behind them.
func TestBackdatedRows(t *testing.T) {
	day := 24 * time.Hour
	spent := line(t, 2*time.Hour, "quota_slot_spent", spend(7), fields{"agent_id": "agent-b"})
	slots := func(r *Result) (sum int64) {
		for _, row := range r.Ledger.Rows {
			sum += row.Slots
		}
		return sum
	}
	recent := []string{}
	for i := 2000; i > 0; i-- {
		recent = append(recent, line(t, time.Duration(i)*10*time.Minute, "state_refreshed", fields{"progress_scope": "goal"}))
	}
	history := []string{}
	for i := 500; i > 0; i-- {
		history = append(history, line(t, time.Duration(i)*time.Hour+30*day, "state_refreshed"))
	}
	labels := []string{} // an operator labels old runs in one go
	for i := 400; i > 0; i-- {
		labels = append(labels, line(t, 200*day+time.Duration(i)*time.Hour, "", fields{"classification": nil, "human_reward": fields{}}))
	}
	scoped := []string{} // old rows of an agent, imported today
	for i := 400; i > 0; i-- {
		scoped = append(scoped, line(t, 200*day+time.Duration(i)*time.Hour, "parser_progress", fields{"progress_scope": "agent_lane"}))
	}
	lane := []string{} // rows of another agent that could be passed over
	for i := 2000; i > 0; i-- {
		lane = append(lane, upstreamLine(time.Duration(i)*10*time.Minute-time.Second, "quota_slot_spent", "agent-b", `"quota_event": {"slots": 7}`))
	}
	for name, c := range map[string]struct {
		order [][]string
		agent string
		slots int64
	}{
		"one row from long ago":                 {[][]string{history, recent, {spent}, labels[:1]}, "", 7},
		"a short block":                         {[][]string{history, recent, {spent}, labels[:50]}, "agent-a", 7},
		"a block of labels":                     {[][]string{history, recent, {spent}, labels}, "", 7},
		"a block of labels, another agent":      {[][]string{history, recent, {spent}, labels}, "agent-a", 7},
		"two blocks":                            {[][]string{history, recent, labels[:200], {spent}, recent[1000:], labels[200:]}, "agent-a", 7},
		"another agent's spends":                {[][]string{history, recent, lane, labels}, "agent-a", 7 * 144},
		"another agent's spends, imported rows": {[][]string{history, recent, lane, scoped}, "agent-a", 7 * 144},
	} {
		t.Run(name, func(t *testing.T) {
			var text bytes.Buffer
			for _, block := range c.order {
				text.WriteString(strings.Join(block, "\n") + "\n")
			}
			o := options(t)
			o.AgentID = c.agent
			r, _ := scan(t, text.String(), o)
			assert.Equal(t, c.slots, slots(r))
			assert.Equal(t, "state_refreshed", r.StatusRun.Classification)
			assert.Equal(t, testNow.Add(-10*time.Minute).UnixNano(), r.StatusRun.AtNS)
		})
	}
}

// TestGlanceIsSure: a field inside another object, or one that is only text, is no reason to skip a line.
func TestGlanceIsSure(t *testing.T) {
	for text, want := range map[string]string{
		`{"generated_at": "x", "agent_id": "b"}`:                                   "b",
		`{"generated_at": "x", "agent_id" : "b", "o": {"agent_id": "c"}}`:          "b",
		`{"generated_at": "x", "o": {"agent_id": "c"}, "agent_id":"b", "x": [{}]}`: "",
		`{"generated_at": "x", "o": {"agent_id": "c"}, "agent_id":"b"}`:            "b",
		`{"generated_at": "x", "o": {"agent_id": "c"}}`:                            "",
		`{"generated_at": "x", "o": "{", "agent_id": "b"}`:                         "b",
		`{"generated_at": "x", "o": "\"agent_id\": \"c\""}`:                        "",
		`{"generated_at": "x", "o\"agent_id": "c"}`:                                "",
		`{"generated_at": "x", "o": ["agent_id", "c"]}`:                            "",
		`{"generated_at": "x", "o": [1,"agent_id"]}`:                               "",
		`{"generated_at": "x", "agent_id": "b\u0062"}`:                             "",
		`{"generated_at": "x", "agent_id": null}`:                                  "",
		`{"generated_at": "x", "agent_id": "b`:                                     "",
		`{"generated_at": "x", "agent_ids": "b"}`:                                  "",
	} {
		got, _ := outer([]byte(text), `"agent_id"`)
		assert.Equal(t, want, string(got), text)
	}
}

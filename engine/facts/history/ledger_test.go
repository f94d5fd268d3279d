package history

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts"
)

func TestLedgerWindow(t *testing.T) {
	r := read(t, index(t,
		line(t, 24*time.Hour+time.Second, "quota_slot_spent", spend(1)),
		line(t, 24*time.Hour, "quota_slot_spent", spend(2)),
		line(t, 0, "quota_slot_spent", spend(3)),
		line(t, -time.Second, "quota_slot_spent", spend(4)),
	), options(t))
	slots := []int64{}
	for _, row := range r.Ledger.Rows {
		slots = append(slots, row.Slots)
	}
	assert.Equal(t, []int64{4, 3, 2}, slots, "newest first; the old edge is closed")
}

func TestLedgerRows(t *testing.T) {
	r := read(t, index(t,
		line(t, 3*time.Hour, "quota_slot_spent", fields{"quota_event": fields{"slots": 2, "run_generated_at": "delivery"}}),
		line(t, 2*time.Hour, "quota_slot_spent", spend(3)),
		line(t, time.Hour, "quota_slot_voided", fields{"quota_event": fields{"slots": 3, "voided_run_generated_at": ago(2 * time.Hour)}}),
		line(t, time.Hour, "parser_progress", spend(9)),
	), options(t))
	at := func(d time.Duration) int64 { return testNow.Add(-d).UnixNano() }
	assert.Equal(t, []facts.LedgerRow{
		{Kind: "void", At: ago(time.Hour), AtNS: at(time.Hour), Key: ago(2 * time.Hour), Slots: 3},
		{Kind: "spend", At: ago(2 * time.Hour), AtNS: at(2 * time.Hour), Key: ago(2 * time.Hour), Slots: 3},
		{Kind: "spend", At: ago(3 * time.Hour), AtNS: at(3 * time.Hour), Key: "delivery", Slots: 2},
	}, r.Ledger.Rows)
	assert.Equal(t, ago(2*time.Hour), r.Runs[1].Voids)
	assert.Empty(t, r.Findings)
}

func TestSameRowTwice(t *testing.T) {
	row := line(t, time.Hour, "quota_slot_spent", spend(5))
	pathless := fields{"json_path": nil, "markdown_path": nil}
	many := []string{}
	for i := range 20 {
		many = append(many, line(t, time.Hour, "quota_slot_spent", spend(1), fields{"json_path": fmt.Sprint(i % 18)}))
	}
	for name, c := range map[string]struct {
		lines []string
		rows  int
	}{
		"copied line":                     {[]string{row, row}, 1},
		"copied later":                    {[]string{row, line(t, time.Minute, "x"), row}, 1},
		"other artifact in one second":    {[]string{row, line(t, time.Hour, "quota_slot_spent", spend(5), fields{"json_path": "b.json"})}, 2},
		"no artifacts, copied":            {[]string{line(t, time.Hour, "quota_slot_spent", spend(5), pathless), line(t, time.Hour, "quota_slot_spent", spend(5), pathless)}, 1},
		"no artifacts, two agents":        {[]string{line(t, time.Hour, "quota_slot_spent", spend(5), pathless, fields{"agent_id": "a"}), line(t, time.Hour, "quota_slot_spent", spend(5), pathless, fields{"agent_id": "b"})}, 2},
		"path written with an escape":     {[]string{row, line(t, time.Hour, "quota_slot_spent", spend(5)), `{"generated_at":"` + ago(time.Hour) + `","classification":"quota_slot_spent","json_path":"runs\/` + ago(time.Hour) + `quota_slot_spent.json","markdown_path":"runs\u002f` + ago(time.Hour) + `quota_slot_spent.md"}`}, 1},
		"more than sixteen in one second": {many, 18},
	} {
		t.Run(name, func(t *testing.T) {
			r := read(t, index(t, c.lines...), options(t))
			assert.Len(t, r.Ledger.Rows, c.rows)
			assert.Empty(t, r.Findings)
		})
	}
}

func TestOverlay(t *testing.T) {
	at := fields{"generated_at": ago(3 * time.Hour), "json_path": "a.json", "markdown_path": "a.md"}
	over := func(extra fields) string {
		return line(t, 0, "", at, fields{"goal_id": nil, "classification": nil}, extra)
	}
	r := read(t, index(t,
		line(t, 0, "parser_progress", at, fields{"agent_id": "agent-a", "delivery_outcome": "outcome_progress"}),
		line(t, 2*time.Hour, "newer"),
		over(fields{"human_reward": fields{"score": 1}}),
		over(fields{"delivery_outcome": "primary_goal_outcome"}),
		`{"generated_at": "`+ago(3*time.Hour)+`", "json_path": "a.json", "markdown_path": "a.md", "agent_id": null}`,
	), options(t))
	require.Len(t, r.Runs, 2)
	assert.Equal(t, facts.Run{
		GeneratedAt: ago(3 * time.Hour), AtNS: testNow.Add(-3 * time.Hour).UnixNano(), Count: 1,
		Classification: "parser_progress", DeliveryOutcome: "primary_goal_outcome", HumanReward: true,
	}, r.Runs[1])
	require.Len(t, r.Decisions, 1)
	assert.Equal(t, 1, r.Decisions[0].NewerEvents)
}

func TestSlots(t *testing.T) {
	for name, c := range map[string]struct {
		event   any
		rows    int
		finding string
	}{
		"one":              {fields{"slots": 1}, 1, ""},
		"written as 2.0":   {rawJSON(`{"slots": 2.0}`), 1, ""},
		"written as 2e1":   {rawJSON(`{"slots": 2e1}`), 1, ""},
		"zero":             {fields{"slots": 0}, 0, ""},
		"negative":         {fields{"slots": -3}, 0, ""},
		"fraction":         {fields{"slots": 1.5}, 0, "whole number"},
		"text":             {fields{"slots": "3"}, 0, "whole number"},
		"boolean":          {fields{"slots": true}, 0, "whole number"},
		"too large":        {rawJSON(`{"slots": 1e300}`), 0, "whole number"},
		"null":             {rawJSON(`{"slots": null}`), 0, "whole number"},
		"absent":           {fields{}, 0, "without slots"},
		"twice":            {rawJSON(`{"slots": 5, "slots": 0}`), 0, "repeats a key"},
		"event is a list":  {[]int{1}, 0, "not a JSON object"},
		"event is a text":  {"spent", 0, "not a JSON object"},
		"event is a false": {false, 0, "not a JSON object"},
	} {
		t.Run(name, func(t *testing.T) {
			r := read(t, index(t, line(t, time.Hour, "state_refreshed"), line(t, time.Hour, "quota_slot_spent", fields{"quota_event": c.event})), options(t))
			assert.Len(t, r.Ledger.Rows, c.rows)
			if c.finding == "" {
				assert.Empty(t, r.Findings)
				return
			}
			require.Len(t, r.Findings, 1)
			assert.Equal(t, "ledger_event_unreadable", r.Findings[0].Code)
			assert.Equal(t, 2, r.Findings[0].Line)
			assert.Equal(t, "ledger.spend", r.Findings[0].Rule)
			assert.Contains(t, r.Findings[0].Message, c.finding)
		})
	}
}

type rawJSON string

func (r rawJSON) MarshalJSON() ([]byte, error) { return []byte(r), nil }

func TestEventInTheArtifact(t *testing.T) {
	root, other := t.TempDir(), t.TempDir()
	t.Chdir(other)
	write := func(dir, name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write(root, "both.json", `{"quota_event": {"slots": 7}}`)
	write(other, "both.json", `{"quota_event": {"slots": 8}}`)
	write(other, "here.json", "\n{\"ok\": true, \"quota_event\": {\"slots\": 9}}\n")
	write(root, "empty.json", "")
	write(root, "list.json", "[]")
	write(root, "plain.json", `{"ok": true, "quota_event": null}`)
	require.NoError(t, os.Mkdir(filepath.Join(root, "dir.json"), 0o700))
	for name, c := range map[string]struct {
		path    any
		slots   int64
		finding string
	}{
		"absolute":                    {filepath.Join(root, "both.json"), 7, ""},
		"project root comes first":    {"both.json", 7, ""},
		"then the current directory":  {"here.json", 9, ""},
		"missing":                     {"missing.json", 0, "no such file"},
		"empty, as a crash leaves it": {"empty.json", 0, "not valid JSON"},
		"no object":                   {"list.json", 0, "not a JSON object"},
		"without event":               {"plain.json", 0, "in the row or in its JSON artifact"},
		"a directory":                 {"dir.json", 0, "not a regular file"},
		"no path":                     {nil, 0, "no json_path"},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(t)
			o.ProjectRoot = root
			row := line(t, time.Hour, "quota_slot_spent", fields{"json_path": c.path})
			r := read(t, index(t, row, line(t, 25*time.Hour, "quota_slot_spent", fields{"json_path": "gone.json"})), o)
			if c.finding != "" {
				require.Len(t, r.Findings, 1, "the row outside the window needs no event")
				assert.Contains(t, r.Findings[0].Message, c.finding)
				assert.NotContains(t, r.Findings[0].Message, root)
				assert.Empty(t, r.Ledger.Rows)
				return
			}
			assert.Empty(t, r.Findings)
			require.Len(t, r.Ledger.Rows, 1)
			assert.Equal(t, c.slots, r.Ledger.Rows[0].Slots)
		})
	}
}

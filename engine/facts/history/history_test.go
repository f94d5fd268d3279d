package history

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts"
)

func TestSettingsOfTheBundleHaveEveryKey(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "policy", "loopx", "settings", "history", "data.yaml"))
	require.NoError(t, err)
	settings := reflect.TypeFor[Settings]()
	for i := range settings.NumField() {
		assert.Contains(t, string(text), "\n"+settings.Field(i).Tag.Get("json")+":")
	}
}

func TestNoHistoryIsAnEmptyResult(t *testing.T) {
	runs := t.TempDir()
	for name, dir := range map[string]string{
		"no directory": filepath.Join(runs, "missing", "runs"),
		"no index":     runs,
		"empty index":  raw(t, ""),
		"blank index":  raw(t, "\n \n\r\n"),
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, empty(), read(t, dir, options(t)))
		})
	}
	entries, err := os.ReadDir(runs)
	require.NoError(t, err)
	assert.Empty(t, entries, "reading created something")
}

func TestErrorNamesTheFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	folder := filepath.Join(dir, "folder")
	require.NoError(t, os.MkdirAll(filepath.Join(folder, indexName), 0o700))
	loop := filepath.Join(dir, "loop")
	require.NoError(t, os.Mkdir(loop, 0o700))
	require.NoError(t, os.Symlink(indexName, filepath.Join(loop, indexName)))
	for name, runs := range map[string]string{"runs is a file": file, "index is a directory": folder, "symlink loop": loop} {
		t.Run(name, func(t *testing.T) {
			_, err := Read(runs, options(t))
			var typed *facts.Error
			require.ErrorAs(t, err, &typed)
			assert.Equal(t, filepath.Join(runs, indexName), typed.File)
			assert.Equal(t, facts.CodeIO, typed.Code)
		})
	}
	assert.Equal(t, facts.CodePermission, facts.ReadError("f", &fs.PathError{Err: fs.ErrPermission}).Code)
}

func TestOptionsThatCannotBeUsed(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"horizon_hours":      func(o *Options) { o.Settings.HorizonHours = 0 },
		"margin_hours":       func(o *Options) { o.Settings.MarginHours = -1 },
		"lookback_days":      func(o *Options) { o.Settings.LookbackDays = 0 },
		"material_rows":      func(o *Options) { o.Settings.MaterialRows = 0 },
		"freshness_days":     func(o *Options) { o.Settings.FreshnessDays = 0 },
		"clock_skew_minutes": func(o *Options) { o.Settings.ClockSkewMinutes = -1 },
		"window":             func(o *Options) { o.WindowHours = 0 },
	} {
		t.Run(name, func(t *testing.T) {
			o := options(t)
			change(&o)
			_, err := Read(t.TempDir(), o)
			assert.ErrorContains(t, err, name)
		})
	}
}

// TestHugeSettings must not wrap around.
func TestHugeSettings(t *testing.T) {
	o := options(t)
	o.WindowHours, o.Settings.LookbackDays, o.Settings.HorizonHours = 1<<62, 1<<62, 1<<62
	o.Settings.MarginHours, o.Settings.FreshnessDays, o.Settings.ClockSkewMinutes = 1<<62, 1<<61, 1<<62
	r := read(t, index(t, line(t, 50*365*24*time.Hour, "quota_slot_spent", spend(2))), o)
	assert.Len(t, r.Ledger.Rows, 1)
	assert.Len(t, r.Runs, 1)
}

func TestLines(t *testing.T) {
	good := func(hours int) string { return line(t, time.Duration(hours)*time.Hour, "state_refreshed") }
	for name, c := range map[string]struct {
		text string
		rows int
		bad  map[int]string // line to a part of the message
	}{
		"line ends of Windows":         {good(2) + "\r\n" + good(1) + "\r\n", 2, nil},
		"blank lines":                  {"\n" + good(2) + "\n\n  \t\n" + good(1) + "\n\n", 2, nil},
		"cut off last line":            {good(2) + "\n" + good(1)[:60], 1, nil},
		"whole last line":              {good(2) + "\n" + good(1), 2, nil},
		"last line is no object":       {good(2) + "\n[1]", 1, nil},
		"garbage":                      {good(2) + "\ngarbage\n" + good(1) + "\n", 2, map[int]string{2: "valid JSON"}},
		"cut off line in the middle":   {good(2)[:60] + "\n" + good(1) + "\n", 1, map[int]string{1: "valid JSON"}},
		"two rows in one line":         {good(2) + good(1) + "\n", 0, map[int]string{1: "valid JSON"}},
		"not an object":                {"[1, {}]\n" + good(1) + "\nnull\n\"x\"\n", 1, map[int]string{1: "object", 3: "object", 4: "object"}},
		"not UTF-8":                    {good(2) + "\n{\"generated_at\": \"\xff\"}\n", 1, map[int]string{2: "UTF-8"}},
		"byte order mark":              {"\ufeff" + good(2) + "\n" + good(1) + "\n", 1, map[int]string{1: "valid JSON"}},
		"too long":                     {good(2) + "\n" + strings.Repeat("x", maxLine+lastBlock) + "\n" + good(1) + "\n", 2, map[int]string{2: "longer"}},
		"too long and cut off":         {good(2) + "\n" + strings.Repeat("x", maxLine+lastBlock), 1, nil},
		"NaN, which only Python reads": {`{"generated_at": NaN}` + "\n", 0, map[int]string{1: "valid JSON"}},
		"repeated key": {strings.Replace(good(2), `{`, `{"goal_id": "g1",`, 1) + "\n" + good(1) + "\n", 2,
			map[int]string{1: "repeats a key"}},
		"time is no time":    {line(t, 0, "x", fields{"generated_at": "yesterday"}) + "\n" + good(1) + "\n", 1, map[int]string{1: "generated_at"}},
		"time is a number":   {line(t, 0, "x", fields{"generated_at": 5}) + "\n", 0, map[int]string{1: "generated_at"}},
		"no time":            {line(t, 0, "x", fields{"generated_at": nil}) + "\n", 0, map[int]string{1: "generated_at"}},
		"no time, elsewhere": {line(t, 0, "x", fields{"generated_at": nil, "goal_id": "g2"}) + "\n", 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			for _, block := range []int{0, 7} {
				o := options(t)
				o.block = block
				dir := raw(t, c.text)
				r := read(t, dir, o)
				assert.Equal(t, c.rows, r.RowCount)
				got := map[int]string{}
				for _, f := range r.Findings {
					got[f.Line] = f.Message
					assert.Equal(t, filepath.Join(dir, indexName), f.File)
					assert.Equal(t, "goal", f.Scope)
					assert.Equal(t, "g1", f.GoalID)
					assert.Contains(t, f.Rule, "ledger.")
				}
				require.Len(t, got, len(c.bad))
				for line, part := range c.bad {
					assert.Contains(t, got[line], part)
				}
			}
		})
	}
}

func TestManyDamagedLinesBecomeFewFindings(t *testing.T) {
	r := read(t, raw(t, strings.Repeat("garbage\n", 1000)), options(t))
	require.Len(t, r.Findings, maxBad+1)
	assert.Equal(t, 1, r.Findings[0].Line)
	assert.Contains(t, r.Findings[0].Message, "968 more")
	assert.Equal(t, 1000, r.Findings[maxBad].Line)
}

func TestRowsOfTheGoal(t *testing.T) {
	r := read(t, index(t,
		line(t, 5*time.Hour, "own"),
		line(t, 4*time.Hour, "other", fields{"goal_id": "g2"}),
		line(t, 3*time.Hour, "missing", fields{"goal_id": nil}),
		line(t, 2*time.Hour, "empty", fields{"goal_id": ""}),
		strings.Replace(line(t, time.Hour, "null"), `"g1"`, `null`, 1),
	), options(t))
	assert.Equal(t, []string{"null", "empty", "missing", "own"}, classes(r))
}

func classes(r *Result) []string {
	out := []string{}
	for _, run := range r.Runs {
		out = append(out, run.Classification)
	}
	return out
}

func TestOrder(t *testing.T) {
	at := func(text, class string) string { return line(t, 0, class, fields{"generated_at": text}) }
	r := read(t, index(t,
		at("2026-08-20T09:00:00+00:00", "a"),
		at("2026-08-20T09:00:00", "b, naive is UTC, later line is newer"),
		at("2026-08-20T12:30:00+03:30", "c, same instant"),
		at("2026-08-20T08:59:59Z", "d, written late"),
		at("2026-08-20 09:00:01.5", "e"),
	), options(t))
	assert.Equal(t, []string{"e", "c, same instant", "b, naive is UTC, later line is newer", "a", "d, written late"}, classes(r))
	assert.Equal(t, "2026-08-20 09:00:01.5", r.Runs[0].GeneratedAt)
	assert.Equal(t, time.Date(2026, 8, 20, 9, 0, 1, 5e8, time.UTC).UnixNano(), r.Runs[0].AtNS)
}

func TestRowsAheadOfTheClock(t *testing.T) {
	r := read(t, index(t,
		line(t, time.Hour, "past"),
		line(t, -5*time.Minute, "peer", fields{"human_reward": fields{}}),
		line(t, -6*time.Minute, "ahead", fields{"human_reward": fields{}}),
		line(t, -time.Hour, "quota_slot_spent", spend(4)),
		line(t, -9000*time.Hour, "next year"),
	), options(t))
	assert.Equal(t, []string{"peer", "past"}, classes(r), "a clock may be a little ahead, not more")
	assert.Equal(t, "peer", r.StatusRun.Classification)
	assert.Len(t, r.Decisions, 1)
	assert.Zero(t, r.Decisions[0].NewerEvents)
	require.Len(t, r.Ledger.Rows, 1)
	assert.Equal(t, testNow.Add(time.Hour).UnixNano(), r.Ledger.Rows[0].AtNS)
	assert.Equal(t, testNow.Add(time.Minute).UnixNano(), r.NextNS)
	assert.Equal(t, 5, r.RowCount)
}

func TestStatusRun(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"a.json", "a.md"} {
		require.NoError(t, os.WriteFile(filepath.Join(root, name), nil, 0o600))
	}
	abs := func(name string) string { return filepath.Join(root, name) }
	for name, c := range map[string]struct {
		json, markdown any
		missing        bool
	}{
		"relative":         {"a.json", "a.md", false},
		"absolute":         {abs("a.json"), abs("a.md"), false},
		"no json":          {"b.json", "a.md", true},
		"no markdown":      {abs("a.json"), abs("b.md"), true},
		"no path":          {nil, "a.md", true},
		"of the directory": {"history.go", "doc.go", false},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(t)
			o.ProjectRoot = root
			r := read(t, index(t,
				line(t, 9*time.Hour, "state_refreshed", fields{"json_path": c.json, "markdown_path": c.markdown}),
				line(t, 8*time.Hour, "parser_progress", fields{"progress_scope": "agent_lane"}),
				line(t, 7*time.Hour, "quota_slot_spent", spend(1)),
				line(t, 6*time.Hour, "quota_monitor_poll"),
			), o)
			require.NotNil(t, r.StatusRun)
			assert.Equal(t, "state_refreshed", r.StatusRun.Classification)
			assert.Equal(t, c.missing, r.StatusRun.ArtifactsMissing)
			assert.False(t, r.Runs[3].ArtifactsMissing, "only the status run says so")
		})
	}
	o := options(t)
	r := read(t, index(t, line(t, time.Hour, "quota_slot_spent", spend(1))), o)
	assert.Nil(t, r.StatusRun)
}

func TestDecisions(t *testing.T) {
	r := read(t, index(t,
		line(t, 40*24*time.Hour, "operator_gate_rejected"),
		line(t, 10*24*time.Hour, "operator_gate_approved", fields{"human_reward": nil}),
		line(t, 8*24*time.Hour, "parser_progress"),
		line(t, 5*time.Hour, "parser_progress", fields{"human_reward": fields{"score": 1}, "operator_gate": fields{}}),
		line(t, 4*time.Hour, "parser_progress", fields{"operator_gate": fields{}, "operator_gate_resume_contract": fields{}}),
		line(t, 3*time.Hour, "parser_progress", fields{"operator_gate_resume_contract": fields{}, "human_reward": "text"}),
		line(t, 2*time.Hour, "reward_overlay_v2"),
		line(t, time.Hour, "quota_slot_spent", spend(1)),
	), options(t))
	type decision struct {
		kind  string
		newer int
	}
	var got []decision
	for _, d := range r.Decisions {
		got = append(got, decision{d.Kind, d.NewerEvents})
	}
	assert.Equal(t, []decision{
		{"classification", 1}, {"operator_gate_resume_contract", 2}, {"operator_gate", 3}, {"human_reward", 4},
		{"classification", 5},
	}, got, "the row of eight days ago is outside the freshness window")
}

// short is a reader that ends before the size it was opened with.
type short struct{ io.ReaderAt }

func (s short) ReadAt(p []byte, off int64) (int, error) {
	n, _ := s.ReaderAt.ReadAt(p[:len(p)/2], off)
	return n, io.EOF
}

func TestFileThatShrinksWhileItIsRead(t *testing.T) {
	o := options(t)
	b, err := o.bounds()
	require.NoError(t, err)
	text := line(t, time.Hour, "x") + "\n"
	_, err = NewReader(o.Settings).index(short{strings.NewReader(text)}, int64(len(text)), "index", &o, b)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}

// failing lets the first reads pass.
type failing struct {
	io.ReaderAt
	left int
}

var errDisk = errors.New("disk fault")

func (f *failing) ReadAt(p []byte, off int64) (int, error) {
	if f.left--; f.left < 0 {
		return 0, errDisk
	}
	return f.ReaderAt.ReadAt(p, off)
}

// TestReadFaults: a fault at any read is an error, never a shorter history.
func TestReadFaults(t *testing.T) {
	o := options(t)
	o.AgentID = "agent-a"
	b, err := o.bounds()
	require.NoError(t, err)
	text := manyRows(t, 6000, 30*time.Minute) + "garbage\n" + line(t, 0, "x", fields{"health_check": strings.Repeat("x", firstBlock)}) + "\n"
	calls := &failing{strings.NewReader(text), 1 << 30}
	want, err := NewReader(o.Settings).index(calls, int64(len(text)), "index", &o, b)
	require.NoError(t, err)
	require.NotEmpty(t, want.Runs)
	for allowed := range 1<<30 - calls.left {
		_, err := NewReader(o.Settings).index(&failing{strings.NewReader(text), allowed}, int64(len(text)), "index", &o, b)
		require.ErrorIs(t, err, errDisk, "after %d reads", allowed)
	}
}

// manyRows writes goal rows and decisions of agent-a, the newest at testNow.
func manyRows(t testing.TB, n int, every time.Duration) string {
	var out strings.Builder
	for i := n - 1; i >= 0; i-- {
		class := []string{"quota_slot_spent", "operator_gate_approved", "quota_monitor_poll"}[i%3]
		out.WriteString(line(t, time.Duration(i)*every, class, spend(1), fields{"agent_id": "agent-a"}) + "\n")
	}
	return out.String()
}

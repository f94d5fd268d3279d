package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/isotime"
)

// reference reads the whole index and answers every question the slow and obvious way.
type reference struct {
	o       Options
	b       bounds
	rows    []refRow // newest first, merged
	damaged []int    // line numbers
	events  []int    // line numbers of ledger rows in the window without a readable event
	untimed []int
	times   map[int]int64 // line number to the time of its row
}

type refRow struct {
	line int
	at   int64
	json map[string]json.RawMessage
}

func (r refRow) text(key string) string {
	var s string
	_ = json.Unmarshal(r.json[key], &s)
	return s
}

func (r refRow) isObject(key string) bool { return bytes.HasPrefix(r.json[key], []byte("{")) }

func newReference(text string, o Options) *reference {
	b, err := o.bounds()
	if err != nil {
		panic(err)
	}
	ref := &reference{o: o, b: b, times: map[int]int64{}}
	lines := strings.Split(text, "\n")
	index := map[string]int{}
	for i, line := range lines {
		torn := i == len(lines)-1
		if strings.TrimSpace(line) == "" {
			continue
		}
		var row map[string]json.RawMessage
		if !utf8.ValidString(line) || json.Unmarshal([]byte(line), &row) != nil || row == nil {
			if !torn {
				ref.damaged = append(ref.damaged, i+1)
			}
			continue
		}
		r := refRow{line: i + 1, json: row}
		at, timed := isotime.ParseNS(r.text("generated_at"))
		if timed {
			ref.times[i+1] = at
		}
		if goal := r.text("goal_id"); goal != "" && goal != o.GoalID {
			continue
		}
		if !timed {
			ref.untimed = append(ref.untimed, i+1)
			continue
		}
		r.at = at
		key := fmt.Sprintf("%q %q %q", r.text("generated_at"), r.text("json_path"), r.text("markdown_path"))
		if isNull(row["json_path"]) && isNull(row["markdown_path"]) {
			key += fmt.Sprintf(" %q %q", r.text("classification"), r.text("agent_id"))
		}
		if at, ok := index[key]; ok {
			for k, v := range row {
				ref.rows[at].json[k] = v
			}
			continue
		}
		index[key] = len(ref.rows)
		ref.rows = append(ref.rows, r)
	}
	slices.Reverse(ref.rows)
	slices.SortStableFunc(ref.rows, func(a, b refRow) int {
		switch {
		case a.at > b.at:
			return -1
		case a.at < b.at:
			return 1
		}
		return 0
	})
	return ref
}

func isNull(raw json.RawMessage) bool { return raw == nil || string(raw) == "null" }

func (ref *reference) in(r refRow, lists ...[]string) bool {
	return slices.Contains(slices.Concat(lists...), r.text("classification"))
}

func (ref *reference) foreign(r refRow) bool {
	agent := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(r.text("agent_id"))), " ", "-")
	return ref.o.AgentID != "" && agent != "" && agent != ref.o.AgentID
}

// lane gives the rows that a lane keeps: back to its last material row, or to the look-back. Of a strict lane only rows
// that decide something are counted inside the longest window.
func (ref *reference) lane(strict bool, member func(refRow) bool) (map[int]bool, int64) {
	s := ref.o.Settings
	kept, material, firm := map[int]bool{}, 0, 0
	for _, r := range ref.rows {
		if r.at > ref.b.visible {
			continue
		}
		if r.at < ref.b.lookback {
			return kept, ref.b.lookback
		}
		kept[r.line] = true
		if !member(r) || ref.in(r, s.Neutral, s.Poll) {
			continue
		}
		material++
		if !strict || !ref.in(r, s.StatusNeutral) &&
			(r.text("classification") != s.Refresh || slices.Contains(s.Outcomes, r.text("delivery_outcome"))) {
			firm++
		}
		if firm == ref.b.material || material >= ref.b.material && r.at < ref.b.inner {
			return kept, r.at
		}
	}
	return kept, ref.b.lookback
}

// goalRun is true for a run that may become the goal's status.
func (ref *reference) goalRun(r refRow) bool {
	return !ref.in(r, ref.o.Settings.StatusNeutral) && r.text("progress_scope") != ref.o.Settings.AgentLaneScope
}

// streak gives the goal's own runs up to the newest one that asks for no follow-through, inside the longest window.
func (ref *reference) streak() map[int]bool {
	kept := map[int]bool{}
	for _, r := range ref.rows {
		if r.at > ref.b.visible || !ref.goalRun(r) {
			continue
		}
		if r.at < ref.b.inner {
			break
		}
		kept[r.line] = true
		if !slices.Contains(ref.o.Settings.FollowThrough, r.text("delivery_outcome")) {
			break
		}
	}
	return kept
}

// result is everything but the findings.
func (ref *reference) result() *Result {
	s, b := ref.o.Settings, ref.b
	out := empty()
	laneRows, laneAt := ref.lane(true, func(r refRow) bool { return !ref.foreign(r) })
	goalRows, _ := ref.lane(false, func(refRow) bool { return true })
	streak := ref.streak()
	from := min(b.inner, laneAt)
	status := -1
	for i, r := range ref.rows {
		if r.at <= b.visible && ref.goalRun(r) {
			status = i
			break
		}
	}
	newer, vision := 0, false
	for i, r := range ref.rows {
		lane, reached := !ref.foreign(r), r.at >= b.inner
		reached = reached || !ref.foreign(r) && r.at >= from || i == status
		if reached {
			out.RowCount++
		}
		if r.at >= b.window && ref.in(r, s.Ledger.Spend, s.Ledger.Void) {
			ref.event(out, r)
		}
		if r.at > b.visible {
			out.NextNS = r.at - (b.visible - b.now)
			continue
		}
		if i == status {
			run := ref.run(r)
			run.ArtifactsMissing = !ref.exists(r.text("json_path")) || !ref.exists(r.text("markdown_path"))
			out.StatusRun = &run
		}
		pinned := lane && r.isObject("agent_vision") && !vision && r.at >= b.inner
		if goalRows[r.line] || lane && laneRows[r.line] || streak[r.line] || pinned {
			vision = vision || lane && r.isObject("agent_vision")
			out.Runs = append(out.Runs, ref.run(r))
		}
		if kind := ref.kind(r); kind != "" && reached {
			out.Decisions = append(out.Decisions, facts.DecisionRow{
				GeneratedAt: r.text("generated_at"), AtNS: r.at, Classification: r.text("classification"),
				Kind: kind, NewerEvents: newer,
			})
		}
		if r.at >= b.fresh {
			newer++
		}
	}
	out.Runs = compact(out.Runs, b.material, ref.o.Settings.Ledger.Spend, ref.o.Settings.Ledger.Void)
	return out
}

func (ref *reference) exists(path string) bool {
	if path == "" {
		return false
	}
	_, err := os.Stat(filepath.Join(ref.o.ProjectRoot, path))
	return err == nil
}

func (ref *reference) kind(r refRow) string {
	for _, key := range []string{"human_reward", "operator_gate", "operator_gate_resume_contract"} {
		if r.isObject(key) {
			return key
		}
	}
	class := r.text("classification")
	decided := slices.Contains(ref.o.Settings.DecisionClassifications, class)
	for _, prefix := range ref.o.Settings.DecisionPrefixes {
		decided = decided || strings.HasPrefix(class, prefix)
	}
	if decided {
		return "classification"
	}
	return ""
}

// event knows inlined events only; the generator writes no artifacts.
func (ref *reference) event(out *Result, r refRow) {
	var e struct {
		Slots  *float64 `json:"slots"`
		Run    string   `json:"run_generated_at"`
		Voided string   `json:"voided_run_generated_at"`
	}
	if !r.isObject("quota_event") || json.Unmarshal(r.json["quota_event"], &e) != nil || e.Slots == nil {
		ref.events = append(ref.events, r.line)
		return
	}
	if *e.Slots <= 0 {
		return
	}
	row := facts.LedgerRow{Kind: "void", At: r.text("generated_at"), AtNS: r.at, Key: e.Voided, Slots: int64(*e.Slots)}
	if ref.in(r, ref.o.Settings.Ledger.Spend) {
		row.Kind, row.Key = "spend", e.Run
		if e.Run == "" {
			row.Key = row.At
		}
	}
	out.Ledger.Rows = append(out.Ledger.Rows, row)
}

// run decodes the fields that the generator writes.
func (ref *reference) run(r refRow) facts.Run {
	run := facts.Run{
		GeneratedAt: r.text("generated_at"), AtNS: r.at, Count: 1, Classification: r.text("classification"),
		AgentID: strings.ReplaceAll(strings.ToLower(r.text("agent_id")), " ", "-"), ProgressScope: r.text("progress_scope"),
		DeliveryOutcome: r.text("delivery_outcome"), TurnInstanceID: r.text("turn_instance_id"),
		HumanReward: r.isObject("human_reward"),
	}
	if r.isObject("agent_vision") {
		run.Vision = &facts.Vision{TodoDelta: []string{}}
		_ = json.Unmarshal(r.json["agent_vision"], run.Vision)
	}
	if ref.in(r, ref.o.Settings.Ledger.Void) && r.isObject("quota_event") {
		var e struct {
			Slots  *float64 `json:"slots"`
			Voided string   `json:"voided_run_generated_at"`
		}
		if json.Unmarshal(r.json["quota_event"], &e) == nil && e.Slots != nil {
			run.Voids = e.Voided
		}
	}
	return run
}

func compact(runs []facts.Run, limit int, spends, voids []string) []facts.Run {
	out := []facts.Run{}
	turns, voided := 0, false
	for _, run := range runs {
		alike := false
		voided = voided || slices.Contains(voids, run.Classification)
		apart := slices.Contains(voids, run.Classification) || voided && slices.Contains(spends, run.Classification)
		if n := len(out); n > 0 && !apart {
			a, b := out[n-1], run
			a.GeneratedAt, a.AtNS, a.Count, a.TurnInstanceID = b.GeneratedAt, b.AtNS, b.Count, b.TurnInstanceID
			alike = reflect.DeepEqual(a, b)
		}
		if !alike {
			turns = 0
		}
		if alike && (turns >= limit || run.TurnInstanceID == "" && out[len(out)-1].TurnInstanceID == "") {
			out[len(out)-1].Count++
			continue
		}
		if run.TurnInstanceID != "" {
			turns++
		}
		out = append(out, run)
	}
	return out
}

// near gives the damaged lines that must be found wherever the reading stops: those after the first line whose row is
// inside the longest window.
func (ref *reference) near() []int {
	first := int(^uint(0) >> 1)
	for line, at := range ref.times {
		if at >= ref.b.outer+int64(time.Hour) {
			first = min(first, line)
		}
	}
	var out []int
	for _, line := range ref.damaged {
		if line > first {
			out = append(out, line)
		}
	}
	return out
}

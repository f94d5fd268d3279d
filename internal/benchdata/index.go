package benchdata

import (
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const spacing = 5 * time.Minute

// cycle is the kinds of eight rows, newest first: one refresh of the whole goal, three deliveries of one agent that
// were each paid for, and a poll. Over a day that is 108 spends.
var cycle = []string{refresh, "spend", "delivery", "poll", "spend", "delivery", "spend", "delivery"}

// Every fourth refresh of an agent acknowledges a periodic replan, as agents that are not stalled do.
const (
	refresh     = "refresh"
	replan      = "replan"
	replanEvery = 4
)

// indexes writes the run index of each goal, and the artifacts of its newest status run.
func (w *writer) indexes() error {
	rows := map[string]template{replan: load(replan + ".json")}
	for _, kind := range cycle {
		rows[kind] = load(kind + ".json")
	}
	for _, goal := range w.Goals {
		if err := w.index(goal, rows); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) index(goal string, rows map[string]template) error {
	runs := filepath.Join(w.RuntimeRoot, "goals", goal, "runs")
	out, done, err := create(filepath.Join(runs, "index.jsonl"))
	if err != nil {
		return err
	}
	r := row{goal: goal, runs: inner(runs), todos: w.o.Todos}
	line := make([]byte, 0, 4096)
	for age := w.o.IndexRows - 1; age >= 0; age-- {
		turn := age / len(cycle)
		kind := cycle[age%len(cycle)]
		switch {
		case age == w.o.IndexRows-1:
			kind = refresh // so that there is a status run however short the index is
		case kind == refresh && turn/len(w.Agents)%replanEvery == 0:
			kind = replan
		}
		r.at = w.now.Add(-spacing*time.Duration(age+1)).AppendFormat(r.at[:0], "2006-01-02T15:04:05-07:00")
		r.stem = stemForm.Replace(string(r.at))
		r.agent, r.turn = w.Agents[turn%len(w.Agents)], turn
		line = rows[kind].fill(line[:0], r.value)
		if _, err := out.Write(line); err != nil {
			_ = done()
			return err
		}
	}
	if err := done(); err != nil {
		return err
	}
	if w.o.IndexRows == 0 {
		return nil
	}
	// The newest row is a status run: its artifacts are the ones that a reader looks for.
	for _, name := range []string{".json", ".md"} {
		text := string(line)
		if name == ".md" {
			text = "# LoopX State Refresh\n\n- goal_id: `" + goal + "`\n"
		}
		if err := writeFile(filepath.Join(runs, r.stem+name), []byte(text)); err != nil {
			return err
		}
	}
	return nil
}

var stemForm = strings.NewReplacer(":", "-", "+", "-")

// row holds the values of one index row.
type row struct {
	goal, runs, agent string
	turn, todos       int
	at                []byte
	stem              string // the file name of the row's artifacts, without an ending
}

func (r *row) value(name string) string {
	switch name {
	case "AT":
		return string(r.at)
	case "STEM":
		return r.stem
	case "GOAL":
		return r.goal
	case "RUNS":
		return r.runs
	case "AGENT":
		return r.agent
	case "TURN":
		return "turn-" + strconv.Itoa(r.turn)
	case "TODO":
		return todoID(r.turn % max(r.todos, 1))
	}
	return ""
}

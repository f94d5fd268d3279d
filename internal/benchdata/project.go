package benchdata

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Options say how large a project is. Everything but Now has a default.
type Options struct {
	Goals     int // at least 1
	Todos     int // of each goal
	IndexRows int // of each goal
	Agents    int // registered in each goal
	Seed      uint64
	Now       time.Time // the newest row is five minutes older
}

// Layout says where the parts of a project are.
type Layout struct {
	Dir         string
	Registry    string
	RuntimeRoot string
	Goals       []string
	Agents      []string
}

// Project writes a project into a directory.
func Project(dir string, o Options) (*Layout, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("write synthetic project: %w", err)
	}
	w := &writer{
		Layout: Layout{
			Dir: dir, Registry: filepath.Join(dir, ".loopx", "registry.json"), RuntimeRoot: filepath.Join(dir, "runtime"),
		},
		o: o, now: o.Now.UTC().Truncate(time.Second), random: rand.New(rand.NewPCG(o.Seed, 1)),
	}
	for i := range max(o.Goals, 1) {
		w.Goals = append(w.Goals, fmt.Sprintf("bench-goal-%04d", i))
	}
	for i := range max(o.Agents, 1) {
		w.Agents = append(w.Agents, fmt.Sprintf("codex-%02d", i))
	}
	for _, write := range []func() error{w.registry, w.states, w.indexes} {
		if err := write(); err != nil {
			return nil, fmt.Errorf("write synthetic project: %w", err)
		}
	}
	return &w.Layout, nil
}

type writer struct {
	Layout
	o      Options
	now    time.Time
	random *rand.Rand
}

// registry writes the project's registry with every goal.
func (w *writer) registry() error {
	goal, quoted := load("goal.json"), []string{}
	for _, agent := range w.Agents {
		quoted = append(quoted, quote(agent))
	}
	out := fmt.Appendf(nil, "{\n  \"schema_version\": \"0.1\",\n  \"updated_at\": %s,\n  \"common_runtime_root\": %s,\n  \"goals\": [\n",
		quote(stamp(w.now)), quote(w.RuntimeRoot))
	for i, id := range w.Goals {
		values := map[string]string{"GOAL": id, "REPO": inner(w.Dir), "AGENTS": strings.Join(quoted, ", ")}
		out = goal.fill(out, func(name string) string { return values[name] })
		if i+1 < len(w.Goals) {
			out = append(out[:len(out)-1], ",\n"...)
		}
	}
	return writeFile(w.Registry, append(out, "  ]\n}\n"...))
}

// states writes the state file of each goal.
func (w *writer) states() error {
	state, todos, userTodos := load("state.md"), loadAll("todos.md"), loadAll("user_todos.md")
	values := map[string]string{
		"AT": encoded(stamp(w.now.Add(-30 * time.Minute))), "DUE": encoded(stamp(w.now.Add(25 * time.Minute))),
		"EXPIRES": encoded(stamp(w.now.AddDate(1, 0, 0))),
	}
	value := func(name string) string { return values[name] }
	for _, goal := range w.Goals {
		var user, team []byte
		next := "Advance the widget parser through its next slice"
		for i := range w.o.Todos {
			values["TODO"], values["TEXT"], values["P"] = todoID(i), w.text(), fmt.Sprint(w.random.IntN(4))
			values["AGENT"] = w.Agents[w.random.IntN(len(w.Agents))]
			if i%10 == 9 { // every tenth is for the user, decided ones and open ones in turn
				user = userTodos[i/10%len(userTodos)].fill(user, value)
				continue
			}
			team = todos[i%10%len(todos)].fill(team, value)
			if i == 1 {
				next = values["TEXT"]
			}
		}
		top := map[string]string{
			"GOAL": goal, "AT": stamp(w.now.Add(-30 * time.Minute)), "USER": string(user), "TEAM": string(team), "NEXT": next,
		}
		path := filepath.Join(w.Dir, ".codex", "goals", goal, "ACTIVE_GOAL_STATE.md")
		if err := writeFile(path, state.fill(nil, func(name string) string { return top[name] })); err != nil {
			return err
		}
	}
	return nil
}

var (
	verbs   = []string{"Implement", "Add", "Fix", "Build", "Wire", "Test", "Validate", "Document", "Refactor", "Measure"}
	objects = []string{"the CSV reader", "the widget parser", "label rebuilding", "retry handling", "the import queue", "the résumé view", "索引 cache"}
	details = []string{"and run its unit tests", "behind a flag", "for large inputs", "with a smoke fixture", "and write the notes", "end to end"}
)

func (w *writer) text() string {
	pick := func(from []string) string { return from[w.random.IntN(len(from))] }
	return fmt.Sprintf("%s %s %s, part %d", pick(verbs), pick(objects), pick(details), w.random.IntN(1000))
}

func todoID(i int) string { return fmt.Sprintf("todo_%04d_%04d", i/10000, i%10000) }

// stamp is how LoopX writes a time.
func stamp(at time.Time) string { return at.Format("2006-01-02T15:04:05-07:00") }

// encoded is a value as a metadata comment writes it.
func encoded(value string) string { return strings.ReplaceAll(value, "+", "%2B") }

func quote(text string) string {
	out, err := json.Marshal(text)
	if err != nil {
		panic(fmt.Sprintf("benchdata: quote a string: %v", err)) // cannot happen for a string
	}
	return string(out)
}

// inner is a JSON string without its quotes.
func inner(text string) string {
	quoted := quote(text)
	return quoted[1 : len(quoted)-1]
}

func writeFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600)
}

// create opens a new file for buffered writing; the function ends it.
func create(path string) (*bufio.Writer, func() error, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return nil, nil, err
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, nil, err
	}
	out := bufio.NewWriterSize(file, 1<<20)
	return out, func() error {
		if err := out.Flush(); err != nil {
			_ = file.Close()
			return err
		}
		return file.Close()
	}, nil
}

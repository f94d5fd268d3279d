package projectgen

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Files gives the files of the project by path. A seed other than 0 permutes what has no order: goals in the registry, keys
// of objects, keys of todo metadata, agents, and the two todo sections.
func (p *Project) Files(seed uint64) map[string][]byte {
	w := writer{}
	if seed != 0 {
		w.random = rand.New(rand.NewPCG(seed, 7))
	}
	files := map[string][]byte{}
	goals := []any{}
	for _, g := range p.Goals {
		row := maps.Clone(g.Row)
		row["id"], row["state_file"] = g.ID, "goals/"+g.ID+"/STATE.md"
		goals = append(goals, row)
		files[filepath.Join("goals", g.ID, "STATE.md")] = w.state(g)
		var index bytes.Buffer
		for _, run := range g.Runs {
			run = maps.Clone(run)
			for key, name := range map[string]string{"json_path": "row.json", "markdown_path": "row.md"} {
				path := filepath.Join("runtime", "goals", g.ID, "runs", name) // one artifact for all rows
				run[key], files[path] = filepath.ToSlash(path), []byte("{}\n")
			}
			w.json(&index, run)
			index.WriteByte('\n')
		}
		if index.Len() > 0 {
			files[filepath.Join("runtime", "goals", g.ID, "runs", "index.jsonl")] = index.Bytes()
		}
		for agent, state := range g.Scheduler {
			var out bytes.Buffer
			w.json(&out, state)
			files[filepath.Join("runtime", "goals", g.ID, "scheduler-state", agent, words.Scheduler.Surface, words.Scheduler.File)] = out.Bytes()
		}
	}
	w.shuffle(len(goals), func(i, j int) { goals[i], goals[j] = goals[j], goals[i] })
	var registry bytes.Buffer
	w.json(&registry, map[string]any{
		"schema_version": "0.1", "updated_at": stamp(Now.Add(-24 * time.Hour)), "common_runtime_root": "runtime", "goals": goals,
	})
	files[filepath.Join(".loopx", "registry.json")] = registry.Bytes()
	return files
}

// Write puts the files below a directory.
func Write(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(filepath.Join(dir, "runtime", "goals"), 0o755); err != nil {
		return fmt.Errorf("write project: %w", err)
	}
	for name, data := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("write project: %w", err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			return fmt.Errorf("write project: %w", err)
		}
	}
	return nil
}

type writer struct{ random *rand.Rand }

func (w writer) shuffle(n int, swap func(i, j int)) {
	if w.random != nil {
		w.random.Shuffle(n, swap)
	}
}

// keys are sorted, or in any order when the writer permutes.
func (w writer) keys(keys []string) []string {
	slices.Sort(keys)
	w.shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	return keys
}

func (w writer) json(out *bytes.Buffer, v any) {
	switch v := v.(type) {
	case map[string]any:
		out.WriteByte('{')
		for i, key := range w.keys(slices.Collect(maps.Keys(v))) {
			if i > 0 {
				out.WriteString(", ")
			}
			w.json(out, key)
			out.WriteString(": ")
			if agents, ok := v[key].([]string); ok && key == "registered_agents" {
				agents = slices.Clone(agents)
				w.shuffle(len(agents), func(i, j int) { agents[i], agents[j] = agents[j], agents[i] })
				w.json(out, agents)
				continue
			}
			w.json(out, v[key])
		}
		out.WriteByte('}')
	case []any:
		out.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				out.WriteString(", ")
			}
			w.json(out, item)
		}
		out.WriteByte(']')
	default:
		text, err := json.Marshal(v)
		if err != nil {
			panic(err) // every value of a project has a JSON form
		}
		out.Write(text)
	}
}

func (w writer) state(g *Goal) []byte {
	var user, team strings.Builder
	for _, t := range g.Todos {
		out := &team
		if t.User {
			out = &user
		}
		fmt.Fprintf(out, "- [%s] %s\n  <!-- loopx:todo", words.Marks[t.Keys["status"]], t.Text)
		for _, key := range w.keys(slices.Collect(maps.Keys(t.Keys))) {
			fmt.Fprintf(out, " %s=%s", key, url.PathEscape(t.Keys[key]))
		}
		out.WriteString(" -->\n")
	}
	sections := []string{"## User Todo / Owner Review Reading Queue\n\n" + user.String(), "## Agent Todo\n\n" + team.String()}
	w.shuffle(len(sections), func(i, j int) { sections[i], sections[j] = sections[j], sections[i] })
	next := ""
	for _, text := range g.Next {
		next += "- " + text + "\n"
	}
	return []byte("---\nstatus: active\nupdated_at: 2026-08-20T11:00:00+00:00\n---\n\n# Active Goal State\n\n" +
		strings.Join(sections, "\n") + "\n## Next Action\n\n" + next)
}

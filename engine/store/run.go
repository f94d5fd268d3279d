package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/loopx-dev/loopx-policy/engine/facts/jsontree"
	"github.com/loopx-dev/loopx-policy/engine/store/jsonedit"
)

// runOrder is the order of the keys of a run that other LoopX tools write (state-files.md 4.6, 4.9). Others follow by name.
var runOrder = []string{
	"schema_version", "generated_at", "goal_id", "classification", "recommended_action", "recommended_action_source", "health_check",
	"quota_event", "monitor_event", "event_type", "source", "json_path", "markdown_path",
}

var (
	stemGap    = regexp.MustCompile(`[^0-9A-Za-z-]+`)
	suffixForm = regexp.MustCompile(`^[a-z0-9-]*$`)
)

// stemOf makes the name of a run's files from its time (state-files.md 4.1).
func stemOf(generatedAt, suffix string) string {
	stem := strings.Trim(stemGap.ReplaceAllString(generatedAt, "-"), "-")
	if suffix != "" {
		stem += "-" + suffix
	}
	return stem
}

func (b *batch) appendRun(e *AppendRun) error {
	return b.own(e.GoalID, func() error {
		made, err := b.run(runFiles{
			dir: b.tx.runs(), goal: e.GoalID, step: "run", suffix: e.Suffix, at: e.GeneratedAt,
			record: e.Record, row: e.Row, markdown: e.Markdown,
		})
		if err != nil {
			return fmt.Errorf("run: %w", err)
		}
		if _, second := b.receipt["json_path"]; !second {
			b.receipt.add("json_path", made.record)
			b.receipt.add("markdown_path", made.markdown)
			b.receipt.add("generated_at", e.GeneratedAt)
		}
		return nil
	})
}

func (b *batch) appendReleaseRow(e *AppendReleaseRow) error {
	b.home = b.tx.release()
	made, err := b.run(runFiles{
		dir: filepath.Join(b.tx.release(), "runs"), step: "release run", suffix: e.Suffix, at: e.GeneratedAt,
		record: e.Record, row: e.Row, markdown: e.Markdown,
	})
	if err != nil {
		return fmt.Errorf("release row: %w", err)
	}
	b.receipt.add("json_path", made.record)
	b.receipt.add("markdown_path", made.markdown)
	b.receipt.add("generated_at", e.GeneratedAt)
	return nil
}

type runFiles struct {
	dir, goal, step, suffix, at string
	record, row                 json.RawMessage
	markdown                    []string
}

type runPaths struct{ record, markdown string }

// run prepares the two files of a run and its row. The index is the commit point, so readers never see files without a row.
func (b *batch) run(f runFiles) (made runPaths, err error) {
	// readers sort by this time, and a spend without one counts nowhere
	if _, err := time.Parse(time.RFC3339, f.at); err != nil || !suffixForm.MatchString(f.suffix) {
		return made, errors.New("needs a time and a plain suffix")
	}
	stem := filepath.Join(f.dir, stemOf(f.at, f.suffix))
	made = b.free(stem)
	record, err := runObject(f.record, f)
	if err != nil {
		return made, fmt.Errorf("record: %w", err)
	}
	if record, err = jsonedit.Pretty(record); err != nil {
		return made, fmt.Errorf("record: %w", err)
	}
	row, err := runObject(f.row, f)
	if err != nil {
		return made, fmt.Errorf("row: %w", err)
	}
	for _, path := range [][2]string{{"json_path", made.record}, {"markdown_path", made.markdown}} {
		text, err := json.Marshal(path[1])
		if err != nil {
			return made, err
		}
		if row, err = jsonedit.Set(row, nil, []string{path[0]}, text); err != nil {
			return made, fmt.Errorf("row: %w", err)
		}
	}
	if row, err = jsonedit.Sort(row, runOrder); err != nil {
		return made, fmt.Errorf("row: %w", err)
	}
	markdown := []byte(strings.Join(f.markdown, "\n") + "\n")
	b.creates = append(b.creates,
		&op{Kind: opCreate, Step: f.step + " json", Path: made.record, Data: record, mode: newFile},
		&op{Kind: opCreate, Step: f.step + " markdown", Path: made.markdown, Data: markdown, mode: newFile})
	return made, b.append(&b.index, f.step+" index", filepath.Join(f.dir, indexName), append(row, '\n'))
}

// append adds a line to a file, together with those of earlier effects.
func (b *batch) append(to **op, step, path string, line []byte) error {
	if *to == nil {
		*to = &op{Kind: opAppend, Step: step, Path: path}
		if info, err := os.Stat(path); err == nil {
			(*to).Size = info.Size()
		} else if !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	(*to).Data = append((*to).Data, line...)
	return nil
}

// runObject gives a run's object with its time and its goal, keys in their order.
func runObject(value json.RawMessage, f runFiles) (json.RawMessage, error) {
	node, err := jsontree.Parse(value)
	if err != nil {
		return nil, err
	}
	if node.Kind != jsontree.Object {
		return nil, errors.New("is no object")
	}
	for _, must := range [][2]string{{"generated_at", f.at}, {"goal_id", f.goal}} {
		if must[1] == "" {
			continue
		}
		if have := node.Get(must[0]); have != nil && have.Text != must[1] {
			return nil, fmt.Errorf("has another %s", must[0])
		}
		text, err := json.Marshal(must[1])
		if err != nil {
			return nil, err
		}
		if value, err = jsonedit.Set(value, nil, must[:1], text); err != nil {
			return nil, err
		}
	}
	return jsonedit.Sort(value, runOrder)
}

// free finds a name that no file has yet.
func (b *batch) free(stem string) runPaths {
	for n := 1; ; n++ {
		name := stem
		if n > 1 {
			name += "-" + strconv.Itoa(n)
		}
		paths := runPaths{name + ".json", name + ".md"}
		taken := slices.ContainsFunc(b.creates, func(o *op) bool { return o.Path == paths.record })
		if !taken && !exists(paths.record) && !exists(paths.markdown) {
			return paths
		}
	}
}

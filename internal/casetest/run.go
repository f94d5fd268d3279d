package casetest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

const commandTimeout = 2 * time.Minute

type run struct {
	binary     string
	root, home string
	now        time.Time
	captured   map[string]any
	problems   []string
}

// Run replays a case with the binary in dir, an empty directory, and returns what did not hold.
func Run(binary, dir string, c *Case) ([]string, error) {
	r := &run{
		binary: binary, root: filepath.Join(dir, "work"), home: filepath.Join(dir, "home"),
		now: c.Now.UTC(), captured: map[string]any{},
	}
	for _, d := range []string{r.root, r.home} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return nil, err
		}
	}
	if err := write(r.root, c.Files); err != nil {
		return nil, err
	}
	if err := r.pin(true); err != nil {
		return nil, err
	}
	seed := seedStep(c)
	for i := range c.Steps {
		step := &c.Steps[i]
		switch {
		case step.Args != nil:
			var says map[string]any
			if i == seed {
				says = c.SeedSays
			}
			if err := r.step(i, step, says); err != nil {
				return nil, fmt.Errorf("step %d: %w", i, err)
			}
		case step.Write != nil:
			if err := write(r.root, step.Write); err != nil {
				return nil, err
			}
		default:
			r.now = r.now.Add(time.Duration(step.AdvanceMinutes * float64(time.Minute)))
			continue
		}
		if err := r.pin(false); err != nil {
			return nil, err
		}
	}
	after := c.FilesAfter
	if seed >= 0 {
		after = c.SeedFilesAfter
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if err := r.checkFile(name, after[name]); err != nil {
			return nil, err
		}
	}
	return r.problems, nil
}

// seedStep is the step that seed_says replaces: seed_step, else the last command; -1 without seed_says.
func seedStep(c *Case) int {
	if c.SeedSays == nil {
		return -1
	}
	if c.SeedStep != nil {
		return *c.SeedStep
	}
	for i, step := range slices.Backward(c.Steps) {
		if step.Args != nil {
			return i
		}
	}
	return -1
}

func (r *run) fail(format string, args ...any) {
	r.problems = append(r.problems, fmt.Sprintf(format, args...))
}

// pin sets modification times to the case clock, of every file or only of files from its future.
func (r *run) pin(everything bool) error {
	return filepath.WalkDir(r.root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if info.Mode().IsRegular() && (everything || info.ModTime().After(r.now)) {
			return os.Chtimes(path, r.now, r.now)
		}
		return nil
	})
}

var placeholder = regexp.MustCompile(`\{\{([A-Za-z0-9_]+)\}\}`)

func (r *run) argv(args []any) ([]string, error) {
	var out []string
	for _, arg := range args {
		if splat, ok := arg.(map[string]any); ok {
			list, ok := r.captured[fmt.Sprint(splat["$splat"])].([]any)
			if !ok {
				return nil, fmt.Errorf("%v did not capture a list", splat["$splat"])
			}
			for i, item := range list {
				if text := fmt.Sprint(item); i > 0 || filepath.Base(text) != "loopx" {
					out = append(out, text)
				}
			}
			continue
		}
		var unknown error
		text := placeholder.ReplaceAllStringFunc(fmt.Sprint(arg), func(match string) string {
			name := strings.Trim(match, "{}")
			value, ok := r.captured[name]
			if !ok {
				unknown = fmt.Errorf("nothing captured under %q", name)
			}
			if text, ok := value.(string); ok {
				return text
			}
			return show(value)
		})
		if unknown != nil {
			return nil, unknown
		}
		out = append(out, strings.ReplaceAll(text, "{{}}", r.root))
	}
	return out, nil
}

func (r *run) environment() []string {
	var env []string
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		switch {
		case strings.HasPrefix(name, "LOOPX_"), strings.HasPrefix(name, "CODEX_"),
			strings.HasPrefix(name, "CLAUDE"), strings.HasPrefix(name, "TRAE"):
		default:
			env = append(env, pair)
		}
	}
	return append(env, "HOME="+r.home, "TZ=UTC", "LC_ALL=C.UTF-8", "XDG_STATE_HOME="+filepath.Join(r.home, "state"),
		"LOOPX_NOW="+r.now.Format(time.RFC3339))
}

func (r *run) step(index int, step *Step, seed map[string]any) error {
	argv, err := r.argv(step.Args)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), commandTimeout)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, r.binary, argv...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = r.root, r.environment(), &stdout, &stderr
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		return err
	}
	var doc any = missing{}
	if text := bytes.TrimSpace(stdout.Bytes()); len(text) > 0 && json.Unmarshal(text, &doc) != nil {
		doc = missing{}
	}
	wantExit, expect, absent := step.Exit, step.Expect, step.Absent
	if seed != nil {
		expect, absent = map[string]any{}, nil
		for key, value := range seed {
			if strings.HasPrefix(key, "/") {
				expect[key] = value
			} else if key == "exit" {
				wantExit = value
			}
		}
	}
	where := fmt.Sprintf("step %d", index)
	r.checkExit(where, cmd.ProcessState.ExitCode(), wantExit, stdout.String(), stderr.String())
	for _, needle := range step.StdoutContains {
		if !strings.Contains(stdout.String(), needle) {
			r.fail("%s: stdout does not contain %q", where, needle)
		}
	}
	if _, none := doc.(missing); none && len(expect)+len(absent) > 0 {
		r.fail("%s: stdout is not one JSON document: %.200s", where, stderr.String())
		return nil
	}
	for _, pointer := range slices.Sorted(maps.Keys(expect)) {
		if got := Resolve(doc, pointer); !Matches(got, expect[pointer]) {
			r.fail("%s: %s: got %s, wanted %s", where, pointer, show(got), show(expect[pointer]))
		}
	}
	for _, pointer := range absent {
		switch got := Resolve(doc, pointer).(type) {
		case nil, missing:
		default:
			r.fail("%s: %s: got %s, wanted nothing", where, pointer, show(got))
		}
	}
	for name, pointer := range step.Capture {
		got := Resolve(doc, pointer)
		if _, none := got.(missing); none {
			r.fail("%s: %s: missing, cannot capture %s", where, pointer, name)
			continue
		}
		r.captured[name] = got
	}
	return nil
}

func (r *run) checkExit(where string, got int, want any, stdout, stderr string) {
	ok := false
	switch want := want.(type) {
	case nil:
		ok = got == 0
	case string: // "nonzero"
		ok = got != 0
	case []any:
		ok = contains(want, float64(got))
	default:
		ok = float64(got) == want
	}
	if !ok {
		if want == nil {
			want = 0
		}
		r.fail("%s: exit %d, wanted %v (%.300s)", where, got, want, stderr+stdout)
	}
}

func (r *run) checkFile(name string, rule FileRule) error {
	if rule.AnyJSON != nil {
		return r.checkAnyJSON(name, rule.AnyJSON)
	}
	data, err := os.ReadFile(filepath.Join(r.root, name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		none := len(rule.CountWhere) > 0
		for _, want := range rule.CountWhere {
			none = none && want.Count == 0
		}
		if !rule.Absent && !none {
			r.fail("file %s: missing", name)
		}
		return nil
	case err != nil:
		return err
	case rule.Absent:
		r.fail("file %s: exists, wanted none", name)
		return nil
	}
	text := string(data)
	for _, needle := range rule.Contains {
		if !strings.Contains(text, needle) {
			r.fail("file %s: does not contain %q", name, needle)
		}
	}
	for _, needle := range rule.NotContains {
		if strings.Contains(text, needle) {
			r.fail("file %s: contains %q", name, needle)
		}
	}
	for _, want := range rule.CountWhere {
		found := 0
		for line := range strings.Lines(text) {
			var row any
			if json.Unmarshal([]byte(line), &row) == nil && all(row, want.Where) {
				found++
			}
		}
		if found != want.Count {
			r.fail("file %s: %d rows with %s, wanted %d", name, found, show(want.Where), want.Count)
		}
	}
	if len(rule.JSON) > 0 {
		var doc any
		if err := json.Unmarshal(data, &doc); err != nil {
			r.fail("file %s: %v", name, err)
			return nil
		}
		for pointer, want := range rule.JSON {
			if got := Resolve(doc, pointer); !Matches(got, want) {
				r.fail("file %s: %s: %s, wanted %s", name, pointer, show(got), show(want))
			}
		}
	}
	return nil
}

func (r *run) checkAnyJSON(pattern string, want map[string]any) error {
	paths, err := filepath.Glob(filepath.Join(r.root, pattern))
	if err != nil {
		return err
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var doc any
		if json.Unmarshal(data, &doc) == nil && all(doc, want) {
			return nil
		}
	}
	r.fail("file %s: no file matches %s", pattern, show(want))
	return nil
}

func all(doc any, want map[string]any) bool {
	for pointer, value := range want {
		if !Matches(Resolve(doc, pointer), value) {
			return false
		}
	}
	return true
}

package storetest_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/store"
	"github.com/loopx-dev/loopx-policy/engine/store/storetest"
)

func TestFiles(t *testing.T) { storetest.Run(t, files) }

// files is the store of the files with a copy of the sample project.
func files(t *testing.T) *storetest.Subject {
	const source = "../../../fixtures/sample-project/"
	dir := t.TempDir()
	names := strings.NewReplacer("@RUNTIME_ROOT@", filepath.Join(dir, "runtime"), "@PROJECT_ROOT@", filepath.Join(dir, "project"))
	require.NoError(t, filepath.WalkDir(source, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, strings.TrimPrefix(path, source))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		return os.WriteFile(to, []byte(names.Replace(string(text))), 0o644)
	}))
	read := func(path string) string {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		return string(text)
	}
	object := func(text string) (out map[string]any) {
		require.NoError(t, json.Unmarshal([]byte(text), &out), text)
		return out
	}
	lines := func(path string) func() []map[string]any {
		return func() (out []map[string]any) {
			for line := range strings.Lines(read(path)) {
				out = append(out, object(line))
			}
			return out
		}
	}
	digest := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return hex.EncodeToString(sum[:8])
	}
	goal := filepath.Join(dir, "runtime/goals", storetest.Goal)
	targets := facts.Targets{
		GoalID: storetest.Goal, Registered: true, RuntimeRoot: filepath.Join(dir, "runtime"), Dir: dir,
		StateFile:      filepath.Join(dir, "project/.codex/goals/demo-goal/ACTIVE_GOAL_STATE.md"),
		SourceRegistry: filepath.Join(dir, "project/.loopx/registry.json"),
		GlobalRegistry: filepath.Join(dir, "runtime/registry.global.json"),
	}
	row := func(path string) map[string]any {
		return object(read(path))["goals"].([]any)[0].(map[string]any)
	}
	return &storetest.Subject{
		Store: store.New(), Targets: targets, Artifact: read,
		Rows: lines(filepath.Join(goal, "runs/index.jsonl")), Events: lines(filepath.Join(goal, "rollout-event-log.jsonl")),
		State: func() (string, string) { text := read(targets.StateFile); return text, digest(text) },
		Row: func() (map[string]any, string) {
			return row(targets.SourceRegistry), digest(read(targets.SourceRegistry))
		},
		Projection: func() map[string]any { return row(targets.GlobalRegistry) },
	}
}

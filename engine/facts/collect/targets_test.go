package collect

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/registry"
)

// opened gives a collector of a project with two goals, opened through the registry at a path below dir.
func opened(t *testing.T, dir, path string) *Collector {
	t.Helper()
	route, file, err := registry.Open(registry.Options{
		Registry: path, RuntimeRoot: "rt", Dir: dir, Home: filepath.Join(dir, "home"), Env: func(string) string { return "" },
	})
	require.NoError(t, err)
	return New(route, file, Settings{})
}

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

const twoGoals = `{"goals": [{"id": "a", "repo": "p", "state_file": "S.md"}, {"id": "b", "repo": "p", "state_file": "../S.md"}, {"id": "c", "repo": "~/q", "state_file": "~/T.md"}]}`

func TestTargetsAreAbsolute(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "p/.loopx/registry.json"), twoGoals)
	c := opened(t, dir, "p/.loopx/registry.json")
	targets, err := c.Targets(facts.Request{GoalID: "a", AgentID: "Codex 1"})
	require.NoError(t, err)
	assert.Equal(t, facts.Targets{
		GoalID: "a", AgentID: registry.AgentToken("Codex 1"), Registered: true, RuntimeRoot: filepath.Join(dir, "rt"),
		StateFile: filepath.Join(dir, "p/S.md"), SourceRegistry: filepath.Join(dir, "p/.loopx/registry.json"),
		GlobalRegistry: filepath.Join(dir, "rt/registry.global.json"), Dir: dir, Home: filepath.Join(dir, "home"),
	}, targets)
	targets, err = c.Targets(facts.Request{GoalID: "b"})
	require.NoError(t, err)
	assert.Empty(t, targets.StateFile, "it would lie outside of the project")
	targets, err = c.Targets(facts.Request{GoalID: "c"})
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(dir, "home/T.md"), targets.StateFile)
	targets, err = c.Targets(facts.Request{GoalID: "unknown"})
	require.NoError(t, err)
	assert.False(t, targets.Registered)
	assert.Equal(t, filepath.Join(dir, "p/.loopx/registry.json"), targets.SourceRegistry, "where a new goal goes")
}

func TestTargetsThroughTheSharedRegistry(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "p/.loopx/registry.json"), twoGoals)
	write(t, filepath.Join(dir, "rt/registry.global.json"), `{"registry_role": "global-local", "goals": [
		{"id": "a", "repo": "p", "state_file": "S.md", "source_registry": "p/.loopx/registry.json"},
		{"id": "n", "repo": "p", "state_file": "N.md", "source_registry": "p/.loopx/registry.json"},
		{"id": "o", "repo": "p", "state_file": "O.md"}]}`)
	c := opened(t, dir, "rt/registry.global.json")
	for goal, want := range map[string]struct{ source, problem string }{
		"a": {filepath.Join(dir, "p/.loopx/registry.json"), ""},
		"n": {"", "registry p/.loopx/registry.json does not list goal n"},
		"o": {"", "the shared registry does not say which registry owns goal o"},
		"x": {"", "the shared registry does not list this goal"},
	} {
		targets, err := c.Targets(facts.Request{GoalID: goal})
		require.NoError(t, err)
		assert.Equal(t, want.source, targets.SourceRegistry, goal)
		assert.Equal(t, want.problem, targets.SourceProblem, goal)
	}
}

func TestAgainReadsTheRegistryAnew(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "p/.loopx/registry.json")
	write(t, path, `{"goals": [{"id": "a"}]}`)
	finding := facts.Finding{Code: "scan", Scope: "global"}
	c := opened(t, dir, "p/.loopx/registry.json").WithEnv(func(string) string { return "x" }).WithFindings([]facts.Finding{finding})
	write(t, path, `{"goals": [{"id": "a"}, {"id": "b"}]}`)
	again, err := c.Again()
	require.NoError(t, err)
	assert.Equal(t, []string{"a"}, c.Goals())
	assert.Equal(t, []string{"a", "b"}, again.Goals())
	assert.Contains(t, again.shared, finding)
	assert.Equal(t, "x", again.env("HOME"))
	write(t, path, `{`)
	_, err = c.Again()
	assert.Error(t, err)
}

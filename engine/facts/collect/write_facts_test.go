package collect_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/collect"
	"github.com/loopx-dev/loopx-policy/engine/facts/registry"
)

const writeRow = `{"id": "g", "domain": "d", "repo": ".", "state_file": "state.md", "adapter": {"kind": "k"}, "x_unknown": 1.50}`

// written reads the facts of a write.
func written(t *testing.T, c *collect.Collector, goal string, write facts.Write) *facts.Input {
	t.Helper()
	in, err := c.Input(t.Context(), facts.Request{Command: "x", GoalID: goal}, now)
	require.NoError(t, err)
	in.Write = &write
	require.NoError(t, c.WriteFacts(t.Context(), in, now))
	return in
}

func TestARowIsChangedWhereItIsOwned(t *testing.T) {
	p := newProject(t, map[string]string{
		"registry.json": `{"goals": [{"id": "other"}, ` + writeRow + `]}`,
		"state.md":      "# State\n",
	})
	in := written(t, p.open(t), "g", facts.Write{Goal: &facts.GoalWrite{}})
	assert.Equal(t, "registry.json", in.Source.Registry)
	assert.Len(t, in.Source.Digest, 16)
	assert.EqualValues(t, "1.50", in.Source.Row["x_unknown"])
	assert.Empty(t, in.Source.Problem)

	assert.Nil(t, written(t, p.open(t), "g", facts.Write{}).Source, "only for commands that change a row")
	assert.Nil(t, written(t, p.open(t), "none", facts.Write{Goal: &facts.GoalWrite{}}).Source)
}

func TestTheSharedRegistryNamesTheOwner(t *testing.T) {
	for name, c := range map[string]struct{ source, owner, problem string }{
		"owned":      {"%s", `{"goals": [` + writeRow + `]}`, ""},
		"unlisted":   {"%s", `{"goals": []}`, "does not list goal g"},
		"unreadable": {"%s", `{`, "owner.json"},
		"unknown":    {"", "", "does not say"},
	} {
		p := newProject(t, map[string]string{"owner.json": c.owner})
		source := ""
		if c.source != "" {
			source = `"source_registry": "` + filepath.Join(p.dir, "owner.json") + `", `
		}
		p.write(t, map[string]string{
			"registry.json": `{"registry_role": "global-local", "goals": [{` + source + writeRow[1:] + `]}`, "state.md": "# State\n",
		})
		in := written(t, p.open(t), "g", facts.Write{Goal: &facts.GoalWrite{}})
		if c.problem != "" {
			assert.Contains(t, in.Source.Problem, c.problem, name)
			assert.Empty(t, in.Source.Row, name)
			continue
		}
		assert.Empty(t, in.Source.Problem, name)
		assert.Equal(t, "g", in.Source.Row["id"], name)
	}
}

func TestThePlaceOfANewGoal(t *testing.T) {
	p := newProject(t, map[string]string{
		"runtime/" + registry.GlobalName:        `{"goals": [{"id": "taken", "source_registry": "/elsewhere/registry.json"}, {"id": "vague"}]}`,
		".codex/goals/old/ACTIVE_GOAL_STATE.md": "# Old\n",
	})
	c, err := p.openWith(t, registry.Options{Registry: "registry.json", RuntimeRoot: "runtime"})
	require.NoError(t, err)
	place := func(goal string) *facts.InitWrite {
		return written(t, c, goal, facts.Write{Init: &facts.InitWrite{}}).Write.Init
	}
	fresh := place("new")
	assert.Equal(t, p.dir, fresh.Repo)
	assert.True(t, fresh.ProjectExists)
	assert.Equal(t, ".codex/goals/new/ACTIVE_GOAL_STATE.md", fresh.StateFile)
	assert.False(t, fresh.StateFileExists)
	assert.Empty(t, fresh.SharedSource)
	assert.True(t, place("old").StateFileExists)
	assert.Equal(t, "/elsewhere/registry.json", place("taken").SharedSource)
	assert.NotEmpty(t, place("vague").SharedSource)

	missing := written(t, c, "new", facts.Write{Init: &facts.InitWrite{Project: "nowhere"}}).Write.Init
	assert.False(t, missing.ProjectExists)
	assert.Equal(t, filepath.Join(p.dir, "nowhere"), missing.Repo)
}

func TestWhatARefreshRecords(t *testing.T) {
	p := newProject(t, map[string]string{
		"registry.json": `{"goals": [` + writeRow + `]}`,
		"state.md":      "# State\n\n## Recent User Feedback\n\n- good\n<!-- aside -->\n### More\n- 2\n- 3\n- 4\n- 5\n- 6\n- 7\n- 8\n- 9\n\n## Progress Ledger\r\n\r\n* half\r\n",
		".git/HEAD":     "ref", ".git/config": "[remote \"origin\"]\nurl = https://example.com/a/b\n",
		"sub/file.go": "x",
	})
	in := written(t, p.open(t), "g", facts.Write{Refresh: &facts.RefreshWrite{WorkspacePath: "sub", Map: &facts.ProjectMap{}}})
	refresh := in.Write.Refresh
	assert.Equal(t, []string{"- good", "### More", "- 2", "- 3", "- 4", "- 5", "- 6", "- 7"}, refresh.Feedback)
	assert.Equal(t, []string{"* half"}, refresh.Progress)
	assert.Equal(t, facts.Checkout{Directory: true, Git: true, Canonical: true, Repository: "git:example.com/a/b"}, refresh.Checkout)
	assert.EqualValues(t, 3, refresh.Map.Files)

	gone := written(t, p.open(t), "g", facts.Write{Refresh: &facts.RefreshWrite{WorkspacePath: "nowhere"}}).Write.Refresh
	assert.Equal(t, facts.Checkout{}, gone.Checkout)
	assert.Nil(t, gone.Map)
	assert.Empty(t, written(t, p.open(t), "none", facts.Write{Refresh: &facts.RefreshWrite{}}).Write.Refresh.Feedback)
}

func TestWhatHistoryCheckAndDoctorLookAt(t *testing.T) {
	p := newProject(t, map[string]string{
		"registry.json": `{"common_runtime_root": "runtime", "goals": [` + writeRow + `]}`, "state.md": "# State\n",
		"runtime/goals/g/runs/index.jsonl": "x\n",
	})
	in := written(t, p.open(t), "g", facts.Write{History: &facts.HistoryWrite{Limit: 3, Check: &facts.IndexCheck{}}})
	assert.EqualValues(t, 3, in.Write.History.Limit)
	assert.Len(t, in.Write.History.Check.Faults, 1)

	given := facts.Trial{Name: "command", OK: true}
	doctor := func() []facts.Trial {
		return written(t, p.open(t), "", facts.Write{Doctor: &facts.DoctorWrite{Trials: []facts.Trial{given}}}).Write.Doctor.Trials
	}
	assert.Equal(t, []facts.Trial{given, {Name: "runtime_root", OK: true}, {Name: "shared_registry", OK: true}}, doctor())
	if os.Getuid() == 0 {
		return // root may write everywhere
	}
	require.NoError(t, os.Chmod(filepath.Join(p.dir, "runtime"), 0o555))
	assert.False(t, doctor()[1].OK)
}

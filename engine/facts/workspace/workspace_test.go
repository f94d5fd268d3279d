package workspace_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts/workspace"
)

const remote = "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = old\n\turl = https://example.com/team/parser.git\n[remote \"fork\"]\n\turl = https://example.com/x/y\n"

func put(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

func TestCheckouts(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	main, other := filepath.Join(dir, "main"), filepath.Join(dir, "other")
	put(t, filepath.Join(main, ".git", "HEAD"), "ref: refs/heads/main\n")
	put(t, filepath.Join(main, ".git", "config"), remote)
	put(t, filepath.Join(main, "sub", "file"), "")
	put(t, filepath.Join(main, ".git", "worktrees", "other", "commondir"), "../..\n")
	put(t, filepath.Join(other, ".git"), "gitdir: "+filepath.Join(main, ".git", "worktrees", "other")+"\n")
	require.NoError(t, os.Symlink(other, filepath.Join(dir, "alias")))

	for name, want := range map[string]workspace.Checkout{
		"main":     {Root: main, Repository: "git:example.com/team/parser"},
		"main/sub": {Root: main, Repository: "git:example.com/team/parser"},
		"other":    {Root: other, Linked: true, Repository: "git:example.com/team/parser"},
		"alias":    {Root: other, Linked: true, Repository: "git:example.com/team/parser"},
	} {
		found, ok := workspace.Read(filepath.Join(dir, name))
		require.True(t, ok, name)
		assert.Equal(t, want, found, name)
	}
}

func TestNoUsableOrigin(t *testing.T) {
	for name, config := range map[string]string{
		"none":        "[core]\n",
		"credentials": "[remote \"origin\"]\n\turl = https://user:secret@example.com/team/parser\n",
		"a path":      "[remote \"origin\"]\n\turl = /srv/git/parser\n",
	} {
		dir := t.TempDir()
		put(t, filepath.Join(dir, ".git", "HEAD"), "x")
		put(t, filepath.Join(dir, ".git", "config"), config)
		found, ok := workspace.Read(dir)
		require.True(t, ok, name)
		assert.Empty(t, found.Repository, name)
	}
	bare := t.TempDir()
	put(t, filepath.Join(bare, ".git", "HEAD"), "x")
	found, ok := workspace.Read(bare)
	require.True(t, ok)
	assert.Empty(t, found.Repository)
}

func TestNoCheckout(t *testing.T) {
	_, ok := workspace.Read(filepath.Join(t.TempDir(), "missing"))
	assert.False(t, ok)
	for _, text := range []string{"nonsense", "gitdir: /nowhere/at/all", ""} {
		dir := t.TempDir()
		put(t, filepath.Join(dir, ".git"), text)
		_, ok := workspace.Read(dir)
		assert.False(t, ok, text)
	}
	empty := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(empty, ".git"), 0o755))
	_, ok = workspace.Read(empty)
	assert.False(t, ok)
}

func TestSubmoduleIsNoWorktree(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	put(t, filepath.Join(dir, "git", "modules", "m", "HEAD"), "x")
	put(t, filepath.Join(dir, "m", ".git"), "gitdir: ../git/modules/m\n")
	found, ok := workspace.Read(filepath.Join(dir, "m"))
	require.True(t, ok)
	assert.False(t, found.Linked)
}

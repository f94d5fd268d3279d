package projectmap_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/projectmap"
)

func put(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

func TestOutline(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "README.md"), "12345")
	put(t, filepath.Join(dir, "Makefile"), "x")
	put(t, filepath.Join(dir, "src", "a.GO"), "xx")
	put(t, filepath.Join(dir, "src", "deep", "b.go"), "x")
	put(t, filepath.Join(dir, ".git", "HEAD"), "secret")
	put(t, filepath.Join(dir, "src", "node_modules", "m.js"), "x")
	require.NoError(t, os.Symlink("/", filepath.Join(dir, "root")))
	found, err := projectmap.Read(t.Context(), dir)
	require.NoError(t, err)
	assert.Equal(t, &facts.ProjectMap{
		Files: 5, Directories: 2, Bytes: 9,
		Extensions: map[string]int64{"md": 1, "go": 2, "other": 2},
		TopLevel: []facts.MapEntry{
			{Name: "Makefile"}, {Name: "README.md"}, {Name: "root"}, {Name: "src", Directory: true},
		},
	}, found)
}

func TestOutlineIsBounded(t *testing.T) {
	dir := t.TempDir()
	for i := range 250 {
		put(t, filepath.Join(dir, fmt.Sprintf("f.e%d", i)), "")
	}
	found, err := projectmap.Read(t.Context(), dir)
	require.NoError(t, err)
	assert.True(t, found.Truncated)
	assert.Len(t, found.TopLevel, 100)
	assert.LessOrEqual(t, len(found.Extensions), 201)
	assert.EqualValues(t, 250, found.Files)
}

func TestOutlineOfNothing(t *testing.T) {
	found, err := projectmap.Read(t.Context(), filepath.Join(t.TempDir(), "missing"))
	require.NoError(t, err)
	assert.EqualValues(t, 1, found.Unreadable)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = projectmap.Read(ctx, t.TempDir())
	require.ErrorIs(t, err, context.Canceled)
}

func TestOutlineOfAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	put(t, file, "x")
	found, err := projectmap.Read(t.Context(), file)
	require.NoError(t, err)
	assert.EqualValues(t, 1, found.Unreadable)
	assert.Zero(t, found.Files)
}

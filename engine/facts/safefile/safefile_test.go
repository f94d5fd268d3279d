package safefile_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts/safefile"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	text := strings.Repeat("x", 5000)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))

	got, err := safefile.Read(path, 5000)
	require.NoError(t, err)
	assert.Equal(t, text, string(got))
	_, err = safefile.Read(path, 4999)
	assert.ErrorIs(t, err, safefile.ErrTooLarge)
	_, err = safefile.Read(dir, 10)
	assert.ErrorIs(t, err, safefile.ErrNotRegular)
	_, err = safefile.Read(filepath.Join(dir, "missing"), 10)
	assert.ErrorIs(t, err, fs.ErrNotExist)

	link := filepath.Join(dir, "link")
	require.NoError(t, os.Symlink(path, link))
	_, err = safefile.Read(link, 5000)
	assert.NoError(t, err)
}

func TestReadNeverWaitsOnAPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(path, 0o644))
	_, err := safefile.Read(path, 10)
	assert.ErrorIs(t, err, safefile.ErrNotRegular)
}

func TestFileWhoseSizeIsUnknown(t *testing.T) {
	const path = "/proc/self/status" // says 0 bytes and holds more
	if _, err := os.Stat(path); err != nil {
		return
	}
	got, err := safefile.Read(path, 1<<20)
	require.NoError(t, err)
	assert.NotEmpty(t, got)
	_, err = safefile.Read(path, 10)
	assert.ErrorIs(t, err, safefile.ErrTooLarge)
}

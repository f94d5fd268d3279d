package safefile_test

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/loopx-dev/loopx-policy/engine/facts/safefile"
)

func open(t require.TestingT, path string) *safefile.File {
	file, err := safefile.Open(path)
	require.NoError(t, err)
	return file
}

// TestFileReadsAsOSDoes: the same bytes at every place, and the same end.
func TestFileReadsAsOSDoes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "text")
		require.NoError(t, os.WriteFile(path, text, 0o600))
		file := open(t, path)
		defer file.Close()
		require.True(t, file.Regular)
		require.False(t, file.Dir)
		require.EqualValues(t, len(text), file.Size)

		got, want := make([]byte, rapid.IntRange(0, 400).Draw(t, "length")), bytes.NewReader(text)
		off := rapid.Int64Range(0, 320).Draw(t, "offset")
		n, err := file.ReadAt(got, off)
		expected := make([]byte, len(got))
		m, wantErr := want.ReadAt(expected, off)
		require.Equal(t, m, n)
		require.Equal(t, expected, got)
		if len(got) > 0 {
			require.Equal(t, wantErr, err)
		}

		limit := rapid.Int64Range(0, 320).Draw(t, "limit")
		before := []byte("before")
		data, err := file.Append(append(make([]byte, 0, rapid.IntRange(6, 400).Draw(t, "room")), before...), limit)
		require.NoError(t, err)
		require.Equal(t, string(before)+string(text[:min(int64(len(text)), limit+1)]), string(data))
	})
}

func TestFileThatGrows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, []byte("one "), 0o600))
	file := open(t, path)
	defer file.Close()
	require.NoError(t, os.WriteFile(path, []byte("one two three"), 0o600))
	data, err := file.Append(nil, 100)
	require.NoError(t, err)
	assert.Equal(t, "one two three", string(data))
}

func TestFileErrors(t *testing.T) {
	dir := t.TempDir()
	_, err := safefile.Open(filepath.Join(dir, "missing"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	var place *fs.PathError
	require.ErrorAs(t, err, &place)
	assert.Equal(t, filepath.Join(dir, "missing"), place.Path)

	file := open(t, dir)
	assert.True(t, file.Dir)
	_, err = file.ReadAt(make([]byte, 1), 0)
	require.ErrorIs(t, err, syscall.EISDIR)
	_, err = file.Append(nil, 10)
	require.ErrorIs(t, err, syscall.EISDIR)
	require.NoError(t, file.Close())
	_, err = file.ReadAt(make([]byte, 1), 0)
	require.ErrorIs(t, err, syscall.EBADF)
	require.NotErrorIs(t, err, io.EOF)
	require.ErrorIs(t, file.Close(), syscall.EBADF)
}

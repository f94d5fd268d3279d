package goalstate_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/goalstate"
)

func TestRead(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, "goals", "STATE.md")
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o750))
	require.NoError(t, os.WriteFile(file, []byte("## Agent Todo\n- [ ] a\n"), 0o600))
	require.NoError(t, os.Symlink(file, filepath.Join(root, "link.md")))
	for _, path := range []string{"goals/STATE.md", "goals/../goals/STATE.md", "./goals/STATE.md", file, "link.md", "..goals/../goals/STATE.md"} {
		doc, err := goalstate.Read(root, path)
		require.NoError(t, err, path)
		assert.Equal(t, path, doc.State.File)
		assert.True(t, doc.State.Exists)
		assert.Len(t, doc.Todos, 1)
	}
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	doc, err := goalstate.Read(root, "goals/STATE.md")
	require.NoError(t, err)
	checkInvariants(t, doc)
}

func TestReadErrors(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o600))
	}
	write("plain.md", "x")
	write("latin1.md", "## Agent Todo\n- [ ] ok\n- [ ] caf\xe9\n")
	write("utf16.md", "\xff\xfe#\x00")
	write("zeros.md", "# Parser\n\x00\x00")
	write("full.md", strings.Repeat("a", goalstate.MaxBytes))
	write("large.md", strings.Repeat("a", goalstate.MaxBytes+1))
	require.NoError(t, os.Mkdir(filepath.Join(root, "dir"), 0o750))
	require.NoError(t, os.Symlink("b.md", filepath.Join(root, "a.md")))
	require.NoError(t, os.Symlink("a.md", filepath.Join(root, "b.md")))
	require.NoError(t, os.Symlink("gone.md", filepath.Join(root, "dangling.md")))
	require.NoError(t, syscall.Mkfifo(filepath.Join(root, "pipe.md"), 0o600))

	for path, want := range map[string]struct {
		code goalstate.Code
		line int
	}{
		"":                        {goalstate.CodeUndeclared, 0},
		" ":                       {goalstate.CodeUndeclared, 0},
		"gone.md":                 {goalstate.CodeMissing, 0},
		"plain.md/x.md":           {goalstate.CodeMissing, 0},
		"dangling.md":             {goalstate.CodeMissing, 0},
		"dir":                     {goalstate.CodeDirectory, 0},
		"pipe.md":                 {goalstate.CodeNotRegular, 0},
		"latin1.md":               {goalstate.CodeNotUTF8, 3},
		"utf16.md":                {goalstate.CodeNotUTF8, 1},
		"zeros.md":                {goalstate.CodeNotUTF8, 2},
		"large.md":                {goalstate.CodeTooLarge, 0},
		"a.md":                    {goalstate.CodeSymlinkLoop, 0},
		"../STATE.md":             {goalstate.CodeEscapesRoot, 0},
		"..":                      {goalstate.CodeEscapesRoot, 0},
		"dir/../../x.md":          {goalstate.CodeEscapesRoot, 0},
		"nul\x00.md":              {goalstate.CodeUnreadable, 0},
		strings.Repeat("a", 5000): {goalstate.CodeUnreadable, 0},
	} {
		t.Run(path, func(t *testing.T) {
			doc, err := goalstate.Read(root, path)
			require.Error(t, err)
			assert.Nil(t, doc)
			var failure *goalstate.Error
			require.ErrorAs(t, err, &failure)
			assert.Equal(t, want.code, failure.Code)
			assert.Equal(t, want.line, failure.Line)
			assert.Equal(t, facts.Finding{
				Code: string(want.code), Scope: "goal", File: path, Line: want.line, Rule: "state.file", Message: err.Error(),
			}, failure.Finding())
		})
	}
	_, err := goalstate.Read(root, "full.md")
	require.NoError(t, err, "a file of the largest size is read")
}

func TestReadErrorText(t *testing.T) {
	root := t.TempDir()
	_, err := goalstate.Read(root, "gone.md")
	require.EqualError(t, err, `state file "gone.md": no such file or directory`)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.WriteFile(filepath.Join(root, "bad.md"), []byte("a\n\xff\n"), 0o600))
	_, err = goalstate.Read(root, "bad.md")
	require.EqualError(t, err, "state file bad.md:2: is not UTF-8 text")
}

func TestInvalidBytesGivenToParse(t *testing.T) {
	assert.Equal(t, "caf\uFFFD", only(t, parse("## Agent Todo\n- [ ] caf\xe9\n")).Text)
}

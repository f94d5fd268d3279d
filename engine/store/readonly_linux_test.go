package store

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDirectoriesThatCannotBeWritten runs commands as a user who may read the project and not write it.
func TestDirectoriesThatCannotBeWritten(t *testing.T) {
	for _, s := range scenarios {
		dir, targets := s.setUp(t)
		if os.Geteuid() != 0 {
			require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
				if err == nil && entry.IsDir() {
					err = os.Chmod(path, 0o555)
					t.Cleanup(func() { _ = os.Chmod(path, 0o755) })
				}
				return err
			}))
		}
		before := tree(t, dir)
		var err error
		asNobody(func() { _, err = s.run(New(), targets) })
		assert.ErrorIs(t, err, fs.ErrPermission, s.name)
		assert.Equal(t, before, tree(t, dir), s.name)
	}
}

// TestFilesThatAreReadOnlyAreNotReplaced: renaming asks for the rights of the directory only.
func TestFilesThatAreReadOnlyAreNotReplaced(t *testing.T) {
	content := func(path string) string {
		data, _ := os.ReadFile(path) // none is as good as any
		return string(data)
	}
	refused := 0
	for _, s := range scenarios {
		_, targets := s.setUp(t)
		for _, path := range []string{targets.StateFile, targets.SourceRegistry} {
			if _, err := os.Stat(path); err == nil {
				require.NoError(t, os.Chmod(path, 0o444))
			}
		}
		state, registry := content(targets.StateFile), content(targets.SourceRegistry)
		if _, err := s.run(New(), targets); err != nil {
			assert.ErrorIs(t, err, fs.ErrPermission, s.name)
			refused++
		}
		assert.Equal(t, state, content(targets.StateFile), s.name)
		if registry != "" { // init makes one
			assert.Equal(t, registry, content(targets.SourceRegistry), s.name)
		}
	}
	assert.Positive(t, refused)
}

// asNobody makes the file accesses of a function those of a user without rights, when this one has all of them.
func asNobody(f func()) {
	if os.Geteuid() != 0 {
		f()
		return
	}
	runtime.LockOSThread() // the user is that of the thread
	defer runtime.UnlockOSThread()
	_ = syscall.Setfsuid(65534)
	defer func() { _ = syscall.Setfsuid(0) }()
	f()
}

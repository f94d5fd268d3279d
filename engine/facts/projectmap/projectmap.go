// Package projectmap draws the outline of a project: how many files of which kind, and the names at its top. It opens no
// file.
package projectmap

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/loopx-dev/loopx-policy/engine/facts"
)

// Limits of an outline. A project of 200,000 files is walked in about a second.
const (
	maxFiles      = 200_000
	maxTop        = 100
	maxExtensions = 200
)

// own are directories that belong to tools and not to the project.
var own = []string{".git", ".loopx", ".codex", ".hg", ".svn", "node_modules"}

// Read walks a project. Symbolic links are counted as files and not followed.
func Read(ctx context.Context, root string) (*facts.ProjectMap, error) {
	out := &facts.ProjectMap{Extensions: map[string]int64{}, TopLevel: []facts.MapEntry{}}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if failed := ctx.Err(); failed != nil {
			return failed
		}
		if err != nil {
			out.Unreadable++
			if entry != nil && entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if path == root {
			if !entry.IsDir() {
				out.Unreadable++
			}
			return nil
		}
		if entry.IsDir() && slices.Contains(own, entry.Name()) {
			return fs.SkipDir
		}
		if out.Files >= maxFiles {
			out.Truncated = true
			return fs.SkipAll
		}
		top(out, filepath.Dir(path) == root, entry)
		if entry.IsDir() {
			out.Directories++
			return nil
		}
		file(out, entry)
		return nil
	})
	return out, err
}

func top(out *facts.ProjectMap, first bool, entry fs.DirEntry) {
	switch {
	case !first:
	case len(out.TopLevel) < maxTop:
		out.TopLevel = append(out.TopLevel, facts.MapEntry{Name: entry.Name(), Directory: entry.IsDir()})
	default:
		out.Truncated = true
	}
}

func file(out *facts.ProjectMap, entry os.DirEntry) {
	out.Files++
	if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
		out.Bytes += info.Size()
	}
	ending := strings.ToLower(strings.TrimPrefix(filepath.Ext(entry.Name()), "."))
	if ending == "" || len(ending) > 16 {
		ending = "other"
	}
	if _, known := out.Extensions[ending]; !known && len(out.Extensions) >= maxExtensions {
		ending = "other"
	}
	out.Extensions[ending]++
}

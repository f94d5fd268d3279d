// Package workspace says what checkout a directory belongs to, from the files of git and without running it.
package workspace

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"github.com/loopx-dev/loopx-policy/engine/facts/goalstate"
	"github.com/loopx-dev/loopx-policy/engine/facts/safefile"
)

// maxBytes bounds the files of git that are read; real ones are a few kilobytes.
const maxBytes = 1 << 20

// Checkout is a working tree.
type Checkout struct {
	// Root is its top directory, with symbolic links resolved. It never leaves the machine.
	Root string
	// Linked says that it is a linked worktree of another checkout.
	Linked bool
	// Repository is the normal form of the remote named origin, empty when there is none or when it holds credentials.
	Repository string
}

// Read finds the checkout that a directory belongs to. It is false when the directory does not exist or belongs to none.
func Read(dir string) (Checkout, bool) {
	root, err := filepath.EvalSymlinks(dir)
	if err == nil {
		root, err = filepath.Abs(root)
	}
	if err != nil {
		return Checkout{}, false
	}
	for {
		info, err := os.Lstat(filepath.Join(root, ".git"))
		switch {
		case err == nil && info.IsDir():
			return read(root, filepath.Join(root, ".git"))
		case err == nil && info.Mode().IsRegular():
			return linked(root)
		}
		parent := filepath.Dir(root)
		if parent == root {
			return Checkout{}, false
		}
		root = parent
	}
}

// read reads a checkout whose repository is at git.
func read(root, git string) (Checkout, bool) {
	if _, err := os.Stat(filepath.Join(git, "HEAD")); err != nil {
		return Checkout{}, false
	}
	return Checkout{Root: root, Repository: origin(filepath.Join(git, "config"))}, true
}

// linked reads a checkout whose .git is a file that names its repository.
func linked(root string) (Checkout, bool) {
	text, err := safefile.Read(filepath.Join(root, ".git"), maxBytes)
	if err != nil {
		return Checkout{}, false
	}
	git, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir:")
	if !ok {
		return Checkout{}, false
	}
	git = from(root, strings.TrimSpace(git))
	common := git
	text, err = safefile.Read(filepath.Join(git, "commondir"), maxBytes)
	if err == nil {
		common = from(git, strings.TrimSpace(string(text)))
	}
	out, ok := read(root, common)
	out.Linked = ok && err == nil // a submodule has a .git file too, and no common directory
	return out, ok
}

func from(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// origin reads the address of the remote that is called origin from a git configuration.
func origin(path string) string {
	data, err := safefile.Read(path, maxBytes)
	if err != nil {
		return ""
	}
	inside, address := false, ""
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "[") {
			inside = strings.EqualFold(strings.ReplaceAll(line, " ", ""), `[remote"origin"]`)
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if inside && ok && strings.EqualFold(strings.TrimSpace(key), "url") {
			address = strings.Trim(strings.TrimSpace(value), `"`) // the last one counts, as in git
		}
	}
	return goalstate.Repository(address)
}

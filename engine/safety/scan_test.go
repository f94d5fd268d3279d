package safety_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/safety"
)

// tree writes files below a new directory.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return dir
}

// found scans paths of a directory and gives "file:line: message" of each finding.
func found(t *testing.T, dir string, change func(*safety.Settings), files safety.Files) []string {
	t.Helper()
	s := settings(t)
	if change != nil {
		change(&s)
	}
	d, err := safety.New(s, safety.ProfileScan)
	require.NoError(t, err)
	files.Open = func(path string) string {
		if filepath.IsAbs(path) {
			return path
		}
		return filepath.Join(dir, path)
	}
	out := []string{}
	for _, f := range d.Scan(files) {
		assert.Equal(t, facts.Finding{
			Code: f.Code, Scope: "global", File: f.File, Line: f.Line, Rule: "safety.union", Message: f.Message,
		}, f)
		assert.NotContains(t, f.Message, "hunter2")
		out = append(out, fmt.Sprintf("%s:%d: %s %s", f.File, f.Line, strings.TrimPrefix(f.Code, "public_safety_"), f.Message))
	}
	return out
}

func TestScanReadsEveryTextFileBelow(t *testing.T) {
	dir := tree(t, map[string]string{
		"public/readme.md":     "fine\npassword=hunter2\n",
		"public/deep/a/b.json": `{"x": "\/home\/alice"}`,
		"public/clean.txt":     "the secret plan",
		"public/image.bin":     "password=hunter2\x00",
		"public/wide.txt":      wide("see 10.0.0.1\nand password=hunter2"),
		"public/empty":         "",
		"public/.git/config":   "password=hunter2",
		"other/a.txt":          "password=hunter2",
	})
	want := []string{
		"public/deep/a/b.json:1: private_text private text of class local_absolute_path",
		"public/readme.md:2: private_text private text of class credential",
		"public/wide.txt:1: private_text private text of class private_ip",
		"public/wide.txt:2: private_text private text of class credential",
	}
	assert.Equal(t, want, found(t, dir, nil, safety.Files{Paths: []string{"public"}}))
	assert.Equal(t, want, found(t, dir, nil, safety.Files{Root: "public"}))
	assert.Equal(t, want, found(t, dir, nil, safety.Files{Paths: []string{"public", "public", "public/readme.md"}}), "once each")
	assert.Equal(t, want[1:2], found(t, dir, nil, safety.Files{Root: "public", Paths: []string{"readme.md", "clean.txt"}}))
	assert.Equal(t, want[:1], found(t, dir, nil, safety.Files{Paths: []string{"public/deep/a/b.json"}}))
	absolute := filepath.Join(dir, "public", "readme.md")
	assert.Equal(t, []string{absolute + ":2: private_text private text of class credential"}, found(t, dir, nil, safety.Files{Paths: []string{absolute}}))
	assert.Len(t, found(t, dir, nil, safety.Files{Root: dir, Paths: []string{absolute}}), 1)
}

// wide is UTF-16 with a byte order mark.
func wide(text string) string {
	out := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(text)) {
		out = append(out, byte(unit), byte(unit>>8))
	}
	return string(out)
}

func TestScanOfBigEndianText(t *testing.T) {
	dir := tree(t, map[string]string{"a": "\xfe\xff\x00/\x00t\x00m\x00p\x00/\x00x"})
	assert.Len(t, found(t, dir, nil, safety.Files{Root: "."}), 1)
}

func TestScanAskedForNothingReadsNothing(t *testing.T) {
	assert.False(t, safety.Files{}.Asked())
	assert.Empty(t, detector(t, safety.ProfileScan).Scan(safety.Files{}))
}

func TestScanReportsWhatItCannotRead(t *testing.T) {
	dir := tree(t, map[string]string{"a/file": "ok", "big": strings.Repeat("x", 100)})
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644))
	require.NoError(t, os.Symlink("gone", filepath.Join(dir, "dangling")))
	const text = "cannot be scanned for private text: "
	for name, c := range map[string]struct {
		files safety.Files
		want  string
	}{
		"missing":           {safety.Files{Paths: []string{"gone"}}, "gone:0: unreadable " + text + "no such file or directory"},
		"missing root":      {safety.Files{Root: "gone"}, "gone:0: unreadable " + text + "no such file or directory"},
		"missing in root":   {safety.Files{Root: "a", Paths: []string{"b"}}, "a/b:0: unreadable " + text + "no such file or directory"},
		"outside of root":   {safety.Files{Root: "a", Paths: []string{"../big"}}, "big:0: unreadable " + text + "it is not below the scan root"},
		"absolute, outside": {safety.Files{Root: "a", Paths: []string{"/"}}, "/:0: unreadable " + text + "it is not below the scan root"},
		"empty":             {safety.Files{Paths: []string{""}}, ":0: unreadable " + text + "the path is empty"},
		"empty in root":     {safety.Files{Root: "a", Paths: []string{""}}, ":0: unreadable " + text + "the path is empty"},
		"pipe":              {safety.Files{Paths: []string{"pipe"}}, "pipe:0: unreadable " + text + "not a regular file"},
		"dangling link":     {safety.Files{Paths: []string{"dangling"}}, "dangling:0: unreadable " + text + "no such file or directory"},
		"too large":         {safety.Files{Paths: []string{"big"}}, "big:0: unreadable " + text + "file is too large: at most 99 bytes"},
	} {
		got := found(t, dir, func(s *safety.Settings) { s.Limits.FileBytes = 99 }, c.files)
		assert.Equal(t, []string{c.want}, got, name)
	}
	assert.Empty(t, found(t, dir, nil, safety.Files{Root: "."}), "a pipe and a dangling link in a directory are not text")
}

func TestScanReportsAFileThatMayNotBeRead(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Log("root may read everything; the directory that is no directory stands in")
	}
	dir := tree(t, map[string]string{"public/closed": "x", "public/shut/file": "x"})
	require.NoError(t, os.Chmod(filepath.Join(dir, "public/closed"), 0))
	require.NoError(t, os.Chmod(filepath.Join(dir, "public/shut"), 0))
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "public/shut"), 0o755) }) // so that the directory can be removed
	got := found(t, dir, nil, safety.Files{Root: "public"})
	if os.Geteuid() == 0 {
		assert.Empty(t, got)
		return
	}
	assert.Len(t, got, 2)
}

func TestScanFollowsLinksInsideOfTheRootOnly(t *testing.T) {
	dir := tree(t, map[string]string{
		"public/a/file":  "password=hunter2",
		"private/secret": "password=hunter2",
	})
	for name, to := range map[string]string{
		"public/up":         "..",                     // leads out
		"public/out":        "../private",             // leads out
		"public/absolute":   dir + "/private/secret",  // leads out
		"public/a/loop":     "..",                     // back to the root itself
		"public/a/self":     "self",                   // no end
		"public/second":     "a/file",                 // a file of the root
		"public/second_dir": "a",                      // a directory of the root
		"door":              "public",                 // the path itself is a link
		"public/gone":       "nowhere",                // no target
		"public/a/out_file": "../../private/./secret", // leads out
	} {
		require.NoError(t, os.Symlink(to, filepath.Join(dir, name)))
	}
	message := ":1: private_text private text of class credential"
	assert.Equal(t, []string{"public/a/file" + message, "public/second" + message, "public/second_dir/file" + message},
		found(t, dir, nil, safety.Files{Root: "public"}))
	assert.Len(t, found(t, dir, nil, safety.Files{Paths: []string{"door"}}), 3, "a path that is a link itself is followed")
	assert.Len(t, found(t, dir, nil, safety.Files{Root: "public", Paths: []string{"out"}}), 1, "named, a link that leads out is unreadable")
}

func TestScanIsBounded(t *testing.T) {
	files := map[string]string{}
	for i := range 10 {
		files[fmt.Sprintf("public/%d", i)] = "10.0.0.1\n10.0.0.1\n"
	}
	files["public/deep/1/2/3/file"] = "x"
	dir := tree(t, files)
	got := found(t, dir, func(s *safety.Settings) { s.Limits.Findings = 3 }, safety.Files{Root: "public"})
	assert.Equal(t, []string{
		"public/0:1: private_text private text of class private_ip",
		"public/0:2: private_text private text of class private_ip",
		"public/1:0: incomplete the scan stopped at 3 findings; the rest was not looked at",
		"public/1:1: private_text private text of class private_ip",
	}, got)
	got = found(t, dir, func(s *safety.Settings) { s.Limits.Entries = 2 }, safety.Files{Root: "public"})
	assert.Equal(t, "public:0: incomplete the scan stopped after 2 files and directories; the rest was not looked at", got[0])
	assert.Len(t, got, 5)
	got = found(t, dir, func(s *safety.Settings) { s.Limits.Depth = 3 }, safety.Files{Root: "public/deep"})
	assert.Equal(t, []string{"public/deep/1/2/3:0: incomplete is nested deeper than 3 directories and was not scanned"}, got)
	got = found(t, dir, func(s *safety.Settings) { s.Limits.Findings = 1 }, safety.Files{Paths: []string{"gone", "gone2", "gone3"}})
	assert.Len(t, got, 2)
}

package mention

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func found(t require.TestingT, path string, texts ...string) []string {
	needles := make([][]byte, len(texts))
	for i, text := range texts {
		needles[i] = []byte(text)
	}
	got := []string{}
	require.NoError(t, Lines(path, needles, func(line []byte) { got = append(got, string(line)) }))
	return got
}

func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "f")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestLines(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		texts []string
		want  []string
	}{
		"none":             {"a\nb\n", []string{"c"}, []string{}},
		"empty":            {"", []string{"c"}, []string{}},
		"some":             {"xa\nb\nay\n", []string{"a"}, []string{"xa", "ay"}},
		"once for a line":  {"a a a\n", []string{"a"}, []string{"a a a"}},
		"either text":      {"a\nb\nc\n", []string{"c", "a"}, []string{"a", "c"}},
		"both in one line": {"ab\nc\n", []string{"b", "a"}, []string{"ab"}},
		"torn last line":   {"a\nxa", []string{"a"}, []string{"a", "xa"}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, found(t, file(t, c.text), c.texts...)) })
	}
}

func TestAMissingFileHasNoLines(t *testing.T) {
	require.Empty(t, found(t, filepath.Join(t.TempDir(), "none"), "a"))
}

func TestADirectoryIsAnError(t *testing.T) {
	require.ErrorContains(t, Lines(t.TempDir(), [][]byte{[]byte("a")}, func([]byte) {}), "regular file")
}

func TestALineThatIsTooLongIsPassedOver(t *testing.T) {
	long := strings.Repeat("a", MaxLine+block)
	require.Equal(t, []string{"xa", "ya"}, found(t, file(t, "xa\n"+long+"\nya\n"), "a"))
	require.Equal(t, []string{"xa"}, found(t, file(t, "xa\n"+long), "a"))
}

// TestLinesAcrossBlocks compares with a plain search, with lines around the ends of blocks.
func TestLinesAcrossBlocks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	rapid.Check(t, func(r *rapid.T) {
		var text bytes.Buffer
		for range rapid.IntRange(0, 5).Draw(r, "lines") {
			size := rapid.SampledFrom([]int{0, 3, block - 2, block, block + 1, 2*block - 1}).Draw(r, "size")
			line := []byte(strings.Repeat("x", size))
			if size > 0 && rapid.Bool().Draw(r, "mentions") {
				line[rapid.IntRange(0, size-1).Draw(r, "at")] = 'a'
			}
			text.Write(line)
			text.WriteByte('\n')
		}
		require.NoError(r, os.WriteFile(path, text.Bytes(), 0o600))
		want := []string{}
		for line := range strings.Lines(text.String()) {
			if strings.Contains(line, "a") {
				want = append(want, strings.TrimSuffix(line, "\n"))
			}
		}
		require.Equal(r, want, found(r, path, "a"))
	})
}

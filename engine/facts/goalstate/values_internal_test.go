package goalstate

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestCollapse holds the short way against the words of the text.
func TestCollapse(t *testing.T) {
	piece := rapid.SampledFrom([]string{" ", "  ", "a", "bc", "é", "索引", "\u00a0", "\u3000", "\u0085", "\t", "\x01", "\xff", "\xe7", "\U0001f600"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(piece).Draw(t, "pieces"), "")
		require.Equal(t, strings.Join(strings.Fields(text), " "), collapse(text), "%q", text)
	})
}

// TestDecode: an encoded text of any length comes back.
func TestDecode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringN(0, 200, -1).Draw(t, "text")
		require.Equal(t, strings.Join(strings.Fields(text), " "), decode(url.PathEscape(text)), "%q", text)
	})
}

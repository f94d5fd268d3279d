package history

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestValuesReadBefore: what a neighbour said changes neither the values of a line nor whether it is JSON.
func TestValuesReadBefore(t *testing.T) {
	value := rapid.SampledFrom([]string{
		`"a"`, `"a`, `"a\"`, `"a\""`, `"ab"`, `""`, `{}`, `{"x": 1}`, `{"x": 1}}`, `{"x": 1`, `[1]`, `[1]]`, `[1`, `[]`, `1`, `12`, `-`, `1.5`,
		`true`, `truee`, `null`, `nul`,
	})
	name := rapid.SampledFrom([]string{"goal_id", "state", "agent_id", "agent\\u005fid", "other"})
	line := rapid.Custom(func(t *rapid.T) []byte {
		var parts []string
		for range rapid.IntRange(0, 4).Draw(t, "members") {
			parts = append(parts, fmt.Sprintf(`"%s":%s%s`, name.Draw(t, "name"), rapid.SampledFrom([]string{"", " "}).Draw(t, "gap"), value.Draw(t, "value")))
		}
		return []byte("{" + strings.Join(parts, rapid.SampledFrom([]string{",", " , ", " ", ", "}).Draw(t, "comma")) + rapid.SampledFrom([]string{"}", " }", "", ",}"}).Draw(t, "end"))
	})
	rapid.Check(t, func(t *rapid.T) {
		var near neighbour
		for range rapid.IntRange(1, 3).Draw(t, "lines") {
			var c cells
			seen, _ := members(line.Draw(t, "before"), rowKey, &near, &c)
			for k := range c {
				if seen&(1<<k) != 0 {
					near.values[k] = c[k]
				}
			}
		}
		var got, want cells
		text := line.Draw(t, "line")
		seen, fault := object(text, rowKey, &want)
		again, faultToo := members(text, rowKey, &near, &got)
		require.Equal(t, fault, faultToo, string(text))
		require.Equal(t, seen, again, string(text))
		require.Equal(t, want, got, string(text))
	})
}

// TestNotes: noted cells are those that were read, and a full store says so.
func TestNotes(t *testing.T) {
	text := []byte(`{"goal_id": "g1", "state": {"a": [1, 2]}, "agent_id": null, "other": 1}`)
	var n notes
	for full := 0; full < 3; {
		var c, got cells
		seen, _ := object(text, rowKey, &c)
		note := n.add(text, &c, seen)
		if note == 0 {
			full++
			continue
		}
		require.Equal(t, seen, n.read(note, text, &got))
		require.Equal(t, c, got)
	}
	require.Less(t, len(n.words), maxNotes+1+int(keyCount))
}

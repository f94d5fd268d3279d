package history

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/loopx-dev/loopx-policy/engine/facts/isotime"
)

// FuzzRead: any bytes give an answer that does not depend on how they were read, and the file stays as it was.
func FuzzRead(f *testing.F) {
	f.Add([]byte(""), "")
	f.Add([]byte("garbage\n\n{\"generated_at\": \"20"), "agent-a")
	f.Add([]byte(line(f, 0, "quota_slot_spent", spend(2))+"\r\n"+line(f, 1e12, "x", fields{"agent_id": "agent-a"})+"\n"), "agent-a")
	o := options(f)
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte, agent string) {
		path := filepath.Join(dir, indexName)
		require.NoError(t, os.WriteFile(path, text, 0o600))
		o := o
		o.AgentID = agent
		whole := read(t, dir, o)
		o.block, o.keep = 1, 1
		require.Equal(t, whole, read(t, dir, o))
		after, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, text, after)
		for _, finding := range whole.Findings {
			require.GreaterOrEqual(t, finding.Line, 1)
			require.LessOrEqual(t, finding.Line, bytes.Count(text, []byte{'\n'})+1)
		}
		_, err = json.Marshal(whole)
		require.NoError(t, err)
	})
}

// FuzzLine holds the lexer against encoding/json: the same texts are valid, the same keys have the same values.
func FuzzLine(f *testing.F) {
	for _, text := range []string{
		`{"goal_id": "g1"}`, ` { "goal_id" : "a\u0062\ud83d\ude00\\\"" , "x" : [ 1 , -0.5e+3 , { } , [ ] , null ] } `, `{"goal_id":1}`,
		`{"a":tru}`, `{"a":01}`, `{"a":1.}`, `{"a":1e}`, `{"a":-}`, `{"a" 1}`, `{"a":1,}`, `{a:1}`, `{"a":"\x"}`, `{"a":"\u12g4"}`,
		`[1,]`, `[1 2]`, `{"a":1`, `{"a":"`, `{"a":"\`, `{"a":"\u1`, "{\"a\":\"\t\"}", `{} {}`, `"x"`, `{"go\u0061l_id": "g"}`,
		`{"goal_id": 1, "goal_id": "b"}`, "\xff", "{\"a\":\x00}", `{"a":{"b":1]}`, `{"a":"0123456\"89abcdef"}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var c cells
		seen, fault := object(text, rowKey, &c)
		var want map[string]json.RawMessage
		err := json.Unmarshal(text, &want)
		switch {
		case !utf8.Valid(text):
			require.Equal(t, notUTF8, fault)
		case !json.Valid(text):
			require.Equal(t, notJSON, fault)
		case err != nil || want == nil:
			require.Equal(t, notObject, fault)
		default:
			require.Contains(t, []any{sound, repeatedKey}, any(fault))
			for name, value := range want {
				k := rowKey([]byte(name))
				if k == noKey {
					continue
				}
				require.NotZero(t, seen&(1<<k))
				require.Equal(t, string(value), string(c[k]))
				got, ok := str(c[k])
				var text string
				require.Equal(t, value[0] == '"', ok)
				if ok && json.Unmarshal(value, &text) == nil {
					require.Equal(t, text, string(got))
				}
			}
			return
		}
		require.Equal(t, cells{}, c)
	})
}

func TestDeepNesting(t *testing.T) {
	var c cells
	deep := func(n int) []byte {
		return []byte(`{"x":` + strings.Repeat(`[{"a":`, n) + "1" + strings.Repeat("}]", n) + "}")
	}
	_, fault := object(deep(4000), rowKey, &c)
	require.Equal(t, sound, fault)
	_, fault = object(deep(1_000_000), rowKey, &c)
	require.Equal(t, notJSON, fault)
}

// TestClock: the short way of reading a time agrees with isotime, in whatever order dates come.
func TestClock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c clock
		digit := rapid.SampledFrom([]string{"0", "1", "2", "3", "9", "x"})
		two := func(name string, usual ...string) string {
			if rapid.IntRange(0, 20).Draw(t, name+" odd") == 0 {
				return digit.Draw(t, name) + digit.Draw(t, name)
			}
			return rapid.SampledFrom(usual).Draw(t, name)
		}
		for range 5 {
			text := rapid.SampledFrom([]string{"1969", "1970", "2026", "2024", "2115", "2116", "2300", "9999", "0000"}).Draw(t, "year") +
				"-" + two("month", "01", "02", "12") + "-" + two("day", "01", "28", "29", "31") +
				rapid.SampledFrom([]string{"T", " ", "t"}).Draw(t, "T") + two("hour", "00", "12", "23", "24") + ":" +
				two("minute", "00", "59", "60") + ":" + two("second", "00", "59") +
				rapid.SampledFrom([]string{"+", "-", "."}).Draw(t, "sign") + two("zone", "00", "14", "23") + ":" + two("zone minute", "00", "30", "59")
			want, ok := isotime.ParseNS(text)
			got, okToo := c.parse([]byte(text))
			require.Equal(t, ok, okToo, text)
			if ok {
				require.Equal(t, want, got, text)
			}
		}
	})
}

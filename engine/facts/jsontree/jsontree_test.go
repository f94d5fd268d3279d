package jsontree_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts/jsontree"
)

func TestParseKeepsLinesAndRanges(t *testing.T) {
	text := "{\n  \"a\": 1,\n  \"b\": [true,\n    \"x\\u0041\"],\n  \"a\": null\n}\n"
	n, err := jsontree.Parse([]byte(text))
	require.NoError(t, err)

	require.Len(t, n.Members, 3)
	assert.Equal(t, []int{2, 3, 5}, []int{n.Members[0].Line, n.Members[1].Line, n.Members[2].Line})
	assert.True(t, n.Members[2].Duplicate)
	assert.False(t, n.Members[0].Duplicate)
	assert.Equal(t, jsontree.Null, n.Get("a").Kind, "the last of two equal keys is read")
	item := n.Get("b").Items[1]
	assert.Equal(t, "xA", item.Text)
	assert.Equal(t, 4, item.Line)
	assert.Equal(t, `"x\u0041"`, text[item.Start:item.End])
	assert.Equal(t, "", n.Str("b"))
	assert.Nil(t, n.Get("missing").Get("below"))
}

func TestParseFindsDuplicatesInLargeObjects(t *testing.T) {
	var text strings.Builder
	for i := range 100 {
		text.WriteString(`,"k` + strings.Repeat("x", i) + `":0`)
	}
	n, err := jsontree.Parse([]byte("{" + text.String()[1:] + text.String() + "}"))
	require.NoError(t, err)
	for i, m := range n.Members {
		assert.Equal(t, i >= 100, m.Duplicate, "member %d", i)
	}
}

func TestParseRefuses(t *testing.T) {
	cases := map[string]struct {
		text string
		line int
		want string
	}{
		"empty":             {"", 1, "no JSON value"},
		"blank":             {"\n\n ", 3, "no JSON value"},
		"byte order mark":   {"\xef\xbb\xbf{}", 1, "byte order mark"},
		"not UTF-8":         {"{\n\"a\": \"\xff\"}", 2, "UTF-8"},
		"cut off object":    {"{\"a\": 1,\n", 2, "end of file"},
		"cut off string":    {"{\"a\": \"b", 1, "cut off"},
		"cut off value":     {"{\"a\":", 1, "cut off"},
		"trailing data":     {"{}\n{}", 2, "after the end"},
		"trailing comma":    {"[1,]", 1, "want a value"},
		"no comma":          {"[1 2]", 1, "want a comma"},
		"no colon":          {"{\"a\" 1}", 1, "want a colon"},
		"bare key":          {"{a: 1}", 1, "want a key"},
		"NaN":               {"{\n\"compute\": NaN}", 2, "'N'"},
		"minus alone":       {"[-]", 1, "number"},
		"dot alone":         {"[1.]", 1, "number"},
		"exponent alone":    {"[1e+]", 1, "number"},
		"leading zero":      {"[01]", 1, "comma"},
		"line break inside": {"[\"a\nb\"]", 1, "line break"},
		"bad escape":        {`["\q"]`, 1, "escape"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := jsontree.Parse([]byte(c.text))
			var syntax *jsontree.Error
			require.ErrorAs(t, err, &syntax)
			assert.Equal(t, c.line, syntax.Line)
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func TestDepthLimit(t *testing.T) {
	deep := func(n int) []byte { return []byte(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	_, err := jsontree.Parse(deep(jsontree.MaxDepth))
	require.NoError(t, err)
	_, err = jsontree.Parse(deep(jsontree.MaxDepth + 1))
	assert.ErrorContains(t, err, "nested deeper than 10000 levels")
}

// FuzzParse holds the parser against encoding/json: what one accepts the other accepts, with equal values.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,-0.5e+3,true,false,null,"x\n\ud83d\ude00"],"a":{}}`, "[\r\n\t1 ]", `"\ud800"`, "{", `{"a":1}}`, "1e400", "[[[]]]",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := jsontree.Parse(data)
		if !utf8.Valid(data) || bytes.HasPrefix(data, []byte("\xef\xbb\xbf")) {
			require.Error(t, err)
			return
		}
		require.Equal(t, json.Valid(data), err == nil, "encoding/json and jsontree disagree: %v", err)
		if err != nil {
			return
		}
		var want any
		decoder := json.NewDecoder(bytes.NewReader(data))
		decoder.UseNumber()
		require.NoError(t, decoder.Decode(&want))
		require.Equal(t, want, n.Any())
		require.Equal(t, bytes.TrimSpace(data), data[n.Start:n.End])
	})
}

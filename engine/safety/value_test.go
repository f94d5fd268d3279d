package safety_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/safety"
)

func value(t testing.TB, text string) any {
	t.Helper()
	var v any
	require.NoError(t, json.Unmarshal([]byte(text), &v))
	return v
}

func TestRefuseNamesClassAndFieldOnly(t *testing.T) {
	d := detector(t, safety.ProfileResult)
	for text, want := range map[string]string{
		`{"summary": "wrote /home/alice/plan.md"}`:              "/summary: holds text of class local_absolute_path",
		`{"a": [{"b": "ok"}, {"b": "10.1.2.3"}]}`:               "/a/1/b: holds text of class private_ip",
		`{"a/b~c": "cookie=1"}`:                                 "/a~1b~0c: holds text of class cookie_session",
		`{"evidence": {"apiKey": 1}}`:                           "/evidence/apiKey: is a field of class credential",
		`{"agent_vision_json": "{\"raw_log\": [1]}"}`:           "/agent_vision_json: holds text of class raw_log",
		`{"agent_vision_json": "{\"a\": {\"screenshot\": 1}}"}`: "/agent_vision_json/a/screenshot: is a field of class raw_screenshot",
		`{"/home/alice": 1}`:                                    "/(name): holds text of class local_absolute_path",
		`["ok", "see docs.internal"]`:                           "/1: holds text of class private_document_url",
		`"the secret plan"`:                                     "the value itself: holds text of class credential",
		`{"b": "/tmp/x", "a": "t-20260820120000-ab"}`:           "/a: holds text of class internal_task_id",
		`{"note": "see%20%2Fhome%2Falice"}`:                     "/note: holds text of class local_absolute_path",
	} {
		err := d.Refuse(value(t, text))
		var refused *safety.Error
		require.ErrorAs(t, err, &refused, text)
		assert.Equal(t, want, err.Error(), text)
		assert.NotContains(t, err.Error(), "alice")
	}
	for _, text := range []string{`{"summary": "added three tests", "count": 3, "ok": true, "none": null, "list": []}`, `"{not json"`, `[]`, `1`} {
		require.NoError(t, d.Refuse(value(t, text)), text)
	}
	require.Error(t, d.Refuse(map[string]any{"list": []string{"a", "/tmp/x"}}))
	require.NoError(t, d.Refuse(json.Number("12")))
}

func TestFieldNames(t *testing.T) {
	for _, c := range []struct {
		profile, names, class string
	}{
		{"scan", "accessKey access_key api-key APIKey auth_token Authorization clientSecret credentials password privateKey refresh_token secret sessionToken token gitlab_token db_password X_SECRET my_credentials", "credential"},
		{"scan", "raw raw_output rawRequest requestBody response_body RAW_DATA", "raw_payload"},
		{"scan", "raw_transcript transcript", "raw_transcript"},
		{"scan", "rawLogs raw_log", "raw_log"},
		{"scan", "screenshot rawScreenshot", "raw_screenshot"},
		{"scan", "uiBody pageSource", "private_ui_body"},
		{"scan", "cookie Set-Cookie", "cookie_session"},
		{"scan", "reset_token resetToken max_tokens tokens secretary passwords drawer rawness tokenizer prompt reward approval session_id task_text production_id _ ü", ""},
		{"event", "human_reward humanRewardScore reward", "human_reward"},
		{"event", "gate_approval operatorGateApproval", "gate_approval"},
		{"event", "production_id productionIdentifier", "production_identifier"},
		{"event", "prompt session_id", ""},
		{"bridge", "task_text prompt problemStatement", "task_text"},
		{"bridge", "session_id threadId", "session_handle"},
		{"bridge", "reward", ""},
	} {
		d := detector(t, c.profile)
		for name := range strings.FieldsSeq(c.names) {
			want := []string{}
			if c.class != "" {
				want = append(want, c.class)
			}
			assert.Equal(t, want, classes(d.Value(map[string]any{name: 1})), "%s as %s", name, c.profile)
		}
	}
}

func TestValueFindsAll(t *testing.T) {
	hits := detector(t, safety.ProfileScan).Value(value(t, `{"b": ["/tmp/x password=a"], "a": {"token": "/tmp/y"}}`))
	assert.Equal(t, []safety.Hit{
		{Class: "credential", Pointer: "/a/token"},
		{Class: "local_absolute_path", Pointer: "/a/token"},
		{Class: "credential", Pointer: "/b/0"},
		{Class: "local_absolute_path", Pointer: "/b/0"},
	}, hits)
}

func TestWhatCannotBeScannedIsRefused(t *testing.T) {
	s := settings(t)
	s.Limits.TextBytes, s.Limits.Depth = 20, 3
	d, err := safety.New(s, safety.ProfileScan)
	require.NoError(t, err)
	long := strings.Repeat("a", 21)
	require.EqualError(t, d.Refuse(map[string]any{"a": long}), "/a: 21 bytes, at most 20 can be checked")
	require.EqualError(t, d.Refuse(map[string]any{long: 1}), "/(name): 21 bytes, at most 20 can be checked")
	require.EqualError(t, d.Refuse(value(t, `[[[[1]]]]`)), "/0/0/0/0: nested deeper than 3 levels")
	require.NoError(t, d.Refuse(value(t, `[[["short"]]]`)))
	require.EqualError(t, d.Refuse("[[[[[[1]]]]]]"), "/0/0/0: nested deeper than 3 levels", "the string counts as a level")
	out, stripped := d.Strip(map[string]any{"a": long, "b": "x", "deep": value(t, `[[{"c": 1}, 2]]`)})
	assert.Equal(t, map[string]any{"b": "x", "deep": []any{[]any{map[string]any{}, 2.0}}}, out)
	assert.Equal(t, map[string]int{safety.NotScanned: 2}, stripped)
	out, stripped = d.Strip(value(t, `[[[[{}, []]]]]`))
	assert.Equal(t, value(t, `[[[[]]]]`), out)
	assert.Equal(t, map[string]int{safety.NotScanned: 2}, stripped)
}

func TestStripDropsAndCounts(t *testing.T) {
	in := `{"keep": 1, "token": "x", "list": ["a", "/tmp/x", {"raw": 1, "b": "c"}], "note": "10.0.0.1", "/tmp/y": 2, "json": "{\"raw\": 1}"}`
	before := value(t, in)
	out, stripped := detector(t, safety.ProfileBridge).Strip(before)
	assert.Equal(t, value(t, `{"keep": 1, "list": ["a", {"b": "c"}]}`), out)
	assert.Equal(t, map[string]int{"credential": 1, "local_absolute_path": 2, "raw_payload": 2, "private_ip": 1}, stripped)
	assert.Equal(t, value(t, in), before, "the original is left alone")
	require.NoError(t, detector(t, safety.ProfileBridge).Refuse(out))
	out, stripped = detector(t, safety.ProfileBridge).Strip("/tmp/x")
	assert.Nil(t, out)
	assert.Equal(t, map[string]int{"local_absolute_path": 1}, stripped)
}

func FuzzStrip(f *testing.F) {
	for _, text := range []string{
		`{"a": "/home/x", "token": 1, "list": [["10.0.0.1"], {"raw_log": null}]}`, `"{\"password\": \"x\"}"`, `[1, true, null, "x"]`,
		`{"{\"cookie\": 1}": "%2Fhome%2Fx"}`, `"[[[[[[[[[[\"/tmp/a\"]]]]]]]]]]"`,
	} {
		f.Add([]byte(text))
	}
	d := detector(f, safety.ProfileBridge)
	f.Fuzz(func(t *testing.T, text []byte) {
		var v any
		if json.Unmarshal(text, &v) != nil {
			return
		}
		out, stripped := d.Strip(v)
		if err := d.Refuse(out); err != nil {
			t.Fatalf("private text is left in %v: %v", out, err)
		}
		if clean := d.Refuse(v) == nil; clean != (len(stripped) == 0) {
			t.Fatalf("clean %v, stripped %v", clean, stripped)
		}
	})
}

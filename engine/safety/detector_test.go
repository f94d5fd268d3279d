package safety_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/open-policy-agent/opa/v1/util"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/loopx-dev/loopx-policy/engine/safety"
	"github.com/loopx-dev/loopx-policy/policy"
)

// settings are those of the embedded bundle.
func settings(t testing.TB) safety.Settings {
	t.Helper()
	text, err := policy.FS.ReadFile("loopx/settings/safety/data.yaml")
	require.NoError(t, err)
	var s safety.Settings
	require.NoError(t, util.Unmarshal(text, &s))
	return s
}

func detector(t testing.TB, profile string) *safety.Detector {
	t.Helper()
	d, err := safety.New(settings(t), profile)
	require.NoError(t, err)
	return d
}

func classes(hits []safety.Hit) []string {
	out := []string{}
	for _, hit := range hits {
		out = append(out, hit.Class)
	}
	return out
}

// samples are texts by pattern: those that it finds and harmless ones that look alike.
var samples = map[string]struct {
	class     string
	hit, miss []string
}{
	"path.unix": {
		class: "local_absolute_path",
		hit: []string{
			"see /home/alice/notes.md", "/tmp/x", "(/var/log/syslog)", "in /workspace/repo and", "cd /root", "the file /etc/hosts.",
			`"cwd": "/srv/app"`, "/mnt/disk", "/opt/tool", "/private/var", "/Volumes/Data", "/workspaces/a", "x=/home/bob",
		},
		miss: []string{
			"https://example.com/home/page", "https://tmp/x", "docs/home/readme.md", "/homework/one", "/tmpfile", "/var.log", "/etc-like",
			"read/write", "and/or", "route:/home/feed", "/usr/bin/env", "/users/42", "./tmp/x", "../var/lib",
		},
	},
	"path.mac": {
		class: "local_absolute_path",
		hit:   []string{"/Users/alice/Documents/plan.md", "cwd:/Users/bob", "path=/Users/bob"},
		miss:  []string{"https://example.com/Users/bob", "GET /users/bob", "Users and groups"},
	},
	"path.file_url": {
		class: "local_absolute_path",
		hit:   []string{"file:///usr/share/doc", "open file:/data/x", "FILE://server/share"},
		miss:  []string{"profile:/a", "the file: a", "file://"},
	},
	"path.data_root": {
		class: "local_absolute_path",
		hit:   []string{"under /ext_data/run-1", "/ext_data"},
		miss:  []string{"ext_data", "/ext_database"},
	},
	"path.windows": {
		class: "local_absolute_path",
		hit:   []string{`C:\Users\alice`, `c:/users/alice`, `"D:\\Users\\alice"`, `C:\Documents and Settings\bob`},
		miss:  []string{`C:\Program Files`, "abc:/users/x", `C:\UsersGuide`},
	},
	"credential.bearer": {
		class: "credential",
		hit:   []string{"Bearer abcdefghijklmnopqr", "use bearer: x", "BEARER=x"},
		miss:  []string{"bearer of good news", "the bearer token", "forbearer abcdefghijklmnopqr", "bearer auth"},
	},
	"credential.word": {
		class: "credential",
		hit: []string{
			"password=hunter2", "Password: x", `"password": "x"`, "db_password = x", "secret: x", "client_secret=x", "APP_SECRET=1",
			"Authorization: Basic Zm9v", `\"secret\": 1`,
		},
		miss: []string{"the secret plan", "a password policy", "authorization is required", "secretary: Ann", "passwords rotate", "secret of success: work"},
	},
	"credential.value": {
		class: "credential",
		hit:   []string{"password hunter2hunter2", "secret abcdef$ghi", "Authorization a1b2c3d4", "the password `tr0ubadour`", "bearer abc123def"},
		miss:  []string{"the secret plan", "secret management tools", "authorization boundary 12345678", "password abc123", "secret read/write access"},
	},
	"credential.token": {
		class: "credential",
		hit:   []string{"token=abcdef123456", "access_token: abcdef123456", `"authToken": "abcdef123456"`, "TOKEN = 'abcdefghijkl'"},
		miss:  []string{"token=short", "a token: yes", "tokens=abcdef123456", "reset_token=abcdef123456", "token counts"},
	},
	"credential.key": {
		class: "credential",
		hit:   []string{"access key: x", "secret_key=x", "api-key: x", `"apiKey": "x"`, "AccessKey = x"},
		miss:  []string{"the access key is rotated", "keyboard: us", "monkey=1", "primary_key=id"},
	},
	"credential.pair": {
		class: "credential",
		hit:   []string{"ak=x", "SK: x", `"sk": "x"`},
		miss:  []string{"break: now", "task=1", "risk: low", "ask: why"},
	},
	"credential.prefixed": {
		class: "credential",
		hit:   []string{"sk-abcdef1234", "ak_ABCDEFGHIJKL", "sk-proj-abcdefghij0123", "sk-ant-api03-abcdefghij", "sk_live_abcdefghij"},
		miss:  []string{"sk-short", "task-abcdefghijkl", "sk-learn-tutorials", "desk_reservations"},
	},
	"credential.slack": {
		class: "credential",
		hit:   []string{"xoxb-" + "123456789012-abcdefABCDEF", "token xoxp-" + "1234567890"},
		miss:  []string{"xox", "xoxb-short", "foxox-1234567890123"},
	},
	"credential.url": {
		class: "credential",
		hit:   []string{"https://user:" + "pass@example.com/x", "ssh://git:" + "secret@example.com/a", "redis://:" + "hunter2@cache:6379"},
		miss: []string{
			"https://example.com:8080/@scope/pkg", "https://user@example.com/x", "ssh://git@example.com/a", "http://localhost:8080/a:b@c", "mailto:a:b@c",
			"https://example.com:443?to=a@b",
		},
	},
	"credential.github": {
		class: "credential",
		hit:   []string{"ghp_" + strings.Repeat("a", 20), "ghs_ABCDEFGHIJ0123456789", "github_pat_" + strings.Repeat("b", 22)},
		miss:  []string{"ghp_short", "ghx_" + strings.Repeat("a", 30), "ghp"},
	},
	"credential.aws": {
		class: "credential",
		hit:   []string{"AKIAABCDEFGHIJKLMNOP", "id ASIA0123456789ABCDEF."},
		miss:  []string{"AKIAABC", "akiaabcdefghijklmnop", "AKIAABCDEFGHIJKLMNOPQ", "Asia"},
	},
	"credential.jwt": {
		class: "credential",
		hit:   []string{"eyJhbGciOi.eyJzdWIiOi.SflKxwRJSM"},
		miss:  []string{"eyJhbGciOi", "eyJ.a.b", "version 1.2.3"},
	},
	"credential.pem": {
		class: "credential",
		hit:   []string{"-----BEGIN PRIVATE KEY-----", "-----BEGIN RSA PRIVATE KEY-----", "-----BEGIN OPENSSH PRIVATE KEY-----", "-----BEGIN PGP PRIVATE KEY BLOCK-----"},
		miss:  []string{"-----BEGIN PUBLIC KEY-----", "-----BEGIN CERTIFICATE-----", "a private key"},
	},
	"credential.environment": {
		class: "credential",
		hit:   []string{"set OPENAI_API_KEY", "$ANTHROPIC_API_KEY"},
		miss:  []string{"MY_API_KEY", "OPENAI_API_KEYS", "openai_api_key"},
	},
	"cookie.assignment": {
		class: "cookie_session",
		hit:   []string{"cookie=abc", "Set-Cookie header", "Cookie: sid=1", `"cookie": "sid=1"`},
		miss:  []string{"a cookie: sweet", "cookies are set", "cookiecutter=1", "Cookie banner"},
	},
	"cookie.session": {
		class: "cookie_session",
		hit:   []string{"session_id=abc", "SESSIONID = 1", "sessionid=abc"},
		miss:  []string{"session_id of the host", "session: two", "obsession_identity=1"},
	},
	"document.internal": {
		class: "private_document_url",
		hit:   []string{"the plan is at https://docs.internal/plan", "docs.internal", "https://wiki.acme.corp/x", "http://git.intranet"},
		miss:  []string{"mydocs.internals", "https://docs.example.com/internal", "the .internal directory", "https://a.corporate.com"},
	},
	"document.office": {
		class: "private_document_url",
		hit:   []string{"https://acme.larkoffice.com/docx/abc", "https://x.feishu.cn/wiki/abc", "https://acme.sharepoint.com/sites/x", "acme.atlassian.net/wiki/spaces"},
		miss:  []string{"https://open.larksuite.com/document/server-docs", "https://open.feishu.cn/", "sharepoint training"},
	},
	"document.google": {
		class: "private_document_url",
		hit:   []string{"https://docs.google.com/document/d/abc", "drive.google.com/file/d/abc"},
		miss:  []string{"https://developers.google.com/docs", "docs.google.com/", "google docs"},
	},
	"ip.private": {
		class: "private_ip",
		hit:   []string{"host 10.0.0.1", "192.168.1.20:8080", "(172.16.0.9)", "172.31.255.255.", "10.255.0.10/8"},
		miss:  []string{"110.0.0.1", "172.15.0.1", "172.32.0.1", "192.169.1.1", "10.0.0", "10.0.0.1.5", "10.0.0.256", "1.10.0.0.1", "8.8.8.8"},
	},
	"task.internal": {
		class: "internal_task_id",
		hit:   []string{"t-20260820120000-ab12c", "task T-20260820120000-x"},
		miss:  []string{"t-20260820-ab", "t-2026082012000-x", "t-20260820120000", "at-20260820120000"},
	},
	"raw.transcript": {
		class: "raw_transcript",
		hit:   []string{`{"raw_transcript": "user: hi"}`, "raw-transcript: |", "rawTranscript=x"},
		miss:  []string{"never keep a raw transcript", "the raw transcripts are elsewhere", "transcript: public"},
	},
	"raw.log": {
		class: "raw_log",
		hit:   []string{`"raw_log": "..."`, "rawLogs: x", "raw_logs="},
		miss:  []string{"raw logs are not kept", "log: x", "rawlogic: x"},
	},
	"raw.payload": {
		class: "raw_payload",
		hit:   []string{`"raw_payload": {}`, "requestBody: x", "response_body=x", "raw_response: x"},
		miss:  []string{"a raw payload", "raw_material: x", "the response body"},
	},
	"raw.screenshot": {
		class: "raw_screenshot",
		hit:   []string{`"raw_screenshot": "x"`, "data:image/png;base64," + strings.Repeat("A", 40)},
		miss:  []string{"a raw screenshot", "data:image/png;base64,AAAA", "screenshot: docs/shot.png"},
	},
	"raw.ui_body": {
		class: "private_ui_body",
		hit:   []string{`"private_ui_body": "x"`, "page_source: <html>", "uiBody=x"},
		miss:  []string{"the page source", "ui_bodyguard: x", "gui: body"},
	},
	"event.reward": {
		class: "human_reward",
		hit:   []string{"human_reward=1", `"human-reward": 2`, "HUMAN_REWARD: 3"},
		miss:  []string{"the human_reward row", "reward=1", "human reward: none", "superhuman_reward=1"},
	},
	"event.gate": {
		class: "gate_approval",
		hit:   []string{"gate_approval: yes", "write_control=true", "operator gate-approval = 1"},
		miss:  []string{"implement write control: flags", "gate_approval is open", "approval=yes", "overwrite_control=1"},
	},
	"event.production": {
		class: "production_identifier",
		hit:   []string{"production_identifier=prod-1", "production-id: 7"},
		miss:  []string{"production=1", "production_ids=2", "production id: none"},
	},
}

func TestPatterns(t *testing.T) {
	for _, p := range settings(t).Patterns {
		if p.Strict {
			continue
		}
		profile := safety.ProfileScan
		if p.Extra {
			profile = safety.ProfileEvent
		}
		d := detector(t, profile)
		sample, ok := samples[p.ID]
		require.True(t, ok, "no samples of pattern %s", p.ID)
		require.Equal(t, p.Class, sample.class, p.ID)
		require.NotEmpty(t, sample.hit)
		require.NotEmpty(t, sample.miss)
		only := settings(t)
		only.Patterns = []safety.Pattern{p}
		alone, err := safety.New(only, profile)
		require.NoError(t, err)
		for _, text := range sample.hit {
			if p.Extra {
				assert.Empty(t, detector(t, safety.ProfileScan).Text(text), "%q is private in events only", text)
			}
			assert.Equal(t, []string{p.Class}, classes(alone.Text(text)), "%s finds %q", p.ID, text)
			assert.Contains(t, classes(d.Text(text)), p.Class, "%q", text)
			assert.Equal(t, []safety.Hit{{Class: p.Class, Pattern: p.ID, Line: 3}}, alone.Text("one\r\n\n"+text+"\r\nfour\n"))
		}
		for _, text := range sample.miss {
			assert.Empty(t, alone.Text(text), "%s leaves %q", p.ID, text)
			if p.Class != "credential" { // a near miss of one shape of credential may be another
				assert.NotContains(t, classes(d.Text(text)), p.Class, "%q", text)
			}
		}
	}
}

func TestStrictProfileRefusesBareWords(t *testing.T) {
	strict, plain := detector(t, safety.ProfileResult), detector(t, safety.ProfileScan)
	for _, text := range []string{"the secret plan", "a Bearer", "no PASSWORD here", "authorization", "token=x"} {
		assert.Equal(t, []string{"credential"}, classes(strict.Text(text)), text)
		assert.Empty(t, plain.Text(text), text)
	}
	for _, text := range []string{"secretary", "passwords", "authorizations", "token: x", "tokens"} {
		assert.Empty(t, strict.Text(text), text)
	}
}

func TestEncodedTextIsRead(t *testing.T) {
	d := detector(t, safety.ProfileScan)
	for text, class := range map[string]string{
		"evidence=%2Fhome%2Falice%2Fx":     "local_absolute_path",
		"note=see%20/home/alice%2fx":       "local_absolute_path",
		"evidence=%252Fhome%252Falice":     "local_absolute_path",
		`{"cwd": "\/home\/alice"}`:         "local_absolute_path",
		`{"cwd": "\u002fhome\u002Falice"}`: "local_absolute_path",
		`"{\"password\": \"x\"}"`:          "credential",
		"text=the%20password%3Dhunter2":    "credential",
		"a%0A/home/alice":                  "local_absolute_path",
		"100%/x is no encoding, 5% of /x":  "",
		`C:\new\u0041`:                     "",
		`%u002f %zz \ %`:                   "",
		"caf%C3%A9 %00":                    "",
	} {
		want := []string{}
		if class != "" {
			want = append(want, class)
		}
		assert.Equal(t, want, classes(d.Text(text)), text)
	}
	assert.Equal(t, 2, d.Text("a%0Ab\n%2Fhome%2Fx\n")[0].Line, "an encoded line break is no line")
}

func TestOneHitForAClassAndLine(t *testing.T) {
	hits := detector(t, safety.ProfileScan).Text("password=a secret=b /tmp/x\n\n/tmp/y 10.0.0.1")
	assert.Equal(t, []string{"credential", "local_absolute_path", "local_absolute_path", "private_ip"}, classes(hits))
	assert.Equal(t, []int{1, 1, 3, 3}, []int{hits[0].Line, hits[1].Line, hits[2].Line, hits[3].Line})
}

// TestHintsHideNothing compares with a detector that tries every pattern.
func TestHintsHideNothing(t *testing.T) {
	for _, profile := range []string{safety.ProfileResult, safety.ProfileEvent} {
		t.Run(profile, func(t *testing.T) { hintsHideNothing(t, profile) })
	}
}

func hintsHideNothing(t *testing.T, profile string) {
	s := settings(t)
	quick, err := safety.New(s, profile)
	require.NoError(t, err)
	s.Patterns = slices.Clone(s.Patterns)
	for i := range s.Patterns {
		s.Patterns[i].Hints = nil
	}
	slow, err := safety.New(s, profile)
	require.NoError(t, err)
	var words []string
	for _, sample := range samples {
		words = append(words, sample.hit...)
		words = append(words, sample.miss...)
	}
	slices.Sort(words)
	glue := rapid.SampledFrom([]string{" ", "\n", "", "%20", "\\", "ſ", "\u212a", "=", ": "})
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		for range rapid.IntRange(1, 4).Draw(t, "parts") {
			word := rapid.SampledFrom(words).Draw(t, "word")
			switch rapid.IntRange(0, 3).Draw(t, "change") {
			case 0:
				word = strings.ToUpper(word)
			case 1:
				word = word[:rapid.IntRange(0, len(word)).Draw(t, "cut")]
			case 2:
				word = strings.NewReplacer("s", "ſ", "k", "\u212a").Replace(word)
			}
			text.WriteString(word + glue.Draw(t, "glue"))
		}
		a, b := quick.Text(text.String()), slow.Text(text.String())
		if !slices.Equal(a, b) {
			t.Fatalf("%q: %v with hints, %v without", text.String(), a, b)
		}
	})
}

func TestAProjectAddsItsOwnPatterns(t *testing.T) {
	s := settings(t)
	s.MorePatterns = []safety.Pattern{{ID: "own.project", Class: "production_identifier", Hints: []string{"zeus"}, Match: `\bZEUS-[0-9]+`}}
	d, err := safety.New(s, safety.ProfileScan)
	require.NoError(t, err)
	assert.Equal(t, []string{"credential", "production_identifier"}, classes(d.Text("password=x on ZEUS-12")))
	s.Patterns = nil
	_, err = safety.New(s, safety.ProfileScan)
	require.ErrorContains(t, err, "patterns is empty", "own patterns do not stand in for the rest")
}

func TestBrokenSettingsAreRefused(t *testing.T) {
	for message, change := range map[string]func(*safety.Settings){
		"profiles has no scan, only host_result": func(s *safety.Settings) { s.Profiles = map[string]safety.Profile{"host_result": {}} },
		"patterns is empty":                      func(s *safety.Settings) { s.Patterns = nil },
		"patterns[0] x: needs a class and a regular expression: error parsing regexp": func(s *safety.Settings) {
			s.Patterns = []safety.Pattern{{ID: "x", Class: "c", Match: "("}}
		},
		"patterns[0] y: needs a class":     func(s *safety.Settings) { s.Patterns = []safety.Pattern{{ID: "y", Match: "a"}} },
		"limits.text_bytes is 0":           func(s *safety.Settings) { s.Limits.TextBytes = 0 },
		"limits.file_bytes is -1":          func(s *safety.Settings) { s.Limits.FileBytes = -1 },
		"limits.entries is 0":              func(s *safety.Settings) { s.Limits.Entries = 0 },
		"limits.findings is 0":             func(s *safety.Settings) { s.Limits.Findings = 0 },
		"limits.depth is 0, want at least": func(s *safety.Settings) { s.Limits.Depth = 0 },
	} {
		s := settings(t)
		change(&s)
		_, err := safety.New(s, safety.ProfileScan)
		require.ErrorContains(t, err, message)
	}
}

func FuzzText(f *testing.F) {
	for _, sample := range samples {
		for _, text := range slices.Concat(sample.hit, sample.miss) {
			f.Add(text)
		}
	}
	d := detector(f, safety.ProfileResult)
	f.Fuzz(func(t *testing.T, text string) {
		hits := d.Text(text)
		lines := strings.Count(text, "\n") + 1
		for i, hit := range hits {
			if hit.Line < 1 || hit.Line > lines || hit.Class == "" || hit.Pattern == "" {
				t.Fatalf("%+v of %d lines", hit, lines)
			}
			if i > 0 && (hits[i-1].Line > hit.Line || hits[i-1].Line == hit.Line && hits[i-1].Class >= hit.Class) {
				t.Fatalf("%+v before %+v", hits[i-1], hit)
			}
		}
		if len(hits) > 0 && d.Refuse(text) == nil && !d.TooLong(text) {
			t.Fatal("Refuse passes what Text finds")
		}
		if len(d.Text("harmless\n"+text+"\nharmless")) != len(hits) {
			t.Fatal("other lines change what is found")
		}
	})
}

package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/vm"
	"github.com/loopx-dev/loopx-policy/policy"
)

const entry = "data.loopx.answer.decision"

// mini is a bundle with one rule, one setting and a hook for the operator.
func mini() map[string]string {
	return map[string]string{
		".manifest": `{"roots": ["loopx"], "rego_version": 1, "revision": "7"}`,
		"loopx/answer/answer.rego": `package loopx.answer

import data.loopx.settings

decision := {"slots": slots, "extra": extra}

slots := settings.answer.slots * input.factor

extra := {x | some x in data.operator.extra}
`,
		"loopx/answer/answer_test.rego":   "package loopx.answer_test\n\ntest_broken if broken(\n",
		"loopx/settings/answer/data.yaml": "slots: 4\nlist: [a, b]\ntable:\n  one: 1\n",
	}
}

func with(files map[string]string, extra ...string) map[string]string {
	for i := 0; i < len(extra); i += 2 {
		files[extra[i]] = extra[i+1]
	}
	return files
}

func asFS(files map[string]string) fs.FS {
	out := fstest.MapFS{}
	for name, text := range files {
		out[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return out
}

func write(t *testing.T, dir string, files map[string]string) string {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return dir
}

func archive(t *testing.T, headers ...tar.Header) string {
	t.Helper()
	var buf bytes.Buffer
	zip := gzip.NewWriter(&buf)
	w := tar.NewWriter(zip)
	for _, h := range headers {
		body := h.Linkname
		if h.Typeflag == tar.TypeReg {
			h.Linkname, h.Size, h.Mode = "", int64(len(body)), 0o644
		}
		require.NoError(t, w.WriteHeader(&h))
		if h.Typeflag == tar.TypeReg {
			_, err := w.Write([]byte(body))
			require.NoError(t, err)
		}
	}
	require.NoError(t, w.Close())
	require.NoError(t, zip.Close())
	name := filepath.Join(t.TempDir(), "bundle.tar.gz")
	require.NoError(t, os.WriteFile(name, buf.Bytes(), 0o644))
	return name
}

// regular is a tar entry; the body travels in Linkname until archive writes it.
func regular(name, body string) tar.Header {
	return tar.Header{Name: name, Typeflag: tar.TypeReg, Linkname: body}
}

func eval(t *testing.T, b *Bundle) string {
	t.Helper()
	value, err := b.Eval(context.Background(), entry, vm.MustParse(`{"factor": 2}`))
	require.NoError(t, err)
	return string(vm.AppendJSON(nil, value))
}

func TestLoadFromEverySource(t *testing.T) {
	dir := write(t, t.TempDir(), mini())
	var headers []tar.Header
	for name, text := range mini() {
		headers = append(headers, regular("/"+name, text))
	}
	for name, opts := range map[string]Options{
		"embedded":  {base: asFS(mini())},
		"directory": {Policy: dir},
		"archive":   {Policy: archive(t, headers...)},
	} {
		t.Run(name, func(t *testing.T) {
			opts.Entrypoints = []string{entry}
			b, err := Load(opts)
			require.NoError(t, err)
			assert.Equal(t, `{"extra":[],"slots":8}`, eval(t, b))
			assert.Regexp(t, `^7\+[0-9a-f]{16}$`, b.Revision())
			settings, err := b.Settings()
			require.NoError(t, err)
			assert.Equal(t, map[string]any{"slots": json.Number("4"), "list": []any{"a", "b"}, "table": map[string]any{"one": json.Number("1")}}, settings["answer"])
			assert.Equal(t, []string{"loopx.answer"}, b.Packages())
		})
	}
}

func TestTheSameContentHasTheSameRevision(t *testing.T) {
	one, err := Load(Options{Policy: write(t, t.TempDir(), mini())})
	require.NoError(t, err)
	two, err := Load(Options{base: asFS(mini())})
	require.NoError(t, err)
	assert.Equal(t, one.Revision(), two.Revision())
	other, err := Load(Options{base: asFS(with(mini(), "loopx/settings/answer/data.yaml", "slots: 5\n"))})
	require.NoError(t, err)
	assert.NotEqual(t, one.Revision(), other.Revision())
}

func TestOverlay(t *testing.T) {
	project := write(t, t.TempDir(), map[string]string{
		".loopx/policy/loopx/settings/answer/data.yaml": "slots: 40\ntable:\n  two: 2\n",
		".loopx/policy/operator/hooks.rego":             "package operator\n\nextra contains \"review\"\n",
	})
	b, err := Load(Options{base: asFS(mini()), ProjectDir: project})
	require.NoError(t, err)
	assert.Equal(t, `{"extra":["review"],"slots":80}`, eval(t, b))
	settings, err := b.Settings()
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"one": json.Number("1"), "two": json.Number("2")}, settings["answer"].(map[string]any)["table"])
}

func TestOverlayLimits(t *testing.T) {
	const data = "loopx/settings/answer/data.yaml"
	for name, c := range map[string]struct {
		file, text, message string
		line                int
	}{
		"redefines a package":    {"answer.rego", "# mine\npackage loopx.answer\n\nslots := 9\n", "an overlay may add package operator, not loopx.answer", 2},
		"root of its own":        {"x.rego", "package mine\n\nx := 1\n", "not mine", 1},
		"unknown topic":          {"loopx/settings/question/data.yaml", "slots: 1\n", "there is no setting question", 0},
		"unknown key":            {data, "list: []\nslot: 1\n", "there is no setting answer.slot", 2},
		"another type":           {data, "slots: many\n", "setting answer.slots is of type number, not string", 1},
		"data outside settings":  {"loopx/answer/data.yaml", "slots: 1\n", "not loopx/answer", 0},
		"key given twice":        {data, "slots: 1\nslots: 2\n", `key "slots" is there twice`, 2},
		"not YAML":               {data, "slots: [1\n", "yaml:", 1},
		"a list as the document": {data, "- 1\n", "must be an object", 1},
		"not finite":             {data, "slots: .nan\n", "not a finite number", 1},
	} {
		t.Run(name, func(t *testing.T) {
			project := write(t, t.TempDir(), map[string]string{".loopx/policy/" + c.file: c.text})
			_, err := Load(Options{base: asFS(mini()), ProjectDir: project})
			var typed *Error
			require.ErrorAs(t, err, &typed)
			assert.Contains(t, typed.Message, c.message)
			assert.True(t, strings.HasSuffix(typed.File, filepath.FromSlash(c.file)), typed.File)
			assert.Equal(t, c.line, typed.Line)
		})
	}
}

func TestABrokenBundleNamesThePlace(t *testing.T) {
	for name, c := range map[string]struct {
		file, text, code, message string
		line                      int
	}{
		"does not parse":     {"loopx/answer/b.rego", "package loopx.answer\n\nx := := 1\n", CodeInvalid, "rego_parse_error", 3},
		"empty module":       {"loopx/answer/b.rego", "", CodeInvalid, "", 0},
		"does not compile":   {"loopx/answer/b.rego", "package loopx.answer\n\nx := missing(1)\n", CodeInvalid, "undefined function", 3},
		"unused variable":    {"loopx/answer/b.rego", "package loopx.answer\n\nx if {\n\ty := 1\n}\n", CodeInvalid, "unused", 4},
		"unused import":      {"loopx/answer/b.rego", "package loopx.answer\n\nimport data.loopx.other\n\nx := 1\n", CodeInvalid, "unused", 3},
		"recursion":          {"loopx/answer/b.rego", "package loopx.answer\n\nx if y\n\ny if x\n", CodeInvalid, "recursive", 3},
		"clock":              {"loopx/answer/b.rego", "package loopx.answer\n\nx := time.now_ns()\n", CodeInvalid, "undefined function time.now_ns", 3},
		"rules and data":     {"loopx/answer/data.yaml", "slots: 3\n", CodeInvalid, "conflict", 0},
		"two data files":     {"data.json", `{"loopx": {"settings": {"answer": {"slots": 9}}}}`, CodeInvalid, "loopx/settings/answer/slots is also given", 0},
		"manifest":           {".manifest", `{"rego_version": 0}`, CodeInvalid, "rego_version 0", 0},
		"manifest not JSON":  {".manifest", `{`, CodeInvalid, "unexpected end", 0},
		"no entrypoint":      {"loopx/answer/answer.rego", "package loopx.answer\n\nslots := 1\n", CodeEntrypoint, "does not define " + entry, 0},
		"too large":          {"loopx/answer/b.rego", "package loopx.answer\n" + strings.Repeat("#", maxFileBytes), CodeSource, "larger than", 0},
		"YAML anchors a lot": {"loopx/settings/b/data.yaml", bomb(), CodeInvalid, "more than", 0},
	} {
		t.Run(name, func(t *testing.T) {
			dir := write(t, t.TempDir(), with(mini(), c.file, c.text))
			_, err := Load(Options{Policy: dir, Entrypoints: []string{entry}})
			var typed *Error
			require.ErrorAs(t, err, &typed, "%v", err)
			assert.Equal(t, c.code, typed.Code)
			assert.Contains(t, typed.Error(), c.message)
			if c.line > 0 {
				assert.Equal(t, filepath.Join(dir, filepath.FromSlash(c.file)), typed.File)
				assert.Equal(t, c.line, typed.Line)
			}
		})
	}
}

func bomb() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n")
	for i := 1; i < 9; i++ {
		p := string(rune('0' + i - 1))
		n := string(rune('0' + i))
		b.WriteString("a" + n + ": &a" + n + " [" + strings.TrimSuffix(strings.Repeat("*a"+p+", ", 10), ", ") + "]\n")
	}
	return b.String()
}

func TestASourceThatIsNoBundle(t *testing.T) {
	empty := t.TempDir()
	secret := write(t, t.TempDir(), map[string]string{"x.rego": "package loopx.x\n\nx := 1\n"})
	escape := write(t, t.TempDir(), mini())
	require.NoError(t, os.Symlink(filepath.Join(secret, "x.rego"), filepath.Join(escape, "loopx", "out.rego")))
	inside := write(t, t.TempDir(), mini())
	require.NoError(t, os.Symlink("answer.rego", filepath.Join(inside, "loopx", "answer", "loop.rego")))
	require.NoError(t, os.Remove(filepath.Join(inside, "loopx", "answer", "answer.rego")))
	require.NoError(t, os.Symlink("loop.rego", filepath.Join(inside, "loopx", "answer", "answer.rego")))
	plain := filepath.Join(write(t, t.TempDir(), map[string]string{"bundle.tar.gz": "not an archive"}), "bundle.tar.gz")
	for name, c := range map[string]struct{ policy, message string }{
		"missing":            {filepath.Join(empty, "nothing"), "cannot be opened"},
		"empty":              {empty, "holds no rules"},
		"remote":             {"https://policies.example/bundle.tar.gz", "remote bundles (https://) are not supported"},
		"not an archive":     {plain, "is not a tar.gz archive"},
		"link out":           {escape, "path escapes"},
		"links in a circle":  {inside, "too many"},
		"archive leaves":     {archive(t, regular("../x.rego", "package x")), "leaves the bundle"},
		"archive leaves low": {archive(t, regular("loopx/../../x.rego", "package x")), "leaves the bundle"},
		"archive with link":  {archive(t, tar.Header{Name: "x.rego", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}), "is not a regular file"},
		"archive twice":      {archive(t, regular("x.rego", "package x"), regular("/x.rego", "package x")), "is there twice"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Load(Options{Policy: c.policy, Entrypoints: []string{entry}})
			var typed *Error
			require.ErrorAs(t, err, &typed)
			assert.Equal(t, CodeSource, typed.Code)
			assert.Contains(t, typed.Error(), c.message)
		})
	}
}

func TestAMountedConfigMapWorks(t *testing.T) {
	dir := write(t, t.TempDir(), map[string]string{
		"..2026/answer.rego": "package loopx.answer\n\ndecision := input.factor\n",
	})
	require.NoError(t, os.Symlink("..2026", filepath.Join(dir, "..data")))
	require.NoError(t, os.Symlink("..data/answer.rego", filepath.Join(dir, "answer.rego")))
	b, err := Load(Options{Policy: dir, Entrypoints: []string{entry}})
	require.NoError(t, err)
	assert.Equal(t, "2", eval(t, b))
}

func TestEvalNeedsExactlyOneAnswer(t *testing.T) {
	rules := "package loopx.answer\n\ndecision := 1 if input.factor == 1\n\ndecision := input.factor if input.twice\n\nbroken := json.unmarshal(\"{\")\n"
	b, err := Load(Options{base: asFS(map[string]string{"loopx/a.rego": rules})})
	require.NoError(t, err)
	for name, c := range map[string]struct{ entry, input, code, message string }{
		"undefined":     {entry, `{"factor": 2}`, CodeUndefined, "gives 0 answers"},
		"rules agree":   {entry, `{"factor": 1, "twice": true}`, "", ""},
		"builtin error": {"data.loopx.answer.broken", `{}`, CodeEvaluation, "eval_builtin_error"},
		"no such rule":  {"data.loopx.answer.nothing", `{}`, CodeEntrypoint, "does not define"},
		"not a ref":     {"data.loopx[", `{}`, CodeEntrypoint, "not a reference"},
	} {
		t.Run(name, func(t *testing.T) {
			value, err := b.Eval(context.Background(), c.entry, vm.MustParse(c.input))
			if c.code == "" {
				require.NoError(t, err)
				require.NotNil(t, value)
				return
			}
			var typed *Error
			require.ErrorAs(t, err, &typed)
			assert.Equal(t, c.code, typed.Code)
			assert.Contains(t, typed.Message, c.message)
		})
	}
	conflict, err := Load(Options{base: asFS(map[string]string{"loopx/a.rego": "package loopx.answer\n\ndecision := 1 if input.a\n\ndecision := 2 if input.b\n"})})
	require.NoError(t, err)
	_, err = conflict.Eval(context.Background(), entry, vm.MustParse(`{"a": true, "b": true}`))
	var typed *Error
	require.ErrorAs(t, err, &typed)
	assert.Equal(t, CodeEvaluation, typed.Code)
	assert.Equal(t, "policy/loopx/a.rego", typed.File)
	assert.NotZero(t, typed.Line)
}

func TestEvalStopsWithItsContext(t *testing.T) {
	b, err := Load(Options{base: asFS(map[string]string{"loopx/a.rego": "package loopx.answer\n\ndecision := count([1 | some a in numbers.range(1, 1000); some b in numbers.range(1, 1000); a == b])\n"})})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = b.Eval(ctx, entry, vm.MustParse(`{}`))
	require.Error(t, err)
}

func TestDecodeSettings(t *testing.T) {
	b, err := Load(Options{base: asFS(mini())})
	require.NoError(t, err)
	var answer struct{ Slots int }
	require.NoError(t, b.DecodeSettings("answer", &answer))
	assert.Equal(t, 4, answer.Slots)
	require.ErrorContains(t, b.DecodeSettings("question", &answer), "no settings for question")
	var wrong struct{ Slots string }
	require.ErrorContains(t, b.DecodeSettings("answer", &wrong), "settings answer")
}

func TestCheckHoldsRulesAgainstTheInputSchema(t *testing.T) {
	files := map[string]string{"loopx/a.rego": "# METADATA\n# scope: package\n# schemas:\n#   - input: schema.facts.input\npackage loopx.answer\n\ndecision := input.gaol.id\n"}
	_, err := Load(Options{base: asFS(files)})
	require.NoError(t, err, "a plain load does not look at types of input")
	_, err = Load(Options{base: asFS(files), Check: true})
	var typed *Error
	require.ErrorAs(t, err, &typed)
	assert.Contains(t, typed.Message, "undefined ref: input.gaol.id")
	assert.Equal(t, 7, typed.Line)
}

func TestTheEmbeddedBundleIsSound(t *testing.T) {
	b, err := Load(Options{Check: true})
	require.NoError(t, err)
	assert.NotZero(t, b.Rules())
	revision, err := EmbeddedRevision()
	require.NoError(t, err)
	assert.Equal(t, revision, b.Revision())
}

func TestCapabilitiesFile(t *testing.T) {
	want, err := json.MarshalIndent(Capabilities(), "", "  ")
	require.NoError(t, err)
	got, err := fs.ReadFile(policy.FS, "capabilities.json")
	require.NoError(t, err)
	assert.Equal(t, string(want)+"\n", string(got), "run go generate ./engine/bundle")
}

func TestNoRemovedBuiltinCompiles(t *testing.T) {
	n := 0
	for _, builtin := range ast.CapabilitiesForThisVersion().Builtins {
		if !Removed(builtin.Name) {
			assert.False(t, builtin.IsNondeterministic(), "%s is nondeterministic and must be removed", builtin.Name)
			continue
		}
		n++
		args := make([]string, len(builtin.Decl.FuncArgs().Args))
		for i := range args {
			args[i] = "input.x"
		}
		rule := "package loopx.answer\n\ndecision := " + builtin.Name + "(" + strings.Join(args, ", ") + ")\n"
		_, err := Load(Options{base: asFS(map[string]string{"loopx/a.rego": rule})})
		var typed *Error
		require.ErrorAs(t, err, &typed, builtin.Name)
		assert.Contains(t, typed.Message, builtin.Name)
		assert.Equal(t, 3, typed.Line)
	}
	assert.Greater(t, n, 20)
	assert.Empty(t, Capabilities().AllowNet)
	for _, name := range removed {
		if !strings.HasSuffix(name, ".") && name != "print" {
			_, known := ast.BuiltinMap[name]
			assert.True(t, known, "%s is no builtin of this OPA version", name)
		}
	}
}

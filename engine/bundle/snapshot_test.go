package bundle

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// everyForm uses each construct of the language that a snapshot stores.
const everyForm = `package loopx.answer

import data.loopx.settings

default total := 0

total := sum([x | some x in input.list; x > settings.answer.slots])

rows contains {"rank": 1, "rule": "a.one", "value": "one"} if input.one

rows contains {"rank": 2, "rule": "a.two", "value": name} if {
	not input.one
	name := sprintf("%s-%d", ["two", count(input.list)])
}

by_key[key] := value if some key, value in input.object

nested.deep[key].end := 1 if some key in {"p", "q"}

twice(x) := y if {
	x != "none"
	y := x * 2
}

twice(x) := null if x == "none"

positive if every i, x in input.list { x > i - 100 }

chosen := "first" if {
	input.one
} else := "second" if {
	input.two
} else := "third"

inverse := {value: key | some key, value in input.object}

members := {x | some x in input.list} | {1, 2.5, "s", true, null}

big := [twice(x) | some x in input.list; x in members; not x in {3}]

indexed := [pair | some x in input.list; pair := [y | some y in input.list; y == x]]

decision := {
	"big": big, "by_key": by_key, "chosen": chosen, "inverse": inverse, "members": members, "nested": nested, "indexed": indexed,
	"none": twice("none"), "positive": positive, "rows": rows, "total": total, "mocked": mocked, "empty": [{}, [], set()],
}

mocked := x if x := total with input.list as [100]
`

var inputs = []string{
	`{"list": [1, 2, 3, 50], "object": {"a": "b"}, "one": true}`,
	`{"list": [9], "object": {}, "two": true}`,
	`{"list": [0, 7, 8], "object": {"x": 1, "y": 2}}`,
}

func rich() fs.FS {
	return asFS(with(mini(), "loopx/answer/answer.rego", everyForm))
}

// restoredCopy sends a bundle through a snapshot.
func restoredCopy(t *testing.T, b *Bundle) *Bundle {
	t.Helper()
	text, err := encode(b.compiler, b.data, "{}", b.digest)
	require.NoError(t, err)
	again, err := encode(b.compiler, b.data, "{}", b.digest)
	require.NoError(t, err)
	require.Equal(t, text, again, "the same bundle gives the same bytes")
	out, err := decode(string(text[len(snapshotMagic)+len(b.digest):]), nil)
	require.NoError(t, err)
	return &Bundle{compiler: link(out), data: out.data, store: inmem.NewFromASTObject(out.data)}
}

func TestSnapshotKeepsEveryForm(t *testing.T) {
	b, err := Load(Options{base: rich()})
	require.NoError(t, err)
	copied := restoredCopy(t, b)
	assert.Equal(t, b.data.String(), copied.data.String())
	for name, m := range b.compiler.Modules {
		assert.Equal(t, m.String(), copied.compiler.Modules[name].String())
	}
	indexed := 0
	want, got := comprehensionKeys(b.compiler), comprehensionKeys(copied.compiler)
	for name, keys := range want {
		indexed += len(keys)
		assert.Equal(t, keys, got[name])
	}
	assert.NotZero(t, indexed)
	for _, input := range inputs {
		value := ast.MustParseTerm(input).Value
		want, err := b.Eval(context.Background(), entry, value)
		require.NoError(t, err)
		got, err := copied.Eval(context.Background(), entry, value)
		require.NoError(t, err)
		assert.Equal(t, want.String(), got.String())
	}
}

// comprehensionKeys lists the indexed comprehensions of each module with the keys of their index.
func comprehensionKeys(c *ast.Compiler) map[string][]string {
	out := map[string][]string{}
	for name, m := range c.Modules {
		ast.WalkTerms(m, func(term *ast.Term) bool {
			if index := c.ComprehensionIndex(term); index != nil {
				out[name] = append(out[name], fmt.Sprint(term, index.Keys))
			}
			return false
		})
	}
	return out
}

func TestASnapshotIsSafeToShare(t *testing.T) {
	b, err := Load(Options{base: rich()})
	require.NoError(t, err)
	copied := restoredCopy(t, b)
	want, err := b.Eval(context.Background(), entry, ast.MustParseTerm(inputs[0]).Value)
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				got, err := copied.Eval(context.Background(), entry, ast.MustParseTerm(inputs[0]).Value)
				assert.NoError(t, err)
				assert.Equal(t, want.String(), got.String())
			}
		})
	}
	wg.Wait()
}

func TestARuntimeErrorOfASnapshotNamesItsPlace(t *testing.T) {
	rules := "package loopx.answer\n\ndecision := 1 if input.a\n\ndecision := 2 if input.b\n\nfailing := json.unmarshal(input.text)\n"
	b, err := Load(Options{base: asFS(map[string]string{"loopx/a.rego": rules})})
	require.NoError(t, err)
	copied := restoredCopy(t, b)
	for name, c := range map[string]struct{ entry, input string }{
		"conflict": {entry, `{"a": 1, "b": 1}`},
		"builtin":  {"data.loopx.answer.failing", `{"text": "{"}`},
	} {
		t.Run(name, func(t *testing.T) {
			value := ast.MustParseTerm(c.input).Value
			_, want := b.Eval(context.Background(), c.entry, value)
			_, got := copied.Eval(context.Background(), c.entry, value)
			require.Error(t, want)
			require.EqualError(t, got, want.Error())
		})
	}
}

func TestADamagedSnapshotIsAnError(t *testing.T) {
	b, err := Load(Options{base: rich()})
	require.NoError(t, err)
	text, err := encode(b.compiler, b.data, "{}", b.digest)
	require.NoError(t, err)
	body := string(text[len(snapshotMagic)+len(b.digest):])
	for i := 0; i < len(body); i += 7 {
		_, err := decode(body[:i], nil)
		require.Error(t, err, "cut at %d", i)
	}
}

// TestTheSnapshotIsCurrent fails after a change of policy/ or of the OPA version: run go generate ./engine/bundle.
func TestTheSnapshotIsCurrent(t *testing.T) {
	want, err := Snapshot()
	require.NoError(t, err)
	got, err := snapshotFS.ReadFile(snapshotFile)
	require.NoError(t, err)
	require.True(t, slices.Equal(want, got), "stale: run go generate ./engine/bundle")
}

// TestEveryWayToLoadGivesTheSameRules compares the compiled rules of the embedded bundle: with all checks, with the
// checks left out, and from the snapshot.
func TestEveryWayToLoadGivesTheSameRules(t *testing.T) {
	checked, err := Load(Options{measure: measure{source: true, stages: true}})
	require.NoError(t, err)
	for name, opts := range map[string]Options{
		"snapshot": {}, "from source": {measure: measure{source: true}}, "one core": {measure: measure{source: true, serial: true}},
	} {
		b, err := Load(opts)
		require.NoError(t, err)
		assert.Equal(t, checked.Revision(), b.Revision())
		assert.Equal(t, checked.data.String(), b.data.String())
		assert.Equal(t, comprehensionKeys(checked.compiler), comprehensionKeys(b.compiler), name)
		require.Len(t, b.compiler.Modules, len(checked.compiler.Modules))
		for file, m := range checked.compiler.Modules {
			if m.String() != b.compiler.Modules[file].String() {
				assert.Equal(t, m.String(), b.compiler.Modules[file].String(), "%s: %s", name, file)
				return
			}
		}
	}
}

func TestSnapshotRefusesWhatItDoesNotKnow(t *testing.T) {
	e := &encoder{compiler: ast.NewCompiler(), strings: map[string]uint64{}, terms: map[string]uint64{}}
	e.term(ast.NewTerm(&ast.TemplateString{}))
	require.Error(t, e.err)
	e.err = nil
	e.expr(nil, &ast.Expr{Terms: &ast.SomeDecl{Symbols: []*ast.Term{ast.VarTerm("x")}}})
	require.Error(t, e.err)
}

func TestSnapshotDirectoryIsDocumented(t *testing.T) {
	_, err := os.Stat(filepath.Join("snapshot", "README.md"))
	require.NoError(t, err)
}

// TestOnlyWhatEntrypointsNeedIsRead: a part of the bundle has every rule behind its entrypoint and not those that only others need.
func TestOnlyWhatEntrypointsNeedIsRead(t *testing.T) {
	whole, err := Load(Options{})
	require.NoError(t, err)
	for _, entrypoint := range []string{"data.loopx.plan.item", "data.loopx.should_run.decision", "data.loopx.invariants.violations"} {
		part, err := Load(Options{Only: []string{entrypoint}, Entrypoints: []string{"data.loopx.no.such"}})
		require.NoError(t, err)
		assert.Less(t, part.Rules(), whole.Rules())
		assert.Equal(t, whole.Revision(), part.Revision())
		for name, m := range part.compiler.Modules {
			assert.Equal(t, whole.compiler.Modules[name].String(), m.String())
			ast.WalkRefs(m, func(ref ast.Ref) bool {
				if prefix := ref.ConstantPrefix(); ref.HasPrefix(ast.DefaultRootRef) && len(prefix) > 1 {
					assert.Len(t, part.compiler.GetRules(prefix), len(whole.compiler.GetRules(prefix)), "%s: %s", name, ref)
				}
				return false
			})
		}
	}
	_, err = Load(Options{Only: []string{"data.loopx.no.such"}})
	require.ErrorContains(t, err, "data.loopx.no.such")
	source, err := Load(Options{Only: []string{"data.loopx.plan.item"}, measure: measure{source: true}})
	require.NoError(t, err)
	assert.Equal(t, whole.Rules(), source.Rules(), "a bundle without snapshot is whole")
}

package bundle

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/vm"
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

# METADATA
# title: Everything
# entrypoint: true
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
	text, err := b.snapshot()
	require.NoError(t, err)
	again, err := b.snapshot()
	require.NoError(t, err)
	require.Equal(t, text, again, "the same bundle gives the same bytes")
	known, err := readSnapshot(string(text), b.digest)
	require.NoError(t, err)
	return &Bundle{known: known, program: known.program, data: known.data}
}

func TestSnapshotKeepsEveryForm(t *testing.T) {
	b, err := Load(Options{base: rich()})
	require.NoError(t, err)
	copied := restoredCopy(t, b)
	assert.Equal(t, vm.AppendJSON(nil, b.data), vm.AppendJSON(nil, copied.data))
	assert.Equal(t, b.Packages(), copied.Packages())
	assert.Equal(t, b.Rules(), copied.Rules())
	for _, input := range inputs {
		want, err := b.Eval(context.Background(), entry, vm.MustParse(input))
		require.NoError(t, err)
		got, err := copied.Eval(context.Background(), entry, vm.MustParse(input))
		require.NoError(t, err)
		assert.Equal(t, string(vm.AppendJSON(nil, want)), string(vm.AppendJSON(nil, got)))
	}
}

func TestASnapshotIsSafeToShare(t *testing.T) {
	b, err := Load(Options{base: rich()})
	require.NoError(t, err)
	copied := restoredCopy(t, b)
	want, err := b.Eval(context.Background(), entry, vm.MustParse(inputs[0]))
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				got, err := copied.Eval(context.Background(), entry, vm.MustParse(inputs[0]))
				assert.NoError(t, err)
				assert.True(t, vm.Equal(want, got))
			}
		})
	}
	wg.Wait()
}

func TestARuntimeErrorOfASnapshotNamesItsPlace(t *testing.T) {
	const rules = `package loopx.answer

# METADATA
# title: One of two
# scope: document
# entrypoint: true
decision := 1 if input.a

decision := 2 if input.b

# METADATA
# title: Reads JSON
# entrypoint: true
failing := json.unmarshal(input.text)
`
	b, err := Load(Options{base: asFS(map[string]string{"loopx/a.rego": rules})})
	require.NoError(t, err)
	copied := restoredCopy(t, b)
	for name, c := range map[string]struct {
		entry, input string
	}{
		"conflict": {entry, `{"a": 1, "b": 1}`},
		"builtin":  {"data.loopx.answer.failing", `{"text": "{"}`},
	} {
		t.Run(name, func(t *testing.T) {
			_, want := b.Eval(context.Background(), c.entry, vm.MustParse(c.input))
			_, got := copied.Eval(context.Background(), c.entry, vm.MustParse(c.input))
			var first, second *Error
			require.ErrorAs(t, want, &first)
			require.ErrorAs(t, got, &second)
			shared, _, _ := strings.Cut(first.Message, ":\n")
			assert.Contains(t, second.Message, shared)
			assert.Equal(t, first.Code, second.Code)
			assert.Equal(t, first.File, second.File)
			assert.Equal(t, first.Line, second.Line)
		})
	}
}

func TestADamagedSnapshotIsAnError(t *testing.T) {
	b, err := Load(Options{base: rich()})
	require.NoError(t, err)
	text, err := b.snapshot()
	require.NoError(t, err)
	for i := 0; i < len(text); i += 7 {
		_, err := readSnapshot(string(text[:i]), b.digest)
		require.Error(t, err, "cut at %d", i)
	}
	_, err = readSnapshot(string(text), "another digest")
	require.Error(t, err)
}

// TestTheSnapshotIsCurrent fails after a change of policy/ or of the OPA version: run go generate ./engine/bundle.
func TestTheSnapshotIsCurrent(t *testing.T) {
	want, err := Snapshot()
	require.NoError(t, err)
	require.True(t, snapshotText == string(want), "stale: run go generate ./engine/bundle")
}

// TestEveryWayToLoadGivesTheSameBundle compares the embedded bundle with all checks, with the checks left out, and from the
// snapshot.
func TestEveryWayToLoadGivesTheSameBundle(t *testing.T) {
	checked, err := Load(Options{measure: measure{source: true, stages: true}})
	require.NoError(t, err)
	for name, opts := range map[string]Options{
		"snapshot": {}, "from source": {measure: measure{source: true}}, "one core": {measure: measure{source: true, serial: true}},
	} {
		b, err := Load(opts)
		require.NoError(t, err)
		assert.Equal(t, checked.Revision(), b.Revision(), name)
		assert.True(t, vm.Equal(checked.data, b.data), name)
		assert.Equal(t, checked.Packages(), b.Packages(), name)
		assert.Equal(t, checked.Rules(), b.Rules(), name)
		assert.Equal(t, name == "snapshot", b.program != nil, name)
		if b.compiler == nil {
			continue
		}
		for file, m := range checked.compiler.Modules {
			require.Equal(t, m.String(), b.compiler.Modules[file].String(), "%s: %s", name, file)
		}
	}
}

func TestSnapshotDirectoryIsDocumented(t *testing.T) {
	_, err := os.Stat(filepath.Join("snapshot", "README.md"))
	require.NoError(t, err)
}

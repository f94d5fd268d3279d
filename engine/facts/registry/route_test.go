package registry_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/registry"
)

// machine is a home and a project directory.
type machine struct{ home, dir string }

func newMachine(t *testing.T, files map[string]string) machine {
	t.Helper()
	base := t.TempDir()
	m := machine{home: filepath.Join(base, "home"), dir: filepath.Join(base, "project")}
	require.NoError(t, os.MkdirAll(m.home, 0o755))
	require.NoError(t, os.MkdirAll(m.dir, 0o755))
	for name, text := range files {
		path := filepath.Join(base, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return m
}

func (m machine) options(change func(o *registry.Options)) registry.Options {
	o := registry.Options{Home: m.home, Dir: m.dir, Env: func(string) string { return "" }}
	if change != nil {
		change(&o)
	}
	return o
}

const (
	empty       = `{"goals": []}`
	loopxHome   = "home/.loopx/registry.global.json"
	codexHome   = "home/.codex/loopx/registry.global.json"
	loopxLocal  = "project/.loopx/registry.json"
	codexLocal  = "project/.codex/loopx/registry.json"
	loopxShown  = ".loopx/registry.json"
	codexShown  = ".codex/loopx/registry.json"
	globalShown = "registry.global.json"
)

func flagRegistry(path string) func(*registry.Options) {
	return func(o *registry.Options) { o.Registry = path }
}

func TestOpenRoutes(t *testing.T) {
	cases := map[string]struct {
		files    map[string]string
		change   func(*registry.Options)
		registry string // below home when it starts with ~
		root     string
		source   registry.Source
		exists   bool
	}{
		"nothing anywhere keeps the project path and the new home": {
			nil, nil, loopxShown, "~/.loopx", registry.FromProject, false,
		},
		"flag wins and need not exist": {
			map[string]string{loopxLocal: empty}, flagRegistry("other.json"), "other.json", "~/.loopx", registry.FromFlag, false,
		},
		"flag expands the home": {
			map[string]string{"home/reg.json": empty}, flagRegistry("~/reg.json"), "~/reg.json", "~/.loopx", registry.FromFlag, true,
		},
		"environment before the project": {
			map[string]string{loopxLocal: empty, "project/env.json": empty},
			func(o *registry.Options) {
				o.Env = func(key string) string { return map[string]string{"LOOPX_REGISTRY": "env.json"}[key] }
			},
			"env.json", "~/.loopx", registry.FromEnv, true,
		},
		"flag before the environment": {
			map[string]string{"project/flag.json": empty},
			func(o *registry.Options) {
				o.Registry = "flag.json"
				o.Env = func(string) string { return "env.json" }
			},
			"flag.json", "~/.loopx", registry.FromFlag, true,
		},
		"project registry before the global one": {
			map[string]string{loopxLocal: empty, loopxHome: empty}, nil, loopxShown, "~/.loopx", registry.FromProject, true,
		},
		"codex project registry": {
			map[string]string{codexLocal: empty, loopxHome: empty}, nil, codexShown, "~/.loopx", registry.FromProject, true,
		},
		"global registry of a new installation": {
			map[string]string{loopxHome: empty}, nil, "~/.loopx/registry.global.json", "~/.loopx", registry.FromGlobal, true,
		},
		"a registered codex route is kept": {
			map[string]string{codexHome: empty}, nil, "~/.codex/loopx/registry.global.json", "~/.codex/loopx", registry.FromGlobal, true,
		},
		"set-up commands never fall back": {
			map[string]string{loopxHome: empty}, func(o *registry.Options) { o.SetUp = true },
			loopxShown, "~/.loopx", registry.FromProject, false,
		},
		"runtime root names the global registry": {
			map[string]string{"project/rt/registry.global.json": empty, loopxHome: empty, codexHome: empty},
			func(o *registry.Options) { o.RuntimeRoot = "rt" },
			"rt/registry.global.json", "rt", registry.FromGlobal, true,
		},
		"runtime root flag is taken as given": {
			map[string]string{loopxLocal: `{"goals": [], "common_runtime_root": "x"}`},
			func(o *registry.Options) { o.RuntimeRoot = "rt" }, loopxShown, "rt", registry.FromProject, true,
		},
		"relative common root starts at the project": {
			map[string]string{loopxLocal: `{"goals": [], "common_runtime_root": "rt"}`}, nil,
			loopxShown, "rt", registry.FromProject, true,
		},
		"relative common root starts at the registry's directory": {
			map[string]string{"project/conf/reg.json": `{"goals": [], "common_runtime_root": "../rt"}`},
			flagRegistry("conf/reg.json"), "conf/reg.json", "rt", registry.FromFlag, true,
		},
		"common root in the home": {
			map[string]string{loopxLocal: `{"goals": [], "common_runtime_root": "~/rt"}`}, nil,
			loopxShown, "~/rt", registry.FromProject, true,
		},
		"an explicit default registry decides its own root in a conflict": {
			map[string]string{loopxHome: empty, codexHome: empty},
			flagRegistry("~/.codex/loopx/registry.global.json"),
			"~/.codex/loopx/registry.global.json", "~/.codex/loopx", registry.FromFlag, true,
		},
		"a project with its own root does not meet the conflict": {
			map[string]string{loopxLocal: `{"common_runtime_root": "rt"}`, loopxHome: empty, codexHome: empty}, nil,
			loopxShown, "rt", registry.FromProject, true,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t, c.files)
			route, file, err := registry.Open(m.options(c.change))
			require.NoError(t, err)
			at := registry.Route{Home: m.home}
			assert.Equal(t, at.Expand(c.registry), route.Registry)
			assert.Equal(t, at.Expand(c.root), route.RuntimeRoot)
			assert.Equal(t, c.source, route.Source)
			assert.Equal(t, c.exists, file.Exists)
			assert.Equal(t, filepath.Base(c.registry) == globalShown, file.Global)
			if c.exists {
				assert.Empty(t, file.Findings)
			} else {
				require.Len(t, file.Findings, 1)
				assert.Equal(t, "global", file.Findings[0].Scope)
				assert.Equal(t, route.Registry, file.Findings[0].File)
			}
		})
	}
}

func TestRouteConflicts(t *testing.T) {
	cases := map[string]struct {
		files  map[string]string
		change func(*registry.Options)
		names  [2]string
		flag   string
	}{
		"default global registries": {
			map[string]string{loopxHome: empty, codexHome: empty}, nil,
			[2]string{".loopx/registry.global.json", ".codex/loopx/registry.global.json"}, "--registry",
		},
		"project registries": {
			map[string]string{loopxLocal: empty, codexLocal: empty}, nil, [2]string{loopxShown, codexShown}, "--registry",
		},
		"default runtime root of an explicit registry": {
			map[string]string{loopxHome: empty, codexHome: empty, "project/reg.json": empty}, flagRegistry("reg.json"),
			[2]string{".loopx/registry.global.json", ".codex/loopx/registry.global.json"}, "--runtime-root",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, _, err := registry.Open(newMachine(t, c.files).options(c.change))
			var refusal *facts.Error
			require.ErrorAs(t, err, &refusal)
			assert.Equal(t, facts.CodeRouteConflict, refusal.Code)
			assert.Contains(t, refusal.Message, c.names[0])
			assert.Contains(t, refusal.Message, c.names[1])
			assert.Contains(t, refusal.Hint, c.flag)
		})
	}
}

func TestGlobalByRole(t *testing.T) {
	m := newMachine(t, map[string]string{"project/copy.json": `{"registry_role": "global-local", "goals": []}`})
	_, file, err := registry.Open(m.options(flagRegistry("copy.json")))
	require.NoError(t, err)
	assert.True(t, file.Global)
}

func TestResolveUsesTheUsersHome(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("LOOPX_REGISTRY", "~/mine.json")
	route, err := registry.Resolve(registry.Options{})
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(os.Getenv("HOME"), "mine.json"), route.Registry)
	assert.Equal(t, os.Getenv("HOME"), route.Expand("~"))
	assert.Equal(t, "~other/x", route.Expand("~other/x"))
	assert.Equal(t, "~/x", registry.Route{}.Expand("~/x"), "without a home nothing is expanded")
}

func TestResolveInsideTheLoopxDirectory(t *testing.T) {
	m := newMachine(t, map[string]string{loopxLocal: `{"common_runtime_root": "rt"}`})
	t.Chdir(filepath.Join(m.dir, ".loopx"))
	route, _, err := registry.Open(registry.Options{Registry: "registry.json", Home: m.home})
	require.NoError(t, err)
	assert.Equal(t, "../rt", route.RuntimeRoot)
}

package registry

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/loopx-dev/loopx-policy/engine/facts"
)

// Names of the files that a route looks for.
const (
	GlobalName   = "registry.global.json"
	projectLoopx = ".loopx/registry.json"
	projectCodex = ".codex/loopx/registry.json"
)

// Options are what the caller was given on the command line and in the environment.
type Options struct {
	Registry    string // --registry
	RuntimeRoot string // --runtime-root
	Home        string // default: the user's home directory
	Dir         string // directory that relative paths start from; default: the current one
	Env         func(string) string
	// SetUp is set for commands that create a project: they never fall back to the global registry.
	SetUp bool
}

// Source says which step of state-files.md 1.1 chose the registry.
type Source string

// The steps.
const (
	FromFlag    Source = "flag"
	FromEnv     Source = "env"
	FromProject Source = "project"
	FromGlobal  Source = "global"
)

// Route is the chosen registry and runtime root. Paths are as given: `~` is expanded, a relative path stays relative
// to Dir. Path makes them readable.
type Route struct {
	Registry    string
	RuntimeRoot string // complete after Open; after Resolve only when --runtime-root was given
	Source      Source
	Bound       bool // the caller named both
	Dir         string
	Home        string

	pair [2]string // the default global registries: .loopx and .codex/loopx
}

// Path gives the path to open for a path of the route or of the registry.
func (r Route) Path(path string) string {
	path = r.Expand(path)
	if r.Dir == "" || path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(r.Dir, path)
}

// Expand replaces a leading `~`.
func (r Route) Expand(path string) string {
	if r.Home == "" {
		return path
	}
	if path == "~" {
		return r.Home
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(r.Home, rest)
	}
	return path
}

// Resolve chooses the registry file (state-files.md 1.1). The runtime root may need the registry's content: Open
// resolves both.
func Resolve(o Options) (Route, error) {
	env := o.Env
	if env == nil {
		env = os.Getenv
	}
	r := Route{Dir: o.Dir, Home: o.Home, Bound: o.Registry != "" && o.RuntimeRoot != ""}
	if r.Home == "" {
		if home, err := os.UserHomeDir(); err == nil {
			r.Home = home
		}
	}
	r.pair = [2]string{
		filepath.Join(r.Home, ".loopx", GlobalName),
		filepath.Join(r.Home, ".codex", "loopx", GlobalName),
	}
	r.RuntimeRoot = r.Expand(o.RuntimeRoot)
	if o.Registry != "" {
		r.Registry, r.Source = r.Expand(o.Registry), FromFlag
		return r, nil
	}
	if given := env("LOOPX_REGISTRY"); given != "" {
		r.Registry, r.Source = r.Expand(given), FromEnv
		return r, nil
	}
	return r.search(o.SetUp)
}

func (r Route) search(setUp bool) (Route, error) {
	loopx, codex := r.exists(projectLoopx), r.exists(projectCodex)
	if loopx && codex {
		return r, conflict(projectLoopx, projectCodex, "--registry")
	}
	r.Registry, r.Source = projectLoopx, FromProject
	if codex {
		r.Registry = projectCodex
	}
	if loopx || codex || setUp {
		return r, nil
	}
	global := ""
	if r.RuntimeRoot != "" {
		global = filepath.Join(r.RuntimeRoot, GlobalName)
	} else {
		var err error
		if global, err = r.defaultGlobal("--registry"); err != nil {
			return r, err
		}
	}
	if r.exists(global) {
		r.Registry, r.Source = global, FromGlobal
	}
	return r, nil
}

// exists treats a file that cannot be looked at as present: opening it then gives the reason.
func (r Route) exists(path string) bool {
	_, err := os.Stat(r.Path(path))
	return !errors.Is(err, fs.ErrNotExist)
}

// defaultGlobal chooses between the two default global registries; flag is what the caller can pass to choose.
func (r Route) defaultGlobal(flag string) (string, error) {
	loopx, codex := r.exists(r.pair[0]), r.exists(r.pair[1])
	switch {
	case loopx && codex:
		return "", conflict(r.pair[0], r.pair[1], flag)
	case codex:
		return r.pair[1], nil
	default:
		return r.pair[0], nil
	}
}

func conflict(a, b, flag string) error {
	return &facts.Error{
		Code:    facts.CodeRouteConflict,
		File:    a,
		Message: fmt.Sprintf("both %s and %s exist, and each could be the registry route", a, b),
		Hint:    fmt.Sprintf("pass %s to choose one of them", flag),
	}
}

// withRoot completes the runtime root (state-files.md 1.2) from the registry's common_runtime_root.
func (r Route) withRoot(common string) (Route, error) {
	if r.RuntimeRoot != "" {
		return r, nil
	}
	if common != "" {
		root := r.Expand(common)
		if !filepath.IsAbs(root) {
			base := filepath.Dir(r.Registry)
			if r.inLoopx() {
				base = filepath.Join(base, "..")
			}
			root = filepath.Join(base, root)
		}
		r.RuntimeRoot = root
		return r, nil
	}
	for _, global := range r.pair {
		if filepath.Clean(r.Registry) == global {
			r.RuntimeRoot = filepath.Dir(global)
			return r, nil
		}
	}
	global, err := r.defaultGlobal("--runtime-root")
	if err != nil {
		return r, err
	}
	r.RuntimeRoot = filepath.Dir(global)
	return r, nil
}

// inLoopx tells whether the registry lives in a directory called .loopx.
func (r Route) inLoopx() bool {
	base := filepath.Base(filepath.Dir(r.Path(r.Registry)))
	if base == "." {
		if dir, err := filepath.Abs(filepath.Dir(r.Path(r.Registry))); err == nil {
			base = filepath.Base(dir)
		}
	}
	return base == ".loopx"
}

// Open resolves the route, reads the registry and completes the runtime root.
func Open(o Options) (Route, *File, error) {
	route, err := Resolve(o)
	if err != nil {
		return route, nil, err
	}
	file, err := load(route.Registry, route.Path(route.Registry))
	if err != nil {
		return route, nil, err
	}
	if route, err = route.withRoot(file.CommonRuntimeRoot); err != nil {
		return route, nil, err
	}
	file.mark(route)
	return route, file, nil
}

// Reload reads the registry of an opened route again. The route stays, whatever the registry says now.
func Reload(route Route) (*File, error) {
	file, err := load(route.Registry, route.Path(route.Registry))
	if err != nil {
		return nil, err
	}
	file.mark(route)
	return file, nil
}

// mark recognises the shared projection by its place.
func (f *File) mark(route Route) {
	at := filepath.Join(route.RuntimeRoot, GlobalName)
	if filepath.Clean(route.Path(route.Registry)) == filepath.Clean(route.Path(at)) {
		f.Global = true
	}
}

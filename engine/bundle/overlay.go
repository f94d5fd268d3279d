package bundle

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// OverlayDir is where a project keeps its own settings and hooks, below the project directory.
const OverlayDir = ".loopx/policy"

// operatorRoot is the package tree that belongs to the operator. The built-in rules ask it, it never replaces them.
const operatorRoot = "operator"

// settingsPath is where the tunable values live in the data tree.
const settingsPath = "loopx/settings"

// readOverlay reads the project's overlay. No overlay is an empty one.
func readOverlay(projectDir string) ([]file, error) {
	dir := filepath.Join(projectDir, filepath.FromSlash(OverlayDir))
	if _, err := os.Lstat(dir); os.IsNotExist(err) {
		return nil, nil
	}
	return readDir(dir)
}

// checkOverlayModule refuses a module outside of data.operator.
func checkOverlayModule(m *ast.Module) error {
	path := m.Package.Path
	if len(path) >= 2 && path[1].Value.Compare(ast.String(operatorRoot)) == 0 {
		return nil
	}
	return &Error{
		Code: CodeOverlay, File: m.Package.Location.File, Line: m.Package.Location.Row,
		Message: fmt.Sprintf("an overlay may add package %s, not %s; pass a whole bundle with --policy to change the rules", operatorRoot, packageName(m)),
	}
}

// applyOverlay puts an overlay's data over the base. Below settings a value replaces one of the same type; below
// operator anything goes.
func applyOverlay(base ast.Object, doc *document) (ast.Object, error) {
	return merge(base, doc.value, "", func(at string, old, now ast.Value) (ast.Value, error) {
		fail := func(format string, args ...any) (ast.Value, error) {
			return nil, &Error{Code: CodeOverlay, File: doc.file.name, Line: doc.lines[at], Message: fmt.Sprintf(format, args...)}
		}
		root, _, _ := strings.Cut(at, "/")
		below, isSetting := strings.CutPrefix(at, settingsPath+"/")
		switch {
		case root == operatorRoot:
			return now, nil
		case !isSetting:
			return fail("an overlay may set values below %s or %s, not %s", settingsPath, operatorRoot, at)
		case old == nil && strings.Count(below, "/") < 2:
			return fail("there is no setting %s", strings.ReplaceAll(below, "/", "."))
		case old == nil:
			return now, nil
		case ast.ValueName(old) != ast.ValueName(now):
			return fail("setting %s is of type %s, not %s", strings.ReplaceAll(below, "/", "."), ast.ValueName(old), ast.ValueName(now))
		}
		return now, nil
	})
}

func packageName(m *ast.Module) string { return strings.TrimPrefix(m.Package.Path.String(), "data.") }

package bundle

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/loopx-dev/loopx-policy/schemas"
)

// checkStages only find faults. They are left out for the bundle that the binary carries, because a test has run them
// over exactly these bytes.
var checkStages = []ast.StageID{
	ast.StageCheckUnusedImports,
	ast.StageCheckKeywordOverrides,
	ast.StageCheckDuplicateImports,
	ast.StageCheckVoidCalls,
	ast.StageCheckRuleConflicts,
	ast.StageCheckUndefinedFuncs,
	ast.StageCheckRecursion,
	ast.StageCheckTypes,
	ast.StageCheckUnsafeBuiltins,
	ast.StageCheckDeprecatedBuiltins,
	ast.StageBuildRequiredCapabilities,
}

type compileOptions struct {
	trusted     bool // checked before: leave out the stages that only find faults
	annotations bool
	typed       bool // hold the rules against the input schema
	serial      bool // for measuring
}

// parse reads the modules on all cores. Messages name a module by file.name.
func parse(files []file, opts compileOptions) ([]*ast.Module, error) {
	modules := make([]*ast.Module, len(files))
	errs := make([]error, len(files))
	workers := min(runtime.GOMAXPROCS(0), len(files))
	if opts.serial {
		workers = min(1, len(files))
	}
	parserOptions := ast.ParserOptions{RegoVersion: ast.RegoV1, ProcessAnnotation: opts.annotations, Capabilities: Capabilities()}
	var next sync.Mutex
	taken := 0
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for {
				next.Lock()
				i := taken
				taken++
				next.Unlock()
				if i >= len(files) {
					return
				}
				modules[i], errs[i] = ast.ParseModuleWithOpts(files[i].name, string(files[i].data), parserOptions)
				if errs[i] == nil && modules[i] == nil {
					errs[i] = &Error{Code: CodeInvalid, File: files[i].name, Line: 1, Message: "empty module"}
				}
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		var ours *Error
		if errors.As(err, &ours) {
			return nil, err
		}
		if err != nil {
			return nil, fromAST(CodeInvalid, err)
		}
	}
	return modules, nil
}

// compile links the modules. Rules may not define what the data documents already hold.
func compile(files []file, modules []*ast.Module, data ast.Object, opts compileOptions) (*ast.Compiler, error) {
	compiler := ast.NewCompiler().
		WithCapabilities(Capabilities()).
		WithStrict(true).
		WithDefaultRegoVersion(ast.RegoV1)
	if opts.trusted {
		compiler = compiler.WithSkipStages(checkStages...)
	} else {
		compiler = compiler.WithPathConflictsCheck(func(p []string) (bool, error) { return exists(data, p), nil })
	}
	if opts.typed {
		set, err := inputSchema()
		if err != nil {
			return nil, err
		}
		compiler = compiler.WithSchemas(set).WithUseTypeCheckAnnotations(true)
	}
	byName := make(map[string]*ast.Module, len(files))
	for i, f := range files {
		byName[f.name] = modules[i]
	}
	compiler.Compile(byName)
	if compiler.Failed() {
		return nil, fromAST(CodeInvalid, compiler.Errors)
	}
	return compiler, nil
}

// inputSchema names schemas/facts/input.json as annotations do: schema.facts.input.
func inputSchema() (*ast.SchemaSet, error) {
	text, err := schemas.FS.ReadFile("facts/input.json")
	if err != nil {
		return nil, fmt.Errorf("input schema: %w", err)
	}
	var schema any
	if err := json.Unmarshal(text, &schema); err != nil {
		return nil, fmt.Errorf("input schema: %w", err)
	}
	set := ast.NewSchemaSet()
	set.Put(ast.MustParseRef("schema.facts.input"), schema)
	return set, nil
}

func exists(data ast.Object, p []string) bool {
	var value ast.Value = data
	for _, key := range p {
		object, ok := value.(ast.Object)
		if !ok {
			return false
		}
		term := object.Get(ast.StringTerm(key))
		if term == nil {
			return false
		}
		value = term.Value
	}
	return true
}

// split sorts the files of a bundle by kind.
func split(files []file) (rules, data []file, manifest *file) {
	for i, f := range files {
		switch {
		case f.path == ".manifest":
			manifest = &files[i]
		case strings.HasSuffix(path.Base(f.path), ".rego"):
			rules = append(rules, f)
		default:
			data = append(data, f)
		}
	}
	return rules, data, manifest
}

var gcLock sync.Mutex

// withoutGC runs f with the garbage collector off. Loading allocates a few tens of megabytes that nearly all stay
// reachable, so that collecting in between only costs time: a third of it, measured.
func withoutGC(f func() error) error {
	gcLock.Lock()
	defer gcLock.Unlock()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	return f()
}

package vm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/bundle"
	"github.com/open-policy-agent/opa/v1/compile"
	"github.com/open-policy-agent/opa/v1/ir"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/test/cases"
	"github.com/open-policy-agent/opa/v1/test/cases/testdata"
	"github.com/open-policy-agent/opa/v1/util"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/vm"
)

// unfit are the groups of cases whose builtins need what a program does not have: the text of rules, the clock that tokens
// and certificates are held against.
var unfit = []string{"jwt", "cryptox509", "regometadata"}

// elsewhere are cases of OPA's store and not of its evaluator: it refuses data in the place of a rule (as bundle.Load does
// here), and finds what data has under "1" at the number 1.
var elsewhere = []string{"baseandvirtualdocs/base/virtual: conflicts", "data/toplevel integer", "data/nested integer"}

// asked is a case as a module: its query becomes the body of one rule, the variables of the query its answers.
func asked(tc cases.TestCase) (map[string]*ast.Module, bool) {
	opts := ast.ParserOptions{RegoVersion: ast.RegoV1}
	query, err := ast.ParseBodyWithOpts(tc.Query, opts)
	if err != nil {
		return nil, false
	}
	var names []string
	visitor := ast.NewVarVisitor().WithParams(ast.VarVisitorParams{SkipRefCallHead: true, SkipClosures: true})
	visitor.Walk(query)
	for v := range visitor.Vars() {
		if !v.IsWildcard() && !v.IsGenerated() && v != "data" && v != "input" {
			names = append(names, string(v))
		}
	}
	slices.Sort(names)
	var pairs []string
	for _, name := range names {
		pairs = append(pairs, fmt.Sprintf("%q: %s", name, name))
	}
	text := fmt.Sprintf("package conformance\n\nanswers contains {%s} if {\n\t%s\n}\n", strings.Join(pairs, ", "), tc.Query)
	modules := map[string]*ast.Module{}
	for i, source := range append(tc.Modules, text) {
		module, err := ast.ParseModuleWithOpts(fmt.Sprintf("m%d.rego", i), source, opts)
		if err != nil {
			return nil, false
		}
		modules[fmt.Sprintf("m%d.rego", i)] = module
	}
	return modules, true
}

// byOPA gives the answer of OPA's evaluator as JSON.
func byOPA(modules map[string]*ast.Module, data ast.Object, input ast.Value) (string, error) {
	options := []func(*rego.Rego){
		rego.Query("data.conformance.answers"), rego.Store(inmem.NewFromASTObject(data)), rego.StrictBuiltinErrors(true),
		rego.GenerateJSON(func(t *ast.Term, _ *rego.EvalContext) (any, error) { return t.Value, nil }),
	}
	for name, module := range modules {
		options = append(options, rego.ParsedModule(module.Copy()))
		_ = name
	}
	if input != nil {
		options = append(options, rego.ParsedInput(input))
	}
	results, err := rego.New(options...).Eval(context.Background())
	if err != nil || len(results) == 0 {
		return "", err
	}
	return results[0].Expressions[0].Value.(ast.Value).String(), nil
}

var errUnplanned = errors.New("not planned")

// byProgram gives the answer of a program, which is written and read again before it runs.
func byProgram(modules map[string]*ast.Module, data ast.Object, input ast.Value) (string, error) {
	program, err := planned(modules, data)
	if err != nil {
		return "", err
	}
	given, err := vm.FromAST(input)
	if err != nil {
		return "", err
	}
	out, err := program.Eval(context.Background(), "conformance/answers", given)
	if err != nil || out == nil {
		return "", err
	}
	return vm.ToAST(out).String(), nil
}

func planned(modules map[string]*ast.Module, data ast.Object) (*vm.Program, error) {
	source := &bundle.Bundle{Data: map[string]any{}}
	source.Manifest.Init()
	for name, module := range modules {
		source.Modules = append(source.Modules, bundle.ModuleFile{URL: name, Path: name, Raw: []byte(module.String()), Parsed: module.Copy()})
	}
	build := compile.New().WithTarget(compile.TargetPlan).WithEntrypoints("conformance/answers").WithBundle(source).WithOutput(io.Discard).
		WithRegoVersion(ast.RegoV1)
	if err := build.Build(context.Background()); err != nil {
		return nil, fmt.Errorf("%w: %w", errUnplanned, err)
	}
	var plan ir.Policy
	if err := json.Unmarshal(build.Bundle().PlanModules[0].Raw, &plan); err != nil {
		return nil, fmt.Errorf("%w: %w", errUnplanned, err)
	}
	tree, err := vm.FromAST(data)
	if err != nil {
		return nil, err
	}
	first, err := vm.Assemble(&plan, tree)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errUnplanned, err)
	}
	text, err := first.MarshalBinary()
	if err != nil {
		return nil, err
	}
	return vm.Read(string(text), tree)
}

// TestConformance asks OPA's own conformance cases of a program and of OPA's evaluator.
func TestConformance(t *testing.T) {
	set := load(t)
	compared, unplanned := 0, map[string]bool{}
	var unasked []string
	for i, tc := range set {
		if raceDetector && i%10 != 0 {
			continue
		}
		if slices.ContainsFunc(unfit, func(prefix string) bool { return strings.HasPrefix(tc.Note, prefix) }) || slices.Contains(elsewhere, tc.Note) || len(tc.Env) > 0 {
			continue
		}
		modules, ok := asked(tc)
		if !ok {
			unasked = append(unasked, tc.Note)
			continue
		}
		data := ast.NewObject()
		if tc.Data != nil {
			value, err := ast.InterfaceToValue(*tc.Data)
			require.NoError(t, err)
			data = value.(ast.Object)
		}
		var input ast.Value
		switch {
		case tc.InputTerm != nil:
			term, err := ast.ParseTerm(*tc.InputTerm)
			if err != nil {
				continue
			}
			if input = term.Value; !ground(input) {
				continue
			}
		case tc.Input != nil:
			value, err := ast.InterfaceToValue(*tc.Input)
			require.NoError(t, err)
			input = value
		}
		got, gotErr := byProgram(modules, data, input)
		if errors.Is(gotErr, errUnplanned) {
			unplanned[tc.Note] = true
			continue
		}
		t.Run(tc.Note, func(t *testing.T) {
			want, wantErr := byOPA(modules, data, input)
			compared++
			require.Equal(t, wantErr != nil, gotErr != nil, "%v\n%v", wantErr, gotErr)
			assert.Equal(t, want, got)
		})
	}
	t.Logf("%d cases compared, %d not planned, %d not asked: %v", compared, len(unplanned), len(unasked), unasked)
	if !raceDetector {
		assert.GreaterOrEqual(t, compared, 2148)
		assert.LessOrEqual(t, len(unplanned), 98, "cases that OPA cannot plan or whose builtins are refused")
	}
}

// load reads the cases that OPA embeds.
func load(t *testing.T) []cases.TestCase {
	var out []cases.TestCase
	require.NoError(t, fs.WalkDir(testdata.V1, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := testdata.V1.ReadFile(path)
		if err != nil {
			return err
		}
		var set cases.Set
		if err := util.Unmarshal(text, &set); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		out = append(out, set.Cases...)
		return nil
	}))
	return out
}

func ground(v ast.Value) bool { return v.IsGround() }

var raceDetector bool

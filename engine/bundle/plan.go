package bundle

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/bundle"
	builder "github.com/open-policy-agent/opa/v1/compile"
	"github.com/open-policy-agent/opa/v1/ir"

	"github.com/loopx-dev/loopx-policy/engine/vm"
)

// plan has OPA plan the rules of a bundle that was compiled from source, as `opa build --target plan` does, and makes a
// program of the plan. Its entrypoints are the rules whose METADATA says so.
func (b *Bundle) plan() (*vm.Program, error) {
	source := &bundle.Bundle{Data: map[string]any{}}
	source.Manifest.Init()
	opts := ast.ParserOptions{RegoVersion: ast.RegoV1, ProcessAnnotation: true, Capabilities: Capabilities()}
	for _, f := range b.rules {
		module, err := ast.ParseModuleWithOpts(f.name, string(f.data), opts)
		if err != nil {
			return nil, fromAST(CodeInvalid, err)
		}
		source.Modules = append(source.Modules, bundle.ModuleFile{URL: f.name, Path: f.name, Raw: f.data, Parsed: module})
	}
	build := builder.New().
		WithTarget(builder.TargetPlan).
		WithCapabilities(Capabilities()).
		WithRegoVersion(ast.RegoV1).
		WithRegoAnnotationEntrypoints(true).
		WithBundle(source).
		WithOutput(io.Discard)
	if err := build.Build(context.Background()); err != nil {
		return nil, fromAST(CodeInvalid, err)
	}
	plans := build.Bundle().PlanModules
	if len(plans) != 1 {
		return nil, fmt.Errorf("%d plans instead of one", len(plans))
	}
	var policy ir.Policy
	if err := json.Unmarshal(plans[0].Raw, &policy); err != nil {
		return nil, fmt.Errorf("read the plan: %w", err)
	}
	program, err := vm.Assemble(&policy, b.data)
	if err != nil {
		return nil, fmt.Errorf("assemble the plan: %w", err)
	}
	return program, nil
}

// planned is the name that a plan has for an entrypoint: data.loopx.plan.item is loopx/plan/item.
func planned(entrypoint string) string {
	return strings.ReplaceAll(strings.TrimPrefix(entrypoint, "data."), ".", "/")
}

package bundle

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/topdown"

	"github.com/loopx-dev/loopx-policy/engine/vm"
)

type prepared struct {
	once  sync.Once
	query rego.PreparedEvalQuery
	err   error
}

// Eval evaluates an entrypoint. The same bundle and input always give the same value. No answer, more than one answer,
// a rule conflict and a failed builtin are errors, never a decision.
func (b *Bundle) Eval(ctx context.Context, entrypoint string, input vm.Value) (vm.Value, error) {
	if b.program == nil {
		return b.interpret(ctx, entrypoint, vm.ToAST(input))
	}
	name := planned(entrypoint)
	if !b.program.Has(name) {
		return nil, b.checkEntrypoint(entrypoint)
	}
	value, err := b.program.Eval(ctx, name, input)
	if err != nil {
		return nil, evalError(entrypoint, err)
	}
	if value == nil {
		return nil, &Error{Code: CodeUndefined, File: b.source, Message: fmt.Sprintf("%s gives 0 answers instead of one", entrypoint)}
	}
	return value, nil
}

// interpret evaluates an entrypoint with OPA's own evaluator.
func (b *Bundle) interpret(ctx context.Context, entrypoint string, input ast.Value) (vm.Value, error) {
	query, err := b.prepare(ctx, entrypoint)
	if err != nil {
		return nil, err
	}
	results, err := query.Eval(ctx, rego.EvalParsedInput(input))
	if err != nil {
		return nil, evalError(entrypoint, err)
	}
	if len(results) != 1 || len(results[0].Expressions) != 1 {
		return nil, &Error{Code: CodeUndefined, File: b.source, Message: fmt.Sprintf("%s gives %d answers instead of one", entrypoint, len(results))}
	}
	value, ok := results[0].Expressions[0].Value.(ast.Value)
	if !ok {
		return nil, &Error{Code: CodeUndefined, File: b.source, Message: fmt.Sprintf("%s gives no value", entrypoint)}
	}
	return vm.FromAST(value)
}

func (b *Bundle) prepare(ctx context.Context, entrypoint string) (rego.PreparedEvalQuery, error) {
	entry, _ := b.queries.LoadOrStore(entrypoint, &prepared{})
	p := entry.(*prepared)
	p.once.Do(func() {
		if p.err = b.checkEntrypoint(entrypoint); p.err != nil {
			return
		}
		p.query, p.err = rego.New(
			rego.Query(entrypoint),
			rego.Compiler(b.compiler),
			rego.Store(b.store),
			rego.StrictBuiltinErrors(true),
			rego.GenerateJSON(func(t *ast.Term, _ *rego.EvalContext) (any, error) { return t.Value, nil }),
		).PrepareForEval(context.WithoutCancel(ctx))
		if p.err != nil {
			p.err = fromAST(CodeEntrypoint, p.err)
		}
	})
	return p.query, p.err
}

func evalError(entrypoint string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || topdown.IsCancel(err) {
		return fmt.Errorf("evaluate %s: %w", entrypoint, err)
	}
	out := &Error{Code: CodeEvaluation, Message: fmt.Sprintf("evaluate %s: %v", entrypoint, err), err: err}
	var failed *topdown.Error
	if errors.As(err, &failed) {
		out.Message = failed.Code + ": " + failed.Message
		if failed.Location != nil {
			out.File, out.Line = failed.Location.File, failed.Location.Row
		}
	}
	return out
}

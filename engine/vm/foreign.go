package vm

import (
	"fmt"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/open-policy-agent/opa/v1/topdown/builtins"
)

// builtin is a function of the policy language. It may use its arguments only until it returns. A nil value is undefined.
type builtin func(m *machine, args []Value) (Value, error)

// foreign is OPA's own builtin on values of this package.
func foreign(name string) (builtin, error) {
	f := topdown.GetBuiltin(name)
	decl := ast.BuiltinMap[name]
	if f == nil || decl == nil {
		return nil, fmt.Errorf("no builtin %s", name)
	}
	if decl.Nondeterministic {
		return nil, fmt.Errorf("builtin %s does not always give the same answer", name)
	}
	return func(m *machine, args []Value) (Value, error) {
		if m.foreign == nil {
			m.foreign = &topdown.BuiltinContext{Context: m.ctx, Cache: builtins.Cache{}}
		}
		var (
			results []Value
			bad     error
		)
		err := f(*m.foreign, terms(args), func(t *ast.Term) error {
			v, err := FromAST(t.Value)
			results, bad = append(results, v), err
			return err
		})
		switch {
		case err != nil:
			return nil, err
		case bad != nil:
			return nil, bad
		case decl.Relation:
			return &Array{elems: results}, nil
		case decl.Decl.Result() == nil:
			return Bool(true), nil
		case len(results) == 0:
			return nil, nil
		}
		return results[0], nil
	}, nil
}

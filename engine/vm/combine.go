package vm

import (
	"slices"

	"github.com/open-policy-agent/opa/v1/ir"
)

// combine takes statements that often follow each other as one instruction, and gives how many statements they are.
func (a *assembler) combine(stmts []ir.Stmt) (int, error) {
	if n := a.path(stmts); n > 0 {
		return n, nil
	}
	switch first := stmts[0].(type) {
	case *ir.CallStmt:
		return a.condition(first, stmts), nil
	case *ir.DotStmt:
		return a.equalAt(first, stmts), nil
	case *ir.MakeObjectStmt:
		return a.literal(first.Target, stmts)
	case *ir.MakeArrayStmt:
		return a.literal(first.Target, stmts)
	}
	return 0, nil
}

// passing says that a variable only carries a value from one statement to another.
func (a *assembler) passing(l ir.Local) bool {
	u := a.known.uses[l]
	return u.single() && u.reads == 1 && u.grows == 0
}

// condition is a call whose value only must not be false.
func (a *assembler) condition(s *ir.CallStmt, stmts []ir.Stmt) int {
	if len(stmts) < 2 || !a.passing(s.Result) {
		return 0
	}
	check, ok := stmts[1].(*ir.NotEqualStmt)
	if !ok {
		return 0
	}
	if l, ok := localOf(check.A); !ok || l != s.Result || a.known.value(check.B) != Bool(false) {
		return 0
	}
	a.call(s)
	a.code[len(a.code)-1].op += opRuleHolds - opRule // the three are in the same order
	return 2
}

// equalAt is a member of a collection that only must equal something.
func (a *assembler) equalAt(s *ir.DotStmt, stmts []ir.Stmt) int {
	if len(stmts) < 2 || !a.passing(s.Target) {
		return 0
	}
	check, ok := stmts[1].(*ir.EqualStmt)
	if !ok {
		return 0
	}
	other := check.A
	if l, ok := localOf(check.B); !ok || l != s.Target {
		other = check.B
		if l, ok := localOf(check.A); !ok || l != s.Target {
			return 0
		}
	}
	a.set[s.Target]++
	a.orElse(statement{op: opEqualAt, b: a.operand(s.Source), c: a.operand(s.Key), d: a.operand(other)})
	return 2
}

// literal is an array or an object that statements at hand fill.
func (a *assembler) literal(l ir.Local, stmts []ir.Stmt) (int, error) {
	u := a.known.uses[l]
	if !u.single() || u.leaked || u.grows == 0 || a.known.fixed[l] != nil {
		return 0, nil
	}
	var (
		keys   []Value
		values []ir.Operand
		rest   []ir.Stmt // what lies between the statements that fill it
		n      = 1
	)
	for ; n < len(stmts) && len(values) < u.grows; n++ {
		var value ir.Operand
		switch s := stmts[n].(type) {
		case *ir.ArrayAppendStmt:
			if s.Array == l {
				value = s.Value
			}
		case *ir.ObjectInsertStmt:
			if s.Object == l {
				key, ok := a.known.value(s.Key).(String)
				if !ok || slices.Contains(keys, Value(key)) {
					return 0, nil
				}
				keys, value = append(keys, key), s.Value
			}
		}
		if value.Value == nil {
			rest = append(rest, stmts[n])
			continue
		}
		if o, ok := localOf(value); ok && a.known.fixed[o] == nil && !a.known.uses[o].single() {
			return 0, nil // it may hold something else by the time that the literal is made
		}
		values = append(values, value)
	}
	if len(values) < u.grows {
		return 0, nil
	}
	if err := a.statements(&ir.Block{Stmts: rest}); err != nil {
		return 0, err
	}
	a.grown[l] += u.grows
	if keys == nil {
		a.emit(statement{op: opList, a: a.target(l), c: a.args(values), d: int32(len(values))})
		return n, nil
	}
	inOrder := slices.SortedFunc(slices.Values(keys), Compare)
	sorted := make([]ir.Operand, len(values))
	for i, key := range keys {
		sorted[slices.Index(inOrder, key)] = values[i]
	}
	a.emit(statement{op: opRecord, a: a.target(l), b: a.shape(inOrder), c: a.args(sorted), d: int32(len(values))})
	return n, nil
}

// shape is the constant that holds the keys of a record.
func (a *assembler) shape(keys []Value) int32 {
	names := make([]string, len(keys))
	for i, key := range keys {
		names[i] = string(key.(String))
	}
	name := pathKey(names)
	o, ok := a.shapes[name]
	if !ok {
		o = a.constant(&Array{elems: keys})
		a.shapes[name] = o
	}
	return o
}

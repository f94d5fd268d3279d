package vm

import "github.com/open-policy-agent/opa/v1/ir"

// onlyResult is the one value that the rules of a function can have, and the variable that they put it into.
type onlyResult struct {
	local ir.Local
	value Value
}

// onlyValue finds out whether all rules of a function have the same constant as their value, but for a default. As in OPA's
// evaluator the other rules are then not looked at once one holds.
func onlyValue(static *ir.Static, f *ir.Func) *onlyResult {
	out := &onlyResult{local: result(f)}
	known := analyse(static, f.Params, f.Blocks)
	ok := true
	for _, block := range f.Blocks {
		walk(block, func(stmt ir.Stmt) {
			switch s := stmt.(type) {
			case *ir.IsUndefinedStmt: // a rule with else
				ok = ok && s.Source != out.local
			case *ir.AssignVarOnceStmt:
				if s.Target != out.local {
					return
				}
				v := known.value(s.Source)
				ok = ok && v != nil && (out.value == nil || Equal(out.value, v))
				out.value = v
			}
		})
	}
	if !ok || out.value == nil {
		return nil
	}
	return out
}

// directly says whether rules may set the value of their function themselves: the planner gives each rule a variable for its
// value and hands it over in a block of its own, which only rules with else need. Either way two values are a conflict.
func directly(f *ir.Func) bool {
	own, handed, ok := result(f), 0, true
	for _, block := range f.Blocks {
		if handsOver(block, own, f.Return) {
			handed++
			continue
		}
		walk(block, func(stmt ir.Stmt) {
			switch s := stmt.(type) {
			case *ir.IsUndefinedStmt:
				ok = ok && s.Source != own
			case *ir.IsDefinedStmt:
				ok = ok && s.Source != own
			}
		})
	}
	return ok && handed > 0
}

// handsOver recognises the block that makes the value of a rule the value of its function.
func handsOver(block *ir.Block, from, to ir.Local) bool {
	if len(block.Stmts) != 2 {
		return false
	}
	check, ok1 := block.Stmts[0].(*ir.IsDefinedStmt)
	move, ok2 := block.Stmts[1].(*ir.AssignVarOnceStmt)
	if !ok1 || !ok2 {
		return false
	}
	source, ok := localOf(move.Source)
	return ok && check.Source == from && source == from && move.Target == to
}

// lone says whether a function has one rule that sets its value, which then cannot be in conflict with another one. A default
// is set where the value is known to be undefined.
func lone(f *ir.Func) bool {
	own, rules := result(f), 0
	for _, block := range f.Blocks {
		if handsOver(block, own, f.Return) {
			continue
		}
		walk(block, func(stmt ir.Stmt) {
			if s, ok := stmt.(*ir.AssignVarOnceStmt); ok && s.Target == own {
				rules++
			}
		})
	}
	return rules == 1
}

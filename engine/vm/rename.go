package vm

import "github.com/open-policy-agent/opa/v1/ir"

// The planner numbers the variables of each rule of a function anew, so that one number stands for many variables. Rules
// share only the parameters, the value of the function, and the result of the rule that is planned: the numbers up to that.

// separate gives the variables of each rule of a function numbers of their own.
func separate(f *ir.Func) {
	shared := result(f)
	for i, block := range f.Blocks {
		offset := ir.Local(i) << 20
		each(block, func(l *ir.Local) {
			if *l > shared {
				*l += offset
			}
		})
	}
}

// result is the variable for the value of one rule of a function.
func result(f *ir.Func) ir.Local {
	last := f.Return
	for _, p := range f.Params {
		last = max(last, p)
	}
	return last + 1
}

// each calls f for every variable in the statements of a block.
func each(block *ir.Block, f func(*ir.Local)) {
	operand := func(o *ir.Operand) {
		switch v := o.Value.(type) {
		case ir.Local:
			f(&v)
			o.Value = v
		case *ir.Local:
			f(v)
		}
	}
	for _, stmt := range block.Stmts {
		switch s := stmt.(type) {
		case *ir.ReturnLocalStmt:
			f(&s.Source)
		case *ir.ResultSetAddStmt:
			f(&s.Value)
		case *ir.BlockStmt:
			for _, b := range s.Blocks {
				each(b, f)
			}
		case *ir.ScanStmt:
			f(&s.Source)
			f(&s.Key)
			f(&s.Value)
			each(s.Block, f)
		case *ir.NotStmt:
			each(s.Block, f)
		case *ir.WithStmt:
			f(&s.Local)
			operand(&s.Value)
			each(s.Block, f)
		case *ir.AssignVarStmt:
			operand(&s.Source)
			f(&s.Target)
		case *ir.AssignVarOnceStmt:
			operand(&s.Source)
			f(&s.Target)
		case *ir.AssignIntStmt:
			f(&s.Target)
		case *ir.ResetLocalStmt:
			f(&s.Target)
		case *ir.MakeNullStmt:
			f(&s.Target)
		case *ir.MakeNumberIntStmt:
			f(&s.Target)
		case *ir.MakeNumberRefStmt:
			f(&s.Target)
		case *ir.MakeArrayStmt:
			f(&s.Target)
		case *ir.MakeObjectStmt:
			f(&s.Target)
		case *ir.MakeSetStmt:
			f(&s.Target)
		case *ir.ArrayAppendStmt:
			operand(&s.Value)
			f(&s.Array)
		case *ir.ObjectInsertStmt:
			operand(&s.Key)
			operand(&s.Value)
			f(&s.Object)
		case *ir.ObjectInsertOnceStmt:
			operand(&s.Key)
			operand(&s.Value)
			f(&s.Object)
		case *ir.ObjectMergeStmt:
			f(&s.A)
			f(&s.B)
			f(&s.Target)
		case *ir.SetAddStmt:
			operand(&s.Value)
			f(&s.Set)
		case *ir.DotStmt:
			operand(&s.Source)
			operand(&s.Key)
			f(&s.Target)
		case *ir.LenStmt:
			operand(&s.Source)
			f(&s.Target)
		case *ir.EqualStmt:
			operand(&s.A)
			operand(&s.B)
		case *ir.NotEqualStmt:
			operand(&s.A)
			operand(&s.B)
		case *ir.IsArrayStmt:
			operand(&s.Source)
		case *ir.IsObjectStmt:
			operand(&s.Source)
		case *ir.IsSetStmt:
			operand(&s.Source)
		case *ir.IsDefinedStmt:
			f(&s.Source)
		case *ir.IsUndefinedStmt:
			f(&s.Source)
		case *ir.CallStmt:
			for i := range s.Args {
				operand(&s.Args[i])
			}
			f(&s.Result)
		case *ir.CallDynamicStmt:
			for i := range s.Args {
				f(&s.Args[i])
			}
			for i := range s.Path {
				operand(&s.Path[i])
			}
			f(&s.Result)
		}
	}
}

// walk calls f for every statement of a block, outer ones first.
func walk(b *ir.Block, f func(ir.Stmt)) {
	for _, stmt := range b.Stmts {
		f(stmt)
		switch s := stmt.(type) {
		case *ir.BlockStmt:
			for _, b := range s.Blocks {
				walk(b, f)
			}
		case *ir.ScanStmt:
			walk(s.Block, f)
		case *ir.NotStmt:
			walk(s.Block, f)
		case *ir.WithStmt:
			walk(s.Block, f)
		}
	}
}

package vm

import "github.com/open-policy-agent/opa/v1/ir"

// role is what a statement does with a variable.
type role uint8

const (
	reads   role = iota // takes its value
	writes              // sets it
	grows               // puts something into its collection
	asks                // looks whether it is defined, or takes it as the value of the function
	settles             // sets it, or leaves it undefined
	changes             // sets it for the statements inside
)

// walk calls f for every statement of a block, outer ones first.
func walk(b *ir.Block, f func(ir.Stmt)) {
	for _, stmt := range b.Stmts {
		f(stmt)
		for _, b := range inner(stmt) {
			walk(b, f)
		}
	}
}

// inner are the blocks of a statement.
func inner(stmt ir.Stmt) []*ir.Block {
	switch s := stmt.(type) {
	case *ir.BlockStmt:
		return s.Blocks
	case *ir.ScanStmt:
		return []*ir.Block{s.Block}
	case *ir.NotStmt:
		return []*ir.Block{s.Block}
	case *ir.WithStmt:
		return []*ir.Block{s.Block}
	}
	return nil
}

// locals calls f once for every place of a variable in a statement, not of the statements inside. It may give the variable another number.
func locals(stmt ir.Stmt, f func(*ir.Local, role)) {
	read := func(operands ...*ir.Operand) {
		for _, o := range operands {
			switch v := o.Value.(type) {
			case ir.Local:
				f(&v, reads)
				o.Value = v
			case *ir.Local:
				f(v, reads)
			}
		}
	}
	switch s := stmt.(type) {
	case *ir.ReturnLocalStmt:
		f(&s.Source, asks)
	case *ir.ResultSetAddStmt:
		f(&s.Value, reads)
	case *ir.ScanStmt:
		f(&s.Source, reads)
		f(&s.Key, writes)
		f(&s.Value, writes)
	case *ir.WithStmt:
		f(&s.Local, changes)
		read(&s.Value)
	case *ir.AssignVarStmt:
		read(&s.Source)
		f(&s.Target, writes)
	case *ir.AssignVarOnceStmt:
		read(&s.Source)
		f(&s.Target, settles)
	case *ir.AssignIntStmt:
		f(&s.Target, writes)
	case *ir.ResetLocalStmt:
		f(&s.Target, settles)
	case *ir.MakeNullStmt:
		f(&s.Target, writes)
	case *ir.MakeNumberIntStmt:
		f(&s.Target, writes)
	case *ir.MakeNumberRefStmt:
		f(&s.Target, writes)
	case *ir.MakeArrayStmt:
		f(&s.Target, writes)
	case *ir.MakeObjectStmt:
		f(&s.Target, writes)
	case *ir.MakeSetStmt:
		f(&s.Target, writes)
	case *ir.ArrayAppendStmt:
		read(&s.Value)
		f(&s.Array, grows)
	case *ir.ObjectInsertStmt:
		read(&s.Key, &s.Value)
		f(&s.Object, grows)
	case *ir.ObjectInsertOnceStmt:
		read(&s.Key, &s.Value)
		f(&s.Object, grows)
	case *ir.ObjectMergeStmt:
		f(&s.A, reads)
		f(&s.B, reads)
		f(&s.Target, writes)
	case *ir.SetAddStmt:
		read(&s.Value)
		f(&s.Set, grows)
	case *ir.DotStmt:
		read(&s.Source, &s.Key)
		f(&s.Target, writes)
	case *ir.LenStmt:
		read(&s.Source)
		f(&s.Target, writes)
	case *ir.EqualStmt:
		read(&s.A, &s.B)
	case *ir.NotEqualStmt:
		read(&s.A, &s.B)
	case *ir.IsArrayStmt:
		read(&s.Source)
	case *ir.IsObjectStmt:
		read(&s.Source)
	case *ir.IsSetStmt:
		read(&s.Source)
	case *ir.IsDefinedStmt:
		f(&s.Source, asks)
	case *ir.IsUndefinedStmt:
		f(&s.Source, asks)
	case *ir.CallStmt:
		for i := range s.Args {
			read(&s.Args[i])
		}
		f(&s.Result, writes)
	case *ir.CallDynamicStmt:
		for i := range s.Args {
			f(&s.Args[i], reads)
		}
		for i := range s.Path {
			read(&s.Path[i])
		}
		f(&s.Result, settles)
	}
}

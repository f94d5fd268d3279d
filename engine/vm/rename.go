package vm

import "github.com/open-policy-agent/opa/v1/ir"

// The planner numbers the variables of each rule of a function anew, so that one number stands for many variables. Rules
// share only the parameters, the value of the function, and the result of the rule that is planned: the numbers up to that.

// separate gives the variables of each rule of a function numbers of their own.
func separate(f *ir.Func) {
	shared := result(f)
	for i, block := range f.Blocks {
		offset := ir.Local(i) << 20
		walk(block, func(stmt ir.Stmt) {
			locals(stmt, func(l *ir.Local, _ role) {
				if *l > shared {
					*l += offset
				}
			})
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

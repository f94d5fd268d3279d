package vm

// markFixed marks the rules and functions that never look at the input: what they give is the same in every evaluation.
func (p *Program) markFixed() {
	out, bodies := make([]bool, len(p.funcs)), make([]*body, len(p.funcs))
	for i := range out {
		out[i], bodies[i] = true, p.funcs[i].unpack()
	}
	// What calls something that looks at the input does so too; repeat until nothing changes.
	for changed := true; changed; {
		changed = false
		for i := range p.funcs {
			if out[i] && p.looks(bodies[i], out) {
				out[i], changed = false, true
			}
		}
	}
	for i := range p.funcs {
		p.funcs[i].fixed = out[i]
	}
}

// looks says whether a body uses the input other than to pass it on to functions that do not look at it. The input is
// register 0.
func (p *Program) looks(b *body, fixed []bool) bool {
	for _, in := range b.code {
		switch in.op {
		case opRule, opCall, opRuleHolds, opCallHolds:
			args := b.args[in.c : in.c+p.funcs[in.b].params]
			if !fixed[in.b] {
				return true
			}
			for _, arg := range args[1:] {
				if arg == 0 {
					return true
				}
			}
		case opBuiltin, opBuiltinHolds, opList, opRecord:
			for _, arg := range b.args[in.c : in.c+in.d] {
				if arg == 0 {
					return true
				}
			}
		case opDynamic, opWith, opResult:
			return true
		default:
			if in.reads(0) {
				return true
			}
		}
	}
	return false
}

// reads says whether an instruction that calls nothing reads a register.
func (in *statement) reads(reg int32) bool {
	switch in.op {
	case opReturn, opIsArray, opIsObject, opIsSet, opDefined, opUndefined, opScan, opNext:
		return in.a == reg
	case opMove, opMoveOnce, opLen, opAppend, opAdd:
		return in.b == reg
	case opDot, opInsert, opInsertOnce, opMerge:
		return in.b == reg || in.c == reg
	case opEqualAt:
		return in.b == reg || in.c == reg || in.d == reg
	case opEqual, opNotEqual:
		return in.a == reg || in.b == reg
	}
	return false
}

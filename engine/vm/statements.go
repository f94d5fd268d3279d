package vm

import (
	"fmt"

	"github.com/open-policy-agent/opa/v1/ir"
)

func (a *assembler) statements(block *ir.Block) error {
	for i := 0; i < len(block.Stmts); i++ {
		stmt := block.Stmts[i]
		before := len(a.code)
		n, err := a.combine(block.Stmts[i:])
		if n == 0 && err == nil {
			err = a.statement(stmt)
		}
		if err != nil {
			return err
		}
		i += max(n, 1) - 1
		if loc := stmt.GetLocation(); loc != nil && loc.Row > 0 {
			if a.f.file < 0 {
				a.f.file = int32(loc.File)
			}
			for i := before; i < len(a.code); i++ {
				if a.code[i].line == 0 {
					a.code[i].line = int32(loc.Row)
				}
			}
		}
	}
	return nil
}

// path takes the statements that follow a fixed path into data as one, and gives how many they are. What is there is known
// as soon as the program has its data.
func (a *assembler) path(stmts []ir.Stmt) int {
	if !a.fold {
		return 0
	}
	var (
		path []string
		last = ir.Data
		n    int
	)
	for _, stmt := range stmts {
		s, ok := stmt.(*ir.DotStmt)
		if !ok {
			break
		}
		from, ok := localOf(s.Source)
		key, isText := a.known.value(s.Key).(String)
		if !ok || !isText || from != last {
			break
		}
		if u := a.known.uses[from]; n > 0 && (!u.single() || u.reads != 1 || u.grows > 0) {
			break
		}
		path, last, n = append(path, string(key)), s.Target, n+1
	}
	if n == 0 {
		return 0
	}
	found := a.ref(path)
	a.orElse(statement{op: opKnown, a: found})
	if u := a.known.uses[last]; u.single() && u.grows == 0 {
		a.same[last] = found
		a.set[last]++
	} else {
		a.emit(statement{op: opMove, a: a.target(last), b: found})
	}
	return n
}

// settled says that all statements that set a variable or put something into it are behind us.
func (a *assembler) settled(l ir.Local) bool {
	u := a.known.uses[l]
	return u.single() && a.set[l] == u.writes && a.grown[l] == u.grows
}

// assign makes one variable another name of a constant or of another variable if it can, and copies the value if not.
func (a *assembler) assign(s *ir.AssignVarStmt) {
	if a.known.fixed[s.Target] != nil {
		return
	}
	from := a.operand(s.Source)
	u := a.known.uses[s.Target]
	l, local := localOf(s.Source)
	if u.single() && u.grows == 0 && (from < 0 || local && a.settled(l)) {
		a.same[s.Target] = from
		a.set[s.Target]++
		return
	}
	a.emit(statement{op: opMove, a: a.target(s.Target), b: from})
}

// put emits a statement that puts something into a collection, unless the collection is a constant.
func (a *assembler) put(op opcode, l ir.Local, operands ...ir.Operand) {
	a.grown[l]++
	if a.known.fixed[l] != nil {
		return
	}
	in := statement{op: op, a: a.reg(l), b: a.operand(operands[0]), d: int32(a.known.uses[l].grows)}
	if len(operands) > 1 {
		in.c = a.operand(operands[1])
	}
	a.emit(in)
}

// make emits a statement that sets a variable to what may be a constant. c says for a collection that its value is taken
// before it is complete, so that it cannot begin as an empty one that others share.
func (a *assembler) make(l ir.Local, in statement) {
	if a.known.fixed[l] == nil {
		if a.known.uses[l].leaked {
			in.c = 1
		}
		in.a = a.target(l)
		a.emit(in)
	}
}

func (a *assembler) statement(stmt ir.Stmt) error {
	switch s := stmt.(type) {
	case *ir.NopStmt:
	case *ir.ReturnLocalStmt:
		a.emit(statement{op: opReturn, a: a.source(s.Source)})
	case *ir.ResultSetAddStmt:
		a.emit(statement{op: opResult, a: a.source(s.Value)})
	case *ir.BlockStmt:
		for _, block := range s.Blocks {
			if err := a.block(block); err != nil {
				return err
			}
		}
	case *ir.BreakStmt:
		a.breakOut(int(s.Index))
	case *ir.ScanStmt:
		return a.scan(s)
	case *ir.NotStmt:
		a.open(label{with: -1})
		if err := a.statements(s.Block); err != nil {
			return err
		}
		// The block was defined, so the statement is not. Its label is still open here.
		a.leave(statement{op: opJump}, 1)
		a.close()
	case *ir.WithStmt:
		return a.with(s)
	case *ir.AssignVarStmt:
		a.assign(s)
	case *ir.AssignVarOnceStmt:
		if a.first != nil && s.Target == a.first.local {
			a.emit(statement{op: opReturn, a: a.constant(a.first.value)})
			break
		}
		target := s.Target
		if a.direct && target == a.result {
			target = a.value
		}
		if a.lone && target == a.value && a.looping == 0 {
			a.emit(statement{op: opReturn, a: a.operand(s.Source)})
			break
		}
		a.emit(statement{op: opMoveOnce, a: a.target(target), b: a.operand(s.Source)})
	case *ir.AssignIntStmt:
		a.emit(statement{op: opMove, a: a.target(s.Target), b: a.constant(Int(s.Value))})
	case *ir.ResetLocalStmt:
		if a.direct && s.Target == a.result || a.looping == 0 && !a.filled[s.Target] {
			break
		}
		a.emit(statement{op: opClear, a: a.reg(s.Target)})
	case *ir.MakeNullStmt:
		a.make(s.Target, statement{op: opMove, b: a.constant(Null{})})
	case *ir.MakeNumberIntStmt:
		a.make(s.Target, statement{op: opMove, b: a.constant(Int(s.Value))})
	case *ir.MakeNumberRefStmt:
		a.make(s.Target, statement{op: opMove, b: a.constant(number(a.static.Strings[s.Index].Value))})
	case *ir.MakeArrayStmt:
		a.make(s.Target, statement{op: opArray, b: s.Capacity})
	case *ir.MakeObjectStmt:
		a.make(s.Target, statement{op: opObject})
	case *ir.MakeSetStmt:
		a.make(s.Target, statement{op: opSet})
	case *ir.ArrayAppendStmt:
		a.put(opAppend, s.Array, s.Value)
	case *ir.ObjectInsertStmt:
		a.put(opInsert, s.Object, s.Key, s.Value)
	case *ir.ObjectInsertOnceStmt:
		a.put(opInsertOnce, s.Object, s.Key, s.Value)
	case *ir.ObjectMergeStmt:
		x, y := a.source(s.A), a.source(s.B)
		a.emit(statement{op: opMerge, a: a.target(s.Target), b: x, c: y})
	case *ir.SetAddStmt:
		a.put(opAdd, s.Set, s.Value)
	case *ir.DotStmt:
		source, key := a.operand(s.Source), a.operand(s.Key)
		a.orElse(statement{op: opDot, a: a.target(s.Target), b: source, c: key})
	case *ir.LenStmt:
		source := a.operand(s.Source)
		a.emit(statement{op: opLen, a: a.target(s.Target), b: source})
	case *ir.EqualStmt:
		a.orElse(statement{op: opEqual, a: a.operand(s.A), b: a.operand(s.B)})
	case *ir.NotEqualStmt:
		a.orElse(statement{op: opNotEqual, a: a.operand(s.A), b: a.operand(s.B)})
	case *ir.IsArrayStmt:
		a.orElse(statement{op: opIsArray, a: a.operand(s.Source)})
	case *ir.IsObjectStmt:
		a.orElse(statement{op: opIsObject, a: a.operand(s.Source)})
	case *ir.IsSetStmt:
		a.orElse(statement{op: opIsSet, a: a.operand(s.Source)})
	case *ir.IsDefinedStmt:
		a.orElse(statement{op: opDefined, a: a.source(s.Source)})
	case *ir.IsUndefinedStmt:
		a.orElse(statement{op: opUndefined, a: a.source(s.Source)})
	case *ir.CallStmt:
		a.call(s)
	case *ir.CallDynamicStmt:
		at := a.args(s.Path)
		result := a.target(s.Result)
		// A rule that exists but is undefined leaves the lookup as a whole, not only the attempt to call it.
		a.orElse(statement{op: opDynamic, a: result, c: at, d: int32(len(s.Path))})
		a.leave(statement{op: opDefined, a: result}, 3)
	default:
		return fmt.Errorf("unknown statement %T", stmt)
	}
	return nil
}

// breakOut leaves blocks, and with them the with statements that they belong to.
func (a *assembler) breakOut(depth int) {
	for i := range depth {
		if at := len(a.labels) - 1 - i; at >= 0 && a.labels[at].with >= 0 {
			a.emit(statement{op: opWithout, a: a.labels[at].with})
		}
	}
	a.leave(statement{op: opJump}, depth)
}

// scan repeats a block for each member. Leaving the block goes on with the next member, leaving one block more ends the
// iteration.
func (a *assembler) scan(s *ir.ScanStmt) error {
	loop := a.f.loops
	a.f.loops++
	source := a.source(s.Source)
	a.open(label{with: -1})
	key, value := a.target(s.Key), a.target(s.Value)
	a.orElse(statement{op: opScan, a: source, b: key, c: value, d: loop})
	body := int32(len(a.code))
	a.looping++
	if err := a.block(s.Block); err != nil {
		return err
	}
	a.looping--
	a.emit(statement{op: opNext, a: source, b: key, c: value, d: loop, to: body})
	a.close()
	return nil
}

// with runs a block with another input or data.
func (a *assembler) with(s *ir.WithStmt) error {
	local := a.reg(s.Local)
	value := a.operand(s.Value)
	path := int32(len(a.list))
	for _, i := range s.Path {
		a.list = append(a.list, a.constant(String(a.static.Strings[i].Value)))
	}
	a.emit(statement{op: opWith, a: local, b: value, c: path, d: int32(len(s.Path))})
	a.open(label{with: local})
	if err := a.statements(s.Block); err != nil {
		return err
	}
	a.emit(statement{op: opWithout, a: local})
	end := a.emit(statement{op: opJump})
	a.close()
	a.emit(statement{op: opWithout, a: local})
	a.leave(statement{op: opJump}, 0)
	a.code[end].to = int32(len(a.code))
	return nil
}

func (a *assembler) call(s *ir.CallStmt) {
	in := statement{op: opCall, c: a.args(s.Args)}
	if f, ok := a.funcs[s.Func]; ok {
		in.b = f
		if len(s.Args) == 2 && a.p.funcs[f].params == 2 {
			in.op = opRule
		}
	} else {
		b, ok := a.names[s.Func]
		if !ok {
			b = int32(len(a.p.names))
			a.names[s.Func] = b
			a.p.names = append(a.p.names, s.Func)
		}
		in.op, in.b, in.d = opBuiltin, b, int32(len(s.Args))
	}
	in.a = a.target(s.Result)
	a.orElse(in)
}

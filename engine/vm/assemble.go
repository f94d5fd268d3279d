package vm

import (
	"fmt"

	"github.com/open-policy-agent/opa/v1/ir"
)

// Assemble makes a program of a plan and the data that its rules read.
func Assemble(plan *ir.Policy, data Value) (*Program, error) {
	a := &assembler{
		p:      &Program{paths: map[string]int32{}, plans: map[string]int32{}},
		static: plan.Static,
		consts: map[Value]int32{},
		funcs:  map[string]int32{},
		names:  map[string]int32{},
		refs:   map[string]int32{},
		fold:   !changesData(plan),
	}
	for _, file := range plan.Static.Files {
		a.p.files = append(a.p.files, file.Value)
	}
	a.p.funcs = make([]function, len(plan.Funcs.Funcs)+len(plan.Plans.Plans))
	for i, f := range plan.Funcs.Funcs {
		a.funcs[f.Name] = int32(i)
		a.p.funcs[i].name, a.p.funcs[i].params = f.Name, int32(len(f.Params))
		if f.Path != nil {
			a.p.paths[pathKey(f.Path)] = int32(i)
		}
	}
	for i, f := range plan.Funcs.Funcs {
		separate(f)
		a.result, a.value = result(f), f.Return
		a.first, a.direct = onlyValue(plan.Static, f), directly(f)
		if err := a.function(&a.p.funcs[i], f.Params, f.Blocks); err != nil {
			return nil, fmt.Errorf("function %s: %w", f.Name, err)
		}
	}
	a.first, a.direct = nil, false
	for i, plan := range plan.Plans.Plans {
		at := len(a.funcs) + i
		a.p.plans[plan.Name] = int32(at)
		f := &a.p.funcs[at]
		f.name, f.params = plan.Name, 2
		if err := a.function(f, []ir.Local{ir.Input, ir.Data}, plan.Blocks); err != nil {
			return nil, fmt.Errorf("entrypoint %s: %w", plan.Name, err)
		}
	}
	a.p.markFixed()
	if err := a.p.link(); err != nil {
		return nil, err
	}
	return a.p.WithData(data)
}

// changesData says whether a with statement replaces a part of data somewhere.
func changesData(plan *ir.Policy) bool {
	found := false
	look := func(stmt ir.Stmt) {
		if s, ok := stmt.(*ir.WithStmt); ok {
			found = found || s.Local == ir.Data
		}
	}
	for _, f := range plan.Funcs.Funcs {
		for _, b := range f.Blocks {
			walk(b, look)
		}
	}
	for _, p := range plan.Plans.Plans {
		for _, b := range p.Blocks {
			walk(b, look)
		}
	}
	return found
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

// assembler turns the nested statements of a plan into instructions with jumps.
type assembler struct {
	p      *Program
	static *ir.Static
	consts map[Value]int32
	funcs  map[string]int32
	names  map[string]int32

	refs map[string]int32
	fold bool // data is the same in the whole program

	// of the function at hand
	f      *function
	known  *analysis
	direct bool        // whether rules may put their values where the function returns it from
	result ir.Local    // where they would put them else
	value  ir.Local    // where the function returns its value from
	first  *onlyResult // when the first rule that holds gives the value of the function
	regs   map[ir.Local]int32
	same   map[ir.Local]int32 // what a variable is only another name of: an operand
	set    map[ir.Local]int   // how many of its writers are behind us
	grown  map[ir.Local]int   // how many statements that put something into it are behind us
	code   []statement
	list   []int32 // operands of calls and paths
	labels []label // the blocks around the statement at hand, innermost last
}

// label is the end of a block. Jumps to it are filled in once its place is known.
type label struct {
	jumps []int
	with  int32 // register that a with statement at this block's start replaced, else -1
	at    int32 // the place, when it is known from the start, else -1
}

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

func (a *assembler) function(f *function, params []ir.Local, blocks []*ir.Block) error {
	a.f, a.regs, a.code, a.list, a.labels = f, map[ir.Local]int32{}, nil, nil, nil
	a.known = analyse(a.static, params, blocks)
	a.same, a.set, a.grown = map[ir.Local]int32{}, map[ir.Local]int{}, map[ir.Local]int{}
	f.file = -1
	for _, p := range params {
		a.reg(p)
		a.set[p]++
	}
	a.open(label{with: -1, at: -1})
	for _, block := range blocks {
		if a.direct && handsOver(block, a.result, a.value) {
			continue
		}
		if err := a.block(block); err != nil {
			return err
		}
	}
	a.close()
	a.emit(statement{op: opReturn, a: a.undefined()})
	f.locals = int32(len(a.regs))
	var err error
	f.packed, err = (&body{a.code, a.list}).pack()
	return err
}

// reg is the register that a statement sets.
func (a *assembler) reg(l ir.Local) int32 {
	r, ok := a.regs[l]
	if !ok {
		r = int32(len(a.regs))
		a.regs[l] = r
	}
	return r
}

// target is the register of a variable that a statement sets.
func (a *assembler) target(l ir.Local) int32 {
	a.set[l]++
	return a.reg(l)
}

// source is the operand from which a statement reads a variable.
func (a *assembler) source(l ir.Local) int32 {
	if v := a.known.fixed[l]; v != nil {
		return a.constant(v)
	}
	if o, ok := a.same[l]; ok {
		return o
	}
	return a.reg(l)
}

func (a *assembler) constant(v Value) int32 {
	i, ok := a.consts[v]
	if !ok {
		i = int32(len(a.p.consts))
		a.consts[v] = i
		a.p.consts = append(a.p.consts, v)
	}
	return ^i
}

func (a *assembler) operand(o ir.Operand) int32 {
	if v := a.known.value(o); v != nil {
		return a.constant(v)
	}
	l, _ := localOf(o)
	return a.source(l)
}

// ref is the constant at a path of data.
func (a *assembler) ref(path []string) int32 {
	key := pathKey(path)
	i, ok := a.refs[key]
	if !ok {
		i = int32(len(a.p.consts))
		a.refs[key] = i
		a.p.consts = append(a.p.consts, nil)
		a.p.refs = append(a.p.refs, ref{i, path})
	}
	return ^i
}

// args puts operands into the list of arguments and gives the place of the first.
func (a *assembler) args(operands []ir.Operand) int32 {
	at := int32(len(a.list))
	for _, o := range operands {
		a.list = append(a.list, a.operand(o))
	}
	return at
}

func (a *assembler) emit(in statement) int {
	a.code = append(a.code, in)
	return len(a.code) - 1
}

// orElse emits an instruction that leaves the innermost block when it is undefined.
func (a *assembler) orElse(in statement) { a.leave(in, 0) }

// leave emits an instruction that goes to the end of a block around it.
func (a *assembler) leave(in statement, depth int) {
	at := max(0, len(a.labels)-1-depth)
	i := a.emit(in)
	if a.labels[at].at >= 0 {
		a.code[i].to = a.labels[at].at
		return
	}
	a.labels[at].jumps = append(a.labels[at].jumps, i)
}

func (a *assembler) open(l label) { a.labels = append(a.labels, l) }

// close ends the innermost block here.
func (a *assembler) close() {
	last := len(a.labels) - 1
	for _, i := range a.labels[last].jumps {
		a.code[i].to = int32(len(a.code))
	}
	a.labels = a.labels[:last]
}

func (a *assembler) block(block *ir.Block) error {
	a.open(label{with: -1, at: -1})
	if err := a.statements(block); err != nil {
		return err
	}
	a.close()
	return nil
}

func (a *assembler) statements(block *ir.Block) error {
	for i := 0; i < len(block.Stmts); i++ {
		stmt := block.Stmts[i]
		before := len(a.code)
		if n := a.path(block.Stmts[i:]); n > 0 {
			i += n - 1
		} else if err := a.statement(stmt); err != nil {
			return err
		}
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
		a.open(label{with: -1, at: -1})
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
		a.emit(statement{op: opMoveOnce, a: a.target(target), b: a.operand(s.Source)})
	case *ir.AssignIntStmt:
		a.emit(statement{op: opMove, a: a.target(s.Target), b: a.constant(Int(s.Value))})
	case *ir.ResetLocalStmt:
		if a.direct && s.Target == a.result {
			break
		}
		a.emit(statement{op: opClear, a: a.target(s.Target)})
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
	a.open(label{with: -1, at: -1})
	a.orElse(statement{op: opScan, a: source, d: loop})
	top := int32(len(a.code))
	a.orElse(statement{op: opNext, a: source, b: a.target(s.Key), c: a.target(s.Value), d: loop})
	a.open(label{with: -1, at: top})
	if err := a.statements(s.Block); err != nil {
		return err
	}
	a.labels = a.labels[:len(a.labels)-1]
	a.emit(statement{op: opJump, to: top})
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
	a.open(label{with: local, at: -1})
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

// undefined is a register that is never set.
func (a *assembler) undefined() int32 { return a.reg(-1) }

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
		shapes: map[string]int32{},
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
		a.lone = a.direct && lone(f)
		if err := a.function(&a.p.funcs[i], f.Params, f.Blocks); err != nil {
			return nil, fmt.Errorf("function %s: %w", f.Name, err)
		}
	}
	a.first, a.direct, a.lone = nil, false, false
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

// assembler turns the nested statements of a plan into instructions with jumps.
type assembler struct {
	p      *Program
	static *ir.Static
	consts map[Value]int32
	funcs  map[string]int32
	names  map[string]int32

	refs   map[string]int32
	shapes map[string]int32 // keys of records, joined, to the constant
	fold   bool             // data is the same in the whole program

	// of the function at hand
	f       *function
	known   *analysis
	direct  bool        // whether rules may put their values where the function returns it from
	lone    bool        // whether only one rule gives the function its value, defaults apart
	result  ir.Local    // where they would put them else
	value   ir.Local    // where the function returns its value from
	first   *onlyResult // when the first rule that holds gives the value of the function
	regs    map[ir.Local]int32
	same    map[ir.Local]int32 // what a variable is only another name of: an operand
	set     map[ir.Local]int   // how many of its writers are behind us
	grown   map[ir.Local]int   // how many statements that put something into it are behind us
	filled  map[ir.Local]bool  // whether a statement that gives it a value is behind us
	looping int                // iterations around the statement at hand
	code    []statement
	list    []int32 // operands of calls and paths
	labels  []label // the blocks around the statement at hand, innermost last
}

// label is the end of a block. Jumps to it are filled in once its place is known.
type label struct {
	jumps []int
	with  int32 // register that a with statement at this block's start replaced, else -1
}

func (a *assembler) function(f *function, params []ir.Local, blocks []*ir.Block) error {
	a.f, a.regs, a.code, a.list, a.labels = f, map[ir.Local]int32{}, nil, nil, nil
	a.known = analyse(a.static, params, blocks)
	a.same, a.set, a.grown, a.filled = map[ir.Local]int32{}, map[ir.Local]int{}, map[ir.Local]int{}, map[ir.Local]bool{}
	f.file = -1
	for _, p := range params {
		a.reg(p)
		a.set[p]++
	}
	a.open(label{with: -1})
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
	a.filled[l] = true
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
	a.open(label{with: -1})
	if err := a.statements(block); err != nil {
		return err
	}
	a.close()
	return nil
}

// undefined is a register that is never set.
func (a *assembler) undefined() int32 { return a.reg(-1) }

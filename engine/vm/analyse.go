package vm

import (
	"github.com/open-policy-agent/opa/v1/ir"
)

// usage is what a function does with one local variable.
type usage struct {
	writes  int  // statements that set it
	grows   int  // statements that put something into its collection
	reads   int  // statements that take its value
	asked   bool // whether it is asked for being defined, by a check or as the function's value
	changed bool // set by a with statement
	leaked  bool // whether its value is taken before the last statement that puts something into it
}

// single says that a variable has one value from its only writer on, which a statement that reads it may take from
// elsewhere. What may be read before it is set must stay a variable.
func (u *usage) single() bool { return u.writes == 1 && !u.asked && !u.changed }

// analysis knows the variables of a function, and which of them always hold the same constant.
type analysis struct {
	static *ir.Static
	uses   map[ir.Local]*usage
	fixed  map[ir.Local]Value
}

// analyse looks at a function whose parameters are set before it begins.
func analyse(static *ir.Static, params []ir.Local, blocks []*ir.Block) *analysis {
	a := &analysis{static: static, uses: map[ir.Local]*usage{}, fixed: map[ir.Local]Value{}}
	for _, p := range params {
		a.use(p).writes++
	}
	for _, b := range blocks {
		walk(b, a.count)
	}
	for _, b := range blocks {
		a.constants(b)
	}
	return a
}

func (a *analysis) use(l ir.Local) *usage {
	u, ok := a.uses[l]
	if !ok {
		u = &usage{}
		a.uses[l] = u
	}
	return u
}

func localOf(o ir.Operand) (ir.Local, bool) {
	switch v := o.Value.(type) {
	case ir.Local:
		return v, true
	case *ir.Local:
		return *v, true
	}
	return 0, false
}

// count notes what a statement does with its variables. It must see the statements in their order.
func (a *analysis) count(stmt ir.Stmt) {
	locals(stmt, func(l *ir.Local, as role) {
		u := a.use(*l)
		switch as {
		case reads:
			u.reads++
		case writes:
			u.writes++
		case grows:
			u.grows++
			u.leaked = u.leaked || u.reads > 0
		case asks:
			u.asked = true
		case settles:
			u.writes++
			u.asked = true
		case changes:
			u.changed = true
		}
	})
}

// value is the constant that an operand always is, nil when there is none.
func (a *analysis) value(o ir.Operand) Value {
	switch v := o.Value.(type) {
	case ir.StringIndex:
		return String(a.static.Strings[v].Value)
	case *ir.StringIndex:
		return String(a.static.Strings[*v].Value)
	case ir.Bool:
		return Bool(v)
	case *ir.Bool:
		return Bool(*v)
	}
	l, _ := localOf(o)
	return a.fixed[l]
}

// fix notes that a variable always holds a value.
func (a *analysis) fix(l ir.Local, v Value) {
	if u := a.uses[l]; v != nil && u.single() && u.grows == 0 {
		a.fixed[l] = v
	}
}

// constants finds the variables that hold constants: numbers, texts, and collections made of nothing but constants.
func (a *analysis) constants(b *ir.Block) {
	for i, stmt := range b.Stmts {
		a.scalar(stmt)
		a.made(stmt, b.Stmts[i+1:])
		for _, b := range inner(stmt) {
			a.constants(b)
		}
	}
}

// scalar looks at a statement that may set a variable to a constant.
func (a *analysis) scalar(stmt ir.Stmt) {
	switch s := stmt.(type) {
	case *ir.AssignVarStmt:
		a.fix(s.Target, a.value(s.Source))
	case *ir.MakeNullStmt:
		a.fix(s.Target, Null{})
	case *ir.MakeNumberIntStmt:
		a.fix(s.Target, Int(s.Value))
	case *ir.MakeNumberRefStmt:
		a.fix(s.Target, number(a.static.Strings[s.Index].Value))
	}
}

// made looks at a statement that may make a collection.
func (a *analysis) made(stmt ir.Stmt, rest []ir.Stmt) {
	switch s := stmt.(type) {
	case *ir.MakeArrayStmt:
		a.literal(s.Target, &Array{elems: make([]Value, 0, s.Capacity)}, rest)
	case *ir.MakeSetStmt:
		a.literal(s.Target, NewSet(0), rest)
	case *ir.MakeObjectStmt:
		a.literal(s.Target, NewObject(0), rest)
	}
}

// literal fills a collection with the constants that the statements after its making put into it. If they put in anything
// else, or not all that is ever put into it, the collection is no constant.
func (a *analysis) literal(l ir.Local, v Value, rest []ir.Stmt) {
	u := a.uses[l]
	if !u.single() || a.fixed[l] != nil {
		return
	}
	missing := u.grows
	for i, stmt := range rest {
		if missing == 0 {
			break
		}
		switch s := stmt.(type) {
		case *ir.ArrayAppendStmt:
			elem := a.value(s.Value)
			if s.Array != l {
				continue
			}
			if elem == nil {
				return
			}
			list := v.(*Array)
			list.elems = append(list.elems, elem)
			missing--
		case *ir.SetAddStmt:
			elem := a.value(s.Value)
			if s.Set != l {
				continue
			}
			if elem == nil {
				return
			}
			v.(*Set).Add(elem)
			missing--
		case *ir.ObjectInsertStmt:
			key, value := a.value(s.Key), a.value(s.Value)
			if s.Object != l {
				continue
			}
			if key == nil || value == nil {
				return
			}
			v.(*Object).Put(key, value)
			missing--
		default:
			a.scalar(stmt)
			a.made(stmt, rest[i+1:])
		}
	}
	if missing == 0 {
		Settle(v)
		a.fixed[l] = v
	}
}

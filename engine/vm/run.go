package vm

import (
	"context"
	"fmt"

	"github.com/open-policy-agent/opa/v1/topdown"
)

// Eval evaluates an entrypoint, e.g. loopx/plan/item, and gives its value, nil when it is undefined. The input may be nil.
// A conflict of rules and a failed builtin are errors of type *topdown.Error, with the file and line of the rule.
func (p *Program) Eval(ctx context.Context, entrypoint string, input Value) (out Value, err error) {
	at, ok := p.plans[entrypoint]
	if !ok {
		return nil, fmt.Errorf("no entrypoint %s", entrypoint)
	}
	m := p.machine(ctx)
	defer func() {
		if r := recover(); r != nil { // the machine is in no state to be used again
			failed, ok := r.(*failure)
			if !ok {
				panic(r)
			}
			out, err = nil, failed.err
		}
	}()
	m.call(&p.funcs[at], [...]Value{input, p.data})
	switch len(m.results) {
	case 0:
	case 1:
		out = detach(get(m.results[0], String("result")))
	default:
		err = fmt.Errorf("%s gives %d answers", entrypoint, len(m.results))
	}
	p.putBack(m)
	return out, err
}

func (m *machine) call(f *function, args [2]Value) Value {
	regs, rest := m.frame(f)
	regs[0], regs[1] = args[0], args[1]
	return m.run(f, regs, rest)
}

// run executes a function on its registers and gives them back to the stack.
func (m *machine) run(f *function, regs, rest []Value) Value {
	m.tick()
	if !f.ready.Load() {
		m.p.prepare(f)
	}
	var (
		code   = f.code
		consts = m.consts
		base   = len(m.loops)
		withs  = len(m.withs)
		pc     = 0
	)
	for range f.loops {
		m.loops = append(m.loops, 0)
	}
	for {
		in := &code[pc]
		pc++
		switch in.op {
		case opReturn:
			out := load(regs, consts, in.a)
			for len(m.withs) > withs {
				m.without()
			}
			m.loops = m.loops[:base]
			m.stack = rest
			return out
		case opJump:
			pc = int(in.to)
		case opMove:
			if in.b >= 0 {
				regs[in.a] = regs[in.b]
			} else {
				regs[in.a] = consts[^in.b]
			}
		case opMoveOnce:
			v := load(regs, consts, in.b)
			if old := regs[in.a]; old != nil && !Equal(old, v) {
				m.fail(f, in, topdown.ConflictErr, fmt.Sprintf("rule %s produced conflicting values: %s and %s", f.ref(), short(old), short(v)))
			}
			regs[in.a] = v
		case opClear:
			regs[in.a] = nil
		case opKnown:
			if consts[^in.a] == nil {
				pc = int(in.to)
			}
		case opDot:
			v := m.at(load(regs, consts, in.b), load(regs, consts, in.c), in.c)
			regs[in.a] = v
			if v == nil {
				pc = int(in.to)
			}
		case opEqualAt:
			v := m.at(load(regs, consts, in.b), load(regs, consts, in.c), in.c)
			if v == nil || !Equal(v, load(regs, consts, in.d)) {
				pc = int(in.to)
			}
		case opLen:
			n, _ := length(load(regs, consts, in.b))
			regs[in.a] = Int(n)
		case opEqual:
			if !Equal(load(regs, consts, in.a), load(regs, consts, in.b)) {
				pc = int(in.to)
			}
		case opNotEqual:
			if Equal(load(regs, consts, in.a), load(regs, consts, in.b)) {
				pc = int(in.to)
			}
		case opIsArray:
			if _, ok := load(regs, consts, in.a).(*Array); !ok {
				pc = int(in.to)
			}
		case opIsObject:
			if _, ok := load(regs, consts, in.a).(*Object); !ok {
				pc = int(in.to)
			}
		case opIsSet:
			if _, ok := load(regs, consts, in.a).(*Set); !ok {
				pc = int(in.to)
			}
		case opDefined:
			if load(regs, consts, in.a) == nil {
				pc = int(in.to)
			}
		case opUndefined:
			if load(regs, consts, in.a) != nil {
				pc = int(in.to)
			}
		case opArray:
			if in.b == 0 && in.c == 0 {
				regs[in.a] = emptyArray
			} else {
				regs[in.a] = m.arena.array(m.arena.room(int(in.b)))
			}
		case opObject:
			if in.c == 0 {
				regs[in.a] = emptyObject
			} else {
				regs[in.a] = m.arena.object(0)
			}
		case opSet:
			if in.c == 0 {
				regs[in.a] = emptySet
			} else {
				regs[in.a] = m.arena.set(0)
			}
		case opList:
			out := m.arena.room(int(in.d))
			for _, arg := range f.args[in.c : in.c+in.d] {
				out = append(out, load(regs, consts, arg))
			}
			regs[in.a] = m.arena.array(out)
		case opRecord:
			keys := consts[^in.b].(*Array).elems
			vals := m.arena.room(int(in.d))
			for _, arg := range f.args[in.c : in.c+in.d] {
				vals = append(vals, load(regs, consts, arg))
			}
			regs[in.a] = m.arena.record(keys, vals)
		case opAppend:
			a := regs[in.a].(*Array)
			if a == emptyArray {
				a = m.arena.array(m.arena.room(firstRoom))
				regs[in.a] = a
			}
			if len(a.elems) == cap(a.elems) {
				a.elems = a.from.more(a.elems)
			}
			a.elems = append(a.elems, load(regs, consts, in.b))
		case opInsert:
			m.own(regs, in).Put(load(regs, consts, in.b), load(regs, consts, in.c))
		case opInsertOnce:
			m.insertOnce(f, in, m.own(regs, in), load(regs, consts, in.b), load(regs, consts, in.c))
		case opMerge:
			v, ok := m.merge(load(regs, consts, in.b), load(regs, consts, in.c))
			if !ok {
				m.fail(f, in, topdown.ConflictErr, "base and virtual document keys must be disjoint")
			}
			regs[in.a] = v
		case opAdd:
			s := regs[in.a].(*Set)
			if s == emptySet {
				s = m.arena.set(firstRoom)
				regs[in.a] = s
			}
			s.Add(load(regs, consts, in.b))
		case opRule, opRuleHolds:
			var v Value
			if m.memo != nil && m.memo[in.b] != nil {
				v = known(m.memo[in.b])
			} else {
				at := f.args[in.c:]
				v = m.rule(int32(in.b), load(regs, consts, at[0]), load(regs, consts, at[1]))
			}
			regs[in.a] = v
			if v == nil || in.op == opRuleHolds && v == no {
				pc = int(in.to)
			}
		case opCall, opCallHolds:
			callee := &m.p.funcs[in.b]
			inner, before := m.frame(callee)
			for i, arg := range f.args[in.c : int32(in.c)+callee.params] {
				inner[i] = load(regs, consts, arg)
			}
			v := m.invoke(int32(in.b), callee, inner, before)
			regs[in.a] = v
			if v == nil || in.op == opCallHolds && v == no {
				pc = int(in.to)
			}
		case opBuiltin, opBuiltinHolds:
			if int(in.d) > len(m.stack) {
				m.grow(int(in.d))
			}
			args := m.stack[:in.d:in.d]
			for i, arg := range f.args[in.c : in.c+in.d] {
				args[i] = load(regs, consts, arg)
			}
			var (
				v  Value
				ok bool
			)
			if special := m.p.natives[in.b]; special != nil {
				v, ok = special(m, args)
			}
			if !ok {
				var err error
				if v, err = m.p.builtins[in.b](m, args); err != nil {
					m.failed(f, in, m.p.names[in.b], err)
				}
			}
			regs[in.a] = v
			if v == nil || in.op == opBuiltinHolds && v == no {
				pc = int(in.to)
			}
		case opDynamic:
			path := make([]string, in.d)
			for i, arg := range f.args[in.c : in.c+in.d] {
				s, _ := load(regs, consts, arg).(String)
				path[i] = string(s)
			}
			at, ok := m.p.paths[pathKey(path)]
			if !ok {
				pc = int(in.to)
				continue
			}
			regs[in.a] = m.rule(at, regs[0], regs[1])
		case opScan:
			v := load(regs, consts, in.a)
			settle(v)
			m.loops[base+int(in.d)] = 0
			if !member(v, regs, in, 0) {
				pc = int(in.to)
			}
		case opNext:
			m.tick()
			i := m.loops[base+int(in.d)] + 1
			m.loops[base+int(in.d)] = i
			if member(load(regs, consts, in.a), regs, in, int(i)) {
				pc = int(in.to)
			}
		case opWith:
			m.withs = append(m.withs, with{regs[in.a], m.memo, m.inner})
			m.memo, m.inner = nil, map[int32]Value{}
			path := make([]Value, in.d)
			for i, arg := range f.args[in.c : in.c+in.d] {
				path[i] = consts[^arg]
			}
			regs[in.a] = m.upsert(regs[in.a], path, load(regs, consts, in.b))
		case opWithout:
			regs[in.a] = m.without()
		case opResult:
			m.results = append(m.results, load(regs, consts, in.a))
		}
	}
}

// no is what makes a condition fail.
var no Value = Bool(false)

// own is the object that a statement puts something into.
func (m *machine) own(regs []Value, in *instr) *Object {
	o := regs[in.a].(*Object)
	if o == emptyObject {
		room := int(in.d)
		if room == 1 { // most likely in an iteration
			room = firstRoom
		}
		o = m.arena.object(room)
		regs[in.a] = o
	}
	return o
}

package vm

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/open-policy-agent/opa/v1/topdown/builtins"
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
		out = get(m.results[0], String("result"))
	default:
		err = fmt.Errorf("%s gives %d answers", entrypoint, len(m.results))
	}
	p.putBack(m)
	return out, err
}

// machine is a machine that has evaluated nothing yet.
func (p *Program) machine(ctx context.Context) *machine {
	m, ok := p.idle.Get().(*machine)
	if !ok {
		m = &machine{p: p, consts: p.consts, memo: make([]Value, len(p.funcs)), whole: make([]Value, firstStack)}
	}
	m.ctx, m.stack = ctx, m.whole
	return m
}

// putBack keeps the room that a machine has taken, and of what it knew that which does not come from the input.
func (p *Program) putBack(m *machine) {
	for i := range p.funcs {
		if !p.funcs[i].fixed {
			m.memo[i] = nil
		}
	}
	clear(m.results)
	clear(m.whole[:min(m.deepest, len(m.whole))])
	m.ctx, m.results, m.steps, m.deepest, m.foreign = nil, m.results[:0], 0, 0, nil
	p.idle.Put(m)
}

// failure carries an error up to Eval.
type failure struct{ err error }

// undefined stands in the memo for a rule that is known to have no value.
type undefined struct{}

func (*undefined) order() int { return -1 }

var absent Value = new(undefined)

// machine is one evaluation.
type machine struct {
	p       *Program
	ctx     context.Context
	consts  []Value
	memo    []Value // of rules, by function; nil is not known
	inner   map[int32]Value
	whole   []Value // the first piece of the stack
	stack   []Value // the free rest of the current piece
	deepest int     // how much of the first piece was used
	loops   []int32
	results []Value
	withs   []with
	steps   int
	foreign *topdown.BuiltinContext // of OPA's own builtins, once one is called
}

// with is what a with statement replaced.
type with struct {
	value Value
	memo  []Value
	inner map[int32]Value
}

// firstStack is for how many variables a new machine has room. It takes more when rules go deeper.
const firstStack = 1 << 12

func (m *machine) grow(n int) { m.stack = make([]Value, max(n, firstStack)) }

// checkEvery is how many calls and iterations pass between two looks at the context.
const checkEvery = 1 << 10

func (m *machine) tick() {
	if m.steps++; m.steps%checkEvery == 0 {
		if err := m.ctx.Err(); err != nil {
			panic(&failure{err})
		}
	}
}

// rule evaluates a rule without arguments once for each input and data.
func (m *machine) rule(at int32, input, data Value) Value {
	if m.memo != nil {
		if v := m.memo[at]; v != nil {
			return known(v)
		}
	} else if v, ok := m.inner[at]; ok {
		return known(v)
	}
	v := m.call(&m.p.funcs[at], [...]Value{input, data})
	kept := v
	if kept == nil {
		kept = absent
	}
	if m.memo != nil {
		m.memo[at] = kept
	} else {
		m.inner[at] = kept
	}
	return v
}

func known(v Value) Value {
	if v == absent {
		return nil
	}
	return v
}

func (m *machine) call(f *function, args [2]Value) Value {
	regs, rest := m.frame(f)
	regs[0], regs[1] = args[0], args[1]
	return m.run(f, regs, rest)
}

// frame gives a function its registers, all undefined, and what the stack was before.
func (m *machine) frame(f *function) (regs, rest []Value) {
	n := int(f.locals)
	rest = m.stack
	if n > len(m.stack) {
		m.grow(n)
	}
	regs = m.stack[:n:n]
	clear(regs)
	m.stack = m.stack[n:]
	m.deepest = max(m.deepest, len(m.whole)-len(m.stack))
	return regs, rest
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
			var v Value
			source, key := load(regs, consts, in.b), load(regs, consts, in.c)
			if o, ok := source.(*Object); ok {
				place := atomic.LoadInt32(&in.place)
				if i := o.guess(key, place); i >= 0 {
					v = o.vals[i]
					if int32(i) != place {
						atomic.StoreInt32(&in.place, int32(i))
					}
				}
			} else {
				v = get(source, key)
			}
			regs[in.a] = v
			if v == nil {
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
				regs[in.a] = newArray(int(in.b))
			}
		case opObject:
			if in.c == 0 {
				regs[in.a] = emptyObject
			} else {
				regs[in.a] = &Object{}
			}
		case opSet:
			if in.c == 0 {
				regs[in.a] = emptySet
			} else {
				regs[in.a] = &Set{}
			}
		case opAppend:
			a := regs[in.a].(*Array)
			if a == emptyArray {
				a = newArray(firstRoom)
				regs[in.a] = a
			}
			a.elems = append(a.elems, load(regs, consts, in.b))
		case opInsert:
			own(regs, in).Put(load(regs, consts, in.b), load(regs, consts, in.c))
		case opInsertOnce:
			m.insertOnce(f, in, own(regs, in), load(regs, consts, in.b), load(regs, consts, in.c))
		case opMerge:
			v, ok := merge(load(regs, consts, in.b), load(regs, consts, in.c))
			if !ok {
				m.fail(f, in, topdown.ConflictErr, "base and virtual document keys must be disjoint")
			}
			regs[in.a] = v
		case opAdd:
			s := regs[in.a].(*Set)
			if s == emptySet {
				s = NewSet(firstRoom)
				regs[in.a] = s
			}
			s.Add(load(regs, consts, in.b))
		case opRule:
			var v Value
			if m.memo != nil && m.memo[in.b] != nil {
				v = known(m.memo[in.b])
			} else {
				at := f.args[in.c:]
				v = m.rule(int32(in.b), load(regs, consts, at[0]), load(regs, consts, at[1]))
			}
			regs[in.a] = v
			if v == nil {
				pc = int(in.to)
			}
		case opCall:
			callee := &m.p.funcs[in.b]
			inner, before := m.frame(callee)
			for i, arg := range f.args[in.c : int32(in.c)+callee.params] {
				inner[i] = load(regs, consts, arg)
			}
			v := m.run(callee, inner, before)
			regs[in.a] = v
			if v == nil {
				pc = int(in.to)
			}
		case opBuiltin:
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
			if v == nil {
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
			if n := scannable(load(regs, consts, in.a)); n == 0 {
				pc = int(in.to)
			} else {
				m.loops[base+int(in.d)] = 0
			}
		case opNext:
			i := m.loops[base+int(in.d)]
			m.loops[base+int(in.d)] = i + 1
			if !member(load(regs, consts, in.a), regs, in, int(i)) {
				pc = int(in.to)
				continue
			}
			m.tick()
		case opWith:
			m.withs = append(m.withs, with{regs[in.a], m.memo, m.inner})
			m.memo, m.inner = nil, map[int32]Value{}
			path := make([]Value, in.d)
			for i, arg := range f.args[in.c : in.c+in.d] {
				path[i] = consts[^arg]
			}
			regs[in.a] = upsert(regs[in.a], path, load(regs, consts, in.b))
		case opWithout:
			regs[in.a] = m.without()
		case opResult:
			m.results = append(m.results, load(regs, consts, in.a))
		}
	}
}

// own is the object that a statement puts something into.
func own(regs []Value, in *instr) *Object {
	o := regs[in.a].(*Object)
	if o == emptyObject {
		room := int(in.d)
		if room == 1 { // most likely in an iteration
			room = firstRoom
		}
		o = NewObject(room)
		regs[in.a] = o
	}
	return o
}

func load(regs, consts []Value, operand int16) Value {
	if operand >= 0 {
		return regs[operand]
	}
	return consts[^operand]
}

// without ends the innermost with statement and gives what it had replaced.
func (m *machine) without() Value {
	last := m.withs[len(m.withs)-1]
	m.withs = m.withs[:len(m.withs)-1]
	m.memo, m.inner = last.memo, last.inner
	return last.value
}

// scannable is the number of members that an iteration will see, in their order from here on.
func scannable(v Value) int {
	switch v := v.(type) {
	case *Array:
		return len(v.elems)
	case *Set:
		v.settle()
		return len(v.keys)
	case *Object:
		v.settle()
		return len(v.keys)
	}
	return 0
}

// member puts a member into the registers of an iteration.
func member(v Value, regs []Value, in *instr, i int) bool {
	switch v := v.(type) {
	case *Array:
		if i < len(v.elems) {
			regs[in.b], regs[in.c] = Int(i), v.elems[i]
			return true
		}
	case *Set:
		if i < len(v.keys) {
			regs[in.b], regs[in.c] = v.keys[i], v.keys[i]
			return true
		}
	case *Object:
		if i < len(v.keys) {
			regs[in.b], regs[in.c] = v.keys[i], v.vals[i]
			return true
		}
	}
	return false
}

func (m *machine) insertOnce(f *function, in *instr, o *Object, key, value Value) {
	if i := o.find(key); i >= 0 {
		if !Equal(o.vals[i], value) {
			m.fail(f, in, topdown.ConflictErr, fmt.Sprintf("object keys must be unique: %s has two values for %s", f.ref(), short(key)))
		}
		return
	}
	o.PutNew(key, value)
}

// upsert is a value with another one in it at a path. What is on the way there is copied, or made when it is no object.
func upsert(v Value, path []Value, value Value) Value {
	if len(path) == 0 {
		return value
	}
	old, _ := v.(*Object)
	out := NewObject(1)
	if old != nil {
		out = NewObject(len(old.keys) + 1)
		for i, key := range old.keys {
			out.PutNew(key, old.vals[i])
		}
	}
	out.Put(path[0], upsert(out.Get(path[0]), path[1:], value))
	return out
}

// merge joins two objects, and the objects that both hold under one key. On anything else they must not meet; a has the
// last word where values are no objects.
func merge(a, b Value) (Value, bool) {
	x, ok := a.(*Object)
	if !ok {
		return nil, false
	}
	y, ok := b.(*Object)
	if !ok {
		return nil, false
	}
	out := NewObject(len(x.keys) + len(y.keys))
	for i, key := range x.keys {
		v := x.vals[i]
		if other := y.Get(key); other != nil {
			if both, ok := merge(v, other); ok {
				v = both
			}
		}
		out.PutNew(key, v)
	}
	for i, key := range y.keys {
		if x.Get(key) == nil {
			out.PutNew(key, y.vals[i])
		}
	}
	return out, true
}

// fail ends the evaluation with an error at the line of an instruction.
func (m *machine) fail(f *function, in *instr, code, message string) {
	e := &topdown.Error{Code: code, Message: message}
	if line := f.line(in); f.file >= 0 && line > 0 {
		e.Location = ast.NewLocation(nil, m.p.files[f.file], line, 1)
	}
	panic(&failure{e})
}

// short is a value in at most maxShown characters of JSON.
func short(v Value) string {
	text := []rune(string(AppendJSON(nil, v)))
	if len(text) > maxShown {
		return string(text[:maxShown]) + "..."
	}
	return string(text)
}

const maxShown = 60

// failed ends the evaluation with the error of a builtin.
func (m *machine) failed(f *function, in *instr, name string, err error) {
	var (
		known   *topdown.Error
		operand builtins.ErrOperand
	)
	switch {
	case errors.As(err, &known):
		m.fail(f, in, known.Code, known.Message)
	case errors.As(err, &operand):
		m.fail(f, in, topdown.TypeErr, name+": "+err.Error())
	}
	m.fail(f, in, topdown.BuiltinErr, name+": "+err.Error())
}

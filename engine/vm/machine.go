package vm

import (
	"context"

	"github.com/open-policy-agent/opa/v1/topdown"
)

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
	arena   *arena
	memo    []Value // of rules, by function; nil is not known
	lasting []Value // of fixed rules, while the memo is emptied
	inner   map[int32]Value
	whole   []Value // the first piece of the stack
	stack   []Value // the free rest of the current piece
	deepest int     // how much of the first piece was used
	loops   []int32
	places  [knownPlaces]place
	recent  []*recent // of functions with arguments, by function; nil is never called
	called  []int32   // the functions that recent knows calls of
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

// recent are the last calls of a function with what they gave. Rules often ask a function for the same thing again.
type recent struct {
	calls [4]struct {
		args   [maxKept]Value
		result Value // absent when undefined, nil when there is no call here
	}
	next int
}

// maxKept is how many parameters a function may have, input and data included, for its calls to be kept.
const maxKept = 5

// find gives the result of a call with the same arguments: the same collections, not only equal ones, since looking into
// them would take as long as the call.
func (r *recent) find(args []Value) Value {
next:
	for i := range r.calls {
		c := &r.calls[i]
		if c.result == nil {
			return nil
		}
		for j, arg := range args {
			if c.args[j] != arg {
				continue next
			}
		}
		return c.result
	}
	return nil
}

func (r *recent) keep(args []Value, result Value) {
	c := &r.calls[r.next]
	r.next = (r.next + 1) % len(r.calls)
	copy(c.args[:], args)
	if c.result = result; result == nil {
		c.result = absent
	}
}

// invoke calls a function whose arguments are in the first of its registers.
func (m *machine) invoke(at int32, f *function, regs, rest []Value) Value {
	if f.params > maxKept {
		return m.run(f, regs, rest)
	}
	r := m.recent[at]
	if r == nil {
		r = &recent{}
		m.recent[at] = r
	}
	if r.calls[0].result == nil {
		m.called = append(m.called, at)
	} else if v := r.find(regs[:f.params]); v != nil {
		m.stack = rest
		return known(v)
	}
	var args [maxKept]Value // rules may use the registers of arguments for other things
	n := copy(args[:], regs[:f.params])
	v := m.run(f, regs, rest)
	r.keep(args[:n], v)
	return v
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
	f := &m.p.funcs[at]
	v := m.call(f, [...]Value{input, data})
	if f.fixed { // later evaluations will read it too, at the same time as who has this answer
		v = detach(v)
		Settle(v)
	}
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

// machine is a machine that has evaluated nothing yet.
func (p *Program) machine(ctx context.Context) *machine {
	m, ok := p.idle.Get().(*machine)
	if !ok {
		m = &machine{p: p, consts: p.consts, arena: &arena{}, memo: make([]Value, len(p.funcs)), recent: make([]*recent, len(p.funcs)), whole: make([]Value, firstStack)}
	}
	m.ctx, m.stack = ctx, m.whole
	return m
}

// putBack keeps the room that a machine has taken, and of what it knew that which does not come from the input.
func (p *Program) putBack(m *machine) {
	for _, at := range p.fixed {
		m.lasting = append(m.lasting, m.memo[at])
	}
	clear(m.memo)
	for i, at := range p.fixed {
		m.memo[at] = m.lasting[i]
	}
	for _, at := range m.called {
		*m.recent[at] = recent{}
	}
	m.lasting, m.called = m.lasting[:0], m.called[:0]
	clear(m.results)
	clear(m.whole[:min(m.deepest, len(m.whole))])
	m.ctx, m.results, m.steps, m.deepest, m.foreign = nil, m.results[:0], 0, 0, nil
	m.arena.reset()
	p.idle.Put(m)
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

package vm

import (
	"errors"
	"fmt"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/open-policy-agent/opa/v1/topdown/builtins"
)

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

// settle puts the members of a collection in the order in which an iteration sees them.
func settle(v Value) {
	switch v := v.(type) {
	case *Set:
		v.settle()
	case *Object:
		v.settle()
	}
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
func (m *machine) upsert(v Value, path []Value, value Value) Value {
	if len(path) == 0 {
		return value
	}
	old, _ := v.(*Object)
	out := m.arena.object(1)
	if old != nil {
		out = m.arena.object(len(old.keys) + 1)
		for i, key := range old.keys {
			out.PutNew(key, old.vals[i])
		}
	}
	out.Put(path[0], m.upsert(out.Get(path[0]), path[1:], value))
	return out
}

// merge joins two objects, and the objects that both hold under one key. On anything else they must not meet; a has the
// last word where values are no objects.
func (m *machine) merge(a, b Value) (Value, bool) {
	x, ok := a.(*Object)
	if !ok {
		return nil, false
	}
	y, ok := b.(*Object)
	if !ok {
		return nil, false
	}
	out := m.arena.object(len(x.keys) + len(y.keys))
	for i, key := range x.keys {
		v := x.vals[i]
		if other := y.Get(key); other != nil {
			if both, ok := m.merge(v, other); ok {
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

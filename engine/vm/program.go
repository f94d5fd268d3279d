package vm

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// opcode says what an instruction does. A register or operand is a number: from 0 on a local variable of the function,
// below 0 a constant of the program (the constant at place ^n).
type opcode uint8

const (
	opReturn     opcode = iota // the value is operand a
	opJump                     // to
	opMove                     // a := operand b
	opMoveOnce                 // a := operand b; a conflict when a holds another value
	opClear                    // a becomes undefined
	opKnown                    // operand a, a path of data, is defined, else to
	opDot                      // a := operand b at operand c, else to
	opEqualAt                  // operand b at operand c equals operand d, else to
	opLen                      // a := length of operand b
	opEqual                    // operands a and b are equal, else to
	opNotEqual                 // operands a and b differ, else to
	opIsArray                  // operand a is an array, else to
	opIsObject                 // operand a is an object, else to
	opIsSet                    // operand a is a set, else to
	opDefined                  // operand a is defined, else to
	opUndefined                // operand a is undefined, else to
	opArray                    // a := empty array with room for b; its own one when c is set
	opObject                   // a := empty object; its own one when c is set
	opSet                      // a := empty set; its own one when c is set
	opList                     // a := array of the d operands from c on in the list of arguments
	opRecord                   // a := object of the keys in constant b and the d operands from c on in the list of arguments
	opAppend                   // array a gets operand b
	opInsert                   // object a gets operand c under operand b; d such statements fill it
	opInsertOnce               // the same; a conflict when another value is there
	opMerge                    // a := operands b and c, two objects, merged; b has the last word
	opAdd                      // set a gets operand b
	opRule                     // a := function b of input and data, once for each pair of them, else to
	opCall                     // a := function b of the operands from c on in the list of arguments, else to
	opBuiltin                  // a := builtin b of the operands from c on in the list of arguments, else to
	opRuleHolds                // the same, and else to when it is false; also the next two
	opCallHolds
	opBuiltinHolds
	opDynamic // a := the rule at the path of d operands from c on in the list of arguments, else to
	opScan    // begins the iteration d over operand a: b, c := first key and value, else to
	opNext    // b, c := next key and value of operand a in iteration d, and to, unless there is none
	opWith    // keeps register a and sets it to operand b, at the path c of d keys
	opWithout // gives register a back what the innermost opWith kept
	opResult  // adds operand a to the results
)

// statement is an instruction as it is assembled and kept. Every field but op and line has the meaning that op gives it.
type statement struct {
	op         opcode
	a, b, c, d int32
	to         int32 // where to go on when the statement is undefined
	line       int32 // of the rule in the source file of the function
}

// instr is an instruction as it runs: a statement in as few bytes as possible, since most of them run once and have to come
// from memory.
type instr struct {
	op         opcode
	a, b, c, d int16
	to         int16
}

// function is a planned rule, function or entrypoint.
type function struct {
	code   []instr
	args   []int16 // operands of calls and paths
	ready  atomic.Bool
	params int32
	locals int32
	loops  int32
	fixed  bool  // never looks at the input
	file   int32 // place of the source file in Program.files
	name   string
	packed string // code and args before they are needed, with lines
}

// ref is what rules call the function, e.g. data.loopx.plan.item: the planner puts the number of a scope before it.
func (f *function) ref() string {
	if _, ref, ok := strings.Cut(f.name, "."); ok {
		return ref
	}
	return f.name
}

// body is what a function executes, as it is kept.
type body struct {
	code []statement
	args []int32
}

// Program is a planned bundle together with its data. It does not change and is safe for use by many goroutines.
type Program struct {
	consts   []Value
	refs     []ref            // which constants are places in data
	paths    map[string]int32 // data path of a rule, elements joined by \x00, to its function
	files    []string
	funcs    []function
	plans    map[string]int32 // entrypoint, e.g. loopx/plan/item, to its function
	names    []string         // of the builtins
	builtins []builtin
	natives  []native // the same of this package, nil where there is none
	fixed    []int32  // the functions that never look at the input
	data     Value

	// What builtins prepare once for arguments that the program holds.
	replacers sync.Map     // *Object to *strings.Replacer
	patterns  sync.Map     // String to *regexp.Regexp
	kept      atomic.Int32 // patterns
	prepared  atomic.Int32 // replacers

	idle sync.Pool // of machines

	unpacking sync.Mutex
	slab      []instr // room for the next functions that are unpacked, so that what runs one after the other lies together
}

// ref is a constant that is a place in data.
type ref struct {
	at   int32
	path []string
}

// Has says whether the program has an entrypoint, e.g. loopx/plan/item.
func (p *Program) Has(entrypoint string) bool {
	_, ok := p.plans[entrypoint]
	return ok
}

// Entrypoints are the names of what can be evaluated, in order.
func (p *Program) Entrypoints() []string {
	out := make([]string, 0, len(p.plans))
	for name := range p.plans {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// WithData is the program over other data.
func (p *Program) WithData(data Value) (*Program, error) {
	if _, ok := data.(*Object); !ok {
		return nil, fmt.Errorf("data is no object")
	}
	Settle(data)
	out := &Program{
		refs: p.refs, paths: p.paths, files: p.files, plans: p.plans, names: p.names, builtins: p.builtins, natives: p.natives, data: data,
	}
	out.consts = slices.Clone(p.consts)
	for _, r := range p.refs {
		v := data
		for _, key := range r.path {
			if v = get(v, String(key)); v == nil {
				break
			}
		}
		out.consts[r.at] = v
	}
	out.funcs = make([]function, len(p.funcs))
	for i := range p.funcs {
		f, to := &p.funcs[i], &out.funcs[i]
		to.name, to.file, to.packed, to.fixed = f.name, f.file, f.packed, f.fixed
		to.params, to.locals, to.loops = f.params, f.locals, f.loops
		if f.fixed {
			out.fixed = append(out.fixed, int32(i))
		}
	}
	Settle(&Array{elems: out.consts})
	return out, nil
}

// link finds the builtins that the program names.
func (p *Program) link() error {
	p.builtins = make([]builtin, len(p.names))
	p.natives = make([]native, len(p.names))
	for i, name := range p.names {
		b, err := foreign(name)
		if err != nil {
			return err
		}
		p.builtins[i], p.natives[i] = b, natives[name]
	}
	return nil
}

func pathKey(path []string) string { return strings.Join(path, "\x00") }

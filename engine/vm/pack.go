package vm

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
)

var errTooLarge = errors.New("more variables, constants or statements than a function can have")

// pack writes a body as bytes. Every number in it but a line must fit an instruction.
func (b *body) pack() (string, error) {
	fits := func(numbers ...int32) bool {
		return !slices.ContainsFunc(numbers, func(n int32) bool { return n < math.MinInt16 || n > math.MaxInt16 })
	}
	if !fits(b.args...) {
		return "", errTooLarge
	}
	out := binary.AppendUvarint(nil, uint64(len(b.args)))
	for _, v := range b.args {
		out = binary.AppendVarint(out, int64(v))
	}
	out = binary.AppendUvarint(out, uint64(len(b.code)))
	for _, in := range b.code {
		if !fits(in.a, in.b, in.c, in.d, in.to) {
			return "", errTooLarge
		}
		out = append(out, byte(in.op))
		for _, v := range [...]int32{in.a, in.b, in.c, in.d, in.to, in.line} {
			out = binary.AppendVarint(out, int64(v))
		}
	}
	return string(out), nil
}

// unpack takes the body of a function apart.
func (f *function) unpack() *body {
	r := newReader(f.packed)
	b := &body{args: make([]int32, r.count())}
	for i := range b.args {
		b.args[i] = int32(r.int())
	}
	b.code = make([]statement, r.count())
	for i := range b.code {
		b.code[i] = r.statement()
	}
	return b
}

func (r *reader) statement() statement {
	in := statement{op: opcode(r.byte())}
	in.a, in.b, in.c, in.d = int32(r.int()), int32(r.int()), int32(r.int()), int32(r.int())
	in.to, in.line = int32(r.int()), int32(r.int())
	return in
}

// slabSize is for how many instructions room is made at once.
const slabSize = 1 << 12

// prepare makes a function ready to run. Its bytes were checked when the program was assembled.
func (p *Program) prepare(f *function) {
	p.unpacking.Lock()
	defer p.unpacking.Unlock()
	if f.ready.Load() {
		return
	}
	r := newReader(f.packed)
	args := make([]int16, r.count())
	for i := range args {
		args[i] = int16(r.int())
	}
	n := r.count()
	if n > len(p.slab) {
		p.slab = make([]instr, max(n, slabSize))
	}
	code := p.slab[:n:n]
	p.slab = p.slab[n:]
	for i := range code {
		s := r.statement()
		code[i] = instr{op: s.op, a: int16(s.a), b: int16(s.b), c: int16(s.c), d: int16(s.d), to: int16(s.to)}
	}
	f.code, f.args = code, args
	f.ready.Store(true)
}

// line is the line in the source of an instruction.
func (f *function) line(in *instr) int {
	code := f.unpack().code
	for i := range f.code {
		if &f.code[i] == in {
			return int(code[i].line)
		}
	}
	return 0
}

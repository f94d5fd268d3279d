package vm

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

var (
	errShort    = errors.New("program ends early")
	errDeep     = errors.New("values too deep in one another")
	errTooLarge = errors.New("more variables, constants or statements than a function can have")
)

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

// Kinds of values in bytes.
const (
	tagNull byte = iota
	tagFalse
	tagTrue
	tagInt
	tagNumber
	tagString
	tagArray
	tagObject
	tagSet
)

// AppendValue writes a settled value.
func AppendValue(out []byte, v Value) []byte {
	switch v := v.(type) {
	case Bool:
		if v {
			return append(out, tagTrue)
		}
		return append(out, tagFalse)
	case Int:
		return binary.AppendVarint(append(out, tagInt), int64(v))
	case Number:
		return appendText(append(out, tagNumber), string(v))
	case String:
		return appendText(append(out, tagString), string(v))
	case *Array:
		out = binary.AppendUvarint(append(out, tagArray), uint64(len(v.elems)))
		for _, elem := range v.elems {
			out = AppendValue(out, elem)
		}
		return out
	case *Object:
		v.settle()
		out = binary.AppendUvarint(append(out, tagObject), uint64(len(v.keys)))
		for i := range v.keys {
			out = AppendValue(AppendValue(out, v.keys[i]), v.vals[i])
		}
		return out
	case *Set:
		v.settle()
		out = binary.AppendUvarint(append(out, tagSet), uint64(len(v.keys)))
		for _, elem := range v.keys {
			out = AppendValue(out, elem)
		}
		return out
	}
	return append(out, tagNull)
}

func appendText(out []byte, s string) []byte {
	return append(binary.AppendUvarint(out, uint64(len(s))), s...)
}

// MarshalBinary writes the program without its data.
func (p *Program) MarshalBinary() ([]byte, error) {
	var out []byte
	list := func(texts []string) {
		out = binary.AppendUvarint(out, uint64(len(texts)))
		for _, s := range texts {
			out = appendText(out, s)
		}
	}
	table := func(m map[string]int32) {
		names := make([]string, 0, len(m))
		for name := range m {
			names = append(names, name)
		}
		slices.Sort(names)
		list(names)
		for _, name := range names {
			out = binary.AppendUvarint(out, uint64(m[name]))
		}
	}
	out = binary.AppendUvarint(out, uint64(len(p.consts)))
	refs := map[int32]bool{}
	for _, r := range p.refs {
		refs[r.at] = true
	}
	for i, v := range p.consts {
		if refs[int32(i)] {
			v = Null{}
		}
		out = AppendValue(out, v)
	}
	out = binary.AppendUvarint(out, uint64(len(p.refs)))
	for _, r := range p.refs {
		out = binary.AppendUvarint(out, uint64(r.at))
		list(r.path)
	}
	list(p.files)
	list(p.names)
	out = binary.AppendUvarint(out, uint64(len(p.funcs)))
	for i := range p.funcs {
		f := &p.funcs[i]
		out = appendText(out, f.name)
		for _, n := range [...]int32{f.file, f.params, f.locals, f.loops} {
			out = binary.AppendVarint(out, int64(n))
		}
		out = AppendValue(out, Bool(f.fixed))
		out = appendText(out, f.packed)
	}
	table(p.paths)
	table(p.plans)
	return out, nil
}

// Read takes a program from the bytes of MarshalBinary and joins it with its data. The program keeps parts of the text.
func Read(data string, values Value) (p *Program, err error) {
	defer func() {
		if r := recover(); r != nil {
			p, err = nil, fmt.Errorf("read program: %v", r)
		}
	}()
	r := newReader(data)
	p = &Program{}
	p.consts = make([]Value, r.count())
	for i := range p.consts {
		p.consts[i] = r.value()
	}
	p.refs = make([]ref, r.count())
	for i := range p.refs {
		p.refs[i] = ref{r.below(len(p.consts)), r.texts()}
	}
	p.files = r.texts()
	p.names = r.texts()
	p.funcs = make([]function, r.count())
	for i := range p.funcs {
		f := &p.funcs[i]
		f.name = r.text()
		f.file, f.params, f.locals, f.loops = int32(r.int()), int32(r.int()), int32(r.int()), int32(r.int())
		f.fixed = r.value() == Bool(true)
		f.packed = r.text()
	}
	p.paths = r.table(len(p.funcs))
	p.plans = r.table(len(p.funcs))
	if len(r.data) > 0 {
		return nil, fmt.Errorf("read program: %d bytes too many", len(r.data))
	}
	if err := p.link(); err != nil {
		return nil, err
	}
	return p.WithData(values)
}

// ReadValue takes a value from the bytes of AppendValue and gives the bytes after it.
func ReadValue(data string) (v Value, rest string, err error) {
	defer func() {
		if r := recover(); r != nil {
			v, rest, err = nil, "", fmt.Errorf("read value: %v", r)
		}
	}()
	r := newReader(data)
	v = r.value()
	return v, r.data, nil
}

// reader takes bytes apart. It panics with errShort, or when a number is out of range.
type reader struct {
	data  string
	room  int // what may still be counted: no two records share a byte
	depth int // of the collections around the value at hand
}

func newReader(data string) reader { return reader{data: data, room: len(data)} }

// maxDepth is as deep as encoding/json reads.
const maxDepth = 10_000

func (r *reader) byte() byte {
	if len(r.data) == 0 {
		panic(errShort)
	}
	b := r.data[0]
	r.data = r.data[1:]
	return b
}

// uint reads a number as binary.Uvarint does.
func (r *reader) uint() uint64 {
	var out uint64
	for i := range min(len(r.data), binary.MaxVarintLen64) {
		c := r.data[i]
		out |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			r.data = r.data[i+1:]
			return out
		}
	}
	panic(errShort)
}

// int reads a number as binary.Varint does.
func (r *reader) int() int64 {
	u := r.uint()
	if u&1 != 0 {
		return ^int64(u >> 1)
	}
	return int64(u >> 1)
}

// count is a number of records, each of which takes a byte at least.
func (r *reader) count() int {
	v := r.uint()
	if v > uint64(len(r.data)) || v > uint64(r.room) {
		panic(errShort)
	}
	r.room -= int(v)
	return int(v)
}

func (r *reader) text() string {
	n := r.count()
	out := r.data[:n]
	r.data = r.data[n:]
	return out
}

func (r *reader) texts() []string {
	out := make([]string, r.count())
	for i := range out {
		out[i] = r.text()
	}
	return out
}

func (r *reader) table(limit int) map[string]int32 {
	names := r.texts()
	out := make(map[string]int32, len(names))
	for _, name := range names {
		out[name] = r.below(limit)
	}
	return out
}

// below is a place in a list.
func (r *reader) below(limit int) int32 {
	v := r.uint()
	if v >= uint64(limit) {
		panic(errShort)
	}
	return int32(v)
}

func (r *reader) enter() {
	if r.depth++; r.depth > maxDepth {
		panic(errDeep)
	}
}

func (r *reader) value() Value {
	switch tag := r.byte(); tag {
	case tagNull:
		return Null{}
	case tagFalse:
		return Bool(false)
	case tagTrue:
		return Bool(true)
	case tagInt:
		return Int(r.int())
	case tagNumber:
		return Number(r.text())
	case tagString:
		return String(r.text())
	case tagArray:
		elems := make([]Value, r.count())
		r.enter()
		for i := range elems {
			elems[i] = r.value()
		}
		r.depth--
		return &Array{elems: elems}
	case tagObject:
		n := r.count()
		r.enter()
		out := NewObject(n)
		for range n {
			out.keys = append(out.keys, r.value())
			out.vals = append(out.vals, r.value())
		}
		r.depth--
		out.settled = true
		return out
	case tagSet:
		n := r.count()
		r.enter()
		out := NewSet(n)
		for range n {
			out.keys = append(out.keys, r.value())
		}
		r.depth--
		out.settled = true
		return out
	default:
		panic(fmt.Sprintf("unknown kind of value %d", tag))
	}
}

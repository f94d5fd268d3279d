package vm

import (
	"encoding/binary"
	"errors"
	"fmt"
)

var (
	errShort = errors.New("program ends early")
	errDeep  = errors.New("values too deep in one another")
)

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

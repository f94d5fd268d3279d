package vm

import (
	"encoding/binary"
	"slices"
)

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

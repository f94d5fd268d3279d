package bundle

import (
	"bytes"
	"embed"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/version"
)

// A snapshot is a compiled bundle as bytes: a table of strings, a table of terms in which a term only refers to earlier
// ones and equal terms are stored once, the data, the explanations of the rules, and the modules with the modules that
// each one needs. Every part can be read alone, so that a command reads the modules behind its entrypoints and the
// strings and terms that these name. Parsing and compiling take most of a cold start; this takes a small part of that.
//
// It is bound to the digest of the sources and to the OPA version, so that a snapshot that does not belong to the rules
// in the binary is never used.

//go:generate go run ./gen snapshot snapshot/bundle.bin

//go:embed snapshot
var snapshotFS embed.FS

const snapshotFile = "snapshot/bundle.bin"

// snapshotMagic changes with the format and with the compiler whose output a snapshot is.
var snapshotMagic = "loopx-bundle-3 " + version.Version + "\n"

// Kinds of terms in a snapshot.
const (
	kindNull byte = iota
	kindFalse
	kindTrue
	kindNumber
	kindString
	kindVar
	kindRef
	kindArray
	kindObject
	kindSet
	kindCall
	kindArrayComprehension
	kindSetComprehension
	kindObjectComprehension
)

// Kinds of expressions in a snapshot.
const (
	exprTerm byte = iota
	exprCall
	exprEvery
)

// Flags of expressions, rules and heads in a snapshot.
const (
	flagNegated byte = 1 << iota
	flagGenerated
	flagWith
)

const (
	flagDefault byte = 1 << iota
	flagElse
	flagIndexed // holds a comprehension that the compiler indexes
)

const (
	flagKey byte = 1 << iota
	flagValue
	flagAssign
)

// encoder writes a snapshot. Its tables grow while the modules are written.
type encoder struct {
	compiler *ast.Compiler
	strings  map[string]uint64
	stringed []string
	terms    map[string]uint64
	table    [][]byte
	err      error
}

// Snapshot compiles the embedded bundle from source, with every check, and gives its snapshot.
func Snapshot() ([]byte, error) {
	if _, err := Load(Options{Check: true}); err != nil {
		return nil, err
	}
	// Type checking against the input schema leaves no trace, but annotations do; compile once more without them.
	b, err := Load(Options{measure: measure{source: true, stages: true}})
	if err != nil {
		return nil, err
	}
	table, err := b.Explanations()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(table)
	if err != nil {
		return nil, err
	}
	return encode(b.compiler, b.data, string(text), b.digest)
}

func encode(compiler *ast.Compiler, data ast.Object, explanations, digest string) ([]byte, error) {
	e := &encoder{compiler: compiler, strings: map[string]uint64{}, terms: map[string]uint64{}}
	names := slices.Sorted(maps.Keys(compiler.Modules))
	needs := dependencies(names, compiler.Modules)
	var rest []byte
	rest = binary.AppendUvarint(rest, e.term(ast.NewTerm(data)))
	rest = binary.AppendUvarint(rest, e.text(explanations))
	rest = binary.AppendUvarint(rest, uint64(len(names)))
	for i, name := range names {
		rest = binary.AppendUvarint(rest, e.text(compiler.Modules[name].Package.Path.String()))
		rest = binary.AppendUvarint(rest, uint64(len(needs[i])))
		for _, need := range needs[i] {
			rest = binary.AppendUvarint(rest, uint64(need))
		}
		module := e.module(nil, name, compiler.Modules[name])
		rest = binary.AppendUvarint(rest, uint64(len(module)))
		rest = append(rest, module...)
	}
	if e.err != nil {
		return nil, e.err
	}
	texts := make([][]byte, len(e.stringed))
	for i, s := range e.stringed {
		texts[i] = []byte(s)
	}
	out := append([]byte(snapshotMagic), digest...)
	return append(appendTable(appendTable(out, texts), e.table), rest...), nil
}

// appendTable writes how many records there are, where each one begins, where the last one ends, and the records.
func appendTable(out []byte, records [][]byte) []byte {
	out = binary.AppendUvarint(out, uint64(len(records)))
	at := uint32(0)
	for _, record := range records {
		out = binary.LittleEndian.AppendUint32(out, at)
		at += uint32(len(record))
	}
	out = binary.LittleEndian.AppendUint32(out, at)
	return append(out, bytes.Join(records, nil)...)
}

// dependencies gives for each module the others that hold what its rules refer to, and the rest of its own package.
func dependencies(names []string, modules map[string]*ast.Module) [][]int {
	out := make([][]int, len(names))
	for i, name := range names {
		var refs []ast.Ref
		ast.WalkRefs(modules[name], func(ref ast.Ref) bool {
			if ref.HasPrefix(ast.DefaultRootRef) {
				refs = append(refs, ref.ConstantPrefix())
			}
			return false
		})
		for j, other := range names {
			path := modules[other].Package.Path
			needed := path.Equal(modules[name].Package.Path) ||
				slices.ContainsFunc(refs, func(ref ast.Ref) bool { return ref.HasPrefix(path) || path.HasPrefix(ref) })
			if j != i && needed {
				out[i] = append(out[i], j)
			}
		}
	}
	return out
}

func (e *encoder) fail(what string, node fmt.Stringer) {
	if e.err == nil {
		e.err = fmt.Errorf("snapshot: %s is not supported: %v", what, node)
	}
}

func (e *encoder) text(s string) uint64 {
	id, ok := e.strings[s]
	if !ok {
		id = uint64(len(e.stringed))
		e.strings[s] = id
		e.stringed = append(e.stringed, s)
	}
	return id
}

// term gives the number of a term in the table. Comprehensions are stored each time: the compiler indexes them by
// identity.
func (e *encoder) term(t *ast.Term) uint64 {
	var b []byte
	shared := true
	one := func(kind byte, s string) { b = binary.AppendUvarint(append(b, kind), e.text(s)) }
	list := func(kind byte, terms []*ast.Term) {
		b = binary.AppendUvarint(append(b, kind), uint64(len(terms)))
		for _, child := range terms {
			b = binary.AppendUvarint(b, e.term(child))
		}
	}
	switch v := t.Value.(type) {
	case ast.Null:
		b = append(b, kindNull)
	case ast.Boolean:
		if v {
			b = append(b, kindTrue)
		} else {
			b = append(b, kindFalse)
		}
	case ast.Number:
		one(kindNumber, string(v))
	case ast.String:
		one(kindString, string(v))
	case ast.Var:
		one(kindVar, string(v))
	case ast.Ref:
		list(kindRef, v)
	case ast.Call:
		list(kindCall, v)
	case *ast.Array:
		var terms []*ast.Term
		v.Foreach(func(x *ast.Term) { terms = append(terms, x) })
		list(kindArray, terms)
	case ast.Set:
		list(kindSet, v.Slice())
	case ast.Object:
		var terms []*ast.Term
		v.Foreach(func(k, x *ast.Term) { terms = append(terms, k, x) })
		list(kindObject, terms)
	case *ast.ArrayComprehension:
		shared = false
		b = e.body(binary.AppendUvarint(append(b, kindArrayComprehension), e.term(v.Term)), v.Body)
	case *ast.SetComprehension:
		shared = false
		b = e.body(binary.AppendUvarint(append(b, kindSetComprehension), e.term(v.Term)), v.Body)
	case *ast.ObjectComprehension:
		shared = false
		b = binary.AppendUvarint(append(b, kindObjectComprehension), e.term(v.Key))
		b = e.body(binary.AppendUvarint(b, e.term(v.Value)), v.Body)
	default:
		e.fail("term "+ast.ValueName(t.Value), t)
	}
	if shared {
		if id, ok := e.terms[string(b)]; ok {
			return id
		}
		e.terms[string(b)] = uint64(len(e.table))
	}
	e.table = append(e.table, b)
	return uint64(len(e.table) - 1)
}

func (e *encoder) location(b []byte, loc *ast.Location) []byte {
	if loc == nil {
		return append(b, 0)
	}
	b = binary.AppendUvarint(b, uint64(loc.Row)+1)
	return binary.AppendUvarint(b, uint64(loc.Col))
}

func (e *encoder) body(b []byte, body ast.Body) []byte {
	b = binary.AppendUvarint(b, uint64(len(body)))
	for _, x := range body {
		b = e.expr(b, x)
	}
	return b
}

func (e *encoder) expr(b []byte, x *ast.Expr) []byte {
	var flags byte
	if x.Negated {
		flags |= flagNegated
	}
	if x.Generated {
		flags |= flagGenerated
	}
	if len(x.With) > 0 {
		flags |= flagWith
	}
	b = e.location(binary.AppendUvarint(append(b, flags), uint64(x.Index)), x.Location)
	switch terms := x.Terms.(type) {
	case *ast.Term:
		b = binary.AppendUvarint(append(b, exprTerm), e.term(terms))
	case []*ast.Term:
		b = binary.AppendUvarint(append(b, exprCall), uint64(len(terms)))
		for _, t := range terms {
			b = binary.AppendUvarint(b, e.term(t))
		}
	case *ast.Every:
		b = e.location(append(b, exprEvery), terms.Location)
		b = e.optional(b, terms.Key)
		b = binary.AppendUvarint(b, e.term(terms.Value))
		b = binary.AppendUvarint(b, e.term(terms.Domain))
		b = e.body(b, terms.Body)
	default:
		e.fail(fmt.Sprintf("expression %T", terms), x)
	}
	if len(x.With) > 0 {
		b = binary.AppendUvarint(b, uint64(len(x.With)))
		for _, w := range x.With {
			b = binary.AppendUvarint(b, e.term(w.Target))
			b = binary.AppendUvarint(b, e.term(w.Value))
		}
	}
	return b
}

func (e *encoder) optional(b []byte, t *ast.Term) []byte {
	if t == nil {
		return append(b, 0)
	}
	return binary.AppendUvarint(b, e.term(t)+1)
}

func (e *encoder) module(b []byte, name string, m *ast.Module) []byte {
	b = binary.AppendUvarint(b, e.text(name))
	b = e.location(b, m.Package.Location)
	b = binary.AppendUvarint(b, e.term(ast.NewTerm(m.Package.Path)))
	b = binary.AppendUvarint(b, uint64(len(m.Rules)))
	for _, r := range m.Rules {
		b = e.rule(b, r)
	}
	return b
}

func (e *encoder) rule(b []byte, r *ast.Rule) []byte {
	var flags byte
	if r.Default {
		flags |= flagDefault
	}
	if r.Else != nil {
		flags |= flagElse
	}
	if e.indexed(r) {
		flags |= flagIndexed
	}
	b = e.location(append(b, flags), r.Location)
	h := r.Head
	flags = 0
	if h.Key != nil {
		flags |= flagKey
	}
	if h.Value != nil {
		flags |= flagValue
	}
	if h.Assign {
		flags |= flagAssign
	}
	b = e.location(append(b, flags), h.Location)
	b = binary.AppendUvarint(b, e.text(string(h.Name)))
	b = binary.AppendUvarint(b, e.term(ast.NewTerm(h.Reference)))
	b = binary.AppendUvarint(b, uint64(len(h.Args)))
	for _, a := range h.Args {
		b = binary.AppendUvarint(b, e.term(a))
	}
	if h.Key != nil {
		b = binary.AppendUvarint(b, e.term(h.Key))
	}
	if h.Value != nil {
		b = binary.AppendUvarint(b, e.term(h.Value))
	}
	b = e.body(b, r.Body)
	if r.Else != nil {
		b = e.rule(b, r.Else)
	}
	return b
}

// indexed tells whether the compiler has an index for a comprehension of the rule.
func (e *encoder) indexed(r *ast.Rule) bool {
	found := false
	ast.WalkTerms(r, func(t *ast.Term) bool {
		found = found || e.compiler.ComprehensionIndex(t) != nil
		return found
	})
	return found
}

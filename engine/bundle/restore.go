package bundle

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/open-policy-agent/opa/v1/ast"
)

// restored is what a snapshot holds.
type restored struct {
	modules map[string]*ast.Module
	// indexed holds the rules with comprehensions that the compiler indexes. Looking for them in every rule takes as
	// long as everything else together.
	indexed map[string]*ast.Module
	data    ast.Object
	// explanations is JSON that is only read when somebody asks.
	explanations string
}

// readSnapshot gives the embedded snapshot when it was made from the sources with this digest by this OPA version: all of
// it, or what the entrypoints need.
func readSnapshot(digest string, only []string) (*restored, bool) {
	text, err := snapshotFS.ReadFile(snapshotFile)
	if err != nil {
		return nil, false
	}
	// The bytes are part of the binary and never change, so they can be read as a string without a copy.
	rest, ok := strings.CutPrefix(unsafe.String(unsafe.SliceData(text), len(text)), snapshotMagic)
	if !ok {
		return nil, false
	}
	if rest, ok = strings.CutPrefix(rest, digest); !ok {
		return nil, false
	}
	out, err := decode(rest, only)
	return out, err == nil
}

// decoder reads a snapshot.
type decoder struct {
	in      string
	strings table
	terms   table
	known   []*ast.Term // the terms that were read
	below   uint64      // a term refers only to those before it
	slab    []ast.Term
	file    string
	last    *ast.Location
	indexed []*ast.Rule
}

// table holds records one after the other, and where each one begins.
type table struct{ starts, records string }

func (t table) start(i uint64) int {
	s := t.starts[4*i : 4*i+4]
	return int(s[0]) | int(s[1])<<8 | int(s[2])<<16 | int(s[3])<<24
}

func (t table) record(i uint64) string { return t.records[t.start(i):t.start(i+1)] }

// damaged is what the decoder panics with.
type damaged string

func decode(in string, only []string) (out *restored, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case damaged:
			err = fmt.Errorf("snapshot: %s", string(r))
		default:
			err = fmt.Errorf("snapshot: %v", r)
		}
	}()
	d := &decoder{in: in}
	d.strings, _ = d.table()
	terms := 0
	d.terms, terms = d.table()
	d.known, d.below = make([]*ast.Term, terms), uint64(terms)
	out = &restored{modules: make(map[string]*ast.Module), indexed: make(map[string]*ast.Module)}
	var ok bool
	if out.data, ok = d.term().Value.(ast.Object); !ok {
		panic(damaged("data is no object"))
	}
	out.explanations = d.text()
	modules := make([]storedModule, d.count())
	for i := range modules {
		modules[i] = d.stored()
	}
	if d.in != "" {
		panic(damaged("trailing bytes"))
	}
	for i, needed := range needed(modules, only) {
		if !needed {
			continue
		}
		d.in, d.indexed = modules[i].body, nil
		name, m := d.module()
		if d.in != "" {
			panic(damaged("trailing bytes in a module"))
		}
		out.modules[name] = m
		out.indexed[name] = &ast.Module{Package: m.Package, Rules: d.indexed}
	}
	return out, nil
}

// storedModule is a module that was not read yet.
type storedModule struct {
	path  string // of its package
	needs []int
	body  string
}

func (d *decoder) stored() storedModule {
	m := storedModule{path: d.text(), needs: make([]int, d.count())}
	for i := range m.needs {
		m.needs[i] = int(d.uint())
	}
	n := d.count()
	m.body, d.in = d.in[:n], d.in[n:]
	return m
}

// needed marks the modules behind entrypoints; without any, all of them.
func needed(modules []storedModule, only []string) []bool {
	out := make([]bool, len(modules))
	var mark func(i int)
	mark = func(i int) {
		if out[i] {
			return
		}
		out[i] = true
		for _, need := range modules[i].needs {
			mark(need)
		}
	}
	for i, m := range modules {
		if len(only) == 0 || slices.ContainsFunc(only, func(entrypoint string) bool {
			return strings.HasPrefix(entrypoint, m.path) && strings.LastIndexByte(entrypoint, '.') == len(m.path)
		}) {
			mark(i)
		}
	}
	return out
}

func (d *decoder) table() (table, int) {
	n := d.count()
	size := 4 * (n + 1)
	t := table{starts: d.in[:size]}
	d.in = d.in[size:]
	length := t.start(uint64(n))
	t.records, d.in = d.in[:length], d.in[length:]
	return t, n
}

func (d *decoder) uint() uint64 {
	if len(d.in) > 0 && d.in[0] < 0x80 {
		v := d.in[0]
		d.in = d.in[1:]
		return uint64(v)
	}
	v, n := binary.Uvarint([]byte(d.in[:min(len(d.in), binary.MaxVarintLen64)]))
	if n <= 0 {
		panic(damaged("number expected"))
	}
	d.in = d.in[n:]
	return v
}

// count reads a number of things that each take at least one byte.
func (d *decoder) count() int {
	n := d.uint()
	if n > uint64(len(d.in)) {
		panic(damaged("count too large"))
	}
	return int(n)
}

func (d *decoder) byte() byte {
	b := d.in[0]
	d.in = d.in[1:]
	return b
}

func (d *decoder) text() string    { return d.strings.record(d.uint()) }
func (d *decoder) term() *ast.Term { return d.number(d.uint()) }
func (d *decoder) ref() ast.Ref    { return d.term().Value.(ast.Ref) }
func (d *decoder) optional() *ast.Term {
	if n := d.uint(); n > 0 {
		return d.number(n - 1)
	}
	return nil
}

// number gives a term of the table and reads it when it is asked for first.
func (d *decoder) number(i uint64) *ast.Term {
	if i >= d.below {
		panic(damaged("a term refers to a later one"))
	}
	if t := d.known[i]; t != nil {
		return t
	}
	if len(d.slab) == 0 {
		d.slab = make([]ast.Term, 512)
	}
	t := &d.slab[0]
	d.slab = d.slab[1:]
	in, below := d.in, d.below
	d.in, d.below = d.terms.record(i), i
	t = d.decodeTerm(t)
	if d.in != "" {
		panic(damaged("trailing bytes in a term"))
	}
	d.in, d.below = in, below
	d.known[i] = t
	return t
}

func (d *decoder) list() []*ast.Term {
	out := make([]*ast.Term, d.count())
	for i := range out {
		out[i] = d.term()
	}
	return out
}

func (d *decoder) decodeTerm(t *ast.Term) *ast.Term {
	switch kind := d.byte(); kind {
	case kindNull:
		return ast.InternedNullTerm
	case kindFalse:
		return ast.InternedTerm(false)
	case kindTrue:
		return ast.InternedTerm(true)
	case kindNumber:
		t.Value = ast.Number(d.text())
	case kindString:
		t.Value = ast.String(d.text())
	case kindVar:
		v := ast.Var(d.text())
		switch v {
		case ast.DefaultRootDocument.Value:
			return ast.DefaultRootDocument
		case ast.InputRootDocument.Value:
			return ast.InputRootDocument
		}
		t.Value = v
	case kindRef:
		t.Value = ast.Ref(d.list())
	case kindCall:
		t.Value = ast.Call(d.list())
	case kindArray:
		t.Value = ast.NewArray(d.list()...)
	case kindSet:
		t.Value = ast.NewSet(d.list()...)
	case kindObject:
		n := d.count()
		if n%2 != 0 {
			panic(damaged("object with an odd number of terms"))
		}
		items := make([][2]*ast.Term, n/2)
		for i := range items {
			items[i] = [2]*ast.Term{d.term(), d.term()}
		}
		t.Value = ast.NewObject(items...)
	case kindArrayComprehension:
		t.Value = &ast.ArrayComprehension{Term: d.term(), Body: d.body()}
	case kindSetComprehension:
		t.Value = &ast.SetComprehension{Term: d.term(), Body: d.body()}
	case kindObjectComprehension:
		t.Value = &ast.ObjectComprehension{Key: d.term(), Value: d.term(), Body: d.body()}
	default:
		panic(damaged("unknown kind of term"))
	}
	return t
}

// location shares one value among neighbours on the same line.
func (d *decoder) location() *ast.Location {
	row := int(d.uint())
	if row == 0 {
		return nil
	}
	row--
	col := int(d.uint())
	if d.last == nil || d.last.Row != row || d.last.File != d.file || d.last.Col != col {
		d.last = &ast.Location{File: d.file, Row: row, Col: col}
	}
	return d.last
}

func (d *decoder) body() ast.Body {
	n := d.count()
	body := make(ast.Body, n)
	slab := make([]ast.Expr, n)
	for i := range body {
		d.expr(&slab[i])
		body[i] = &slab[i]
	}
	return body
}

func (d *decoder) expr(x *ast.Expr) {
	flags := d.byte()
	x.Negated, x.Generated = flags&flagNegated != 0, flags&flagGenerated != 0
	x.Index = int(d.uint())
	x.Location = d.location()
	switch kind := d.byte(); kind {
	case exprTerm:
		x.Terms = d.term()
	case exprCall:
		x.Terms = d.list()
	case exprEvery:
		every := &ast.Every{Location: d.location(), Key: d.optional(), Value: d.term(), Domain: d.term()}
		every.Body = d.body()
		x.Terms = every
	default:
		panic(damaged("unknown kind of expression"))
	}
	if flags&flagWith != 0 {
		x.With = make([]*ast.With, d.count())
		for i := range x.With {
			x.With[i] = &ast.With{Target: d.term(), Value: d.term(), Location: x.Location}
		}
	}
}

func (d *decoder) module() (string, *ast.Module) {
	d.file = d.text()
	m := &ast.Module{Package: &ast.Package{Location: d.location(), Path: d.ref()}}
	m.Rules = make([]*ast.Rule, d.count())
	for i := range m.Rules {
		m.Rules[i] = d.rule(m)
	}
	return d.file, m
}

func (d *decoder) rule(m *ast.Module) *ast.Rule {
	flags := d.byte()
	r := &ast.Rule{Module: m, Default: flags&flagDefault != 0, Location: d.location()}
	head := d.byte()
	h := &ast.Head{Assign: head&flagAssign != 0, Location: d.location(), Name: ast.Var(d.text()), Reference: d.ref()}
	if n := d.count(); n > 0 {
		h.Args = make(ast.Args, n)
		for i := range h.Args {
			h.Args[i] = d.term()
		}
	}
	if head&flagKey != 0 {
		h.Key = d.term()
	}
	if head&flagValue != 0 {
		h.Value = d.term()
	}
	r.Head = h
	r.Body = d.body()
	if flags&flagElse != 0 {
		r.Else = d.rule(m)
	}
	if flags&flagIndexed != 0 {
		d.indexed = append(d.indexed, r)
	}
	return r
}

// link makes a compiler out of modules that are compiled already. Only the lookup structures are built.
func link(in *restored) *ast.Compiler {
	keep := map[ast.StageID]bool{
		ast.StageRemoveImports: true, ast.StageSetModuleTree: true, ast.StageSetRuleTree: true,
		ast.StageBuildRuleIndices: true, ast.StageBuildComprehensionIndices: true,
	}
	var skip []ast.StageID
	for _, stage := range ast.AllStages() {
		if !keep[stage] {
			skip = append(skip, stage)
		}
	}
	compiler := ast.NewCompiler().
		WithCapabilities(Capabilities()).
		WithDefaultRegoVersion(ast.RegoV1).
		WithSkipStages(skip...)
	// Compile copies the modules that it is given, so it gets empty ones and the real ones take their place afterwards.
	// Comprehensions are only looked for in the rules that are known to have indexed ones.
	use := func(after ast.StageID, modules map[string]*ast.Module) {
		compiler.WithStageAfterID(after, ast.CompilerStageDefinition{Name: "Use" + string(after), Stage: func(c *ast.Compiler) *ast.Error {
			c.Modules = modules
			return nil
		}})
	}
	use(ast.StageRemoveImports, in.modules)
	use(ast.StageBuildRuleIndices, in.indexed)
	use(ast.StageBuildComprehensionIndices, in.modules)
	empty := make(map[string]*ast.Module, len(in.modules))
	for name, m := range in.modules {
		empty[name] = &ast.Module{Package: m.Package}
	}
	compiler.Compile(empty)
	return compiler
}

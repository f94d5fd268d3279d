package bundle

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/loopx-dev/loopx-policy/engine/vm"
)

// Explanation is what a bundle says of one of its rules besides its effect.
type Explanation struct {
	Title string `json:"title,omitempty"`
	// Facts are the input paths that the rule reads, itself or through rules that decide nothing, such as "goal.waiting_on".
	Facts []string `json:"facts,omitempty"`
	// Decided are the fields of other tables that the rule reads. Each has an explanation of its own.
	Decided []string `json:"decided,omitempty"`

	// Values hold the same, ready to be used with input and output documents.
	Values struct {
		Title   vm.Value
		Facts   []FactValue
		Decided []vm.Value
	} `json:"-"`
}

// FactValue is an input path as a name and as its steps.
type FactValue struct {
	Name vm.Value
	Path []vm.Value
}

// Explanations gives the explanation of every rule by its id. It is worked out once: for the embedded bundle when its
// snapshot is made, for any other bundle at the first call. The caller may not change it.
func (b *Bundle) Explanations() (map[string]*Explanation, error) { return b.explain() }

func (b *Bundle) decodeExplanations() (map[string]*Explanation, error) {
	out := map[string]*Explanation{}
	var err error
	if b.known != nil {
		err = json.Unmarshal([]byte(b.known.explanations), &out)
	} else {
		out, err = explanations(b.compiler, b.rules)
	}
	if err != nil {
		return nil, fmt.Errorf("explanations of the rules: %w", err)
	}
	for _, e := range out {
		e.prepare()
	}
	return out, nil
}

func (e *Explanation) prepare() {
	e.Values.Title = vm.String(e.Title)
	for _, name := range e.Facts {
		fact := FactValue{Name: vm.String(name)}
		for step := range strings.SplitSeq(name, ".") {
			fact.Path = append(fact.Path, vm.String(step))
		}
		e.Values.Facts = append(e.Values.Facts, fact)
	}
	for _, field := range e.Decided {
		e.Values.Decided = append(e.Values.Decided, vm.String(field))
	}
}

// explanations reads titles from the METADATA of the sources, and what a rule reads from the compiled rules.
func explanations(compiler *ast.Compiler, sources []file) (map[string]*Explanation, error) {
	modules, err := parse(sources, compileOptions{annotations: true})
	if err != nil {
		return nil, err
	}
	out := map[string]*Explanation{}
	for _, module := range modules {
		for _, note := range module.Annotations {
			if note.Scope == "package" || note.Title == "" {
				continue
			}
			for _, id := range ruleIDs(note) {
				if _, known := out[id]; !known {
					out[id] = &Explanation{Title: note.Title}
				}
			}
		}
	}
	g := newReads(compiler)
	for _, name := range slices.Sorted(maps.Keys(g.rows)) {
		if out[name] == nil {
			out[name] = &Explanation{}
		}
		out[name].Facts, out[name].Decided = g.of(name)
	}
	return out, nil
}

func ruleIDs(note *ast.Annotations) []string {
	var ids []string
	if id, ok := note.Custom["id"].(string); ok {
		ids = append(ids, id)
	}
	if id, ok := note.Labels["rule"].(string); ok {
		ids = append(ids, id)
	}
	return ids
}

// Names that the rules and this package agree on: the key of a row that names its rule, the function that picks a row, and
// the objects that list the fields a package decides and what would have come next.
const (
	rowKey       = "rule"
	winnerRef    = "data.loopx.lib.rank.winner"
	firedName    = "fired"
	runnersName  = "runners"
	settingsRoot = "data.loopx.settings"
)

// reads answers which facts the rules of a compiled bundle read.
type reads struct {
	rules   map[string][]*ast.Rule // by reference, such as data.loopx.quota.state
	rows    map[string][]*ast.Rule // by rule id
	fields  map[string][]string    // decided fields by package
	decides map[string]bool        // by reference
	edges   map[string][]edge      // by reference, of all its rules
}

// edge is one reference out of a rule: an input path, or another rule.
type edge struct{ fact, rule string }

func newReads(compiler *ast.Compiler) *reads {
	g := &reads{
		rules: map[string][]*ast.Rule{}, rows: map[string][]*ast.Rule{}, fields: map[string][]string{},
		decides: map[string]bool{}, edges: map[string][]edge{},
	}
	for _, module := range compiler.Modules {
		for _, r := range module.Rules {
			name := module.Package.Path.String() + "." + ruleName(r, len(module.Package.Path))
			g.rules[name] = append(g.rules[name], r)
		}
	}
	for name, rules := range g.rules {
		for _, r := range rules {
			if strings.HasSuffix(name, "."+firedName) {
				pkg := packageOf(name)
				g.fields[pkg] = append(g.fields[pkg], fieldNames(r)...)
			}
			for _, id := range rowIDs(r) {
				g.rows[id] = append(g.rows[id], r)
			}
		}
	}
	return g
}

// ruleName is the part of a rule's reference that names it in its package.
func ruleName(r *ast.Rule, at int) string {
	if ref := r.Head.Reference; len(ref) > 0 {
		if v, ok := ref[0].Value.(ast.Var); ok && !v.Equal(ast.DefaultRootDocument.Value) {
			return string(v)
		}
		if len(ref) > at {
			if s, ok := ref[at].Value.(ast.String); ok {
				return string(s)
			}
		}
	}
	return string(r.Head.Name)
}

func packageOf(rule string) string { return rule[:strings.LastIndexByte(rule, '.')] }

// rowIDs lists the rule ids that a rule puts into rows.
func rowIDs(r *ast.Rule) []string {
	var ids []string
	ast.WalkTerms(r, func(t *ast.Term) bool {
		if object, ok := t.Value.(ast.Object); ok {
			if id := object.Get(ast.StringTerm(rowKey)); id != nil {
				if s, ok := id.Value.(ast.String); ok {
					ids = append(ids, string(s))
				}
			}
		}
		return false
	})
	return ids
}

// fieldNames lists the texts of a rule that may name a field: in its head, and anywhere but inside of a reference.
func fieldNames(r *ast.Rule) []string {
	var out []string
	add := func(t *ast.Term) bool {
		if s, ok := t.Value.(ast.String); ok {
			out = append(out, string(s))
		}
		_, inside := t.Value.(ast.Ref)
		return inside
	}
	if n := len(r.Head.Reference); n > 1 {
		add(r.Head.Reference[n-1])
	}
	if r.Head.Key != nil {
		ast.WalkTerms(r.Head.Key, add)
	}
	if r.Head.Value != nil {
		ast.WalkTerms(r.Head.Value, add)
	}
	ast.WalkTerms(r.Body, add)
	return out
}

// of gives the facts and the decided fields that the rows of a rule id read.
func (g *reads) of(id string) (facts, decided []string) {
	seen, found, fields := map[string]bool{}, map[string]bool{}, map[string]bool{}
	var follow func(home string, edges []edge)
	follow = func(home string, edges []edge) {
		for _, e := range edges {
			if e.fact != "" {
				found[e.fact] = true
				continue
			}
			if seen[e.rule] {
				continue
			}
			seen[e.rule] = true
			if pkg := packageOf(e.rule); pkg != home && len(g.fields[pkg]) > 0 && g.tabled(e.rule, map[string]bool{}) {
				for _, field := range g.fields[pkg] {
					fields[field] = true
				}
				continue
			}
			follow(home, g.out(e.rule))
		}
	}
	for _, r := range g.rows[id] {
		follow(r.Module.Package.Path.String(), g.from(r))
	}
	return leaves(slices.Sorted(maps.Keys(found))), slices.Sorted(maps.Keys(fields))
}

// leaves drops a path when a longer one says more; paths are sorted.
func leaves(paths []string) []string {
	var out []string
	for i, path := range paths {
		if !slices.ContainsFunc(paths[i+1:], func(other string) bool { return strings.HasPrefix(other, path+".") }) {
			out = append(out, path)
		}
	}
	return out
}

// tabled tells whether a rule takes the winner of a table, itself or through rules of its package.
func (g *reads) tabled(rule string, seen map[string]bool) bool {
	if known, ok := g.decides[rule]; ok {
		return known
	}
	if seen[rule] {
		return false
	}
	seen[rule] = true
	pkg, yes := packageOf(rule), false
	for _, e := range g.out(rule) {
		if e.rule == winnerRef || e.rule != "" && packageOf(e.rule) == pkg && g.tabled(e.rule, seen) {
			yes = true
			break
		}
	}
	g.decides[rule] = yes
	return yes
}

// out lists the references of all rules of one name.
func (g *reads) out(rule string) []edge {
	if known, ok := g.edges[rule]; ok {
		return known
	}
	var edges []edge
	for _, r := range g.rules[rule] {
		edges = append(edges, g.from(r)...)
	}
	g.edges[rule] = edges
	return edges
}

func (g *reads) from(r *ast.Rule) []edge {
	var edges []edge
	ast.WalkRefs(r, func(ref ast.Ref) bool {
		if path, ok := g.path(ref, 0); ok {
			if len(path) > 0 {
				edges = append(edges, edge{fact: strings.Join(path, ".")})
			}
			return false
		}
		if ref.HasPrefix(ast.DefaultRootRef) {
			if name, _ := g.target(ref); name != "" {
				edges = append(edges, edge{rule: name})
			}
		}
		return false
	})
	return edges
}

// maxSteps bounds the length of a fact's path.
const maxSteps = 4

// path gives the constant start of an input path that a reference stands for: directly, or through rules that only
// rename a part of the input, such as row := input.goal.
func (g *reads) path(ref ast.Ref, depth int) ([]string, bool) {
	if ref.HasPrefix(ast.InputRootRef) {
		return constants(ref[1:]), true
	}
	if depth > maxSteps || !ref.HasPrefix(ast.DefaultRootRef) {
		return nil, false
	}
	name, rest := g.target(ref)
	if rules := g.rules[name]; len(rules) == 1 {
		if of := renamed(rules[0]); of != nil {
			if path, ok := g.path(of, depth+1); ok {
				more := constants(rest)
				return append(path[:len(path):len(path)], more[:max(0, min(len(more), maxSteps-len(path)))]...), true
			}
		}
	}
	return nil, false
}

// renamed gives the reference that is all of a rule's value; nil when the rule does more.
func renamed(r *ast.Rule) ast.Ref {
	if len(r.Head.Args) > 0 || r.Head.Key != nil || r.Head.Value == nil || r.Default || r.Else != nil || len(r.Body) != 1 {
		return nil
	}
	if ref, ok := r.Head.Value.Value.(ast.Ref); ok {
		return ref
	}
	if x := r.Body[0]; !x.Negated && x.IsEquality() && x.Operand(0).Equal(r.Head.Value) {
		ref, _ := x.Operand(1).Value.(ast.Ref)
		return ref
	}
	return nil
}

func constants(terms []*ast.Term) []string {
	var parts []string
	for _, t := range terms {
		s, ok := t.Value.(ast.String)
		if !ok || len(parts) == maxSteps {
			break
		}
		parts = append(parts, string(s))
	}
	return parts
}

// target names the rule that a reference reads, and gives the rest of the reference. Settings and unknown documents have
// no rule.
func (g *reads) target(ref ast.Ref) (name string, rest ast.Ref) {
	name = string(ref[0].Value.(ast.Var))
	for i, t := range ref[1:] {
		s, ok := t.Value.(ast.String)
		if !ok {
			return "", nil
		}
		name += "." + string(s)
		if name == settingsRoot {
			return "", nil
		}
		if _, ok := g.rules[name]; ok {
			if base := name[strings.LastIndexByte(name, '.')+1:]; base == firedName || base == runnersName {
				return "", nil
			}
			return name, ref[i+2:]
		}
	}
	return "", nil
}

package decide

import (
	"strconv"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/loopx-dev/loopx-policy/engine/bundle"
)

// Keys of an explanation in a document.
var (
	keyExplain   = ast.InternedTerm("explain")
	keyFields    = ast.InternedTerm("fields")
	keyRule      = ast.InternedTerm("rule")
	keyTitle     = ast.InternedTerm("title")
	keyFacts     = ast.InternedTerm("facts")
	keyDecided   = ast.InternedTerm("decided")
	keyOtherwise = ast.InternedTerm("otherwise")
	keyRunners   = ast.InternedTerm("runners")
	keyValue     = ast.InternedTerm("value")
)

// explained turns the rows of an explanation, {"fields": winners, "runners": rows that would have won}, into what a reader
// needs: rule and value, the rule's title, the facts that it reads with their values in the input, the other decided fields
// that it rests on, and the row that would have come next. A document without an explanation stays as it is.
func explained(b *bundle.Bundle, doc ast.Object, input ast.Value) (ast.Object, error) {
	explain, ok := member(doc, keyExplain)
	if !ok {
		return doc, nil
	}
	fields, ok := member(explain, keyFields)
	if !ok {
		return doc, nil
	}
	rules, err := b.Explanations()
	if err != nil {
		return nil, err
	}
	runners, _ := member(explain, keyRunners)
	x := explainer{rules: rules, input: input, fields: fields, values: map[string]*ast.Term{}}
	out := make([][2]*ast.Term, 0, fields.Len())
	fields.Foreach(func(name, row *ast.Term) {
		object, ok := row.Value.(ast.Object)
		if !ok {
			return
		}
		var next ast.Object
		if runners != nil {
			next, _ = member(runners, name)
		}
		out = append(out, [2]*ast.Term{name, x.field(name, object, next)})
	})
	return with(doc, keyExplain, ast.ObjectTerm([2]*ast.Term{keyFields, ast.ObjectTerm(out...)})), nil
}

type explainer struct {
	rules  map[string]*bundle.Explanation
	input  ast.Value
	fields ast.Object
	values map[string]*ast.Term // of the paths that were asked for already; nil is no value
}

func (x *explainer) rule(row ast.Object) *bundle.Explanation {
	if id := row.Get(keyRule); id != nil {
		if s, ok := id.Value.(ast.String); ok {
			return x.rules[string(s)]
		}
	}
	return nil
}

// choice is what a row says: its rule, its value and the rule's title.
func (x *explainer) choice(row ast.Object) ([][2]*ast.Term, *bundle.Explanation) {
	out := make([][2]*ast.Term, 0, 6)
	for _, key := range []*ast.Term{keyRule, keyValue} {
		if value := row.Get(key); value != nil {
			out = append(out, [2]*ast.Term{key, value})
		}
	}
	e := x.rule(row)
	if e != nil {
		out = append(out, [2]*ast.Term{keyTitle, e.Terms.Title})
	}
	return out, e
}

func (x *explainer) field(name *ast.Term, row, next ast.Object) *ast.Term {
	out, e := x.choice(row)
	if next != nil {
		other, _ := x.choice(next)
		out = append(out, [2]*ast.Term{keyOtherwise, ast.ObjectTerm(other...)})
	}
	if e == nil {
		return ast.ObjectTerm(out...)
	}
	facts := make([][2]*ast.Term, 0, len(e.Terms.Facts))
	for i := range e.Terms.Facts {
		if value := x.value(e.Facts[i], e.Terms.Facts[i].Path); value != nil {
			facts = append(facts, [2]*ast.Term{e.Terms.Facts[i].Name, value})
		}
	}
	out = append(out, [2]*ast.Term{keyFacts, ast.ObjectTerm(facts...)})
	var decided []*ast.Term
	for _, field := range e.Terms.Decided {
		if !field.Equal(name) && x.fields.Get(field) != nil {
			decided = append(decided, field)
		}
	}
	if len(decided) > 0 {
		out = append(out, [2]*ast.Term{keyDecided, ast.ArrayTerm(decided...)})
	}
	return ast.ObjectTerm(out...)
}

// value is the compact form of a fact; nil when the input has none. An object has no compact form: its parts are facts of
// their own.
func (x *explainer) value(name string, path []*ast.Term) *ast.Term {
	if known, ok := x.values[name]; ok {
		return known
	}
	value := x.input
	for _, step := range path {
		object, ok := value.(ast.Object)
		if !ok {
			value = nil
			break
		}
		term := object.Get(step)
		if term == nil {
			value = nil
			break
		}
		value = term.Value
	}
	out := compact(value)
	x.values[name] = out
	return out
}

// Bounds of a compact value.
const (
	maxText  = 120
	maxItems = 3
)

func compact(value ast.Value) *ast.Term {
	switch v := value.(type) {
	case ast.String:
		if text := []rune(string(v)); len(text) > maxText {
			return ast.StringTerm(string(text[:maxText]) + "...")
		}
		return ast.NewTerm(v)
	case ast.Null, ast.Boolean, ast.Number:
		return ast.NewTerm(v)
	case *ast.Array:
		if n := v.Len(); n > 0 && n <= maxItems && !v.Until(func(t *ast.Term) bool { _, text := t.Value.(ast.String); return !text }) {
			return ast.NewTerm(v)
		}
		return ast.StringTerm(strconv.Itoa(v.Len()) + " items")
	}
	return nil
}

func member(object ast.Object, key *ast.Term) (ast.Object, bool) {
	term := object.Get(key)
	if term == nil {
		return nil, false
	}
	out, ok := term.Value.(ast.Object)
	return out, ok
}

// with copies an object with one key set.
func with(object ast.Object, key, value *ast.Term) ast.Object {
	out := make([][2]*ast.Term, 0, object.Len()+1)
	object.Foreach(func(k, v *ast.Term) {
		if !k.Equal(key) {
			out = append(out, [2]*ast.Term{k, v})
		}
	})
	return ast.NewObject(append(out, [2]*ast.Term{key, value})...)
}

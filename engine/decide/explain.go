package decide

import (
	"strconv"

	"github.com/loopx-dev/loopx-policy/engine/bundle"
	"github.com/loopx-dev/loopx-policy/engine/vm"
)

// Keys of an explanation in a document.
var (
	keyExplain   vm.Value = vm.String("explain")
	keyFields    vm.Value = vm.String("fields")
	keyRule      vm.Value = vm.String("rule")
	keyTitle     vm.Value = vm.String("title")
	keyFacts     vm.Value = vm.String("facts")
	keyDecided   vm.Value = vm.String("decided")
	keyOtherwise vm.Value = vm.String("otherwise")
	keyRunners   vm.Value = vm.String("runners")
	keyValue     vm.Value = vm.String("value")
)

// chosen is what of a row tells what it chose.
var chosen = []vm.Value{keyRule, keyValue}

// explained turns the rows of an explanation, {"fields": winners, "runners": rows that would have won}, into what a reader
// needs: rule and value, the rule's title, the facts that it reads with their values in the input, the other decided fields
// that it rests on, and the row that would have come next. A document without an explanation stays as it is.
func explained(b *bundle.Bundle, doc *vm.Object, input vm.Value) (*vm.Object, error) {
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
	x := explainer{rules: rules, input: input, fields: fields, values: map[string]vm.Value{}}
	out := vm.NewObject(fields.Len())
	for i := range fields.Len() {
		name, value := fields.Member(i)
		row, ok := value.(*vm.Object)
		if !ok {
			continue
		}
		var next *vm.Object
		if runners != nil {
			next, _ = member(runners, name)
		}
		out.Put(name, x.field(name, row, next))
	}
	told := vm.NewObject(1)
	told.Put(keyFields, out)
	return doc.With(keyExplain, told), nil
}

type explainer struct {
	rules  map[string]*bundle.Explanation
	input  vm.Value
	fields *vm.Object
	values map[string]vm.Value // of the paths that were asked for already; nil is no value
}

func (x *explainer) rule(row *vm.Object) *bundle.Explanation {
	id, ok := row.Get(keyRule).(vm.String)
	if !ok {
		return nil
	}
	return x.rules[string(id)]
}

// choice is what a row says: its rule, its value and the rule's title.
func (x *explainer) choice(row *vm.Object) (*vm.Object, *bundle.Explanation) {
	out := vm.NewObject(6)
	for _, key := range chosen {
		if value := row.Get(key); value != nil {
			out.PutNew(key, value)
		}
	}
	e := x.rule(row)
	if e != nil {
		out.PutNew(keyTitle, e.Values.Title)
	}
	return out, e
}

func (x *explainer) field(name vm.Value, row, next *vm.Object) vm.Value {
	out, e := x.choice(row)
	if next != nil {
		other, _ := x.choice(next)
		out.PutNew(keyOtherwise, other)
	}
	if e == nil {
		return out
	}
	facts := vm.NewObject(len(e.Facts))
	for i, fact := range e.Values.Facts {
		if value := x.value(e.Facts[i], fact.Path); value != nil {
			facts.PutNew(fact.Name, value)
		}
	}
	out.PutNew(keyFacts, facts)
	var decided []vm.Value
	for _, field := range e.Values.Decided {
		if !vm.Equal(field, name) && x.fields.Get(field) != nil {
			decided = append(decided, field)
		}
	}
	if len(decided) > 0 {
		out.PutNew(keyDecided, vm.NewArray(decided...))
	}
	return out
}

// value is the compact form of a fact; nil when the input has none. An object has no compact form: its parts are facts of
// their own.
func (x *explainer) value(name string, path []vm.Value) vm.Value {
	if known, ok := x.values[name]; ok {
		return known
	}
	value := x.input
	for _, step := range path {
		object, ok := value.(*vm.Object)
		if !ok {
			value = nil
			break
		}
		value = object.Get(step)
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

func compact(value vm.Value) vm.Value {
	switch v := value.(type) {
	case vm.String:
		if text := []rune(string(v)); len(text) > maxText {
			return vm.String(string(text[:maxText]) + "...")
		}
		return v
	case vm.Null, vm.Bool, vm.Int, vm.Number:
		return v
	case *vm.Array:
		if n := v.Len(); n > 0 && n <= maxItems && allTexts(v) {
			return v
		}
		return vm.String(strconv.Itoa(v.Len()) + " items")
	}
	return nil
}

func allTexts(list *vm.Array) bool {
	for i := range list.Len() {
		if _, text := list.Elem(i).(vm.String); !text {
			return false
		}
	}
	return true
}

func member(object *vm.Object, key vm.Value) (*vm.Object, bool) {
	out, ok := object.Get(key).(*vm.Object)
	return out, ok
}

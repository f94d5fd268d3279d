package decide

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/loopx-dev/loopx-policy/engine/vm"
)

// Document is an answer. It does not change and may be read by many goroutines.
type Document struct {
	// Kind names the schema in schemas/decision, e.g. "should-run".
	Kind string
	// Value is the answer as the bundle gave it.
	Value *vm.Object

	order  map[string]int
	fields func() (map[string]any, error)
	text   func() []byte
}

func newDocument(kind string, value *vm.Object, order map[string]int) *Document {
	vm.Settle(value)
	text := sync.OnceValue(func() []byte {
		w := writer{order: order}
		w.value(value, 0)
		return append(w.out, '\n')
	})
	return &Document{Kind: kind, Value: value, order: order, text: text, fields: sync.OnceValues(func() (map[string]any, error) {
		fields, _ := vm.ToGo(value).(map[string]any)
		return fields, nil
	})}
}

// OK is the document's own verdict on whether the question could be answered in good health.
func (d *Document) OK() bool {
	return d.Value.Get(keyOK) == vm.Bool(true)
}

// Fields gives the document as plain Go values with json.Number numbers. The caller may not change it.
func (d *Document) Fields() (map[string]any, error) { return d.fields() }

// Rank orders keys for reading; keys of equal rank go by name.
func (d *Document) Rank(key string) int { return rank(d.order, key) }

func rank(order map[string]int, key string) int {
	if r, ok := order[key]; ok {
		return r
	}
	return len(order)
}

// JSON writes the document with two spaces of indentation. Keys come in the bundle's reading order
// (settings output.order), then by name, so that the same answer is always the same bytes.
// The caller may not change them.
func (d *Document) JSON() []byte { return d.text() }

type writer struct {
	out   []byte
	order map[string]int
}

func (w *writer) newline(depth int) {
	w.out = append(w.out, '\n')
	for range depth {
		w.out = append(w.out, "  "...)
	}
}

func (w *writer) value(v vm.Value, depth int) {
	switch v := v.(type) {
	case *vm.Array:
		w.list(v.Len(), v.Elem, depth)
	case *vm.Set:
		w.list(v.Len(), v.Member, depth)
	case *vm.Object:
		w.object(v, depth)
	default:
		w.out = vm.AppendJSON(w.out, v)
	}
}

func (w *writer) list(n int, elem func(int) vm.Value, depth int) {
	if n == 0 {
		w.out = append(w.out, "[]"...)
		return
	}
	w.out = append(w.out, '[')
	for i := range n {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		w.newline(depth + 1)
		w.value(elem(i), depth+1)
	}
	w.newline(depth)
	w.out = append(w.out, ']')
}

func (w *writer) object(o *vm.Object, depth int) {
	if o.Len() == 0 {
		w.out = append(w.out, "{}"...)
		return
	}
	type entry struct {
		rank  int
		key   string
		value vm.Value
	}
	entries := make([]entry, o.Len())
	for i := range entries {
		k, v := o.Member(i)
		key := vm.KeyText(k)
		entries[i] = entry{rank(w.order, key), key, v}
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Or(cmp.Compare(a.rank, b.rank), strings.Compare(a.key, b.key)) })
	w.out = append(w.out, '{')
	for i, e := range entries {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		w.newline(depth + 1)
		w.out = append(vm.AppendText(w.out, e.key), ": "...)
		w.value(e.value, depth+1)
	}
	w.newline(depth)
	w.out = append(w.out, '}')
}

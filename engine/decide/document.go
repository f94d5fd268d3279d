package decide

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sort"
	"sync"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Document is an answer. It does not change and may be read by many goroutines.
type Document struct {
	// Kind names the schema in schemas/decision, e.g. "should-run".
	Kind string
	// Value is the answer as the bundle gave it.
	Value ast.Object

	order  map[string]int
	fields func() (map[string]any, error)
}

func newDocument(kind string, value ast.Object, order map[string]int) *Document {
	return &Document{Kind: kind, Value: value, order: order, fields: sync.OnceValues(func() (map[string]any, error) {
		decoded, err := ast.JSON(value)
		if err != nil {
			return nil, fmt.Errorf("decode document: %w", err)
		}
		fields, ok := decoded.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("decode document: not an object")
		}
		return fields, nil
	})}
}

// OK is the document's own verdict on whether the question could be answered in good health.
func (d *Document) OK() bool {
	ok := d.Value.Get(ast.InternedTerm("ok"))
	return ok != nil && ok.Value.Compare(ast.Boolean(true)) == 0
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
func (d *Document) JSON() []byte {
	w := writer{order: d.order}
	w.value(d.Value, 0)
	w.WriteByte('\n')
	return w.Bytes()
}

type writer struct {
	bytes.Buffer
	order map[string]int
}

func (w *writer) newline(depth int) {
	w.WriteByte('\n')
	for range depth {
		w.WriteString("  ")
	}
}

func (w *writer) value(v ast.Value, depth int) {
	switch v := v.(type) {
	case ast.Null:
		w.WriteString("null")
	case ast.Boolean:
		if v {
			w.WriteString("true")
		} else {
			w.WriteString("false")
		}
	case ast.Number:
		w.WriteString(string(v))
	case ast.String:
		w.text(string(v))
	case *ast.Array:
		w.list(v.Len(), v.Foreach, depth)
	case ast.Set:
		w.list(v.Len(), v.Foreach, depth)
	case ast.Object:
		w.object(v, depth)
	default:
		w.WriteString("null")
	}
}

func (w *writer) list(n int, each func(func(*ast.Term)), depth int) {
	if n == 0 {
		w.WriteString("[]")
		return
	}
	w.WriteByte('[')
	first := true
	each(func(t *ast.Term) {
		if !first {
			w.WriteByte(',')
		}
		first = false
		w.newline(depth + 1)
		w.value(t.Value, depth+1)
	})
	w.newline(depth)
	w.WriteByte(']')
}

func (w *writer) object(o ast.Object, depth int) {
	if o.Len() == 0 {
		w.WriteString("{}")
		return
	}
	type entry struct {
		key   string
		value ast.Value
	}
	entries := make([]entry, 0, o.Len())
	o.Foreach(func(k, v *ast.Term) {
		key, ok := k.Value.(ast.String)
		if !ok {
			key = ast.String(k.Value.String())
		}
		entries = append(entries, entry{string(key), v.Value})
	})
	sort.Slice(entries, func(i, j int) bool {
		if a, b := rank(w.order, entries[i].key), rank(w.order, entries[j].key); a != b {
			return a < b
		}
		return entries[i].key < entries[j].key
	})
	w.WriteByte('{')
	for i, e := range entries {
		if i > 0 {
			w.WriteByte(',')
		}
		w.newline(depth + 1)
		w.text(e.key)
		w.WriteString(": ")
		w.value(e.value, depth+1)
	}
	w.newline(depth)
	w.WriteByte('}')
}

func (w *writer) text(s string) {
	plain := true
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' || c >= 0x7f {
			plain = false
			break
		}
	}
	if plain {
		w.WriteByte('"')
		w.WriteString(s)
		w.WriteByte('"')
		return
	}
	encoder := json.NewEncoder(&w.Buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(s); err != nil { // a string always encodes
		panic(err)
	}
	w.Truncate(w.Len() - 1) // the encoder's newline
}

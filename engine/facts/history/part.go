package history

import (
	"encoding/json"
	"iter"
	"reflect"
	"strings"
)

// form is a struct that a nested object of a row is decoded into. Objects in the usual spelling are read without
// encoding/json, which scans a text twice and allocates for every value.
type form struct {
	names  []string
	simple bool // every field is a text, a truth value or raw JSON
}

// formOf follows the json tags of a struct type.
func formOf[T any]() form {
	t := reflect.TypeFor[T]()
	out := form{simple: t.NumField() <= 64}
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		raw := field.Type == reflect.TypeFor[json.RawMessage]()
		kind := field.Type.Kind()
		out.simple = out.simple && lowerName([]byte(name)) && (raw || kind == reflect.String || kind == reflect.Bool)
		out.names = append(out.names, name)
	}
	return out
}

// decode reads a nested object, which is valid JSON, into a pointer to a struct of the form. Fields of another type
// than expected are left out.
func (s *form) decode(raw []byte, out any, texts *texts) {
	v := reflect.ValueOf(out).Elem()
	v.SetZero()
	if s.simple && s.read(raw, v, texts) {
		return
	}
	v.SetZero()
	_ = json.Unmarshal(raw, out) // the text is valid JSON, so only a field of another type can fail
}

// read is false when only encoding/json can say which field gets which value: it takes names in any case, and of a
// repeated name the last value that fits.
func (s *form) read(raw []byte, v reflect.Value, texts *texts) bool {
	var seen uint64
	m := walkMembers(raw, 0, 1)
	for m.next() {
		if !lowerName(m.name) {
			return false
		}
		for i, name := range s.names {
			if string(m.name) != name {
				continue
			}
			if seen&(1<<i) != 0 {
				return false
			}
			seen |= 1 << i
			set(v.Field(i), m.value, texts)
		}
	}
	return m.at >= 0
}

// items gives the items of a list, which is valid JSON. Any other value has none.
func items(raw []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if len(raw) == 0 || raw[0] != '[' {
			return
		}
		at, closed := space(raw, 1), false
		for !closed && raw[at] != ']' {
			end := skip(raw, at, 1)
			if !yield(raw[at:end]) {
				return
			}
			at, closed = after(raw, end, ']')
		}
	}
}

func set(field reflect.Value, raw []byte, texts *texts) {
	switch field.Kind() {
	case reflect.String:
		if text, ok := str(raw); ok {
			field.SetString(texts.of(text))
		}
	case reflect.Bool:
		field.SetBool(string(raw) == "true")
	default:
		field.SetBytes(raw)
	}
}

// lowerName is true for a name that no other spelling stands for.
func lowerName(name []byte) bool {
	for _, c := range name {
		if (c < 'a' || c > 'z') && c != '_' && (c < '0' || c > '9') {
			return false
		}
	}
	return len(name) > 0
}

package safety

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// NotScanned stands for the class of what is too long or nested too deeply to be scanned.
const NotScanned = "not_scanned"

// Error is a refusal: a value holds private text. It names the class and the field, never the text
// (safety.refuse-not-redact).
type Error struct {
	Class   string // a class of the settings, or NotScanned
	Pointer string
	Message string
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s", place(e.Pointer), e.Message) }

func place(pointer string) string {
	if pointer == "" {
		return "the value itself"
	}
	return pointer
}

// Refuse gives an *Error when a value of JSON shape holds private text in a string, in a name or under a private name.
// Maps, lists and JSON inside of strings are searched to the end.
func (d *Detector) Refuse(value any) error {
	var first *Error
	d.walk(value, "", 0, func(e *Error) bool { first = e; return false })
	if first == nil {
		return nil
	}
	return first
}

// Value finds all private text in a value of JSON shape, in the order of its fields.
func (d *Detector) Value(value any) []Hit {
	var hits []Hit
	d.walk(value, "", 0, func(e *Error) bool {
		hits = append(hits, Hit{Class: e.Class, Pointer: e.Pointer})
		return true
	})
	return hits
}

// Strip gives a copy of a value without the fields and list elements that hold private text, and the classes that were
// dropped with how often (safety.strip). A private string alone becomes nil.
func (d *Detector) Strip(value any) (any, map[string]int) {
	stripped := map[string]int{}
	out, ok := d.strip(value, 0, stripped)
	if !ok {
		out = nil
	}
	return out, stripped
}

func (d *Detector) strip(value any, depth int, stripped map[string]int) (any, bool) {
	var found *Error
	stop := func(e *Error) bool { found = e; return false }
	switch v := value.(type) {
	case map[string]any:
		if depth > d.limits.Depth {
			break
		}
		out := make(map[string]any, len(v))
		for key, child := range v {
			found = nil
			if !d.name(key, "", stop) {
				stripped[found.Class]++
				continue
			}
			if kept, ok := d.strip(child, depth+1, stripped); ok {
				out[key] = kept
			}
		}
		return out, true
	case []any:
		if depth > d.limits.Depth {
			break
		}
		out := make([]any, 0, len(v))
		for _, child := range v {
			if kept, ok := d.strip(child, depth+1, stripped); ok {
				out = append(out, kept)
			}
		}
		return out, true
	}
	if d.walk(value, "", depth, stop) {
		return value, true
	}
	stripped[found.Class]++
	return nil, false
}

// walk calls found for private text until it gives false; it gives false when it was stopped.
func (d *Detector) walk(value any, pointer string, depth int, found func(*Error) bool) bool {
	if depth > d.limits.Depth {
		return found(&Error{Class: NotScanned, Pointer: pointer, Message: fmt.Sprintf("nested deeper than %d levels", d.limits.Depth)})
	}
	switch v := value.(type) {
	case string:
		return d.text(v, pointer, depth, found)
	case json.Number:
		return d.text(v.String(), pointer, depth, found)
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			at := pointer + "/" + escape(key)
			if d.private(key) != "" || len(d.Text(key)) > 0 || d.TooLong(key) {
				at = pointer + "/" + d.shown(key)
			}
			if !d.name(key, at, found) || !d.walk(v[key], at, depth+1, found) {
				return false
			}
		}
	case []any:
		for i, child := range v {
			if !d.walk(child, pointer+"/"+strconv.Itoa(i), depth+1, found) {
				return false
			}
		}
	case []string:
		for i, child := range v {
			if !d.walk(child, pointer+"/"+strconv.Itoa(i), depth+1, found) {
				return false
			}
		}
	}
	return true
}

// shown is a name as a refusal may show it: a private field's own name is no secret, a name with private text is.
func (d *Detector) shown(key string) string {
	if d.TooLong(key) || len(d.Text(key)) > 0 {
		return "(name)"
	}
	return escape(key)
}

func (d *Detector) name(key, pointer string, found func(*Error) bool) bool {
	if class := d.private(key); class != "" {
		return found(&Error{Class: class, Pointer: pointer, Message: "is a field of class " + class})
	}
	return d.text(key, pointer, d.limits.Depth, found)
}

func (d *Detector) text(text, pointer string, depth int, found func(*Error) bool) bool {
	if d.TooLong(text) {
		return found(&Error{Class: NotScanned, Pointer: pointer, Message: fmt.Sprintf("%d bytes, at most %d can be checked", len(text), d.limits.TextBytes)})
	}
	seen := map[string]bool{}
	for _, hit := range d.Text(text) {
		if !seen[hit.Class] {
			seen[hit.Class] = true
			if !found(&Error{Class: hit.Class, Pointer: pointer, Message: "holds text of class " + hit.Class}) {
				return false
			}
		}
	}
	inner, ok := embedded(text)
	if !ok || depth >= d.limits.Depth {
		return true
	}
	return d.walk(inner, pointer, depth+1, func(e *Error) bool { return seen[e.Class] || found(e) })
}

// embedded reads JSON inside of a string.
func embedded(text string) (any, bool) {
	trimmed := strings.TrimSpace(text)
	if !strings.HasPrefix(trimmed, "{") && !strings.HasPrefix(trimmed, "[") {
		return nil, false
	}
	var value any
	return value, json.Unmarshal([]byte(trimmed), &value) == nil
}

// private gives the class of a field whose name alone makes it private, else "".
func (d *Detector) private(key string) string {
	words := snake(key)
	if words == "" || slices.Contains(d.public, words) {
		return ""
	}
	joined := strings.ReplaceAll(words, "_", "")
	for _, f := range d.fields {
		if slices.Contains(f.Names, joined) ||
			slices.ContainsFunc(f.Suffixes, func(s string) bool { return strings.HasSuffix(words, s) }) ||
			slices.ContainsFunc(f.Prefixes, func(s string) bool { return strings.HasPrefix(words, s) }) {
			return f.Class
		}
	}
	return ""
}

// snake writes a name as lower-case words: apiKey, API-Key and api.key become api_key.
func snake(name string) string {
	var out strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			r = '_'
		case unicode.IsUpper(r) && i > 0 && (unicode.IsLower(runes[i-1]) || unicode.IsDigit(runes[i-1]) ||
			unicode.IsUpper(runes[i-1]) && i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			out.WriteByte('_')
		}
		out.WriteRune(unicode.ToLower(r))
	}
	return strings.Trim(out.String(), "_")
}

func escape(key string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(key) }

package schema

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Set is a directory of schemas that may refer to each other by file name. Nothing outside of it can be reached. It is
// safe for use by many goroutines.
type Set struct {
	fsys  fs.FS
	dir   string
	mu    sync.Mutex
	files map[string]map[string]any // parsed files
	nodes map[string]*node          // by file and pointer
}

// NewSet serves the *.json files of a directory.
func NewSet(fsys fs.FS, dir string) *Set {
	return &Set{fsys: fsys, dir: dir, files: map[string]map[string]any{}, nodes: map[string]*node{}}
}

// Schema gives the schema in a file, such as "plan.json".
func (s *Set) Schema(name string) (*Schema, error) {
	root, err := s.resolve(name, "")
	if err != nil {
		return nil, err
	}
	return &Schema{set: s, root: root}, nil
}

// Schema is one file of a set.
type Schema struct {
	set  *Set
	root *node
}

// node is one subschema in working form.
type node struct {
	at string // file#pointer, for messages

	never      bool // the schema `false`
	types      []string
	enums      [][]ast.Value // enum and const
	required   []string
	properties map[string]*node
	patterns   []patternNode
	additional *node
	names      *node
	items      *node
	contains   *node
	pattern    *regexp.Regexp
	dateTime   bool
	unique     bool
	bounds     []bound
	numbers    []numberBound
	all        []*node // allOf and $ref
	any, one   []*node
	not        *node
	when       *node // if
	then, els  *node
	needs      map[string][]string // dependentRequired

	raw  any
	file string
	once sync.Once
	err  error
}

type patternNode struct {
	match *regexp.Regexp
	node  *node
}

// bound limits how long a string, array or object is.
type bound struct {
	keyword string
	limit   int
}

type numberBound struct {
	keyword string
	limit   ast.Number
}

// annotations say something to readers and nothing about validity.
var annotations = []string{"$schema", "$id", "$comment", "$defs", "title", "description", "default", "examples", "deprecated"}

func (s *Set) load(name string) (map[string]any, error) {
	if doc, ok := s.files[name]; ok {
		return doc, nil
	}
	if name != path.Base(name) {
		return nil, fmt.Errorf("schema %s is outside of the set", name)
	}
	text, err := fs.ReadFile(s.fsys, path.Join(s.dir, name))
	if err != nil {
		return nil, fmt.Errorf("no schema %s", name)
	}
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("schema %s: %w", name, err)
	}
	s.files[name] = doc
	return doc, nil
}

// resolve finds a subschema by file and JSON pointer.
func (s *Set) resolve(name, pointer string) (*node, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := name + "#" + pointer
	if n, ok := s.nodes[key]; ok {
		return n, nil
	}
	doc, err := s.load(name)
	if err != nil {
		return nil, err
	}
	var raw any = doc
	if pointer != "" {
		for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
			object, ok := raw.(map[string]any)
			if !ok {
				return nil, fmt.Errorf("schema %s: nothing at %s", name, pointer)
			}
			if raw, ok = object[strings.NewReplacer("~1", "/", "~0", "~").Replace(token)]; !ok {
				return nil, fmt.Errorf("schema %s: nothing at %s", name, pointer)
			}
		}
	}
	n := &node{raw: raw, file: name, at: key}
	s.nodes[key] = n
	return n, nil
}

// child wraps a subschema that is written in place.
func (n *node) child(raw any, pointer ...string) *node {
	return &node{raw: raw, file: n.file, at: n.at + "/" + strings.Join(pointer, "/")}
}

// ready brings a node into working form, once.
func (s *Set) ready(n *node) error {
	n.once.Do(func() {
		n.err = s.prepare(n)
		n.raw = nil
	})
	return n.err
}

func (s *Set) prepare(n *node) error {
	if b, ok := n.raw.(bool); ok {
		n.never = !b
		return nil
	}
	raw, ok := n.raw.(map[string]any)
	if !ok {
		return fmt.Errorf("%s: a schema is an object or a boolean", n.at)
	}
	for keyword, v := range raw {
		if slices.Contains(annotations, keyword) {
			continue
		}
		if err := s.keyword(n, keyword, v); err != nil {
			return err
		}
	}
	if n.when == nil && (n.then != nil || n.els != nil) {
		return fmt.Errorf("%s: then and else need if", n.at)
	}
	return nil
}

func (s *Set) keyword(n *node, keyword string, v any) (err error) {
	wrong := func() error { return fmt.Errorf("%s: bad value for %s", n.at, keyword) }
	texts := func(v any) ([]string, bool) {
		list, ok := v.([]any)
		out := make([]string, len(list))
		for i, e := range list {
			var is bool
			out[i], is = e.(string)
			ok = ok && is
		}
		return out, ok
	}
	list := func() (out []*node) {
		for i, e := range v.([]any) {
			out = append(out, n.child(e, keyword, fmt.Sprint(i)))
		}
		return out
	}
	defer func() {
		if recover() != nil { // a failed type assertion below
			err = wrong()
		}
	}()
	switch keyword {
	case "type":
		if one, is := v.(string); is {
			n.types = []string{one}
		} else if n.types, is = texts(v); !is {
			return wrong()
		}
		for _, t := range n.types {
			if !slices.Contains([]string{"null", "boolean", "integer", "number", "string", "array", "object"}, t) {
				return wrong()
			}
		}
	case "enum":
		var values []ast.Value
		for _, e := range v.([]any) {
			values = append(values, ast.MustInterfaceToValue(e))
		}
		n.enums = append(n.enums, values)
	case "const":
		n.enums = append(n.enums, []ast.Value{ast.MustInterfaceToValue(v)})
	case "required":
		var is bool
		if n.required, is = texts(v); !is {
			return wrong()
		}
	case "properties":
		n.properties = map[string]*node{}
		for name, e := range v.(map[string]any) {
			n.properties[name] = n.child(e, keyword, name)
		}
	case "patternProperties":
		for text, e := range v.(map[string]any) {
			n.patterns = append(n.patterns, patternNode{regexp.MustCompile(text), n.child(e, keyword, text)})
		}
	case "additionalProperties":
		n.additional = n.child(v, keyword)
	case "propertyNames":
		n.names = n.child(v, keyword)
	case "items":
		n.items = n.child(v, keyword)
	case "contains":
		n.contains = n.child(v, keyword)
	case "pattern":
		n.pattern = regexp.MustCompile(v.(string))
	case "format":
		if v != "date-time" {
			return fmt.Errorf("%s: format %v is not supported", n.at, v)
		}
		n.dateTime = true
	case "uniqueItems":
		n.unique = v.(bool)
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		f := v.(float64)
		if f < 0 || f != float64(int(f)) {
			return wrong()
		}
		n.bounds = append(n.bounds, bound{keyword, int(f)})
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		n.numbers = append(n.numbers, numberBound{keyword, ast.MustInterfaceToValue(v.(float64)).(ast.Number)})
	case "$ref":
		name, pointer, _ := strings.Cut(v.(string), "#")
		if name == "" {
			name = n.file
		}
		target, err := s.resolve(name, pointer)
		if err != nil {
			return fmt.Errorf("%s: %w", n.at, err)
		}
		n.all = append(n.all, target)
	case "allOf":
		n.all = append(n.all, list()...)
	case "anyOf":
		n.any = list()
	case "oneOf":
		n.one = list()
	case "not":
		n.not = n.child(v, keyword)
	case "if":
		n.when = n.child(v, keyword)
	case "then":
		n.then = n.child(v, keyword)
	case "else":
		n.els = n.child(v, keyword)
	case "dependentRequired":
		n.needs = map[string][]string{}
		for name, e := range v.(map[string]any) {
			var is bool
			if n.needs[name], is = texts(e); !is {
				return wrong()
			}
		}
	default:
		return fmt.Errorf("%s: keyword %s is not supported", n.at, keyword)
	}
	return nil
}

// Check brings every part of the schema into working form, so that a fault in a branch that no document has reached yet
// is found too.
func (s *Schema) Check() error {
	seen := map[*node]bool{}
	var walk func(n *node) error
	walk = func(n *node) error {
		if n == nil || seen[n] {
			return nil
		}
		seen[n] = true
		if err := s.set.ready(n); err != nil {
			return err
		}
		next := slices.Concat(n.all, n.any, n.one, []*node{n.additional, n.names, n.items, n.contains, n.not, n.when, n.then, n.els})
		for _, p := range n.properties {
			next = append(next, p)
		}
		for _, p := range n.patterns {
			next = append(next, p.node)
		}
		for _, child := range next {
			if err := walk(child); err != nil {
				return err
			}
		}
		return nil
	}
	return walk(s.root)
}

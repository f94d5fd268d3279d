package schema

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/open-policy-agent/opa/v1/ast"
)

// maxProblems bounds how much of a bad document a message repeats.
const maxProblems = 5

// maxDepth bounds documents and the schemas that refer to themselves.
const maxDepth = 100

// Problem is one place where a document breaks its schema.
type Problem struct {
	Pointer string // where in the document; empty for the whole
	Message string
}

func (p Problem) String() string {
	if p.Pointer == "" {
		return p.Message
	}
	return p.Pointer + ": " + p.Message
}

// Validate gives the problems of a document, at most five; none when it fits. The error is a fault of the schema.
func (s *Schema) Validate(v ast.Value) ([]Problem, error) {
	c := &check{set: s.set}
	c.node(s.root, v, nil)
	return c.problems, c.err
}

type check struct {
	set      *Set
	problems []Problem
	err      error
	depth    int
}

// place is a way into the document, kept as a list and only written out for a problem.
type place struct {
	up  *place
	key string
}

func (p *place) String() string {
	if p == nil {
		return ""
	}
	return p.up.String() + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(p.key)
}

func (c *check) fail(at *place, format string, args ...any) {
	if len(c.problems) < maxProblems {
		c.problems = append(c.problems, Problem{at.String(), fmt.Sprintf(format, args...)})
	}
}

// try tells whether a value fits a node, without keeping problems.
func (c *check) try(n *node, v ast.Value, at *place) bool {
	inner := &check{set: c.set, depth: c.depth}
	inner.node(n, v, at)
	if inner.err != nil && c.err == nil {
		c.err = inner.err
	}
	return len(inner.problems) == 0
}

func (c *check) node(n *node, v ast.Value, at *place) {
	if c.err != nil || len(c.problems) >= maxProblems {
		return
	}
	if c.depth++; c.depth > maxDepth {
		c.fail(at, "nested deeper than %d levels", maxDepth)
		return
	}
	defer func() { c.depth-- }()
	if c.err = c.set.ready(n); c.err != nil {
		return
	}
	if n.never {
		c.fail(at, "not allowed")
		return
	}
	if len(n.types) > 0 && !isType(n.types, v) {
		c.fail(at, "expected %s, but got %s", strings.Join(n.types, " or "), typeName(v))
		return
	}
	for _, values := range n.enums {
		if !isOneOf(values, v) {
			c.fail(at, "%s is not one of %s", show(v), shown(values))
		}
	}
	switch v := v.(type) {
	case ast.String:
		c.text(n, string(v), at)
	case ast.Number:
		c.number(n, v, at)
	case *ast.Array:
		c.list(n, v.Len(), v.Foreach, at)
	case ast.Set:
		c.list(n, v.Len(), v.Foreach, at)
	case ast.Object:
		c.object(n, v, at)
	}
	c.combined(n, v, at)
}

func (c *check) combined(n *node, v ast.Value, at *place) {
	for _, sub := range n.all {
		c.node(sub, v, at)
	}
	if len(n.any) > 0 && c.matching(n.any, v, at) == 0 {
		c.fail(at, "fits none of the alternatives")
	}
	if len(n.one) > 0 {
		if fits := c.matching(n.one, v, at); fits != 1 {
			c.fail(at, "fits %d alternatives instead of one", fits)
		}
	}
	if n.not != nil && c.try(n.not, v, at) {
		c.fail(at, "has a form that is not allowed")
	}
	if n.when != nil {
		branch := n.els
		if c.try(n.when, v, at) {
			branch = n.then
		}
		if branch != nil {
			c.node(branch, v, at)
		}
	}
}

func (c *check) matching(nodes []*node, v ast.Value, at *place) (fits int) {
	for _, sub := range nodes {
		if c.try(sub, v, at) {
			fits++
		}
	}
	return fits
}

func (c *check) bounds(n *node, at *place, unit, least, most string, length int) {
	for _, b := range n.bounds {
		if b.keyword == least && length < b.limit {
			c.fail(at, "%d %s, at least %d needed", length, unit, b.limit)
		}
		if b.keyword == most && length > b.limit {
			c.fail(at, "%d %s, at most %d allowed", length, unit, b.limit)
		}
	}
}

func (c *check) text(n *node, s string, at *place) {
	if len(n.bounds) > 0 {
		c.bounds(n, at, "characters", "minLength", "maxLength", utf8.RuneCountInString(s))
	}
	if n.pattern != nil && !n.pattern.MatchString(s) {
		c.fail(at, "does not match %s", n.pattern)
	}
	if n.dateTime {
		if _, err := time.Parse(time.RFC3339Nano, s); err != nil {
			c.fail(at, "is not an RFC 3339 date-time")
		}
	}
}

func (c *check) number(n *node, v ast.Number, at *place) {
	for _, b := range n.numbers {
		order := v.Compare(b.limit)
		switch {
		case b.keyword == "minimum" && order < 0, b.keyword == "exclusiveMinimum" && order <= 0:
			c.fail(at, "%s is too small, limit %s", v, b.limit)
		case b.keyword == "maximum" && order > 0, b.keyword == "exclusiveMaximum" && order >= 0:
			c.fail(at, "%s is too large, limit %s", v, b.limit)
		}
	}
}

func (c *check) list(n *node, length int, each func(func(*ast.Term)), at *place) {
	c.bounds(n, at, "items", "minItems", "maxItems", length)
	if n.items == nil && n.contains == nil && !n.unique {
		return
	}
	i, found := 0, false
	seen := ast.NewSet()
	each(func(t *ast.Term) {
		here := &place{at, fmt.Sprint(i)}
		if n.items != nil {
			c.node(n.items, t.Value, here)
		}
		if n.contains != nil && !found {
			found = c.try(n.contains, t.Value, here)
		}
		if n.unique {
			if seen.Contains(t) {
				c.fail(here, "is there twice")
			}
			seen.Add(t)
		}
		i++
	})
	if n.contains != nil && !found {
		c.fail(at, "lacks a needed item")
	}
}

func (c *check) object(n *node, o ast.Object, at *place) {
	for _, name := range n.required {
		if o.Get(ast.InternedTerm(name)) == nil {
			c.fail(at, "missing properties: %q", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(n.needs)) {
		if o.Get(ast.StringTerm(name)) == nil {
			continue
		}
		for _, other := range n.needs[name] {
			if o.Get(ast.StringTerm(other)) == nil {
				c.fail(at, "property %q needs %q", name, other)
			}
		}
	}
	c.bounds(n, at, "properties", "minProperties", "maxProperties", o.Len())
	if n.properties == nil && n.patterns == nil && n.additional == nil && n.names == nil {
		return
	}
	o.Foreach(func(k, v *ast.Term) {
		key, ok := k.Value.(ast.String)
		if !ok {
			c.fail(at, "key %s is not a string", show(k.Value))
			return
		}
		c.property(n, string(key), v.Value, at)
	})
}

func (c *check) property(n *node, name string, v ast.Value, at *place) {
	here := &place{at, name}
	known := false
	if sub := n.properties[name]; sub != nil {
		known = true
		c.node(sub, v, here)
	}
	for _, p := range n.patterns {
		if p.match.MatchString(name) {
			known = true
			c.node(p.node, v, here)
		}
	}
	if !known && n.additional != nil {
		c.node(n.additional, v, here)
	}
	if n.names != nil {
		c.node(n.names, ast.String(name), here)
	}
}

func typeName(v ast.Value) string {
	switch v := v.(type) {
	case ast.Null:
		return "null"
	case ast.Boolean:
		return "boolean"
	case ast.Number:
		if isInteger(v) {
			return "integer"
		}
		return "number"
	case ast.String:
		return "string"
	case *ast.Array, ast.Set:
		return "array"
	case ast.Object:
		return "object"
	}
	return "unknown"
}

func isType(types []string, v ast.Value) bool {
	name := typeName(v)
	for _, t := range types {
		if t == name || t == "number" && name == "integer" {
			return true
		}
	}
	return false
}

// isInteger tells whether a number has no fraction: 1.0 and 1e3 are integers.
func isInteger(n ast.Number) bool {
	if _, ok := n.Int64(); ok {
		return true
	}
	if _, exponent, ok := strings.Cut(strings.ToLower(string(n)), "e"); ok && len(strings.TrimLeft(exponent, "+-0")) > 3 {
		return false // spelling such a number out would take all memory
	}
	r, ok := new(big.Rat).SetString(string(n))
	return ok && r.IsInt()
}

func isOneOf(values []ast.Value, v ast.Value) bool {
	for _, e := range values {
		if e.Compare(v) == 0 {
			return true
		}
	}
	return false
}

// show cuts a value short, so that a message stays a message.
func show(v ast.Value) string {
	const most = 60
	text := []rune(v.String())
	if len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(text)
}

func shown(values []ast.Value) string {
	var parts []string
	for i, v := range values {
		if i == 12 {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, show(v))
	}
	return strings.Join(parts, ", ")
}

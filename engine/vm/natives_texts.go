package vm

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

func onTexts(f func(a, b string) bool) native {
	return func(_ *machine, args []Value) (Value, bool) {
		a, ok1 := args[0].(String)
		b, ok2 := args[1].(String)
		if !ok1 || !ok2 {
			return nil, false
		}
		return Bool(f(string(a), string(b))), true
	}
}

func onText(f func(a, b string) string) native {
	return func(_ *machine, args []Value) (Value, bool) {
		a, ok1 := args[0].(String)
		b, ok2 := args[1].(String)
		if !ok1 || !ok2 {
			return nil, false
		}
		return String(f(string(a), string(b))), true
	}
}

func concat(_ *machine, args []Value) (Value, bool) {
	sep, ok := args[0].(String)
	if !ok {
		return nil, false
	}
	elems, ok := elements(args[1])
	if !ok {
		return nil, false
	}
	texts := make([]string, len(elems))
	for i, v := range elems {
		s, ok := v.(String)
		if !ok {
			return nil, false
		}
		texts[i] = string(s)
	}
	return String(strings.Join(texts, string(sep))), true
}

func formatInt(_ *machine, args []Value) (Value, bool) {
	n, ok := args[0].(Int)
	if !ok || args[1] != Int(10) {
		return nil, false
	}
	return String(strconv.FormatInt(int64(n), 10)), true
}

func lower(_ *machine, args []Value) (Value, bool) {
	s, ok := args[0].(String)
	return String(strings.ToLower(string(s))), ok
}

func upper(_ *machine, args []Value) (Value, bool) {
	s, ok := args[0].(String)
	return String(strings.ToUpper(string(s))), ok
}

func trimSpace(_ *machine, args []Value) (Value, bool) {
	s, ok := args[0].(String)
	return String(strings.TrimSpace(string(s))), ok
}

func replace(_ *machine, args []Value) (Value, bool) {
	s, ok1 := args[0].(String)
	old, ok2 := args[1].(String)
	with, ok3 := args[2].(String)
	return String(strings.ReplaceAll(string(s), string(old), string(with))), ok1 && ok2 && ok3 && old != ""
}

func split(m *machine, args []Value) (Value, bool) {
	s, ok1 := args[0].(String)
	sep, ok2 := args[1].(String)
	if !ok1 || !ok2 || sep == "" && !ascii(string(s)) {
		return nil, false
	}
	parts := strings.Split(string(s), string(sep))
	elems := m.arena.room(len(parts))
	for _, part := range parts {
		elems = append(elems, String(part))
	}
	return m.arena.array(elems), true
}

// substring leaves texts with more than ASCII to OPA.
func substring(_ *machine, args []Value) (Value, bool) {
	s, ok1 := args[0].(String)
	start, ok2 := args[1].(Int)
	n, ok3 := args[2].(Int)
	if !ok1 || !ok2 || !ok3 || start < 0 {
		return nil, false
	}
	if !ascii(string(s)) {
		return nil, false
	}
	start = min(start, Int(len(s)))
	if n < 0 || n > Int(len(s))-start {
		return s[start:], true
	}
	return s[start : start+n], true
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func indexOf(_ *machine, args []Value) (Value, bool) {
	s, ok1 := args[0].(String)
	part, ok2 := args[1].(String)
	if !ok1 || !ok2 || part == "" || !ascii(string(s)) || !ascii(string(part)) {
		return nil, false
	}
	return Int(strings.Index(string(s), string(part))), true
}

// format leaves numbers that are no int64 and collections to OPA, which has its own way to write them.
func format(_ *machine, args []Value) (Value, bool) {
	s, ok1 := args[0].(String)
	list, ok2 := args[1].(*Array)
	if !ok1 || !ok2 {
		return nil, false
	}
	out := make([]any, len(list.elems))
	for i, v := range list.elems {
		switch v := v.(type) {
		case Int:
			out[i] = int64(v)
		case String:
			out[i] = string(v)
		case Bool:
			out[i] = strconv.FormatBool(bool(v))
		default:
			return nil, false
		}
	}
	return String(fmt.Sprintf(string(s), out...)), true
}

// timeFormat writes an instant in UTC with a layout of its own. Zones and layouts with a name are OPA's.
func timeFormat(_ *machine, args []Value) (Value, bool) {
	given, ok := args[0].(*Array)
	if !ok || len(given.elems) != 3 {
		return nil, false
	}
	ns, ok := given.elems[0].(Int)
	layout, isText := given.elems[2].(String)
	if !ok || !isText || given.elems[1] != String("UTC") || !strings.Contains(string(layout), "2006") {
		return nil, false
	}
	return String(time.Unix(0, int64(ns)).UTC().Format(string(layout))), true
}

func digest(_ *machine, args []Value) (Value, bool) {
	s, ok := args[0].(String)
	if !ok {
		return nil, false
	}
	sum := sha256.Sum256([]byte(s))
	return String(hex.EncodeToString(sum[:])), true
}

// replaceN keeps what it prepares for the patterns that a program holds.
func replaceN(m *machine, args []Value) (Value, bool) {
	patterns, ok1 := args[0].(*Object)
	s, ok2 := args[1].(String)
	if !ok1 || !ok2 {
		return nil, false
	}
	if len(patterns.keys) == 0 {
		return s, true
	}
	if r, ok := m.p.replacers.Load(patterns); ok {
		return String(r.(*strings.Replacer).Replace(string(s))), true
	}
	patterns.settle()
	pairs := make([]string, 0, 2*len(patterns.keys))
	for i, key := range patterns.keys {
		old, ok1 := key.(String)
		with, ok2 := patterns.vals[i].(String)
		if !ok1 || !ok2 {
			return nil, false
		}
		pairs = append(pairs, string(old), string(with))
	}
	r := strings.NewReplacer(pairs...)
	if patterns.fixed && m.p.prepared.Add(1) <= maxPatterns {
		m.p.replacers.Store(patterns, r)
	}
	return String(r.Replace(string(s))), true
}

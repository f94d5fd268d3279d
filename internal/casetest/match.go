package casetest

import (
	"encoding/json"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// missing is what a pointer without a value resolves to.
type missing struct{}

// Resolve follows an RFC 6901 pointer.
func Resolve(doc any, pointer string) any {
	if pointer == "" {
		return doc
	}
	for raw := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		token := strings.NewReplacer("~1", "/", "~0", "~").Replace(raw)
		switch node := doc.(type) {
		case map[string]any:
			value, ok := node[token]
			if !ok {
				return missing{}
			}
			doc = value
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(node) {
				return missing{}
			}
			doc = node[i]
		default:
			return missing{}
		}
	}
	return doc
}

// Matches compares by equality, or by the one "$..." operator of want.
func Matches(got, want any) bool {
	if rule, ok := want.(map[string]any); ok && len(rule) == 1 {
		for op, arg := range rule {
			if known, result := operate(op, got, arg); known {
				return result
			}
		}
	}
	return reflect.DeepEqual(got, want)
}

func operate(op string, got, arg any) (known, result bool) {
	switch op {
	case "$in":
		return true, contains(arg, got)
	case "$len":
		n, ok := length(got)
		return true, ok && float64(n) == arg
	case "$contains":
		if text, ok := got.(string); ok {
			part, ok := arg.(string)
			return true, ok && strings.Contains(text, part)
		}
		return true, contains(got, arg)
	case "$set":
		return true, superset(got, arg) && superset(arg, got)
	case "$superset":
		return true, superset(got, arg)
	case "$matches":
		text, ok := got.(string)
		pattern, _ := arg.(string)
		return true, ok && regexp.MustCompile(pattern).MatchString(text)
	case "$nonempty":
		return true, truthy(got) == (arg == true)
	case "$gte":
		n, ok := got.(float64)
		least, _ := arg.(float64)
		return true, ok && n >= least && !math.IsNaN(n)
	}
	return false, false
}

func contains(list, item any) bool {
	items, _ := list.([]any)
	for _, each := range items {
		if reflect.DeepEqual(each, item) {
			return true
		}
	}
	return false
}

func superset(big, small any) bool {
	if _, ok := big.([]any); !ok {
		return false
	}
	items, _ := small.([]any)
	for _, item := range items {
		if !contains(big, item) {
			return false
		}
	}
	return true
}

func length(v any) (int, bool) {
	switch v := v.(type) {
	case string:
		return len([]rune(v)), true
	case []any:
		return len(v), true
	case map[string]any:
		return len(v), true
	}
	return 0, false
}

func truthy(v any) bool {
	switch v := v.(type) {
	case nil, missing:
		return false
	case bool:
		return v
	case float64:
		return v != 0
	}
	n, _ := length(v)
	return n > 0
}

func show(v any) string {
	if _, ok := v.(missing); ok {
		return "nothing"
	}
	out, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	if len(out) > 300 {
		return string(out[:300]) + "..."
	}
	return string(out)
}

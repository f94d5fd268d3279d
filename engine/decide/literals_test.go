package decide

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/bundle"
	"github.com/loopx-dev/loopx-policy/schemas"
)

const moduleRoot = "../.."

// decisionFields are the fields whose values say what was decided.
var decisionFields = []string{
	"state", "decision", "effective_action", "mode", "lane", "next_lane", "obligation", "action", "kind", "waiting_on",
	"recommended_mode", "notify", "cadence_class", "disposition", "monitor_mode", "selected_by", "scope", "severity",
	"blocked_action_scope", "safe_bypass_kind", "pause_cause", "liveness", "classification", "status", "decision_kind",
	"monitor_policy", "spend_policy", "task_scope", "agent_work_mode", "reason_codes", "stop_condition", "trigger",
}

// word is a name made of several words. A single common word such as "run" or "open" is not looked for, except states.
var word = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)+$`)

// neutral are names that facts and errors use and that decide nothing.
var neutral = []string{
	"public_claim", // a kind of decision scope in the todo grammar; the same word is a token of an action kind
}

// vocabulary collects what the decision schemas and the settings call states, lanes, modes and actions, the names of
// the fields of input and decision, and the states alone.
func vocabulary(t *testing.T) (words, fields, states map[string]bool) {
	t.Helper()
	words, fields, states = map[string]bool{}, map[string]bool{}, map[string]bool{}
	add := func(v any, single bool) {
		if s, ok := v.(string); ok && (single || word.MatchString(s)) && !slices.Contains(neutral, s) {
			words[s] = true
		}
	}
	var schema func(v any, field string)
	schema = func(v any, field string) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				schema(e, field)
			}
		case map[string]any:
			if slices.Contains(decisionFields, field) {
				add(v["const"], false)
				list, _ := v["enum"].([]any)
				for _, e := range list {
					add(e, field == "state")
				}
			}
			for key, e := range v {
				if key == "properties" || key == "$defs" {
					named, _ := e.(map[string]any)
					for name, sub := range named {
						fields[name] = true
						schema(sub, name)
					}
					continue
				}
				schema(e, field)
			}
		}
	}
	require.NoError(t, fs.WalkDir(schemas.FS, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(p) != ".json" {
			return err
		}
		text, err := fs.ReadFile(schemas.FS, p)
		require.NoError(t, err)
		var doc any
		require.NoError(t, json.Unmarshal(text, &doc), p)
		schema(doc, "")
		return nil
	}))

	b, err := bundle.Load(bundle.Options{})
	require.NoError(t, err)
	settings, err := b.Settings()
	require.NoError(t, err)
	var values func(v any)
	values = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				values(e)
			}
		case map[string]any:
			for _, e := range v {
				values(e)
			}
		default:
			add(v, false)
		}
	}
	for topic, section := range settings {
		if topic != "output" && topic != "refusal" { // names of fields and of errors
			values(section)
		}
	}
	plan, _ := settings["plan"].(map[string]any)
	groups, _ := plan["group_order"].([]any)
	for _, state := range groups {
		add(state, true)
		states[state.(string)] = true
	}
	output, _ := settings["output"].(map[string]any)
	order, _ := output["order"].([]any)
	for _, field := range order {
		fields[field.(string)] = true
	}
	return words, fields, states
}

// TestGoNamesNoDecision keeps policy out of Go: no string literal outside of tests and generated files may be the name
// of a state, lane, mode, action or classification. Such names come from the bundle. The name of a field may be another such
// name, but never a state's: a reader that needs it as the key of a file asks facts.KeyOf.
func TestGoNamesNoDecision(t *testing.T) {
	words, fields, states := vocabulary(t)
	for _, state := range []string{"eligible", "throttled", "operator_gate", "blocked_health", "paused"} {
		require.Contains(t, words, state)
	}
	require.Greater(t, len(words), 100)
	files := token.NewFileSet()
	require.NoError(t, filepath.WalkDir(moduleRoot, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); p != moduleRoot && (strings.HasPrefix(name, ".") || name == "testdata" || name == "fixtures") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(p)
		require.NoError(t, err)
		parsed, err := parser.ParseFile(files, p, text, parser.ParseComments)
		require.NoError(t, err)
		if ast.IsGenerated(parsed) {
			return nil
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Field:
				if n.Tag != nil { // a struct tag names a field
					n.Tag.Value = `""`
				}
			case *ast.ImportSpec:
				return false
			case *ast.BasicLit:
				if n.Kind == token.STRING {
					value, err := strconv.Unquote(n.Value)
					require.NoError(t, err)
					allowed := fields[value] && !states[value]
					assert.False(t, words[value] && !allowed, "%s: %q is a decision; take it from the bundle", files.Position(n.Pos()), value)
				}
			}
			return true
		})
		return nil
	}))
}

package collect_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/registry"
)

// TestInputsOfTheCases reads the project of every decision case: each gives a document that fits the schema, or a
// typed refusal.
func TestInputsOfTheCases(t *testing.T) {
	paths, err := filepath.Glob("../../../fixtures/cases/*/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".json"), func(t *testing.T) {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			var c struct {
				Now   time.Time
				Files map[string]any
				Steps []struct{ Args []any }
			}
			require.NoError(t, json.Unmarshal(text, &c))
			p := newProject(t, nil)
			for name, content := range c.Files {
				p.write(t, map[string]string{name: contentOf(t, content)})
			}
			option := func(name string) string {
				for _, step := range c.Steps {
					if i := slices.Index(step.Args, any(name)); i >= 0 && i+1 < len(step.Args) {
						value, _ := step.Args[i+1].(string)
						return value
					}
				}
				return ""
			}
			c0, err := p.openWith(t, registry.Options{Registry: option("--registry"), RuntimeRoot: option("--runtime-root")})
			if err == nil {
				var in *facts.Input
				request := facts.Request{Command: "should-run", GoalID: option("--goal-id"), AgentID: option("--agent-id")}
				if in, err = c0.Input(t.Context(), request, c.Now); err == nil {
					checkSchema(t, in)
					for _, f := range in.Findings {
						t.Logf("%s:%d: %s %s", f.File, f.Line, f.Code, f.Message)
						assert.NotContains(t, f.File+f.Message, p.dir, "no absolute path")
					}
				}
			}
			if err != nil {
				var refusal *facts.Error
				require.ErrorAs(t, err, &refusal)
				t.Log(err)
			}
		})
	}
}

// contentOf gives the text of a file of a case: text, a JSON value, or one of the forms of fixtures/cases.
func contentOf(t *testing.T, content any) string {
	t.Helper()
	if text, ok := content.(string); ok {
		return text
	}
	if form, ok := content.(map[string]any); ok && len(form) == 1 {
		if text, ok := form["$exec"].(string); ok {
			return text
		}
		if rows, ok := form["$jsonl"].([]any); ok {
			var out strings.Builder
			for _, row := range rows {
				text, err := json.Marshal(row)
				require.NoError(t, err)
				out.Write(append(text, '\n'))
			}
			return out.String()
		}
	}
	text, err := json.MarshalIndent(content, "", "  ")
	require.NoError(t, err)
	return string(text)
}

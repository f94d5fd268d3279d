package goalstate_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/goalstate"
)

func parse(text string) *goalstate.Document { return goalstate.Parse("STATE.md", []byte(text)) }

// agentTodo parses one agent todo with the given metadata.
func agentTodo(t *testing.T, tokens string) *facts.Todo {
	t.Helper()
	return only(t, parse("## Agent Todo\n\n- [ ] Text\n  <!-- loopx:todo "+tokens+" -->\n"))
}

func userTodo(t *testing.T, tokens string) *facts.Todo {
	t.Helper()
	return only(t, parse("## User Todo\n\n- [ ] Text\n  <!-- loopx:todo "+tokens+" -->\n"))
}

func only(t *testing.T, doc *goalstate.Document) *facts.Todo {
	t.Helper()
	require.Len(t, doc.Todos, 1)
	return doc.Todos[0]
}

func texts(doc *goalstate.Document) []string {
	out := []string{}
	for _, todo := range doc.Todos {
		out = append(out, todo.Role+": "+todo.Text)
	}
	return out
}

func codes(doc *goalstate.Document) []string {
	out := []string{}
	for _, finding := range doc.Findings {
		out = append(out, finding.Code)
	}
	return out
}

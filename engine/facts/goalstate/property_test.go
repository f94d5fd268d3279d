package goalstate_test

import (
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/loopx-dev/loopx-policy/engine/facts/goalstate"
)

// lines draws state files from pieces that meet each other in every order.
func lines() *rapid.Generator[[]string] {
	return rapid.SliceOfN(rapid.OneOf(
		rapid.SampledFrom([]string{
			"", "---", "```", "  ```", "~~~~", "# Title", "## Agent Todo", "## User Todo", "## Completed Work Archive", "## Next Action",
			"### Next Action", "## Notes", "- [ ] [P1] Todo é", "- [x] Done", "  - [-] Deferred", "- [] bad", "  continued", "\tcontinued",
			"<!-- loopx:todo todo_id=todo_one -->", "  <!-- loopx:todo todo_id=todo_one status=done -->",
			"  <!-- loopx:todo next_due_at=x claimed_by=a,b -->", "  <!-- loopx:todo", "prose",
			"<!-- loopx:next-action schema=loopx_next_action_binding_v0 todo_id=todo_one -->",
		}),
		rapid.StringMatching(`[^\r\n\x{FEFF}]{0,20}`),
	), 0, 40)
}

func comparable(doc *goalstate.Document) *goalstate.Document {
	doc.State.SHA256 = ""
	return doc
}

func TestLineEndsAreNeutral(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		file := lines().Draw(t, "file")
		want := comparable(parse(strings.Join(file, "\n")))
		assert.Equal(t, want, comparable(parse(strings.Join(file, "\r\n"))))
		assert.Equal(t, want, comparable(parse(strings.Join(file, "\r"))))
		assert.Equal(t, want, comparable(parse(strings.Join(file, "\n")+"\n")), "final newline")
	})
}

func TestByteOrderMarkIsNeutral(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		file := strings.Join(lines().Draw(t, "file"), "\n")
		assert.Equal(t, comparable(parse(file)), comparable(parse("\uFEFF"+file)))
	})
}

func TestInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkInvariants(t, parse(strings.Join(lines().Draw(t, "file"), "\n"))) })
}

// checkInvariants holds for every document: order, positions, unique ids, bounded valid text, nothing null.
func checkInvariants(t require.TestingT, doc *goalstate.Document) {
	require.NotNil(t, doc.Todos)
	require.NotNil(t, doc.State.Front)
	require.NotNil(t, doc.State.NextActions)
	require.NotNil(t, doc.State.NextActionTodoIDs)
	require.NotNil(t, doc.State.Malformed)
	require.LessOrEqual(t, len(doc.State.NextActions), 3)
	ids, count, line := map[string]bool{}, map[string]int{}, 0
	for _, todo := range doc.Todos {
		require.Greater(t, todo.Line, line, "file order")
		line = todo.Line
		count[todo.Role]++
		require.Equal(t, count[todo.Role], todo.Index)
		require.False(t, ids[todo.ID], "id %s is used twice", todo.ID)
		ids[todo.ID] = true
		require.Regexp(t, `^todo_[a-z0-9_-]{3,64}$`, todo.ID)
		require.Contains(t, []string{"user", "agent"}, todo.Role)
		require.Contains(t, []string{"open", "done", "blocked", "deferred"}, todo.Status)
		require.NotEmpty(t, todo.Section)
		require.NotEmpty(t, todo.Title)
		require.LessOrEqual(t, utf8.RuneCountInString(todo.Text), 500)
		require.True(t, utf8.ValidString(todo.Text))
	}
	for _, todo := range doc.Archived {
		require.False(t, ids[todo.ID], "archived id %s is active too", todo.ID)
		ids[todo.ID] = true
	}
	for _, finding := range doc.Findings {
		require.Equal(t, "goal", finding.Scope)
		require.Positive(t, finding.Line)
		require.Empty(t, finding.GoalID)
	}
}

// Prose between todos moves lines and nothing else.
func TestProseBetweenBlocksIsNeutral(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.IntRange(1, 8).Draw(t, "todos")
		plain, padded := "## Agent Todo\n", "## Agent Todo\n"
		for i := range count {
			block := "- [ ] todo " + strconv.Itoa(i) + "\n  <!-- loopx:todo status=open claimed_by=a" + strconv.Itoa(i) + " -->\n"
			plain += block
			padded += block + strings.Repeat("\nprose\n", rapid.IntRange(0, 2).Draw(t, "prose"))
		}
		want, got := parse(plain).Todos, parse(padded).Todos
		require.Len(t, got, len(want))
		for i := range want {
			got[i].Line = want[i].Line
			assert.Equal(t, want[i], got[i])
		}
	})
}

// A file made of the worst shapes must stay cheap: a step that goes back over what was read would take minutes.
func TestLinearTime(t *testing.T) {
	const size = 256 << 10
	for name, piece := range map[string]string{
		"continuations": "  a\n", "todos": "- [ ] a\n", "brackets": "- [", "scopes": "other:goal:a%2C", "ids": " todo_abc",
		"escapes": "%", "fences": "```a\n", "comments": "<!-- ", "metadata": "  <!-- loopx:todo status=done -->\n", "equals": "a=",
		"spaces": " ", "priority": "P", "headings": "## Agent Todo\n", "carriage returns": "\r", "dashes": "---\n",
	} {
		for prefix, start := range map[string]string{
			"text": "## Agent Todo\n- [ ] x\n", "next": "## Next Action\n- ", "scope list": "## Agent Todo\n- [ ] x\n  <!-- loopx:todo required_decision_scopes=",
		} {
			t.Run(prefix+" "+name, func(t *testing.T) {
				begin := time.Now()
				goalstate.Parse("STATE.md", []byte(start+strings.Repeat(piece, size/len(piece))+" -->\n"))
				assert.Less(t, time.Since(begin), 10*time.Second)
			})
		}
	}
}

package goalstate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts"
)

func TestFrontMatter(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want map[string]string
	}{
		"keys and quotes":           {"---\nstatus: active\nobjective: \"Ship: it\"\n---\n", map[string]string{"status": "active", "objective": "Ship: it"}},
		"a later key wins":          {"---\nstatus: a\nstatus: b\n---\n", map[string]string{"status": "b"}},
		"only at the start":         {"\n---\nstatus: active\n---\n", map[string]string{}},
		"never closed":              {"---\nstatus: active\n", map[string]string{}},
		"cut at the next three":     {"---\nobjective: a---b\nstatus: active\n---\n", map[string]string{"objective": "a"}},
		"lines without a colon":     {"---\nstatus\n: x\n\nowner_mode: goal\n---\n", map[string]string{"owner_mode": "goal"}},
		"after a byte order mark":   {"\uFEFF---\nstatus: active\n---\n", map[string]string{"status": "active"}},
		"windows line ends":         {"---\r\nstatus: active\r\n---\r\n", map[string]string{"status": "active"}},
		"nothing but front matter":  {"---\n---", map[string]string{}},
		"an unknown key is kept":    {"---\nx-team: blue\n---\n", map[string]string{"x-team": "blue"}},
		"quotes on one end only":    {"---\nobjective: \"half\n---\n", map[string]string{"objective": "half"}},
		"value with spaces trimmed": {"---\nobjective:   two words  \n---\n", map[string]string{"objective": "two words"}},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, parse(c.text).State.Front) })
	}
}

func TestFrontMatterNeverHidesTodos(t *testing.T) {
	doc := parse("---\n## Agent Todo\n- [ ] Between two rules\n---\n")
	assert.Equal(t, []string{"agent: Between two rules"}, texts(doc))
}

func TestSections(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"user names":                  {"## My USER Todo list\n- [ ] a\n## Owner Review Reading Queue\n- [ ] b\n## owner reading queue\n- [ ] c\n", []string{"user: a", "user: b", "user: c"}},
		"agent names":                 {"## Agent Todo\n- [ ] a\n## Codex Todo\n- [ ] b\n## Project Agent Todo\n- [ ] c\n", []string{"agent: a", "agent: b", "agent: c"}},
		"archive is checked first":    {"## Agent Todo Archive\n- [ ] a\n## Completed Work for the user todo\n- [x] b\n## 待办归档\n- [x] c\n## 完成归档\n- [x] d\n", []string{}},
		"other heading ends it":       {"## Agent Todo\n- [ ] a\n## Notes\n- [ ] b\n", []string{"agent: a"}},
		"deeper heading does not":     {"## Agent Todo\n- [ ] a\n### Agent details\n- [ ] b\n", []string{"agent: a", "agent: b"}},
		"deeper heading never starts": {"### Agent Todo\n- [ ] a\n", []string{}},
		"two hashes and a space":      {"##Agent Todo\n- [ ] a\n ## Agent Todo\n- [ ] b\n##\tAgent Todo\n- [ ] c\n# Agent Todo\n- [ ] d\n", []string{}},
		"outside any section":         {"- [ ] a\n# Title\n- [ ] b\n", []string{}},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, texts(parse(c.text))) })
	}
}

func TestSectionsOfOneRoleAreMerged(t *testing.T) {
	doc := parse("## Codex Todo\n- [ ] a\n## User Todo\n- [ ] u\n## Agent Todo\n- [ ] b\n")
	require.Equal(t, []string{"agent: a", "user: u", "agent: b"}, texts(doc))
	assert.Equal(t, "Codex Todo", doc.State.AgentSection)
	assert.Equal(t, "User Todo", doc.State.UserSection)
	last := doc.Todos[2]
	assert.Equal(t, []any{2, 6, "Codex Todo"}, []any{last.Index, last.Line, last.Section})
}

func TestTaskLine(t *testing.T) {
	for line, want := range map[string]string{
		"- [ ] x":        "open",
		"* [ ] x":        "open",
		"- [x] x":        "done",
		"- [X] x":        "done",
		"- [-] x":        "deferred",
		"    -   [ ]  x": "open",
		"\t- [ ]\tx":     "open",
		"-\u00a0[ ] x":   "open",
		"- [] x":         "",
		"+ [ ] x":        "",
		"1. [ ] x":       "",
		"- [ ]x":         "",
		"-[ ] x":         "",
		"- [ ] ":         "",
		"- [  ] x":       "",
		"- [?] x":        "",
		"- ( ) x":        "",
		"[ ] x":          "",
	} {
		t.Run(line, func(t *testing.T) {
			doc := parse("## Agent Todo\n" + line + "\n")
			if want == "" {
				assert.Empty(t, doc.Todos)
				return
			}
			assert.Equal(t, want, only(t, doc).Status)
			assert.Equal(t, "x", only(t, doc).Text)
			assert.Empty(t, doc.State.Malformed)
		})
	}
}

func TestMalformedTodoLines(t *testing.T) {
	for line, want := range map[string][]string{
		"- [] x":                      {"agent"},
		"+ [ ] x":                     {"agent"},
		"1. [ ] x":                    {"agent"},
		"2) [x] x":                    {"agent"},
		"- [ ]x":                      {"agent"},
		"- [ ]":                       {"agent"},
		"- [✓] x":                     {"agent"},
		"- [ ] ok\n  <!-- loopx:todo": {"agent"},
		"- [1] footnote":              {},
		"- [a](https://x.test)":       {},
		"- [a]: https://x.test":       {},
		"- [see notes] x":             {},
		"- plain":                     {},
		"text [ ] x":                  {},
		"- [open":                     {},
	} {
		t.Run(line, func(t *testing.T) {
			assert.Equal(t, want, parse("## Agent Todo\n"+line+"\n").State.Malformed)
			assert.Empty(t, parse("## Notes\n"+line+"\n").State.Malformed, "outside a todo section")
			assert.Empty(t, parse("## Completed Work Archive\n"+line+"\n").State.Malformed, "in the archive")
		})
	}
	assert.Equal(t, []string{"agent", "user"}, parse("## User Todo\n- [] x\n## Agent Todo\n- [] y\n").State.Malformed)
}

func TestBlockText(t *testing.T) {
	for name, c := range map[string]struct{ block, want string }{
		"continued":                     {"- [ ] one\n  two\n\tthree", "one two three"},
		"white space collapses":         {"- [ ]   one \t two\u00a0three  ", "one two three"},
		"after a blank line":            {"- [ ] one\n\n  two", "one two"},
		"around metadata":               {"- [ ] one\n  <!-- loopx:todo status=open -->\n  two", "one two"},
		"unindented line ends it":       {"- [ ] one\nprose\n  two", "one"},
		"plain comment is text":         {"- [ ] one\n  <!-- note -->", "one <!-- note -->"},
		"nested bullet is text":         {"- [ ] one\n  - detail", "one - detail"},
		"column 0 comment ends nothing": {"- [ ] one\n<!-- loopx:todo status=done -->\n  two", "one two"},
		"500 characters stay":           {"- [ ] " + strings.Repeat("é", 500), strings.Repeat("é", 500)},
		"501 are cut":                   {"- [ ] " + strings.Repeat("é", 501), strings.Repeat("é", 499) + "…"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, only(t, parse("## Agent Todo\n"+c.block+"\n")).Text)
		})
	}
}

func TestMarkerAndStatus(t *testing.T) {
	for _, c := range []struct {
		marker, status string
		want           facts.Todo
	}{
		{" ", "open", facts.Todo{Status: "open"}},
		{" ", "blocked", facts.Todo{Status: "blocked"}},
		{"x", "done", facts.Todo{Status: "done"}},
		{"-", "deferred", facts.Todo{Status: "deferred"}},
		{"x", "open", facts.Todo{Status: "open", MarkerMismatch: true}},
		{" ", "DONE", facts.Todo{Status: "done", MarkerMismatch: true}},
		{"-", "blocked", facts.Todo{Status: "blocked", MarkerMismatch: true}},
		{" ", "Waiting", facts.Todo{Status: "open", StatusWritten: "waiting"}},
		{"x", "finished", facts.Todo{Status: "done", StatusWritten: "finished"}},
		{" ", "bogus status=done", facts.Todo{Status: "done", MarkerMismatch: true}},
		{" ", "done status=bogus", facts.Todo{Status: "done", StatusWritten: "bogus"}},
	} {
		t.Run(c.marker+" "+c.status, func(t *testing.T) {
			todo := only(t, parse("## Agent Todo\n- ["+c.marker+"] x\n  <!-- loopx:todo status="+c.status+" -->\n"))
			assert.Equal(t, c.want, facts.Todo{Status: todo.Status, StatusWritten: todo.StatusWritten, MarkerMismatch: todo.MarkerMismatch})
		})
	}
}

func TestMetadataLines(t *testing.T) {
	for name, c := range map[string]struct{ lines, want string }{
		"with todo":                      {"  <!-- loopx:todo target_key=a -->", "a"},
		"without todo":                   {"  <!-- loopx:target_key=a -->", "a"},
		"no spaces":                      {"\t<!--loopx:todo target_key=a-->", "a"},
		"trailing space":                 {"  <!-- loopx:todo target_key=a -->  ", "a"},
		"several lines, later wins":      {"  <!-- loopx:todo target_key=a -->\n  <!-- loopx:todo target_key=b -->", "b"},
		"later token wins":               {"  <!-- loopx:todo target_key=a target_key=b -->", "b"},
		"column 0 is ignored":            {"<!-- loopx:todo target_key=a -->", ""},
		"unknown keys are dropped":       {"  <!-- loopx:todo color=red target_key=a =x Key=y -->", "a"},
		"value stops at angle":           {"  <!-- loopx:todo target_key=a<b -->", "a"},
		"empty value is no token":        {"  <!-- loopx:todo target_key=a target_key= -->", "a"},
		"value with equals":              {"  <!-- loopx:todo target_key=a=b -->", "a=b"},
		"other comments are no metadata": {"  <!-- loopx:next-action schema=x target_key=a -->", ""},
		"not loopx":                      {"  <!-- other:todo target_key=a -->", ""},
		"unicode space separates":        {"  <!-- loopx:todo note=é\u00a0target_key=a -->", "a"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, only(t, parse("## Agent Todo\n- [ ] x\n"+c.lines+"\n")).TargetKey)
		})
	}
}

func TestMetadataInTextIsText(t *testing.T) {
	const text = "Map --> arrows; keep <!-- loopx:todo todo_id=todo_ffffffffffff status=done --> as literal text."
	todo := only(t, parse("## Agent Todo\n- [ ] "+text+"\n"))
	assert.Equal(t, text, todo.Text)
	assert.Equal(t, "open", todo.Status)
	assert.False(t, todo.ExplicitID)
}

func TestFencedCodeIsText(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"backticks":               {"## Agent Todo\n```\n- [ ] no\n```\n- [ ] yes\n", []string{"agent: yes"}},
		"tildes with info":        {"## Agent Todo\n~~~markdown\n- [ ] no\n```\n~~~\n- [ ] yes\n", []string{"agent: yes"}},
		"longer fence":            {"## Agent Todo\n````\n```\n- [ ] no\n````\n- [ ] yes\n", []string{"agent: yes"}},
		"heading inside":          {"## Agent Todo\n- [ ] a\n```\n## Notes\n```\n- [ ] b\n", []string{"agent: a", "agent: b"}},
		"section inside":          {"```\n## Agent Todo\n- [ ] no\n```\n- [ ] no\n", []string{}},
		"inside an item":          {"## Agent Todo\n- [ ] a\n  ```\n  - [ ] no\n  <!-- loopx:todo status=done -->\n  ```\n- [ ] b\n", []string{"agent: a ``` - [ ] no <!-- loopx:todo status=done --> ```", "agent: b"}},
		"unclosed inside an item": {"## Agent Todo\n- [ ] a\n  ```\n  code\n- [ ] b\n", []string{"agent: a ``` code", "agent: b"}},
		"inline code":             {"## Agent Todo\n- [ ] a\n```x``` is inline\n- [ ] b\n", []string{"agent: a", "agent: b"}},
		"indented code":           {"## Agent Todo\n\n    ```\n- [ ] a\n", []string{"agent: a"}},
		"two ticks":               {"## Agent Todo\n``\n- [ ] a\n", []string{"agent: a"}},
	} {
		t.Run(name, func(t *testing.T) {
			doc := parse(c.text)
			assert.Equal(t, c.want, texts(doc))
			assert.Empty(t, doc.Findings)
			assert.Empty(t, doc.State.Malformed)
		})
	}
}

func TestUnclosedFence(t *testing.T) {
	doc := parse("# Title\n```\ncode\n## Agent Todo\n- [ ] hidden\n")
	assert.Empty(t, doc.Todos)
	assert.Equal(t, []string{"agent", "user"}, doc.State.Malformed)
	require.Len(t, doc.Findings, 1)
	assert.Equal(t, facts.Finding{
		Code: "state_fence_unclosed", Scope: "goal", File: "STATE.md", Line: 4, Rule: "state.fence",
		Message: "the code fence opened in line 2 is never closed and hides todos from line 4 on",
	}, doc.Findings[0])
	assert.Empty(t, parse("## Agent Todo\n- [ ] a\n\n```\ncode\n").Findings, "nothing is hidden")
}

func TestIDs(t *testing.T) {
	doc := parse("## Agent Todo\n- [ ] a\n- [ ]  [P0]  Implement the\n  widget parser\n")
	assert.Equal(t, "todo_8d8660c7a262", doc.Todos[1].ID)
	assert.False(t, doc.Todos[1].ExplicitID)

	explicit := agentTodo(t, "todo_id=TODO_Nightly-1")
	assert.Equal(t, "todo_nightly-1", explicit.ID)
	assert.True(t, explicit.ExplicitID)

	for _, bad := range []string{"todo_ab", "nightly", "todo_" + strings.Repeat("a", 65), "todo_a.b"} {
		assert.False(t, agentTodo(t, "todo_id="+bad).ExplicitID, bad)
	}
}

func TestLongTextsKeepDifferentIDs(t *testing.T) {
	long := strings.Repeat("a", 600)
	first := only(t, parse("## Agent Todo\n- [ ] "+long+"1\n"))
	second := only(t, parse("## Agent Todo\n- [ ] "+long+"2\n"))
	assert.Equal(t, first.Text, second.Text)
	assert.NotEqual(t, first.ID, second.ID)
}

func TestDuplicateIDs(t *testing.T) {
	t.Run("written twice", func(t *testing.T) {
		doc := parse("## User Todo\n- [ ] a\n  <!-- loopx:todo todo_id=todo_one -->\n## Agent Todo\n- [ ] b\n  <!-- loopx:todo todo_id=todo_one -->\n")
		require.Len(t, doc.Todos, 2, "nothing vanishes")
		assert.Equal(t, "todo_one", doc.Todos[0].ID)
		assert.NotEqual(t, "todo_one", doc.Todos[1].ID)
		assert.False(t, doc.Todos[1].ExplicitID)
		assert.Equal(t, []string{"agent", "user"}, doc.State.Malformed)
		require.Len(t, doc.Findings, 1)
		assert.Equal(t, facts.Finding{
			Code: "todo_id_duplicate", Scope: "goal", File: "STATE.md", Line: 5, Rule: "todo.id.duplicate",
			Message: "todo id todo_one of line 2 is used again",
		}, doc.Findings[0])
	})
	t.Run("written and generated", func(t *testing.T) {
		doc := parse("## Agent Todo\n- [ ] a\n- [ ] [P0] Implement the widget parser\n- [ ] c\n  <!-- loopx:todo todo_id=todo_8d8660c7a262 -->\n")
		assert.Equal(t, "todo_8d8660c7a262", doc.Todos[2].ID)
		assert.Equal(t, []string{"todo_id_duplicate"}, codes(doc))
	})
	t.Run("active and archived", func(t *testing.T) {
		doc := parse("## Completed Work Archive\n- [x] a\n  <!-- loopx:todo todo_id=todo_one -->\n## Agent Todo\n- [ ] a\n  <!-- loopx:todo todo_id=todo_one -->\n")
		assert.Equal(t, "todo_one", only(t, doc).ID)
		assert.True(t, doc.Todos[0].ExplicitID)
		assert.Empty(t, doc.Archived)
		assert.Equal(t, []string{"todo_id_duplicate"}, codes(doc))
	})
}

func TestArchive(t *testing.T) {
	doc := parse("## Completed Work Archive\n" +
		"- [x] a\n  <!-- loopx:todo todo_id=todo_aaa status=done no_followup=true -->\n" +
		"- [-] b\n  <!-- loopx:todo todo_id=todo_bbb status=deferred -->\n" +
		"- [x] no id\n" +
		"- [ ] open\n  <!-- loopx:todo todo_id=todo_ccc status=open -->\n" +
		"- [x] unknown status\n  <!-- loopx:todo todo_id=todo_ddd status=gone -->\n" +
		"- [x] again\n  <!-- loopx:todo todo_id=todo_aaa status=done -->\n")
	assert.Empty(t, doc.Todos)
	assert.Empty(t, doc.Findings)
	assert.Equal(t, []facts.ArchivedTodo{
		{ID: "todo_aaa", Status: "done", NoFollowup: true},
		{ID: "todo_bbb", Status: "deferred"},
	}, doc.Archived)
}

func TestPriority(t *testing.T) {
	for text, want := range map[string]facts.Todo{
		"[P0] x":             {Title: "x", Priority: "P0", Rank: 0},
		"[p3] x":             {Title: "x", Priority: "P3", Rank: 3},
		"[P1 LOCAL] x":       {Title: "x", Priority: "P1 LOCAL", Rank: 1},
		"[P2]x":              {Title: "x", Priority: "P2", Rank: 2},
		"[P4]":               {Title: "[P4]", Priority: "P4", Rank: 4},
		"[P5] x":             {Title: "[P5] x", Rank: 50},
		"[P10] x":            {Title: "[P10] x", Rank: 50},
		"[P1 never closed":   {Title: "[P1 never closed", Rank: 1},
		"P2: x":              {Title: "P2: x", Rank: 2},
		"x is (P1), not P0":  {Title: "x is (P1), not P0", Rank: 1},
		"xP1 P1x P12 éP0 P_": {Title: "xP1 P1x P12 éP0 P_", Rank: 50},
		"use p3 machines":    {Title: "use p3 machines", Rank: 50},
		"x":                  {Title: "x", Rank: 50},
	} {
		t.Run(text, func(t *testing.T) {
			todo := only(t, parse("## Agent Todo\n- [ ] "+text+"\n"))
			assert.Equal(t, want, facts.Todo{Title: todo.Title, Priority: todo.Priority, Rank: todo.Rank})
			assert.Equal(t, text, todo.Text)
		})
	}
}

func TestLineNumbers(t *testing.T) {
	doc := parse("\uFEFF---\r\nstatus: active\r\n---\r\n\r\n## Agent Todo\r\n- [ ] a\r\n\r\n- [ ] b\r\n")
	assert.Equal(t, []int{6, 8}, []int{doc.Todos[0].Line, doc.Todos[1].Line})
}

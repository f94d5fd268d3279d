package statefile

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/goalstate"
)

type todo = facts.Todo

const sample = `---
status: active
updated_at: 2026-01-01T00:00:00+00:00
---

# Goal

## User Todo / Owner Review Reading Queue

- [ ] Choose the audience
  <!-- loopx:todo todo_id=todo_gate status=open task_class=user_gate -->

## Agent Todo

- [ ] [P0] Implement the reader
  with quoted fields
  <!-- loopx:todo todo_id=todo_reader status=open x_unknown=a/b claimed_by=codex-alpha -->
  <!-- a remark of a person -->
- [ ] Unlabelled

  more of it
- [x] Done
  <!-- loopx:todo todo_id=todo_done status=done -->

## Next Action

- Old action
<!-- loopx:next-action schema=loopx_next_action_binding_v0 todo_id=todo_reader -->
<!-- keep me -->

## Progress Ledger

- started
`

func TestEdits(t *testing.T) {
	for name, c := range map[string]struct {
		edit Edit
		gone string // lines that go
		new  string // lines that come
	}{
		"add": {
			Edit{Op: "add", Role: "agent", Text: " [P1]  Write\n docs ", Metadata: map[string]string{
				"updated_at": "2026-01-02T00:00:00+00:00", "todo_id": "todo_new", "status": "open", "required_write_scopes": "src/**,docs/**",
				"note": "100 % über", "zz": "1", "claimed_by": "",
			}},
			"",
			"- [ ] [P1] Write docs\n  <!-- loopx:todo todo_id=todo_new status=open required_write_scopes=src%2F%2A%2A%2Cdocs%2F%2A%2A " +
				"note=100%20%25%20%C3%BCber updated_at=2026-01-02T00:00:00%2B00:00 zz=1 -->\n",
		},
		"add without metadata": {Edit{Op: "add", Role: "user", Text: "Look", Marker: "-"}, "", "- [-] Look\n"},
		"claim": {
			Edit{Op: "edit", TodoID: "todo_reader", Set: map[string]string{"claimed_by": "codex-beta", "evidence": "a b"}},
			"  <!-- loopx:todo todo_id=todo_reader status=open x_unknown=a/b claimed_by=codex-alpha -->\n",
			"  <!-- loopx:todo todo_id=todo_reader status=open x_unknown=a/b claimed_by=codex-beta evidence=a%20b -->\n",
		},
		"clear": {
			Edit{Op: "edit", TodoID: "todo_reader", Unset: []string{"claimed_by"}},
			"  <!-- loopx:todo todo_id=todo_reader status=open x_unknown=a/b claimed_by=codex-alpha -->\n",
			"  <!-- loopx:todo todo_id=todo_reader status=open x_unknown=a/b -->\n",
		},
		"complete": {
			Edit{Op: "edit", TodoID: "todo_gate", Marker: "x", Set: map[string]string{"status": "done", "decision_outcome": "approve"}},
			"- [ ] Choose the audience\n  <!-- loopx:todo todo_id=todo_gate status=open task_class=user_gate -->\n",
			"- [x] Choose the audience\n  <!-- loopx:todo todo_id=todo_gate status=done task_class=user_gate decision_outcome=approve -->\n",
		},
		"new text": {
			Edit{Op: "edit", TodoID: "todo_reader", Text: "[P0] Implement it"},
			"- [ ] [P0] Implement the reader\n  with quoted fields\n  <!-- a remark of a person -->\n", "- [ ] [P0] Implement it\n",
		},
		"an id that nobody wrote down": {
			Edit{Op: "edit", TodoID: "todo_8c21e7d44e7c", Set: map[string]string{"status": "blocked"}},
			"", "  <!-- loopx:todo todo_id=todo_8c21e7d44e7c status=blocked -->\n",
		},
		"next action": {
			Edit{Op: "next_action", Lines: []string{"[P0] New", "- second", "  goes on"}, TodoID: "todo_new"},
			"- Old action\n<!-- loopx:next-action schema=loopx_next_action_binding_v0 todo_id=todo_reader -->\n",
			"- [P0] New\n- second\n  goes on\n<!-- loopx:next-action schema=loopx_next_action_binding_v0 todo_id=todo_new -->\n",
		},
		"archive": {
			Edit{Op: "archive", TodoIDs: []string{"todo_done"}},
			"", "\n## Completed Work Archive\n\n",
		},
	} {
		for _, newline := range []string{"\n", "\r\n"} {
			before := strings.ReplaceAll(sample, "\n", newline)
			if c.edit.TodoID == "todo_8c21e7d44e7c" {
				c.edit.TodoID = unlabelled(t, before)
				c.new = strings.ReplaceAll(c.new, "todo_8c21e7d44e7c", c.edit.TodoID)
			}
			after, err := Apply([]byte(before), []Edit{c.edit}, "")
			require.NoError(t, err, name)
			gone, fresh := diff(before, string(after))
			assert.Equal(t, c.gone, strings.ReplaceAll(gone, newline, "\n"), "%s: %s", name, after)
			assert.Equal(t, c.new, strings.ReplaceAll(fresh, newline, "\n"), name)
			if newline == "\r\n" {
				assert.Equal(t, strings.Count(string(after), "\n"), strings.Count(string(after), "\r\n"), name)
			}
		}
	}
}

func unlabelled(t *testing.T, text string) string {
	t.Helper()
	doc := goalstate.Parse("", []byte(text))
	i := slices.IndexFunc(doc.Todos, func(todo *todo) bool { return !todo.ExplicitID })
	require.GreaterOrEqual(t, i, 0)
	return doc.Todos[i].ID
}

// diff gives the lines that only one of two texts has, in their order.
func diff(before, after string) (gone, fresh string) {
	count := map[string]int{}
	for _, line := range split(before) {
		count[line]++
	}
	for _, line := range split(after) {
		if count[line] == 0 {
			fresh += line
			continue
		}
		count[line]--
	}
	for _, line := range split(before) {
		if count[line] > 0 {
			count[line]--
			gone += line
		}
	}
	return gone, fresh
}

func TestSectionsThatAreMissing(t *testing.T) {
	for name, c := range map[string]struct{ before, after string }{
		"empty file":       {"", "## Agent Todo\n\n- [ ] a\n"},
		"no line end":      {"# Goal", "# Goal\n\n## Agent Todo\n\n- [ ] a"},
		"before next":      {"# Goal\n\n## Next Action\n\n- x\n", "# Goal\n\n## Agent Todo\n\n- [ ] a\n\n## Next Action\n\n- x\n"},
		"no blank line":    {"# Goal\n## Next Action\n- x\n", "# Goal\n\n## Agent Todo\n\n- [ ] a\n\n## Next Action\n- x\n"},
		"an empty section": {"## Agent Todo\n## Other\n", "## Agent Todo\n\n- [ ] a\n## Other\n"},
		"trailing blanks":  {"## Agent Todo\n\n- [ ] b\n\n\n## Other\n", "## Agent Todo\n\n- [ ] b\n- [ ] a\n\n\n## Other\n"},
		"the first of two": {"## Agent Todo\n- [ ] b\n\n## X\n\n## Codex Todo\n- [ ] c\n", "## Agent Todo\n- [ ] b\n- [ ] a\n\n## X\n\n## Codex Todo\n- [ ] c\n"},
		"no final newline": {"## Agent Todo\n\n- [ ] b", "## Agent Todo\n\n- [ ] b\n- [ ] a"},
	} {
		after, err := Apply([]byte(c.before), []Edit{{Op: "add", Role: "agent", Text: "a"}}, "")
		require.NoError(t, err, name)
		assert.Equal(t, c.after, string(after), name)
	}
	after, err := Apply([]byte("# G\n\n## Agent Todo\n\n- [ ] b\n"), []Edit{{Op: "add", Role: "user", Text: "u"}}, "")
	require.NoError(t, err)
	assert.Equal(t, "# G\n\n## User Todo / Owner Review Reading Queue\n\n- [ ] u\n\n## Agent Todo\n\n- [ ] b\n", string(after))
	after, err = Apply([]byte("# G\n\n## Progress Ledger\n\n- p\n"), []Edit{{Op: "next_action", Lines: []string{"go"}}}, "")
	require.NoError(t, err)
	assert.Equal(t, "# G\n\n## Next Action\n\n- go\n\n## Progress Ledger\n\n- p\n", string(after))
	after, err = Apply([]byte("## Next Action\n"), []Edit{{Op: "next_action", Lines: []string{"go"}}}, "")
	require.NoError(t, err)
	assert.Equal(t, "## Next Action\n\n- go\n", string(after))
}

func TestSeveralMetadataComments(t *testing.T) {
	before := "## Agent Todo\n- [ ] a\n  <!-- loopx:todo todo_id=todo_abc note=one -->\n  <!-- loopx:todo note=two -->\n  <!-- loopx:todo note=three y=1 -->\n"
	after, err := Apply([]byte(before), []Edit{{Op: "edit", TodoID: "todo_abc", Set: map[string]string{"note": "four"}}}, "")
	require.NoError(t, err)
	assert.Equal(t, "## Agent Todo\n- [ ] a\n  <!-- loopx:todo todo_id=todo_abc note=four -->\n  <!-- loopx:todo y=1 -->\n", string(after))
	assert.Equal(t, "four", goalstate.Parse("", after).Todos[0].Note)
	after, err = Apply([]byte(before), []Edit{{Op: "edit", TodoID: "todo_abc", Set: map[string]string{"note": ""}}}, "")
	require.NoError(t, err)
	assert.Empty(t, goalstate.Parse("", after).Todos[0].Note)
}

func TestFrontMatter(t *testing.T) {
	add := []Edit{{Op: "add", Role: "agent", Text: "a"}}
	for name, c := range map[string]struct{ before, after string }{
		"replaced": {"---\na: 1\nupdated_at: old\nb: 2\n---\n", "---\na: 1\nupdated_at: new\nb: 2\n---\n"},
		"quoted":   {"---\nupdated_at: \"old\"\n---\n", "---\nupdated_at: \"new\"\n---\n"},
		"added":    {"---\na: 1\n---\n", "---\na: 1\nupdated_at: new\n---\n"},
		"crlf":     {"---\r\na: 1\r\n---\r\n", "---\r\na: 1\r\nupdated_at: new\r\n---\r\n"},
		"mark":     {"\uFEFF---\nupdated_at: old\n---\n", "\uFEFF---\nupdated_at: new\n---\n"},
		"none":     {"# G\nupdated_at: old\n", "# G\nupdated_at: old\n"},
		"a rule":   {"---\nupdated_at: old\n", "---\nupdated_at: old\n"},
		"in body":  {"---\na: 1\n---\nupdated_at: old\n", "---\na: 1\nupdated_at: new\n---\nupdated_at: old\n"},
	} {
		after, err := Apply([]byte(c.before), add, "new")
		require.NoError(t, err, name)
		assert.True(t, strings.HasPrefix(string(after), c.after), "%s: %q", name, after)
		if front := goalstate.Parse("", after).State.Front; strings.Contains(c.after, "new") {
			assert.Equal(t, "new", front["updated_at"], name)
		}
	}
	after, err := Apply([]byte("---\nupdated_at: old\n---\n"), nil, "new")
	require.NoError(t, err)
	assert.Equal(t, "---\nupdated_at: old\n---\n", string(after), "nothing to do is no change")
}

func TestEditsThatAreRefused(t *testing.T) {
	for name, edit := range map[string]Edit{
		"unknown":          {Op: "delete"},
		"no role":          {Op: "add", Text: "a"},
		"archive role":     {Op: "add", Role: "archive", Text: "a"},
		"no text":          {Op: "add", Role: "user", Text: " \n"},
		"marker":           {Op: "add", Role: "user", Text: "a", Marker: "?"},
		"key":              {Op: "add", Role: "user", Text: "a", Metadata: map[string]string{"A b": "1"}},
		"an id in use":     {Op: "add", Role: "agent", Text: "a", Metadata: map[string]string{"todo_id": "todo_done"}},
		"no such todo":     {Op: "edit", TodoID: "todo_none"},
		"no id":            {Op: "edit"},
		"edit key":         {Op: "edit", TodoID: "todo_gate", Set: map[string]string{"-->": "1"}},
		"edit marker":      {Op: "edit", TodoID: "todo_gate", Marker: "xx"},
		"archive nothing":  {Op: "archive", TodoIDs: []string{"todo_none"}},
		"a heading":        {Op: "next_action", Lines: []string{"## Agent Todo"}},
		"two lines in one": {Op: "next_action", Lines: []string{"a\n## b"}},
	} {
		_, err := Apply([]byte(sample), []Edit{edit}, "")
		assert.Error(t, err, name)
	}
	_, err := Apply([]byte("## Agent Todo\n\n```\n- [ ] x\n"), []Edit{{Op: "add", Role: "agent", Text: "a"}}, "")
	assert.ErrorIs(t, err, ErrHidden, "below a fence that is open")
}

// TestAnyFileSurvivesAnyEdit draws files and edits. Whatever is not edited stays byte for byte, and a reader finds what was
// written.
func TestAnyFileSurvivesAnyEdit(t *testing.T) {
	real, err := os.ReadFile("../../../fixtures/sample-project/project/.codex/goals/demo-goal/ACTIVE_GOAL_STATE.md")
	require.NoError(t, err)
	pool := slices.Concat(strings.SplitAfter(sample, "\n"), strings.SplitAfter(string(real), "\n"), []string{
		"```\n", "~~~\n", "\n", "\r\n", "  \n", "## Agent Todo\n", "## Notes\r\n", "text\r", "\t<!-- loopx:todo note=a -->\n",
		"- [ ] same\n", "- [-] same\n", "<!-- loopx:todo todo_id=todo_col -->\n", "---\n", "### Deeper\n", "- [ ] last",
	})
	rapid.Check(t, func(t *rapid.T) {
		before := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pool), 0, 40).Draw(t, "lines"), "")
		doc := goalstate.Parse("", []byte(before))
		edit := draw(t, doc)
		after, err := Apply([]byte(before), []Edit{edit}, "")
		if err != nil {
			return // refused: nothing is written
		}
		again := goalstate.Parse("", after)
		find := func(list []*todo, id string) *todo {
			for _, one := range list {
				if one.ID == id {
					return one
				}
			}
			return nil
		}
		for _, was := range doc.Todos {
			if !was.ExplicitID || was.ID == edit.TodoID && edit.Op == "edit" || slices.Contains(edit.TodoIDs, was.ID) {
				continue
			}
			is := find(again.Todos, was.ID)
			if is == nil {
				t.Fatalf("todo %s is gone:\n%q", was.ID, after)
			}
			copied := *is
			copied.Line, copied.Index, copied.Section = was.Line, was.Index, was.Section
			assert.Equal(t, *was, copied)
		}
		switch edit.Op {
		case "add":
			is := find(again.Todos, "todo_drawn")
			if is == nil || is.Note != collapse(edit.Metadata["note"]) || is.Role != edit.Role {
				t.Fatalf("not added: %+v\n%q", is, after)
			}
		case "edit":
			is := find(again.Todos, edit.TodoID)
			if is == nil || is.Note != collapse(edit.Set["note"]) {
				t.Fatalf("not edited: %+v\n%q", is, after)
			}
		}
		gone, _ := diff(before, string(after))
		if n := strings.Count(gone, "\n"); edit.Op == "add" && n > 0 {
			t.Fatalf("an added todo removed %q", gone)
		}
	})
}

func draw(t *rapid.T, doc *goalstate.Document) Edit {
	note := rapid.SampledFrom([]string{"a", "a b  c", "--> <!-- x=1", "ü % +", "\n## Agent Todo\n- [ ] x"}).Draw(t, "note")
	ids := []string{"todo_none"}
	for _, todo := range doc.Todos {
		ids = append(ids, todo.ID)
	}
	id := rapid.SampledFrom(ids).Draw(t, "id")
	switch rapid.IntRange(0, 3).Draw(t, "op") {
	case 0:
		role := rapid.SampledFrom([]string{"agent", "user"}).Draw(t, "role")
		return Edit{Op: "add", Role: role, Text: fmt.Sprintf("drawn %s", note), Metadata: map[string]string{"todo_id": "todo_drawn", "note": note}}
	case 1:
		return Edit{Op: "edit", TodoID: id, Set: map[string]string{"note": note}, Unset: []string{"claimed_by"}}
	case 2:
		return Edit{Op: "archive", TodoIDs: []string{id}}
	default:
		return Edit{Op: "next_action", Lines: []string{"one", "two"}, TodoID: "todo_abc"}
	}
}

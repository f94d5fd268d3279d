package goalstate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNextActions(t *testing.T) {
	for name, c := range map[string]struct {
		section string
		want    []string
	}{
		"bullets":                  {"- a\n* b\n1. c", []string{"a", "b", "c"}},
		"only three":               {"- a\n- b\n- c\n- d\n  more d", []string{"a", "b", "c"}},
		"continued":                {"- a\n  a2\n\n  a3\n- b", []string{"a a2 a3", "b"}},
		"nested bullets":           {"- a\n  - a2\n1) b", []string{"a a2", "b"}},
		"an indented list":         {"  - a\n  - b\n    - b2\n  - c", []string{"a", "b b2", "c"}},
		"plain lines":              {"a\nb\n\nc", []string{"a", "b", "c"}},
		"comments are left out":    {"<!-- x -->\n- a\n<!--\n- hidden\n-->\n- b", []string{"a", "b"}},
		"fenced code is text":      {"- a\n```\n## Notes\n```\n- b", []string{"a ## Notes", "b"}},
		"220 characters":           {"- " + strings.Repeat("é", 220), []string{strings.Repeat("é", 220)}},
		"cut after 220":            {"- " + strings.Repeat("é", 221), []string{strings.Repeat("é", 219) + "…"}},
		"empty":                    {"", []string{}},
		"a heading ends it":        {"- a\n### More\n- b", []string{"a"}},
		"a checkbox keeps its box": {"- [ ] a", []string{"[ ] a"}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, parse("## Next Action\n\n"+c.section+"\n").State.NextActions)
		})
	}
}

func TestNextActionHeading(t *testing.T) {
	for heading, found := range map[string]bool{
		"## Next Action": true, "## NEXT action  ": true, "#### Next Action": true, "# Next Action": false,
		"## Next Actions": false, "##Next Action": false, " ## Next Action": false,
	} {
		assert.Equal(t, found, len(parse(heading+"\n- a\n").State.NextActions) == 1, heading)
	}
	assert.Equal(t, []string{"a"}, parse("## Next Action\n- a\n## Next Action\n- b\n").State.NextActions, "the first section counts")
}

func TestNextActionTodoIDs(t *testing.T) {
	doc := parse("## Next Action\n- Do todo_bbb, then TODO_aaa; todo_bbb again\n- not xtodo_ccc or todo_x\n- c\n- todo_ddd is past the third\n")
	assert.Equal(t, []string{"todo_bbb", "todo_aaa"}, doc.State.NextActionTodoIDs)
	long := parse("## Next Action\n- " + strings.Repeat("x ", 200) + "todo_far\n")
	assert.Equal(t, []string{"todo_far"}, long.State.NextActionTodoIDs, "an id past the cut still counts")
}

func TestNextActionBinding(t *testing.T) {
	const good = "<!-- loopx:next-action schema=loopx_next_action_binding_v0 todo_id=todo_csv_reader -->"
	for comment, want := range map[string]string{
		good:        "todo_csv_reader",
		"  " + good: "",
		good + "\n" + strings.Replace(good, "csv", "tsv", 1):                               "todo_csv_reader",
		"<!-- loopx:next-action schema=other todo_id=todo_csv -->":                         "",
		"<!-- loopx:next-action todo_id=todo_csv -->":                                      "",
		"<!-- loopx:next-action schema=loopx_next_action_binding_v0 todo_id=x -->":         "",
		"<!-- loopx:next-action schema=loopx_next_action_binding_v0 todo_id=todo_x":        "",
		"<!-- loopx:next-actions schema=loopx_next_action_binding_v0 todo_id=todo_csv -->": "",
	} {
		assert.Equal(t, want, parse("## Next Action\n- a\n"+comment+"\n").State.NextActionBinding, comment)
	}
	assert.Empty(t, parse("## Notes\n"+good+"\n").State.NextActionBinding)
}

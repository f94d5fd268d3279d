package render

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// document is a decoded answer; its keys have no order of their own.
type document string

func (d document) JSON() []byte { return []byte(d) }
func (d document) Rank(key string) int {
	for i, k := range []string{"ok", "mode", "first", "second"} {
		if k == key {
			return i
		}
	}
	return 4
}

func (d document) Fields() (map[string]any, error) {
	decoder := json.NewDecoder(strings.NewReader(string(d)))
	decoder.UseNumber()
	var out map[string]any
	return out, decoder.Decode(&out)
}

func show(t *testing.T, format string, view View, doc string) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, Write(&out, format, view, document(doc)))
	return out.String()
}

const gated = `{
	"ok": true, "mode": "should-run", "goal_id": "g1", "decision": "d", "should_run": false, "state": "s",
	"effective_action": "e", "waiting_on": "w", "reason": "a gate\nis open", "open_count": 4,
	"gate_prompt": "Release it?", "operator_question": "Which version?", "missing_gates": ["legal", "review"],
	"next_handoff_condition": "after review", "recommended_action": "Wait.",
	"user_todo_summary": {"first_open_items": [{"text": "one"}, {"text": "two"}, {"text": "three"}, {"text": "four"}]},
	"interaction_contract": {"agent_channel": {"primary_action": "Wait."}, "cli_channel": {"next_cli_actions": ["loopx quota plan", ["loopx", "todo", "add", "--text", "it's a word", ""]]}},
	"quota": {"compute": 0.5, "spent_slots": 1, "allowed_slots": 10, "next_eligible_at": "later"},
	"old_decision_warning": {"message": "old"}
}`

func TestDecisionMarkdown(t *testing.T) {
	assert.Equal(t, "# LoopX: should-run\n\n"+
		"- goal_id: `g1`\n- decision: `d`\n- should_run: `false`\n- state: `s`\n- effective_action: `e`\n"+
		"- waiting_on: `w`\n- next_eligible_at: `later`\n\n"+
		"a gate is open\n\n"+
		"## For the operator\n\nRelease it?\n\nWhich version?\n\nMissing gates: legal, review\n\nNext handoff condition: after review\n\n"+
		"## Open user todos\n\n- one\n- two\n- three\n- (4 open in all)\n\n"+
		"## Next\n\n- Wait.\n- `loopx quota plan`\n- `loopx todo add --text 'it'\\''s a word' ''`\n\n"+
		"## Warnings\n\n- old_decision_warning: old\n",
		show(t, Markdown, Decision, gated))
}

func TestDecisionTable(t *testing.T) {
	assert.Equal(t, `FIELD                   VALUE
goal_id                 g1
decision                d
should_run              false
state                   s
effective_action        e
waiting_on              w
reason                  a gate is open
recommended_action      Wait.
quota.compute           0.5
quota.spent_slots       1
quota.allowed_slots     10
quota.next_eligible_at  later
`, show(t, Table, Decision, gated))
}

func TestARefusalShowsTheErrorAndItsHint(t *testing.T) {
	out := show(t, Markdown, Decision, `{"ok": false, "mode": "should-run", "goal_id": null, "decision": "d", "should_run": false,
		"error_code": "c", "reason": "broken", "error": {"hint": "mend it", "detail": "raw"}}`)
	assert.Contains(t, out, "- goal_id: `none`\n")
	assert.Contains(t, out, "- error_code: `c`\n\nbroken\n\nmend it\n\nraw\n")
}

const plan = `{
	"ok": false, "mode": "plan", "goal_count": 1, "next_automatic_turn": null,
	"summary": {"states": {"first": 0, "second": 1}},
	"groups": {"second": [{"goal_id": "g1", "waiting_on": "w", "quota": {"compute": 1, "spent_slots": 2, "allowed_slots": 3, "reason": "because"}}], "first": [], "other": []},
	"health_items": [{"source": "contract", "code": "c", "file": "registry.json", "line": 7, "message": "bad"}]
}`

func TestPlanHidesEmptyGroupsAndStatusShowsThem(t *testing.T) {
	assert.Equal(t, "# LoopX: quota plan\n\n- goal_count: `1`\n- next_automatic_turn: none\n\n"+
		"## second (1)\n\n- `g1` compute 1, 2 of 3 slots spent: because\n\n"+
		"## Health\n\n- contract: c: registry.json:7: bad\n", show(t, Markdown, Plan, plan))
	assert.Contains(t, show(t, Markdown, Status, plan), "## first (0)\n\nnone\n\n## second (1)")
	assert.NotContains(t, show(t, Markdown, Status, plan), "## other")
	assert.Contains(t, show(t, Markdown, Plan, strings.Replace(plan, `"next_automatic_turn": null`, `"next_automatic_turn": {"goal_id": "g1"}`, 1)),
		"- next_automatic_turn: `g1`\n")
}

func TestFindingsSayWhatToMendAndWhere(t *testing.T) {
	const finding = `{"goal_id": "g1", "code": "c", "file": "registry.json", "line": 7, "message": "bad"}`
	doc := `{"mode": "should-run", "reason": "broken", "health_findings": [` + finding + `, {"code": "d", "message": "worse"}]}`
	assert.Contains(t, show(t, Markdown, Decision, doc), "\nbroken\n\n## Health\n\n- g1: c: registry.json:7: bad\n- d: worse\n")
	assert.Contains(t, show(t, Table, Decision, doc), "\nhealth            g1: c: registry.json:7: bad\nhealth            d: worse\n")
	broken := strings.Replace(plan, `"goal_id": "g1",`, `"goal_id": "g1", "health_findings": [`+finding+`],`, 1)
	assert.Contains(t, show(t, Markdown, Status, broken), "slots spent: because\n  - g1: c: registry.json:7: bad\n")
	assert.Contains(t, show(t, Table, Plan, broken), "\n\nhealth: contract: c: registry.json:7: bad\nhealth: g1: c: registry.json:7: bad\n\nnext_automatic_turn: none\n")
}

func TestPlanTable(t *testing.T) {
	assert.Equal(t, `GOAL  STATE   COMPUTE  SPENT  ALLOWED  WAITING ON  NEXT ELIGIBLE AT
g1    second  1        2      3        w           none

health: contract: c: registry.json:7: bad

next_automatic_turn: none
`, show(t, Table, Plan, plan))
}

func TestAPlanThatWasRefusedIsShownAsADecision(t *testing.T) {
	out := show(t, Markdown, Plan, `{"ok": false, "mode": "plan", "decision": "d", "should_run": false, "reason": "broken"}`)
	assert.Contains(t, out, "- decision: `d`\n")
	assert.Contains(t, out, "broken")
}

func TestReport(t *testing.T) {
	const doc = `{"mode": "m", "ok": true, "packages": ["a", "b"], "inner": {"x": 1, "y": null}, "deep": {"schema_version": "v", "z": {"schema_version": "v", "x": 1}}, "none": null, "empty": [],
		"list": [{"k": "v|w", "n": 2}, {"n": 3, "gone": null}], "odd": [{"deep": [1]}, 5], "reason": "because", "error": {"hint": "h"}}`
	assert.Equal(t, "# LoopX: m\n\n- ok: true\n- deep.z: x=1\n- inner: x=1\n- odd.1.deep: 1\n- odd.2: 5\n- packages: a, b\n\nbecause\n\nh\n\n"+
		"## list\n\n| k | n |\n| --- | --- |\n| v\\|w | 2 |\n|  | 3 |\n", show(t, Markdown, Report, doc))
	assert.Equal(t, "FIELD       VALUE\nmode        m\nok          true\ndeep.z      x=1\ninner       x=1\nodd.1.deep  1\nodd.2       5\npackages    a, b\n"+
		"reason      because\n\nh\n\nK    N\nv|w  2\n     3\n", show(t, Table, Report, doc))
}

func TestAReportOfAWriteShowsWhatChanges(t *testing.T) {
	const doc = `{"mode": "m", "dry_run": true, "reason": "Done.", "before": {"a": 1, "b": 2, "c": []}, "after": {"a": 1, "b": 3, "c": ["x"], "d": null},
		"changes": [{"key": "k.l", "before": null, "after": true}], "effects": [{"kind": "one", "row": {"deep": {}}}, {"kind": "two"}], "quota_event": {"a": 1}}`
	assert.Equal(t, "# LoopX: m\n\n- dry_run: true\n- effects: one, two\n\nPreview, nothing was written. Done.\n\n"+
		"## changes\n\n| field | before | after |\n| --- | --- | --- |\n| k.l | none | true |\n| b | 2 | 3 |\n| c | none | x |\n", show(t, Markdown, Report, doc))
	assert.NotContains(t, show(t, Markdown, Report, strings.Replace(doc, `"mode"`, `"error": {}, "mode"`, 1)), "Preview")
}

func TestAListOfTodosShowsTheFieldsThatAPersonLooksFor(t *testing.T) {
	const doc = `{"mode": "m", "todos": [{"id": "t1", "line": 7, "title": "one", "deep": {}}, {"id": "t2", "claimed_by": "a1", "title": "two"}]}`
	assert.Equal(t, "FIELD  VALUE\nmode   m\n\nID  CLAIMED BY  TITLE\nt1              one\nt2  a1          two\n", show(t, Table, Report, doc))
}

func TestJSONIsPassedThrough(t *testing.T) {
	assert.Equal(t, gated, show(t, JSON, Decision, gated))
}

func TestTextCannotMoveTheCursor(t *testing.T) {
	out := show(t, Markdown, Decision, `{"mode": "x", "goal_id": "g\u001b[2J\r\n- should_run: true", "reason": "a\u0007b\u202ec"}`)
	assert.NotContains(t, out, "\x1b")
	assert.NotContains(t, out, "\n- should_run: true")
	assert.Contains(t, out, "a b c")
}

func TestUnknownFormat(t *testing.T) {
	require.ErrorContains(t, Write(&bytes.Buffer{}, "yaml", Decision, document(`{}`)), `unknown format "yaml"`)
}

func TestExplanationIsAShortTree(t *testing.T) {
	out := show(t, Markdown, Decision, `{"mode": "x", "explain": {"fields": {
		"state": {"rule": "r.one", "title": "One\nline", "value": "s`+"`"+`x", "facts": {"a.b": "c", "d": 2}, "decided": ["waiting_on"],
			"otherwise": {"rule": "r.two", "title": "Two", "value": {"deep": 1}}},
		"bare": {"rule": "r.three"}, "odd": 1}}}`)
	assert.Contains(t, out, "\n## Why\n\n- bare: `r.three`\n- state: `s'x` by `r.one`, One line\n"+
		"  - facts: a.b = c; d = 2\n  - rests on: waiting_on\n  - otherwise: `r.two`, Two\n")
}

const why = `{"mode": "why", "goal_id": "g1", "want": "run", "reached": false, "should_run": false, "decision": "d", "state": "s",
	"effective_action": "e", "reason": "because", "tried": 7, "left_out": 2,
	"explain": {"fields": {"state": {"rule": "r.one", "title": "One", "value": "s"}}},
	"time": {"turns_at": "later", "valid_until": "soon", "next_eligible_at": null, "events": [
		{"at": "soon", "cause": "monitor_due", "id": "todo_1", "then": {"effective_action": "f"}}, {"at": "later", "cause": "c", "then": {}}]},
	"changes": [{"kind": "k", "text": "end\nit", "rule": "w.k", "then": {"decision": "d2", "refused": "code"}}]}`

func TestWhyMarkdown(t *testing.T) {
	out := show(t, Markdown, Why, why)
	assert.Contains(t, out, "# LoopX: why\n\n- goal_id: `g1`\n- want: `run`\n- reached: `false`\n")
	assert.Contains(t, out, "\nbecause\n\n## Why\n\n- state: `s` by `r.one`, One\n\n## What would change it\n\n"+
		"- end it: `code` (`w.k`)\n\n2 more changes were not tried.\n\n## Time\n\n- turns_at: `later`\n- next_eligible_at: `none`\n"+
		"- valid_until: `soon`\n- soon: monitor_due of todo_1, then `f`\n- later: c, then `none`\n")
	assert.Contains(t, show(t, Markdown, Why, `{"mode": "why", "changes": [], "tried": 7, "left_out": 0}`),
		"No single change that was tried (7) gives what is wanted.\n\n## Time\n")
	refused := show(t, Markdown, Why, `{"mode": "why", "reason": "broken", "error": {"hint": "mend it"}}`)
	assert.Contains(t, refused, "broken\n\nmend it\n")
	assert.NotContains(t, refused, "## Time")
}

func TestWhyTable(t *testing.T) {
	assert.Equal(t, `KIND    WHAT                        THEN  RULE
field   state                       s     r.one
change  end it                      code  w.k
time    soon monitor_due of todo_1  f     
time    later c                     none  
`, show(t, Table, Why, why))
}

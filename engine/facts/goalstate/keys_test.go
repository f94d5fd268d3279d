package goalstate_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/loopx-dev/loopx-policy/engine/facts"
)

// text reads one text field for many metadata values; "" means that the value was dropped.
func checkText(t *testing.T, key string, field func(*facts.Todo) string, cases map[string]string) {
	t.Helper()
	for value, want := range cases {
		assert.Equal(t, want, field(agentTodo(t, key+"="+value)), "%s=%s", key, value)
	}
}

func TestTextKeys(t *testing.T) {
	long := strings.Repeat("a", 64)
	checkText(t, "task_class", func(t *facts.Todo) string { return t.TaskClass }, map[string]string{
		"advancement_task": "advancement_task", "User_Gate": "user_gate", "no_such_class": "no_such_class",
	})
	checkText(t, "action_kind", func(t *facts.Todo) string { return t.ActionKind }, map[string]string{
		"Run_eval": "run_eval", long: long, long + "a": "", "1run": "", "a.b": "",
	})
	checkText(t, "task_domain", func(t *facts.Todo) string { return t.TaskDomain }, map[string]string{"docs.api": "docs.api", "_x": ""})
	checkText(t, "capability_binding_ref", func(t *facts.Todo) string { return t.BindingRef }, map[string]string{
		"host:tool.v1": "host:tool.v1", "host:a:b": "host:a:b", "host": "", "host:ab": "", "host:1abc": "",
	})
	checkText(t, "continuation_policy", func(t *facts.Todo) string { return t.ContinuationPolicy + "|" + t.RemovedContinuation }, map[string]string{
		"independent_handoff": "independent_handoff|", "same_agent_non_delivery": "same_agent_non_delivery|",
		"primary_review": "|primary_review", "review_handoff": "|review_handoff", "other": "|",
		"primary_review continuation_policy=independent_handoff": "independent_handoff|",
	})
	checkText(t, "completion_continuation", func(t *facts.Todo) string { return t.Continuation }, map[string]string{"successor": "successor", "x": ""})
	checkText(t, "decision_outcome", func(t *facts.Todo) string { return t.DecisionOutcome }, map[string]string{"Approve": "approve", "maybe": ""})
	checkText(t, "claimed_by", func(t *facts.Todo) string { return t.ClaimedBy }, map[string]string{
		"Codex%20Alpha": "codex-alpha", "a@b.c:d_e": "a@b.c:d_e", "9x": "", "a%2Fb": "",
		"codex-alpha claimed_by=!": "codex-alpha",
	})
	checkText(t, "blocks_agent", func(t *facts.Todo) string { return t.BlocksAgent }, map[string]string{"codex": "codex"})
	checkText(t, "unblocks_todo_id", func(t *facts.Todo) string { return t.UnblocksTodoID }, map[string]string{"todo_abc": "todo_abc", "abc": ""})
	checkText(t, "superseded_by", func(t *facts.Todo) string { return t.SupersededBy }, map[string]string{"todo_abc": "todo_abc", "abc": ""})
	checkText(t, "replan_obligation_id", func(t *facts.Todo) string { return t.ReplanObligationID }, map[string]string{
		"replan-0123456789abcdef": "replan-0123456789abcdef", "replan-0123456789abcdeg": "", "replan-012": "", "x": "",
	})
	checkText(t, "result_hash", func(t *facts.Todo) string { return t.ResultHash }, map[string]string{"Hash-A1": "Hash-A1"})
	checkText(t, "note", func(t *facts.Todo) string { return t.Note }, map[string]string{"a%20%0A%20b": "a b"})
	checkText(t, "evidence", func(t *facts.Todo) string { return t.Evidence }, map[string]string{"a": "a"})
	checkText(t, "reason", func(t *facts.Todo) string { return t.Reason }, map[string]string{"a": "a"})
}

func TestResumeWhen(t *testing.T) {
	checkText(t, "resume_when", func(t *facts.Todo) string { return t.ResumeWhen }, map[string]string{
		"todo_done:todo_abc":                   "todo_done:todo_abc",
		"Todo_Done:todo_abc":                   "todo_done:todo_abc",
		"capacity_available:gpu":               "capacity_available:gpu",
		"manual":                               "manual",
		"pr_merged:#12":                        "pr_merged:#12",
		"PR_merged:Owner/Repo.x%2312":          "pr_merged:Owner/Repo.x#12",
		"pr_merged:12":                         "pr_merged:12",
		"pr_merged:owner#12":                   "",
		"pr_merged:#0":                         "",
		"pr_merged:#1x":                        "",
		"todo_done:":                           "",
		"todo_done:a%2Fb":                      "",
		"9:a":                                  "",
		"todo_done:" + strings.Repeat("a", 97): "",
	})
}

func TestDecoding(t *testing.T) {
	checkText(t, "note", func(t *facts.Todo) string { return t.Note }, map[string]string{
		"a+b": "a+b", "a%2Bb": "a+b", "100%25": "100%", "%2f%2F": "//", "%": "%", "%2": "%2", "%zz": "%zz", "%%41": "%A",
		"%E4%BF%AE": "修", "%FF": "\uFFFD", "%20": "", "%E2%80%8D": "\u200d",
	})
}

func TestLists(t *testing.T) {
	check := func(key string, field func(*facts.Todo) []string, cases map[string][]string) {
		t.Helper()
		for value, want := range cases {
			assert.Equal(t, want, field(agentTodo(t, key+"="+value)), "%s=%s", key, value)
		}
	}
	check("required_write_scopes", func(t *facts.Todo) []string { return t.RequiredWriteScopes }, map[string][]string{
		"src/**,b":                    {"src/**", "b"},
		"src%2F%2A%2A%3Bdocs%7Cx":     {"src/**", "docs", "x"},
		"b,a,b,,":                     {"b", "a"},
		"/etc,~/x,a/../b,..,a%20b,ok": {"ok"},
		"a..b,.x":                     {"a..b", ".x"},
		strings.Repeat("a", 160):      {strings.Repeat("a", 160)},
		strings.Repeat("a", 161):      nil,
	})
	capabilities := map[string][]string{
		"Shell,benchmark-runner":   {"shell", "benchmark_runner"},
		"web%20search;gpu:a|shell": {"web_search", "gpu:a", "shell"},
		"9x,a.b,":                  nil,
	}
	check("required_capabilities", func(t *facts.Todo) []string { return t.RequiredCapabilities }, capabilities)
	check("target_capabilities", func(t *facts.Todo) []string { return t.TargetCapabilities }, capabilities)
	check("explore_result_node_refs", func(t *facts.Todo) []string { return t.NodeRefs }, map[string][]string{
		"Node.A,b:1,1x":       {"Node.A", "b:1"},
		"a,b,c,d,e,f,g,h,i,j": {"a", "b", "c", "d", "e", "f", "g", "h"},
	})
	check("excluded_agents", func(t *facts.Todo) []string { return t.ExcludedAgents }, map[string][]string{"b,A,!": {"a", "b"}})
	check("successor_todo_ids", func(t *facts.Todo) []string { return t.SuccessorTodoIDs }, map[string][]string{"todo_bbb,todo_aaa,x": {"todo_bbb", "todo_aaa"}})
	check("decision_scope_outcomes", func(t *facts.Todo) []string { return t.DecisionScopeOutcomes }, map[string][]string{
		"approve%7Cother%3Agoal%3Aa%7Ctodo_abc,x,approve%7Cbad%7Ctodo_abc,maybe%7Cother%3Agoal%3Aa%7Ctodo_abc": {"approve|other:goal:a|todo_abc"},
	})
	long := agentTodo(t, "required_write_scopes="+strings.Repeat("a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,", 2))
	assert.Len(t, long.RequiredWriteScopes, 18, "repeats are dropped from long lists too")
}

func TestDecisionScopes(t *testing.T) {
	for value, want := range map[string]*facts.DecisionScope{
		"direction:action:release_channel":      {Kind: "direction", Granularity: "action", Key: "release_channel"},
		"Write_Scope:Goal:SRC/**":               {Kind: "write_scope", Granularity: "goal", Key: "src/**"},
		"other:global:*":                        {Kind: "other", Granularity: "global", Key: "*"},
		"resource:lane:gpu:a:b":                 {Kind: "resource", Granularity: "lane", Key: "gpu:a:b"},
		"nothing:goal:a":                        nil,
		"other:team:a":                          nil,
		"other:goal":                            nil,
		"other:goal:-a":                         nil,
		"other:goal:" + strings.Repeat("a", 97): nil,
	} {
		assert.Equal(t, want, agentTodo(t, "decision_scope="+value).DecisionScope, value)
	}
	assert.Equal(t, []facts.DecisionScope{{Kind: "other", Granularity: "goal", Key: "a"}, {Kind: "other", Granularity: "goal", Key: "b"}},
		agentTodo(t, "required_decision_scopes=other:goal:a,x,other:goal:b,OTHER:goal:a").RequiredDecisionScopes)
}

func TestBooleans(t *testing.T) {
	yes, no := true, false
	words := map[string]*bool{"1": &yes, "TRUE": &yes, "yes": &yes, "y": &yes, "0": &no, "False": &no, "no": &no, "n": &no, "maybe": nil}
	for word, want := range words {
		assert.Equal(t, want, userTodo(t, "goal_bound="+word).GoalBound, word)
		assert.Equal(t, want, userTodo(t, "global_gate="+word).GlobalGate, word)
		assert.Equal(t, want, agentTodo(t, "no_followup="+word).NoFollowup, word)
		assert.Equal(t, want, agentTodo(t, "gating="+word).Gating, word)
		assert.Equal(t, want, agentTodo(t, "non_gating="+word).NonGating, word)
	}
	assert.Equal(t, &yes, userTodo(t, "goal_bound=global_gate").GoalBound)
	assert.Equal(t, &yes, agentTodo(t, "no_followup=no-followup").NoFollowup)
	assert.Equal(t, &yes, agentTodo(t, "material_change=true").MaterialChange)
	assert.Equal(t, &no, agentTodo(t, "watch_only=false").WatchOnly)
	assert.Nil(t, agentTodo(t, "watch_only=1").WatchOnly)
}

func TestKeysOfOneRole(t *testing.T) {
	const tokens = "claimed_by=a1 bound_agent=a2 goal_bound=true blocks_agent=a3 global_gate=true"
	user, agent := userTodo(t, tokens), agentTodo(t, tokens)
	assert.Equal(t, []any{"", "a2", true}, []any{user.ClaimedBy, user.BoundAgent, user.GoalBound != nil})
	assert.Equal(t, []any{"a1", "", false}, []any{agent.ClaimedBy, agent.BoundAgent, agent.GoalBound != nil})
	assert.Equal(t, "a3", agent.BlocksAgent, "rules report it")
	assert.NotNil(t, agent.GlobalGate, "rules report it")
}

func TestRepository(t *testing.T) {
	checkText(t, "task_repository", func(t *facts.Todo) string { return t.TaskRepository }, map[string]string{
		"git:Example.COM/team/app":                 "git:example.com/team/app",
		"https://example.com/team/app.git":         "git:example.com/team/app",
		"ssh://git@example.com:22/team/app.git":    "git:example.com:22/team/app",
		"git@example.com:team/app.git":             "git:example.com/team/app",
		"https://user:secret@example.com/team/app": "",
		"https://token@example.com/team/app":       "",
		"ssh://git:secret@example.com/team/app":    "",
		"file:///team/app":                         "",
		"git:example.com":                          "",
		"git:example.com/../app":                   "",
		"/team/app":                                "",
		"https://example.com/app?token=x":          "",
	})
}

func TestCadence(t *testing.T) {
	for value, want := range map[string]int64{
		"30m": 1800, "2h": 7200, "1d": 86400, "45s": 45, "5%20minutes": 300, "90SECONDS": 90, "1hr": 3600, "99999d": 99999 * 86400,
		"0m": 0, "05m": 0, "100000s": 0, "m": 0, "30": 0, "30x": 0, "-1m": 0, "1.5h": 0,
	} {
		todo := agentTodo(t, "cadence="+value)
		assert.Equal(t, want, todo.CadenceSeconds, value)
		assert.Equal(t, want > 0, todo.Cadence != "", value)
	}
}

func TestTimes(t *testing.T) {
	todo := agentTodo(t, "next_due_at=2026-08-20T12:00:00%2B00:00 expires_at=2026-08-20T14:00:00+02:00 last_checked_at=2026-08-20T12:00:00 "+
		"updated_at=2026-08-20T12:00:00Z completed_at=2026-08-20")
	const noon = int64(1787227200000000000)
	assert.Equal(t, []int64{noon, noon, noon, noon}, []int64{todo.NextDueNS, todo.ExpiresNS, todo.LastCheckedNS, todo.UpdatedNS})
	assert.Equal(t, "2026-08-20T12:00:00+00:00", todo.NextDueAt)
	assert.Equal(t, "2026-08-20", todo.CompletedAt)
	assert.Empty(t, todo.BadTimes)

	bad := agentTodo(t, "next_due_at=soon last_checked_at=2026-02-30 expires_at=x updated_at=y completed_at=z")
	assert.Equal(t, []string{"expires_at", "last_checked_at", "next_due_at"}, bad.BadTimes)
	assert.Equal(t, []any{"", int64(0), "", ""}, []any{bad.NextDueAt, bad.NextDueNS, bad.UpdatedAt, bad.CompletedAt})

	assert.Empty(t, agentTodo(t, "next_due_at=soon next_due_at=2026-08-20").BadTimes, "a later token wins")
	assert.Equal(t, int64(math.MaxInt64), agentTodo(t, "expires_at=9999-12-31").ExpiresNS)
}

func TestNoChangeCount(t *testing.T) {
	for value, want := range map[string]int64{"3": 3, "0": 0, "-2": 0, "many": 0, "99999999999999999999": 0} {
		assert.Equal(t, want, agentTodo(t, "consecutive_no_change="+value).ConsecutiveNoChange, value)
	}
}

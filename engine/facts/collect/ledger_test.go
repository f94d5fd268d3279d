package collect_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts"
)

const (
	ledgerIndex = `{"generated_at":"2026-11-30T11:00:00+00:00","goal_id":"g","classification":"quota_slot_spent","turn_instance_id":"t1","quota_event":{"slots":1}}
{"generated_at":"2026-11-30T11:10:00+00:00","goal_id":"g","classification":"note","turn_instance_id":"t2"}
`
	ledgerLog = `{"event_kind":"quota_should_run","goal_id":"g","run_id":"t1","agent_id":"codex-1","details":{"todo_id":"todo_a"}}
{"event_kind":"quota_should_run","goal_id":"g","run_id":"t2","agent_id":"codex-1"}
`
)

func ledgerProject(t *testing.T) *project {
	t.Helper()
	return newProject(t, map[string]string{
		"registry.json":                      listing(row("g", "")),
		"goals/g.md":                         "# Goal\n",
		"rt/goals/g/runs/index.jsonl":        ledgerIndex,
		"rt/goals/g/rollout-event-log.jsonl": ledgerLog,
	})
}

func TestTheTraceOfATurn(t *testing.T) {
	p := ledgerProject(t)
	request := facts.Request{Command: "spend-slot", GoalID: "g", AgentID: "codex-1", TurnInstanceID: "t1"}
	in, err := p.open(t).Input(context.Background(), request, now)
	require.NoError(t, err)
	require.Len(t, in.Trace.Rows, 1)
	require.Equal(t, "quota_slot_spent", in.Trace.Rows[0].Classification)
	require.Len(t, in.Trace.Events, 1)
	require.Equal(t, "todo_a", in.Trace.Events[0].Details["todo_id"])
	checkSchema(t, in)
}

func TestTheTraceOfARun(t *testing.T) {
	p := ledgerProject(t)
	request := facts.Request{Command: "void-slot", GoalID: "g", RunGeneratedAt: "2026-11-30T11:00:00+00:00"}
	in, err := p.open(t).Input(context.Background(), request, now)
	require.NoError(t, err)
	require.Len(t, in.Trace.Rows, 1)
	require.EqualValues(t, 1, *in.Trace.Rows[0].Slots)
	require.Empty(t, in.Trace.Events)
	checkSchema(t, in)
}

func TestARequestOfNoTurnHasNoTrace(t *testing.T) {
	in := ledgerProject(t).input(t, "g", "codex-1")
	require.Nil(t, in.Trace)
}

func TestTheFactsOfLedgerCommands(t *testing.T) {
	p := ledgerProject(t)
	p.write(t, map[string]string{".git/HEAD": "ref: refs/heads/main\n", ".git/config": "[remote \"origin\"]\n\turl = https://example.org/acme/parser.git\n"})
	given := facts.Write{
		Spend: &facts.SpendWrite{ReasonSummary: "done"},
		Void:  &facts.VoidWrite{ReasonSummary: "see /home/ann/notes and password=hunter2hunter2"},
		Poll:  &facts.PollWrite{ReasonSummary: ""},
	}
	write := given
	in := p.input(t, "g", "codex-1")
	in.Write = &write
	require.NoError(t, p.open(t).WriteFacts(context.Background(), in, now))
	require.Empty(t, write.Spend.Private)
	require.Equal(t, "git:example.org/acme/parser", write.Spend.Workspace.TaskRepository)
	require.Equal(t, []string{"credential", "local_absolute_path"}, write.Void.Private)
	require.Empty(t, write.Poll.Private)
	require.Nil(t, given.Void.Private, "what the caller gave is not changed, since it may be decided on again")
	require.DirExists(t, filepath.Join(p.dir, ".git"))
	checkSchema(t, in)
}

// TestPrivateTextIsNamedByItsArgument looks at every argument that a command would write down.
func TestPrivateTextIsNamedByItsArgument(t *testing.T) {
	const private = "see /home/ann/notes"
	fields, lists := map[string]string{"note": private, "reason": "fine"}, map[string][]string{"required_write_scopes": {private}, "required_capabilities": {"shell", private}}
	p := ledgerProject(t)
	for name, ask := range map[string]struct {
		write facts.Write
		want  []string
	}{
		"todo": {
			facts.Write{Todo: &facts.TodoWrite{Text: private, Fields: fields, Lists: lists, Next: &facts.NextTodo{
				AgentText: private, UserText: private, Fields: fields, Lists: lists,
			}}},
			[]string{
				"next_agent_todo", "next_note", "next_required_capabilities", "next_user_todo", "note", "required_capabilities", "text",
			},
		},
		"poll": {
			facts.Write{Poll: &facts.PollWrite{
				ResultHash: private, TargetKey: private, NextAgentTodo: private, NextUserTodo: private, NextTargetKey: private,
				NextTaskRepository: private,
			}},
			[]string{"next_agent_todo", "next_target_key", "next_task_repository", "next_user_todo", "result_hash", "target_key"},
		},
		"refresh": {
			facts.Write{Refresh: &facts.RefreshWrite{
				Classification: private, RecommendedAction: private, NextActions: []string{"go on", private, private},
				ProgressResult: private, ProgressFingerprint: private, VisionText: `{"state": "see \/home\/ann\/notes"}`, AgentLane: private,
				WorkspacePath: "/home/ann/worktree",
			}},
			[]string{
				"agent_lane", "agent_vision_json", "classification", "next_action", "progress_fingerprint", "progress_result",
				"recommended_action",
			},
		},
		"init": {facts.Write{Init: &facts.InitWrite{Objective: private, Project: "/home/ann/project"}}, []string{"objective"}},
		"goal": {
			facts.Write{Goal: &facts.GoalWrite{
				Reason: private, WaitingOn: private, AgentProfiles: []string{private}, AllowedDomains: []string{private},
				OrchestrationMode: private, WriteScope: []string{private},
				Authority: &facts.AuthorityWrite{WriteScope: []string{private}, Source: private, DecisionID: private},
			}},
			[]string{
				"agent_profile_json", "allowed_domain", "boundary_authority_decision_id", "boundary_authority_source",
				"orchestration_mode", "reason", "waiting_on",
			},
		},
		"nothing private": {facts.Write{Todo: &facts.TodoWrite{Text: "Write the notes.", Fields: map[string]string{"note": "fine"}}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			in := p.input(t, "g", "codex-1")
			in.Write = &ask.write
			require.NoError(t, p.open(t).WriteFacts(context.Background(), in, now))
			var names []string
			for _, found := range in.Write.Private {
				require.Equal(t, "local_absolute_path", found.Class)
				names = append(names, found.Argument)
			}
			require.Equal(t, ask.want, names)
			checkSchema(t, in)
		})
	}
}

func TestASummaryThatIsTooLongIsPrivate(t *testing.T) {
	settings, err := shipped()
	require.NoError(t, err)
	classes, err := settings.Private(string(make([]byte, 2<<20)))
	require.NoError(t, err)
	require.Equal(t, []string{"too_long"}, classes)
}

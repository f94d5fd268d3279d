package history

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts"
)

func TestEveryFieldOfARun(t *testing.T) {
	text := `{"generated_at": "2026-08-20T11:00:00+00:00", "goal_id": "g1", "classification": "refreshed", "requested_classification": "replan",
"agent_id": "Agent A", "agent_lane": "agent-a", "progress_scope": "goal", "delivery_outcome": "outcome_gap",
"delivery_batch_scale": "multi_surface", "turn_kind": "contract_only_preparation", "outcome_followthrough": false,
"recommended_action": "go \"on\" ü\u00fc", "recommended_action_source": "explicit_arg", "state": {}, "runtime_projection_route": {},
"todo_id": "todo_1", "target_key": "key", "turn_instance_id": "turn-1", "replan_obligation_id": "replan-1",
"settlement_identity": {"effect_id": "g1:a:t:1"}, "material_change": true, "result_hash": "h", "successor_todo_ids": ["todo_2", 3, "todo_4"],
"lifecycle_phase": "phase", "lifecycle_flags": ["focus"],
"monitor_target": {"target_id": "id", "monitor_mode": "mode", "effective_action": "act", "action_summary": "sum", "frontier_identity": "f"},
"autonomous_replan_ack": {"schema_version": "ack_v0", "recorded": true, "frontier_identity": "f2", "delta_contract":
 {"schema_version": "delta_v0", "delta_present": true, "delta_kinds": ["blocker"]},
 "semantic_delta": {"accepted": true, "obligation_id": "replan-1", "outcomes": ["o"]}},
"agent_vision": {"state": "active", "vision_patch": {"acceptance_summary": "acc", "replan_trigger_summary": "trigger"},
 "todo_delta": ["create:todo_5", {"action": "retain", "todo_id": "todo_6"}, 7]},
"vision_checkpoint": {"required": true, "satisfied": true, "decision": "patched"},
"progress_observation": {"result": "unchanged", "fingerprint": "fp"},
"operator_gate": {"gate": "g", "decision": "approve", "operator_question": "q", "agent_command": "c", "recorded_at": "r", "reason_summary": "x"},
"operator_gate_resume_contract": {}, "human_reward": {"score": 1},
"controller_readiness": {"missing_gates": ["m"], "next_handoff_condition": "n"},
"delivery_workspace": {"task_repository": "git:h/p", "workspace_kind": "worktree", "peer_independent_worktree_required": true}}`
	r := read(t, index(t, oneLine(text)), options(t))
	require.Empty(t, r.Findings)
	want := facts.Run{
		GeneratedAt: "2026-08-20T11:00:00+00:00", AtNS: testNow.Add(-time.Hour).UnixNano(), Count: 1,
		Classification: "refreshed", Requested: "replan", AgentID: "agent-a", AgentLane: "agent-a", ProgressScope: "goal",
		DeliveryOutcome: "outcome_gap", DeliveryBatchScale: "multi_surface", TurnKind: "contract_only_preparation",
		FollowThrough: new(false), RecommendedAction: `go "on" üü`, RecommendedActionSource: "explicit_arg", Refresh: true,
		TodoID: "todo_1", TargetKey: "key", TurnInstanceID: "turn-1", ReplanObligationID: "replan-1", EffectID: "g1:a:t:1",
		MaterialChange: new(true), ResultHash: "h", SuccessorTodoIDs: []string{"todo_2", "todo_4"},
		LifecyclePhase: "phase", LifecycleFlags: []string{"focus"},
		MonitorTarget: &facts.MonitorTarget{TargetID: "id", MonitorMode: "mode", EffectiveAction: "act", ActionSummary: "sum", FrontierIdentity: "f"},
		Ack: &facts.ReplanAck{
			SchemaVersion: "ack_v0", Recorded: true, DeltaSchemaVersion: "delta_v0", DeltaPresent: true, DeltaKinds: []string{"blocker"},
			FrontierIdentity: "f2", SemanticPresent: true, SemanticAccepted: true, SemanticObligationID: "replan-1", SemanticOutcomes: []string{"o"},
		},
		Vision:       &facts.Vision{State: "active", AcceptanceSummary: "acc", ReplanTrigger: "trigger", TodoDelta: []string{"create:todo_5", "retain:todo_6"}},
		Checkpoint:   &facts.VisionCheckpoint{Required: true, Satisfied: true, Decision: "patched"},
		Observation:  &facts.ProgressObservation{Result: "unchanged", Fingerprint: "fp"},
		OperatorGate: &facts.OperatorGate{Gate: "g", Decision: "approve", OperatorQuestion: "q", AgentCommand: "c", RecordedAt: "r"},
		Readiness:    &facts.Readiness{MissingGates: []string{"m"}, NextHandoffCondition: "n"},
		HumanReward:  true, ResumeGate: true,
		Workspace: &facts.Workspace{TaskRepository: "git:h/p", WorkspaceKind: "worktree", IndependentRequired: true},
	}
	assert.Equal(t, []facts.Run{want}, r.Runs)
	want.ArtifactsMissing = true
	assert.Equal(t, &want, r.StatusRun)
}

func oneLine(text string) string {
	out := []byte(text)
	for i, c := range out {
		if c == '\n' {
			out[i] = ' '
		}
	}
	return string(out)
}

// TestFieldsOfAnotherType: a field of the wrong type is absent, and the rest of the row is still read.
func TestFieldsOfAnotherType(t *testing.T) {
	r := read(t, index(t, line(t, time.Hour, "x", fields{
		"agent_id": 5, "material_change": "true", "outcome_followthrough": 1, "recommended_action_source": "  ", "state": fields{},
		"runtime_projection_route": fields{}, "successor_todo_ids": "todo_1", "lifecycle_flags": fields{},
		"monitor_target": "x", "operator_gate": []int{}, "human_reward": true, "settlement_identity": fields{"effect_id": 3},
		"vision_checkpoint":     fields{"required": "yes", "decision": "kept"},
		"autonomous_replan_ack": fields{"recorded": "true", "delta_contract": []int{}, "semantic_delta": nil, "requested_classification": "from the ack"},
		"agent_vision":          fields{"vision_patch": "x", "todo_delta": "x"}, "controller_readiness": fields{"missing_gates": "one"},
	})), options(t))
	assert.Equal(t, []facts.Run{{
		GeneratedAt: ago(time.Hour), AtNS: testNow.Add(-time.Hour).UnixNano(), Count: 1, Classification: "x",
		Requested: "from the ack", RecommendedActionSource: "  ", SuccessorTodoIDs: []string{"todo_1"},
		Checkpoint: &facts.VisionCheckpoint{Decision: "kept"},
		Ack:        &facts.ReplanAck{DeltaKinds: []string{}, SemanticOutcomes: []string{}},
		Vision:     &facts.Vision{TodoDelta: []string{}},
		Readiness:  &facts.Readiness{MissingGates: []string{"one"}},
	}}, r.Runs)
	assert.Empty(t, r.Decisions)
}

func TestFolding(t *testing.T) {
	poll := func(minutes int, extra ...fields) string {
		return line(t, time.Duration(minutes)*time.Minute, "quota_monitor_poll", append([]fields{{"agent_id": "agent-a"}}, extra...)...)
	}
	type kept struct {
		minutes, count int
		turn           string
	}
	for name, c := range map[string]struct {
		lines []string
		want  []kept
	}{
		"alike":             {[]string{poll(3), poll(2), poll(1)}, []kept{{1, 3, ""}}},
		"unknown fields":    {[]string{poll(2, fields{"health_check": "a"}), poll(1, fields{"health_check": "b"})}, []kept{{1, 2, ""}}},
		"spelled otherwise": {[]string{poll(2, fields{"monitor_target": fields{"target_id": "a", "agent_id": "x"}}), poll(1, fields{"monitor_target": fields{"target_id": "a"}})}, []kept{{1, 2, ""}}},
		"field differs":     {[]string{poll(3), poll(2, fields{"todo_id": "t"}), poll(1)}, []kept{{1, 1, ""}, {2, 1, ""}, {3, 1, ""}}},
		"deep field differs": {[]string{poll(2, fields{"monitor_target": fields{"target_id": "a"}}), poll(1, fields{"monitor_target": fields{"target_id": "b"}})},
			[]kept{{1, 1, ""}, {2, 1, ""}}},
		"turns": {[]string{poll(3, fields{"turn_instance_id": "t1"}), poll(2, fields{"turn_instance_id": "t2"}), poll(1)},
			[]kept{{1, 1, ""}, {2, 1, "t2"}, {3, 1, "t1"}}},
	} {
		t.Run(name, func(t *testing.T) {
			r := read(t, index(t, c.lines...), options(t))
			got := []kept{}
			for _, run := range r.Runs {
				got = append(got, kept{int((testNow.UnixNano() - run.AtNS) / int64(time.Minute)), run.Count, run.TurnInstanceID})
			}
			assert.Equal(t, c.want, got)
		})
	}
}

// TestAMonthOfQuietTurns: turns stay apart until every streak is decided, then they fold.
func TestAMonthOfQuietTurns(t *testing.T) {
	lines := []string{}
	for i := 2000; i > 0; i-- {
		lines = append(lines, line(t, time.Duration(i)*20*time.Minute, "quota_monitor_poll", fields{"turn_instance_id": fmt.Sprintf("turn-%d", i)}))
	}
	r := read(t, index(t, lines...), options(t))
	require.Len(t, r.Runs, 24)
	assert.Equal(t, 1, r.Runs[22].Count)
	assert.Equal(t, 2000-23, r.Runs[23].Count)
}

func TestVoidsAreNeverFolded(t *testing.T) {
	r := read(t, index(t,
		line(t, 50*time.Hour, "quota_slot_voided", fields{"json_path": "gone.json"}),
		line(t, 3*time.Hour, "quota_slot_voided", fields{"quota_event": fields{"slots": 1, "voided_run_generated_at": "a"}}),
		line(t, 2*time.Hour, "quota_slot_voided", fields{"quota_event": fields{"slots": 1, "voided_run_generated_at": "b"}}),
	), options(t))
	require.Len(t, r.Runs, 3)
	assert.Equal(t, "b", r.Runs[0].Voids)
	assert.Equal(t, "a", r.Runs[1].Voids)
	assert.Empty(t, r.Runs[2].Voids)
	assert.Empty(t, r.Findings)
}

// TestLaneBounds: the lane keeps rows back to its last material one, other agents only as far as the goal's newest.
func TestLaneBounds(t *testing.T) {
	lines := []string{line(t, 32*24*time.Hour, "too old", fields{"agent_id": "agent-a"})}
	add := func(hours int, agent, class string) {
		extra := fields{"agent_id": agent}
		if agent == "" {
			extra = nil
		}
		lines = append(lines, line(t, time.Duration(hours)*time.Hour, class, extra))
	}
	add(600, "agent-a", "old lane row")
	add(599, "agent-b", "old foreign row")
	add(598, "", "old row of nobody")
	for i := 100; i > 0; i-- {
		add(i, "agent-b", fmt.Sprintf("work %d", i))
	}
	o := options(t)
	o.AgentID = "agent-a"
	r := read(t, index(t, lines...), o)
	got := classes(r)
	require.Len(t, got, 26)
	assert.Equal(t, "work 24", got[23])
	assert.Equal(t, []string{"old row of nobody", "old lane row"}, got[24:])

	o.AgentID = ""
	assert.Len(t, read(t, index(t, lines...), o).Runs, 24)
	o.AgentID = "agent-b"
	assert.Len(t, read(t, index(t, lines...), o).Runs, 24)
}

func TestNewestVisionIsKept(t *testing.T) {
	vision := fields{"agent_id": "agent-a", "agent_vision": fields{"state": "active"}}
	for name, c := range map[string]struct {
		hours int
		want  int
	}{"inside the horizon": {160, 25}, "beyond": {170, 24}} {
		t.Run(name, func(t *testing.T) {
			lines := []string{line(t, time.Duration(c.hours+1)*time.Hour, "first", vision), line(t, time.Duration(c.hours)*time.Hour, "second", vision)}
			for i := 24; i > 0; i-- {
				lines = append(lines, line(t, time.Duration(i)*time.Hour, fmt.Sprintf("work %d", i)))
			}
			o := options(t)
			o.AgentID = "agent-a"
			r := read(t, index(t, lines...), o)
			require.Len(t, r.Runs, c.want)
			if c.want == 25 {
				assert.Equal(t, "second", r.Runs[24].Classification)
			}
		})
	}
}

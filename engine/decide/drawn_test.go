package decide

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/vm"
)

// wide draws an input that reaches what varied does not: capabilities, boundaries, hand-offs, resume conditions, visions,
// acknowledgements, repairs, profiles and hosts.
func wide(t *rapid.T) *facts.Input {
	in := varied(t)
	draw := func(name string, values ...string) string { return rapid.SampledFrom(values).Draw(t, name) }
	chance := func(name string, oneIn int) bool { return rapid.IntRange(1, oneIn).Draw(t, name) == 1 }
	yes := true
	if chance("healthy", 2) { // otherwise most inputs end in one of the early states
		in.Findings, in.Goal.WaitingOn, in.Goal.Activation, in.Goal.LifecyclePhase = []facts.Finding{}, draw("owner", "codex", "codex", ""), "", ""
		full, slots := 1.0, int64(1440)
		in.Goal.Quota.Compute, in.Goal.Quota.AllowedSlots = &full, &slots
		in.Request.RuntimeProfile, in.Request.AgentID, in.Request.CodexApp = "", draw("asker", "", "one", "two"), true
	}
	if chance("detail", 4) {
		in.Request.IncludeDetail = []string{"all"}
	}
	if chance("another host", 6) {
		in.Request.CodexApp = false
		in.Request.HostSurface, in.Request.SchedulerOwner = draw("surface", "codex_cli", "trae_app", "ark_managed_agent", ""), draw("schedule", "agent_cli_loop", "host_automation", "goal_runtime")
		in.Request.ExecutionMode = draw("execution", "interactive", "hosted_automation")
	}
	in.Request.CurrentRRULE = draw("rrule", "", "FREQ=MINUTELY;INTERVAL=3", "FREQ=HOURLY")
	in.Inbox.ReplyDue = chance("reply", 8)
	in.Goal.AdapterStatus = draw("adapter", "connected", "connected-delivery", "planned", "")
	in.Goal.AdapterKind = draw("adapter kind", "generic_project_goal_v0", "read_only_project_map_v0", "harness_self_improvement")
	if chance("boundary", 2) {
		in.Goal.HasBoundary, in.Goal.WriteScope, in.Goal.Capabilities = true, []string{draw("scope", "src/**", "docs/*", "*")}, []string{"network"}
	}
	in.Goal.SelfRepair = facts.Repair{Enabled: &yes}
	if chance("no repair", 2) {
		in.Goal.SelfRepair = facts.Repair{}
	}
	if chance("burst", 4) {
		in.Goal.Quota.Burst = &facts.Burst{Slots: 2, ExpiresAt: noon.Add(time.Hour).Format(time.RFC3339), ExpiresNS: noon.Add(time.Hour).UnixNano()}
	}
	if chance("profile", 3) {
		in.Goal.Profiles = []facts.AgentProfile{{AgentID: "one", PreferredActionKinds: []string{"implement"}, AvoidActionKinds: []string{}}}
	}
	in.Goal.AgentCommand = draw("command", "", "make map")
	in.State.NextActions = rapid.SampledFrom([][]string{{}, {"Run the benchmark and then rebuild the scores."}, {"Wait for the owner's approval."}}).Draw(t, "next")
	id := func(name string) string {
		return fmt.Sprintf("todo_%03d", rapid.IntRange(0, max(0, len(in.Todos)-1)).Draw(t, name))
	}
	for i, todo := range in.Todos {
		name := func(what string) string { return fmt.Sprintf("%s %d", what, i) }
		if todo.Role == "user" {
			todo.BoundAgent = draw(name("bound"), "one", "two", "")
			if chance(name("goal bound"), 2) {
				todo.GoalBound = &yes
			}
			todo.UnblocksTodoID = rapid.SampledFrom([]string{"", id(name("unblocks"))}).Draw(t, name("gate of"))
			continue
		}
		if chance(name("capable"), 3) {
			todo.RequiredCapabilities = []string{draw(name("needs"), "network", "credentials", "teleport", "shell")}
		}
		if chance(name("targets"), 6) {
			todo.TargetCapabilities = []string{"benchmark_runner"}
		}
		if chance(name("excluded"), 5) {
			todo.ExcludedAgents = []string{draw(name("excludes"), "one", "two")}
		}
		if chance(name("waits"), 4) {
			todo.ResumeWhen = draw(name("resume"), "todo_done:"+id(name("on")), "capacity_available:network", "next full moon")
		}
		if chance(name("scoped"), 6) {
			todo.RequiredDecisionScopes = []facts.DecisionScope{{Kind: "publish", Granularity: "goal", Key: "g"}}
		}
		if chance(name("external"), 5) {
			todo.ActionKind, todo.Text, todo.Title = "observe", "Poll the remote job and wait for its result.", "Poll the remote job and wait for its result."
		}
		if todo.Status == "done" && chance(name("closed"), 2) {
			todo.NoFollowup = &yes
		}
		todo.ConsecutiveNoChange = int64(rapid.IntRange(0, 7).Draw(t, name("no change")))
	}
	for i := range in.Runs {
		row := &in.Runs[i]
		switch rapid.IntRange(0, 9).Draw(t, fmt.Sprintf("row %d", i)) {
		case 0:
			row.Classification = draw(fmt.Sprintf("status %d", i), "operator_gate_approved", "blocked_by_safety", "read_only_project_map", "dependency_observation_x", "no_progress_turn")
		case 1:
			row.Vision = &facts.Vision{State: "active", AcceptanceSummary: "It ships.", TodoDelta: []string{"activate:" + id(fmt.Sprintf("vision %d", i))}}
		case 2:
			row.Ack = &facts.ReplanAck{
				SchemaVersion: "autonomous_replan_ack_v0", DeltaSchemaVersion: "repair_delta_contract_v0", Recorded: true, DeltaPresent: true,
				DeltaKinds: []string{draw(fmt.Sprintf("delta %d", i), "watch_lane_continuation", "blocker")}, SemanticOutcomes: []string{},
			}
		case 3:
			row.MonitorTarget = &facts.MonitorTarget{TargetID: "t", MonitorMode: "due_monitor_observed_unchanged"}
			row.TodoID = id(fmt.Sprintf("polled %d", i))
		case 4:
			row.OperatorGate = &facts.OperatorGate{OperatorQuestion: "May it?", AgentCommand: "make"}
			row.Readiness = &facts.Readiness{MissingGates: []string{"review"}, NextHandoffCondition: "after review"}
		}
	}
	if len(in.Runs) > 0 {
		status := in.Runs[0]
		in.StatusRun = &status
		in.Decisions = []facts.DecisionRow{{GeneratedAt: status.GeneratedAt, AtNS: status.AtNS, Classification: "operator_gate_approved", Kind: "operator_gate", NewerEvents: 3}}
	}
	if chance("promotion", 3) {
		in.Promotion = &facts.Promotion{GeneratedAt: noon.Format(time.RFC3339), AtNS: noon.Add(-48 * time.Hour).UnixNano()}
	}
	in.Fill()
	return in
}

// TestDrawnAnswersKeepTheirSchema asks twice: the second time as a host whose update to the first advice failed.
func TestDrawnAnswersKeepTheirSchema(t *testing.T) {
	b, err := fast()
	require.NoError(t, err)
	rapid.Check(t, func(rt *rapid.T) {
		in := wide(rt)
		e, err := New(b, given{in}, true)
		require.NoError(rt, err)
		doc, err := e.ShouldRun(context.Background(), in.Request, noon)
		require.NoError(rt, err)
		backoff := find(doc.Value, "scheduler_hint", "codex_app", "stateful_backoff")
		if backoff == nil {
			return
		}
		text := func(key string) string {
			value, _ := backoff.Get(vm.String(key)).(vm.String)
			return string(value)
		}
		failed := noon.Add(-time.Duration(rapid.IntRange(0, 100).Draw(rt, "ago")) * time.Minute)
		in.Request.CurrentRRULE = "FREQ=MINUTELY;INTERVAL=5"
		in.SchedulerStates = []facts.SchedulerState{{
			Surface: "codex_app", StateKey: text("state_key"), ResetToken: text("reset_token"), IdentitySignature: text("identity_signature"),
			ProgressionMinutes: []int64{30, 60}, LastAppliedRRULE: "FREQ=MINUTELY;INTERVAL=5",
			UpdatedAt: failed.Format(time.RFC3339), UpdatedNS: failed.UnixNano(),
			Failures: []facts.HostFailure{{
				TargetRRULE: text("current_rrule"), ObservedHostRRULE: "FREQ=MINUTELY;INTERVAL=5", FailureKind: "timeout", FailureCount: 1,
				FailedAt: failed.Format(time.RFC3339), FailedNS: failed.UnixNano(), IdentitySignature: text("identity_signature"),
			}},
		}}
		_, err = e.ShouldRun(context.Background(), in.Request, noon)
		require.NoError(rt, err)
		item, err := b.Eval(context.Background(), EntryItem, mustValue(rt, in))
		require.NoError(rt, err)
		in.Request.Command, in.Request.GoalID = KindPlan, ""
		plan, err := New(b, given{in}, true)
		require.NoError(rt, err)
		input, err := inputValue(in, []vm.Value{item})
		require.NoError(rt, err)
		value, err := b.Eval(context.Background(), EntryPlan, input)
		require.NoError(rt, err)
		require.NoError(rt, checkSchema(newDocument(KindPlan, value.(*vm.Object), plan.order)))
	})
}

func mustValue(t *rapid.T, in *facts.Input) vm.Value {
	value, err := facts.Value(in)
	require.NoError(t, err)
	return value
}

// find follows names through objects; nil when there is none.
func find(o *vm.Object, names ...string) *vm.Object {
	out, _ := vm.Find(o, names...).(*vm.Object)
	return out
}

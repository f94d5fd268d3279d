package decide

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/vm"
	"github.com/loopx-dev/loopx-policy/schemas"
)

type fields = map[string]any

// shapes are real documents by what they are, the first of each kind that a case gives.
func shapes(t *testing.T) map[string]fields {
	t.Helper()
	is := map[string]func(f fields) bool{
		"work":       func(f fields) bool { return f["effective_action"] == "normal_run" && f["agent_identity"] != nil },
		"monitor":    func(f fields) bool { return has(f, "work_lane_contract", "monitor_due_items") },
		"gate":       func(f fields) bool { return f["state"] == "operator_gate" && has(f, "gate_prompt") },
		"capability": func(f fields) bool { return has(f, "capability_gate", "resolution_steps") },
		"replan":     func(f fields) bool { return has(f, "autonomous_replan_obligation") },
		"terminal":   func(f fields) bool { return has(f, "goal_frontier_projection", "terminal_state") },
		"unhealthy":  func(f fields) bool { return f["state"] == "blocked_health" && has(f, "quota") },
		"detail":     func(f fields) bool { return has(f, "scheduler_hint", "cold_path_detail") },
		"paused":     func(f fields) bool { return f["state"] == "paused" },
		"unknown":    func(f fields) bool { return f["state"] == "unknown" },
		"invalid":    func(f fields) bool { return f["state"] == "blocked_validation" },
		"identity":   func(f fields) bool { return has(f, "identity_precondition") },
		"refused":    func(f fields) bool { return f["error_code"] == "quota_state_invalid_json" },
		"plan":       func(f fields) bool { return f["mode"] == KindPlan && f["next_automatic_turn"] != nil },
	}
	found := map[string]fields{}
	for _, c := range caseDocuments(t) {
		f, err := c.document.Fields()
		require.NoError(t, err)
		for name, match := range is {
			if found[name] == nil && match(f) {
				found[name] = f
			}
		}
	}
	for name := range is {
		require.NotNil(t, found[name], "no case gives a document of shape %s", name)
	}
	return found
}

// has tells whether a path of names leads to a value.
func has(f fields, names ...string) bool {
	var v any = f
	for _, name := range names {
		m, ok := v.(fields)
		if !ok || m[name] == nil {
			return false
		}
		v = m[name]
	}
	return true
}

// check gives the schema's problems with fields, as "pointer: message".
func check(t *testing.T, kind string, f fields) []string {
	t.Helper()
	value, err := vm.FromGo(f)
	require.NoError(t, err)
	err = checkSchema(newDocument(kind, value.(*vm.Object), nil))
	if err == nil {
		return nil
	}
	var broken *SchemaError
	require.ErrorAs(t, err, &broken)
	var out []string
	for _, problem := range broken.Problems {
		out = append(out, fmt.Sprint(problem))
	}
	return out
}

// copyOf copies fields to the ground.
func copyOf(t *testing.T, f fields) fields {
	t.Helper()
	text, err := json.Marshal(f)
	require.NoError(t, err)
	var out fields
	require.NoError(t, json.Unmarshal(text, &out))
	return out
}

// set puts a value at a pointer; drop removes what is there.
type drop struct{}

func set(t *testing.T, f fields, pointer string, value any) {
	t.Helper()
	names := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	last := names[len(names)-1]
	var v any = f
	for _, name := range names[:len(names)-1] {
		switch node := v.(type) {
		case fields:
			require.Contains(t, node, name, pointer)
			v = node[name]
		case []any:
			require.NotEmpty(t, node, pointer)
			v = node[0] // every index in these tests is 0
		}
	}
	node, ok := v.(fields)
	require.True(t, ok, pointer)
	if value == (drop{}) {
		require.Contains(t, node, last, pointer)
		delete(node, last)
		return
	}
	node[last] = value
}

func TestAChangedDocumentIsRefusedAtItsPointer(t *testing.T) {
	real := shapes(t)
	for _, c := range []struct {
		shape, pointer string
		value          any
		problem        string // default: the pointer
	}{
		// unknown fields
		{"work", "/should_rum", true, ""},
		{"work", "/interaction_contract/user_chanel", fields{}, ""},
		{"work", "/interaction_contract/agent_channel/spend_allowed_now", true, ""},
		{"work", "/interaction_contract/cli_channel/spend", true, ""},
		{"work", "/execution_obligation/must_attempt", true, ""},
		{"work", "/heartbeat_recommendation/mode", "skip", ""},
		{"work", "/work_lane_contract/may_deliver", true, ""},
		{"work", "/automation_liveness/stop", true, ""},
		{"work", "/quota/tokens", 1, ""},
		{"work", "/scheduler_hint/interval", 3, ""},
		{"work", "/scheduler_hint/codex_app/interval", 3, ""},
		{"work", "/goal_frontier_projection/todo_count", 3, ""},
		{"capability", "/capability_gate/granted", true, ""},
		{"plan", "/paused", []any{}, ""},
		{"plan", "/groups/blocked", []any{}, ""},
		{"plan", "/next_automatic_turn/should_run", true, "/next_automatic_turn"},
		{"plan", "/summary/states/sleeping", 1, ""},
		{"unknown", "/quota", fields{}, ""},
		{"invalid", "/heartbeat_recommendation", fields{}, ""},
		{"refused", "/error/stack", "x", ""},
		// unknown words
		{"work", "/state", "running", ""},
		{"work", "/state", "unknown", ""},
		{"work", "/mode", "should_run", ""},
		{"work", "/decision", "go", ""},
		{"work", "/effective_action", "normal", ""},
		{"work", "/waiting_on", "nobody", ""},
		{"work", "/quota/state", "unknown", ""},
		{"work", "/interaction_contract/mode", "normal_run", ""},
		{"work", "/interaction_contract/user_channel/notify", "MAYBE", ""},
		{"work", "/heartbeat_recommendation/notify", "notify", ""},
		{"work", "/heartbeat_recommendation/recommended_mode", "normal_run", ""},
		{"work", "/execution_obligation/kind", "work", ""},
		{"work", "/execution_obligation/contract_obligation", "advance", ""},
		{"work", "/work_lane_contract/lane", "advancement", ""},
		{"work", "/work_lane_contract/obligation", "advance", ""},
		{"work", "/work_lane_contract/monitor_policy", "none", ""},
		{"work", "/automation_liveness/automation_action", "stop", ""},
		{"work", "/scheduler_hint/action", "stop", ""},
		{"work", "/scheduler_hint/cadence_class", "fast", ""},
		{"work", "/scheduler_hint/codex_app/apply", "yes", ""},
		{"work", "/scheduler_hint/codex_app/host_action", "delete_all", ""},
		{"work", "/scheduler_hint/codex_app/stateful_backoff/state_status", "ok", ""},
		{"gate", "/blocked_action_scope", "everything", ""},
		{"gate", "/safe_bypass_kind", "any", ""},
		{"capability", "/capability_gate/action", "grant", ""},
		{"capability", "/capability_gate/decision_owner", "nobody", ""},
		{"capability", "/capability_gate/blocked_candidates/0/capability_action", "grant", ""},
		{"terminal", "/goal_frontier_projection/terminal_state/kind", "closed", ""},
		{"terminal", "/goal_frontier_projection/autonomy_blockers", []any{"mood"}, "/goal_frontier_projection/autonomy_blockers/0"},
		{"paused", "/pause_cause", "lunch", ""},
		{"unknown", "/state", "eligible", ""},
		{"identity", "/identity_precondition/error_code", "x", ""},
		{"plan", "/mode", "status", ""},
		{"plan", "/groups/eligible/0/quota/state", "idle", ""},
		// missing fields
		{"work", "/reason", drop{}, `'reason'`},
		{"work", "/scheduler_hint", drop{}, `'scheduler_hint'`},
		{"work", "/goal_frontier_projection", drop{}, `'goal_frontier_projection'`},
		{"work", "/quota/spent_slots", drop{}, "/quota: "},
		{"work", "/interaction_contract/agent_channel/must_attempt", drop{}, "/interaction_contract/agent_channel: "},
		{"work", "/interaction_contract/cli_channel/spend_allowed_now", drop{}, "/interaction_contract/cli_channel: "},
		{"work", "/execution_obligation/notify_is_execution_gate", drop{}, "/execution_obligation: "},
		{"work", "/work_lane_contract/reason_codes", drop{}, "/work_lane_contract: "},
		{"replan", "/autonomous_replan_obligation/stop_condition", drop{}, "/autonomous_replan_obligation: "},
		{"paused", "/pause_cause", drop{}, `'pause_cause'`},
		{"identity", "/status", drop{}, `'status'`},
		{"plan", "/groups/paused", drop{}, "/groups: "},
		{"plan", "/health_items", drop{}, `'health_items'`},
		{"plan", "/groups/eligible/0/goal_id", drop{}, "/groups/eligible/0: "},
		// wrong types and what may never be
		{"work", "/should_run", "true", ""},
		{"work", "/goal_id", nil, ""},
		{"work", "/open_count", -1, ""},
		{"work", "/reason", "", ""},
		{"work", "/valid_until", "tomorrow", ""},
		{"work", "/active_state_next_action", strings.Repeat("x", 321), ""},
		{"work", "/quota/compute", 1.5, ""},
		{"work", "/quota/allowed_slots", 1.5, ""},
		{"work", "/quota/window_hours", 0, ""},
		{"work", "/interaction_contract/cli_channel/spend_allowed_now", true, ""},
		{"work", "/interaction_contract/cli_channel/next_cli_actions", []any{"loopx"}, "/interaction_contract/cli_channel/next_cli_actions/0"},
		{"work", "/interaction_contract/user_channel/actions", []any{"a", "b", "c", "d"}, ""},
		{"work", "/execution_obligation/notify_is_execution_gate", true, ""},
		{"work", "/scheduler_hint/codex_app/recommended_rrule", "every hour", ""},
		{"work", "/error_code", "x", ""},
		{"monitor", "/work_lane_contract/monitor_due_items", []any{fields{"todo_id": "a", "text": "a"}, fields{"todo_id": "b", "text": "b"}}, ""},
		{"monitor", "/work_lane_contract/monitor_due_items/0/todo_id", "", ""},
		{"gate", "/notify_user_on_gate", false, ""},
		{"unhealthy", "/health_findings", []any{}, ""},
		{"unhealthy", "/health_findings/0/scope", "everybody", ""},
		{"replan", "/autonomous_replan_obligation/obligation_id", "replan-1", ""},
		{"detail", "/scheduler_hint/detail_ref/execution_required", true, ""},
		// a paused goal is silent; a short answer permits nothing
		{"paused", "/should_run", true, ""},
		{"paused", "/decision", "run", ""},
		{"paused", "/effective_action", "normal_run", ""},
		{"paused", "/normal_delivery_allowed", true, ""},
		{"paused", "/safe_bypass_allowed", true, ""},
		{"paused", "/requires_user_action", true, ""},
		{"paused", "/work_lane_contract", fields{}, ""},
		{"paused", "/capability_gate", fields{}, ""},
		{"paused", "/goal_frontier_projection", fields{}, ""},
		{"paused", "/user_todo_summary", fields{}, ""},
		{"paused", "/notify_user_on_gate", true, ""},
		{"unknown", "/should_run", true, ""},
		{"unknown", "/ok", true, ""},
		{"unknown", "/decision", "run", ""},
		{"refused", "/normal_delivery_allowed", true, ""},
		{"refused", "/actionable_by_codex", true, ""},
		{"work", "/interaction_contract", drop{}, "/"},
	} {
		t.Run(c.shape+" "+c.pointer, func(t *testing.T) {
			kind, _ := real[c.shape]["mode"].(string)
			changed := copyOf(t, real[c.shape])
			require.Empty(t, check(t, kind, changed))
			set(t, changed, c.pointer, c.value)
			problems := strings.Join(check(t, kind, changed), "\n")
			require.NotEmpty(t, problems)
			if c.problem != "" {
				assert.Contains(t, problems, c.problem)
				return
			}
			// a value is refused where it stands, an unknown field by its parent
			unknown := fmt.Sprintf("additionalProperties '%s' not allowed", path.Base(c.pointer))
			assert.True(t, strings.Contains(problems, c.pointer+": ") || strings.Contains(problems, unknown), problems)
		})
	}
}

// TestEveryFieldOfADocumentIsKnownAndTyped turns each field of each shape into a list of lists, which no field is.
func TestEveryFieldOfADocumentIsKnownAndTyped(t *testing.T) {
	for shape, f := range shapes(t) {
		kind, _ := f["mode"].(string)
		for _, name := range slices.Sorted(maps.Keys(f)) {
			changed := maps.Clone(f)
			changed[name] = []any{[]any{}}
			problems := strings.Join(check(t, kind, changed), "\n")
			assert.Contains(t, problems, "/"+name, "%s %s", shape, name)
		}
	}
}

// TestAlwaysMeansAlways removes each field that decision.md 0.7 calls always present.
func TestAlwaysMeansAlways(t *testing.T) {
	work := shapes(t)["work"]
	for name := range strings.FieldsSeq(`ok status_health_ok goal_id decision should_run normal_delivery_allowed
		recovery_delivery_allowed self_repair_allowed capability_repair_allowed workspace_repair_allowed effective_action
		actionable_by_codex reason quota state blocked_action_scope safe_bypass_allowed safe_bypass_kind waiting_on status source
		lifecycle_phase lifecycle_flags project_asset_source recommended_action active_state_next_action
		latest_run_recommended_action execution_profile long_task_cadence_hint handoff_readiness heartbeat_recommendation
		execution_obligation goal_boundary goal_frontier_projection plan_summary todo_write_hint automation_liveness
		scheduler_hint protocol_action_packet requires_user_action action_required open_count`) {
		changed := maps.Clone(work)
		require.Contains(t, changed, name)
		delete(changed, name)
		assert.Contains(t, strings.Join(check(t, KindShouldRun, changed), "\n"), "'"+name+"'", name)
	}
}

// TestARefusalOfAnyQuestionKeepsItsSchema covers refusals that no case asks for.
func TestARefusalOfAnyQuestionKeepsItsSchema(t *testing.T) {
	known, err := templates()
	require.NoError(t, err)
	require.Greater(t, len(known.Documents), 20)
	for kind := range known.Documents {
		if kind == KindPolicyCheck { // a report of this program, not of the bundle
			continue
		}
		for _, goal := range []string{"", "g"} {
			request := ask(goal)
			request.Command = kind
			for _, verbose := range []bool{false, true} {
				doc := Refuse(kind, request, UsageError(fmt.Errorf("no")), verbose)
				require.NoError(t, checkSchema(doc), "%s", doc.JSON())
			}
		}
	}
}

// TestSchemasDescribeClosedDocuments keeps a field from slipping in anywhere at the top.
func TestSchemasDescribeClosedDocuments(t *testing.T) {
	entries, err := schemas.FS.ReadDir("decision")
	require.NoError(t, err)
	for _, entry := range entries {
		text, err := schemas.FS.ReadFile(path.Join("decision", entry.Name()))
		require.NoError(t, err)
		var doc fields
		require.NoError(t, json.Unmarshal(text, &doc))
		assert.Equal(t, "https://json-schema.org/draft/2020-12/schema", doc["$schema"], entry.Name())
		assert.NotEmpty(t, doc["title"], entry.Name())
	}
}

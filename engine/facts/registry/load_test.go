package registry_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/registry"
)

func TestUnusableRegistries(t *testing.T) {
	deep := strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001)
	cases := map[string]struct {
		text string
		code string
		line int
	}{
		"empty file":            {"", facts.CodeInvalidJSON, 1},
		"cut off":               {"{\n\"goals\": [{\"id\": \"a\"", facts.CodeInvalidJSON, 2},
		"trailing data":         {"{\"goals\": []}\n{}", facts.CodeInvalidJSON, 2},
		"byte order mark":       {"\xef\xbb\xbf{}", facts.CodeInvalidJSON, 1},
		"NaN":                   {"{\"goals\": [\n{\"quota\": {\"compute\": NaN}}]}", facts.CodeInvalidJSON, 2},
		"not UTF-8":             {"{\"goals\": [\n\"\xc3\x28\"]}", facts.CodeInvalidJSON, 2},
		"too deep":              {deep, facts.CodeInvalidJSON, 1},
		"a list":                {"[]", facts.CodeShape, 1},
		"null":                  {"\n null", facts.CodeShape, 2},
		"goals is an object":    {"{\n\"goals\": {}}", facts.CodeShape, 2},
		"goals is null":         {"{\"goals\": null}", facts.CodeShape, 1},
		"runtime root a number": {"{\n\"common_runtime_root\": 3}", facts.CodeShape, 2},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := registry.Parse("registry.json", []byte(c.text))
			var refusal *facts.Error
			require.ErrorAs(t, err, &refusal)
			assert.Equal(t, c.code, refusal.Code)
			assert.Equal(t, c.line, refusal.Line)
			assert.True(t, strings.HasPrefix(err.Error(), fmt.Sprintf("registry.json:%d: ", c.line)), err.Error())
		})
	}
}

func TestUnreadableRegistries(t *testing.T) {
	dir := t.TempDir()
	pipe, loop, big := filepath.Join(dir, "pipe"), filepath.Join(dir, "loop"), filepath.Join(dir, "big")
	require.NoError(t, syscall.Mkfifo(pipe, 0o644))
	require.NoError(t, os.Symlink(loop, loop))
	require.NoError(t, os.WriteFile(big, nil, 0o644))
	require.NoError(t, os.Truncate(big, registry.MaxBytes+1))
	for name, path := range map[string]string{"directory": dir, "pipe": pipe, "symlink loop": loop, "too large": big} {
		t.Run(name, func(t *testing.T) {
			_, err := registry.Load(path)
			var refusal *facts.Error
			require.ErrorAs(t, err, &refusal)
			assert.Equal(t, facts.CodeIO, refusal.Code)
			assert.Equal(t, path, refusal.File)
			require.Error(t, registry.Check(path))
		})
	}
	assert.NoError(t, registry.Check(filepath.Join(dir, "missing.json")))
	assert.Equal(t, facts.CodePermission, facts.ReadError("x", os.ErrPermission).Code)
}

// place is what a test looks at of a finding.
type place struct {
	code, scope, owner string
	line               int
}

func placesOf(t *testing.T, findings []facts.Finding) []place {
	t.Helper()
	out := []place{}
	for _, f := range findings {
		assert.Equal(t, "registry.json", f.File)
		assert.NotEmpty(t, f.Message)
		owner := f.GoalID
		if f.Scope == "goals" {
			owner = strings.Join(f.GoalIDs, "+")
		}
		out = append(out, place{f.Code, f.Scope, owner, f.Line})
	}
	return out
}

// goal is one valid row with changes to its tail.
func goal(id, more string) string {
	return fmt.Sprintf(`{"id": %q, "domain": "d", "repo": ".", "state_file": "%s.md", "adapter": {"kind": "k", "status": "connected"}%s}`,
		id, strings.ReplaceAll(id, "\\", "\\\\"), more)
}

func TestFindings(t *testing.T) {
	cases := map[string]struct {
		rows []string // one a line, the first on line 2
		want []place
		ids  []string
	}{
		"healthy": {[]string{goal("a", ""), goal("b", "")}, []place{}, []string{"a", "b"}},
		"not an object": {
			[]string{goal("a", ""), `"b"`, `null`},
			[]place{{"registry_goal_not_object", "global", "", 3}, {"registry_goal_not_object", "global", "", 4}},
			[]string{"a"},
		},
		"no id": {
			[]string{`{"domain": "d"}`, `{"id": ""}`, `{"id": 7}`},
			[]place{
				{"registry_goal_id_missing", "global", "", 2}, {"registry_goal_id_missing", "global", "", 3},
				{"registry_goal_id_missing", "global", "", 4},
			},
			[]string{},
		},
		"id twice": {
			[]string{goal("a", ""), goal("a", "")}, []place{{"registry_goal_id_duplicate", "goal", "a", 3}}, []string{"a"},
		},
		"id with a path separator": {
			[]string{goal("a/b", ""), goal("..", "")},
			[]place{{"registry_goal_id_invalid", "goal", "a/b", 2}, {"registry_goal_id_invalid", "goal", "..", 3}},
			[]string{"a/b", ".."},
		},
		"fields missing": {
			[]string{`{"id": "a", "repo": " ", "adapter": {}}`},
			[]place{
				{"registry_field_missing", "goal", "a", 2}, {"registry_field_missing", "goal", "a", 2},
				{"registry_field_missing", "goal", "a", 2}, {"registry_field_missing", "goal", "a", 2},
			},
			[]string{"a"},
		},
		"state file shared": {
			[]string{
				`{"id": "b", "domain": "d", "repo": "p", "state_file": "x/../s.md", "adapter": {"kind": "k"}}`,
				`{"id": "a", "domain": "d", "repo": "p", "state_file": "s.md", "adapter": {"kind": "k"}}`,
			},
			[]place{{"registry_state_file_shared", "goals", "a+b", 3}}, []string{"b", "a"},
		},
		"key twice": {
			[]string{goal("a", ""), goal("b", `, "quota": {"compute": 0.5,`+"\n"+`"compute": 1}`)},
			[]place{{"registry_key_duplicate", "goal", "b", 4}}, []string{"a", "b"},
		},
		"value of another type": {
			[]string{goal("a", `, "status": 3, "coordination": [], "available_capabilities": {}, "guards": [1], "next_probe": false`)},
			[]place{
				{"registry_value_invalid", "goal", "a", 2}, {"registry_value_invalid", "goal", "a", 2},
				{"registry_value_invalid", "goal", "a", 2}, {"registry_value_invalid", "goal", "a", 2},
				{"registry_value_invalid", "goal", "a", 2},
			},
			[]string{"a"},
		},
		"roster that is no list": {
			[]string{goal("a", `, "coordination": {"registered_agents": "codex"}`)},
			[]place{{"registry_value_invalid", "goal", "a", 2}}, []string{"a"},
		},
		"waiting_on that is no word": {
			[]string{goal("a", `, "waiting_on": null`), goal("b", `, "waiting_on": ""`)},
			[]place{{"registry_value_invalid", "goal", "a", 2}, {"registry_value_invalid", "goal", "b", 3}}, []string{"a", "b"},
		},
		"activation that is no block": {
			[]string{
				goal("a", `, "activation": "stopped"`),
				goal("b", `, "activation": {"state": "stopped"}`),
				goal("c", `, "activation": {"schema_version": "v0", "state": "stopped"}`),
				goal("d", `, "activation": {"schema_version": "loopx_goal_activation_v1"}`),
			},
			[]place{
				{"registry_value_invalid", "goal", "a", 2}, {"registry_value_invalid", "goal", "b", 3},
				{"registry_value_invalid", "goal", "c", 4}, {"registry_value_invalid", "goal", "d", 5},
			},
			[]string{"a", "b", "c", "d"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			file, err := registry.Parse("registry.json", []byte("{\"goals\": [\n"+strings.Join(c.rows, ",\n")+"]}"))
			require.NoError(t, err)
			assert.Equal(t, c.want, placesOf(t, file.Findings))
			ids := []string{}
			for i := range file.Goals {
				ids = append(ids, file.Goals[i].ID)
				assert.Same(t, &file.Goals[i], file.Goal(file.Goals[i].ID))
			}
			assert.Equal(t, c.ids, ids)
			assert.Nil(t, file.Goal("unlisted"))
		})
	}
}

func TestDuplicateKeyOutsideGoalsConcernsEveryGoal(t *testing.T) {
	file, err := registry.Parse("registry.json", []byte("{\"goals\": [],\n\"projects\": [{\"a\": 1,\n\"a\": 2}],\n\"goals\": []}"))
	require.NoError(t, err)
	assert.Equal(t, []place{
		{"registry_key_duplicate", "global", "", 3}, {"registry_key_duplicate", "global", "", 4},
	}, placesOf(t, file.Findings))
}

func TestQuotaValues(t *testing.T) {
	number := func(f float64) *float64 { return &f }
	whole := func(n int64) *int64 { return &n }
	cases := map[string]struct {
		more string
		want facts.Quota
		bad  int
	}{
		"absent":                     {``, facts.Quota{}, 0},
		"as written":                 {`"quota": {"compute": 0.333, "window_hours": 12.0, "slot_minutes": 5, "allowed_slots": 0}`, facts.Quota{Compute: number(0.333), WindowHours: whole(12), SlotMinutes: whole(5), AllowedSlots: whole(0)}, 0},
		"numeric strings":            {`"quota": {"compute": " 0.5 ", "window_hours": "24.9"}`, facts.Quota{Compute: number(0.5), WindowHours: whole(24)}, 0},
		"above one":                  {`"quota": {"compute": 2}`, facts.Quota{Compute: number(2)}, 0},
		"legacy alias":               {`"compute_quota": 0.25`, facts.Quota{Compute: number(0.25)}, 0},
		"alias only without compute": {`"compute_quota": "x", "quota": {"compute": 1}`, facts.Quota{Compute: number(1)}, 0},
		"bad alias":                  {`"compute_quota": "x"`, facts.Quota{}, 1},
		"negative compute":           {`"quota": {"compute": -1}`, facts.Quota{}, 1},
		"infinite compute":           {`"quota": {"compute": 1e400}`, facts.Quota{}, 1},
		"boolean compute":            {`"quota": {"compute": true}`, facts.Quota{}, 1},
		"null compute":               {`"quota": {"compute": null}`, facts.Quota{}, 1},
		"object compute":             {`"quota": {"compute": {}}`, facts.Quota{}, 1},
		"words":                      {`"quota": {"compute": "full", "window_hours": "inf", "slot_minutes": "0x10", "allowed_slots": "nan"}`, facts.Quota{}, 4},
		"below one":                  {`"quota": {"window_hours": 0, "slot_minutes": 0.5, "allowed_slots": -1}`, facts.Quota{}, 3},
		"out of range":               {`"quota": {"window_hours": 1e7, "slot_minutes": 1e300, "allowed_slots": 1e12}`, facts.Quota{}, 3},
		"quota is no object":         {`"quota": 0.5`, facts.Quota{}, 1},
		"quota is null":              {`"quota": null`, facts.Quota{}, 1},
		"burst":                      {`"quota": {"burst": {"slots": 3, "expires_at": "1970-01-01T00:00:02Z"}}`, facts.Quota{Burst: &facts.Burst{Slots: 3, ExpiresAt: "1970-01-01T00:00:02Z", ExpiresNS: 2e9}}, 0},
		"burst without slots":        {`"quota": {"burst": {"slots": 0, "expires_at": "1970-01-01T00:00:02Z"}}`, facts.Quota{}, 1},
		"burst without end":          {`"quota": {"burst": {"slots": 1, "expires_at": "soon"}}`, facts.Quota{}, 1},
		"burst is a number":          {`"quota": {"burst": 4}`, facts.Quota{}, 1},
		"next_eligible_at":           {`"quota": {"next_eligible_at": "2026-06-02T12:00:00+08:00"}`, facts.Quota{NextEligibleAt: "2026-06-02T12:00:00+08:00"}, 0},
		"next_eligible_at null":      {`"quota": {"next_eligible_at": null}`, facts.Quota{}, 0},
		"next_eligible_at number":    {`"quota": {"next_eligible_at": 5}`, facts.Quota{}, 1},
		"registry spend is ignored":  {`"quota": {"spent_slots": 500}`, facts.Quota{}, 0},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			more := c.more
			if more != "" {
				more = ",\n" + more
			}
			file, err := registry.Parse("registry.json", []byte("{\"goals\": ["+goal("g", more)+"]}"))
			require.NoError(t, err)
			assert.Equal(t, c.want, file.Goals[0].Quota)
			require.Len(t, file.Findings, c.bad)
			for _, f := range file.Findings {
				assert.Equal(t, "quota.invalid", f.Rule)
				assert.Equal(t, "g", f.GoalID)
				assert.Equal(t, 2, f.Line)
			}
		})
	}
}

func TestGoalFields(t *testing.T) {
	data, err := os.ReadFile("testdata/full.json")
	require.NoError(t, err)
	file, err := registry.Parse("registry.json", data)
	require.NoError(t, err)
	require.Empty(t, file.Findings)
	require.Len(t, file.Goals, 1)
	got := file.Goals[0]

	yes, no, five, two := true, false, int64(5), int64(2)
	assert.Equal(t, facts.Goal{
		ID: "demo", Domain: "control", DisplayName: "Demo", Status: "active-read-only", Role: "controller",
		Repo: "~/p", StateFile: "GOAL.md", StateFileDeclared: true, AdapterKind: "generic", AdapterStatus: "connected",
		Activation: "stopped",
		SelfRepair: facts.Repair{Enabled: &yes, AllowHealthBlockerRepair: &no},
		Profile: facts.Profile{
			Cadence: "slow", MustInclude: []string{"artifact"}, TurnGranularity: "fine", SmallScaleStreak: &two, OnDegradation: "stop",
			OutcomeFloor: &facts.OutcomeFloor{
				SurfaceStreakThreshold: &five, OutcomeMarkers: []string{"shipped it"}, SurfaceOnlyHints: []string{},
				MustAdvance: &[]string{}, Avoid: &[]string{"loop"},
			},
		},
		WaitingOn: "controller", AttentionStatus: "s", OperatorQuestion: "May it?", RecommendedAction: "r",
		NextHandoffCondition: "n", OperatorGate: "o", AgentCommand: "c", LifecyclePhase: "p", ProgressScope: "goal",
		MissingGates: []string{"m1", "m2"}, LifecycleFlags: []string{"f"},
		Agents: []string{"codex-a", "codex-b", "codex-c", "codex-d"}, AgentModel: "peer_v1",
		WorkModes: map[string]string{"codex-a": "monitor_only"},
		Profiles: []facts.AgentProfile{{
			AgentID: "codex-a", PreferredActionKinds: []string{"implement"}, AvoidActionKinds: []string{},
			VisionRequirement: "optional", DefaultTaskClasses: []string{"advancement_task"},
		}},
		WriteScope: []string{"src/**", "docs/*"}, HasBoundary: true, ParentApproval: []string{"write"},
		Capabilities: []string{"network", "Bench Runner", "x"},
		BoundaryAuthority: []facts.Authority{{
			SchemaVersion: "checkpointed_boundary_authority_v0", Status: "active", Decision: "approve", WriteScope: []string{"lib/**"},
			Source: "owner", RecordedAt: "1970-01-01T00:00:01Z", RecordedNS: 1e9, ExpiresAt: "1970-01-01T00:00:02Z", ExpiresNS: 2e9,
			DecisionID: "d1",
		}},
		Guards: []string{"read-only, by default"}, NextProbe: "loopx check",
		Spawn:                 &facts.Spawn{Mode: "default", MaxChildren: 3, AllowedDomains: []string{}},
		LegacyHierarchy:       true,
		MigrationAcknowledged: true,
		IndependentWorktree:   &no,
		SourceRegistry:        "~/p/.loopx/registry.json", SyncedAt: "2026-11-30T19:04:50+00:00", AuthoritySourceCount: 4,
		Lines: map[string]int{"activation": 6, "waiting_on": 7, "adapter.status": 5, "turn_granularity": 9},
	}, got.Goal)
	assert.Equal(t, "log.jsonl", got.EventLog)
	assert.Equal(t, 3, got.Line)
}

func TestSummaryOfBoundaryAuthority(t *testing.T) {
	file, err := registry.Parse("registry.json", []byte(`{"goals": [{"id": "a", "repo": ".", "state_file": "s", "coordination":
		{"checkpointed_boundary_authority": {"active_count": 1, "active_write_scope": ["more/**"]}}}]}`))
	require.NoError(t, err)
	assert.Empty(t, file.Goals[0].Goal.BoundaryAuthority)
	assert.Equal(t, []string{"more/**"}, file.Goals[0].Goal.BoundaryAuthorityScope)
}

func TestLegacyHierarchy(t *testing.T) {
	for coordination, want := range map[string]bool{
		`{}`: false,
		`{"agent_model": "peer_v1", "agent_profiles": {"a": {"schema_version": "agent_profile_v1"}}}`: false,
		`{"agent_model": "legacy_hierarchy"}`: true,
		`{"primary_agent": "a"}`:              true,
		`{"side_agent_handoff_agent": "a"}`:   true,
		`{"agent_profiles": [{"agent_id": "a", "schema_version": "agent_profile_v0"}]}`: true,
		`{"agent_profiles": {"a": {"role": "side-agent"}}}`:                             true,
		`{"agent_profiles": {"a": {"primary_agent": true}}}`:                            true,
	} {
		file, err := registry.Parse("registry.json", []byte(`{"goals": [`+goal("g", `, "coordination": `+coordination)+`]}`))
		require.NoError(t, err)
		assert.Equal(t, want, file.Goals[0].LegacyHierarchy, coordination)
	}
}

func TestAgentToken(t *testing.T) {
	for given, want := range map[string]string{
		"Codex Alpha": "codex-alpha", " a:b@c.d_e-1 ": "a:b@c.d_e-1", "1st": "", "": "", "é": "", "a/b": "",
		strings.Repeat("a", 80): strings.Repeat("a", 80), strings.Repeat("a", 81): "",
	} {
		assert.Equal(t, want, registry.AgentToken(given), given)
	}
}

func TestValidGoalID(t *testing.T) {
	for id, want := range map[string]bool{
		"demo-goal": true, "..a": true, "ziel ü": true, "": false, ".": false, "..": false, "a/b": false, `a\b`: false, "a\x00b": false,
	} {
		assert.Equal(t, want, registry.ValidGoalID(id), "%q", id)
	}
}

// FuzzParse looks for crashes and for findings without an owner; no registry may lose a goal silently.
func FuzzParse(f *testing.F) {
	full, err := os.ReadFile("testdata/full.json")
	require.NoError(f, err)
	f.Add(full)
	for _, seed := range []string{
		`{"goals": []}`, `{"goals": [{"id": "a"}, {"id": "a"}, 3, {"id": "../x", "quota": {"compute": -1, "burst": {}}}]}`,
		`{"goals": {}}`, `[]`, "\xef\xbb\xbf{}", `{"goals": [{"id": "a", "repo": ".", "state_file": "s", "activation": {}}], "goals": []}`,
		`{"goals": [{"id": "a", "coordination": {"registered_agents": [{"name": "x"}, 1], "checkpointed_boundary_authority": {"entries": [{}]}}}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := registry.Parse("registry.json", data)
		if err != nil {
			var refusal *facts.Error
			require.ErrorAs(t, err, &refusal)
			require.NotEmpty(t, refusal.Code)
			require.Positive(t, refusal.Line)
			return
		}
		for _, finding := range file.Findings {
			require.Positive(t, finding.Line)
			switch finding.Scope {
			case "goal":
				require.NotNil(t, file.Goal(finding.GoalID))
			case "goals":
				require.Greater(t, len(finding.GoalIDs), 1)
			default:
				require.Equal(t, "global", finding.Scope)
			}
		}
		rows := file.Tree.Get("goals")
		if rows != nil && len(rows.Items) != len(file.Goals) {
			require.NotEmpty(t, file.Findings, "a row was dropped without a finding")
		}
	})
}

func BenchmarkParse1000Goals(b *testing.B) {
	rows := make([]string, 1000)
	for i := range rows {
		rows[i] = goal(fmt.Sprintf("goal-%04d", i), `, "quota": {"compute": 0.5, "window_hours": 12.0}, "coordination": {"write_scope": ["src/**"], "registered_agents": ["a", "b"]}`)
	}
	data := []byte(`{"goals": [` + strings.Join(rows, ",\n") + `]}`)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := registry.Parse("registry.json", data); err != nil {
			b.Fatal(err)
		}
	}
}

package facts

// Goal is a registry row with its keys read, unknown keys dropped and unreadable values turned into findings.
type Goal struct {
	ID            string  `json:"id"`
	Domain        string  `json:"domain,omitempty"`
	DisplayName   string  `json:"display_name,omitempty"`
	Status        string  `json:"status,omitempty"`
	Role          string  `json:"role,omitempty"`
	Repo          string  `json:"repo,omitempty"`
	StateFile     string  `json:"state_file,omitempty"`
	AdapterKind   string  `json:"adapter_kind,omitempty"`
	AdapterStatus string  `json:"adapter_status,omitempty"`
	Activation    string  `json:"activation,omitempty"` // activation.state when the block is valid
	Quota         Quota   `json:"quota"`
	SelfRepair    Repair  `json:"self_repair"`
	Profile       Profile `json:"execution_profile"`

	WaitingOn            string   `json:"waiting_on,omitempty"`
	AttentionStatus      string   `json:"attention_status,omitempty"`
	OperatorQuestion     string   `json:"operator_question,omitempty"`
	RecommendedAction    string   `json:"recommended_action,omitempty"`
	NextHandoffCondition string   `json:"next_handoff_condition,omitempty"`
	OperatorGate         string   `json:"operator_gate,omitempty"`
	MissingGates         []string `json:"missing_gates,omitempty"`
	AgentCommand         string   `json:"agent_command,omitempty"`
	LifecyclePhase       string   `json:"lifecycle_phase,omitempty"`
	LifecycleFlags       []string `json:"lifecycle_flags,omitempty"`
	ProgressScope        string   `json:"progress_scope,omitempty"`

	Agents            []string          `json:"agents"`                   // registered ids, normalised, sorted, unique
	AgentModel        string            `json:"agent_model,omitempty"`    //
	WorkModes         map[string]string `json:"work_modes"`               // agent id to mode, as written
	Profiles          []AgentProfile    `json:"agent_profiles,omitempty"` // advisory
	WriteScope        []string          `json:"write_scope"`              // coordination.write_scope, normalised
	HasBoundary       bool              `json:"has_boundary"`             // the row has any boundary data
	ParentApproval    []string          `json:"requires_parent_approval"` //
	Capabilities      []string          `json:"available_capabilities"`   // declared, as written
	BoundaryAuthority []Authority       `json:"boundary_authority"`       //
	// BoundaryAuthorityScope is active_write_scope of a compact authority summary, which has no entries.
	BoundaryAuthorityScope []string `json:"boundary_authority_scope,omitempty"`
	Guards                 []string `json:"guards"`                         //
	NextProbe              string   `json:"next_probe,omitempty"`           //
	Spawn                  *Spawn   `json:"spawn_policy,omitempty"`         //
	LegacyHierarchy        bool     `json:"legacy_hierarchy"`               // v0.1 main/side agent fields present
	MigrationAcknowledged  bool     `json:"migration_acknowledged"`         //
	IndependentWorktree    *bool    `json:"independent_worktree,omitempty"` // workspace_guard_policy, absent when not set
	SourceRegistry         string   `json:"source_registry,omitempty"`      //
	SyncedAt               string   `json:"synced_at,omitempty"`            //
	AuthoritySourceCount   int      `json:"authority_source_count"`         //
	HandoffMode            string   `json:"handoff_mode,omitempty"`         //
	StateFileDeclared      bool     `json:"state_file_declared"`            //
	// Lines holds registry lines of words that rules judge: waiting_on, activation, turn_granularity.
	Lines map[string]int `json:"lines,omitempty"`
}

// Quota is the registry's quota block. A field is absent when the key is absent or unreadable; an unreadable value is
// a finding of rule quota.invalid. Numbers are as written, numeric strings read as numbers.
type Quota struct {
	Compute        *float64 `json:"compute,omitempty"`
	WindowHours    *int64   `json:"window_hours,omitempty"`
	SlotMinutes    *int64   `json:"slot_minutes,omitempty"`
	AllowedSlots   *int64   `json:"allowed_slots,omitempty"`
	NextEligibleAt string   `json:"next_eligible_at,omitempty"`
	Burst          *Burst   `json:"burst,omitempty"`
}

// Burst is a temporary grant of extra slots.
type Burst struct {
	Slots     int64  `json:"slots"`
	ExpiresAt string `json:"expires_at"`
	ExpiresNS int64  `json:"expires_ns"`
}

// Repair holds the self-repair opt-ins that are booleans in the registry.
type Repair struct {
	Enabled                      *bool `json:"enabled,omitempty"`
	AllowHealthBlockerRepair     *bool `json:"allow_health_blocker_repair,omitempty"`
	AllowWaitingProjectionRepair *bool `json:"allow_waiting_projection_repair,omitempty"`
}

// Profile is execution_profile; invalid values are dropped so that the setting's default applies.
type Profile struct {
	Cadence          string        `json:"cadence,omitempty"`
	MinimumScale     string        `json:"minimum_scale,omitempty"`
	MustInclude      []string      `json:"must_include,omitempty"`
	SpendRule        string        `json:"spend_rule,omitempty"`
	TurnGranularity  string        `json:"turn_granularity,omitempty"`
	OutcomeFloor     *OutcomeFloor `json:"outcome_floor,omitempty"` // present when the registry configures it
	SmallScaleStreak *int64        `json:"small_scale_streak_threshold,omitempty"`
	OnDegradation    string        `json:"on_degradation,omitempty"`
}

// OutcomeFloor is execution_profile.outcome_floor. A list is absent when its key is; an empty list is kept.
type OutcomeFloor struct {
	RequiredWhen           string    `json:"required_when,omitempty"`
	SurfaceStreakThreshold *int64    `json:"surface_streak_threshold,omitempty"`
	OutcomeMarkers         []string  `json:"outcome_markers"`
	SurfaceOnlyHints       []string  `json:"surface_only_hints"`
	MustAdvance            *[]string `json:"must_advance,omitempty"`
	Avoid                  *[]string `json:"avoid,omitempty"`
}

// AgentProfile is one agent_profile_v1 entry.
type AgentProfile struct {
	AgentID              string   `json:"agent_id"`
	PreferredActionKinds []string `json:"preferred_action_kinds"`
	AvoidActionKinds     []string `json:"avoid_action_kinds"`
	VisionRequirement    string   `json:"vision_requirement,omitempty"`
	DefaultTaskClasses   []string `json:"default_task_classes,omitempty"`
}

// Authority is one checkpointed boundary authority entry (state-files.md 2.5).
type Authority struct {
	SchemaVersion string   `json:"schema_version,omitempty"`
	Status        string   `json:"status,omitempty"`
	Decision      string   `json:"decision,omitempty"`
	WriteScope    []string `json:"write_scope"`
	Source        string   `json:"source,omitempty"`
	RecordedAt    string   `json:"recorded_at,omitempty"`
	RecordedNS    int64    `json:"recorded_ns,omitempty"`
	ExpiresAt     string   `json:"expires_at,omitempty"`
	ExpiresNS     int64    `json:"expires_ns,omitempty"`
	DecisionID    string   `json:"decision_id,omitempty"`
}

// Spawn is spawn_policy.
type Spawn struct {
	Mode           string   `json:"mode,omitempty"`
	Allowed        bool     `json:"allowed"`
	MaxChildren    int64    `json:"max_children"`
	AllowedDomains []string `json:"allowed_domains"`
}

// State is what the goal's state file says besides todos.
type State struct {
	File              string            `json:"file,omitempty"` // as registered
	Exists            bool              `json:"exists"`         // a regular, readable UTF-8 file
	EventSourced      bool              `json:"event_sourced"`
	Front             map[string]string `json:"front"`
	NextActions       []string          `json:"next_actions"` // at most 3, 220 characters each
	NextActionTodoIDs []string          `json:"next_action_todo_ids"`
	NextActionBinding string            `json:"next_action_binding,omitempty"`
	UserSection       string            `json:"user_section,omitempty"`  // first heading seen
	AgentSection      string            `json:"agent_section,omitempty"` // first heading seen
	// Malformed lists roles whose section holds a todo-looking line that does not parse or a duplicate id.
	Malformed []string `json:"malformed"`
	SHA256    string   `json:"sha256_16,omitempty"`
}

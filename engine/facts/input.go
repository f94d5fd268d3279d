package facts

// Input is the one document a policy evaluation sees. Optional fields are absent, never null, so that a rule can
// write `input.goal.waiting_on == x` and a missing value is undefined. Every time is given twice: as text, for
// output, and as nanoseconds since the epoch (suffix _ns), for comparison.
type Input struct {
	// Now is the instant of the decision, RFC 3339.
	Now   string `json:"now"`
	NowNS int64  `json:"now_ns"`

	Request Request `json:"request"`
	Route   Route   `json:"route"`

	// Findings are contract diagnostics of every goal and of the registry, in file and line order.
	Findings []Finding `json:"findings"`

	// Goal is the selected goal's registry row. Absent when the registry does not list it.
	Goal *Goal `json:"goal,omitempty"`
	// LegacyGoal says that the runtime root has a directory for a goal that no registry lists.
	LegacyGoal bool `json:"legacy_goal"`

	State State `json:"state"`
	// Todos holds the todo blocks of the active sections in file order; ids are unique.
	Todos []*Todo `json:"todos"`
	// ArchivedDone holds terminal todos with an explicit id that were moved to an archive section.
	ArchivedDone []ArchivedTodo `json:"archived_done"`

	// Runs are the goal's run rows newest first, compacted: adjacent older rows that differ in nothing a rule reads
	// are folded into one with Count.
	Runs []Run `json:"runs"`
	// RunsUntilNS is an instant before which time alone changes neither the runs nor their number. Absent when it never does.
	RunsUntilNS int64 `json:"runs_until_ns,omitempty"`
	// StatusRun is the newest run that is neither status-neutral nor of an agent lane (state-files.md 4.3).
	StatusRun *Run   `json:"status_run,omitempty"`
	Ledger    Ledger `json:"ledger"`
	// Decisions are checkpointed human decisions in the run history (warn.freshness.input).
	Decisions []DecisionRow `json:"decisions"`
	// Promotion is the newest readiness row of the shared release ledger. Absent when there is none.
	Promotion *Promotion `json:"promotion,omitempty"`

	// SchedulerStates holds the valid scheduler state files of the request's goal and agent one per surface.
	SchedulerStates []SchedulerState `json:"scheduler_states"`
	Host            Host             `json:"host"`
	Inbox           Inbox            `json:"inbox"`

	// Write is what a writing command reports or asks for. Absent in questions.
	Write *Write `json:"write,omitempty"`
	// Prompt holds what heartbeat-prompt is told about its text. Absent elsewhere.
	Prompt *Prompt `json:"prompt,omitempty"`
	// Trace is given to requests that name a turn or a run.
	Trace *Trace `json:"trace,omitempty"`
	// Source is the owner of the goal's registry row. Given to commands that change the row.
	Source *Source `json:"source,omitempty"`

	// Peers are the plan items (data.loopx.plan.item) of the other registered goals, or of all goals for a plan.
	Peers []map[string]any `json:"peers"`
}

// Request is what the caller asked, as given on the command line.
type Request struct {
	Command               string   `json:"command"` // "should-run", "status", "plan", "spend-slot", ...
	GoalID                string   `json:"goal_id,omitempty"`
	AgentID               string   `json:"agent_id,omitempty"`
	AvailableCapabilities []string `json:"available_capabilities"`
	IncludeDetail         []string `json:"include_detail"`
	RuntimeProfile        string   `json:"runtime_profile,omitempty"`
	CodexApp              bool     `json:"codex_app,omitempty"` // -A, --codex-app
	TraeApp               bool     `json:"trae_app,omitempty"`  // --trae-app
	HostSurface           string   `json:"host_surface,omitempty"`
	SchedulerOwner        string   `json:"scheduler_owner,omitempty"`
	ExecutionMode         string   `json:"execution_mode,omitempty"`
	// CurrentRRULE is --codex-app-current-rrule or --app-automation-current-rrule.
	CurrentRRULE   string `json:"current_rrule,omitempty"`
	CodexRRULE     bool   `json:"codex_rrule,omitempty"` // it was given as that of the Codex App
	TurnInstanceID string `json:"turn_instance_id,omitempty"`
	// RunGeneratedAt is the time of the one run that the request is about.
	RunGeneratedAt string `json:"run_generated_at,omitempty"`
	DryRun         bool   `json:"dry_run"`
	Execute        bool   `json:"execute"`
	Explain        bool   `json:"explain"`
	RecordHostPoll bool   `json:"record_host_poll"`
}

// Route says which registry and runtime root were opened. Paths are as given or as registered.
type Route struct {
	Registry       string `json:"registry"`
	RegistryExists bool   `json:"registry_exists"`
	Global         bool   `json:"global"` // the opened registry is the shared projection
	RuntimeRoot    string `json:"runtime_root"`
	Bound          bool   `json:"bound,omitempty"` // the command line names registry and runtime root
	GoalCount      int    `json:"goal_count"`
	RunCount       int    `json:"run_count"` // rows read, of every goal that was collected
}

// Finding is one contract diagnostic. Ownership is in Scope, GoalID and GoalIDs and nowhere else (health.scope).
type Finding struct {
	Code    string   `json:"code"`
	Scope   string   `json:"scope"` // "global", "goal", "goals"
	GoalID  string   `json:"goal_id,omitempty"`
	GoalIDs []string `json:"goal_ids,omitempty"`
	File    string   `json:"file,omitempty"`
	Line    int      `json:"line,omitempty"`
	Rule    string   `json:"rule,omitempty"` // rule id of the specification
	Message string   `json:"message"`
}

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
	// BoundaryAuthorityScope is active_write_scope of a compact authority summary.
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

// Todo is one todo block (state-files.md 3.3, 3.5). Enumerations are as written, lower case: rules judge them.
type Todo struct {
	ID         string `json:"id"`
	ExplicitID bool   `json:"explicit_id"`
	Role       string `json:"role"`   // "user" or "agent"
	Status     string `json:"status"` // status= when it is a known status, else from the marker: open, done, deferred
	// StatusWritten is status= when it is present and unknown.
	StatusWritten  string `json:"status_unknown,omitempty"`
	MarkerMismatch bool   `json:"marker_mismatch,omitempty"` // marker and status disagree
	Index          int    `json:"index"`                     // 1-based within the role
	Line           int    `json:"line"`
	Section        string `json:"section"`
	Text           string `json:"text"`
	Title          string `json:"title"` // text without a strict priority prefix
	Priority       string `json:"priority,omitempty"`
	Rank           int    `json:"rank"` // priority digit, 50 when there is none
	TaskClass      string `json:"task_class,omitempty"`
	ActionKind     string `json:"action_kind,omitempty"`
	TaskDomain     string `json:"task_domain,omitempty"`

	RequiredWriteScopes    []string        `json:"required_write_scopes,omitempty"`
	RequiredCapabilities   []string        `json:"required_capabilities,omitempty"`
	TargetCapabilities     []string        `json:"target_capabilities,omitempty"`
	DecisionScope          *DecisionScope  `json:"decision_scope,omitempty"`
	RequiredDecisionScopes []DecisionScope `json:"required_decision_scopes,omitempty"`
	DecisionOutcome        string          `json:"decision_outcome,omitempty"`
	DecisionScopeOutcomes  []string        `json:"decision_scope_outcomes,omitempty"`

	ClaimedBy           string   `json:"claimed_by,omitempty"`
	BoundAgent          string   `json:"bound_agent,omitempty"`
	GoalBound           *bool    `json:"goal_bound,omitempty"`
	BlocksAgent         string   `json:"blocks_agent,omitempty"`
	ExcludedAgents      []string `json:"excluded_agents,omitempty"`
	GlobalGate          *bool    `json:"global_gate,omitempty"`
	UnblocksTodoID      string   `json:"unblocks_todo_id,omitempty"`
	SuccessorTodoIDs    []string `json:"successor_todo_ids,omitempty"`
	Continuation        string   `json:"completion_continuation,omitempty"`
	ContinuationPolicy  string   `json:"continuation_policy,omitempty"`
	RemovedContinuation string   `json:"removed_continuation_policy,omitempty"`
	ReplanObligationID  string   `json:"replan_obligation_id,omitempty"`
	ResumeWhen          string   `json:"resume_when,omitempty"`
	NoFollowup          *bool    `json:"no_followup,omitempty"`
	SupersededBy        string   `json:"superseded_by,omitempty"`
	BindingRef          string   `json:"capability_binding_ref,omitempty"`
	NodeRefs            []string `json:"explore_result_node_refs,omitempty"`
	TaskRepository      string   `json:"task_repository,omitempty"`
	Gating              *bool    `json:"gating,omitempty"`
	NonGating           *bool    `json:"non_gating,omitempty"`

	TargetKey           string `json:"target_key,omitempty"`
	Cadence             string `json:"cadence,omitempty"`
	CadenceSeconds      int64  `json:"cadence_seconds,omitempty"`
	NextDueAt           string `json:"next_due_at,omitempty"`
	NextDueNS           int64  `json:"next_due_ns,omitempty"`
	ExpiresAt           string `json:"expires_at,omitempty"`
	ExpiresNS           int64  `json:"expires_ns,omitempty"`
	LastCheckedAt       string `json:"last_checked_at,omitempty"`
	LastCheckedNS       int64  `json:"last_checked_ns,omitempty"`
	ResultHash          string `json:"result_hash,omitempty"`
	ConsecutiveNoChange int64  `json:"consecutive_no_change,omitempty"`
	MaterialChange      *bool  `json:"material_change,omitempty"`
	WatchOnly           *bool  `json:"watch_only,omitempty"`

	Note        string `json:"note,omitempty"`
	Evidence    string `json:"evidence,omitempty"`
	Reason      string `json:"reason,omitempty"`
	CompletedAt string `json:"completed_at,omitempty"`
	UpdatedAt   string `json:"updated_at,omitempty"`
	UpdatedNS   int64  `json:"updated_ns,omitempty"`

	// BadTimes names time keys that are present and unparsable.
	BadTimes []string `json:"bad_times,omitempty"`
}

// DecisionScope is kind:granularity:key.
type DecisionScope struct {
	Kind        string `json:"kind"`
	Granularity string `json:"granularity"`
	Key         string `json:"key"`
}

// ArchivedTodo is a terminal todo outside the active sections.
type ArchivedTodo struct {
	ID         string `json:"id"`
	Role       string `json:"role,omitempty"`
	Status     string `json:"status"`
	NoFollowup bool   `json:"no_followup"`
}

// Run is one row of the run index with its overlays merged. Enumerations are as written.
type Run struct {
	GeneratedAt    string `json:"generated_at"`
	AtNS           int64  `json:"at_ns"`
	Count          int    `json:"count"` // rows folded into this one, at least 1
	Classification string `json:"classification"`
	// Requested is requested_classification.
	Requested               string   `json:"requested_classification,omitempty"`
	AgentID                 string   `json:"agent_id,omitempty"`
	AgentLane               string   `json:"agent_lane,omitempty"`
	ProgressScope           string   `json:"progress_scope,omitempty"`
	DeliveryOutcome         string   `json:"delivery_outcome,omitempty"`
	DeliveryBatchScale      string   `json:"delivery_batch_scale,omitempty"`
	TurnKind                string   `json:"turn_kind,omitempty"`
	FollowThrough           *bool    `json:"outcome_followthrough,omitempty"`
	RecommendedAction       string   `json:"recommended_action,omitempty"`
	RecommendedActionSource string   `json:"recommended_action_source,omitempty"`
	Refresh                 bool     `json:"refresh"` // has state, runtime_projection_route and recommended_action_source
	TodoID                  string   `json:"todo_id,omitempty"`
	TargetKey               string   `json:"target_key,omitempty"`
	TurnInstanceID          string   `json:"turn_instance_id,omitempty"`
	ReplanObligationID      string   `json:"replan_obligation_id,omitempty"`
	EffectID                string   `json:"effect_id,omitempty"` // settlement_identity.effect_id
	MaterialChange          *bool    `json:"material_change,omitempty"`
	ResultHash              string   `json:"result_hash,omitempty"`
	SuccessorTodoIDs        []string `json:"successor_todo_ids,omitempty"`
	LifecyclePhase          string   `json:"lifecycle_phase,omitempty"`
	LifecycleFlags          []string `json:"lifecycle_flags,omitempty"`
	// Voids is the generated_at of the spend that a void row takes back.
	Voids string `json:"voids,omitempty"`

	MonitorTarget *MonitorTarget       `json:"monitor_target,omitempty"`
	Ack           *ReplanAck           `json:"ack,omitempty"`
	Vision        *Vision              `json:"vision,omitempty"`
	Checkpoint    *VisionCheckpoint    `json:"vision_checkpoint,omitempty"`
	Observation   *ProgressObservation `json:"progress_observation,omitempty"`
	OperatorGate  *OperatorGate        `json:"operator_gate,omitempty"`
	Readiness     *Readiness           `json:"controller_readiness,omitempty"`
	HumanReward   bool                 `json:"human_reward,omitempty"`
	ResumeGate    bool                 `json:"operator_gate_resume_contract,omitempty"`
	Workspace     *Workspace           `json:"delivery_workspace,omitempty"`

	// ArtifactsMissing is set on the status run when its JSON or Markdown artifact does not exist.
	ArtifactsMissing bool `json:"artifacts_missing,omitempty"`
}

// MonitorTarget is quota_monitor_target_v0.
type MonitorTarget struct {
	TargetID         string `json:"target_id,omitempty"`
	MonitorMode      string `json:"monitor_mode,omitempty"`
	EffectiveAction  string `json:"effective_action,omitempty"`
	ActionSummary    string `json:"action_summary,omitempty"`
	FrontierIdentity string `json:"frontier_identity,omitempty"`
}

// ReplanAck is autonomous_replan_ack with its delta contract.
type ReplanAck struct {
	SchemaVersion      string   `json:"schema_version,omitempty"`
	Recorded           bool     `json:"recorded"`
	DeltaSchemaVersion string   `json:"delta_schema_version,omitempty"`
	DeltaPresent       bool     `json:"delta_present"`
	DeltaKinds         []string `json:"delta_kinds"`
	FrontierIdentity   string   `json:"frontier_identity,omitempty"`
	// Semantic* mirror semantic_delta; SemanticPresent says that the row has one.
	SemanticPresent      bool     `json:"semantic_present"`
	SemanticAccepted     bool     `json:"semantic_accepted"`
	SemanticObligationID string   `json:"semantic_obligation_id,omitempty"`
	SemanticOutcomes     []string `json:"semantic_outcomes"`
}

// Vision is agent_vision.
type Vision struct {
	State             string   `json:"state,omitempty"`
	AcceptanceSummary string   `json:"acceptance_summary,omitempty"`
	ReplanTrigger     string   `json:"replan_trigger,omitempty"`
	TodoDelta         []string `json:"todo_delta"` // "<action>:<todo_id>"
}

// VisionCheckpoint is vision_checkpoint_v0.
type VisionCheckpoint struct {
	Required  bool   `json:"required"`
	Satisfied bool   `json:"satisfied"`
	Decision  string `json:"decision,omitempty"`
}

// ProgressObservation is a typed progress observation of a turn.
type ProgressObservation struct {
	Result      string `json:"result,omitempty"`
	Fingerprint string `json:"fingerprint,omitempty"`
}

// OperatorGate is the operator_gate overlay of a row.
type OperatorGate struct {
	Gate             string `json:"gate,omitempty"`
	Decision         string `json:"decision,omitempty"`
	OperatorQuestion string `json:"operator_question,omitempty"`
	AgentCommand     string `json:"agent_command,omitempty"`
	RecordedAt       string `json:"recorded_at,omitempty"`
}

// Readiness is controller_readiness.
type Readiness struct {
	MissingGates         []string `json:"missing_gates"`
	NextHandoffCondition string   `json:"next_handoff_condition,omitempty"`
}

// Workspace is delivery_workspace.
type Workspace struct {
	TaskRepository      string `json:"task_repository,omitempty"`
	WorkspaceKind       string `json:"workspace_kind,omitempty"`
	IndependentRequired bool   `json:"peer_independent_worktree_required"`
}

// Ledger holds the spend and void rows that can count now or later, newest first (decision.md 1.2).
type Ledger struct {
	Rows []LedgerRow `json:"rows"`
}

// LedgerRow is one spend or void event. The same row twice is given once.
type LedgerRow struct {
	Kind  string `json:"kind"` // key of settings.history.ledger: "spend" or "void"
	At    string `json:"at"`
	AtNS  int64  `json:"at_ns"`
	Key   string `json:"key"` // spend: event.run_generated_at or generated_at; void: event.voided_run_generated_at
	Slots int64  `json:"slots"`
}

// DecisionRow is a checkpointed decision and how many same-goal events of the freshness window are newer.
type DecisionRow struct {
	GeneratedAt    string `json:"generated_at"`
	AtNS           int64  `json:"at_ns"`
	Classification string `json:"classification"`
	Kind           string `json:"kind"` // one of settings.history.decision_kinds
	NewerEvents    int    `json:"newer_events"`
}

// Promotion is a canary promotion readiness row.
type Promotion struct {
	GeneratedAt string `json:"generated_at"`
	AtNS        int64  `json:"at_ns"`
	Legacy      bool   `json:"legacy"` // found in a goal history
	Ready       *bool  `json:"ready,omitempty"`
}

// SchedulerState is a valid loopx_scheduler_state_v0 file of the requested scope.
type SchedulerState struct {
	Surface            string        `json:"surface"`
	StateKey           string        `json:"state_key"`
	ResetToken         string        `json:"reset_token"`
	IdentitySignature  string        `json:"identity_signature"`
	ProgressionIndex   int64         `json:"progression_index"`
	ProgressionMinutes []int64       `json:"progression_minutes"`
	LastAppliedRRULE   string        `json:"last_applied_rrule,omitempty"`
	UpdatedAt          string        `json:"updated_at,omitempty"`
	UpdatedNS          int64         `json:"updated_ns,omitempty"` // absent when unreadable
	Source             string        `json:"source,omitempty"`
	Failures           []HostFailure `json:"failures"` // newest last, legacy scalar merged
	// Digest names the bytes of the file, so that a writer replaces what was read and nothing newer.
	Digest string `json:"digest,omitempty"`
	// Extra holds the keys of the file that this program does not know. A writer keeps them.
	Extra map[string]any `json:"extra,omitempty"`
}

// Write holds the flags of the writing commands, as given. A command reads its own and no other.
type Write struct {
	// scheduler-ack, scheduler-ack-current, scheduler-fail-current
	Surface           string `json:"surface,omitempty"`
	StateKey          string `json:"state_key,omitempty"`
	AppliedRRULE      string `json:"applied_rrule,omitempty"`
	ResetToken        string `json:"reset_token,omitempty"`
	IdentitySignature string `json:"identity_signature,omitempty"`
	HostMatchObserved bool   `json:"host_match_observed,omitempty"`
	UseCurrentHint    bool   `json:"use_current_hint,omitempty"`
	FailedRRULE       string `json:"failed_rrule,omitempty"`
	FailureKind       string `json:"failure_kind,omitempty"`
	ReasonSummary     string `json:"reason_summary,omitempty"`

	// Private says which arguments hold text that may not be public. It is read, not given.
	Private []PrivateText `json:"private,omitempty"`

	Spend   *SpendWrite   `json:"spend,omitempty"`
	Void    *VoidWrite    `json:"void,omitempty"`
	Poll    *PollWrite    `json:"poll,omitempty"`
	Receipt *ReceiptWrite `json:"receipt,omitempty"`

	Goal    *GoalWrite    `json:"goal,omitempty"` // quota set, pause, resume, burst; goal-lifecycle; configure-goal; register-agent
	Init    *InitWrite    `json:"init,omitempty"`
	Doctor  *DoctorWrite  `json:"doctor,omitempty"`
	History *HistoryWrite `json:"history,omitempty"` // history, history check, history repair
	Refresh *RefreshWrite `json:"refresh,omitempty"` // refresh-state, read-only-map
	Todo    *TodoWrite    `json:"todo,omitempty"`    // todo add, claim, update, complete, supersede, list, archive-completed
}

// PrivateText is private text in an argument: where and of which class, never what.
type PrivateText struct {
	Argument string `json:"argument"`
	Class    string `json:"class"`
}

// HostFailure is scheduler_host_update_failure_v0.
type HostFailure struct {
	TargetRRULE       string `json:"target_rrule"`
	ObservedHostRRULE string `json:"observed_host_rrule"`
	FailureKind       string `json:"failure_kind"`
	FailureCount      int64  `json:"failure_count"`
	FailedAt          string `json:"failed_at"`
	FailedNS          int64  `json:"failed_ns,omitempty"`
	IdentitySignature string `json:"identity_signature,omitempty"`
}

// Host holds what was observed of the calling host. Automations are the matching active heartbeats (sched.observe).
type Host struct {
	Automations []Automation `json:"automations"`
}

// Automation is cadence metadata of a host automation and nothing else.
type Automation struct {
	ID    string `json:"id"`
	RRULE string `json:"rrule"`
}

// Inbox is what a connector's fact file says of direct operator messages (fact.inbox).
type Inbox struct {
	ReplyDue     bool  `json:"reply_due"`
	PendingCount int64 `json:"pending_count"`
}

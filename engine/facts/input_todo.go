package facts

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

package facts

// SpendWrite is what `quota spend-slot` asks for.
type SpendWrite struct {
	// Slots is as given; SlotCount is absent when that is no whole number.
	Slots     string `json:"slots,omitempty"`
	SlotCount *int64 `json:"slot_count,omitempty"`
	Source    string `json:"source,omitempty"`
	// TodoID and ReplanObligationID bind the spend to what the turn worked on.
	TodoID             string `json:"todo_id,omitempty"`
	ReplanObligationID string `json:"replan_obligation_id,omitempty"`
	ReasonSummary      string `json:"reason_summary,omitempty"`
	// Private lists the classes of private text that the summary holds.
	Private []string `json:"private,omitempty"`
	// Workspace is the checkout that the command was started in. Absent outside of one.
	Workspace *Workspace `json:"workspace,omitempty"`
}

// VoidWrite is what `quota void-slot` asks for; the run it names is Request.RunGeneratedAt.
type VoidWrite struct {
	Source        string   `json:"source,omitempty"`
	ReasonSummary string   `json:"reason_summary,omitempty"`
	Private       []string `json:"private,omitempty"`
}

// PollWrite is what `quota monitor-poll` reports.
type PollWrite struct {
	Source         string `json:"source,omitempty"`
	TodoID         string `json:"todo_id,omitempty"`
	TargetKey      string `json:"target_key,omitempty"`
	ResultHash     string `json:"result_hash,omitempty"`
	MaterialChange bool   `json:"material_change,omitempty"`
	Cadence        string `json:"cadence,omitempty"`
	CadenceSeconds int64  `json:"cadence_seconds,omitempty"` // absent when Cadence is none
	NextDueAt      string `json:"next_due_at,omitempty"`
	NextDueNS      int64  `json:"next_due_ns,omitempty"` // absent when NextDueAt is no time

	NextAgentTodo          string   `json:"next_agent_todo,omitempty"`
	NextActionKind         string   `json:"next_action_kind,omitempty"`
	NextTaskRepository     string   `json:"next_task_repository,omitempty"`
	NextRepository         string   `json:"next_repository,omitempty"` // its normal form, absent when it has none
	NextCapabilities       []string `json:"next_required_capabilities,omitempty"`
	NextContinuationPolicy string   `json:"next_continuation_policy,omitempty"`
	NextTargetKey          string   `json:"next_target_key,omitempty"`
	NextClaimedBy          string   `json:"next_claimed_by,omitempty"`

	NextUserTodo      string `json:"next_user_todo,omitempty"`
	NextUserTaskClass string `json:"next_user_task_class,omitempty"`

	ReasonSummary string   `json:"reason_summary,omitempty"`
	Private       []string `json:"private,omitempty"`
}

// ReceiptWrite says what this call already did for its turn.
type ReceiptWrite struct {
	// Observed: the stall observation of this turn was appended by this very call.
	Observed bool `json:"observed,omitempty"`
	// Failure says why the receipt could not be written.
	Failure string `json:"failure,omitempty"`
}

// Trace is what the run index and the event log say of the one turn or run that a request names, however old.
type Trace struct {
	Rows   []TraceRow   `json:"rows"`   // newest first
	Events []TraceEvent `json:"events"` // newest first
}

// TraceRow is a row of the run index that belongs to the turn, or that was written at the instant that is asked for, or
// that takes such a row back.
type TraceRow struct {
	GeneratedAt        string `json:"generated_at"`
	AtNS               int64  `json:"at_ns"`
	Classification     string `json:"classification"`
	AgentID            string `json:"agent_id,omitempty"`
	TodoID             string `json:"todo_id,omitempty"`
	ReplanObligationID string `json:"replan_obligation_id,omitempty"`
	TurnInstanceID     string `json:"turn_instance_id,omitempty"`
	EffectID           string `json:"effect_id,omitempty"`
	DeliveryOutcome    string `json:"delivery_outcome,omitempty"`
	RecommendedAction  string `json:"recommended_action,omitempty"`
	TargetKey          string `json:"target_key,omitempty"`
	ResultHash         string `json:"result_hash,omitempty"`
	MaterialChange     bool   `json:"material_change,omitempty"`
	// SuccessorTodoIDs are the follow-ups that a poll wrote or found.
	SuccessorTodoIDs []string `json:"successor_todo_ids,omitempty"`
	JSONPath         string   `json:"json_path,omitempty"`
	MarkdownPath     string   `json:"markdown_path,omitempty"`
	// Slots of a ledger row; absent in other rows and when its event cannot be read.
	Slots *int64 `json:"slots,omitempty"`
	// Voids is the generated_at of the spend that a void row takes back.
	Voids     string     `json:"voids,omitempty"`
	Workspace *Workspace `json:"delivery_workspace,omitempty"`
}

// TraceEvent is a line of the event log whose run is the turn.
type TraceEvent struct {
	EventKind  string         `json:"event_kind"`
	EventID    string         `json:"event_id,omitempty"`
	RecordedAt string         `json:"recorded_at,omitempty"`
	AgentID    string         `json:"agent_id,omitempty"`
	TodoID     string         `json:"todo_id,omitempty"`
	Details    map[string]any `json:"details"`
}

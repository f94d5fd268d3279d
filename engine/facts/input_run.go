package facts

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

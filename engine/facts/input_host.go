package facts

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

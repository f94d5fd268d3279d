package facts

// GoalWrite is what a command asks to change of a goal's registry row. Numbers, words and JSON are as given: rules judge
// them. A flag that was not given is absent.
type GoalWrite struct {
	// goal-lifecycle, quota pause, quota resume
	Operation string `json:"operation,omitempty"`
	Reason    string `json:"reason,omitempty"`

	// quota set, quota burst, configure-goal
	Compute     string `json:"compute,omitempty"`
	WindowHours string `json:"window_hours,omitempty"`
	Slots       string `json:"slots,omitempty"`
	ExpiresAt   string `json:"expires_at,omitempty"`
	ExpiresNS   int64  `json:"expires_ns,omitempty"` // absent when ExpiresAt is no time

	// register-agent, configure-goal
	Agents     []string `json:"agents,omitempty"`
	RequireNew bool     `json:"require_new,omitempty"`

	// configure-goal
	SelfRepair        map[string]bool `json:"self_repair,omitempty"` // by key of control_plane.self_repair
	TurnGranularity   string          `json:"turn_granularity,omitempty"`
	AgentModel        string          `json:"agent_model,omitempty"`
	WorkModes         []string        `json:"work_modes,omitempty"`       // AGENT=MODE
	ClearWorkModes    []string        `json:"clear_work_modes,omitempty"` // agents
	AgentProfiles     []string        `json:"agent_profiles,omitempty"`   // JSON texts
	AckMigration      bool            `json:"ack_migration,omitempty"`
	WriteScope        []string        `json:"write_scope,omitempty"`
	ReplaceWriteScope bool            `json:"replace_write_scope,omitempty"`
	WaitingOn         string          `json:"waiting_on,omitempty"`
	Authority         *AuthorityWrite `json:"authority,omitempty"`
	OrchestrationMode string          `json:"orchestration_mode,omitempty"`
	SpawnAllowed      *bool           `json:"spawn_allowed,omitempty"`
	MaxChildren       string          `json:"max_children,omitempty"`
	AllowedDomains    []string        `json:"allowed_domains,omitempty"`
	// Clear names what is emptied first, by flag without its prefix: "waiting-on", "registered-agents".
	Clear []string `json:"clear,omitempty"`

	NoGlobalSync bool `json:"no_global_sync,omitempty"`
}

// AuthorityWrite is a checkpointed boundary authority to add.
type AuthorityWrite struct {
	WriteScope []string `json:"write_scope,omitempty"`
	Source     string   `json:"source,omitempty"`
	DecisionID string   `json:"decision_id,omitempty"`
	RecordedAt string   `json:"recorded_at,omitempty"`
	RecordedNS int64    `json:"recorded_ns,omitempty"` // absent when RecordedAt is no time
	ExpiresAt  string   `json:"expires_at,omitempty"`
	ExpiresNS  int64    `json:"expires_ns,omitempty"` // absent when ExpiresAt is no time
}

// Source is the registry that owns the goal's row, which is where a row is changed. It is the opened registry unless that
// is the shared projection.
type Source struct {
	Registry string `json:"registry"`
	// Digest names the bytes that were read, so that a writer changes these and nothing newer.
	Digest string `json:"digest,omitempty"`
	// Row is the goal's row as written, unknown keys included.
	Row map[string]any `json:"row"`
	// Problem says why the row cannot be changed there.
	Problem string `json:"problem,omitempty"`
}

// InitWrite is what init asks for, with what is already at its place.
type InitWrite struct {
	Objective    string   `json:"objective,omitempty"`
	Agents       []string `json:"agents,omitempty"`
	NoGlobalSync bool     `json:"no_global_sync,omitempty"`
	// Project is the project as given.
	Project string `json:"project,omitempty"`
	// Repo is the project as the row will name it.
	Repo string `json:"repo"`
	// ProjectExists says that the project is a directory.
	ProjectExists bool `json:"project_exists"`
	// StateFile is where the goal's state file goes, relative to the project.
	StateFile string `json:"state_file"`
	// StateFileExists says that there is something at that place.
	StateFileExists bool `json:"state_file_exists"`
	// SharedSource is the registry that owns a goal of the same id in the shared registry. Absent when there is none, and
	// when it is the registry that init writes.
	SharedSource string `json:"shared_source,omitempty"`
}

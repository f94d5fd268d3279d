package facts

// RefreshWrite is what refresh-state and read-only-map ask for, with what is read for their records. Words are as given:
// rules judge them.
type RefreshWrite struct {
	Classification    string   `json:"classification,omitempty"`
	RecommendedAction string   `json:"recommended_action,omitempty"`
	NextActions       []string `json:"next_actions,omitempty"`
	BatchScale        string   `json:"delivery_batch_scale,omitempty"`
	Outcome           string   `json:"delivery_outcome,omitempty"`
	Boundary          string   `json:"delivery_boundary,omitempty"`
	TodoID            string   `json:"todo_id,omitempty"`
	ObligationID      string   `json:"replan_obligation_id,omitempty"`

	ReplanRecorded bool     `json:"replan_recorded,omitempty"`
	DeltaKinds     []string `json:"delta_kinds,omitempty"`

	ProgressResult      string `json:"progress_result,omitempty"`
	ProgressFingerprint string `json:"progress_fingerprint,omitempty"`
	// VisionText is the agent vision as JSON text.
	VisionText string `json:"vision_text,omitempty"`

	AgentLane     string `json:"agent_lane,omitempty"`
	ProgressScope string `json:"progress_scope,omitempty"`
	NoGlobalSync  bool   `json:"no_global_sync,omitempty"`

	// WorkspacePath is where the work was done, as given. No rule may put it into a record.
	WorkspacePath string `json:"workspace_path,omitempty"`
	// Checkout is what is at that path, or around the command when none was given.
	Checkout Checkout `json:"checkout"`

	// Feedback and Progress are the first lines of the state file's sections of these names.
	Feedback []string `json:"recent_feedback"`
	Progress []string `json:"progress"`

	// Map is the outline of the project. Given to read-only-map.
	Map *ProjectMap `json:"map,omitempty"`
}

// Checkout says what a directory is to git. It names no path.
type Checkout struct {
	Directory bool `json:"directory"` // it exists
	Git       bool `json:"git"`       // it belongs to a checkout
	Linked    bool `json:"linked"`    // of the kind that hangs on another checkout
	// Canonical says that it is the checkout that the goal is registered with.
	Canonical bool `json:"canonical"`
	// Repository is the normal form of its origin, absent without one that may be shown.
	Repository string `json:"repository,omitempty"`
}

// ProjectMap is the outline of a project: names and numbers, never content.
type ProjectMap struct {
	Files       int64            `json:"file_count"`
	Directories int64            `json:"directory_count"`
	Bytes       int64            `json:"total_bytes"`
	Extensions  map[string]int64 `json:"extensions"` // files by the ending of their name
	TopLevel    []MapEntry       `json:"top_level"`
	// Truncated says that the project has more than was looked at, Unreadable how many directories could not be.
	Truncated  bool  `json:"truncated"`
	Unreadable int64 `json:"unreadable"`
}

// MapEntry is a file or directory at the top of the project.
type MapEntry struct {
	Name      string `json:"name"`
	Directory bool   `json:"directory"`
}

package facts

// TodoWrite is what a todo command asks for. Values are as given: rules normalise and judge them.
type TodoWrite struct {
	Role   string `json:"role,omitempty"`
	Text   string `json:"text,omitempty"`
	TodoID string `json:"todo_id,omitempty"`
	// Status is the new status, or the one that is listed.
	Status string `json:"status,omitempty"`
	// Fields holds metadata by key (state-files.md 3.5), Lists those that are lists, one text for each time the flag was given.
	Fields map[string]string   `json:"fields,omitempty"`
	Lists  map[string][]string `json:"lists,omitempty"`
	// TimesNS holds the instant of each field that is a time.
	TimesNS map[string]int64 `json:"times_ns,omitempty"`
	// Repository is the normal form of fields.task_repository, absent when it has none.
	Repository string `json:"repository,omitempty"`
	// Clear names keys that are removed.
	Clear []string `json:"clear,omitempty"`

	NoFollowup bool      `json:"no_followup,omitempty"`
	SelfMerged bool      `json:"self_merged,omitempty"`
	Next       *NextTodo `json:"next,omitempty"`

	// Validation is the command that the todo wants to be run before it is done; Validated is what running it came to.
	Validation *Validation `json:"validation,omitempty"`
	Validated  *Validated  `json:"validated,omitempty"`

	// Limit is how many todos are listed, 0 for all; MaxActiveDone is how many terminal ones stay.
	Limit         int64  `json:"limit,omitempty"`
	MaxActiveDone string `json:"max_active_done,omitempty"`
}

// NextTodo is the follow-up that a command writes with a change.
type NextTodo struct {
	AgentText string `json:"agent_text,omitempty"`
	UserText  string `json:"user_text,omitempty"`
	UserClass string `json:"user_class,omitempty"`
	// Fields and Lists are metadata of the agent's follow-up.
	Fields     map[string]string   `json:"fields,omitempty"`
	Lists      map[string][]string `json:"lists,omitempty"`
	Repository string              `json:"repository,omitempty"`
}

// Validation is the stored validation of a todo, as written.
type Validation struct {
	Command        string `json:"command"`        // for a shell
	Argv           string `json:"argv,omitempty"` // JSON list, instead of a shell
	TimeoutSeconds string `json:"timeout_seconds,omitempty"`
}

// Validated is what running a validation came to.
type Validated struct {
	Command  string `json:"command"`
	Argv     string `json:"argv,omitempty"`
	ExitCode int64  `json:"exit_code"`
	TimedOut bool   `json:"timed_out"`
	Failure  string `json:"failure,omitempty"` // it could not be started
}

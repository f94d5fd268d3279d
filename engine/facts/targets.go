package facts

// Targets are the files of one goal that a command may write. Every path is absolute. A policy never sees them: effects
// name a goal and the store knows its files.
type Targets struct {
	GoalID  string
	AgentID string // a label in the records of lock holders
	// Registered says that a registry lists the goal. Nothing but a new row is written for a goal that none lists.
	Registered  bool
	RuntimeRoot string
	// StateFile is empty when the goal declares none.
	StateFile string
	// SourceRegistry owns the goal's row. It is the opened registry unless that is the shared projection. Empty when
	// SourceProblem says why it cannot be used.
	SourceRegistry string
	SourceProblem  string
	GlobalRegistry string
	// Dir and Home are where relative paths and `~` of a new row start.
	Dir  string
	Home string
}

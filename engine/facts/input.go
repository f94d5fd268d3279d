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

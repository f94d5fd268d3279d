package facts

// Prompt holds the flags of heartbeat-prompt, as given.
type Prompt struct {
	Forms          []string `json:"forms"` // full, compact, brief, thin
	AgentScope     string   `json:"agent_scope,omitempty"`
	MaterialRule   string   `json:"material_rule,omitempty"`
	PermissionRule string   `json:"permission_rule,omitempty"`
	ActiveState    string   `json:"active_state,omitempty"`
	CLIBin         string   `json:"cli_bin,omitempty"`
}

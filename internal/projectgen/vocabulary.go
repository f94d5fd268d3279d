package projectgen

import (
	_ "embed"
	"encoding/json"
)

//go:embed vocabulary.json
var vocabularyFile []byte

// words is vocabulary.json.
var words = func() (v struct {
	Agents        []string            `json:"agents"`
	AgentClasses  []string            `json:"agent_classes"`
	UserClasses   []string            `json:"user_classes"`
	AgentStatuses []string            `json:"agent_statuses"`
	UserStatuses  []string            `json:"user_statuses"`
	Marks         map[string]string   `json:"marks"`
	Monitor       string              `json:"monitor"`
	Kinds         map[string][]string `json:"kinds"`
	Texts         []string            `json:"texts"`
	Capabilities  []string            `json:"capabilities"`
	Scopes        []string            `json:"scopes"`
	Outcomes      []string            `json:"outcomes"`
	Owners        []string            `json:"owners"`
	Adapters      []string            `json:"adapters"`
	Phases        []string            `json:"phases"`
	WorkModes     []string            `json:"work_modes"`
	Rows          []string            `json:"rows"`
	Spend         string              `json:"spend"`
	Poll          string              `json:"poll"`
	Resume        string              `json:"resume"`
	Activation    struct {
		Schema  string `json:"schema"`
		Stopped string `json:"stopped"`
	} `json:"activation"`
	AgentModel string   `json:"agent_model"`
	Scale      string   `json:"scale"`
	Gate       string   `json:"gate"`
	Done       string   `json:"done"`
	NoFollowup string   `json:"no_followup"`
	Open       string   `json:"open"`
	Work       string   `json:"work"`
	WorkKind   string   `json:"work_kind"`
	RRULEs     []string `json:"rrules"`
	Profiles   []string `json:"profiles"`
	Scheduler  struct {
		Surface string         `json:"surface"`
		File    string         `json:"file"`
		State   map[string]any `json:"state"`
	} `json:"scheduler"`
}) {
	if err := json.Unmarshal(vocabularyFile, &v); err != nil {
		panic(err) // a damaged build
	}
	return v
}()

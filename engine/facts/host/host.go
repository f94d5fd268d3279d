package host

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/safefile"
	"github.com/loopx-dev/loopx-policy/engine/facts/scheduler"
)

const (
	maxBytes       = 1 << 20
	maxAutomations = 1000
)

// Scope is whose heartbeat is looked for.
type Scope struct {
	GoalID  string
	AgentID string
	Thread  string // CODEX_THREAD_ID; empty means any thread
}

// Home is the directory of the Codex App: CODEX_HOME, else ~/.codex.
func Home(env func(string) string, home string) string {
	if dir := env("CODEX_HOME"); dir != "" {
		return dir
	}
	return filepath.Join(home, ".codex")
}

// Automations gives the active heartbeats below codexHome that match the scope, by directory name. A file that cannot
// be read or is not TOML matches nothing.
func Automations(codexHome string, scope Scope) []facts.Automation {
	out := []facts.Automation{}
	if scope.GoalID == "" || scope.AgentID == "" {
		return out
	}
	root := filepath.Join(codexHome, "automations")
	entries, err := os.ReadDir(root)
	if err != nil {
		return out
	}
	for i, entry := range entries {
		if i == maxAutomations {
			break
		}
		data, err := safefile.Read(filepath.Join(root, entry.Name(), "automation.toml"), maxBytes)
		if err != nil {
			continue
		}
		if automation, ok := Parse(entry.Name(), data, scope); ok {
			out = append(out, automation)
		}
	}
	return out
}

// Parse reads one automation file; ok is false when it is not an active heartbeat of the scope.
func Parse(name string, data []byte, scope Scope) (facts.Automation, bool) {
	var file struct {
		ID     string  `toml:"id"`
		Kind   string  `toml:"kind"`
		Status *string `toml:"status"`
		Prompt string  `toml:"prompt"`
		RRULE  string  `toml:"rrule"`
		Thread string  `toml:"target_thread_id"`
	}
	if err := toml.Unmarshal(data, &file); err != nil {
		return facts.Automation{}, false
	}
	rule := scheduler.RRULE(file.RRULE)
	switch {
	case file.Kind != "heartbeat", file.Status != nil && *file.Status != "ACTIVE", rule == "":
		return facts.Automation{}, false
	case scope.Thread != "" && file.Thread != scope.Thread:
		return facts.Automation{}, false
	case !names(file.Prompt, scope.GoalID) || !names(file.Prompt, scope.AgentID):
		return facts.Automation{}, false
	}
	if file.ID == "" {
		file.ID = name
	}
	return facts.Automation{ID: file.ID, RRULE: rule}, true
}

// names tells whether the prompt holds id as a word of its own: "demo" is not named by "demo-goal".
func names(prompt, id string) bool {
	words := strings.FieldsFuncSeq(prompt, func(c rune) bool {
		return c <= ' ' || strings.ContainsRune("\"'`=()[]{}<>,;|\u00a0", c)
	})
	for word := range words {
		if word == id || strings.TrimRight(word, ".:!?") == id {
			return true
		}
	}
	return false
}

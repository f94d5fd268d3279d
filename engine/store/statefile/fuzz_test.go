package statefile

import (
	"testing"

	"github.com/loopx-dev/loopx-policy/engine/facts/goalstate"
)

// FuzzApply edits any bytes. It never panics, and what it writes a reader finds.
func FuzzApply(f *testing.F) {
	f.Add([]byte(sample), "agent", "text", "note")
	f.Add([]byte("## Agent Todo\r\n- [ ] a\r"), "user", "## x", "-->")
	f.Fuzz(func(t *testing.T, data []byte, role, words, note string) {
		edit := Edit{Op: "add", Role: role, Text: words, Metadata: map[string]string{"todo_id": "todo_fuzzed", "note": note}}
		after, err := Apply(data, []Edit{edit}, "now")
		if err != nil {
			return
		}
		for _, todo := range goalstate.Parse("", after).Todos {
			if todo.ID == "todo_fuzzed" {
				return
			}
		}
		t.Fatalf("the new todo is not found in %q", after)
	})
}

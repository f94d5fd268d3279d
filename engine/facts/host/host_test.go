package host_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/host"
)

var scope = host.Scope{GoalID: "demo", AgentID: "codex-alpha"}

const heartbeat = `
id = "hb"
kind = "heartbeat"
status = "ACTIVE"
prompt = "Run loopx --goal-id demo --agent-id=codex-alpha."
rrule = "RRULE:FREQ=MINUTELY;INTERVAL=15"
target_thread_id = "t1"
`

func TestHome(t *testing.T) {
	env := func(value string) func(string) string { return func(string) string { return value } }
	assert.Equal(t, "elsewhere", host.Home(env("elsewhere"), "home"))
	assert.Equal(t, filepath.Join("home", ".codex"), host.Home(env(""), "home"))
}

func TestAutomations(t *testing.T) {
	home := t.TempDir()
	for name, text := range map[string]string{
		"b": heartbeat, "a": "kind = \"heartbeat\"\nprompt = 'goal \"demo\", agent codex-alpha'\nrrule = \"FREQ=HOURLY\"\n",
		"broken": "kind = ", "cron": "kind = \"cron\"\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Join(home, "automations", name), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(home, "automations", name, "automation.toml"), []byte(text), 0o644))
	}
	require.NoError(t, os.Mkdir(filepath.Join(home, "automations", "empty"), 0o755))

	assert.Equal(t, []facts.Automation{{ID: "a", RRULE: "FREQ=HOURLY"}, {ID: "hb", RRULE: "FREQ=MINUTELY;INTERVAL=15"}},
		host.Automations(home, scope))
	thread := scope
	thread.Thread = "t1"
	assert.Equal(t, []facts.Automation{{ID: "hb", RRULE: "FREQ=MINUTELY;INTERVAL=15"}}, host.Automations(home, thread))
	assert.Empty(t, host.Automations(home, host.Scope{GoalID: "demo"}))
	assert.Empty(t, host.Automations(filepath.Join(home, "none"), scope))
}

func TestParseMatches(t *testing.T) {
	base := "kind = \"heartbeat\"\nrrule = \"FREQ=HOURLY\"\n"
	cases := map[string]struct {
		text string
		want bool
	}{
		"flags":               {base + `prompt = "--goal-id demo --agent-id codex-alpha"`, true},
		"end of a sentence":   {base + `prompt = "Goal demo. You are codex-alpha!"`, true},
		"quoted":              {base + "prompt = \"goal `demo` (codex-alpha)\"", true},
		"longer goal id":      {base + `prompt = "demo-goal codex-alpha"`, false},
		"longer agent id":     {base + `prompt = "demo codex-alpha-2"`, false},
		"no agent":            {base + `prompt = "demo"`, false},
		"no prompt":           {base, false},
		"paused":              {base + "status = \"PAUSED\"\nprompt = \"demo codex-alpha\"", false},
		"empty status":        {base + "status = \"\"\nprompt = \"demo codex-alpha\"", false},
		"no rule":             {"kind = \"heartbeat\"\nprompt = \"demo codex-alpha\"", false},
		"prompt is a number":  {base + "prompt = 3", false},
		"other keys are fine": {base + "prompt = \"demo codex-alpha\"\n[more]\nx = [1]", true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, ok := host.Parse("dir", []byte(c.text), scope)
			assert.Equal(t, c.want, ok)
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(heartbeat))
	f.Add([]byte("kind = \"heartbeat\"\nprompt = \"\"\"demo\ncodex-alpha\"\"\"\nrrule = \"x\""))
	f.Fuzz(func(t *testing.T, data []byte) {
		if automation, ok := host.Parse("dir", data, scope); ok {
			require.NotEmpty(t, automation.ID)
			require.NotEmpty(t, automation.RRULE)
		}
	})
}

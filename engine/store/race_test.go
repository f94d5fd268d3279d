package store

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/goalstate"
	"github.com/loopx-dev/loopx-policy/engine/facts/history"
)

const (
	raceProcesses = 16
	raceCommands  = 6 // of each process; LOOPX_STORE_RACE says another number
	raceReadings  = 3 // of the ledger, by each command while it holds the locks
	raceTodo      = "todo_8d8660c7a262"
)

// ledger reads the run index as a decision does.
func ledger(targets facts.Targets) (*history.Result, error) {
	var settings history.Settings
	settings.Ledger.Spend, settings.Ledger.Void = []string{"quota_slot_spent"}, []string{"quota_slot_voided"}
	settings.HorizonHours, settings.MarginHours, settings.LookbackDays = 24, 24, 30
	settings.MaterialRows, settings.ClockSkewMinutes, settings.FreshnessDays = 20, 5, 7
	return history.Read(filepath.Join(targets.RuntimeRoot, "goals", targets.GoalID, "runs"), history.Options{
		Now: noon.Add(time.Hour), GoalID: targets.GoalID, WindowHours: 24, Settings: settings,
	})
}

// tally is what a process was told that it wrote.
type tally struct {
	Spent int64
	Edits int64
	Wait  time.Duration // the longest for the locks
}

// raceChild runs commands on one goal: targets, number. Each spends slots, or adds one to a number in the state file that it
// reads under the lock. It reads the ledger under the lock as a decision does, so the others queue up.
func raceChild(args []string) error {
	var targets facts.Targets
	if err := json.Unmarshal([]byte(args[0]), &targets); err != nil {
		return err
	}
	commands, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	var told tally
	files := New()
	for range commands {
		start := time.Now()
		tx, err := files.Begin(ctx, targets, Options{Now: noon, Operation: "race", Locks: LockState | LockIndex})
		if err != nil {
			return err
		}
		told.Wait = max(told.Wait, time.Since(start))
		slots, list, err := raceEffects(targets)
		for range raceReadings {
			if err == nil {
				_, err = ledger(targets)
			}
		}
		if err == nil {
			_, err = tx.Commit(ctx, noon, list)
		}
		tx.End()
		if err != nil {
			return err
		}
		if told.Spent += slots; slots == 0 {
			told.Edits++
		}
	}
	return json.NewEncoder(os.Stdout).Encode(told)
}

func raceEffects(targets facts.Targets) (slots int64, list []Effect, err error) {
	if rand.IntN(2) == 0 {
		slots = 1 + rand.Int64N(3)
		list, err = Decode([]byte(strings.Replace("["+runEffect+","+eventEffect+"]", `"slots": 1`, fmt.Sprintf(`"slots": %d`, slots), 1)))
		return slots, list, err
	}
	data, err := os.ReadFile(targets.StateFile)
	if err != nil {
		return 0, nil, err
	}
	next := int64(0)
	for _, todo := range goalstate.Parse("", data).Todos {
		if todo.ID == raceTodo {
			next = todo.ConsecutiveNoChange + 1
		}
	}
	list, err = Decode(fmt.Appendf(nil, `[{"kind": "edit_state", "goal_id": "demo-goal", "digest": %q, "updated_at": "u",
		"edits": [{"op": "edit", "todo_id": %q, "set": {"consecutive_no_change": "%d"}}]}, %s]`, digest(data), raceTodo, next, eventEffect))
	return 0, list, err
}

// TestSixteenProcessesOnOneGoal makes sure that what the processes were told is what the files say.
func TestSixteenProcessesOnOneGoal(t *testing.T) {
	commands := raceCommands
	if text := os.Getenv("LOOPX_STORE_RACE"); text != "" {
		var err error
		commands, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	_, targets := sample(t)
	before, err := ledger(targets)
	require.NoError(t, err)
	text, err := json.Marshal(targets)
	require.NoError(t, err)
	told := make([]tally, raceProcesses)
	start := time.Now()
	var wg sync.WaitGroup
	for i := range raceProcesses {
		wg.Go(func() {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "LOOPX_STORE_TEST_CHILD="+strings.Join([]string{"race", string(text), strconv.Itoa(commands)}, "\n"))
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			if assert.NoError(t, err) {
				assert.NoError(t, json.Unmarshal(out, &told[i]))
			}
		})
	}
	wg.Wait()
	var all tally
	for _, one := range told {
		all.Spent += one.Spent
		all.Edits += one.Edits
		all.Wait = max(all.Wait, one.Wait)
	}
	n := raceProcesses * commands
	t.Logf("%d commands in %v, longest wait for the locks %v", n, time.Since(start).Round(time.Millisecond), all.Wait.Round(time.Millisecond))
	assert.Less(t, all.Wait, lockPatience)

	result, err := ledger(targets)
	require.NoError(t, err)
	assert.Empty(t, result.Findings, "no line is damaged")
	spent := int64(0)
	for _, row := range result.Ledger.Rows[:len(result.Ledger.Rows)-len(before.Ledger.Rows)] {
		spent += row.Slots
	}
	assert.Equal(t, all.Spent, spent)
	doc, err := goalstate.Read("/", targets.StateFile)
	require.NoError(t, err)
	for _, todo := range doc.Todos {
		if todo.ID == raceTodo {
			assert.Equal(t, all.Edits, todo.ConsecutiveNoChange)
		}
	}
	events, err := os.ReadFile(filepath.Join(targets.RuntimeRoot, "goals/demo-goal", eventsName))
	require.NoError(t, err)
	for line := range strings.Lines(string(events)) {
		require.True(t, json.Valid([]byte(line)), line)
	}
	assert.Equal(t, n, strings.Count(string(events), `"run_id": "t9"`), "every event is there")
}

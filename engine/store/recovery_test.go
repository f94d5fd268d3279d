package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts"
)

// ended runs a scenario whose process ends at a call, without a process of its own: every call from there on fails.
func ended(s scenario, at int, targets facts.Targets) {
	_, _ = s.run(on(&seam{at: at, dead: true}), targets)
}

// TestRecoveryThatIsInterruptedItself ends a process at every point of a commit, the next one at every point of its recovery,
// and lets a third one recover. LOOPX_STORE_LONG does so for all commands with several files.
func TestRecoveryThatIsInterruptedItself(t *testing.T) {
	t.Parallel()
	chosen := scenarios[1:2]
	if os.Getenv("LOOPX_STORE_LONG") != "" {
		chosen = scenarios[:6]
	}
	for _, s := range chosen {
		after := afterwards(t, s)
		for _, p := range late(s.points(t)) {
			for again := 0; ; again++ {
				dir, targets := s.setUp(t)
				before := settled(tree(t, dir))
				ended(s, p.at, targets)
				second := &seam{at: again, dead: true}
				_ = recovered(on(second), s, targets)
				require.NoError(t, recovered(New(), s, targets))
				now := settled(tree(t, dir))
				if !same(now, before) {
					require.Equal(t, after, now, "%s: %s, then call %d", s.name, p.name, again)
				}
				require.NoError(t, os.RemoveAll(dir))
				if len(second.steps) <= again {
					break
				}
			}
		}
	}
}

// late leaves out the halves, and of the points that come before the intent all but the last three: until then nothing is
// there but staged bytes.
func late(points []point) []point {
	var out []point
	for _, p := range points {
		if p.name == "intent: sync directory" {
			out = out[max(0, len(out)-3):]
		}
		if !p.half {
			out = append(out, p)
		}
	}
	if raceDetector { // it makes a commit ten times as slow, and none of this happens at once
		return []point{out[1], out[len(out)/2], out[len(out)-2]}
	}
	return out
}

// TestSomebodyEditsBetweenCrashAndRecovery lets a person edit the state file after a commit was interrupted: both edits are in
// the file, once, wherever the recovery is interrupted.
func TestSomebodyEditsBetweenCrashAndRecovery(t *testing.T) {
	t.Parallel()
	s := scenarios[1]
	for _, p := range late(s.points(t)) {
		for again := 0; ; again++ {
			dir, targets := s.setUp(t)
			index := text(t, filepath.Join(targets.RuntimeRoot, "goals/demo-goal/runs/index.jsonl"))
			ended(s, p.at, targets)
			edited := strings.Replace(text(t, targets.StateFile), "Ship the demo widget\n", "Ship it by Friday\n", 1)
			require.NoError(t, os.WriteFile(targets.StateFile, []byte(edited), 0o644))
			committed := text(t, filepath.Join(targets.RuntimeRoot, "goals/demo-goal/runs/index.jsonl")) != index
			second := &seam{at: again, dead: true}
			_ = recovered(on(second), s, targets)
			require.NoError(t, recovered(New(), s, targets))
			now := text(t, targets.StateFile)
			assert.Contains(t, now, "Ship it by Friday\n")
			want := 0
			if committed {
				want = 1
			}
			require.Equal(t, want, strings.Count(now, "- [ ] follow up\n"), "%s, then call %d", p.name, again)
			require.Equal(t, want, strings.Count(now, "note=seen"))
			for name := range tree(t, dir) {
				assert.NotContains(t, name, ".tmp")
				assert.NotContains(t, name, ".loopx-intent")
			}
			require.NoError(t, os.RemoveAll(dir))
			if len(second.steps) <= again {
				break
			}
		}
	}
}

// TestSomebodyEditsDuringACommit saves the state file in an editor at every call of a commit but the rename itself.
func TestSomebodyEditsDuringACommit(t *testing.T) {
	for _, s := range []scenario{scenarios[1], scenarios[3]} {
		for _, p := range s.points(t) {
			if p.half || p.name == "state: rename" {
				continue
			}
			dir, targets := s.setUp(t)
			saved := strings.Replace(text(t, targets.StateFile), "Ship the demo widget\n", "Ship it by Friday\n", 1)
			save := func(string) error {
				if now := text(t, targets.StateFile); strings.Contains(now, "follow up") { // they read it after our edit
					saved = strings.Replace(now, "Ship the demo widget\n", "Ship it by Friday\n", 1)
				}
				return os.WriteFile(targets.StateFile, []byte(saved), 0o644)
			}
			_, err := s.run(on(&seam{at: p.at, act: save}), targets)
			now := text(t, targets.StateFile)
			assert.Contains(t, now, "Ship it by Friday\n", "%s: %s", s.name, p.name)
			if err != nil {
				assert.ErrorIs(t, err, ErrChanged)
				assert.Equal(t, saved, now, "%s: %s", s.name, p.name)
			} else {
				assert.Equal(t, 1, strings.Count(now, "- [ ] follow up\n"), "%s: %s", s.name, p.name)
			}
			before := settled(tree(t, dir))
			require.NoError(t, recovered(New(), s, targets))
			assert.Equal(t, before, settled(tree(t, dir)), "nothing is left to do")
			require.NoError(t, os.RemoveAll(dir))
		}
	}
}

// TestAnEditThatNoLongerFitsIsKept deletes the block that an interrupted commit edits.
func TestAnEditThatNoLongerFitsIsKept(t *testing.T) {
	s := scenarios[1]
	points := s.points(t)
	dir, targets := s.setUp(t)
	at := -1
	for _, p := range points {
		if p.name == "state: rename" {
			at = p.at
		}
	}
	ended(s, at, targets)
	other := "# Somebody began anew\n"
	require.NoError(t, os.WriteFile(targets.StateFile, []byte(other), 0o644))
	require.NoError(t, recovered(New(), s, targets))
	assert.Equal(t, other, text(t, targets.StateFile))
	assert.Contains(t, text(t, targets.StateFile+".loopx-conflict"), "- [ ] follow up\n")
	assert.NoFileExists(t, filepath.Join(dir, "runtime/goals/demo-goal/.loopx-intent.json"))
}

// TestAWriterWithFewerLocksRecoversToo begins with the lock of the index alone and takes those that recovery needs.
func TestAWriterWithFewerLocksRecoversToo(t *testing.T) {
	s := scenarios[1]
	after := afterwards(t, s)
	for _, p := range s.points(t) {
		dir, targets := s.setUp(t)
		before := settled(tree(t, dir))
		ended(s, p.at, targets)
		tx, err := New().Begin(ctx, targets, Options{Now: noon, Locks: LockIndex})
		require.NoError(t, err)
		tx.End()
		now := settled(tree(t, dir))
		for name := range now { // staged bytes without an intent wait for a writer with the lock of their file
			if strings.HasSuffix(name, ".tmp") {
				assert.Contains(t, name, "ACTIVE_GOAL_STATE")
				delete(now, name)
			}
		}
		if !same(now, before) {
			require.Equal(t, after, now, p.name)
		}
		require.NoError(t, os.RemoveAll(dir))
	}
}

func TestAnIntentThatCannotBeReadStopsWriters(t *testing.T) {
	for _, bad := range []string{"", "{", "{}", `{"schema_version": "loopx_store_intent_v9", "point": {}}`} {
		dir, targets := sample(t)
		path := filepath.Join(dir, "runtime/goals/demo-goal", intentName)
		require.NoError(t, os.WriteFile(path, []byte(bad), 0o600))
		before := tree(t, dir)
		_, err := commit(t, targets, spendEffects)
		var refused *facts.Error
		require.ErrorAs(t, err, &refused, bad)
		assert.Equal(t, codeIntent, refused.Code)
		assert.Equal(t, "goals/demo-goal/"+intentName, refused.File)
		assert.Equal(t, before, tree(t, dir), "its bytes are kept")
	}
}

// TestALargeFileIsNoPartOfTheIntent ends a commit whose new file is too large for the intent, before its commit point.
func TestALargeFileIsNoPartOfTheIntent(t *testing.T) {
	s := scenario{name: "large", effects: "[" + strings.Replace(runEffect, "# Run", strings.Repeat("x", maxIntentData), 1) + "," + eventEffect + "]"}
	for _, p := range late(s.points(t)) {
		dir, targets := s.setUp(t)
		before := settled(tree(t, dir))
		ended(s, p.at, targets)
		if info, err := os.Stat(filepath.Join(targets.RuntimeRoot, "goals/demo-goal", intentName)); err == nil {
			assert.Less(t, info.Size(), int64(20000))
		}
		require.NoError(t, recovered(New(), s, targets))
		if now := settled(tree(t, dir)); !strings.Contains(now["runtime/goals/demo-goal/runs/index.jsonl"], "2026-12-01T12") {
			assert.True(t, same(before, now), p.name)
		}
	}
}

// TestAnAppendThatIsThereInPart cuts the commit's lines short, by any number of bytes: a row that a reader can see stays, and
// its commit is finished.
func TestAnAppendThatIsThereInPart(t *testing.T) {
	s := scenarios[0]
	twice := scenario{name: "two runs", effects: "[" + runEffect + "," + strings.Replace(runEffect, "quota-slot-spent", "again", 1) + "]"}
	for _, s := range []scenario{s, twice} {
		after := afterwards(t, s)
		at := -1
		for _, p := range s.points(t) {
			if p.name == "run index: sync" {
				at = p.at
			}
		}
		_, targets := s.setUp(t)
		length := len(text(t, filepath.Join(targets.RuntimeRoot, "goals/demo-goal/runs/index.jsonl")))
		for cut := 1; ; cut += 1 + cut/3 {
			dir, targets := s.setUp(t)
			before := settled(tree(t, dir))
			_, _ = s.run(on(&seam{at: at, dead: true}), targets)
			index := filepath.Join(targets.RuntimeRoot, "goals/demo-goal/runs/index.jsonl")
			whole := text(t, index)
			if cut > len(whole)-length {
				break
			}
			require.NoError(t, os.Truncate(index, int64(len(whole)-cut)))
			seen, err := ledger(targets)
			require.NoError(t, err)
			require.NoError(t, recovered(New(), s, targets))
			now := settled(tree(t, dir))
			if rows := len(seen.Ledger.Rows); rows > 2 {
				assert.True(t, same(after, now), "%s: %d bytes short", s.name, cut)
			} else {
				assert.True(t, same(before, now), "%s: %d bytes short", s.name, cut)
			}
		}
	}
}

package store

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/loopx-dev/loopx-policy/engine/facts/jsontree"
	"github.com/loopx-dev/loopx-policy/engine/facts/safefile"
)

const (
	pollSchema   = "loopx_host_poll_receipt_v0"
	maxPollBytes = 1 << 20
)

// putHostPoll counts a poll and puts the outcome into the receipt. It never fails a command: a receipt is a display.
func (t *tx) putHostPoll(e *PutHostPoll, receipt Receipt) {
	count, err := t.countPoll(e)
	outcome := map[string]any{"recorded": err == nil}
	if err != nil {
		outcome["error"] = bare(err)
	} else {
		outcome["poll_count"] = count
	}
	receipt.add("host_poll_receipt", outcome)
}

func (t *tx) countPoll(e *PutHostPoll) (count int64, err error) {
	if t.targets.StateFile == "" {
		return 0, errors.New("the goal declares no state file beside which the receipt could be")
	}
	name := strings.NewReplacer("/", "_", `\`, "_").Replace(e.GoalID) + ".json"
	path := filepath.Join(filepath.Dir(t.targets.StateFile), ".loopx-host-poll-receipts", name)
	next := map[string]any{}
	text, err := safefile.Read(path, maxPollBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return 0, err
	default:
		if next, count, err = readPoll(text, e.GoalID); err != nil {
			return 0, err // its bytes stay (state-files.md 5.3)
		}
	}
	fresh, err := decode(e.Receipt)
	if err != nil {
		return 0, err
	}
	fields, ok := fresh.(map[string]any)
	if !ok {
		return 0, errors.New("the receipt is no object")
	}
	maps.Copy(next, fields)
	count++
	next["schema_version"], next["goal_id"], next["poll_count"] = pollSchema, e.GoalID, count
	bytes, err := encode(next)
	if err != nil {
		return 0, err
	}
	if err := t.disk.mkdirs("host poll", filepath.Dir(path), privateDir); err != nil {
		return 0, err
	}
	return count, t.disk.replace("host poll", resolved(path), bytes, privateFile)
}

// readPoll reads a receipt that is there. One of another goal or another form is not this program's to replace.
func readPoll(text []byte, goal string) (map[string]any, int64, error) {
	unreadable := errors.New("the receipt that is there cannot be read; its bytes are kept")
	n, err := jsontree.Parse(text)
	if err != nil || n.Str("schema_version") != pollSchema || n.Str("goal_id") != goal {
		return nil, 0, unreadable
	}
	var count int64
	if value := n.Get("poll_count"); value != nil {
		if count, err = strconv.ParseInt(value.Text, 10, 64); err != nil || value.Kind != jsontree.Number || count < 0 {
			return nil, 0, unreadable
		}
	}
	fields, _ := n.Any().(map[string]any)
	return fields, count, nil
}

func decode(text []byte) (any, error) {
	n, err := jsontree.Parse(text)
	if err != nil {
		return nil, err
	}
	return n.Any(), nil
}

// encode writes JSON with sorted keys, two spaces of indentation and a final newline. Numbers keep their text.
func encode(value any) ([]byte, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return canonical(text)
}

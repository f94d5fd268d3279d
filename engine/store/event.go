package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/loopx-dev/loopx-policy/engine/facts/jsontree"
	"github.com/loopx-dev/loopx-policy/engine/store/jsonedit"
)

const (
	eventSchema   = "loopx_rollout_event_v0"
	maxSummary    = 500
	maxDetail     = 240
	maxEventBytes = 64 << 10
)

// boundary says what an event does not hold. All of it is checked before it is written.
var boundary = map[string]bool{
	"raw_task_text_recorded": false, "raw_logs_recorded": false, "raw_trajectory_recorded": false,
	"raw_session_transcript_recorded": false, "credential_values_recorded": false, "absolute_paths_recorded": false,
}

// privateDetails are parts of names under which private text is kept (state-files.md 5.2). A public word in which one of them
// happens to occur is listed after them.
var (
	privateDetails = []string{"path", "log", "raw", "token", "secret", "trace", "stdout", "stderr", "credential", "password", "transcript"}
	privateTexts   = []string{"/home/", "/users/", "/root/", `\users\`, "~/", "/var/folders/"}
)

func (b *batch) appendEvent(ctx context.Context, e *AppendEvent) error {
	return b.own(e.GoalID, func() error {
		line, id, key, err := b.event(e)
		replayed := false
		if err == nil {
			err = b.tx.lockEvents(ctx, e.Required)
		}
		if err == nil {
			err = b.tx.disk.mend("event log", b.tx.events())
		}
		if err == nil && e.Unique {
			replayed, err = hasEvent(b.tx.events(), key)
		}
		if err == nil && !replayed {
			err = b.append(&b.events, "event log", b.tx.events(), line)
		}
		if err != nil {
			if e.Required {
				return fmt.Errorf("event: %w", err)
			}
			b.receipt.add("rollout_event_log_error", bare(err))
			return nil
		}
		outcome := map[string]any{"appended": !replayed, "replayed": replayed}
		if !replayed {
			outcome["event_id"] = id
		}
		b.receipt.add("rollout_event", outcome)
		return nil
	})
}

// lockEvents takes the lock of the event log for the rest of the transaction. Those who wait for the goal are not held up for
// long by an event that the command can do without.
func (t *tx) lockEvents(ctx context.Context, required bool) error {
	if t.eventsLocked {
		return nil
	}
	patience := t.store.patience
	if !required {
		patience = min(patience, sidePatience)
	}
	if err := t.disk.mkdirs("event log", t.goalDir(), newDir); err != nil {
		return err
	}
	if err := t.take(ctx, "event log lock", t.events(), patience); err != nil {
		return err
	}
	t.eventsLocked = true
	return nil
}

// eventKey is what makes an event unique.
type eventKey struct{ goal, kind, agent, run string }

// event gives the line of an event, with the fields that every event has.
func (b *batch) event(e *AppendEvent) (line []byte, id string, key eventKey, err error) {
	value, err := decode(e.Event)
	if err != nil {
		return nil, "", key, err
	}
	event, ok := value.(map[string]any)
	if !ok {
		return nil, "", key, errors.New("is no object")
	}
	event = maps.Clone(event)
	if summary, ok := event["summary"].(string); ok {
		event["summary"] = shorten(summary, maxSummary)
	}
	if err := b.tx.store.publicEvent(event); err != nil {
		return nil, "", key, err
	}
	event["schema_version"], event["goal_id"] = eventSchema, e.GoalID
	event["recorded_at"], event["boundary"] = utc(b.tx.options.Now), boundary
	text := func(name string) string { s, _ := event[name].(string); return s }
	key = eventKey{e.GoalID, text("event_kind"), text("agent_id"), text("run_id")}
	if key.kind == "" {
		return nil, "", key, errors.New("has no event_kind")
	}
	delete(event, "event_id")
	ascii, err := sortedLine(event)
	if err != nil {
		return nil, "", key, err
	}
	id = digest(escaped(ascii))
	event["event_id"] = id
	if line, err = sortedLine(event); err != nil {
		return nil, "", key, err
	}
	if len(line) > maxEventBytes {
		return nil, "", key, fmt.Errorf("is larger than %d bytes", maxEventBytes)
	}
	return append(line, '\n'), id, key, nil
}

func sortedLine(value any) ([]byte, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	if text, err = jsonedit.Sort(text, nil); err != nil {
		return nil, err
	}
	return jsonedit.Line(text)
}

// escaped writes characters beyond ASCII as Python's json module does by default.
func escaped(text []byte) []byte {
	var out bytes.Buffer
	for _, r := range string(text) {
		switch {
		case r < 0x80:
			out.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			r -= 0x10000
			fmt.Fprintf(&out, `\u%04x\u%04x`, 0xd800+(r>>10), 0xdc00+(r&0x3ff))
		}
	}
	return out.Bytes()
}

func shorten(text string, limit int) string {
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return text
}

// publicEvent refuses an event that holds private text. What it names is the field, never the text.
func (s *Files) publicEvent(event map[string]any) error {
	if details, present := event["details"]; present {
		flat, ok := details.(map[string]any)
		if !ok {
			return errors.New("details is no object")
		}
		for key, value := range flat {
			name := strings.ToLower(key)
			if slices.ContainsFunc(privateDetails, func(word string) bool { return hasWord(name, word) }) {
				return fmt.Errorf("detail %s has the name of private text", key)
			}
			switch v := value.(type) {
			case map[string]any, []any:
				return fmt.Errorf("detail %s is no scalar", key)
			case string:
				if len([]rune(v)) > maxDetail {
					return fmt.Errorf("detail %s is longer than %d characters", key, maxDetail)
				}
			}
		}
	}
	if err := publicText("event", event); err != nil {
		return err
	}
	if s.private != nil {
		return s.private(event)
	}
	return nil
}

// hasWord tells whether one of the words of a name is the word or its plural.
func hasWord(name, word string) bool {
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '_' || r == '-' || r == '.' }) {
		if part == word || part == word+"s" {
			return true
		}
	}
	return false
}

func publicText(place string, value any) error {
	switch v := value.(type) {
	case string:
		lower := strings.ToLower(v)
		if slices.ContainsFunc(privateTexts, func(part string) bool { return strings.Contains(lower, part) }) {
			return fmt.Errorf("%s holds a path of a home directory", place)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if err := publicText(place+"."+key, v[key]); err != nil {
				return err
			}
		}
	case []any:
		for _, item := range v {
			if err := publicText(place, item); err != nil {
				return err
			}
		}
	}
	return nil
}

// hasEvent looks for an event in the whole log. Lines that do not hold the run id are not decoded.
func hasEvent(path string, key eventKey) (bool, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer file.Close()
	needle := escaped(must(json.Marshal(key.run)))
	plain := must(json.Marshal(key.run))
	var rest []byte
	block := make([]byte, 1<<20)
	for {
		n, err := file.Read(block)
		data := append(rest, block[:n]...)
		end := bytes.LastIndexByte(data, '\n') + 1
		for _, text := range [][]byte{needle, plain} {
			if matches(data[:end], text, key) {
				return true, nil
			}
			if bytes.Equal(needle, plain) {
				break
			}
		}
		rest = append([]byte(nil), data[end:]...)
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
}

func matches(lines, needle []byte, key eventKey) bool {
	for {
		at := bytes.Index(lines, needle)
		if at < 0 {
			return false
		}
		start := bytes.LastIndexByte(lines[:at], '\n') + 1
		end := at + bytes.IndexByte(lines[at:], '\n')
		if n, err := jsontree.Parse(lines[start:end]); err == nil {
			if (eventKey{n.Str("goal_id"), n.Str("event_kind"), n.Str("agent_id"), n.Str("run_id")}) == key {
				return true
			}
		}
		lines = lines[end+1:]
	}
}

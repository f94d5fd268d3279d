package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/safefile"
	"github.com/loopx-dev/loopx-policy/engine/store/statefile"
)

const (
	intentSchema   = "loopx_store_intent_v0"
	droppedName    = ".loopx-intent.dropped.json"
	maxIntentBytes = 64 << 20
	maxIntentData  = 1 << 20 // of one new file
)

// intent is what a commit of several files is about to do. It is durable before the commit point and gone after the last
// operation, so whoever finds one knows what a crash interrupted.
type intent struct {
	SchemaVersion string `json:"schema_version"`
	GoalID        string `json:"goal_id,omitempty"`
	Operation     string `json:"operation,omitempty"`
	RecordedAt    string `json:"recorded_at"`
	Locks         Locks  `json:"locks"`
	Before        []*op  `json:"before"`
	Point         *op    `json:"point"`
	After         []*op  `json:"after"`

	written bool
}

// finish removes the intent of a commit that is complete. One that stays is found to be complete by the next writer.
func (t *tx) finish(home string) {
	_ = t.disk.Remove("intent: remove", filepath.Join(home, intentName)) // see above
}

// drop removes what a commit left that did not reach its commit point. First the intent gets another name: were the staged
// bytes gone before it, they would look as if they had reached their place.
func (t *tx) drop(home string, in *intent) error {
	path, dropped := filepath.Join(home, intentName), filepath.Join(home, droppedName)
	if in.written {
		if err := t.disk.Rename("intent: drop", path, dropped); err != nil {
			return err
		}
	}
	if t.discard(in) && in.written {
		return t.disk.Remove("intent: remove dropped", dropped)
	}
	return nil
}

// discard removes staged bytes and new files, those that hold what the commit wrote and nothing else.
func (t *tx) discard(in *intent) (clean bool) {
	clean = true
	remove := func(step, path string) {
		if err := t.disk.Remove(step+": remove", path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			clean = false
		}
	}
	for _, o := range slices.Concat([]*op{in.Point}, in.After) {
		if o.Kind == opReplace && exists(o.staged()) {
			remove(o.Step, o.staged())
		}
	}
	for _, o := range in.Before {
		if o.ours() {
			remove(o.Step, o.Path)
		}
	}
	return clean
}

// ours tells whether a new file holds what this commit wrote, or the beginning of it.
func (o *op) ours() bool {
	if o.Length > 0 {
		info, err := os.Lstat(o.Path)
		return err == nil && info.Size() <= o.Length
	}
	data, err := safefile.Read(o.Path, maxIntentBytes)
	return err == nil && bytes.HasPrefix(o.Data, data)
}

// recover finishes or drops what a crash interrupted. It gives the locks that are needed for that and not held.
func (t *tx) recover(ctx context.Context, home string) (more Locks, err error) {
	for _, name := range []string{droppedName, intentName} {
		path := filepath.Join(home, name)
		in, err := readIntent(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return 0, &facts.Error{
				Code: codeIntent, File: filepath.Join("goals", t.targets.GoalID, name), Message: "cannot be read: " + facts.BareCause(err).Error(),
				Hint: "it says what an interrupted write still has to do; nothing is written for this goal while it cannot be read",
			}
		}
		if missing := in.Locks &^ t.options.Locks; missing != 0 {
			return missing, nil
		}
		if name == droppedName {
			if t.discard(in) {
				err = t.disk.Remove("recovery: remove dropped", path)
			}
		} else {
			err = t.resume(ctx, home, in)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return 0, fmt.Errorf("recover an interrupted write: %w", err)
		}
	}
	return 0, t.sweep()
}

// sweep removes bytes that were staged for a commit that did not come to its intent.
func (t *tx) sweep() error {
	for _, place := range []struct {
		bit  Locks
		path string
	}{
		{LockRegistry, t.targets.SourceRegistry}, {LockState, t.targets.StateFile},
		{LockIndex, filepath.Join(t.goalDir(), intentName)}, {LockIndex, filepath.Join(t.runs(), indexName)}, {LockIndex, t.pollPath()}, {LockRelease, filepath.Join(t.release(), intentName)},
	} {
		if t.options.Locks&place.bit == 0 || place.path == "" {
			continue
		}
		for _, again := range []bool{false, true} {
			o := &op{Path: resolved(place.path), Again: again}
			if !exists(o.staged()) {
				continue
			}
			if err := t.disk.Remove("recovery: remove staged bytes", o.staged()); err != nil {
				return fmt.Errorf("remove what an interrupted write left: %w", err)
			}
		}
	}
	return nil
}

func readIntent(path string) (*intent, error) {
	text, err := safefile.Read(path, maxIntentBytes)
	if err != nil {
		return nil, err
	}
	in := &intent{written: true}
	if err := json.Unmarshal(text, in); err != nil {
		return nil, err
	}
	if in.SchemaVersion != intentSchema || in.Point == nil {
		return nil, errors.New("is no intent of this version")
	}
	return in, nil
}

// resume finishes a commit that reached its commit point and drops any other.
func (t *tx) resume(ctx context.Context, home string, in *intent) error {
	reached, err := t.reached(in.Point)
	if err != nil {
		return err
	}
	if !reached {
		return t.drop(home, in)
	}
	for _, o := range in.After {
		if err := t.again(ctx, home, in, o); err != nil {
			return err
		}
	}
	t.finish(home)
	return nil
}

// reached tells whether the commit point was passed. An append that is there in part was passed when a reader could see a row
// of it, and is completed; else its part goes.
func (t *tx) reached(o *op) (bool, error) {
	if o.Kind == opReplace {
		return !exists(o.staged()), nil // only the rename takes it away while the intent has its name
	}
	tail, err := readFrom(o.Path, o.Size)
	if err != nil {
		return false, err
	}
	if bytes.Contains(tail, o.Data) {
		return true, nil
	}
	if len(tail) == 0 || !bytes.HasPrefix(o.Data, tail) {
		return false, nil
	}
	first, _, _ := bytes.Cut(o.Data, []byte{'\n'})
	if len(tail) < len(first) {
		return false, t.disk.Truncate("recovery: take back "+o.Step, o.Path, o.Size)
	}
	return true, t.disk.appendTo("recovery: "+o.Step, o.Path, o.Data[len(tail):], o.Size+int64(len(tail)))
}

// again carries out an operation after the commit point unless it was done.
func (t *tx) again(ctx context.Context, home string, in *intent, o *op) error {
	switch o.Kind {
	case opAppend:
		return t.appendAgain(ctx, o)
	case opReplace:
		return t.replaceAgain(home, in, o)
	default:
		t.syncGlobal(ctx, nil) // it is brought up to date by the next sync as well
		return nil
	}
}

func (t *tx) appendAgain(ctx context.Context, o *op) error {
	if o.Path == t.events() {
		if err := t.lockEvents(ctx, true); err != nil {
			return err
		}
	}
	tail, err := readFrom(o.Path, o.Size)
	if err != nil || bytes.Contains(tail, o.Data) {
		return err
	}
	if len(tail) > 0 && bytes.HasPrefix(o.Data, tail) {
		return t.disk.appendTo("recovery: "+o.Step, o.Path, o.Data[len(tail):], o.Size+int64(len(tail)))
	}
	if err := t.disk.mend("recovery: "+o.Step, o.Path); err != nil {
		return err
	}
	var size int64
	if info, err := os.Stat(o.Path); err == nil {
		size = info.Size()
	}
	return t.disk.appendTo("recovery: "+o.Step, o.Path, o.Data, size)
}

// replaceAgain gives staged bytes their place. When somebody changed the file since, the same edit is made in what is there
// now; when that is not possible, the staged bytes are kept beside the file, since one of the two writers must not be lost.
func (t *tx) replaceAgain(home string, in *intent, o *op) error {
	staged := o.staged()
	if !exists(staged) {
		return nil
	}
	now, err := safefile.Read(o.Path, maxIndexBytes)
	present := ""
	if err == nil {
		present = digest(now)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if present == o.Before {
		return t.disk.publish("recovery: "+o.Step, staged, o.Path)
	}
	next := now
	for _, r := range o.Redo {
		if len(r.Edits) > 0 {
			next, err = statefile.Apply(next, r.Edits, r.UpdatedAt)
		} else {
			next, err = editRow(next, r.GoalID, r.Set, r.Unset, r.At)
		}
		if err != nil {
			return t.disk.publish("recovery: keep staged bytes of "+o.Step, staged, o.Path+".loopx-conflict")
		}
	}
	// The merged bytes are staged beside the old ones, then the intent names them: so a crash in between never makes an edit
	// twice or not at all.
	mode := newFile
	if info, err := os.Stat(o.Path); err == nil {
		mode = info.Mode().Perm()
	}
	o.Again, o.Before = !o.Again, present
	if err := t.disk.put("recovery: "+o.Step, o.staged(), next, mode, false); err != nil {
		return err
	}
	if err := t.writeIntent("recovery: intent", home, in); err != nil {
		return err
	}
	if err := t.disk.Remove("recovery: remove staged bytes", staged); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return t.disk.publish("recovery: "+o.Step, o.staged(), o.Path)
}

// writeIntent makes an intent durable.
func (t *tx) writeIntent(step, home string, in *intent) error {
	slim := *in
	slim.Before = slices.Clone(in.Before)
	for i, o := range slim.Before {
		if len(o.Data) > maxIntentData {
			large := *o
			large.Data, large.Length = nil, int64(len(o.Data))
			slim.Before[i] = &large
		}
	}
	text, err := json.Marshal(&slim)
	if err != nil {
		return err
	}
	return t.disk.replace(step, filepath.Join(home, intentName), append(text, '\n'), privateFile)
}

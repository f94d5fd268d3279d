package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/loopx-dev/loopx-policy/engine/facts/jsontree"
	"github.com/loopx-dev/loopx-policy/engine/facts/safefile"
	"github.com/loopx-dev/loopx-policy/engine/store/statefile"
)

// Kinds of operations.
const (
	opCreate  = "create"  // a new file under a name of its own
	opReplace = "replace" // the staged bytes take the place of a file
	opAppend  = "append"  // lines at the end of a file
	opSync    = "sync"    // the shared registry follows its source
)

// op is one change of one file. A list of them is what an intent keeps.
type op struct {
	Kind string `json:"kind"`
	Step string `json:"step"`
	Path string `json:"path,omitempty"`
	// Data is what create and append write. A replacement's bytes are staged in a file instead.
	Data []byte `json:"data,omitempty"`
	// Length is that of the data of a create when there is too much of it for the intent.
	Length int64 `json:"length,omitempty"`
	// Size is where an append starts.
	Size int64 `json:"size,omitempty"`
	// Before is the digest of the bytes that a replacement replaces, empty when there is no file yet.
	Before string `json:"before,omitempty"`
	// Again says that recovery staged other bytes, at the other of two places.
	Again bool `json:"again,omitempty"`
	// Redo makes the same change again in a file that somebody changed after the crash.
	Redo []redo `json:"redo,omitempty"`

	mode fs.FileMode
	next []byte // what a replacement stages
}

// staged is where the bytes of a replacement wait.
func (o *op) staged() string {
	if o.Again {
		return temporaryOf(o.Path + ".again")
	}
	return temporaryOf(o.Path)
}

// redo is an edit that can be made again.
type redo struct {
	Edits     []statefile.Edit `json:"edits,omitempty"`
	UpdatedAt string           `json:"updated_at,omitempty"`
	GoalID    string           `json:"goal_id,omitempty"`
	Set       []SetValue       `json:"set,omitempty"`
	Unset     [][]string       `json:"unset,omitempty"`
	At        string           `json:"at,omitempty"`
}

// batch is a commit that is being prepared.
type batch struct {
	tx      *tx
	receipt Receipt
	home    string // where the intent goes

	creates   []*op
	replaces  []*op // in the order of their effects
	index     *op
	events    *op
	sync      bool
	polls     []*PutHostPoll
	scheduler []*PutSchedulerState
}

// load gives the bytes of a file as they will be after the effects so far.
func (b *batch) load(path string, limit int64) (data []byte, o *op, err error) {
	path = resolved(path)
	for _, o := range b.replaces {
		if o.Path == path {
			return o.next, o, nil
		}
	}
	data, err = safefile.Read(path, limit)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	o = &op{Kind: opReplace, Path: path, mode: newFile}
	if err == nil {
		o.Before = digest(data)
		if info, err := os.Stat(path); err == nil {
			o.mode = info.Mode().Perm()
		}
		if err := mayReplace(path, o.mode); err != nil {
			return nil, nil, refusal(err)
		}
	}
	return data, o, nil
}

// mayReplace refuses to replace a file that nobody may write. A rename would not ask; who took the right away meant it.
func mayReplace(path string, mode fs.FileMode) error {
	if mode&0o222 == 0 {
		return &fs.PathError{Op: "write", Path: path, Err: syscall.EACCES}
	}
	return nil
}

// keep stages the new bytes of a file that load gave.
func (b *batch) keep(step string, o *op, next []byte, again redo) {
	o.Step, o.next = step, next
	o.Redo = append(o.Redo, again)
	if !slices.Contains(b.replaces, o) {
		b.replaces = append(b.replaces, o)
	}
}

// resolved follows a symbolic link, so that it stays a link when its file is replaced.
func resolved(path string) string {
	if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return path
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// plan puts the operations in order: what comes before the commit point, the commit point, what follows.
func (b *batch) plan() (before []*op, point *op, after []*op) {
	replaces := b.replaces
	switch {
	case b.index != nil:
		point = b.index
	case len(replaces) > 0:
		point, replaces = replaces[0], replaces[1:]
	case b.events != nil:
		return b.creates, b.events, b.follow(nil, false)
	}
	return b.creates, point, b.follow(replaces, b.events != nil)
}

func (b *batch) follow(replaces []*op, events bool) []*op {
	after := slices.Clone(replaces)
	if events {
		after = append(after, b.events)
	}
	if b.sync {
		after = append(after, &op{Kind: opSync, Step: "global registry"})
	}
	return after
}

// commit writes everything. Up to the commit point an error leaves nothing behind; from there on the effects are kept, and
// what could not be finished is finished by the next writer.
func (b *batch) commit(ctx context.Context) error {
	before, point, after := b.plan()
	t := b.tx
	if point != nil {
		if err := b.write(ctx, before, point, after); err != nil {
			return err
		}
	} else if b.sync {
		t.syncGlobal(ctx, b.receipt)
	}
	for _, poll := range b.polls {
		t.putHostPoll(poll, b.receipt)
	}
	return nil
}

func (b *batch) write(ctx context.Context, before []*op, point *op, after []*op) error {
	t := b.tx
	home := b.home
	if home == "" {
		home = t.goalDir()
	}
	intent := &intent{
		SchemaVersion: intentSchema, GoalID: t.targets.GoalID, Operation: t.options.Operation, RecordedAt: utc(t.options.Now),
		Locks: t.options.Locks, Before: before, Point: point, After: after,
	}
	undo := func(err error) error {
		intent.written = exists(filepath.Join(home, intentName)) // also when it only failed to become durable
		_ = t.drop(home, intent)                                 // what stays is dropped by the next writer
		return refusal(err)
	}
	for _, o := range slices.Concat([]*op{point}, after) {
		if o.Kind == opReplace {
			if err := t.disk.mkdirs(o.Step, filepath.Dir(o.Path), newDir); err != nil {
				return undo(err)
			}
			if err := t.disk.put(o.Step, o.staged(), o.next, o.mode, false); err != nil {
				return undo(err)
			}
		}
	}
	if len(before)+len(after) > 0 {
		if err := t.writeIntent("intent", home, intent); err != nil {
			return undo(err)
		}
		intent.written = true
	}
	for i, o := range before {
		dir := filepath.Dir(o.Path)
		if err := t.disk.mkdirs(o.Step, dir, newDir); err != nil {
			return undo(err)
		}
		if err := t.disk.put(o.Step, o.Path, o.Data, o.mode, true); err != nil {
			return undo(err)
		}
		if i+1 < len(before) && filepath.Dir(before[i+1].Path) == dir {
			continue // one for all new files of a directory
		}
		if err := t.disk.syncDir(o.Step+": sync directory", dir); err != nil {
			return undo(err)
		}
	}
	for _, o := range slices.Concat([]*op{point}, after) {
		if changed, err := o.changed(); changed || err != nil {
			if err == nil {
				err = ErrChanged
			}
			return undo(err)
		}
	}
	if err := t.do(ctx, point, nil); err != nil {
		var unknown *unknownError
		if errors.As(err, &unknown) {
			return refusal(err) // the intent stays: the next writer sees whether it happened
		}
		return undo(err)
	}
	var failed error
	for _, o := range after {
		err := t.follow(ctx, home, intent, o, b.receipt)
		if err != nil && o == b.events {
			b.receipt.add("rollout_event_log_error", bare(err))
		}
		failed = errors.Join(failed, err)
	}
	if failed != nil {
		b.receipt["recovery_pending"] = true
		return nil
	}
	if intent.written {
		t.finish(home)
	}
	return nil
}

// follow carries out an operation after the commit point. When somebody changed its file since the commit began, it is made
// again in the changed file, as after a crash.
func (t *tx) follow(ctx context.Context, home string, in *intent, o *op, receipt Receipt) error {
	changed, err := o.changed()
	if err != nil {
		return err
	}
	if changed {
		return t.replaceAgain(home, in, o)
	}
	return t.do(ctx, o, receipt)
}

// changed tells whether the file of a replacement is no longer the one that was read. A person's editor takes no lock, so
// this is asked as late as possible.
func (o *op) changed() (bool, error) {
	if o.Kind != opReplace {
		return false, nil
	}
	now, err := safefile.Read(o.Path, maxIndexBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return o.Before != "", nil
	}
	return err == nil && digest(now) != o.Before, err
}

// do carries out one operation of a commit.
func (t *tx) do(ctx context.Context, o *op, receipt Receipt) error {
	switch o.Kind {
	case opReplace:
		return t.disk.publish(o.Step, o.staged(), o.Path)
	case opAppend:
		return t.disk.appendTo(o.Step, o.Path, o.Data, o.Size)
	case opSync:
		t.syncGlobal(ctx, receipt)
		return nil
	default:
		return fmt.Errorf("unknown operation %q", o.Kind)
	}
}

// A line without its end is torn when its file has not grown for a while.
const (
	tornLooks = 4
	tornPause = 5 * time.Millisecond
)

// mend sees to it that the next line does not continue one that has no end. A whole object gets its end: readers count it. The
// beginning of one, whose writer did not come back, is taken off; readers never counted it. Its bytes are kept beside the file.
func (d disk) mend(step, path string) error {
	tail, size, err := tornTail(path)
	for still := 0; ; {
		if err != nil || len(tail) == 0 {
			return err
		}
		if still++; still > tornLooks {
			break
		}
		before := size
		time.Sleep(tornPause) // a writer without a lock may be in the middle of it
		if tail, size, err = tornTail(path); size != before {
			still = 0
		}
	}
	if n, err := jsontree.Parse(tail); err == nil && n.Kind == jsontree.Object {
		return d.appendTo(step+" line end", path, []byte{'\n'}, size)
	}
	torn := path + ".torn"
	info, err := os.Stat(torn)
	var at int64
	if err == nil {
		at = info.Size()
	}
	if err := d.appendTo(step+" torn line", torn, append(tail, '\n'), at); err != nil {
		return fmt.Errorf("keep a torn line: %w", err)
	}
	if err := d.Truncate(step+": take off torn line", path, size-int64(len(tail))); err != nil {
		return fmt.Errorf("take off a torn line: %w", err)
	}
	return nil
}

// tornTail gives the bytes after the last line end of a file, and its size.
func tornTail(path string) ([]byte, int64, error) {
	tail, size, err := lines(path, 0)
	return tail, size, err
}

// lastLine gives the last complete line of a file.
func lastLine(path string) ([]byte, error) {
	tail, _, err := lines(path, 1)
	if err != nil {
		return nil, err
	}
	line, _, _ := bytes.Cut(tail, []byte{'\n'})
	return line, nil
}

// lines gives the last complete lines of a file, with what follows them, and the size of the file.
func lines(path string, count int) ([]byte, int64, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, 0, err
	}
	size := info.Size()
	var tail []byte
	for at := size; at > 0; {
		block := make([]byte, min(at, 64<<10))
		at -= int64(len(block))
		if _, err := file.ReadAt(block, at); err != nil {
			return nil, 0, err
		}
		for end := len(block); ; count-- {
			if end = bytes.LastIndexByte(block[:end], '\n'); end < 0 {
				break
			}
			if count == 0 {
				return append(block[end+1:], tail...), size, nil
			}
		}
		tail = append(block, tail...)
	}
	return tail, size, nil
}

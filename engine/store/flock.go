package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/safefile"
)

// The locks that other LoopX tools take too (state-files.md 6): flock on a file beside the locked one, which says who holds
// it and is never deleted. They wait five seconds, and so does this program. They ask every 50 milliseconds; this program
// asks more often, since one that asks rarely loses against those that ask often, and ever more often the longer it waits,
// so that who came first is likely to be served first.
const (
	flockSuffix     = ".lock"
	incidentsSuffix = ".lock.incidents.jsonl"
	sidePatience    = 2 * time.Second // for what a command can do without, while the locks of the goal are held
	holderSchema    = "file_lock_holder_v0"
	incidentSchema  = "file_lock_incident_v0"
	lockPolicy      = "mutation"
	maxPause        = 6 * time.Millisecond
	minPause        = 1 * time.Millisecond
)

// holder says who holds a lock. Its keys are written in this order, which is that of the alphabet.
type holder struct {
	AcquiredAt    string  `json:"acquired_at"`
	AgentID       *string `json:"agent_id"`
	LockID        string  `json:"lock_id"`
	Operation     string  `json:"operation"`
	PID           int     `json:"pid"`
	Policy        string  `json:"policy"`
	ReleasedAt    string  `json:"released_at,omitempty"`
	SchemaVersion string  `json:"schema_version"`
}

// incident is the record of a lock that could not be taken in time.
type incident struct {
	AgentID       *string         `json:"agent_id"`
	Holder        json.RawMessage `json:"holder"`
	LockID        string          `json:"lock_id"`
	Operation     string          `json:"operation"`
	PID           int             `json:"pid"`
	Policy        string          `json:"policy"`
	RecordedAt    string          `json:"recorded_at"`
	SchemaVersion string          `json:"schema_version"`
	WaitedSeconds float64         `json:"waited_seconds"`
}

// locker takes locks for one operation.
type locker struct {
	disk      disk
	operation string
	agent     string
	patience  time.Duration
	released  *releases
}

// releases remembers when a store gave locks back. A store that takes the same lock again at once would always be faster than
// those that wait for it, so it lets one of them go first.
type releases struct{ last sync.Map } // path to time.Time

func (r *releases) note(path string) { r.last.Store(path, time.Now()) }

func (r *releases) yield(path string) {
	if at, ok := r.last.Load(path); ok && time.Since(at.(time.Time)) < maxPause {
		time.Sleep(pause(0))
	}
}

// held is a lock that is taken.
type held struct {
	disk   disk
	step   string
	file   *os.File
	record holder
	note   func()
}

// take locks the file at path, waiting for another holder as long as patience. It says whether it had to wait.
func (l locker) take(ctx context.Context, step, path string) (_ *held, waited bool, err error) {
	name := path + flockSuffix
	file, err := l.disk.Open(step+": open", name, os.O_CREATE|os.O_RDWR|syscall.O_NONBLOCK, privateFile)
	if err != nil {
		return nil, false, refusal(err)
	}
	l.released.yield(path)
	start := time.Now()
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			h := &held{disk: l.disk, step: step, file: file, note: func() { l.released.note(path) }, record: holder{
				AcquiredAt: utc(time.Now()), AgentID: l.label(), LockID: lockID(path), Operation: l.operation, PID: os.Getpid(),
				Policy: lockPolicy, SchemaVersion: holderSchema,
			}}
			h.write(": record holder")
			return h, waited, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			file.Close()
			return nil, waited, refusal(&fs.PathError{Op: "flock", Path: name, Err: err})
		}
		waited = true
		if time.Since(start) > l.patience {
			l.report(step, path, time.Since(start))
			file.Close()
			return nil, waited, &facts.Error{
				Code: codeLockTimed, File: filepath.Base(path),
				Message: "another process holds the lock of this record; nothing was written",
				Hint:    "the lock file says who took it last; try again when that process is done",
			}
		}
		select {
		case <-ctx.Done():
			file.Close()
			return nil, waited, ctx.Err()
		case <-time.After(pause(time.Since(start))):
		}
	}
}

// pause is how long to wait before asking again: less the longer the wait already is, and never the same for two.
func pause(waited time.Duration) time.Duration {
	limit := max(minPause, maxPause-waited/200)
	return limit/2 + rand.N(limit)
}

func (l locker) label() *string {
	if l.agent == "" {
		return nil
	}
	return &l.agent
}

// report leaves a record of a lock that was not taken. It is for people, so a failure to write it changes nothing.
func (l locker) report(step, path string, waited time.Duration) {
	holder := json.RawMessage("null")
	if text, err := safefile.Read(path+flockSuffix, maxLockBytes); err == nil && json.Valid(text) {
		holder = text
	}
	line, err := json.Marshal(incident{
		AgentID: l.label(), Holder: holder, LockID: lockID(path), Operation: l.operation, PID: os.Getpid(), Policy: lockPolicy,
		RecordedAt: utc(time.Now()), SchemaVersion: incidentSchema, WaitedSeconds: waited.Round(time.Millisecond).Seconds(),
	})
	if err != nil {
		return
	}
	file, err := l.disk.Open(step+": open incidents", path+incidentsSuffix, os.O_CREATE|os.O_APPEND|os.O_WRONLY|syscall.O_NONBLOCK, privateFile)
	if err != nil {
		return
	}
	defer file.Close()
	_ = l.disk.Write(step+": record incident", file, append(line, '\n')) // see above
}

// release gives the lock back. The system does that too when the process ends.
func (h *held) release() {
	h.record.ReleasedAt = utc(time.Now())
	h.write(": record release")
	h.file.Close()
	h.note()
}

// write puts the holder into the lock file. The lock is the flock, so a record that cannot be written changes nothing.
func (h *held) write(step string) {
	text, err := json.Marshal(h.record)
	if err != nil {
		return
	}
	if h.file.Truncate(0) == nil {
		if _, err := h.file.Seek(0, 0); err == nil {
			_ = h.disk.Write(h.step+step, h.file, append(text, '\n')) // see above
		}
	}
}

// lockID names a lock without its path.
func lockID(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	} else if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(dir, filepath.Base(path))
	}
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:8])
}

// utc is how the event log and the locks write a time.
func utc(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }

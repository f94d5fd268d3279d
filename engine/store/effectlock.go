package store

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/safefile"
)

// The lock of scheduler state (state-files.md 6): a file that only one process can create.
const (
	lockSuffix    = ".ts-effect.lock"
	lockPatience  = 5 * time.Second
	lockPause     = 25 * time.Millisecond
	lockUnread    = 10 * time.Second // an unreadable lock older than this has no owner
	maxLockBytes  = 1 << 12
	codeLockTimed = "lock_acquire_timeout"
)

type lockHolder struct {
	PID   int    `json:"pid"`
	Token string `json:"token"`
}

// effectLock takes the lock and gives the function that releases it. It waits for another holder as long as patience.
func (d disk) effectLock(ctx context.Context, path string, patience time.Duration) (func(), error) {
	own := lockHolder{PID: os.Getpid(), Token: rand.Text()}
	text, err := json.Marshal(own)
	if err != nil {
		return nil, err
	}
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for {
		created, err := d.createLock(path, text)
		if err != nil {
			return nil, refusal(err)
		}
		if created {
			return func() { d.releaseLock(path, own) }, nil
		}
		if holder, gone := stale(path); gone {
			if err := d.removeStale(path, holder); err != nil {
				return nil, refusal(err)
			}
			continue
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-deadline.C:
			return nil, &facts.Error{Code: codeLockTimed, Message: "another process holds the lock of this record; nothing was written"}
		case <-time.After(lockPause):
		}
	}
}

// createLock tells whether the lock is now ours. Who reads it half written finds it unreadable and waits.
func (d disk) createLock(path string, text []byte) (bool, error) {
	file, err := d.Open("scheduler lock: create", path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, privateFile)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	err = d.Write("scheduler lock: write", file, text)
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		_ = d.Remove("scheduler lock: remove", path) // the first error is the one to report
	}
	return err == nil, err
}

// stale tells whether the lock's owner is gone: its process is dead, or nobody can tell who it is for a while.
func stale(path string) (lockHolder, bool) {
	holder, ok := readLock(path)
	if ok {
		return holder, errors.Is(syscall.Kill(holder.PID, 0), syscall.ESRCH)
	}
	info, err := os.Stat(path)
	return lockHolder{}, err == nil && time.Since(info.ModTime()) > lockUnread
}

// removeStale removes the lock of a holder that is gone. It moves the lock aside first: when it then turns out to be the
// fresh lock of a process that was faster, it goes back.
func (d disk) removeStale(path string, seen lockHolder) error {
	aside := path + "." + rand.Text()
	if err := d.Rename("scheduler lock: move stale lock aside", path, aside); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	if holder, _ := readLock(aside); holder != seen {
		if err := os.Link(aside, path); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return d.Remove("scheduler lock: remove stale lock", aside)
}

func readLock(path string) (holder lockHolder, ok bool) {
	data, err := safefile.Read(path, maxLockBytes)
	if err != nil || json.Unmarshal(data, &holder) != nil || holder.PID <= 0 {
		return lockHolder{}, false
	}
	return holder, true
}

// releaseLock removes the lock when it is still ours.
func (d disk) releaseLock(path string, own lockHolder) {
	if holder, ok := readLock(path); ok && holder == own {
		d.Remove("scheduler lock: remove", path) //nolint:errcheck // a lock that stays is stale once this process ends
	}
}

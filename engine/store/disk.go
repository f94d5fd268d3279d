package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/loopx-dev/loopx-policy/engine/facts"
)

// calls are the changes that the store makes to the file system. Every one of them goes through here, each with the name of
// its step, so that a test can let any of them fail or end the process there.
type calls interface {
	Mkdir(step, path string, mode fs.FileMode) error
	Open(step, path string, flag int, mode fs.FileMode) (*os.File, error)
	Write(step string, file *os.File, data []byte) error
	Sync(step string, file *os.File) error
	Rename(step, from, to string) error
	Remove(step, path string) error
	Truncate(step, path string, size int64) error
}

// system are the calls themselves.
type system struct{}

func (system) Mkdir(_, path string, mode fs.FileMode) error { return os.Mkdir(path, mode) }

func (system) Open(_, path string, flag int, mode fs.FileMode) (*os.File, error) {
	return os.OpenFile(path, flag, mode)
}

func (system) Write(_ string, file *os.File, data []byte) error {
	_, err := file.Write(data)
	return err
}

func (system) Sync(_ string, file *os.File) error { return file.Sync() }

func (system) Rename(_, from, to string) error { return os.Rename(from, to) }

func (system) Remove(_, path string) error { return os.Remove(path) }

func (system) Truncate(_, path string, size int64) error { return os.Truncate(path, size) }

// disk is what the store builds from calls.
type disk struct{ calls }

const (
	newFile     = fs.FileMode(0o644)
	privateFile = fs.FileMode(0o600)
	newDir      = fs.FileMode(0o755)
	privateDir  = fs.FileMode(0o700)
)

// mkdirs makes the directories that are missing and makes them durable.
func (d disk) mkdirs(step, dir string, mode fs.FileMode) error {
	info, err := os.Stat(dir)
	if err == nil {
		if !info.IsDir() {
			return &fs.PathError{Op: "mkdir", Path: dir, Err: syscall.ENOTDIR}
		}
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	parent := filepath.Dir(dir)
	if err := d.mkdirs(step, parent, mode); err != nil {
		return err
	}
	if err := d.Mkdir(step+": make directory", dir, mode); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return d.syncDir(step+": sync parent directory", parent)
}

// syncDir makes names in a directory durable. File systems that cannot do that are left alone: there a rename may be lost
// with the power, but never half done.
func (d disk) syncDir(step, dir string) error {
	file, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync(step, file)
	if closed := file.Close(); err == nil {
		err = closed
	}
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	return err
}

// put writes a file that nobody reads yet and makes its bytes durable. What stands at its place goes, unless exclusive.
func (d disk) put(step, path string, data []byte, mode fs.FileMode, exclusive bool) (err error) {
	if !exclusive {
		if _, err := os.Lstat(path); err == nil {
			if err := d.Remove(step+": remove leftover", path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	file, err := d.Open(step+": create", path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	defer func() {
		if closed := file.Close(); err == nil {
			err = closed
		}
	}()
	if err := d.Write(step+": write", file, data); err != nil {
		return err
	}
	if info, err := file.Stat(); err == nil && info.Mode().Perm() != mode && !exclusive { // the umask took what the old file had
		if err := file.Chmod(mode); err != nil {
			return err
		}
	}
	return d.Sync(step+": sync", file)
}

// publish gives a finished file its name: a reader sees the old bytes or the new ones, also after a crash.
func (d disk) publish(step, temporary, path string) error {
	if err := d.Rename(step+": rename", temporary, path); err != nil {
		return err
	}
	if err := d.syncDir(step+": sync directory", filepath.Dir(path)); err != nil {
		return &unknownError{err}
	}
	return nil
}

// replace puts a file in place at once. Its temporary file goes when that fails.
func (d disk) replace(step, path string, data []byte, mode fs.FileMode) error {
	temporary := temporaryOf(path)
	err := d.put(step, temporary, data, mode, false)
	if err == nil {
		err = d.publish(step, temporary, path)
	}
	if err != nil {
		_ = d.Remove(step+": remove staged bytes", temporary) // the first error is the one to report
	}
	return err
}

// temporaryOf is where the next bytes of a file are prepared. There is one place per file, since its lock allows one writer,
// so what a crash leaves is found again.
func temporaryOf(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".loopx.tmp")
}

// appendTo adds lines to a file at its end, in one write. When not all of them fit, none stay.
func (d disk) appendTo(step, path string, data []byte, size int64) (err error) {
	file, err := d.Open(step+": open", path, os.O_CREATE|os.O_APPEND|os.O_WRONLY|syscall.O_NONBLOCK, newFile)
	if err != nil {
		return err
	}
	defer func() {
		if closed := file.Close(); err == nil {
			err = closed
		}
	}()
	if err = d.Write(step+": append", file, data); err == nil {
		err = d.Sync(step+": sync", file)
	}
	if err == nil && size == 0 {
		err = d.syncDir(step+": sync directory", filepath.Dir(path))
	}
	if err == nil {
		return nil
	}
	if undo := d.takeBack(step, path, data, size); undo != nil {
		return &unknownError{errors.Join(err, undo)}
	}
	return err
}

// takeBack removes what an append left when that is a beginning of its own data and the last of the file.
func (d disk) takeBack(step, path string, data []byte, size int64) error {
	tail, err := readFrom(path, size)
	if err != nil {
		return err
	}
	if len(tail) == 0 {
		return nil
	}
	if !bytes.HasPrefix(data, tail) {
		return fmt.Errorf("%s: another writer appended meanwhile", filepath.Base(path))
	}
	return d.Truncate(step+": take back", path, size)
}

// unknownError is a write of which nobody can say whether it is done.
type unknownError struct{ err error }

func (e *unknownError) Error() string { return "not known whether this was written: " + e.err.Error() }

func (e *unknownError) Unwrap() error { return e.err }

// refusal is the error of a write that the system did not carry out. It names the file, not its place. Errors that are
// refusals already, or no failures of the system, stay as they are.
func refusal(err error) error {
	var errno syscall.Errno
	var refused *facts.Error
	if errors.Is(err, ErrChanged) || errors.As(err, &refused) || !errors.As(err, &errno) {
		return err
	}
	out := &facts.Error{Code: facts.CodeIO, Err: err, Message: "cannot be written, so nothing was: " + errno.Error()}
	if errors.Is(err, fs.ErrPermission) {
		out.Code = facts.CodePermission
	}
	var path *fs.PathError
	var link *os.LinkError
	var unknown *unknownError
	switch {
	case errors.As(err, &path):
		out.File = filepath.Base(path.Path)
	case errors.As(err, &link):
		out.File = filepath.Base(link.New)
	}
	if errors.As(err, &unknown) {
		out.Code, out.Message = codeUnknown, "may be written or not: "+errno.Error()
		out.Hint = "the next writer finds out; repeat the command, what has an id is not done twice"
	}
	return out
}

// readFrom gives the bytes of a file from an offset on, none when it is missing.
func readFrom(path string, offset int64) ([]byte, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if _, err := file.Seek(offset, io.SeekStart); err != nil {
		return nil, err
	}
	return io.ReadAll(file)
}

// exists takes what cannot be looked at as present.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// digest names bytes as the readers of this program do: the first 16 hexadecimal digits of their SHA-256.
func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

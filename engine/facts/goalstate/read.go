package goalstate

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"unicode/utf8"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/safefile"
)

// MaxBytes is the largest state file that is read. Real ones are a few hundred kilobytes at most; a larger file is
// refused whole, because the part that is cut off could hold the gate that stops a goal.
const MaxBytes = 5 << 20

// Code says why a state file cannot be read.
type Code string

// The reasons why a state file cannot be read.
const (
	CodeUndeclared  Code = "state_file_undeclared"
	CodeMissing     Code = "state_file_missing"
	CodeDirectory   Code = "state_file_is_directory"
	CodeNotRegular  Code = "state_file_not_regular"
	CodeNotUTF8     Code = "state_file_not_utf8"
	CodeTooLarge    Code = "state_file_too_large"
	CodeSymlinkLoop Code = "state_file_symlink_loop"
	CodeEscapesRoot Code = "state_file_escapes_root"
	CodeUnreadable  Code = "state_file_unreadable"
)

// Error is a state file that cannot be read.
type Error struct {
	Code Code
	File string // as registered
	Line int    // first line that is not UTF-8, else 0
	Err  error
}

func (e *Error) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("state file %s:%d: %v", e.File, e.Line, e.Err)
	}
	return fmt.Sprintf("state file %q: %v", e.File, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// Finding is the diagnostic for this error, without an owner.
func (e *Error) Finding() facts.Finding {
	return facts.Finding{
		Code: string(e.Code), Scope: "goal", File: e.File, Line: e.Line, Rule: "state.file", Message: e.Error(),
	}
}

// Read parses the state file at path, which is absolute or relative to the project root. A failure is an *Error.
func Read(root, path string) (*Document, error) {
	spare, _ := buffers.Get().(*[]byte)
	if spare == nil {
		spare = new([]byte)
	}
	data, err := loadInto(*spare, root, path)
	if err != nil {
		return nil, err
	}
	doc := Parse(path, data)
	if *spare = data; cap(data) <= spareBytes { // a document keeps nothing of the bytes
		buffers.Put(spare)
	}
	return doc, nil
}

// buffers are for the next files, since a plan reads many. Large ones are not kept.
var buffers sync.Pool

const spareBytes = 1 << 20

func load(root, path string) ([]byte, *Error) { return loadInto(nil, root, path) }

// loadInto reads into a spare buffer, or one that has the room.
func loadInto(spare []byte, root, path string) ([]byte, *Error) {
	full, failure := resolve(root, path)
	if failure != nil {
		return nil, failure
	}
	file, err := safefile.Open(full) // which reports a named pipe instead of waiting for it
	if err != nil {
		return nil, classify(path, err)
	}
	defer file.Close()
	switch {
	case file.Dir:
		return nil, &Error{Code: CodeDirectory, File: path, Err: errors.New("is a directory")}
	case !file.Regular:
		return nil, &Error{Code: CodeNotRegular, File: path, Err: errors.New("is not a regular file")}
	case file.Size > MaxBytes:
		return nil, tooLarge(path)
	}
	data, err := file.Append(slices.Grow(spare[:0], int(file.Size)+512), MaxBytes)
	switch {
	case err != nil:
		return nil, classify(path, err)
	case len(data) > MaxBytes: // it grew after it was opened
		return nil, tooLarge(path)
	}
	if line := firstInvalidLine(data); line > 0 {
		return nil, &Error{Code: CodeNotUTF8, File: path, Line: line, Err: errors.New("is not UTF-8 text")}
	}
	return data, nil
}

func resolve(root, path string) (string, *Error) {
	switch {
	case strings.TrimSpace(path) == "":
		return "", &Error{Code: CodeUndeclared, File: path, Err: errors.New("no state file is declared")}
	case strings.ContainsRune(path, 0):
		return "", &Error{Code: CodeUnreadable, File: path, Err: errors.New("path holds a NUL byte")}
	case filepath.IsAbs(path):
		return path, nil
	}
	if clean := filepath.Clean(path); clean == ".." || strings.HasPrefix(clean, ".."+string(filepath.Separator)) {
		return "", &Error{Code: CodeEscapesRoot, File: path, Err: errors.New("escapes the project root")}
	}
	return filepath.Join(root, path), nil
}

func classify(path string, err error) *Error {
	code := CodeUnreadable
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		code = CodeMissing
	case errors.Is(err, syscall.ELOOP):
		code = CodeSymlinkLoop
	case errors.Is(err, syscall.ENXIO): // a socket
		code = CodeNotRegular
	}
	var inner *fs.PathError
	if errors.As(err, &inner) {
		err = inner.Err // the registered path names the file already
	}
	return &Error{Code: code, File: path, Err: err}
}

func tooLarge(path string) *Error {
	return &Error{Code: CodeTooLarge, File: path, Err: fmt.Errorf("is larger than %d bytes", MaxBytes)}
}

func firstInvalidLine(data []byte) int {
	if isText(data) {
		return 0
	}
	for line := 1; ; line++ {
		end := bytes.IndexByte(data, '\n')
		if end < 0 || !isText(data[:end]) {
			return line
		}
		data = data[end+1:]
	}
}

// isText is false for a file that lost its bytes: after a power failure some file systems give back zeros.
func isText(data []byte) bool { return utf8.Valid(data) && bytes.IndexByte(data, 0) < 0 }

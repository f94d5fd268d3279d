package facts

import (
	"errors"
	"fmt"
	"io/fs"
)

// Error is a refusal to collect: nothing can be decided from what was read. Code is one of the error codes of
// decision.md 0.6. Errors of one goal are findings instead, so that a neighbour's goal is still decided.
type Error struct {
	Code    string
	Message string
	File    string // as given, never made absolute
	Line    int    // 0 when the fault has no line
	Hint    string
	Err     error
}

// Error codes of a refused collection.
const (
	CodeRouteConflict = "registry_route_conflict"
	CodeInvalidJSON   = "quota_state_invalid_json"
	CodeShape         = "quota_state_shape_error"
	CodePermission    = "quota_state_permission_denied"
	CodeIO            = "quota_state_io_failed"
	CodeArguments     = "quota_invalid_arguments"
)

// Error gives the place first, as compilers do.
func (e *Error) Error() string {
	text := e.Message
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	switch {
	case e.File == "":
		return text
	case e.Line > 0:
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, text)
	default:
		return fmt.Sprintf("%s: %s", e.File, text)
	}
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// ReadError turns a failed read of file into an Error with the code that fits. The cause is kept without its path,
// which may be absolute.
func ReadError(file string, err error) *Error {
	code := CodeIO
	if errors.Is(err, fs.ErrPermission) {
		code = CodePermission
	}
	return &Error{Code: code, File: file, Message: "cannot be read", Err: BareCause(err)}
}

// BareCause strips the operation and the path from a file error.
func BareCause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

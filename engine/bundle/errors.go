package bundle

import (
	"errors"
	"fmt"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Codes of an *Error.
const (
	CodeSource     = "policy_source"     // the bundle cannot be read, or is larger than the limits
	CodeInvalid    = "policy_invalid"    // a file does not parse or compile
	CodeOverlay    = "policy_overlay"    // the project's overlay goes beyond what an overlay may do
	CodeEntrypoint = "policy_entrypoint" // the bundle does not define the entrypoint
	CodeUndefined  = "policy_undefined"  // the entrypoint gave no answer, or more than one
	CodeEvaluation = "policy_evaluation" // a rule conflict or a failed builtin during evaluation
)

// Error says why a bundle does not decide.
type Error struct {
	Code    string
	File    string
	Line    int
	Message string
	// Others counts further errors of the same kind that were found.
	Others int
	err    error
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("policy: ")
	if e.File != "" {
		b.WriteString(e.File)
		if e.Line > 0 {
			fmt.Fprintf(&b, ":%d", e.Line)
		}
		b.WriteString(": ")
	}
	b.WriteString(e.Message)
	if e.Others > 0 {
		fmt.Fprintf(&b, " (and %d more)", e.Others)
	}
	return b.String()
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.err }

func sourceError(file string, err error, format string, args ...any) *Error {
	message := fmt.Sprintf(format, args...)
	if err != nil {
		message += ": " + err.Error()
	}
	return &Error{Code: CodeSource, File: file, Message: message, err: err}
}

// fromAST turns a parse or compile error of OPA into an *Error that names the first place.
func fromAST(code string, err error) *Error {
	var list ast.Errors
	var one *ast.Error
	switch {
	case errors.As(err, &list) && len(list) > 0:
		one = list[0]
	case errors.As(err, &one):
		list = ast.Errors{one}
	default:
		return &Error{Code: code, Message: err.Error(), err: err}
	}
	out := &Error{Code: code, Message: one.Code + ": " + one.Message, Others: len(list) - 1, err: err}
	if one.Location != nil {
		out.File, out.Line = one.Location.File, one.Location.Row
	}
	return out
}

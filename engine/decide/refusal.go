package decide

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"github.com/loopx-dev/loopx-policy/engine/bundle"
	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/vm"
	"github.com/loopx-dev/loopx-policy/policy"
)

// Codes of refusals that this package gives itself. What they look like is in settings/refusal.
const (
	codeInternal  = "quota_unexpected_collection_error"
	codeUsage     = "usage"
	codeSchema    = "decision_schema_violation"
	codeInvariant = "decision_invariant_violation"
)

// refusalFile is always read from the binary's own copy, so that a bundle from outside cannot break a refusal.
const refusalFile = "loopx/settings/refusal/data.json"

type refusals struct {
	// Documents holds the fields of a refusal by document kind; Default serves every other kind.
	Documents map[string]map[string]any `json:"documents"`
	Default   map[string]any            `json:"default"`
	// Codes holds the reason, a hint and further fields by error code.
	Codes map[string]struct {
		Reason string         `json:"reason"` // for an error whose own text may not be shown
		Hint   string         `json:"hint"`
		Fields map[string]any `json:"fields"`
	} `json:"codes"`
}

var templates = sync.OnceValues(func() (*refusals, error) {
	text, err := policy.FS.ReadFile(refusalFile)
	if err != nil {
		return nil, err
	}
	out := &refusals{}
	return out, json.Unmarshal(text, out)
})

// InvariantError says that an answer broke an invariant.
type InvariantError struct {
	Rule    string
	Message string
}

func (e *InvariantError) Error() string {
	return fmt.Sprintf("the decision breaks invariant %s: %s", e.Rule, e.Message)
}

// UsageError is a command line that cannot be understood.
func UsageError(err error) error {
	return &facts.Error{Code: codeUsage, Message: err.Error()}
}

// PolicyReport describes a bundle that passed every check.
func PolicyReport(b *bundle.Bundle) (*Document, error) {
	value, err := vm.FromGo(map[string]any{
		"ok": true, "mode": KindPolicyCheck, "revision": b.Revision(), "digest": b.Digest(),
		"packages": b.Packages(), "rules": b.Rules(),
	})
	if err != nil {
		return nil, fmt.Errorf("report on policy: %w", err)
	}
	return newDocument(KindPolicyCheck, value.(*vm.Object), defaultOrder()), nil
}

type problem struct {
	code, file, rule, hint string
	public                 string // may always be shown
	raw                    string // only when verbose
	line                   int
}

func describe(err error) problem {
	p := problem{code: codeInternal, raw: err.Error()}
	var (
		collected *facts.Error
		broken    *bundle.Error
		schema    *SchemaError
		invariant *InvariantError
	)
	switch {
	case errors.As(err, &collected):
		p.code, p.file, p.line, p.hint = collected.Code, collected.File, collected.Line, collected.Hint
		bare := *collected
		bare.Err = nil
		p.public = bare.Error()
	case errors.As(err, &broken):
		p.code, p.file, p.line, p.public = broken.Code, broken.File, broken.Line, broken.Error()
	case errors.As(err, &schema):
		p.code, p.public = codeSchema, schema.Error()
	case errors.As(err, &invariant):
		p.code, p.rule, p.public = codeInvariant, invariant.Rule, invariant.Error()
	case errors.Is(err, os.ErrPermission):
		p.code = facts.CodePermission
	default:
		var path *fs.PathError
		if errors.As(err, &path) {
			p.code = facts.CodeIO
		}
	}
	return p
}

// Refuse gives the document that stands in for an answer: it permits nothing and names the error. The raw text of an
// unexpected error is only shown when verbose.
func Refuse(kind string, request facts.Request, err error, verbose bool) *Document {
	p := describe(err)
	t, broken := templates()
	if broken != nil { // only in a damaged build
		t = &refusals{}
	}
	fields := map[string]any{"ok": false}
	template, known := t.Documents[kind]
	if !known {
		template = t.Default
	}
	for k, v := range template {
		fields[k] = v
	}
	code := t.Codes[p.code]
	for k, v := range code.Fields {
		if _, has := fields[k]; has {
			fields[k] = v
		}
	}
	reason := p.public
	if reason == "" {
		reason = code.Reason
	}
	detail := map[string]any{"code": p.code, "message": reason}
	optional := func(to map[string]any, key, value string) {
		if value != "" {
			to[key] = value
		}
	}
	optional(detail, "rule_id", p.rule)
	optional(detail, "file", p.file)
	if p.line > 0 {
		detail["line"] = p.line
	}
	if p.hint == "" {
		p.hint = code.Hint
	}
	optional(detail, "hint", p.hint)
	if verbose {
		detail["detail"] = p.raw
	}
	fields["error"] = detail
	fields["error_code"] = p.code
	fields["reason"] = reason
	optional(fields, "goal_id", request.GoalID)
	value, err := vm.FromGo(fields)
	object, ok := value.(*vm.Object)
	if err != nil || !ok { // the fields are plain texts, numbers and lists
		object = vm.NewObject(0)
	}
	return newDocument(kind, object, defaultOrder())
}

// defaultOrder is the reading order of the embedded settings.
var defaultOrder = sync.OnceValue(func() map[string]int {
	return ranks([]string{"ok", "mode", "goal_id", "decision", "should_run", "state", "effective_action", "reason", "error_code", "error"})
})

func ranks(keys []string) map[string]int {
	out := make(map[string]int, len(keys))
	for i, k := range keys {
		if _, twice := out[k]; !twice {
			out[k] = i
		}
	}
	return out
}

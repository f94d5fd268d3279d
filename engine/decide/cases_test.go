package decide

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/bundle"
	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/collect"
	"github.com/loopx-dev/loopx-policy/engine/facts/registry"
	"github.com/loopx-dev/loopx-policy/internal/casetest"
)

const casesGlob = moduleRoot + "/fixtures/cases/*/*.json"

// caseDocument is the answer to one question of a case.
type caseDocument struct {
	name     string
	document *Document
	err      error
}

var loadCaseDocuments = sync.OnceValues(answerCases)

// caseDocuments answers the questions of every case in this process, up to the first command that is no question.
func caseDocuments(t *testing.T) []caseDocument {
	t.Helper()
	documents, err := loadCaseDocuments()
	require.NoError(t, err)
	require.Greater(t, len(documents), 150)
	return documents
}

func answerCases() ([]caseDocument, error) {
	paths, err := filepath.Glob(casesGlob)
	if err != nil {
		return nil, err
	}
	policy, err := bundle.Load(bundle.Options{Entrypoints: Entrypoints})
	if err != nil {
		return nil, err
	}
	settings, err := collect.DecodeSettings(policy.DecodeSettings)
	if err != nil {
		return nil, err
	}
	root, err := os.MkdirTemp("", "cases")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(root) //nolint:errcheck // a temporary directory
	var out []caseDocument
	for _, path := range paths {
		c, err := casetest.Load(path)
		if err != nil {
			return nil, err
		}
		dir := filepath.Join(root, c.ID)
		if err := casetest.Write(dir, c.Files); err != nil {
			return nil, err
		}
		now := c.Now.UTC()
		for i, step := range c.Steps {
			if step.Write != nil {
				if err := casetest.Write(dir, step.Write); err != nil {
					return nil, err
				}
			}
			now = now.Add(time.Duration(step.AdvanceMinutes * float64(time.Minute)))
			if step.Args == nil {
				continue
			}
			request, options, ok := question(step.Args)
			if !ok {
				break
			}
			options.Dir, options.Home, options.Env = dir, filepath.Join(dir, "home"), func(string) string { return "" }
			document, err := answerCase(policy, settings, request, options, now)
			out = append(out, caseDocument{fmt.Sprintf("%s#%d", c.ID, i), document, err})
		}
	}
	return out, nil
}

func answerCase(
	policy *bundle.Bundle, settings collect.Settings, request facts.Request, options registry.Options, now time.Time,
) (*Document, error) {
	route, file, err := registry.Open(options)
	if err != nil {
		return Refuse(request.Command, request, err, false), err
	}
	e, err := New(policy, collect.New(route, file, settings).WithEnv(options.Env), false)
	if err != nil {
		return nil, err
	}
	if request.Command == KindShouldRun {
		return e.ShouldRun(context.Background(), request, now)
	}
	return e.Plan(context.Background(), request, now)
}

// question reads the command line of a step; ok is false for a command that does more than ask.
func question(args []any) (request facts.Request, options registry.Options, ok bool) {
	r := facts.Request{AvailableCapabilities: []string{}, IncludeDetail: []string{}}
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.String("format", "", "")
	f.StringVar(&options.Registry, "registry", "", "")
	f.StringVar(&options.RuntimeRoot, "runtime-root", "", "")
	f.StringVar(&r.GoalID, "goal-id", "", "")
	f.StringVar(&r.AgentID, "agent-id", "", "")
	f.StringArrayVar(&r.AvailableCapabilities, "available-capability", r.AvailableCapabilities, "")
	f.StringArrayVar(&r.IncludeDetail, "include-detail", r.IncludeDetail, "")
	f.StringVar(&r.RuntimeProfile, "runtime-profile", "", "")
	f.BoolVarP(&r.CodexApp, "codex-app", "A", false, "")
	f.StringVarP(&r.ExecutionMode, "execution-mode", "M", "", "")
	f.StringVar(&r.CurrentRRULE, "codex-app-current-rrule", "", "")
	f.StringVar(&r.CurrentRRULE, "app-automation-current-rrule", "", "")
	var words []string
	for _, arg := range args {
		word, isText := arg.(string)
		if !isText {
			return r, options, false
		}
		words = append(words, word)
	}
	if f.Parse(words) != nil {
		return r, options, false
	}
	command := strings.Join(f.Args(), " ")
	if command == "status" {
		command = "quota status"
	}
	r.Command, ok = strings.CutPrefix(command, "quota ")
	return r, options, ok && (r.Command == KindShouldRun || r.Command == KindPlan || r.Command == KindStatus)
}

// TestTheDocumentsOfTheCasesFitTheirSchemas runs over real decisions of every kind.
func TestTheDocumentsOfTheCasesFitTheirSchemas(t *testing.T) {
	kinds := map[string]int{}
	for _, c := range caseDocuments(t) {
		var broken *SchemaError
		if errors.As(c.err, &broken) {
			t.Errorf("%s: %v", c.name, broken)
			continue
		}
		require.NoError(t, checkSchema(c.document), c.name)
		kinds[c.document.Kind]++
	}
	t.Log(kinds)
}

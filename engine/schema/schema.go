package schema

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/loopx-dev/loopx-policy/engine/vm"
)

// base is the address that schema files are known by. Nothing else can be loaded.
const base = "loopx:///"

// Schemas of the hot path that say the same in draft-07 (a test holds them to that) are compiled as such: the library then
// needs less than half of the time, because it checks a schema against its meta-schema and that of 2020-12 is large.
var common = []string{
	"should-run.json", "spend-slot.json", "void-slot.json", "monitor-poll.json", "quota.json", "compact.json", "finding.json", "error.json",
}

var draft2020, draft07 = []byte(`"https://json-schema.org/draft/2020-12/schema"`), []byte(`"http://json-schema.org/draft-07/schema#"`)

// maxProblems bounds how much of a bad document a message repeats.
const maxProblems = 5

// Set is a folder of schemas that may refer to each other by file name.
type Set struct {
	fsys     fs.FS
	dir      string
	compiled sync.Map // file name to func() (*Schema, error)
}

// Schema is one schema, ready to check documents. Safe for concurrent use.
type Schema struct{ compiled *jsonschema.Schema }

// Problem is one fault of a document.
type Problem struct {
	Pointer string // where in the document; empty for the whole
	Message string
}

func (p Problem) String() string {
	if p.Pointer == "" {
		return p.Message
	}
	return p.Pointer + ": " + p.Message
}

// NewSet gives the schemas of a folder. Nothing is read yet.
func NewSet(fsys fs.FS, dir string) *Set { return &Set{fsys: fsys, dir: dir} }

// Prepare compiles a schema in the background, so that the answer it checks does not wait for it.
func (s *Set) Prepare(name string) {
	go s.Schema(name) //nolint:errcheck // whoever uses the schema gets the error
}

// Schema compiles a schema once. The error names the file.
func (s *Set) Schema(name string) (*Schema, error) {
	once, _ := s.compiled.LoadOrStore(name, sync.OnceValues(func() (*Schema, error) {
		compiler := jsonschema.NewCompiler()
		compiler.Draft = jsonschema.Draft2020
		compiler.AssertFormat = true
		compiler.LoadURL = s.load
		compiled, err := compiler.Compile(base + name)
		if err != nil {
			return nil, fmt.Errorf("schema %s: %w", name, err)
		}
		return &Schema{compiled}, nil
	}))
	return once.(func() (*Schema, error))()
}

func (s *Set) load(url string) (io.ReadCloser, error) {
	name, ok := strings.CutPrefix(url, base)
	if !ok || name != path.Base(name) {
		return nil, fmt.Errorf("%s is outside of the embedded schemas", url)
	}
	text, err := fs.ReadFile(s.fsys, path.Join(s.dir, name))
	if err != nil {
		return nil, err
	}
	if slices.Contains(common, name) {
		text = bytes.Replace(text, draft2020, draft07, 1)
	}
	return io.NopCloser(bytes.NewReader(text)), nil
}

// Validate gives the problems of a document, at most five, outer ones first, then by place and text; none when it fits.
func (s *Schema) Validate(v vm.Value) ([]Problem, error) {
	err := s.compiled.Validate(vm.ToGo(v))
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return nil, err
	}
	var problems []Problem
	collect(invalid, &problems)
	slices.SortFunc(problems, func(a, b Problem) int {
		return cmp.Or(strings.Count(a.Pointer, "/")-strings.Count(b.Pointer, "/"), strings.Compare(a.Pointer, b.Pointer),
			strings.Compare(a.Message, b.Message))
	})
	return problems[:min(len(problems), maxProblems)], nil
}

// collect gathers the leaves of an error tree, where the faults are.
func collect(v *jsonschema.ValidationError, out *[]Problem) {
	for _, cause := range v.Causes {
		collect(cause, out)
	}
	if len(v.Causes) == 0 {
		*out = append(*out, Problem{v.InstanceLocation, v.Message})
	}
}

package decide

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/loopx-dev/loopx-policy/schemas"
)

// schemaBase is the address that schema files are known by. Nothing else can be loaded, so that no $ref reads a file or
// the network.
const schemaBase = "loopx:///decision/"

var compiled sync.Map // kind to func() (*jsonschema.Schema, error)

func schemaOf(kind string) (*jsonschema.Schema, error) {
	once, _ := compiled.LoadOrStore(kind, sync.OnceValues(func() (*jsonschema.Schema, error) {
		compiler := jsonschema.NewCompiler()
		compiler.Draft = jsonschema.Draft2020
		compiler.AssertFormat = true
		compiler.LoadURL = loadSchema
		schema, err := compiler.Compile(schemaBase + kind + ".json")
		if err != nil {
			return nil, fmt.Errorf("schema of %s documents: %w", kind, err)
		}
		return schema, nil
	}))
	return once.(func() (*jsonschema.Schema, error))()
}

func loadSchema(url string) (io.ReadCloser, error) {
	name, ok := strings.CutPrefix(url, schemaBase)
	if !ok || name != path.Base(name) {
		return nil, fmt.Errorf("%s is outside of the embedded schemas", url)
	}
	text, err := schemas.FS.ReadFile("decision/" + name)
	if err != nil {
		return nil, fmt.Errorf("no schema %s", name)
	}
	return io.NopCloser(bytes.NewReader(text)), nil
}

// SchemaError says where a document breaks its schema.
type SchemaError struct {
	Kind     string
	Problems []string // "/pointer: message"
}

func (e *SchemaError) Error() string {
	return fmt.Sprintf("the %s document breaks its schema: %s", e.Kind, strings.Join(e.Problems, "; "))
}

// maxProblems bounds how much of a bad document a message repeats.
const maxProblems = 5

func checkSchema(doc *Document) error {
	schema, err := schemaOf(doc.Kind)
	if err != nil {
		return err
	}
	fields, err := doc.Fields()
	if err != nil {
		return err
	}
	err = schema.Validate(fields)
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return err
	}
	out := &SchemaError{Kind: doc.Kind}
	var walk func(*jsonschema.ValidationError)
	walk = func(v *jsonschema.ValidationError) {
		if len(v.Causes) == 0 && len(out.Problems) < maxProblems {
			out.Problems = append(out.Problems, v.InstanceLocation+": "+v.Message)
		}
		for _, cause := range v.Causes {
			walk(cause)
		}
	}
	walk(invalid)
	return out
}

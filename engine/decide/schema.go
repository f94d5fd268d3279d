package decide

import (
	"fmt"
	"strings"

	"github.com/loopx-dev/loopx-policy/engine/schema"
	"github.com/loopx-dev/loopx-policy/schemas"
)

// embedded are the schemas of documents, by kind.
var embedded = schema.NewSet(schemas.FS, "decision")

// SchemaError says where a document breaks its schema.
type SchemaError struct {
	Kind     string
	Problems []schema.Problem
}

func (e *SchemaError) Error() string {
	texts := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		texts[i] = p.String()
	}
	return fmt.Sprintf("the %s document breaks its schema: %s", e.Kind, strings.Join(texts, "; "))
}

func checkSchema(doc *Document) error { return checkSchemaOf(embedded, doc) }

func checkSchemaOf(contracts *schema.Set, doc *Document) error {
	contract, err := contracts.Schema(doc.Kind + ".json")
	if err != nil {
		return fmt.Errorf("schema of %s documents: %w", doc.Kind, err)
	}
	problems, err := contract.Validate(doc.Value)
	if err != nil {
		return fmt.Errorf("schema of %s documents: %w", doc.Kind, err)
	}
	if len(problems) > 0 {
		return &SchemaError{Kind: doc.Kind, Problems: problems}
	}
	return nil
}

// Prepare compiles the schema of a kind of document in the background. A command that knows what it will answer calls
// it first, so that the compilation runs beside the reading of rules and files.
func Prepare(kind string) { embedded.Prepare(kind + ".json") }

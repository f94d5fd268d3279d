package decide

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/schema"
	"github.com/loopx-dev/loopx-policy/schemas"
)

// BenchmarkFirstCheck measures what a command pays to hold its one answer against the schema, parsing included.
func BenchmarkFirstCheck(b *testing.B) {
	documents := map[string]*Document{}
	all, err := loadCaseDocuments()
	require.NoError(b, err)
	for _, c := range all {
		if c.err == nil {
			documents[c.document.Kind] = c.document
		}
	}
	for kind, document := range documents {
		b.Run(kind, func(b *testing.B) {
			for b.Loop() {
				contract, err := schema.NewSet(schemas.FS, "decision").Schema(kind + ".json")
				require.NoError(b, err)
				problems, err := contract.Validate(document.Value)
				require.NoError(b, err)
				require.Empty(b, problems)
			}
		})
	}
}

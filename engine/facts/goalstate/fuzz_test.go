package goalstate_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts/goalstate"
)

func FuzzParse(f *testing.F) {
	sample, err := os.ReadFile("testdata/sample.md")
	require.NoError(f, err)
	f.Add(sample)
	f.Fuzz(func(t *testing.T, data []byte) {
		doc := goalstate.Parse("STATE.md", data)
		checkInvariants(t, doc)
		_, err := json.Marshal(doc)
		require.NoError(t, err)
	})
}

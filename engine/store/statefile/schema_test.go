package statefile

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/loopx-dev/loopx-policy/engine/schema"
	"github.com/loopx-dev/loopx-policy/engine/vm"
	"github.com/loopx-dev/loopx-policy/schemas"
)

// TestTheMetadataSchemaKnowsEveryKey: the published schema names the keys that are written, and asks of a value what the
// rules of todo commands ask.
func TestTheMetadataSchemaKnowsEveryKey(t *testing.T) {
	text, err := schemas.FS.ReadFile("todo/metadata.json")
	require.NoError(t, err)
	var published struct {
		Properties map[string]struct{ Pattern string } `json:"properties"`
	}
	require.NoError(t, json.Unmarshal(text, &published))
	require.ElementsMatch(t, keyOrder, slices.Collect(maps.Keys(published.Properties)))

	text, err = os.ReadFile("../../../policy/loopx/settings/todo_write/data.yaml")
	require.NoError(t, err)
	var settings struct {
		Fields map[string]struct{ Pattern string } `yaml:"fields"`
	}
	require.NoError(t, yaml.Unmarshal(text, &settings))
	for key, field := range settings.Fields {
		if field.Pattern != "." { // times have a form of their own
			require.Equal(t, field.Pattern, published.Properties[key].Pattern, key)
		}
	}
}

func TestTheMetadataSchemaTellsGoodFromBad(t *testing.T) {
	s, err := schema.NewSet(schemas.FS, "todo").Schema("metadata.json")
	require.NoError(t, err)
	for text, good := range map[string]bool{
		`{"todo_id": "todo_csv_reader", "status": "open", "task_class": "advancement_task", "required_capabilities": "shell,benchmark_runner", "x_own": "kept"}`: true,
		`{"todo_id": "todo_nightly", "status": "open", "cadence": "30m", "next_due_at": "2026-06-02T12:00:00+00:00"}`:                                            true,
		`{"status": "open"}`: false,
		`{"todo_id": "todo_nightly", "status": "perhaps"}`:                             false,
		`{"todo_id": "todo_nightly", "status": "open", "task_class": "errand"}`:        false,
		`{"todo_id": "todo_nightly", "status": "open", "required_write_scopes": "/x"}`: false,
	} {
		problems, err := s.Validate(vm.MustParse(text))
		require.NoError(t, err)
		require.Equal(t, good, len(problems) == 0, "%s: %v", text, problems)
	}
}

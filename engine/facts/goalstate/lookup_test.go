package goalstate

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLookupGivesEveryKey(t *testing.T) {
	dir := t.TempDir()
	text := "## Agent Todo\r\n\r\n- [ ] One.\r\n  <!-- loopx:todo todo_id=todo_one x_key=a%20b -->\r\n  <!-- loopx: x_key=c y=1 -->\r\n- [ ] Two.\r\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "state.md"), []byte(text), 0o644))
	assert.Equal(t, map[string]string{"todo_id": "todo_one", "x_key": "c", "y": "1"}, Lookup(dir, "state.md", "todo_one"))
	assert.Empty(t, Lookup(dir, "state.md", "todo_two"))
	assert.Empty(t, Lookup(dir, "missing.md", "todo_one"))
}

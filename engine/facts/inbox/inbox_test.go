package inbox_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/inbox"
)

const file = `{"schema_version": "loopx_inbox_fact_v0", "goal_id": "g", "reply_due": true, "pending_count": 3}`

func TestRead(t *testing.T) {
	root := t.TempDir()
	assert.Equal(t, facts.Inbox{}, inbox.Read(root, "g"))
	require.NoError(t, os.MkdirAll(filepath.Dir(inbox.Path(root, "g")), 0o755))
	require.NoError(t, os.WriteFile(inbox.Path(root, "g"), []byte(file), 0o644))
	assert.Equal(t, facts.Inbox{ReplyDue: true, PendingCount: 3}, inbox.Read(root, "g"))
}

func TestParse(t *testing.T) {
	head := `{"schema_version": "loopx_inbox_fact_v0", "goal_id": "g"`
	for text, want := range map[string]facts.Inbox{
		head + `}`: {},
		head + `, "reply_due": "yes", "pending_count": -1}`:                            {},
		head + `, "reply_due": false, "pending_count": 1.5}`:                           {},
		head + `, "pending_count": "4"}`:                                               {},
		head + `, "pending_count": 4}`:                                                 {PendingCount: 4},
		`{"goal_id": "g", "reply_due": true}`:                                          {},
		`{"schema_version": "loopx_inbox_fact_v0", "goal_id": "h", "reply_due": true}`: {},
		`[`: {},
	} {
		assert.Equal(t, want, inbox.Parse([]byte(text), "g"), text)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(file))
	f.Fuzz(func(t *testing.T, data []byte) {
		require.GreaterOrEqual(t, inbox.Parse(data, "g").PendingCount, int64(0))
	})
}

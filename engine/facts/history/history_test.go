package history

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSmoke(t *testing.T) {
	r := read(t, index(t,
		line(t, 3*time.Hour, "state_refreshed"),
		line(t, 2*time.Hour, "quota_slot_spent", spend(3), fields{"agent_id": "agent-a"}),
		"garbage",
		line(t, time.Hour, "quota_monitor_poll"),
	), options(t))
	require.NotNil(t, r.StatusRun)
	assert.Equal(t, "state_refreshed", r.StatusRun.Classification)
	assert.Len(t, r.Ledger.Rows, 1)
	assert.Len(t, r.Findings, 1)
	assert.Equal(t, 3, r.Findings[0].Line)
	assert.Len(t, r.Runs, 3)
}

package promotion_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/promotion"
)

func row(at, classification, more string) string {
	return fmt.Sprintf(`{"generated_at": %q, "classification": %q%s}`+"\n", at, classification, more)
}

func write(t *testing.T, text string) string {
	t.Helper()
	root := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Dir(promotion.Path(root)), 0o755))
	require.NoError(t, os.WriteFile(promotion.Path(root), []byte(text), 0o644))
	return root
}

func TestNewestRow(t *testing.T) {
	root := write(t, row("1970-01-01T00:00:01Z", "smoke", "")+row("1970-01-01T00:00:03Z", "smoke", `, "ready": true`)+
		row("1970-01-01T00:00:02Z", "smoke", "")+row("1970-01-01T00:00:09Z", "other", "")+
		row("never", "smoke", "")+"{ \"classification\": \"smoke\" broken\n")
	yes := true
	assert.Equal(t, &facts.Promotion{GeneratedAt: "1970-01-01T00:00:03Z", AtNS: 3e9, Ready: &yes}, promotion.Read(root, "smoke"))
	assert.Nil(t, promotion.Read(root, "missing"))
}

func TestLongLedgerIsReadFromItsEnd(t *testing.T) {
	filler := strings.Repeat(row("1970-01-01T00:00:01Z", "other", ""), 40_000)
	root := write(t, row("1970-01-01T00:00:01Z", "smoke", "")+filler+row("1970-01-01T00:00:02Z", "smoke", ""))
	require.Equal(t, int64(2e9), promotion.Read(root, "smoke").AtNS)
}

func TestNoLedger(t *testing.T) {
	assert.Nil(t, promotion.Read(t.TempDir(), "smoke"))
	root := t.TempDir()
	require.NoError(t, os.MkdirAll(promotion.Path(root), 0o755))
	assert.Nil(t, promotion.Read(root, "smoke"), "a directory is no ledger")
}

func TestLegacy(t *testing.T) {
	runs := []facts.Run{
		{Classification: "x", AtNS: 9}, {Classification: "smoke", AtNS: 3, GeneratedAt: "a"}, {Classification: "smoke", AtNS: 2},
	}
	assert.Equal(t, &facts.Promotion{GeneratedAt: "a", AtNS: 3, Legacy: true}, promotion.Legacy(runs, "smoke"))
	assert.Nil(t, promotion.Legacy(nil, "smoke"))
}

func FuzzNewest(f *testing.F) {
	f.Add([]byte(row("1970-01-01T00:00:01Z", "smoke", "") + "{\"classification\": \"smoke\"}\nsmoke"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if newest := promotion.Newest(data, "smoke"); newest != nil {
			require.NotZero(t, newest.AtNS)
		}
	})
}

package goalstate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loopx-dev/loopx-policy/engine/facts/goalstate"
)

// hundred is a state file with 100 todos that use most keys.
func hundred() []byte {
	var out strings.Builder
	out.WriteString("---\nstatus: active\nobjective: \"Ship the demo widget\"\n---\n\n## Agent Todo\n\n")
	for i := range 100 {
		fmt.Fprintf(&out, "- [ ] [P%d] Implement part %d of the widget parser and run its unit tests\n", i%4, i)
		fmt.Fprintf(&out, "  <!-- loopx:todo todo_id=todo_part_%03d status=open task_class=advancement_task action_kind=implement "+
			"required_write_scopes=src%%2F%%2A%%2A required_capabilities=shell%%2Cbenchmark_runner claimed_by=codex-alpha "+
			"updated_at=2026-11-30T18:59:35%%2B00:00 -->\n", i)
	}
	out.WriteString("\n## Next Action\n\n- [P0] Implement todo_part_001\n")
	return []byte(out.String())
}

func BenchmarkParse100Todos(b *testing.B) {
	data := hundred()
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		goalstate.Parse("ACTIVE_GOAL_STATE.md", data)
	}
}

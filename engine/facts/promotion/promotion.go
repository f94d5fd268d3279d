// Package promotion reads the shared release ledger: when the canary promotion readiness was last proven
// (decision.md warn.promotion.input). A row that cannot be read is skipped, for the ledger only feeds a warning.
package promotion

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/isotime"
	"github.com/loopx-dev/loopx-policy/engine/facts/jsontree"
)

// tailBytes is how much of the end of the ledger is read. Rows are appended in time order and take about 1 KB.
const tailBytes = 1 << 20

// Path is the ledger below the runtime root.
func Path(root string) string {
	return filepath.Join(root, "release", "promotion-readiness", "runs", "index.jsonl")
}

// Read gives the newest row of the classification in the ledger, nil when there is none.
func Read(root, classification string) *facts.Promotion {
	data, err := tail(Path(root))
	if err != nil {
		return nil
	}
	return Newest(data, classification)
}

// Newest finds the newest row of the classification among JSON lines.
func Newest(data []byte, classification string) *facts.Promotion {
	var newest *facts.Promotion
	for line := range bytes.Lines(data) {
		if !bytes.Contains(line, []byte(classification)) {
			continue
		}
		n, err := jsontree.Parse(line)
		if err != nil || n.Str("classification") != classification {
			continue
		}
		at, ok := isotime.ParseNS(n.Str("generated_at"))
		if !ok || newest != nil && at < newest.AtNS {
			continue
		}
		newest = &facts.Promotion{GeneratedAt: n.Str("generated_at"), AtNS: at}
		if ready := n.Get("ready"); ready != nil && ready.Kind == jsontree.Bool {
			newest.Ready = &ready.Bool
		}
	}
	return newest
}

// Legacy finds the newest row of the classification in a goal's history, for installations without a ledger.
func Legacy(runs []facts.Run, classification string) *facts.Promotion {
	var newest *facts.Promotion
	for i := range runs {
		if run := &runs[i]; run.Classification == classification && (newest == nil || run.AtNS > newest.AtNS) {
			newest = &facts.Promotion{GeneratedAt: run.GeneratedAt, AtNS: run.AtNS, Legacy: true}
		}
	}
	return newest
}

func tail(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	from := max(0, info.Size()-tailBytes)
	data, err := io.ReadAll(io.NewSectionReader(file, from, tailBytes))
	if err != nil {
		return nil, err
	}
	if from > 0 { // the first line is cut
		_, data, _ = bytes.Cut(data, []byte{'\n'})
	}
	return data, nil
}

package history

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/isotime"
)

// maxFaults bounds the report on an index.
const maxFaults = 1000

// Inspect reads the whole index of a goal and reports every line that is not as a writer leaves it. Other than Read it
// neither stops early nor folds rows, and it judges nothing.
func Inspect(ctx context.Context, dir, goalID, projectRoot string) (*facts.IndexCheck, error) {
	out := &facts.IndexCheck{File: "index.jsonl", Faults: []facts.IndexFault{}}
	file, err := os.Open(filepath.Join(dir, "index.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err != nil {
		return nil, facts.ReadError("index.jsonl", err)
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, &facts.Error{Code: facts.CodeShape, File: "index.jsonl", Message: "is not a regular file"}
	}
	out.Exists = true
	i := inspector{out: out, goal: goalID, root: projectRoot, seen: map[[16]byte]int64{}}
	sum := sha256.New()
	lines := bufio.NewReaderSize(io.TeeReader(file, sum), 1<<16)
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			i.line(bytes.TrimRight(line, "\r\n"), err == nil)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read run index: %w", err)
		}
	}
	out.Digest = hex.EncodeToString(sum.Sum(nil)[:8])
	return out, nil
}

type inspector struct {
	out  *facts.IndexCheck
	goal string
	root string
	seen map[[16]byte]int64 // lines by the start of their hash
}

func (i *inspector) line(text []byte, ended bool) {
	i.out.Lines++
	if len(bytes.TrimSpace(text)) == 0 {
		return
	}
	fault := facts.IndexFault{Line: i.out.Lines, Torn: !ended}
	var row struct {
		GeneratedAt  any `json:"generated_at"`
		GoalID       any `json:"goal_id"`
		JSONPath     any `json:"json_path"`
		MarkdownPath any `json:"markdown_path"`
	}
	if text[0] != '{' || json.Unmarshal(text, &row) != nil {
		fault.Unreadable = true
		i.add(fault)
		return
	}
	i.out.Rows++
	var key [16]byte
	sum := sha256.Sum256(text)
	copy(key[:], sum[:])
	if first, again := i.seen[key]; again {
		fault.First = first
	} else {
		i.seen[key] = i.out.Lines
	}
	if at, _ := row.GeneratedAt.(string); !isTime(at) {
		fault.NoTime = true
	}
	if goal, ok := row.GoalID.(string); ok && goal != i.goal {
		fault.OtherGoal = goal
	}
	i.artifact(&fault, "json_path", row.JSONPath)
	i.artifact(&fault, "markdown_path", row.MarkdownPath)
	if fault.Torn || fault.First > 0 || fault.NoTime || fault.OtherGoal != "" || len(fault.Missing) > 0 {
		i.add(fault)
	}
}

func isTime(text string) bool {
	_, ok := isotime.ParseNS(text)
	return ok
}

// artifact notes a file that the row names and that is not there.
func (i *inspector) artifact(fault *facts.IndexFault, key string, value any) {
	path, ok := value.(string)
	if !ok || path == "" {
		return
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(i.root, path)
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		fault.Missing = append(fault.Missing, key)
	}
}

func (i *inspector) add(fault facts.IndexFault) {
	if len(i.out.Faults) >= maxFaults {
		i.out.Truncated = true
		return
	}
	i.out.Faults = append(i.out.Faults, fault)
}

package store

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
)

// maxIndexBytes is the largest run index that is rewritten.
const maxIndexBytes = 1 << 30

// RewriteIndex takes lines out of the goal's run index, which has the digest. The file as it was stays beside it.
type RewriteIndex struct {
	GoalID string `json:"goal_id"`
	Digest string `json:"digest"`
	// At names the copy of the original.
	At   string  `json:"at"`
	Drop []int64 `json:"drop"` // line numbers, from 1
}

func (*RewriteIndex) locks() Locks { return LockIndex }

func (b *batch) rewriteIndex(e *RewriteIndex) error {
	return b.own(e.GoalID, func() error {
		path := filepath.Join(b.tx.runs(), indexName)
		data, o, err := b.load(path, maxIndexBytes)
		if err != nil {
			return fmt.Errorf("run index: %w", err)
		}
		if o.Before == "" || o.Before != e.Digest {
			return fmt.Errorf("run index: %w", ErrChanged)
		}
		next := without(data, e.Drop)
		if bytes.Equal(next, data) {
			return nil
		}
		backup := backupOf(path, e.At)
		b.creates = append(b.creates, &op{Kind: opCreate, Step: "index backup", Path: backup, Data: data, mode: o.mode})
		b.keep("index", o, next, redo{})
		b.receipt.add("backup_path", backup)
		return nil
	})
}

// without gives the text without some of its lines. What is left ends with a line end.
func without(data []byte, drop []int64) []byte {
	out := make([]byte, 0, len(data))
	number := int64(0)
	for line := range bytes.Lines(data) {
		if number++; !slices.Contains(drop, number) {
			out = append(out, line...)
		}
	}
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, '\n')
	}
	return out
}

// backupOf is a free name beside a file.
func backupOf(path, at string) string {
	base := path + "." + stemOf(at, "")
	name := base + ".bak"
	for n := 2; exists(name); n++ {
		name = base + "-" + strconv.Itoa(n) + ".bak"
	}
	return name
}

package store

import (
	"fmt"
	"os"
	"testing"
)

// BenchmarkSpend commits spends with their events on the disk of the working directory: lock, recover, write, make durable.
func BenchmarkSpend(b *testing.B) {
	dir, err := os.MkdirTemp(".", "bench")
	if err != nil {
		b.Fatal(err)
	}
	defer os.RemoveAll(dir)
	b.Setenv("TMPDIR", dir)
	_, targets := sample(b)
	s := scenarios[0]
	for b.Loop() {
		if _, err := s.run(New(), targets); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLastLine is what a longer index costs a writer: nothing.
func BenchmarkLastLine(b *testing.B) {
	for _, rows := range []int{100, 100_000} {
		b.Run(fmt.Sprint(rows), func(b *testing.B) {
			path := b.TempDir() + "/index.jsonl"
			line := []byte(`{"generated_at": "2026-12-01T12:00:00+00:00", "goal_id": "demo-goal"}` + "\n")
			var text []byte
			for range rows {
				text = append(text, line...)
			}
			if err := os.WriteFile(path, text, 0o644); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := lastLine(path); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

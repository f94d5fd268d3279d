// Command drift fails when a generated file is not what its generator writes now. It runs `go generate ./...` on a
// copy of the tracked generated files and compares; the working tree is left as it was.
package main

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// generated files, by path from the repository root. Globs are allowed.
var generated = []string{
	"schemas/facts/input.json",
	"policy/capabilities.json",
	"engine/bundle/snapshot/*.bin",
	"docs/rules.md",
}

func main() {
	log.SetFlags(0)
	before := read()
	if len(before) == 0 {
		log.Fatal("no generated file found; run from the repository root")
	}
	cmd := exec.Command("go", "generate", "./...")
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	err := cmd.Run()
	after := read()
	var stale []string
	for name, text := range after {
		if !bytes.Equal(before[name], text) {
			stale = append(stale, name)
		}
	}
	for name, text := range before { // leave the tree as it was found
		if !bytes.Equal(after[name], text) {
			if err := os.WriteFile(name, text, 0o644); err != nil {
				log.Print(err)
			}
		}
	}
	if err != nil {
		log.Fatalf("go generate: %v", err)
	}
	slices.Sort(stale)
	for _, name := range stale {
		fmt.Printf("%s is not what its source says; run make generate\n", name)
	}
	if len(stale) > 0 {
		os.Exit(1)
	}
	fmt.Printf("%d generated files are up to date\n", len(after))
}

func read() map[string][]byte {
	files := map[string][]byte{}
	for _, pattern := range generated {
		names, err := filepath.Glob(pattern)
		if err != nil {
			log.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				log.Fatal(err)
			}
			files[name] = text
		}
	}
	return files
}

// Command rulesdoc writes docs/rules.md, the catalogue of the rules, and fails when a rule id of the specification has no
// rule in the bundle and no reason in the list of ids that need none.
//
//	rulesdoc BUNDLE SPEC-IDS OUT
//
// SPEC-IDS holds one id a line; "id | reason" is an id that no rule carries, and why.
package main

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/loopx-dev/loopx-policy/engine/bundle"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 4 {
		log.Fatal("usage: rulesdoc BUNDLE SPEC-IDS OUT")
	}
	b, err := bundle.Load(bundle.Options{Policy: os.Args[1], Annotations: true})
	if err != nil {
		log.Fatal(err)
	}
	if problems := check(b, os.Args[2]); len(problems) > 0 {
		fmt.Fprintln(os.Stderr, strings.Join(problems, "\n"))
		log.Fatalf("%d rule ids of the specification are not accounted for", len(problems))
	}
	var out bytes.Buffer
	if err := b.WriteCatalog(&out); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(os.Args[3], out.Bytes(), 0o644); err != nil {
		log.Fatal(err)
	}
}

func check(b *bundle.Bundle, list string) []string {
	have := map[string]bool{}
	for _, rule := range b.Catalog() {
		have[rule.ID] = true
	}
	text, err := os.ReadFile(list)
	if err != nil {
		return []string{err.Error()}
	}
	var problems []string
	for n, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		id, reason, excused := strings.Cut(line, " | ")
		switch {
		case excused && have[id]:
			problems = append(problems, fmt.Sprintf("%s:%d: %s has a rule now; drop the reason", list, n+1, id))
		case excused && strings.TrimSpace(reason) == "":
			problems = append(problems, fmt.Sprintf("%s:%d: %s has no reason", list, n+1, id))
		case !excused && !have[id]:
			problems = append(problems, fmt.Sprintf("%s:%d: no rule carries %s", list, n+1, id))
		}
	}
	return problems
}

// Command covergate reads the JSON of `opa test --coverage --format json` from standard input and fails unless every
// line of every rule file is covered. Test files are not counted.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"
)

type report struct {
	Files map[string]struct {
		NotCovered []struct {
			Start struct{ Row int } `json:"start"`
			End   struct{ Row int } `json:"end"`
		} `json:"not_covered"`
	} `json:"files"`
}

func main() {
	log.SetFlags(0)
	var r report
	if err := json.NewDecoder(os.Stdin).Decode(&r); err != nil {
		log.Fatalf("read coverage report: %v", err)
	}
	var gaps []string
	files := 0
	for name, file := range r.Files {
		if strings.HasSuffix(name, "_test.rego") {
			continue
		}
		files++
		for _, lines := range file.NotCovered {
			gaps = append(gaps, fmt.Sprintf("%s:%d-%d: no test reaches this", name, lines.Start.Row, lines.End.Row))
		}
	}
	if files == 0 {
		log.Fatal("the coverage report names no rule file")
	}
	slices.Sort(gaps)
	for _, gap := range gaps {
		fmt.Println(gap)
	}
	if len(gaps) > 0 {
		log.Fatalf("%d uncovered places in the rules", len(gaps))
	}
	fmt.Printf("every line of %d rule files is covered\n", files)
}

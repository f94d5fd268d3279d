// Command gen writes schemas/facts/input.json from the Go types of the input document.
package main

import (
	"log"
	"os"

	"github.com/loopx-dev/loopx-policy/engine/facts"
)

func main() {
	out, err := facts.Schema()
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(os.Args[1], out, 0o644); err != nil {
		log.Fatal(err)
	}
}

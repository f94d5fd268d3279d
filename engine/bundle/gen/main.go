// Command gen writes the generated files of the bundle package.
package main

import (
	"encoding/json"
	"log"
	"os"

	"github.com/loopx-dev/loopx-policy/engine/bundle"
)

func main() {
	if len(os.Args) != 3 || os.Args[1] != "capabilities" {
		log.Fatal("usage: gen capabilities FILE")
	}
	out, err := json.MarshalIndent(bundle.Capabilities(), "", "  ")
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(os.Args[2], append(out, '\n'), 0o644); err != nil {
		log.Fatal(err)
	}
}

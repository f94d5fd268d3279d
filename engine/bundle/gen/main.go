// Command gen writes the generated files of the bundle package.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"

	"github.com/loopx-dev/loopx-policy/engine/bundle"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: gen capabilities|snapshot FILE")
	}
	out, err := generate(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(os.Args[2], out, 0o644); err != nil {
		log.Fatal(err)
	}
}

func generate(what string) ([]byte, error) {
	switch what {
	case "capabilities":
		out, err := json.MarshalIndent(bundle.Capabilities(), "", "  ")
		return append(out, '\n'), err
	case "snapshot":
		return bundle.Snapshot()
	default:
		return nil, fmt.Errorf("cannot generate %q", what)
	}
}

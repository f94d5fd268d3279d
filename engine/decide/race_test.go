//go:build race

package decide

import "flag"

// The race detector makes a decision ten times as slow, and a property looks for races no better with more draws. Make simulate
// draws the others without it. A count on the command line still wins.
func init() {
	if err := flag.Set("rapid.checks", "5"); err != nil {
		panic(err)
	}
	simulatedPolls = 300 // make simulate makes the others, without the detector
}

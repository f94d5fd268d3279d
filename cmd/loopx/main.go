// Command loopx answers, before a long-running agent takes a turn, whether it may run now and what it should do.
// This package holds flags, output and exit codes; every decision is made by the rules bundle.
package main

import (
	"os"
	"runtime/debug"
)

// Exit codes.
const (
	exitOK      = 0 // answered, also when the answer is to skip
	exitRefused = 1 // the answer has ok=false; the document is still on standard output
	exitUsage   = 2 // the command line is wrong
)

// heapLimit is where garbage collection starts. A single command ends long before it gets there.
const heapLimit = 96 << 20

func main() {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(heapLimit)
	os.Exit(run(os.Args[1:], process()))
}

// Package projectgen draws random but valid LoopX projects for property tests: goals with registry rows, todos of every
// class and role, run histories, ledgers and scheduler state. A drawn project is a model that a test may change before it
// writes the files, so that a property can compare a project with the same project plus one thing.
//
// The words of the format live in vocabulary.json, not in Go.
package projectgen

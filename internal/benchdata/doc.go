// Package benchdata writes synthetic LoopX projects of any size for benchmarks and tests: a registry, a state file for
// each goal and a run index for each goal, in the layout and with the row shapes of a real project.
//
// The same options give the same bytes, apart from the directory's own path. Rows are streamed, so that an index of a
// million rows needs no memory. The words of the format live in templates/, not in Go.
package benchdata

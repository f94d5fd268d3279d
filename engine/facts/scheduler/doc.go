// Package scheduler reads the scheduler state of one goal and agent (state-files.md 5.1). A file that is missing,
// malformed or of another scope reads as absent: the next acknowledged host update writes a good one.
package scheduler

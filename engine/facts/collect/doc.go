// Package collect assembles the input document of a decision: registry row, state file, run history and the small
// files beside them (decision.md 0.8).
//
// What is wrong with one goal becomes a finding of that goal and never stops another. It reads only: no file and no
// directory is ever created, and no path is built from a goal id that is not one path segment.
package collect

// Package statefile changes a goal's state file as text (state-files.md 3): one block, one section or one line of the front
// matter, and nothing else. Every other byte stays as it is: unknown metadata keys, comments, blank lines and line ends.
//
// Where blocks are and which ids they have comes from engine/facts/goalstate, so that a writer and a reader never disagree.
package statefile

// Package registry finds and reads the registry of a LoopX project (state-files.md 1 and 2).
//
// Resolve chooses the file, Load reads it strictly: what makes the whole file unusable (not JSON, no object, goals
// that are no list) is an error with file and line; what is wrong with one goal is a finding that its goal owns. A
// value that is present but unreadable is never read as its default. Words such as waiting_on are passed on as they
// are written: whether a word is known is for the rules to say, and Goal.Lines tells them where it stands.
package registry

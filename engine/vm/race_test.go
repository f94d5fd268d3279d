//go:build race

package vm_test

// The detector makes a case ten times as slow and looks for races no better with more cases, so that every tenth is asked.
func init() { raceDetector = true }

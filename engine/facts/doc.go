// Package facts turns the files of a LoopX project and one request into the input document of the policy.
//
// It reads, normalises and never judges: no rule of decision.md is decided here, and no state, lane, mode or
// action is named. What may be read is fixed by state-files.md; what comes out is Input, described to Rego by
// schemas/facts/input.json, which is generated from it. Lists of classifications and look-back horizons come from
// the bundle's settings, so that an operator can change them without a new binary.
package facts

//go:generate go run ./gen ../../schemas/facts/input.json

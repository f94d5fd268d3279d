// Package casetest runs decision cases: small projects as data, the commands to run on them at a fixed clock, and
// what must come out. The format is described in fixtures/cases/README.md. It starts a real binary in a fresh
// directory with a fresh HOME; it knows nothing of the engine.
package casetest

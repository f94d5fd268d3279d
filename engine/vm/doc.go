// Package vm runs rules that OPA has planned.
//
// OPA can turn a compiled bundle into a plan, its intermediate representation (package ir): functions of simple statements
// over local variables, the form from which OPA makes its WebAssembly. This package turns a plan into a program, keeps
// programs as bytes, and runs them on values of its own. What a statement and a builtin mean is OPA's to say: builtins that
// are not worth a version here are OPA's own functions, and a test runs OPA's conformance suite on both evaluators.
//
// Nothing here knows what the rules decide. A program has no way to a clock, a file or the network other than through the
// builtins its plan names, and those are checked when the bundle is compiled.
package vm

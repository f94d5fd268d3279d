// Package bundle loads a rules bundle, compiles it under the restricted capabilities and evaluates its entrypoints.
//
// A bundle comes from the binary, or from a directory or tar.gz archive that replaces it, with an optional overlay of
// the project on top. Loading fails closed: a bundle that does not parse, compile or hold its entrypoints is an *Error
// with file and line, and nothing can be evaluated.
package bundle

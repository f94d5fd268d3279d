// Package decide takes one question from facts to a checked answer.
//
// It collects the input, evaluates the bundle, and holds the answer against its JSON Schema and against the bundle's
// invariants before anyone sees it. Whatever goes wrong on the way becomes a refusal: a document that permits nothing and
// says why. The refusal's fields come from a data file that the binary carries, so that a broken bundle cannot lose it.
package decide

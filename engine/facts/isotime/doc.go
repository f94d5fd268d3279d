// Package isotime reads the ISO 8601 times that LoopX files hold, without guessing: a value either is a time or it is
// not. A time without an offset is UTC.
package isotime

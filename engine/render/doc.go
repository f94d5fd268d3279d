// Package render prints an answer for people or programs. It shows fields under their own names and compares no value
// with the name of a state: what a field means was decided before.
package render

// Package mention finds the lines of a long file that hold a text. It reads the whole file, because a turn or a run may be
// old, but looks at nothing but the lines that mention it: the cost is that of one pass over the bytes.
package mention

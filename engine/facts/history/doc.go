// Package history reads a goal's run index (state-files.md section 4) backwards from its end, so that the cost of a
// decision follows the time that still matters and not the length of the history.
//
// The index is appended in time order, give or take Settings.MarginHours. Lines are read from the end until every
// earlier line is too old for every question:
//
//   - windows: the quota window, the freshness window and the horizon;
//   - the status run (4.3), which has no limit: it is looked for until it is found;
//   - the lane: Settings.MaterialRows rows of the request's agent lane that are neither accounting nor polls, or
//     Settings.LookbackDays, whichever comes first. Inside the longest window only rows that decide something are
//     counted, and the goal's own runs of a streak without an outcome are handed out whatever their number, so that
//     no number of rows cuts a streak there.
//
// "Every earlier line is too old" is judged by the newest of the last 64 rows read, never by one row, and samples
// further back must agree, so that a late overlay on an old run or a block of backdated rows does not end the
// reading early.
//
// What is handed out depends on times only, never on where the reading stopped; a full scan gives the same answer. Only
// the findings about damaged lines are bound to the lines that were read.
//
// Rows dated after now: ledger rows are handed out, the rules count them when their time comes. Every other row is
// held back until Settings.ClockSkewMinutes before its time: a peer whose clock is a little ahead is seen at once, so
// that its spend or its gate is not overlooked, and a row from next year cannot stand for the goal's current state.
//
// A last line without a line end is a line that was cut off and is skipped, unless it is a whole object: then only its
// line end is missing and it counts.
package history

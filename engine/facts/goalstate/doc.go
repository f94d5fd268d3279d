// Package goalstate reads a goal's ACTIVE_GOAL_STATE.md (state-files.md 3).
//
// Parse is total: every byte sequence gives a document, in time linear in its length. It keeps what a rule may judge
// as it is written (an unknown status or task class, times that do not read) and drops other invalid values, as the
// format says. Diagnostics that only the text can show, such as a todo id used twice, are Findings without an owner:
// the caller knows which goal the file belongs to.
//
// Choices where the format is silent:
//   - A block ends at the next line that is neither blank nor indented; a loopx comment in column 0 does not end it.
//   - A fence opened inside a list item ends with the item. A fence that is never closed hides the rest of the file, as
//     in Markdown; when it hides todos that is a finding.
//   - Two blocks with one id: the first keeps it, the later one gets a generated id, and the pair is a finding.
//   - An archived copy of an active todo's id is a finding too, since it would answer for the active one.
package goalstate

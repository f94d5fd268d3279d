// Package store commits the effects that the rules bundle asked for. It decides nothing: an effect says which record takes
// which content, and the store puts it there so that no reader ever sees half of it, no other writer's record is lost and
// nothing is done twice (state-files.md 4 to 6). Every write of the program goes through here.
//
// A Store locks one goal at a time (Begin), so that a caller can read, decide and Commit without another writer in between. All
// effects of a commit are applied or none. Files keeps LoopX's own files:
//
//   - Locks are taken in the order registry, state file, run index, event log, shared registry; the lock of the run index
//     is held by every writer of a goal. Locks that a commit turns out to need are never waited for out of order.
//   - Every new byte is worked out, and every digest compared, before the first byte is written.
//   - Replaced files are staged beside their place and renamed. The append to the run index, or the first rename when there is
//     no run, is the commit point.
//   - A commit of several files leaves an intent from before its commit point until it is complete. Whoever begins next
//     finishes what passed the commit point and drops the rest.
//
// docs/reliability.md has the whole story, with the table of crash points that the tests print.
package store

// Package host reads what the calling application says of its own timer (state-files.md 5.6): the heartbeats of the
// Codex App that belong to one goal, agent and thread. Only the automation's id and its RRULE leave the reader, and
// nothing is ever written there.
package host

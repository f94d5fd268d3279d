// Package eventlog reads what the event log of a goal says of one turn (state-files.md 5.2). It never judges and never writes.
package eventlog

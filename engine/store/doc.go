// Package store applies the effects that the rules bundle asked for. It decides nothing: an effect says which record takes
// which content, and the store puts it there so that no reader ever sees half of it and no other writer's record is lost
// (state-files.md 6). Every write of the program goes through here.
package store

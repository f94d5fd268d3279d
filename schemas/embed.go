// Package schemas holds the JSON Schemas of every document that crosses a border of the engine.
package schemas

import "embed"

// FS holds facts/ (what the rules read) and decision/ (what a caller is shown).
//
//go:embed facts decision
var FS embed.FS

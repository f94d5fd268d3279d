// Package schemas holds the JSON Schemas of every document that crosses a border of the engine.
package schemas

import "embed"

// FS holds facts/ (what the rules read), decision/ (what a caller is shown) and events/ (what records hold) and todo/ (what
// metadata comments hold).
//
//go:embed facts decision events todo
var FS embed.FS

// Package policy holds the rules bundle that the binary carries. Everything that decides is Rego and data below this
// directory; the tests beside the rules travel with it, so that `loopx policy init` can hand out a bundle that tests itself.
package policy

import "embed"

// FS is the bundle as stock OPA tools read it: .manifest, capabilities.json and the packages below loopx/.
//
//go:embed .manifest capabilities.json loopx
var FS embed.FS

package bundle

import (
	"slices"
	"strings"
	"sync"

	"github.com/open-policy-agent/opa/v1/ast"
)

//go:generate go run ./gen capabilities ../../policy/capabilities.json

// removed names the builtins that no rule may use: the clock, the network, chance, the environment, keys, and the ones
// that would let a rule read or check something outside of its input. A trailing dot removes the whole family.
var removed = []string{
	"crypto.x509.",
	"http.send",
	"io.jwt.",
	"json.match_schema",
	"json.verify_schema",
	"net.",
	"opa.runtime",
	"print",
	"providers.aws.sign_req",
	"rand.intn",
	"rego.parse_module",
	"time.now_ns",
	"trace",
	"uuid.rfc4122",
}

// Removed tells whether rules may not use a builtin.
func Removed(name string) bool {
	return slices.ContainsFunc(removed, func(r string) bool {
		return name == r || strings.HasSuffix(r, ".") && strings.HasPrefix(name, r)
	})
}

// Capabilities are the builtins and language features that rules may use: those of the linked OPA version without the
// removed builtins, and no network. policy/capabilities.json is this value; a test fails when they differ.
var Capabilities = sync.OnceValue(func() *ast.Capabilities {
	caps := ast.CapabilitiesForThisVersion()
	caps.Builtins = slices.DeleteFunc(slices.Clone(caps.Builtins), func(b *ast.Builtin) bool {
		return Removed(b.Name) || b.IsDeprecated()
	})
	caps.AllowNet = []string{}
	return caps
})

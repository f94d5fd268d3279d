// Package schema holds documents against JSON Schema 2020-12, with github.com/santhosh-tekuri/jsonschema. It compiles
// what is embedded and nothing else: a $ref that leaves the folder is an error, so that no schema reads a file or the
// network.
package schema

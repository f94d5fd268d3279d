// Package connectors is the room for runtime connectors: catalog/<id>.yaml describes one host each, and a Go adapter
// stands beside it where a host needs one. A connector translates between a host and `loopx quota should-run`; it
// decides nothing, grants nothing and spends nothing. The connector issues fill it; hosts are served today through the
// profiles and typed contexts of loopx.scheduler_hint.
package connectors

package goalstate

// Repository normalises a git remote to git:<host>/<path>. It is empty for a remote with credentials and for text that is no
// remote.
func Repository(remote string) string { return repository(remote) }

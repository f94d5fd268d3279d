package goalstate

import (
	"slices"
	"strings"
)

// repository normalises a git remote to git:<host>/<path>. A remote with credentials is dropped; the login name of
// an SSH remote is not one.
func repository(remote string) string {
	if strings.ContainsAny(remote, " ?#\\<>\"'") {
		return ""
	}
	host, path := splitRemote(remote)
	host = strings.ToLower(host)
	path = strings.TrimSuffix(strings.Trim(path, "/"), ".git")
	if path == "" || host == "" || pattern("h"+host, 254, ".:-") == "" || strings.Contains(path, "@") ||
		slices.ContainsFunc(strings.Split(path, "/"), func(part string) bool { return part == "" || part == "." || part == ".." }) {
		return ""
	}
	return "git:" + host + "/" + path
}

func splitRemote(remote string) (host, path string) {
	if scheme, rest, ok := strings.Cut(remote, "://"); ok {
		host, path, _ = strings.Cut(rest, "/")
		switch strings.ToLower(scheme) {
		case "ssh":
			if user, after, ok := strings.Cut(host, "@"); ok && !strings.Contains(user, ":") {
				host = after
			}
		case "https", "http", "git":
		default:
			return "", ""
		}
		return host, path // an "@" that is left makes the host invalid
	}
	if rest, ok := strings.CutPrefix(remote, "git:"); ok {
		host, path, _ = strings.Cut(rest, "/")
		return host, path
	}
	user, rest, ok := strings.Cut(remote, "@")
	if !ok || user == "" || strings.ContainsAny(user, ":/") {
		return "", ""
	}
	host, path, _ = strings.Cut(rest, ":")
	return host, path
}

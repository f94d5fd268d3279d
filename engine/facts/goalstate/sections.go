package goalstate

import "strings"

// Section gives the first lines of the first section with a title that are not blank, at most limit of them and none in
// comments. Without such a section, and for a file that cannot be read, there are none.
func Section(root, path, title string, limit int) []string {
	data, failure := load(root, path)
	if failure != nil {
		return nil
	}
	_, layout := Map(path, data)
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(string(data), "\uFEFF"))
	lines := strings.Split(text, "\n")
	var out []string
	for i, h := range layout.Headings {
		if h.Level != 2 || !strings.EqualFold(h.Title, title) {
			continue
		}
		last := len(lines)
		for _, next := range layout.Headings[i+1:] {
			if next.Level <= h.Level {
				last = next.Line - 1
				break
			}
		}
		for _, line := range lines[h.Line:last] {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "<!--") && len(out) < limit {
				out = append(out, line)
			}
		}
		return out
	}
	return out
}

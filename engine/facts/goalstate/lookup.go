package goalstate

import "strings"

// Lookup gives the metadata of one todo by key, decoded, whether or not a rule reads it. It is empty for a todo that is not
// in the active sections and for a file that cannot be read.
func Lookup(root, path, todoID string) map[string]string {
	out := map[string]string{}
	data, failure := load(root, path)
	if failure != nil {
		return out
	}
	_, layout := Map(path, data)
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(data))
	lines := strings.Split(text, "\n")
	for _, block := range layout.Blocks {
		if block.Archived || block.Todo.ID != todoID {
			continue
		}
		for _, at := range block.Metadata {
			body, _ := Metadata(strings.TrimSpace(lines[at-1]))
			for token := range strings.FieldsSeq(body) {
				if key, value, ok := strings.Cut(token, "="); ok {
					out[key] = decode(value)
				}
			}
		}
		return out
	}
	return out
}

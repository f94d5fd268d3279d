package render

import "strings"

// why shows the explanation as a short tree: each decided field with its rule, the facts under it, the decided fields that
// it rests on, and what would have come next.
func (p *page) why() {
	fields, _ := p.at("explain", "fields").(map[string]any)
	if len(fields) == 0 {
		return
	}
	p.line("\n## Why\n")
	for _, name := range p.sortedKeys(fields) {
		row, ok := fields[name].(map[string]any)
		if !ok {
			continue
		}
		p.line("- %s: %s", name, choice(row))
		facts, _ := row["facts"].(map[string]any)
		var parts []string
		for _, path := range p.sortedKeys(facts) {
			parts = append(parts, path+" = "+text(facts[path]))
		}
		if len(parts) > 0 {
			p.line("  - facts: %s", strings.Join(parts, "; "))
		}
		if decided := texts(row["decided"]); len(decided) > 0 {
			p.line("  - rests on: %s", strings.Join(decided, ", "))
		}
		if next, ok := row["otherwise"].(map[string]any); ok {
			p.line("  - otherwise: %s", choice(next))
		}
	}
}

// choice is a row on one line: its value when that is a word, its rule, and the rule's title.
func choice(row map[string]any) string {
	out := "`" + text(row["rule"]) + "`"
	switch value := row["value"].(type) {
	case map[string]any, []any, nil:
	default:
		if s := text(value); s != "" {
			out = "`" + strings.ReplaceAll(s, "`", "'") + "` by " + out
		}
	}
	if title := str(row["title"]); title != "" {
		out += ", " + clean(title)
	}
	return out
}

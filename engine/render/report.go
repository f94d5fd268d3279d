package render

import (
	"strings"
	"text/tabwriter"
)

// report shows every field that is not an object, and what an error says.
func (p *page) report(format string) {
	t := tabwriter.NewWriter(&p.out, 0, 4, 2, ' ', 0)
	if format == Markdown {
		p.line("# LoopX: %s\n", text(p.at("mode")))
	}
	for _, key := range p.sortedKeys(p.fields) {
		value := p.fields[key]
		if _, nested := value.(map[string]any); nested {
			continue
		}
		cells := []string{key, text(value)}
		if format == Markdown {
			p.line("- %s: %s", cells[0], cells[1])
			continue
		}
		_, _ = t.Write([]byte(strings.Join(cells, "\t") + "\n")) // a buffer takes every byte
	}
	_ = t.Flush() // a buffer takes every byte
	p.problem()
}

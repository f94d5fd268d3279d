package render

import (
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// report shows every field on a line of its own, nested ones under their path, and what an error says.
func (p *page) report(format string) {
	t := tabwriter.NewWriter(&p.out, 0, 4, 2, ' ', 0)
	if format == Markdown {
		p.line("# LoopX: %s\n", text(p.at("mode")))
	}
	for _, key := range p.sortedKeys(p.fields) {
		if key == "error" { // its message is the reason
			continue
		}
		p.cells(key, p.fields[key], func(path, value string) {
			if format == Markdown {
				p.line("- %s: %s", path, value)
				return
			}
			_, _ = t.Write([]byte(path + "\t" + value + "\n")) // a buffer takes every byte
		})
	}
	_ = t.Flush() // a buffer takes every byte
	p.problem()
}

// cells gives the leaves of a value with their paths. A list without objects is one leaf.
func (p *page) cells(path string, value any, cell func(path, value string)) {
	switch value := value.(type) {
	case map[string]any:
		for _, key := range p.sortedKeys(value) {
			p.cells(path+"."+clean(key), value[key], cell)
		}
	case []any:
		if !slices.ContainsFunc(value, nested) {
			cell(path, text(value))
			return
		}
		for i, e := range value {
			at := path + "." + strconv.Itoa(i+1)
			if line, flat := p.flat(e); flat {
				cell(at, line)
				continue
			}
			p.cells(at, e, cell)
		}
	default:
		cell(path, text(value))
	}
}

// flat shows an object of plain values on one line.
func (p *page) flat(value any) (string, bool) {
	object, ok := value.(map[string]any)
	if !ok {
		return "", false
	}
	var parts []string
	for _, key := range p.sortedKeys(object) {
		if nested(object[key]) {
			return "", false
		}
		parts = append(parts, clean(key)+"="+text(object[key]))
	}
	return strings.Join(parts, ", "), true
}

func nested(value any) bool {
	switch value.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

package render

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// versionKey names the schema of an object, which is for programs.
const versionKey = "schema_version"

// shown are the fields that stand elsewhere on the page or are bulky; JSON has them in full.
var shown = []string{"mode", "reason", "reason_summary", "error", "before", "after", "changes", "effects", "quota_event", "settlement_identity"}

// columns are the fields of a row that a person looks for, by the name of the list. Other lists show every field.
var columns = map[string][]string{
	"todos":  {"id", "status", "role", "priority", "task_class", "claimed_by", "title"},
	"runs":   {"generated_at", "classification", "agent_id", "todo_id", "delivery_outcome", "recommended_action"},
	"checks": {"name", "subject", "ok", "required", "detail"},
}

// grid is a list of objects as a table.
type grid struct {
	name string
	head []string
	rows [][]string
}

// report shows what a command answered: its fields in reading order, what changed, and every list of objects as a table.
// Fields without a value are left out, and effects are named by their kind.
func (p *page) report(format string) {
	var grids []grid
	lines := [][2]string{}
	line := func(key, value string) { lines = append(lines, [2]string{key, value}) }
	for _, key := range p.sortedKeys(p.fields) {
		if slices.Contains(shown, key) {
			continue
		}
		if g, ok := p.grid(key, p.fields[key]); ok {
			grids = append(grids, g)
			continue
		}
		p.cells(key, p.fields[key], line)
	}
	if kinds := effectKinds(p.objects("effects")); kinds != "" {
		line("effects", kinds)
	}
	if g := p.changed(); len(g.rows) > 0 {
		grids = slices.Insert(grids, 0, g)
	}
	reason := clean(str(p.at("reason")))
	if dry, _ := p.at("dry_run").(bool); dry && reason != "" && p.at("error") == nil {
		reason = "Preview, nothing was written. " + reason
	}
	if format == Markdown {
		p.reportMarkdown(lines, reason, grids)
	} else {
		p.reportTable(lines, reason, grids)
	}
}

func (p *page) reportMarkdown(lines [][2]string, reason string, grids []grid) {
	p.line("# LoopX: %s\n", text(p.at("mode")))
	for _, l := range lines {
		p.line("- %s: %s", l[0], l[1])
	}
	if reason != "" {
		p.line("\n%s", reason)
	}
	p.problem()
	for _, g := range grids {
		p.line("\n## %s\n", clean(g.name))
		p.line("| %s |", strings.Join(g.head, " | "))
		p.line("|%s", strings.Repeat(" --- |", len(g.head)))
		for _, row := range g.rows {
			cells := make([]string, len(row))
			for i, cell := range row {
				cells[i] = strings.ReplaceAll(cell, "|", `\|`)
			}
			p.line("| %s |", strings.Join(cells, " | "))
		}
	}
}

func (p *page) reportTable(lines [][2]string, reason string, grids []grid) {
	t := tabwriter.NewWriter(&p.out, 0, 4, 2, ' ', 0)
	row := func(cells ...string) {
		_, _ = t.Write([]byte(strings.Join(cells, "\t") + "\n")) // a buffer takes every byte
	}
	row("FIELD", "VALUE")
	row("mode", text(p.at("mode")))
	for _, l := range lines {
		row(l[0], l[1])
	}
	if reason != "" {
		row("reason", reason)
	}
	_ = t.Flush() // a buffer takes every byte
	p.problem()
	for _, g := range grids {
		p.line("")
		head := make([]string, len(g.head))
		for i, name := range g.head {
			head[i] = strings.ToUpper(strings.ReplaceAll(name, "_", " "))
		}
		row(head...)
		for _, cells := range g.rows {
			row(cells...)
		}
		_ = t.Flush() // a buffer takes every byte
	}
}

// grid makes a table of a list of objects whose shown fields are plain. A column that is empty in every row is left out.
func (p *page) grid(name string, value any) (grid, bool) {
	list, ok := value.([]any)
	if !ok || len(list) == 0 {
		return grid{}, false
	}
	named := columns[name]
	all := map[string]any{}
	for _, e := range list {
		object, ok := e.(map[string]any)
		if !ok {
			return grid{}, false
		}
		for key, v := range object {
			if nested(v) && named == nil {
				return grid{}, false
			}
			if cell(v) != "" {
				all[key] = v
			}
		}
	}
	g := grid{name: name, head: p.sortedKeys(all)}
	if named != nil {
		g.head = slices.DeleteFunc(slices.Clone(named), func(key string) bool { return all[key] == nil })
	}
	for _, e := range list {
		row := make([]string, len(g.head))
		for i, key := range g.head {
			row[i] = cell(at(e, key))
		}
		g.rows = append(g.rows, row)
	}
	return g, len(g.head) > 0
}

// changed lists the fields that differ before and after, and the settings that a command names itself.
func (p *page) changed() grid {
	g := grid{name: "changes", head: []string{"field", "before", "after"}}
	add := func(key string, before, after any) {
		if b, a := text(before), text(after); b != a {
			g.rows = append(g.rows, []string{clean(key), cmp.Or(b, "none"), cmp.Or(a, "none")})
		}
	}
	for _, change := range p.objects("changes") {
		add(str(change["key"]), change["before"], change["after"])
	}
	before, _ := p.at("before").(map[string]any)
	after, _ := p.at("after").(map[string]any)
	for _, key := range p.sortedKeys(after) {
		add(key, before[key], after[key])
	}
	return g
}

func effectKinds(effects []map[string]any) string {
	var kinds []string
	for _, e := range effects {
		kinds = append(kinds, text(e["kind"]))
	}
	return strings.Join(kinds, ", ")
}

// cell shows a value in a table; no value is an empty cell.
func cell(v any) string {
	if v == nil {
		return ""
	}
	return text(v)
}

// cells gives the leaves of a value with their paths. An object of plain values is one leaf, and so is a list without
// objects. What has no value has no leaf.
func (p *page) cells(path string, value any, leaf func(path, value string)) {
	if line, flat := p.flat(value); flat {
		if line != "" {
			leaf(path, line)
		}
		return
	}
	switch value := value.(type) {
	case map[string]any:
		for _, key := range p.sortedKeys(value) {
			if key != versionKey {
				p.cells(path+"."+clean(key), value[key], leaf)
			}
		}
	case []any:
		if !slices.ContainsFunc(value, nested) {
			if len(value) > 0 {
				leaf(path, text(value))
			}
			return
		}
		for i, e := range value {
			p.cells(path+"."+strconv.Itoa(i+1), e, leaf)
		}
	default:
		if line := cell(value); line != "" {
			leaf(path, line)
		}
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
		if v := cell(object[key]); v != "" && key != versionKey {
			parts = append(parts, fmt.Sprintf("%s=%s", clean(key), v))
		}
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

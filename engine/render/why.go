package render

import (
	"strings"
	"text/tabwriter"
)

// question are the fields that lead an answer of why.
var question = []string{"goal_id", "want", "reached", "should_run", "decision", "state", "effective_action"}

func (p *page) whyMarkdown() {
	p.line("# LoopX: %s\n", text(p.at("mode")))
	for _, key := range question {
		p.line("- %s: `%s`", key, text(p.at(key)))
	}
	if reason := str(p.at("reason")); reason != "" {
		p.line("\n%s", clean(reason))
	}
	p.problem()
	p.why()
	if p.at("changes") == nil {
		return
	}
	p.line("\n## What would change it\n")
	changes := p.objects("changes")
	for _, change := range changes {
		p.line("- %s: `%s` (`%s`)", clean(str(change["text"])), then(change), text(change["rule"]))
	}
	if len(changes) == 0 {
		p.line("No single change that was tried (%s) gives what is wanted.", text(p.at("tried")))
	}
	if left := text(p.at("left_out")); left != "0" {
		p.line("\n%s more changes were not tried.", left)
	}
	p.line("\n## Time\n")
	for _, key := range []string{"turns_at", "next_eligible_at", "valid_until"} {
		p.line("- %s: `%s`", key, text(p.at("time", key)))
	}
	for _, event := range p.objects("time", "events") {
		p.line("- %s: %s, then `%s`", text(event["at"]), cause(event), then(event))
	}
}

func (p *page) objects(path ...string) []map[string]any {
	list, _ := p.at(path...).([]any)
	var out []map[string]any
	for _, e := range list {
		if object, ok := e.(map[string]any); ok {
			out = append(out, object)
		}
	}
	return out
}

func then(row map[string]any) string {
	for _, key := range []string{"effective_action", "refused", "decision"} {
		if value := at(row, "then", key); value != nil {
			return text(value)
		}
	}
	return "none"
}

func cause(event map[string]any) string {
	out := text(event["cause"])
	if id := str(event["id"]); id != "" {
		out += " of " + clean(id)
	}
	return out
}

func (p *page) whyTable() {
	t := tabwriter.NewWriter(&p.out, 0, 4, 2, ' ', 0)
	row := func(cells ...string) {
		_, _ = t.Write([]byte(strings.Join(cells, "\t") + "\n")) // a buffer takes every byte
	}
	row("KIND", "WHAT", "THEN", "RULE")
	fields, _ := p.at("explain", "fields").(map[string]any)
	for _, name := range p.sortedKeys(fields) {
		explained, _ := fields[name].(map[string]any)
		row("field", name, text(p.at(name)), text(explained["rule"]))
	}
	for _, change := range p.objects("changes") {
		row("change", clean(str(change["text"])), then(change), text(change["rule"]))
	}
	for _, event := range p.objects("time", "events") {
		row("time", text(event["at"])+" "+cause(event), then(event), "")
	}
	_ = t.Flush() // a buffer takes every byte
	p.problem()
}

package render

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

func (p *page) planMarkdown(view View) {
	p.line("# LoopX: quota %s\n", text(p.at("mode")))
	p.line("- goal_count: `%s`", text(p.at("goal_count")))
	next := p.at("next_automatic_turn", "goal_id")
	if next == nil {
		p.line("- next_automatic_turn: none")
	} else {
		p.line("- next_automatic_turn: `%s`", text(next))
	}
	groups, _ := p.at("groups").(map[string]any)
	for _, name := range p.sortedKeys(groups) {
		items, _ := groups[name].([]any)
		if len(items) == 0 && (view == Plan || !p.counted(name)) {
			continue
		}
		p.line("\n## %s (%d)\n", name, len(items))
		for _, item := range items {
			p.line("%s", itemLine(item))
			for _, finding := range findings(item) {
				p.line("  - %s", healthLine(finding))
			}
		}
		if len(items) == 0 {
			p.line("none")
		}
	}
	p.health("health_items")
}

// findings are the diagnostics of one goal.
func findings(item any) []any {
	list, _ := at(item, "health_findings").([]any)
	return list
}

// counted tells whether the summary counts a group; the group of unknown states is only counted when it is in use.
func (p *page) counted(group string) bool { return p.at("summary", "states", group) != nil }

func itemLine(item any) string {
	quota := at(item, "quota")
	line := fmt.Sprintf("- `%s` compute %s, %s of %s slots spent", text(at(item, "goal_id")),
		text(at(quota, "compute")), text(at(quota, "spent_slots")), text(at(quota, "allowed_slots")))
	if reason := str(at(quota, "reason")); reason != "" {
		line += ": " + clean(reason)
	}
	return line
}

func healthLine(item any) string {
	place := str(at(item, "file"))
	if line := at(item, "line"); line != nil && place != "" {
		place += ":" + text(line)
	}
	var parts []string
	for _, s := range []string{str(at(item, "goal_id")), str(at(item, "source")), str(at(item, "code")), place, firstText(item, "message", "reason", "recommended_action")} {
		if s != "" {
			parts = append(parts, clean(s))
		}
	}
	return strings.Join(parts, ": ")
}

func firstText(item any, keys ...string) string {
	for _, key := range keys {
		if s := str(at(item, key)); s != "" {
			return s
		}
	}
	return ""
}

func (p *page) planTable(View) {
	t := tabwriter.NewWriter(&p.out, 0, 4, 2, ' ', 0)
	row := func(cells ...string) {
		_, _ = t.Write([]byte(strings.Join(cells, "\t") + "\n")) // a buffer takes every byte
	}
	row("GOAL", "STATE", "COMPUTE", "SPENT", "ALLOWED", "WAITING ON", "NEXT ELIGIBLE AT")
	health, _ := p.at("health_items").([]any)
	groups, _ := p.at("groups").(map[string]any)
	for _, name := range p.sortedKeys(groups) {
		items, _ := groups[name].([]any)
		for _, item := range items {
			health = append(health[:len(health):len(health)], findings(item)...)
			quota := at(item, "quota")
			row(text(at(item, "goal_id")), name, text(at(quota, "compute")), text(at(quota, "spent_slots")),
				text(at(quota, "allowed_slots")), text(at(item, "waiting_on")), text(at(quota, "next_eligible_at")))
		}
	}
	_ = t.Flush() // a buffer takes every byte
	for i, finding := range health {
		if i == 0 {
			p.line("")
		}
		p.line("health: %s", healthLine(finding))
	}
	p.line("\nnext_automatic_turn: %s", text(p.at("next_automatic_turn", "goal_id")))
}

package render

import (
	"strings"
	"text/tabwriter"
)

// lead are the fields that every decision shows, under these names (doc.render).
var lead = []string{"goal_id", "decision", "should_run", "state", "effective_action"}

func (p *page) decisionMarkdown() {
	p.line("# LoopX: %s\n", text(p.at("mode")))
	for _, key := range lead {
		p.line("- %s: `%s`", key, text(p.at(key)))
	}
	for _, key := range []string{"status", "waiting_on", "error_code", "next_eligible_at"} {
		value := p.at(key)
		if value == nil {
			value = p.at("quota", key)
		}
		if value != nil {
			p.line("- %s: `%s`", key, text(value))
		}
	}
	if reason := str(p.at("reason")); reason != "" {
		p.line("\n%s", clean(reason))
	}
	p.problem()
	p.health("health_findings")
	p.gate()
	p.todos()
	p.next()
	p.warnings()
	p.why()
}

func (p *page) problem() {
	hint := str(p.at("error", "hint"))
	detail := str(p.at("error", "detail"))
	for _, s := range []string{hint, detail} {
		if s != "" {
			p.line("\n%s", clean(s))
		}
	}
}

// health lists the findings behind a broken goal or registry, so that a person sees what to mend and where.
func (p *page) health(field string) {
	items, _ := p.at(field).([]any)
	if len(items) == 0 {
		return
	}
	p.line("\n## Health\n")
	for _, item := range items {
		p.line("- %s", healthLine(item))
	}
}

func (p *page) gate() {
	prompt, question := str(p.at("gate_prompt")), str(p.at("operator_question"))
	missing := texts(p.at("missing_gates"))
	if prompt == "" && question == "" && len(missing) == 0 {
		return
	}
	p.line("\n## For the operator\n")
	if prompt != "" {
		p.line("%s", clean(prompt))
	}
	if question != "" && !strings.Contains(prompt, question) {
		p.line("\n%s", clean(question))
	}
	if len(missing) > 0 {
		p.line("\nMissing gates: %s", strings.Join(missing, ", "))
	}
	if condition := str(p.at("next_handoff_condition")); condition != "" {
		p.line("\nNext handoff condition: %s", clean(condition))
	}
}

func (p *page) todos() {
	items := texts(p.at("user_todo_summary", "first_open_items"))
	if len(items) == 0 {
		return
	}
	p.line("\n## Open user todos\n")
	for _, s := range items[:min(maxTodos, len(items))] {
		p.line("- %s", s)
	}
	if count := text(p.at("open_count")); count != "none" && len(items) >= maxTodos {
		p.line("- (%s open in all)", count)
	}
}

func (p *page) next() {
	var steps []string
	for _, s := range []string{
		str(p.at("selected_todo", "text")),
		str(p.at("interaction_contract", "agent_channel", "primary_action")),
		str(p.at("recommended_action")),
	} {
		if s = clean(s); s != "" && !contains(steps, s) {
			steps = append(steps, s)
		}
	}
	commands := texts(p.at("interaction_contract", "cli_channel", "next_cli_actions"))
	if len(steps)+len(commands) == 0 {
		return
	}
	p.line("\n## Next\n")
	for _, s := range steps {
		p.line("- %s", s)
	}
	for _, s := range commands {
		p.line("- `%s`", strings.ReplaceAll(s, "`", "'"))
	}
}

func (p *page) warnings() {
	var lines []string
	for _, key := range p.sortedKeys(p.fields) {
		if !strings.HasSuffix(key, "_warning") {
			continue
		}
		message := str(p.at(key, "message"))
		if message == "" {
			message = str(p.at(key, "reason"))
		}
		lines = append(lines, strings.TrimSuffix("- "+key+": "+clean(message), ": "))
	}
	if len(lines) > 0 {
		p.line("\n## Warnings\n")
		p.line("%s", strings.Join(lines, "\n"))
	}
}

func contains(list []string, s string) bool {
	for _, e := range list {
		if e == s {
			return true
		}
	}
	return false
}

func (p *page) decisionTable() {
	t := tabwriter.NewWriter(&p.out, 0, 4, 2, ' ', 0)
	row := func(cells ...string) {
		_, _ = t.Write([]byte(strings.Join(cells, "\t") + "\n")) // a buffer takes every byte
	}
	row("FIELD", "VALUE")
	for _, key := range append(lead[:len(lead):len(lead)], "waiting_on", "error_code", "reason", "recommended_action") {
		if value := p.at(key); value != nil || contains(lead, key) {
			row(key, text(value))
		}
	}
	findings, _ := p.at("health_findings").([]any)
	for _, finding := range findings {
		row("health", healthLine(finding))
	}
	for _, key := range []string{"compute", "spent_slots", "allowed_slots", "next_eligible_at"} {
		if value := p.at("quota", key); value != nil {
			row("quota."+key, text(value))
		}
	}
	_ = t.Flush() // a buffer takes every byte
}

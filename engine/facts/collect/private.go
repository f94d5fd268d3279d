package collect

import (
	"maps"
	"slices"

	"github.com/loopx-dev/loopx-policy/engine/facts"
)

// arguments names the texts that a command would write down as its caller gave them. Paths that are only looked at are not
// among them, nor write scopes, which have rules of their own for paths, nor what was read from files.
func arguments(w *facts.Write) map[string][]string {
	out := map[string][]string{}
	add := func(name string, texts ...string) { out[name] = append(out[name], texts...) }
	fields := func(prefix string, values map[string]string, lists map[string][]string) {
		for key, value := range values {
			add(prefix+key, value)
		}
		for key, list := range lists {
			if key != "required_write_scopes" {
				add(prefix+key, list...)
			}
		}
	}
	if todo := w.Todo; todo != nil {
		add("text", todo.Text)
		fields("", todo.Fields, todo.Lists)
		if next := todo.Next; next != nil {
			add("next_agent_todo", next.AgentText)
			add("next_user_todo", next.UserText)
			fields("next_", next.Fields, next.Lists)
		}
	}
	if poll := w.Poll; poll != nil {
		add("result_hash", poll.ResultHash)
		add("target_key", poll.TargetKey)
		add("next_agent_todo", poll.NextAgentTodo)
		add("next_user_todo", poll.NextUserTodo)
		add("next_target_key", poll.NextTargetKey)
		add("next_task_repository", poll.NextTaskRepository)
	}
	if refresh := w.Refresh; refresh != nil {
		add("classification", refresh.Classification)
		add("recommended_action", refresh.RecommendedAction)
		add("next_action", refresh.NextActions...)
		add("progress_result", refresh.ProgressResult)
		add("progress_fingerprint", refresh.ProgressFingerprint)
		add("agent_vision_json", refresh.VisionText)
		add("agent_lane", refresh.AgentLane)
	}
	if init := w.Init; init != nil {
		add("objective", init.Objective)
	}
	if goal := w.Goal; goal != nil {
		add("reason", goal.Reason)
		add("waiting_on", goal.WaitingOn)
		add("agent_profile_json", goal.AgentProfiles...)
		add("allowed_domain", goal.AllowedDomains...)
		add("orchestration_mode", goal.OrchestrationMode)
		if authority := goal.Authority; authority != nil {
			add("boundary_authority_source", authority.Source)
			add("boundary_authority_decision_id", authority.DecisionID)
		}
	}
	return out
}

// privateArguments says which of them hold private text, by class and never with the text.
func (c *Collector) privateArguments(w *facts.Write) ([]facts.PrivateText, error) {
	texts := arguments(w)
	var out []facts.PrivateText
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		for _, text := range texts[name] {
			classes, err := c.private(text)
			if err != nil {
				return nil, err
			}
			for _, class := range classes {
				if found := (facts.PrivateText{Argument: name, Class: class}); !slices.Contains(out, found) {
					out = append(out, found)
				}
			}
		}
	}
	return out, nil
}

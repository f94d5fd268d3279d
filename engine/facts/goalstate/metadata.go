package goalstate

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/loopx-dev/loopx-policy/engine/facts/isotime"
)

// metadata returns the body of <!-- loopx:[todo ]BODY -->. A comment of another loopx kind has an empty body.
func metadata(comment string) (string, bool) {
	body, ok := strings.CutPrefix(comment, "<!--")
	if !ok {
		return "", false
	}
	if body, ok = strings.CutSuffix(body, "-->"); !ok {
		return "", false
	}
	if body, ok = strings.CutPrefix(strings.TrimSpace(body), "loopx:"); !ok {
		return "", false
	}
	if rest, isTodo := strings.CutPrefix(body, "todo"); isTodo && (rest == "" || startsWithSpace(rest)) {
		return rest, true
	}
	if first, _, _ := strings.Cut(strings.TrimSpace(body), " "); !strings.Contains(first, "=") {
		return "", true
	}
	return body, true
}

// apply reads the tokens of one metadata line; a later valid token replaces an earlier one.
func (b *block) apply(body string) {
	angled := strings.IndexByte(body, '<') >= 0 || strings.IndexByte(body, '>') >= 0
	for body != "" {
		var token string
		token, body = nextToken(body)
		key, value, ok := strings.Cut(token, "=")
		if !ok {
			continue
		}
		if angled {
			value, _, _ = strings.Cut(value, "<")
			value, _, _ = strings.Cut(value, ">")
		}
		if value = decode(value); value != "" {
			b.set(key, value)
		}
	}
}

// nextToken cuts a text at its first white space.
func nextToken(text string) (token, rest string) {
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c > ' ' && c < utf8.RuneSelf {
			continue
		}
		if c >= utf8.RuneSelf {
			end := strings.IndexFunc(text[i:], unicode.IsSpace)
			if end < 0 {
				return text, ""
			}
			_, size := utf8.DecodeRuneInString(text[i+end:])
			return text[:i+end], text[i+end+size:]
		}
		if c == ' ' || c >= '\t' && c <= '\r' {
			return text[:i], text[i+1:]
		}
	}
	return text, ""
}

// set stores one value. The keys are grouped by the shape of their values.
func (b *block) set(key, value string) {
	if b.setWork(key, value) || b.setOwner(key, value) || b.setTime(key, value) {
		return
	}
	todo := b.todo
	switch key {
	case "target_key":
		todo.TargetKey = value
	case "result_hash":
		todo.ResultHash = value
	case "note":
		todo.Note = value
	case "evidence":
		todo.Evidence = value
	case "reason":
		todo.Reason = value
	case "consecutive_no_change":
		todo.ConsecutiveNoChange = 0
		if n, err := strconv.ParseInt(value, 10, 64); err == nil && n > 0 {
			todo.ConsecutiveNoChange = n
		}
	case "material_change":
		keepBool(&todo.MaterialChange, value, trueOnly, falseOnly)
	case "watch_only":
		keepBool(&todo.WatchOnly, value, trueOnly, falseOnly)
	case "gating":
		keepBool(&todo.Gating, value, yes, no)
	case "non_gating":
		keepBool(&todo.NonGating, value, yes, no)
	}
}

// setWork stores what the todo is and what it needs.
func (b *block) setWork(key, value string) bool {
	todo := b.todo
	switch key {
	case "todo_id":
		keep(&todo.ID, todoID(value))
	case "status":
		b.setStatus(strings.ToLower(value))
	case "task_class":
		todo.TaskClass = strings.ToLower(value) // rules judge it
	case "action_kind":
		keep(&todo.ActionKind, pattern(strings.ToLower(value), 64, "_-"))
	case "task_domain":
		keep(&todo.TaskDomain, pattern(strings.ToLower(value), 64, "_.-"))
	case "capability_binding_ref":
		keep(&todo.BindingRef, bindingRef(strings.ToLower(value)))
	case "task_repository":
		keep(&todo.TaskRepository, repository(value))
	case "required_write_scopes":
		keepList(&todo.RequiredWriteScopes, list(value, writeScope))
	case "required_capabilities":
		keepList(&todo.RequiredCapabilities, list(value, capability))
	case "target_capabilities":
		keepList(&todo.TargetCapabilities, list(value, capability))
	case "explore_result_node_refs":
		refs := list(value, nodeRef)
		keepList(&todo.NodeRefs, refs[:min(len(refs), 8)])
	case "decision_scope":
		if scope, ok := decisionScope(value); ok {
			todo.DecisionScope = &scope
		}
	case "required_decision_scopes":
		if scopes := distinct(value, decisionScope); len(scopes) > 0 {
			todo.RequiredDecisionScopes = scopes
		}
	case "decision_outcome":
		keep(&todo.DecisionOutcome, oneOf(value, decisionOutcomes))
	case "decision_scope_outcomes":
		keepList(&todo.DecisionScopeOutcomes, scopeOutcomes(value))
	default:
		return false
	}
	return true
}

func (b *block) setStatus(value string) {
	if known := oneOf(value, statuses); known != "" {
		b.todo.Status, b.todo.StatusWritten = known, ""
		return
	}
	b.todo.StatusWritten = value // rules judge it; the marker or an earlier status stands in
}

// setOwner stores whose the todo is and how it continues.
func (b *block) setOwner(key, value string) bool {
	todo := b.todo
	switch key {
	case "claimed_by":
		if todo.Role == roleAgent {
			keep(&todo.ClaimedBy, agentID(value))
		}
	case "bound_agent":
		if todo.Role == roleUser {
			keep(&todo.BoundAgent, agentID(value))
		}
	case "goal_bound":
		if todo.Role == roleUser {
			keepBool(&todo.GoalBound, value, yesGate, no)
		}
	case "blocks_agent":
		keep(&todo.BlocksAgent, agentID(value))
	case "excluded_agents":
		agents := list(value, agentID)
		slices.Sort(agents)
		keepList(&todo.ExcludedAgents, agents)
	case "global_gate":
		keepBool(&todo.GlobalGate, value, yesGate, no)
	case "unblocks_todo_id":
		keep(&todo.UnblocksTodoID, todoID(value))
	case "successor_todo_ids":
		keepList(&todo.SuccessorTodoIDs, list(value, todoID))
	case "completion_continuation":
		keep(&todo.Continuation, oneOf(value, continuations))
	case "continuation_policy":
		if policy := oneOf(value, continuationPolicies); policy != "" {
			todo.ContinuationPolicy, todo.RemovedContinuation = policy, ""
		} else if policy = oneOf(value, removedPolicies); policy != "" {
			todo.ContinuationPolicy, todo.RemovedContinuation = "", policy
		}
	case "replan_obligation_id":
		keep(&todo.ReplanObligationID, obligationID(value))
	case "resume_when":
		keep(&todo.ResumeWhen, resumeWhen(value))
	case "no_followup":
		keepBool(&todo.NoFollowup, value, yesNoFollowup, no)
	case "superseded_by":
		keep(&todo.SupersededBy, todoID(value))
	default:
		return false
	}
	return true
}

// badTimes are the keys of schedule times that are present and do not read.
type badTimes struct{ due, expires, checked bool }

func (b badTimes) names() []string {
	var names []string
	for _, one := range []struct {
		bad bool
		key string
	}{{b.expires, "expires_at"}, {b.checked, "last_checked_at"}, {b.due, "next_due_at"}} {
		if one.bad {
			names = append(names, one.key)
		}
	}
	return names
}

func (b *block) setTime(key, value string) bool {
	todo := b.todo
	switch key {
	case "cadence":
		if text, seconds := cadence(value); seconds > 0 {
			todo.Cadence, todo.CadenceSeconds = text, seconds
		}
	case "next_due_at":
		b.bad.due = !keepTime(&todo.NextDueAt, &todo.NextDueNS, value)
	case "expires_at":
		b.bad.expires = !keepTime(&todo.ExpiresAt, &todo.ExpiresNS, value)
	case "last_checked_at":
		b.bad.checked = !keepTime(&todo.LastCheckedAt, &todo.LastCheckedNS, value)
	case "updated_at":
		keepTime(&todo.UpdatedAt, &todo.UpdatedNS, value)
	case "completed_at":
		var ns int64
		keepTime(&todo.CompletedAt, &ns, value)
	default:
		return false
	}
	return true
}

func keepTime(text *string, ns *int64, value string) bool {
	at, ok := isotime.ParseNS(value)
	if !ok {
		return false
	}
	*text, *ns = value, at
	return true
}

func keep(field *string, value string) {
	if value != "" {
		*field = value
	}
}

func keepList(field *[]string, value []string) {
	if len(value) > 0 {
		*field = value
	}
}

func keepBool(field **bool, value string, yes, no []string) {
	switch value = strings.ToLower(value); {
	case slices.Contains(yes, value):
		*field = new(bool)
		**field = true
	case slices.Contains(no, value):
		*field = new(bool)
	}
}

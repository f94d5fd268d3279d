package statefile

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/loopx-dev/loopx-policy/engine/facts/goalstate"
)

// keyOrder is the order in which metadata keys are written (state-files.md 3.5). Other keys follow by name.
var keyOrder = []string{
	"todo_id", "status", "task_class", "action_kind", "task_domain", "capability_binding_ref", "task_repository",
	"continuation_policy", "required_write_scopes", "required_capabilities", "target_capabilities", "explore_result_node_refs",
	"decision_scope", "required_decision_scopes", "decision_outcome", "decision_scope_outcomes", "claimed_by", "bound_agent",
	"goal_bound", "blocks_agent", "excluded_agents", "global_gate", "unblocks_todo_id", "successor_todo_ids",
	"completion_continuation", "completion_recovery", "replan_obligation_id", "resume_when", "no_followup", "target_key",
	"cadence", "next_due_at", "expires_at", "last_checked_at", "result_hash", "consecutive_no_change", "material_change",
	"max_no_change_before_replan", "watch_only", "note", "evidence", "reason", "completed_at", "updated_at",
	"completion_turn_key", "validation_command", "validation_command_argv", "validation_label", "validation_timeout_seconds",
	"superseded_by",
}

var rankOf = func() map[string]int {
	out := make(map[string]int, len(keyOrder))
	for i, key := range keyOrder {
		out[key] = i
	}
	return out
}()

func rank(key string) int {
	if r, known := rankOf[key]; known {
		return r
	}
	return len(keyOrder)
}

func byRank(a, b string) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a, b)) }

var keyShape = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

// comment writes metadata as a comment, "" when there is none.
func comment(metadata map[string]string) (string, error) {
	var tokens []string
	for _, key := range slices.SortedFunc(maps.Keys(metadata), byRank) {
		token, err := tokenOf(key, metadata[key])
		if err != nil {
			return "", err
		}
		if token != "" {
			tokens = append(tokens, token)
		}
	}
	if len(tokens) == 0 {
		return "", nil
	}
	return "<!-- loopx:todo " + strings.Join(tokens, " ") + " -->", nil
}

func tokenOf(key, value string) (string, error) {
	if !keyShape.MatchString(key) {
		return "", fmt.Errorf("%q is no metadata key", key)
	}
	if value = collapse(value); value == "" {
		return "", nil
	}
	return key + "=" + encode(value), nil
}

// encode escapes the bytes of a value that a token or a comment could end at (state-files.md 3.4).
func encode(value string) string {
	const hex = "0123456789ABCDEF"
	var out strings.Builder
	for i := range len(value) {
		c := value[i]
		plain := c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || strings.IndexByte("_.:-~", c) >= 0
		if plain {
			out.WriteByte(c)
			continue
		}
		out.WriteString("%" + string(hex[c>>4]) + string(hex[c&15]))
	}
	return out.String()
}

// metadata changes the metadata of a block: keys of set and unset disappear from all of its comments, keys of set go to
// their place in the first one. A comment that loses its last token goes, other tokens keep their text and their order.
func (f *file) metadata(block *goalstate.Block, set map[string]string, unset []string) error {
	gone := map[string]bool{}
	for _, key := range unset {
		gone[key] = true
	}
	var fresh []string
	for _, key := range slices.SortedFunc(maps.Keys(set), byRank) {
		token, err := tokenOf(key, set[key])
		if err != nil {
			return err
		}
		gone[key] = true
		if token != "" {
			fresh = append(fresh, token)
		}
	}
	for i := len(block.Metadata) - 1; i >= 0; i-- {
		line := block.Metadata[i]
		body, ok := goalstate.Metadata(strings.TrimSpace(f.text(line)))
		if !ok {
			continue // a comment of another kind
		}
		old := strings.Fields(body)
		tokens := slices.DeleteFunc(slices.Clone(old), func(token string) bool {
			key, _, found := strings.Cut(token, "=")
			return found && gone[key]
		})
		if i == 0 {
			tokens = merge(tokens, fresh)
			fresh = nil
		}
		switch {
		case len(tokens) == 0 && len(old) > 0:
			f.cut(line, line)
		case !slices.Equal(tokens, old):
			indent := f.text(line)[:len(f.text(line))-len(strings.TrimLeft(f.text(line), " \t"))]
			f.set(line, indent+"<!-- loopx:todo "+strings.Join(tokens, " ")+" -->")
		}
	}
	if len(fresh) > 0 {
		f.insert(block.Line, []string{indentOf(f.text(block.Line)) + "  <!-- loopx:todo " + strings.Join(fresh, " ") + " -->"})
	}
	return nil
}

// merge puts tokens to their places among others: before the first known key that comes later in the order of keys.
func merge(tokens, fresh []string) []string {
	for _, token := range fresh {
		key, _, _ := strings.Cut(token, "=")
		at := slices.IndexFunc(tokens, func(other string) bool {
			have, _, found := strings.Cut(other, "=")
			return found && rank(have) < len(keyOrder) && rank(have) > rank(key)
		})
		if at < 0 {
			at = len(tokens)
		}
		tokens = slices.Insert(tokens, at, token)
	}
	return tokens
}

func indentOf(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

package goalstate

import (
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/loopx-dev/loopx-policy/engine/facts"
)

// The words that the format knows (state-files.md 3.5).
var (
	statuses             = []string{"open", "done", "blocked", "deferred"}
	decisionOutcomes     = []string{"approve", "reject", "cancel"}
	continuations        = []string{"active_goal", "successor", "no_followup"}
	continuationPolicies = []string{"independent_handoff", "same_agent_non_delivery"}
	removedPolicies      = []string{"primary_review", "review_handoff"}
	scopeKinds           = []string{"private_read", "write_scope", "resource", "production", "public_claim", "direction", "other"}
	scopeGranularities   = []string{"action", "lane", "goal", "project", "global"}

	yes           = []string{"1", "true", "yes", "y"}
	yesGate       = []string{"1", "true", "yes", "y", "global_gate"}
	yesNoFollowup = []string{"1", "true", "yes", "y", "no_followup", "no-followup"}
	no            = []string{"0", "false", "no", "n"}
	trueOnly      = []string{"true"}
	falseOnly     = []string{"false"}
)

// decode undoes percent-encoding and collapses white space. A malformed escape stays as it is; decoded bytes that are
// not UTF-8 become U+FFFD.
func decode(value string) string {
	first := strings.IndexByte(value, '%')
	if first < 0 {
		return collapse(value)
	}
	var short [128]byte
	out := append(short[:0], value[:first]...)
	for i := first; i < len(value); i++ {
		c := value[i]
		if c == '%' && i+2 < len(value) {
			if high, low := hexDigit(value[i+1]), hexDigit(value[i+2]); high >= 0 && low >= 0 {
				c = byte(high<<4 | low)
				i += 2
			}
		}
		out = append(out, c)
	}
	return collapse(valid(string(out)))
}

// valid replaces bytes that are not UTF-8 by U+FFFD.
func valid(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// collapse trims and turns every run of white space into one space.
func collapse(text string) string {
	previous := byte(' ')
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(text[i:])
			if unicode.IsSpace(r) {
				return strings.Join(strings.Fields(text), " ")
			}
			i += size - 1
		} else if c < ' ' || c == ' ' && previous == ' ' {
			return strings.Join(strings.Fields(text), " ")
		}
		previous = c
	}
	return strings.TrimSuffix(text, " ")
}

// cut shortens a text to a number of characters, the last of them an ellipsis.
func cut(text string, limit int) string {
	if len(text) <= limit || utf8.RuneCountInString(text) <= limit {
		return text
	}
	end := 0
	for range limit - 1 {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	return text[:end] + "…"
}

// splitList yields the items of a list, which end at a comma, a semicolon or a pipe.
func splitList(value string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start := 0
		for i := 0; i < len(value); i++ {
			if c := value[i]; c == ',' || c == ';' || c == '|' {
				if !yield(value[start:i]) {
					return
				}
				start = i + 1
			}
		}
		yield(value[start:])
	}
}

// list splits a value, normalises the items and drops the ones that are invalid or repeated.
func list(value string, item func(string) string) []string {
	return distinct(value, func(raw string) (string, bool) {
		text := item(strings.TrimSpace(raw))
		return text, text != ""
	})
}

func distinct[T comparable](value string, item func(string) (T, bool)) []T {
	var items []T
	var seen map[T]bool // only for long lists
	for raw := range splitList(value) {
		one, ok := item(raw)
		if !ok || seen[one] || seen == nil && slices.Contains(items, one) {
			continue
		}
		items = append(items, one)
		if seen != nil {
			seen[one] = true
		} else if len(items) == 16 {
			seen = make(map[T]bool, 2*len(items))
			for _, earlier := range items {
				seen[earlier] = true
			}
		}
	}
	return items
}

func oneOf(value string, words []string) string {
	if value = strings.ToLower(value); slices.Contains(words, value) {
		return value
	}
	return ""
}

// pattern returns the value when it is a lower-case letter followed by letters, digits and the extra characters.
func pattern(value string, limit int, extra string) string {
	if value == "" || len(value) > limit || value[0] < 'a' || value[0] > 'z' || !only(value, extra) {
		return ""
	}
	return value
}

// only says that a value has lower-case letters, digits and the extra characters and nothing else.
func only(value, extra string) bool {
	for i := 0; i < len(value); i++ {
		c := value[i]
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			continue
		}
		if strings.IndexByte(extra, c) < 0 {
			return false
		}
	}
	return true
}

func isIDByte(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z'
}

func todoID(value string) string {
	value = strings.ToLower(value)
	tail, ok := strings.CutPrefix(value, "todo_")
	if !ok || len(tail) < 3 || len(tail) > 64 || !only(tail, "_-") {
		return ""
	}
	return value
}

func agentID(value string) string {
	return pattern(strings.ReplaceAll(strings.ToLower(value), " ", "-"), 80, "_.:@-")
}

func capability(value string) string {
	return pattern(strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(value), "-", "_"), " ", "_"), 64, "_:-")
}

func writeScope(value string) string {
	if value == "" || utf8.RuneCountInString(value) > 160 || value[0] == '/' || value[0] == '~' ||
		strings.ContainsFunc(value, func(r rune) bool { return r == '<' || r == '>' || unicode.IsSpace(r) }) {
		return ""
	}
	for segment := range strings.SplitSeq(value, "/") {
		if segment == ".." {
			return ""
		}
	}
	return value
}

func nodeRef(value string) string {
	if pattern(strings.ToLower(value), 96, "_.:-") == "" {
		return ""
	}
	return value
}

func bindingRef(value string) string {
	head, tail, _ := strings.Cut(value, ":")
	if pattern(head, 32, "_.-") == "" || len(tail) < 3 || pattern(tail, 96, "_.:-") == "" {
		return ""
	}
	return value
}

func obligationID(value string) string {
	tail, ok := strings.CutPrefix(value, "replan-")
	if !ok || len(tail) != 16 || strings.Trim(tail, "0123456789abcdef") != "" {
		return ""
	}
	return value
}

// decisionScope reads kind:granularity:key; the key may hold more colons.
func decisionScope(value string) (facts.DecisionScope, bool) {
	kind, rest, _ := strings.Cut(strings.ToLower(strings.TrimSpace(value)), ":")
	granularity, key, _ := strings.Cut(rest, ":")
	if !slices.Contains(scopeKinds, kind) || !slices.Contains(scopeGranularities, granularity) || !scopeKey(key) {
		return facts.DecisionScope{}, false
	}
	return facts.DecisionScope{Kind: kind, Granularity: granularity, Key: key}, true
}

func scopeKey(key string) bool {
	if key == "*" {
		return true
	}
	return key != "" && len(key) <= 96 && only(key[:1], "") && only(key, "_.:@*/-")
}

// scopeOutcomes reads outcome|scope|source_todo_id, separated by commas.
func scopeOutcomes(value string) []string {
	var items []string
	for item := range strings.SplitSeq(value, ",") {
		parts := strings.Split(strings.TrimSpace(item), "|")
		if len(parts) != 3 {
			continue
		}
		outcome, id := oneOf(parts[0], decisionOutcomes), todoID(parts[2])
		scope, ok := decisionScope(parts[1])
		if outcome == "" || id == "" || !ok {
			continue
		}
		items = append(items, outcome+"|"+scope.Kind+":"+scope.Granularity+":"+scope.Key+"|"+id)
	}
	return items
}

// resumeWhen reads a condition leniently: rules know which ones can become ready.
func resumeWhen(value string) string {
	lower := strings.ToLower(value)
	if target, ok := strings.CutPrefix(lower, "pr_merged:"); ok {
		if repo, number, ok := strings.Cut(target, "#"); ok {
			n, err := strconv.ParseUint(number, 10, 63)
			if err != nil || n == 0 || number[0] == '0' || !ownerRepo(repo) {
				return ""
			}
			return "pr_merged:" + value[len("pr_merged:"):]
		}
	}
	head, tail, hasTail := strings.Cut(lower, ":")
	if pattern(head, 32, "_-") == "" || hasTail && (tail == "" || len(tail) > 96 || !only(tail, "_.:@-")) {
		return ""
	}
	return lower
}

func ownerRepo(repo string) bool {
	if repo == "" {
		return true
	}
	owner, name, ok := strings.Cut(repo, "/")
	return ok && owner != "" && name != "" && only(owner, "_.-") && only(name, "_.-")
}

// Cadence reads a cadence such as 30m as its normal form and its seconds. Text that is none gives nothing.
func Cadence(text string) (normal string, seconds int64) { return cadence(collapse(text)) }

// cadence reads a count and a unit, such as 30m or 2 hours, as seconds.
func cadence(value string) (string, int64) {
	value = strings.ToLower(value)
	unit := strings.TrimLeft(value, "0123456789")
	count := value[:len(value)-len(unit)]
	if count == "" || count[0] == '0' || len(count) > 5 {
		return "", 0
	}
	n, err := strconv.ParseInt(count, 10, 64)
	if err != nil {
		return "", 0
	}
	switch strings.TrimSpace(unit) {
	case "s", "sec", "secs", "second", "seconds":
		return value, n
	case "m", "min", "mins", "minute", "minutes":
		return value, n * 60
	case "h", "hr", "hrs", "hour", "hours":
		return value, n * 3600
	case "d", "day", "days":
		return value, n * 86400
	}
	return "", 0
}

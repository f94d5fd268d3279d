package registry

import (
	"regexp"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/jsontree"
)

var profileToken = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,79}$`)

// profile reads execution_profile (state-files.md 2.6). A value that does not fit is dropped: its default applies.
func (r *row) profile() {
	n := r.object(r.node, "execution_profile", "execution_profile")
	if n == nil {
		return
	}
	p := &r.goal.Profile
	p.Cadence = token(n, "cadence")
	p.MinimumScale = token(n, "minimum_scale")
	p.MustInclude = optional(tokens(n, "must_include"))
	p.SpendRule = token(n, "spend_rule")
	p.TurnGranularity = r.word(n, "turn_granularity", "turn_granularity")
	if degradation := child(n, "degradation_policy"); degradation != nil {
		p.SmallScaleStreak = positive(degradation, "small_scale_streak_threshold")
		p.OnDegradation = token(degradation, "on_degradation")
	}
	floor := child(n, "outcome_floor")
	if floor == nil || floor.Kind != jsontree.Object {
		return
	}
	p.OutcomeFloor = &facts.OutcomeFloor{
		RequiredWhen:           token(floor, "required_when"),
		SurfaceStreakThreshold: positive(floor, "surface_streak_threshold"),
		OutcomeMarkers:         texts(floor, "outcome_markers"),
		SurfaceOnlyHints:       texts(floor, "surface_only_hints"),
		MustAdvance:            tokenList(floor, "must_advance"),
		Avoid:                  tokenList(floor, "avoid"),
	}
}

func token(parent *jsontree.Node, key string) string {
	if text := textOf(parent.Get(key)); profileToken.MatchString(text) {
		return text
	}
	return ""
}

// texts gives the strings of a list as they are written.
func texts(parent *jsontree.Node, key string) []string {
	out := []string{}
	if n := parent.Get(key); n != nil {
		for _, item := range n.Items {
			if item.Kind == jsontree.String && item.Text != "" {
				out = append(out, item.Text)
			}
		}
	}
	return out
}

func tokens(parent *jsontree.Node, key string) []string {
	out := []string{}
	for _, text := range texts(parent, key) {
		if profileToken.MatchString(text) {
			out = append(out, text)
		}
	}
	return out
}

// tokenList is absent when its key is.
func tokenList(parent *jsontree.Node, key string) *[]string {
	if n := parent.Get(key); n == nil || n.Kind != jsontree.Array {
		return nil
	}
	list := tokens(parent, key)
	return &list
}

func positive(parent *jsontree.Node, key string) *int64 {
	if value, ok := wholeNumber(parent.Get(key)); ok && value > 0 {
		return &value
	}
	return nil
}

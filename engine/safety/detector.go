package safety

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Topic of the settings that a detector is made from.
const Topic = "safety"

// Profiles that the settings define.
const (
	ProfileScan   = "scan"
	ProfileResult = "host_result"
	ProfileEvent  = "event"
	ProfileBridge = "bridge"
	ProfileOutput = "output"
)

// Settings are the bundle's settings of this topic.
type Settings struct {
	Limits          Limits             `json:"limits"`
	SkipDirectories []string           `json:"skip_directories"`
	Profiles        map[string]Profile `json:"profiles"`
	Patterns        []Pattern          `json:"patterns"`
	MorePatterns    []Pattern          `json:"more_patterns"`
	Fields          []Fields           `json:"fields"`
	PublicFields    []string           `json:"public_fields"`
}

// Limits bound the work. What is above a limit is refused, not passed.
type Limits struct {
	TextBytes int64 `json:"text_bytes"`
	FileBytes int64 `json:"file_bytes"`
	Entries   int   `json:"entries"`
	Findings  int   `json:"findings"`
	Depth     int   `json:"depth"`
}

// Profile says how much one use of the detector forbids.
type Profile struct {
	Strict  bool     `json:"strict"`
	Classes []string `json:"classes"`
}

// Pattern is one shape of private text.
type Pattern struct {
	ID     string   `json:"id"`
	Class  string   `json:"class"`
	Strict bool     `json:"strict"`
	Extra  bool     `json:"extra"` // only in profiles that list the class
	Hints  []string `json:"hints"`
	Match  string   `json:"match"`
}

// Fields are names of private fields of one class.
type Fields struct {
	Class    string   `json:"class"`
	Extra    bool     `json:"extra"` // only in profiles that list the class
	Names    []string `json:"names"`
	Suffixes []string `json:"suffixes"`
	Prefixes []string `json:"prefixes"`
}

// Detector applies the settings for one profile. It may be used by several goroutines at once.
type Detector struct {
	limits   Limits
	skip     []string
	patterns []pattern
	fields   []Fields
	public   []string
}

type pattern struct {
	id, class string
	hints     []string
	match     *regexp.Regexp
}

// New makes the detector of a profile.
func New(s Settings, profile string) (*Detector, error) {
	p, ok := s.Profiles[profile]
	if !ok {
		known := slices.Sorted(maps.Keys(s.Profiles))
		return nil, fmt.Errorf("settings.%s.profiles has no %s, only %s", Topic, profile, strings.Join(known, ", "))
	}
	for _, limit := range []struct {
		name  string
		value int64
	}{
		{"text_bytes", s.Limits.TextBytes}, {"file_bytes", s.Limits.FileBytes}, {"entries", int64(s.Limits.Entries)},
		{"findings", int64(s.Limits.Findings)}, {"depth", int64(s.Limits.Depth)},
	} {
		if limit.value < 1 {
			return nil, fmt.Errorf("settings.%s.limits.%s is %d, want at least 1", Topic, limit.name, limit.value)
		}
	}
	d := &Detector{limits: s.Limits, skip: s.SkipDirectories, public: s.PublicFields}
	for i, row := range slices.Concat(s.Patterns, s.MorePatterns) {
		if row.Strict && !p.Strict || row.Extra && !slices.Contains(p.Classes, row.Class) {
			continue
		}
		match, err := regexp.Compile(row.Match)
		if err != nil || row.Class == "" || row.Match == "" {
			return nil, fmt.Errorf("settings.%s.patterns[%d] %s: needs a class and a regular expression: %w", Topic, i, row.ID, err)
		}
		d.patterns = append(d.patterns, pattern{row.ID, row.Class, row.Hints, match})
	}
	if len(s.Patterns) == 0 {
		return nil, fmt.Errorf("settings.%s.patterns is empty, so nothing would be found", Topic)
	}
	for _, row := range s.Fields {
		if !row.Extra || slices.Contains(p.Classes, row.Class) {
			d.fields = append(d.fields, row)
		}
	}
	return d, nil
}

// Hit is one piece of private text.
type Hit struct {
	Class   string
	Pattern string // id of the pattern; "" for the name of a field
	Line    int    // 1-based line of a text
	Pointer string // JSON pointer of a value
}

// Text finds private text, at most one hit for a class and line, in the order of lines and classes. A text above the limit
// is not scanned: check TooLong first.
func (d *Detector) Text(text string) []Hit {
	hits := d.scan(nil, text)
	if plain := decode(text); plain != text {
		hits = d.scan(hits, plain)
	}
	slices.SortStableFunc(hits, func(a, b Hit) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return strings.Compare(a.Class, b.Class)
	})
	return slices.CompactFunc(hits, func(a, b Hit) bool { return a.Line == b.Line && a.Class == b.Class })
}

// TooLong tells that a text is above the limit (safety.limits-before-scan).
func (d *Detector) TooLong(text string) bool { return int64(len(text)) > d.limits.TextBytes }

func (d *Detector) scan(hits []Hit, text string) []Hit {
	folded := fold(text)
	var likely []*pattern
	for i := range d.patterns {
		if d.patterns[i].hinted(folded) {
			likely = append(likely, &d.patterns[i])
		}
	}
	if len(likely) == 0 {
		return hits
	}
	line := 0
	for one := range strings.SplitSeq(text, "\n") {
		line++
		words := fold(one)
		for _, p := range likely {
			if p.hinted(words) && p.match.MatchString(one) {
				hits = append(hits, Hit{Class: p.class, Pattern: p.id, Line: line})
			}
		}
	}
	return hits
}

// hinted tells whether the pattern may match a folded text.
func (p *pattern) hinted(folded string) bool {
	for _, hint := range p.hints {
		if strings.Contains(folded, hint) {
			return true
		}
	}
	return len(p.hints) == 0
}

// fold lowers the case so that hints are found wherever a pattern ignores case: the long s folds to s.
func fold(text string) string { return strings.ReplaceAll(strings.ToLower(text), "ſ", "s") }

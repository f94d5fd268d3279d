package rrule

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Freq is the unit of a rule's interval.
type Freq string

// The units that host timers use.
const (
	Minutely Freq = "MINUTELY"
	Hourly   Freq = "HOURLY"
	Daily    Freq = "DAILY"
)

// units holds the longest interval of each unit, one year.
var units = map[Freq]int{Minutely: 366 * 24 * 60, Hourly: 366 * 24, Daily: 366}

// Rule is a recurrence rule in UTC. By lists are sorted and hold each value once; an empty list restricts nothing.
type Rule struct {
	Freq     Freq
	Interval int // at least 1
	ByHour   []int
	ByMinute []int
}

// maxText bounds what is looked at: the longest list of hours and minutes fits.
const maxText = 512

// Normal is a rule's text as it is stored: white space collapsed and a leading `RRULE:` removed.
func Normal(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	return strings.TrimSpace(strings.TrimPrefix(text, "RRULE:"))
}

// Parse reads a rule. The error says which part is not understood.
func Parse(text string) (Rule, error) {
	if len(text) > maxText {
		return Rule{}, fmt.Errorf("rrule: longer than %d bytes", maxText)
	}
	rule := Rule{Interval: 1}
	seen := map[string]bool{}
	for _, part := range strings.Split(Normal(text), ";") {
		key, value, found := strings.Cut(part, "=")
		switch {
		case !found:
			return Rule{}, fmt.Errorf("rrule: %q is not KEY=VALUE", part)
		case seen[key]:
			return Rule{}, fmt.Errorf("rrule: %s is given twice", key)
		}
		seen[key] = true
		var err error
		switch key {
		case "FREQ":
			rule.Freq = Freq(value)
			if units[rule.Freq] == 0 {
				err = fmt.Errorf("rrule: FREQ=%s is not one of MINUTELY, HOURLY, DAILY", value)
			}
		case "INTERVAL":
			rule.Interval, err = number(key, value, 1, units[Minutely])
		case "BYHOUR":
			rule.ByHour, err = list(key, value, 23)
		case "BYMINUTE":
			rule.ByMinute, err = list(key, value, 59)
		default:
			err = fmt.Errorf("rrule: %q is not supported; only FREQ, INTERVAL, BYHOUR and BYMINUTE are", key)
		}
		if err != nil {
			return Rule{}, err
		}
	}
	return rule, rule.check()
}

func (r Rule) check() error {
	longest := units[r.Freq]
	switch {
	case longest == 0:
		return fmt.Errorf("rrule: FREQ is missing")
	case r.Interval > longest:
		return fmt.Errorf("rrule: INTERVAL=%d is longer than a year", r.Interval)
	}
	return nil
}

// number reads a decimal number without sign or leading zero.
func number(key, text string, least, most int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || strconv.Itoa(n) != text || n < least || n > most {
		return 0, fmt.Errorf("rrule: %s=%s is not a number from %d to %d", key, text, least, most)
	}
	return n, nil
}

func list(key, text string, most int) ([]int, error) {
	var out []int
	for _, item := range strings.Split(text, ",") {
		n, err := number(key, item, 0, most)
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// String prints the rule. Parse of it gives the rule again.
func (r Rule) String() string {
	out := fmt.Sprintf("FREQ=%s;INTERVAL=%d", r.Freq, r.Interval)
	for _, part := range []struct {
		key    string
		values []int
	}{{"BYHOUR", r.ByHour}, {"BYMINUTE", r.ByMinute}} {
		if len(part.values) == 0 {
			continue
		}
		texts := make([]string, len(part.values))
		for i, n := range part.values {
			texts[i] = strconv.Itoa(n)
		}
		out += ";" + part.key + "=" + strings.Join(texts, ",")
	}
	return out
}
